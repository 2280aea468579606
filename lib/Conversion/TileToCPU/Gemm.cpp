//===- Gemm.cpp - matrix products -----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The right operand is packed into panels (Panels.h); the left one is read by broadcasts and copied only if its type must
// change. The register block keeps MR x NR accumulators in vector registers over the whole of K. Blocks of the same rows follow
// each other: their rows of the left operand, which are read an element at a time, stay in the nearest cache, and panels, which
// are read from their beginning to their end, come from the next one.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "Panels.h"
#include "Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

namespace {

/// The operands of one register block and its size.
struct Block {
  Value a;          // M x K, or K x M if transposed
  Value panel;      // K x NR
  Value c;          // M x N, of the accumulator type, contiguous rows
  Value target;     // where the sums go, with the indices of c
  Value row, column; // where in c the block begins
  int64_t rows;     // <= MR
  int64_t columns;  // <= NR
};

class GemmEmitter {
public:
  GemmEmitter(OpBuilder &b, GemmOp op, const CPUTargetInfo &cpuInfo)
      : b(b), op(op), loc(op.getLoc()),
        cpuInfo(cpuInfo), registers(op, cpuInfo), element(registers.element),
        lanes(registers.lanes), nr(registers.getWidth()) {}

  void emit() {
    Value c = op.getC();
    bool direct = isDirectAccumulator(c);
    depth = getDepth(b, op);
    used = getUsedExtents(b, op);
    if (!direct) {
      c = createScratch(b, op, typeOf(c).getShape(), element);
      prepareCopy(c);
    }
    left = prepareLeft();
    if (direct) {
      result = writeResultDirectly(b, op, left.source, getRowStep(), nr, cpuInfo);
      beginsWithZeros = op.getClear();
      isFirst = op.getClearIf() ? op.getClearIf() : replaceFill(b, op);
    }
    Value panels = packRight(b, op, registers);
    int64_t fullPanels = op.getN() / nr, tail = op.getN() % nr;
    if (fullPanels)
      forRows(nr, [&](Value row, int64_t rows) {
        Value a = getLeft(row, rows);
        forUsed(nr, fullPanels, used.columns, [&](Value panel) {
          emitBlock(makeBlock(a, panels, c, row, rows, panel, nr));
        });
      });
    if (tail)
      ifUsed(fullPanels * nr, used.columns, [&](Value) {
        forRows(tail, [&](Value row, int64_t rows) {
          emitBlock(makeBlock(getLeft(row, rows), panels, c, row, rows,
                              constantIndex(b, loc, fullPanels), tail));
        });
      });
    if (!direct)
      convert(c, op.getC());
  }

private:
  bool isDirectAccumulator(Value c) {
    return typeOf(c).getElementType() == element &&
           typeOf(c).isLastDimUnitStride();
  }

  void convert(Value from, Value to) {
    buildLoops(b, loc, typeOf(from).getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value v = memref::LoadOp::create(b, loc, from, ivs);
                 v = castElement(b, loc, v, typeOf(to).getElementType());
                 memref::StoreOp::create(b, loc, v, to, ivs);
               });
  }

  void zero(Value c) {
    Value zero = constantZero(b, loc, element);
    buildLoops(b, loc, typeOf(c).getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 memref::StoreOp::create(b, loc, zero, c, ivs);
               });
  }

  /// Leaves in `c`, a copy of the accumulator, what the products are added to.
  void prepareCopy(Value c) {
    if (op.getClear())
      return zero(c);
    if (!op.getClearIf())
      return convert(op.getC(), c);
    auto branch =
        scf::IfOp::create(b, loc, op.getClearIf(), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    zero(c);
    b.setInsertionPointToStart(branch.elseBlock());
    convert(op.getC(), c);
  }

  /// The left operand with elements of the accumulator type.
  LeftOperand prepareLeft() {
    Value a = op.getA();
    if (typeOf(a).getElementType() == element &&
        op.getPrecision() == Precision::IEEE) {
      std::optional<LeftOperand> direct = readLeftDirectly(
          b, op, depth, used.rows, getRowStep(), cpuInfo);
      return direct.value_or(LeftOperand{a, {}, {}, {}});
    }
    Value wide = createScratch(b, op, typeOf(a).getShape(), element);
    buildLoops(b, loc, typeOf(a).getShape(),
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value v = memref::LoadOp::create(b, loc, a, ivs);
                 v = widenOperand(b, loc, op, v, op.getAUnsigned());
                 memref::StoreOp::create(b, loc, v, wide, ivs);
               });
    return {wide, {}, {}, {}};
  }

  /// What the rows of blocks of all widths divide.
  int64_t getRowStep() {
    int64_t tail = op.getN() % nr, rows = registers.countRows(nr);
    return tail ? std::lcm(rows, registers.countRows(tail)) : rows;
  }

  /// Where a block reads the rows from `row` on.
  Value getLeft(Value row, int64_t rows) {
    if (!left.direct)
      return left.tile;
    return arith::SelectOp::create(b, loc, isInside(row, rows, left.directRows),
                                   left.direct, left.tile);
  }

  Value isInside(Value first, int64_t size, Value end) {
    Value last = arith::AddIOp::create(b, loc, first, constantIndex(b, loc, size));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, last, end);
  }

  /// Where a block writes its sums.
  Value getTarget(Value c, Value row, int64_t rows, Value column,
                  int64_t columns) {
    if (!result)
      return c;
    Value direct = arith::AndIOp::create(
        b, loc, result->isLast, isInside(row, rows, result->rows));
    direct = arith::AndIOp::create(b, loc, direct,
                                   isInside(column, columns, result->columns));
    return arith::SelectOp::create(b, loc, direct, result->view,
                                   withAnyRows(b, loc, c));
  }

  /// Steps of `step` up to `count`, as far as they begin before `used`.
  void forUsed(int64_t step, int64_t count, Value used,
               function_ref<void(Value)> body) {
    Value end = constantIndex(b, loc, count);
    if (used)
      end = arith::MinSIOp::create(
          b, loc,
          arith::CeilDivUIOp::create(b, loc, used, constantIndex(b, loc, step)),
          end);
    buildLoops(b, loc, ValueRange{constantIndex(b, loc, 0)}, ValueRange{end},
               [&](OpBuilder &inner, Location, ValueRange ivs) {
                 continueAt(b, inner, [&] { body(ivs[0]); });
               });
  }

  /// What begins at `first`, if that is before `used`.
  void ifUsed(int64_t first, Value used, function_ref<void(Value)> body) {
    Value begin = constantIndex(b, loc, first), condition;
    if (used)
      condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        begin, used);
    inIf(b, loc, condition, [&](OpBuilder &inner) {
      continueAt(b, inner, [&] { body(begin); });
    });
  }

  /// The rows of c that are used, as blocks of as many rows as registers hold of
  /// `columns`; the last one may have fewer.
  void forRows(int64_t columns, function_ref<void(Value, int64_t)> body) {
    int64_t mr = registers.countRows(columns);
    int64_t full = op.getM() / mr, tail = op.getM() % mr;
    forUsed(mr, full, used.rows, [&](Value i) {
      body(arith::MulIOp::create(b, loc, i, constantIndex(b, loc, mr)), mr);
    });
    if (tail)
      ifUsed(full * mr, used.rows, [&](Value row) { body(row, tail); });
  }

  Block makeBlock(Value a, Value panels, Value c, Value row, int64_t rows,
                  Value panel, int64_t columns) {
    Value column = arith::MulIOp::create(b, loc, panel,
                                         constantIndex(b, loc, nr));
    Value target = getTarget(c, row, rows, column, columns);
    return {a, takePanel(panels, panel), c, target, row, column, rows, columns};
  }

  Value takePanel(Value panels, Value index) {
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    OpFoldResult k = b.getIndexAttr(op.getK()), width = b.getIndexAttr(nr);
    auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
        {op.getK(), nr}, typeOf(panels), {index, zero, zero}, {one, k, width},
        {one, one, one}));
    return memref::SubViewOp::create(b, loc, type, panels,
                                     ArrayRef<OpFoldResult>{index, zero, zero},
                                     ArrayRef<OpFoldResult>{one, k, width},
                                     ArrayRef<OpFoldResult>{one, one, one});
  }

  VectorType vectorType() { return VectorType::get(lanes, element); }

  /// The mask of vector `v` of a row with `columns` columns; null if it is full.
  Value maskOf(const Block &block, int64_t v) {
    int64_t valid = std::clamp<int64_t>(block.columns - v * lanes, 0, lanes);
    if (valid == lanes)
      return {};
    return vector::ConstantMaskOp::create(
        b, loc, VectorType::get(lanes, b.getI1Type()),
        b.getDenseI64ArrayAttr(valid));
  }

  SmallVector<Value> indexOf(const Block &block, int64_t i, int64_t v) {
    Value row = arith::AddIOp::create(b, loc, block.row,
                                      constantIndex(b, loc, i));
    Value column = arith::AddIOp::create(b, loc, block.column,
                                         constantIndex(b, loc, v * lanes));
    return {row, column};
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(element))
      return vector::FMAOp::create(b, loc, x, y, sum);
    return arith::AddIOp::create(b, loc, sum,
                                 arith::MulIOp::create(b, loc, x, y));
  }

  /// What the products of a block are added to.
  SmallVector<Value> getFirstSums(const Block &block, int64_t used) {
    auto load = [&] {
      SmallVector<Value> sums;
      for (int64_t i = 0; i < block.rows; ++i)
        for (int64_t v = 0; v < used; ++v)
          sums.push_back(loadAccumulator(block, i, v));
      return sums;
    };
    SmallVector<Value> zeros(block.rows * used,
                             constantZero(b, loc, vectorType()));
    if (beginsWithZeros)
      return zeros;
    if (!isFirst)
      return load();
    auto branch = scf::IfOp::create(
        b, loc, isFirst,
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, zeros);
        },
        [&](OpBuilder &inner, Location) {
          continueAt(b, inner, [&] { scf::YieldOp::create(b, loc, load()); });
        });
    return llvm::to_vector_of<Value>(branch.getResults());
  }

  /// A row of the left operand. LLVM does not see how far it is from the others: else it counts up one address and adds the
  /// distances in each step of the loop over K, which takes instructions that could be products.
  Value getRow(Value a, Value row) {
    auto data = memref::ExtractStridedMetadataOp::create(b, loc, a);
    Value offset = arith::MulIOp::create(b, loc, row, data.getStrides()[0]);
    offset = arith::AddIOp::create(b, loc, data.getOffset(), offset);
    offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), offset);
    offset = LLVM::FreezeOp::create(b, loc, offset);
    offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
    OpFoldResult size = b.getIndexAttr(op.getK()), stride = b.getIndexAttr(1);
    auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, 1);
    return memref::ReinterpretCastOp::create(
        b, loc, MemRefType::get({op.getK()}, typeOf(a).getElementType(), layout),
        a, offset, size, stride);
  }

  /// The rows of a block's left operand, if the distance between them is known at run time only and they are few enough for
  /// an address in a register each.
  SmallVector<Value> getRows(const Block &block) {
    constexpr int64_t kAddresses = 8; // of the 16 registers of x86-64
    SmallVector<Value> rows;
    if (typeOf(block.a).getStridesAndOffset().first[0] != ShapedType::kDynamic ||
        op.getTransposeA() || block.rows > kAddresses)
      return rows;
    for (int64_t i = 0; i < block.rows; ++i)
      rows.push_back(getRow(block.a, arith::AddIOp::create(
                                         b, loc, block.row, constantIndex(b, loc, i))));
    return rows;
  }

  /// Takes the accumulators, runs over K, stores them.
  void emitBlock(const Block &block) {
    int64_t used = registers.countVectors(block.columns);
    SmallVector<Value> sums = getFirstSums(block, used);
    SmallVector<Value> rows = getRows(block);
    auto loop = scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), depth, constantIndex(b, loc, 1), sums,
        [&](OpBuilder &inner, Location, Value k, ValueRange carried) {
          continueAt(b, inner, [&] {
            SmallVector<Value> next = emitStep(block, rows, k, carried, used);
            scf::YieldOp::create(b, loc, next);
          });
        });
    for (int64_t i = 0; i < block.rows; ++i)
      for (int64_t v = 0; v < used; ++v)
        storeAccumulator(block, i, v, loop.getResult(i * used + v));
  }

  SmallVector<Value> emitStep(const Block &block, ArrayRef<Value> rows, Value k,
                              ValueRange sums, int64_t used) {
    SmallVector<Value> right;
    for (int64_t v = 0; v < used; ++v)
      right.push_back(vector::LoadOp::create(
          b, loc, vectorType(), block.panel,
          ValueRange{k, constantIndex(b, loc, v * lanes)}));
    SmallVector<Value> next;
    for (int64_t i = 0; i < block.rows; ++i) {
      Value left = rows.empty()
                       ? loadLeft(block, i, k)
                       : memref::LoadOp::create(b, loc, rows[i], k).getResult();
      left = vector::BroadcastOp::create(b, loc, vectorType(), left);
      for (int64_t v = 0; v < used; ++v)
        next.push_back(multiplyAdd(left, right[v], sums[i * used + v]));
    }
    return next;
  }

  Value loadLeft(const Block &block, int64_t i, Value k) {
    Value row = arith::AddIOp::create(b, loc, block.row,
                                      constantIndex(b, loc, i));
    return memref::LoadOp::create(
        b, loc, block.a, op.getTransposeA() ? ValueRange{k, row} : ValueRange{row, k});
  }

  Value loadAccumulator(const Block &block, int64_t i, int64_t v) {
    SmallVector<Value> index = indexOf(block, i, v);
    Value mask = maskOf(block, v);
    if (!mask)
      return vector::LoadOp::create(b, loc, vectorType(), block.c, index);
    Value pad = constantZero(b, loc, vectorType());
    return vector::MaskedLoadOp::create(b, loc, vectorType(), block.c, index,
                                        mask, pad);
  }

  void storeAccumulator(const Block &block, int64_t i, int64_t v, Value sum) {
    SmallVector<Value> index = indexOf(block, i, v);
    if (Value mask = maskOf(block, v))
      vector::MaskedStoreOp::create(b, loc, block.target, index, mask, sum);
    else
      vector::StoreOp::create(b, loc, sum, block.target, index);
  }

  OpBuilder &b;
  GemmOp op;
  Location loc;
  const CPUTargetInfo &cpuInfo;
  RegisterBlock registers;
  Type element;
  int64_t lanes, nr;
  LeftOperand left;
  Value depth;
  UsedExtents used;
  bool beginsWithZeros = false;
  Value isFirst; // i1, where they sometimes do
  std::optional<DirectResult> result;
};

} // namespace

void cpu::lowerGemms(Operation *root, const CPUTargetInfo &cpuInfo) {
  SmallVector<GemmOp> gemms;
  root->walk([&](GemmOp op) { gemms.push_back(op); });
  // The last one first: then none that has become loops stands between a copy and
  // its product.
  for (GemmOp op : llvm::reverse(gemms)) {
    OpBuilder b(op);
    GemmEmitter(b, op, cpuInfo).emit();
    op.erase();
  }
}
