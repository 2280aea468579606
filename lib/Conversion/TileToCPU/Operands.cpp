//===- Operands.cpp - what a product reads of its tiles -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles at the edge of a matrix are filled up with padding, and a copy into a
// tile costs as much as it saves if what is copied can be read as well where it
// lies. Products therefore ask for the copies that fill their tiles.
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

#include "Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

CopyOp cpu::findTileCopy(GemmOp op, Value tile) {
  auto alloc = tile.getDefiningOp<AllocOp>();
  if (!alloc || !alloc.getExtents().empty() ||
      !llvm::hasNItems(tile.getUses(), 2))
    return {};
  CopyOp copy;
  bool isRead = false;
  for (Operation *user : tile.getUsers()) {
    isRead |= user == op;
    if (auto found = dyn_cast<CopyOp>(user))
      copy = found;
  }
  bool fits = isRead && copy && copy.getTarget() == tile &&
              !copy.getTargetMap() && !copy.getTargetSizes() &&
              !copy.getSignal() &&
              getMemorySpace(copy.getSource()) == MemorySpace::Global;
  return fits ? copy : CopyOp();
}

/// The copy that fills `tile` just before the product: what the product reads
/// is what lies in the source.
static CopyOp findCopyBefore(GemmOp op, Value tile) {
  CopyOp copy = findTileCopy(op, tile);
  return copy && copy->getBlock() == op->getBlock() && copy->isBeforeInBlock(op)
             ? copy
             : CopyOp();
}

static bool isMatrix(const LoopRegion &region) {
  return region.loopDims.size() == 2;
}

Value cpu::withAnyRows(OpBuilder &b, Location loc, Value matrix) {
  int64_t any = ShapedType::kDynamic;
  MemRefType type = typeOf(matrix);
  if (type.getMemorySpace()) {
    auto plain = MemRefType::get(type.getShape(), type.getElementType(),
                                 type.getLayout());
    matrix =
        UnrealizedConversionCastOp::create(b, loc, plain, matrix).getResult(0);
  }
  auto layout = StridedLayoutAttr::get(b.getContext(), any, {any, 1});
  return memref::CastOp::create(
      b, loc, MemRefType::get({any, any}, type.getElementType(), layout),
      matrix);
}

/// The elements of `region`, which is a matrix whose rows are contiguous, from
/// its first one on. Nobody uses the view of a region that begins before its
/// buffer; memref has no negative numbers for it.
static Value getView(OpBuilder &b, Location loc, const LoopRegion &region) {
  MemRefType type = typeOf(region.buffer);
  SmallVector<OpFoldResult> offsets;
  for (Value offset : region.offsets)
    offsets.push_back(
        isConstantIntValue(offset, 0)
            ? OpFoldResult(b.getIndexAttr(0))
            : arith::MaxSIOp::create(b, loc, offset, constantIndex(b, loc, 0))
                  .getResult());
  SmallVector<OpFoldResult> sizes(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (auto [dim, upper] : llvm::zip_equal(region.loopDims, region.upper)) {
    sizes[dim] = getAsOpFoldResult(upper);
    shape.push_back(
        getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
  }
  auto view = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides));
  return withAnyRows(b, loc,
                     memref::SubViewOp::create(b, loc, view, region.buffer,
                                               offsets, sizes, strides));
}

/// Whether vectors and single elements can be read or written where a region of
/// `buffer` lies, as elements of `element`.
static bool isDirect(Value buffer, const LoopRegion &region, Type element) {
  MemRefType type = typeOf(buffer);
  return type.getElementType() == element && !type.getMemorySpace() &&
         type.isLastDimUnitStride() && isMatrix(region) &&
         region.loopDims.back() + 1 == type.getRank();
}

/// How much of an extent of `size` is in full steps inside of a region: all of
/// it, if it is.
static Value countInside(OpBuilder &b, Location loc, Value upper, int64_t size,
                         int64_t step) {
  if (isConstantIntValue(upper, size))
    return upper;
  Value all = constantIndex(b, loc, size), one = constantIndex(b, loc, step);
  Value full = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, upper, one), one);
  Value isAll =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, upper, all);
  return arith::SelectOp::create(b, loc, isAll, all, full);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value cpu::getDepth(OpBuilder &b, GemmOp op) {
  Location loc = op.getLoc();
  Value k = constantIndex(b, loc, op.getK()), depth;
  auto hasEnd = [&](Value tile, unsigned dim) {
    CopyOp copy = findCopyBefore(op, tile);
    if (!copy)
      return false;
    Value padding = getPaddingValue(b, copy, copy.getSource());
    if (!matchPattern(padding, m_AnyZeroFloat()) &&
        !matchPattern(padding, m_Zero()))
      return false;
    LoopRegion from = makeLoopRegion(b, copy, copy.getSourceRegion());
    if (!isMatrix(from) || isConstantIntValue(from.upper[dim], op.getK()))
      return false;
    depth = depth ? arith::MaxSIOp::create(b, loc, depth, from.upper[dim])
                  : from.upper[dim];
    return true;
  };
  bool both = hasEnd(op.getA(), op.getTransposeA() ? 0 : 1) &&
              hasEnd(op.getB(), op.getTransposeB() ? 1 : 0);
  return both ? depth : k;
}

/// The copy to global memory that alone reads the accumulator, but for
/// products; null if there is none, or if its target is not known at `op`.
static CopyOp findResultCopy(GemmOp product, Operation *op) {
  Value tile = product.getC();
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || !tile.getDefiningOp<AllocOp>())
    return {};
  CopyOp reader;
  for (Operation *user : tile.getUsers()) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (isa<FillOp>(user) ||
        (gemm && gemm.getA() != tile && gemm.getB() != tile))
      continue;
    auto copy = dyn_cast<CopyOp>(user);
    if (reader || !copy || copy.getSource() != tile || copy.getSourceMap() ||
        getMemorySpace(copy.getTarget()) != MemorySpace::Global)
      return {};
    reader = copy;
  }
  if (!reader)
    return {};
  BufferRegion region = reader.getTargetRegion();
  DominanceInfo dominance(kernel);
  auto isKnown = [&](Value v) { return dominance.properlyDominates(v, op); };
  return isKnown(region.buffer) && llvm::all_of(region.operands, isKnown)
             ? reader
             : CopyOp();
}

/// Whether `reader` is the next op that reads what `op` has summed up, and
/// later runs of `reader` read nothing of it: each step of a loop around both
/// begins with new sums. Other sums are written to one region now and to
/// another one later.
static bool isOnlyReader(GemmOp op, CopyOp reader) {
  Operation *loop = op->getParentOp();
  while (!loop->isAncestor(reader) || isa<scf::IfOp>(loop))
    loop = loop->getParentOp();
  if (isa<KernelOp>(loop))
    return true;
  for (Block &body : loop->getRegion(0)) {
    Operation *product = body.findAncestorOpInBlock(*op);
    Operation *copy = body.findAncestorOpInBlock(*reader);
    if (!product || !copy || product == copy || copy->isBeforeInBlock(product))
      continue;
    return llvm::any_of(op.getC().getUsers(), [&](Operation *user) {
      return isa<FillOp>(user) && user->getBlock() == &body &&
             user->isBeforeInBlock(product);
    });
  }
  return false;
}

UsedExtents cpu::getUsedExtents(OpBuilder &b, GemmOp op) {
  CopyOp reader = findResultCopy(op, op);
  if (!reader || !isOnlyReader(op, reader))
    return {};
  LoopRegion to = makeLoopRegion(b, reader, reader.getTargetRegion());
  if (!isMatrix(to))
    return {};
  auto unlessAll = [](Value upper, int64_t size) {
    return isConstantIntValue(upper, size) ? Value() : upper;
  };
  return {unlessAll(to.upper[0], op.getM()), unlessAll(to.upper[1], op.getN())};
}

//===----------------------------------------------------------------------===//
// The first sums
//===----------------------------------------------------------------------===//

/// The fill with zeros in front of `loop` that alone comes before the products
/// of `op` on its accumulator.
static FillOp findFill(GemmOp op, PipelinedOp loop) {
  FillOp fill;
  for (Operation *user : op.getC().getUsers()) {
    if (user == op)
      continue;
    Operation *ancestor = loop->getBlock()->findAncestorOpInBlock(*user);
    if (ancestor == loop)
      return {};
    if (ancestor && loop->isBeforeInBlock(ancestor))
      continue;
    auto found = dyn_cast<FillOp>(user);
    if (fill || !found || ancestor != found)
      return {};
    fill = found;
  }
  bool isZero = fill && (matchPattern(fill.getValue(), m_PosZeroFloat()) ||
                         matchPattern(fill.getValue(), m_Zero()));
  return isZero ? fill : FillOp();
}

Value cpu::replaceFill(OpBuilder &b, GemmOp op) {
  auto loop = dyn_cast<PipelinedOp>(op->getParentOp());
  if (!loop || !op.getC().getDefiningOp<AllocOp>() || op.getA() == op.getC() ||
      op.getB() == op.getC())
    return {};
  FillOp fill = findFill(op, loop);
  if (!fill)
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Location loc = fill.getLoc();
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(b, loc, loop.getMixedBounds());
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                        bounds[0], bounds[1]);
  inIf(b, loc, isEmpty, [&](OpBuilder &inner) {
    fill->moveBefore(inner.getInsertionBlock(), inner.getInsertionPoint());
  });
  b.setInsertionPoint(op);
  return arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq,
                               loop.getBody().getArgument(0), bounds[0]);
}

//===----------------------------------------------------------------------===//
// The left operand
//===----------------------------------------------------------------------===//

/// Whether what is in global memory stays the same from `first` to `last`.
static bool keepsGlobalMemory(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last;
       op = op->getNextNode()) {
    if (isMemoryEffectFree(op))
      continue;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface || op->getNumRegions())
      return false;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (MemoryEffects::EffectInstance &effect : effects) {
      Value buffer = effect.getValue();
      bool isTile = buffer && isa<MemRefType>(buffer.getType()) &&
                    getMemorySpace(buffer) != MemorySpace::Global;
      if (isa<MemoryEffects::Write>(effect.getEffect()) && !isTile)
        return false;
    }
  }
  return true;
}

namespace {

/// Divides a left operand between global memory and a tile.
class LeftReader {
public:
  LeftReader(OpBuilder &b, GemmOp op, CopyOp copy)
      : b(b), op(op), copy(copy), loc(op.getLoc()),
        from(makeLoopRegion(b, copy, copy.getSourceRegion())) {}

  bool isDirect() {
    return ::isDirect(from.buffer, from,
                      typeOf(copy.getTarget()).getElementType());
  }

  /// Rows that lie inside of the source, over the whole depth: all of them, or
  /// full steps of rows.
  Value countRows(Value depth, int64_t step) {
    Value rows = countInside(b, loc, from.upper[0], op.getM(), step);
    auto require = [&](Value condition) {
      rows = arith::SelectOp::create(b, loc, condition, rows, index(0));
    };
    for (Value lower : from.lower)
      if (!isConstantIntValue(lower, 0))
        require(compare(arith::CmpIPredicate::eq, lower, index(0)));
    if (!isConstantIntValue(from.upper[1], op.getK()))
      require(compare(arith::CmpIPredicate::sle, depth, from.upper[1]));
    if (from.inside)
      require(from.inside);
    return rows;
  }

  Value getView() { return ::getView(b, loc, from); }

  /// Copies the rows from `first` on, up to the last one that is read.
  Value copyRest(Value first, Value usedRows, int64_t step,
                 const CPUTargetInfo &cpuInfo) {
    MemRefType type = typeOf(copy.getTarget());
    Value last = index(op.getM());
    if (usedRows) {
      Value steps = arith::CeilDivUIOp::create(b, loc, usedRows, index(step));
      last = arith::MinSIOp::create(
          b, loc, arith::MulIOp::create(b, loc, steps, index(step)), last);
    }
    LoopRegion to;
    to.buffer = createScratch(b, op, type.getShape(), type.getElementType());
    to.offsets = {index(0), index(0)};
    to.loopDims = {0, 1};
    to.lower = {first, index(0)};
    to.upper = {last, index(op.getK())};
    copyRegion(b, copy, from, to, cpuInfo);
    return withAnyRows(b, loc, to.buffer);
  }

private:
  Value index(int64_t value) { return constantIndex(b, loc, value); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }

  OpBuilder &b;
  GemmOp op;
  CopyOp copy;
  Location loc;
  LoopRegion from;
};

} // namespace

std::optional<LeftOperand> cpu::readLeftDirectly(OpBuilder &b, GemmOp op,
                                                 Value depth, Value usedRows,
                                                 int64_t rowStep,
                                                 const CPUTargetInfo &cpuInfo) {
  CopyOp copy = findCopyBefore(op, op.getA());
  if (!copy || op.getTransposeA())
    return std::nullopt;
  MemRefType tile = typeOf(op.getA());
  int64_t rowBytes = op.getK() * (tile.getElementTypeBitWidth() / 8);
  if (rowBytes < cpuInfo.rowBytes || !keepsGlobalMemory(copy, op))
    return std::nullopt;
  LeftReader reader(b, op, copy);
  if (!reader.isDirect())
    return std::nullopt;
  LeftOperand left;
  left.directRows = reader.countRows(depth, rowStep);
  left.direct = reader.getView();
  left.source = copy.getSource();
  left.tile = reader.copyRest(left.directRows, usedRows, rowStep, cpuInfo);
  copy.erase();
  return left;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

static bool touchesNothing(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op && op != last;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<AllocOp>(op))
      return false;
  return true;
}

/// Whether nobody can tell if the last step of `loop` or `copy` writes what
/// `op` has summed up.
static bool endsInCopy(GemmOp op, PipelinedOp loop, CopyOp copy) {
  if (copy->getBlock() != loop->getBlock() || !loop->isBeforeInBlock(copy) ||
      !touchesNothing(loop, copy) || !touchesNothing(op, nullptr))
    return false;
  return llvm::all_of(op.getC().getUsers(), [&](Operation *user) {
    return user == op || user == copy ||
           (isa<FillOp>(user) && user->getBlock() == loop->getBlock() &&
            user->isBeforeInBlock(loop));
  });
}

/// The addresses of the first element of a buffer and past its last one.
static std::pair<Value, Value> getRange(OpBuilder &b, Location loc,
                                        Value buffer) {
  auto data = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value first = data.getOffset();
  Value last = arith::AddIOp::create(b, loc, first, one);
  for (auto [size, stride] : llvm::zip(data.getSizes(), data.getStrides())) {
    Value length = arith::MulIOp::create(
        b, loc, arith::SubIOp::create(b, loc, size, one), stride);
    first = arith::AddIOp::create(b, loc, first,
                                  arith::MinSIOp::create(b, loc, length, zero));
    last = arith::AddIOp::create(b, loc, last,
                                 arith::MaxSIOp::create(b, loc, length, zero));
  }
  Value width =
      constantIndex(b, loc, typeOf(buffer).getElementTypeBitWidth() / 8);
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  auto getAddress = [&](Value index) -> Value {
    return arith::AddIOp::create(b, loc, start,
                                 arith::MulIOp::create(b, loc, index, width));
  };
  return {getAddress(first), getAddress(last)};
}

/// i1: two buffers have no byte in common.
static Value areApart(OpBuilder &b, Location loc, Value x, Value y) {
  auto [xFirst, xLast] = getRange(b, loc, x);
  auto [yFirst, yLast] = getRange(b, loc, y);
  auto isBefore = [&, ule = arith::CmpIPredicate::ule](Value end, Value start) {
    return arith::CmpIOp::create(b, loc, ule, end, start);
  };
  return arith::OrIOp::create(b, loc, isBefore(xLast, yFirst),
                              isBefore(yLast, xFirst));
}

/// The part of a row of a matrix from column `lower` on.
static LoopRegion getRow(OpBuilder &b, Location loc, LoopRegion matrix,
                         Value row, Value lower) {
  Value &offset = matrix.offsets[matrix.loopDims[0]];
  offset = arith::AddIOp::create(b, loc, offset, row);
  return {matrix.buffer, matrix.offsets,        {matrix.loopDims[1]},
          {lower},       {matrix.upper.back()}, Value()};
}

/// Copies the part of the result that is not inside of `rows` and `columns`.
static void copyRestOfResult(OpBuilder &b, CopyOp copy, const LoopRegion &to,
                             Value rows, Value columns,
                             const CPUTargetInfo &cpuInfo) {
  Location loc = copy.getLoc();
  LoopRegion from = makeLoopRegion(b, copy, copy.getSourceRegion());
  auto copyRow = [&](OpBuilder &b, Location loc, ValueRange row) {
    Value isDone =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row[0], rows);
    Value lower = arith::SelectOp::create(b, loc, isDone, columns, to.lower[1]);
    copyInside(b, copy, getRow(b, loc, from, row[0], from.lower[1]),
               getRow(b, loc, to, row[0], lower), cpuInfo);
  };
  inIf(b, loc, to.inside, [&](OpBuilder &b) {
    buildLoops(b, loc, ValueRange{to.lower[0]}, ValueRange{to.upper[0]},
               copyRow);
  });
}

std::optional<DirectResult>
cpu::writeResultDirectly(OpBuilder &b, GemmOp op, Value left, int64_t rowStep,
                         int64_t columnStep, const CPUTargetInfo &cpuInfo) {
  auto loop = dyn_cast<PipelinedOp>(op->getParentOp());
  CopyOp copy = loop ? findResultCopy(op, loop) : CopyOp();
  if (!copy || !endsInCopy(op, loop, copy) ||
      (left &&
       !DominanceInfo(loop->getParentOp()).properlyDominates(left, loop)))
    return std::nullopt;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Location loc = copy.getLoc();
  LoopRegion to = makeLoopRegion(b, copy, copy.getTargetRegion());
  if (!isDirect(to.buffer, to, typeOf(op.getC()).getElementType()))
    return std::nullopt;
  SmallVector<Value> bounds =
      getValueOrCreateConstantIndexOp(b, loc, loop.getMixedBounds());
  Value zero = constantIndex(b, loc, 0);
  DirectResult result;
  result.rows = countInside(b, loc, to.upper[0], op.getM(), rowStep);
  result.columns = countInside(b, loc, to.upper[1], op.getN(), columnStep);
  auto require = [&](Value condition) {
    result.rows = arith::SelectOp::create(b, loc, condition, result.rows, zero);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  require(compare(arith::CmpIPredicate::slt, bounds[0], bounds[1]));
  for (Value lower : to.lower)
    if (!isConstantIntValue(lower, 0))
      require(compare(arith::CmpIPredicate::eq, lower, zero));
  if (to.inside)
    require(to.inside);
  if (left)
    require(areApart(b, loc, left, to.buffer));
  result.view = getView(b, loc, to);
  b.setInsertionPoint(op);
  result.isLast = compare(
      arith::CmpIPredicate::sge,
      arith::AddIOp::create(b, loc, loop.getBody().getArgument(0), bounds[2]),
      bounds[1]);
  b.setInsertionPoint(copy);
  copyRestOfResult(b, copy, to, result.rows, result.columns, cpuInfo);
  copy.erase();
  return result;
}
