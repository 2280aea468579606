//===- Panels.cpp - operands of products in the order of their use --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A panel is as many columns of the right operand as a block of registers has, each row contiguous: the product reads it from
// its beginning to its end. A tile that nothing but one product reads is never made; its copy writes the panels.
//
//===----------------------------------------------------------------------===//

#include "Panels.h"

#include "Operands.h"
#include "Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

//===----------------------------------------------------------------------===//
// The block of registers
//===----------------------------------------------------------------------===//

RegisterBlock::RegisterBlock(GemmOp op, const CPUTargetInfo &cpuInfo)
    : element(getAccumulatorType(typeOf(op.getC()).getElementType())),
      lanes(cpuInfo.getLanes(element)),
      // A quarter of the registers is for operands.
      sums(std::max<int64_t>(cpuInfo.vectorRegisters * 3 / 4, 1)), vectors(1) {
  // For `sums` products a step loads the vectors of a row and an element for each row: the nearer both numbers are, the fewer
  // loads. A power of two divides tiles as they are usually cut.
  int64_t needed = countVectors(op.getN());
  auto countLoads = [&](int64_t v) { return v + sums / v; };
  for (int64_t v = 2; v < 2 * needed; v *= 2) {
    if (sums % v != 0 || sums + v + 1 > cpuInfo.vectorRegisters ||
        countLoads(v) >= countLoads(vectors))
      break;
    vectors = v;
  }
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

Value cpu::widenOperand(OpBuilder &b, Location loc, GemmOp op, Value value,
                        bool isUnsigned) {
  Type element = getAccumulatorType(typeOf(op.getC()).getElementType());
  value = castElement(b, loc, value, element, {isUnsigned, false});
  if (op.getPrecision() == Precision::TF32)
    value = roundToTF32(b, loc, value);
  return value;
}

/// Whether rows of `type` can be loaded and converted by vectors: elements of whole bytes that hardware knows.
static bool hasVectors(GemmOp op, MemRefType type) {
  Type element = type.getElementType();
  return !op.getTransposeB() && op.getPrecision() == Precision::IEEE &&
         op.getK() != 1 && op.getN() != 1 && type.isLastDimUnitStride() &&
         isa<IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
             element) &&
         element.getIntOrFloatBitWidth() % 8 == 0;
}

namespace {

/// Writes the panels of one product.
class Packer {
public:
  using Convert = function_ref<Value(OpBuilder &, Value)>;

  Packer(OpBuilder &b, GemmOp op, const RegisterBlock &block)
      : b(b), op(op), loc(op.getLoc()), block(block), nr(block.getWidth()),
        count((op.getN() + nr - 1) / nr) {
    panels = createScratch(b, op, {count, op.getK(), nr}, block.element);
  }

  Value getPanels() { return panels; }

  /// Rows of `from`, as vectors; `padding` stands for what is outside.
  void packRows(const LoopRegion &from, Value padding, Convert convert) {
    buildLoops(b, loc, {op.getK()},
               [&](OpBuilder &inner, Location, ValueRange ivs) {
                 continueAt(b, inner,
                            [&] { packRow(from, padding, convert, ivs[0]); });
               });
  }

  /// Single elements of a tile.
  void packElements() {
    int64_t full = op.getN() / nr, tail = op.getN() % nr;
    buildLoops(b, loc, {full}, [&](OpBuilder &inner, Location, ValueRange ivs) {
      continueAt(b, inner, [&] { packElements(ivs[0], nr); });
    });
    if (!tail)
      return;
    Value last = constantIndex(b, loc, full);
    Value zero = constantZero(b, loc, block.element);
    buildLoops(b, loc, {op.getK(), nr},
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 memref::StoreOp::create(b, loc, zero, panels,
                                         ValueRange{last, ivs[0], ivs[1]});
               });
    packElements(last, tail);
  }

private:
  void packElements(Value panel, int64_t columns) {
    // The inner loop follows the contiguous dimension of the source.
    bool t = op.getTransposeB();
    int64_t k = op.getK();
    SmallVector<int64_t> extents = t ? SmallVector<int64_t>{columns, k}
                                     : SmallVector<int64_t>{k, columns};
    buildLoops(b, loc, extents,
               [&](OpBuilder &b, Location loc, ValueRange ivs) {
                 Value row = ivs[t ? 1 : 0], column = ivs[t ? 0 : 1];
                 Value first = arith::MulIOp::create(b, loc, panel,
                                                     constantIndex(b, loc, nr));
                 Value j = arith::AddIOp::create(b, loc, first, column);
                 Value v = memref::LoadOp::create(b, loc, op.getB(),
                                                  t ? ValueRange{j, row}
                                                    : ValueRange{row, j});
                 v = widenOperand(b, loc, op, v, op.getBUnsigned());
                 memref::StoreOp::create(b, loc, v, panels,
                                         ValueRange{panel, row, column});
               });
  }

  /// A row of all panels, in the order of the source. Those that lie inside of it are copied by vectors.
  void packRow(const LoopRegion &from, Value padding, Convert convert,
               Value row) {
    Value lower = from.lower[1], upper = from.upper[1];
    if (Value inside = isInside(from, row)) {
      Value zero = constantIndex(b, loc, 0);
      lower = arith::SelectOp::create(b, loc, inside, lower, zero);
      upper = arith::SelectOp::create(b, loc, inside, upper, zero);
    }
    auto forPanels = [&](int64_t last, function_ref<void(Value)> body) {
      buildLoops(b, loc, {last}, [&](OpBuilder &inner, Location, ValueRange ivs) {
        continueAt(b, inner, [&] { body(ivs[0]); });
      });
    };
    auto full = [&](Value panel) {
      packVectors(from, convert, row, panel);
    };
    auto part = [&](Value panel) {
      packPart(from, padding, convert, row, panel, lower, upper);
    };
    if (isConstantIntValue(lower, 0) && isConstantIntValue(upper, op.getN())) {
      forPanels(op.getN() / nr, full);
      if (op.getN() % nr)
        part(constantIndex(b, loc, count - 1));
      return;
    }
    forPanels(count, [&](Value panel) {
      Value first = getFirst(panel);
      Value last =
          arith::AddIOp::create(b, loc, first, constantIndex(b, loc, nr));
      auto branch = scf::IfOp::create(
          b, loc,
          arith::AndIOp::create(b, loc,
                                compare(arith::CmpIPredicate::sle, lower, first),
                                compare(arith::CmpIPredicate::sle, last, upper)),
          /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      full(panel);
      b.setInsertionPointToStart(branch.elseBlock());
      part(panel);
    });
  }

  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }

  /// Whether a row of the region has a source; null if every one has.
  Value isInside(const LoopRegion &from, Value row) {
    Value inside = from.inside;
    if (isConstantIntValue(from.lower[0], 0) &&
        isConstantIntValue(from.upper[0], op.getK()))
      return inside;
    Value both = arith::AndIOp::create(
        b, loc, compare(arith::CmpIPredicate::sle, from.lower[0], row),
        compare(arith::CmpIPredicate::slt, row, from.upper[0]));
    return inside ? arith::AndIOp::create(b, loc, inside, both).getResult()
                  : both;
  }

  /// The first column of a panel.
  Value getFirst(Value panel) {
    return arith::MulIOp::create(b, loc, panel, constantIndex(b, loc, nr));
  }

  void packVectors(const LoopRegion &from, Convert convert, Value row,
                   Value panel) {
    auto type = VectorType::get(block.lanes,
                                typeOf(from.buffer).getElementType());
    Value first = getFirst(panel);
    prefetch(from, row, first);
    SmallVector<Value> loaded;
    for (int64_t v = 0; v < block.vectors; ++v) {
      Value column = arith::AddIOp::create(
          b, loc, first, constantIndex(b, loc, v * block.lanes));
      loaded.push_back(
          vector::LoadOp::create(b, loc, type, from.buffer,
                                 from.getIndices(b, loc, {row, column})));
    }
    for (auto [v, value] : llvm::enumerate(loaded))
      vector::StoreOp::create(
          b, loc, convert(b, value), panels,
          ValueRange{panel, row, constantIndex(b, loc, v * block.lanes)});
  }

  /// Fetches what a later row has in these columns: hardware fetches ahead along a row, but not across rows, which lie on pages
  /// of their own.
  void prefetch(const LoopRegion &from, Value row, Value column) {
    if (getMemorySpace(from.buffer) != MemorySpace::Global)
      return;
    // Of 2 to 16 rows none is better than another.
    constexpr int64_t kRowsAhead = 4;
    Value last = arith::SubIOp::create(b, loc, from.upper[0],
                                       constantIndex(b, loc, 1));
    row = arith::AddIOp::create(b, loc, row, constantIndex(b, loc, kRowsAhead));
    row = arith::MinSIOp::create(b, loc, row, last);
    memref::PrefetchOp::create(b, loc, from.buffer,
                               from.getIndices(b, loc, {row, column}),
                               /*isWrite=*/false, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }

  /// One by one, the columns from `lower` to `upper`, with padding on both sides.
  void packPart(const LoopRegion &from, Value padding, Convert convert,
                Value row, Value panel, Value lower, Value upper) {
    Value zero = constantIndex(b, loc, 0), width = constantIndex(b, loc, nr);
    Value first = getFirst(panel);
    auto clamp = [&](Value bound) -> Value {
      bound = arith::SubIOp::create(b, loc, bound, first);
      bound = arith::MaxSIOp::create(b, loc, bound, zero);
      return arith::MinSIOp::create(b, loc, bound, width);
    };
    auto store = [&](Value begin, Value end,
                     function_ref<Value(OpBuilder &, Value)> getValue) {
      buildLoops(b, loc, ValueRange{begin}, ValueRange{end},
                 [&](OpBuilder &b, Location loc, ValueRange ivs) {
                   memref::StoreOp::create(b, loc, getValue(b, ivs[0]), panels,
                                           ValueRange{panel, row, ivs[0]});
                 });
    };
    auto pad = [&](OpBuilder &, Value) { return padding; };
    Value begin = clamp(lower), end = clamp(upper);
    store(zero, begin, pad);
    store(begin, end, [&](OpBuilder &b, Value j) {
      Value column = arith::AddIOp::create(b, loc, first, j);
      Value v = memref::LoadOp::create(
          b, loc, from.buffer, from.getIndices(b, loc, {row, column}));
      return convert(b, v);
    });
    store(end, width, pad);
  }

  OpBuilder &b;
  GemmOp op;
  Location loc;
  const RegisterBlock &block;
  int64_t nr, count;
  Value panels;
};

} // namespace

/// The copy that fills the right operand, if it can write the panels itself.
static CopyOp findPackedCopy(GemmOp op) {
  CopyOp copy = findTileCopy(op, op.getB());
  return copy && hasVectors(op, typeOf(copy.getSource())) &&
                 hasVectors(op, typeOf(op.getB())) &&
                 copy.getSourceRegion().sizes.back() == op.getN()
             ? copy
             : CopyOp();
}

/// Copies the source of `copy`, which is erased, into panels.
static Value copyToPanels(OpBuilder &b, GemmOp op, CopyOp copy,
                          const RegisterBlock &block) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copy);
  Location loc = copy.getLoc();
  Type element = typeOf(copy.getTarget()).getElementType();
  CastRules rules{copy.getIsUnsigned(), copy.getSaturate()};
  auto convert = [&](OpBuilder &b, Value v) {
    v = castElement(b, loc, v, element, rules);
    return widenOperand(b, loc, op, v, op.getBUnsigned());
  };
  LoopRegion from = makeLoopRegion(b, copy, copy.getSourceRegion());
  Packer packer(b, op, block);
  packer.packRows(from, convert(b, getPaddingValue(b, copy, copy.getSource())),
                  convert);
  copy.erase();
  return packer.getPanels();
}

Value cpu::packRight(OpBuilder &b, GemmOp op, const RegisterBlock &block) {
  if (CopyOp copy = findPackedCopy(op))
    return copyToPanels(b, op, copy, block);
  Packer packer(b, op, block);
  if (!hasVectors(op, typeOf(op.getB()))) {
    packer.packElements();
    return packer.getPanels();
  }
  Location loc = op.getLoc();
  packer.packRows(makeLoopRegion(b, op, getWholeRegion(op.getB())),
                  constantZero(b, loc, block.element),
                  [&](OpBuilder &b, Value v) {
                    return widenOperand(b, loc, op, v, op.getBUnsigned());
                  });
  return packer.getPanels();
}
