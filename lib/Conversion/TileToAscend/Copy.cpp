//===- Copy.cpp - copies, fills and atomics of tiles ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossCoreTransfer.h"
#include "ElementConversion.h"
#include "GlobalTransfer.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Analysis/Multiples.h"
#include "VectorIndices.h"
#include "Vectorizer.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::ascend;

namespace {
struct CopyModel : LoweringModel<CopyModel, CopyOp> {
  std::optional<MemorySpace> getOperandMemory(Operation *op,
                                              OpOperand &operand) const;
  void rejectTiles(Operation *op, SubBlockTiling &tiling) const;
  bool shareAccess(Operation *op, const SubBlockTiling &tiling,
                   SubBlockAccess &access) const;
  void tileRows(Operation *op, SubBlockTiling &tiling) const;
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};

struct FillModel : LoweringModel<FillModel, FillOp> {
  std::optional<MemorySpace> getOperandMemory(Operation *, OpOperand &) const {
    return std::nullopt;
  }
  void rejectTiles(Operation *, SubBlockTiling &) const {}
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};

struct AtomicModel : LoweringModel<AtomicModel, AtomicOp> {
  std::optional<MemorySpace> getOperandMemory(Operation *op,
                                              OpOperand &operand) const;
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The offsets of a region as values.
static SmallVector<Value> getOffsets(OpBuilder &b, Location loc,
                                     const BufferRegion &region) {
  SmallVector<Value> offsets;
  for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim) {
    AffineMap map = mlir::tile::getOffset(region, dim);
    if (auto constant = dyn_cast<AffineConstantExpr>(map.getResult(0)))
      offsets.push_back(
          arith::ConstantIndexOp::create(b, loc, constant.getValue()));
    else if (auto input = dyn_cast<AffineDimExpr>(map.getResult(0)))
      offsets.push_back(region.operands[input.getPosition()]);
    else
      offsets.push_back(
          affine::AffineApplyOp::create(b, loc, map, region.operands));
  }
  return offsets;
}

/// The sizes of a region whose dynamic extents are those of the other side.
static SmallVector<int64_t> getMatchedSizes(const BufferRegion &region,
                                            const BufferRegion &other) {
  SmallVector<int64_t> sizes = region.sizes;
  if (!llvm::is_contained(sizes, ShapedType::kDynamic))
    return sizes;
  size_t missing = sizes.size() - std::min(sizes.size(), other.sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = i < missing ? 1 : other.sizes[i - missing];
  return sizes;
}

/// Whether the copy names the buffer alone, without offsets or sizes.
static bool isBufferAlone(const BufferRegion &region) {
  return !region.map && region.sizes == region.getType().getShape();
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

/// Whether a load may begin before its buffer, which copies to UB alone pad.
static bool mayBeginBefore(CopyOp copy) {
  BufferRegion source = copy.getSourceRegion();
  source.sizes = getMatchedSizes(source, copy.getTargetRegion());
  return llvm::any_of(findOpenBounds(copy, source), [&](OpenBounds open) {
    return open.lower && source.sizes[open.dim] != 1;
  });
}

std::optional<MemorySpace>
CopyModel::getOperandMemory(Operation *op, OpOperand &operand) const {
  auto copy = cast<CopyOp>(op);
  bool isSource = copy.getSource() == operand.get();
  BufferRegion side =
      isSource ? copy.getSourceRegion() : copy.getTargetRegion();
  // Rows of a matrix of the cube lie in pieces, and it has two dimensions.
  if (side.sizes != side.getType().getShape() || side.getType().getRank() != 2)
    return MemorySpace::UB;
  Value other = isSource ? copy.getTarget() : copy.getSource();
  if (getMemorySpace(other) != MemorySpace::Global ||
      (!isSource && mayBeginBefore(copy)))
    return MemorySpace::UB;
  // Nothing loads accumulators.
  bool isAccumulator =
      llvm::any_of(operand.get().getUsers(), [&](Operation *user) {
        if (isa<CopyOp>(user))
          return false;
        OpOperand *accumulator = getAccumulator(user);
        return accumulator && accumulator->get() == operand.get();
      });
  return !isSource && isAccumulator ? std::optional(MemorySpace::UB)
                                    : std::nullopt;
}

std::optional<MemorySpace>
AtomicModel::getOperandMemory(Operation *op, OpOperand &operand) const {
  auto atomic = cast<AtomicOp>(op);
  // The cube stores sums alone.
  if (atomic.isTileForm() && atomic.getValue() == operand.get() &&
      atomic.getKind() == AtomicKind::Add)
    return std::nullopt;
  return MemorySpace::UB;
}

//===----------------------------------------------------------------------===//
// Rows of the vector cores
//===----------------------------------------------------------------------===//

void CopyModel::rejectTiles(Operation *self, SubBlockTiling &tiling) const {
  auto op = cast<CopyOp>(self);
  BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  for (auto [tile, other] :
       {std::pair(source, target), std::pair(target, source)}) {
    if (!tiling.isTiled(tile.buffer))
      continue;
    if (!isBufferAlone(tile)) {
      tiling.reject(tile.buffer, op, "a part of it is copied");
      continue;
    }
    MemorySpace space = getMemorySpace(other.buffer);
    if (space == MemorySpace::UB) {
      tiling.tie(tile.buffer, other.buffer, op);
      continue;
    }
    int64_t rows = tiling.getRows(tile.buffer);
    if (space == MemorySpace::Global) {
      auto dim = findRowDim(getMatchedSizes(other, tile));
      if (!dim || getMatchedSizes(other, tile)[*dim] != rows)
        tiling.reject(tile.buffer, op,
                      "its rows are not those of the other side");
    } else if (!isBufferAlone(other) || other.sizes.size() != 2 ||
               other.sizes[0] != rows || rows % 2 != 0) {
      tiling.reject(tile.buffer, op,
                    "the cube's tile is no matrix of an even number of rows");
    }
  }
}

bool CopyModel::shareAccess(Operation *self, const SubBlockTiling &tiling,
                            SubBlockAccess &access) const {
  auto op = cast<CopyOp>(self);
  BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  const BufferRegion &tile = access.writes ? source : target;
  access.region.sizes = getMatchedSizes(access.region, tile);
  if (!tiling.isTiled(tile.buffer))
    return false;
  access.rows = tiling.getRows(tile.buffer);
  access.dim = *findRowDim(access.region.sizes);
  access.share = SubBlockAccess::Halves;
  return true;
}

/// The buffer up to the last row that the tile has there.
static Value cutOff(OpBuilder &b, CopyOp op, const BufferRegion &region,
                    unsigned dim, int64_t rows) {
  Location loc = op.getLoc();
  Value buffer = region.buffer;
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, buffer);
  unsigned rank = sizes.size();
  Value offset = affine::AffineApplyOp::create(b, loc, getOffset(region, dim),
                                               region.operands);
  Value end = arith::AddIOp::create(
      b, loc, offset, arith::ConstantIndexOp::create(b, loc, rows));
  Value extent = memref::DimOp::create(b, loc, buffer, dim);
  sizes[dim] = arith::MinSIOp::create(b, loc, extent, end).getResult();
  return memref::SubViewOp::create(
      b, loc, buffer, SmallVector<OpFoldResult>(rank, b.getIndexAttr(0)), sizes,
      SmallVector<OpFoldResult>(rank, b.getIndexAttr(1)));
}

/// The side that is not split: half of its region.
static void tileSide(SubBlockTiling &tiling, CopyOp op, ArrayRef<int64_t> sizes,
                     bool isSource, int64_t rows) {
  OpBuilder &b = tiling.b;
  unsigned dim = *findRowDim(sizes);
  BufferRegion region = isSource ? op.getSourceRegion() : op.getTargetRegion();
  b.setInsertionPoint(op);
  Value first = tiling.getFirstRow(rows);
  if (!isSource && rows % 2 != 0)
    op.getTargetMutable().set(cutOff(b, op, region, dim, rows));
  unsigned rank = sizes.size(),
           numDims = region.map ? region.map.getNumDims() : 0,
           numSymbols = region.map ? region.map.getNumSymbols() : 0;
  SmallVector<AffineExpr> offsets(rank, b.getAffineConstantExpr(0));
  if (region.map)
    offsets.assign(region.map.getResults().begin(),
                   region.map.getResults().end());
  offsets[dim] = offsets[dim] + b.getAffineDimExpr(numDims);
  auto map = AffineMapAttr::get(
      AffineMap::get(numDims + 1, numSymbols, offsets, b.getContext()));
  SmallVector<int64_t> half(sizes);
  half[dim] = llvm::divideCeil(rows, 2);
  SmallVector<Value> operands = region.operands;
  operands.insert(operands.begin() + numDims, first);
  auto extents = b.getDenseI64ArrayAttr(half);
  if (isSource) {
    op.getSourceIndicesMutable().assign(operands);
    op.setSourceMapAttr(map);
    op.setSourceSizesAttr(extents);
  } else {
    op.getTargetIndicesMutable().assign(operands);
    op.setTargetMapAttr(map);
    op.setTargetSizesAttr(extents);
  }
}

void CopyModel::tileRows(Operation *self, SubBlockTiling &tiling) const {
  auto op = cast<CopyOp>(self);
  BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  bool from = tiling.isTiled(source.buffer), to = tiling.isTiled(target.buffer);
  if (!from && !to)
    return;
  op->setAttr(AscendDialect::kSubBlockTiledAttr, tiling.b.getUnitAttr());
  if (from && to)
    return;
  const BufferRegion &whole = from ? target : source;
  const BufferRegion &tile = from ? source : target;
  SmallVector<int64_t> sizes = getMatchedSizes(whole, tile);
  tileSide(tiling, op, sizes, /*isSource=*/to, tiling.getRows(tile.buffer));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Whether the rows of a part of a tile of three or more dimensions are
/// neighbours in its matrix.
static bool hasNeighbours(const BufferRegion &region) {
  ArrayRef<int64_t> shape = region.getType().getShape();
  ArrayRef<int64_t> sizes = region.sizes;
  unsigned inner = shape.size() - 1;
  if (shape[inner] == 1)
    return false;
  auto *split = llvm::find_if(sizes, [](int64_t size) { return size != 1; });
  for (unsigned dim = split - sizes.begin() + 1; dim < inner; ++dim)
    if (sizes[dim] != shape[dim])
      return false;
  return true;
}

/// Where such a part begins, counted in rows of the matrix.
static OpFoldResult getFirstRow(KernelLowering &l, CopyOp op,
                                const BufferRegion &region,
                                ArrayRef<Value> begin) {
  ArrayRef<int64_t> shape = region.getType().getShape();
  unsigned inner = shape.size() - 1;
  AffineExpr number = l.b.getAffineConstantExpr(0);
  for (unsigned dim = 0; dim < inner; ++dim)
    number = number * shape[dim] + l.b.getAffineDimExpr(dim);
  SmallVector<OpFoldResult> offsets(begin.begin(), begin.begin() + inner);
  return affine::makeComposedAffineApply(
             l.b, op.getLoc(), AffineMap::get(inner, 0, number), offsets)
      .getResult();
}

/// Whether a region is a part of a tile in UB that instructions do not take:
/// they take neighbouring rows that begin at blocks.
static bool hasElements(KernelLowering &l, CopyOp op,
                        const BufferRegion &region) {
  if (getMemorySpace(region.buffer) != MemorySpace::UB ||
      op->hasAttr(AscendDialect::kSubBlockTiledAttr) ||
      region.sizes == region.getType().getShape())
    return false;
  unsigned rank = region.sizes.size();
  int64_t bytes = std::max<int64_t>(getElementBits(region.buffer) / 8, 1);
  return (rank > 2 && !hasNeighbours(region)) ||
         (region.map && !isMultiple(getOffset(region, rank - 1).getResult(0),
                                    region.operands,
                                    l.spec.blockBytes / bytes));
}

/// Whether a copy converts integers whose sign makes a difference.
static bool widensUnsigned(CopyOp op) {
  Type from = getElementTypeOrSelf(op.getSource().getType()),
       to = getElementTypeOrSelf(op.getTarget().getType());
  bool isNarrower = isa<IntegerType>(from) && isa<IntegerType>(to) &&
                    from.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth();
  return op.getIsUnsigned() && from != to && !isNarrower;
}

/// An integer as an unsigned number of another type, or what a float is as one.
static Value convertUnsigned(OpBuilder &b, Location loc, Value element, Type to,
                             bool saturates) {
  Type from = element.getType();
  auto real = dyn_cast<FloatType>(to);
  if (isa<FloatType>(from))
    return arith::FPToUIOp::create(b, loc, to, element);
  if (!real)
    return arith::ExtUIOp::create(b, loc, to, element);
  if (!saturates || !real.isF16())
    return arith::UIToFPOp::create(b, loc, to, element);
  Type single = b.getF32Type();
  Value largest = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(
          single,
          APFloat::getLargest(real.getFloatSemantics()).convertToDouble()));
  Value wide = arith::UIToFPOp::create(b, loc, single, element);
  wide = arith::MinNumFOp::create(b, loc, wide, largest);
  return arith::TruncFOp::create(b, loc, to, wide);
}

/// Moves the elements between a part of a tile and a tile of its size.
static LogicalResult moveElements(KernelLowering &l, CopyOp op,
                                  const BufferRegion &part, Value tile,
                                  bool isSource) {
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  SmallVector<Value> offsets = getOffsets(b, loc, part);
  auto shape = cast<MemRefType>(tile.getType()).getShape();
  auto loop = ParallelOp::create(b, loc, ValueRange(), shape, IntegerAttr(),
                                 LayoutAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBody());
  SmallVector<Value> ivs, places;
  for (Value offset : offsets) {
    ivs.push_back(body->addArgument(b.getIndexType(), loc));
    places.push_back(arith::AddIOp::create(b, loc, offset, ivs.back()));
  }
  Value element = isSource ? memref::LoadOp::create(b, loc, part.buffer, places)
                           : memref::LoadOp::create(b, loc, tile, ivs);
  Type to = getElementTypeOrSelf((isSource ? tile : part.buffer).getType());
  if (to != element.getType())
    element = convertUnsigned(b, loc, element, to, op.getSaturate());
  memref::StoreOp::create(b, loc, element, isSource ? tile : part.buffer,
                          isSource ? ivs : places);
  if (failed(vectorize(l, loop)))
    return failure();
  loop.erase();
  return success();
}

/// A copy whose side takes the place of a part: of a tile of its size, from
/// where, or to where, the elements are moved. There, unsigned integers are
/// converted, which no instruction does.
static LogicalResult copyByElements(KernelLowering &l, CopyOp op,
                                    const CopyModel &model, bool isSource) {
  bool convertsUnsigned = widensUnsigned(op);
  BufferRegion part = isSource ? op.getSourceRegion() : op.getTargetRegion();
  SmallVector<int64_t> sizes = getMatchedSizes(
      part, isSource ? op.getTargetRegion() : op.getSourceRegion());
  Value other = isSource ? op.getTarget() : op.getSource();
  Type element = convertsUnsigned ? getElementTypeOrSelf(other.getType())
                                  : part.getType().getElementType();
  auto type =
      MemRefType::get(sizes, element, AffineMap(),
                      MemorySpaceAttr::get(op.getContext(), MemorySpace::UB));
  Value tile;
  {
    OpBuilder::InsertionGuard guard(l.b);
    l.b.setInsertionPointToStart(&l.kernel.getBody().front());
    tile = AllocOp::create(l.b, op.getLoc(), type, LayoutAttr(), IntegerAttr());
  }
  if (isSource && failed(moveElements(l, op, part, tile, isSource)))
    return failure();
  auto copy = cast<CopyOp>(l.b.clone(*op));
  if (convertsUnsigned) {
    copy.setIsUnsigned(false);
    copy.setSaturate(false);
  }
  if (isSource) {
    copy.getSourceMutable().set(tile);
    copy.getSourceIndicesMutable().clear();
    copy.removeSourceMapAttr();
    copy.removeSourceSizesAttr();
  } else {
    copy.getTargetMutable().set(tile);
    copy.getTargetIndicesMutable().clear();
    copy.removeTargetMapAttr();
    copy.removeTargetSizesAttr();
  }
  l.b.setInsertionPoint(op);
  if (failed(model.lowerToInstructions(copy, l)))
    return failure();
  copy.erase();
  return isSource ? success() : moveElements(l, op, part, tile, isSource);
}

/// The part of a tile that is copied; null, with an error, if the chip cannot
/// take it.
static Value getTilePart(KernelLowering &l, CopyOp op,
                         const BufferRegion &region) {
  bool isCube = getMemorySpace(region.buffer) != MemorySpace::UB;
  Value matrix =
      isCube ? region.buffer : l.buffers.getMatrixOf(op, region.buffer);
  bool isAll = !region.map || op->hasAttr(AscendDialect::kSubBlockTiledAttr);
  if (!matrix || (isCube && isAll) ||
      region.sizes == region.getType().getShape())
    return matrix;
  if (isCube) {
    op.emitError() << "a part of a tile of "
                   << formatShape(region.getType().getShape())
                   << " cannot be copied on Ascend; copy all of it";
    return {};
  }
  SmallVector<Value> offsets = getOffsets(l.b, op.getLoc(), region);
  OpFoldResult row = l.b.getIndexAttr(0);
  int64_t rows = 1;
  for (int64_t size : ArrayRef<int64_t>(region.sizes).drop_back())
    rows *= size;
  if (region.sizes.size() > 2)
    row = getFirstRow(l, op, region, offsets);
  else if (region.sizes.size() == 2)
    row = offsets[0];
  return l.buffers.createPart(op.getLoc(), matrix, row, offsets.back(), rows,
                              region.sizes.back());
}

LogicalResult CopyModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto op = cast<CopyOp>(self);
  BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  MemorySpace from = getMemorySpace(source.buffer),
              to = getMemorySpace(target.buffer);
  if (op.getPrefer())
    return op.emitError() << "Ascend has no copy instruction '"
                          << stringifyEnum(*op.getPrefer()) << "'";
  Type element = cast<MemRefType>(source.buffer.getType()).getElementType();
  Type result = cast<MemRefType>(target.buffer.getType()).getElementType();
  for (Type type : {element, result})
    if (type.getIntOrFloatBitWidth() % 8 != 0)
      return op.emitError() << "elements of type " << type
                            << " have no place on Ascend; widen them to i8, or "
                               "keep two in an i8";
  bool convertsUnsigned = widensUnsigned(op);
  for (bool isSource : {true, false}) {
    const BufferRegion &side = isSource ? source : target;
    if (hasElements(l, op, side) ||
        (convertsUnsigned && getMemorySpace(side.buffer) == MemorySpace::UB))
      return copyByElements(l, op, *this, isSource);
  }
  if (convertsUnsigned)
    return op.emitError() << "unsigned integers are converted in UB on Ascend; "
                             "copy "
                          << element << " to a tile of its own, and that to "
                          << result;
  if (op.getSaturate() && from == MemorySpace::L0C && element != result)
    return op.emitError() << "a copy from an accumulator cannot saturate on "
                             "Ascend; copy it as "
                          << element << " first";
  auto getSide = [&](const BufferRegion &region, const BufferRegion &other) {
    return GlobalRegion{region.buffer, getOffsets(l.b, op.getLoc(), region),
                        getMatchedSizes(region, other)};
  };
  if (from == MemorySpace::Global && to == MemorySpace::Global)
    return op.emitError("expected a tile on one side of the copy on Ascend; "
                        "copy to a shared tile and from there");
  if (from == MemorySpace::Global) {
    Value matrix = getTilePart(l, op, target);
    return matrix ? createLoad(l, op, matrix, getSide(source, target))
                  : failure();
  }
  Value matrix = getTilePart(l, op, source);
  if (!matrix)
    return failure();
  if (to == MemorySpace::Global && from == MemorySpace::L1)
    return op.emitError() << l.chip.name
                          << " has no path from 'l1' to 'global'; "
                          << "copy it from where it was loaded";
  if (to == MemorySpace::Global)
    return createStore(l, op, getSide(target, source), matrix);
  Value other = getTilePart(l, op, target);
  if (!other)
    return failure();
  if (from == MemorySpace::UB && to == MemorySpace::UB)
    return createCopy(l, op, other, matrix);
  if ((from == MemorySpace::L0C && to == MemorySpace::UB) ||
      (from == MemorySpace::UB && to == MemorySpace::L1)) {
    Value first;
    if (op->hasAttr(AscendDialect::kSubBlockTiledAttr))
      first = getOffsets(l.b, op.getLoc(),
                         from == MemorySpace::UB ? target : source)
                  .front();
    return createCrossCoreTransfer(l.b, op, other, matrix, first);
  }
  return op.emitError() << l.chip.name << " has no path from '"
                        << stringifyMemorySpace(from) << "' to '"
                        << stringifyMemorySpace(to) << "'";
}

LogicalResult AtomicModel::lowerToInstructions(Operation *self,
                                               KernelLowering &l) const {
  auto op = cast<AtomicOp>(self);
  BufferRegion target = op.getTargetRegion();
  if (!op.isTileForm() || getMemorySpace(target.buffer) != MemorySpace::Global)
    return op.emitError("on Ascend, 'tile.atomic' combines a whole tile with a "
                        "region of a global buffer");
  FailureOr<ascend::ReduceKind> kind = getGlobalAtomic(op);
  if (failed(kind))
    return failure();
  Value matrix = op.getValue();
  MemorySpace space = getMemorySpace(matrix);
  if (space == MemorySpace::UB)
    matrix = l.buffers.getMatrixOf(op, matrix);
  else if (space != MemorySpace::L0C)
    return op.emitError() << l.chip.name << " has no path from '"
                          << stringifyMemorySpace(space) << "' to 'global'";
  if (!matrix)
    return failure();
  return createStore(
      l, op,
      {target.buffer, getOffsets(l.b, op.getLoc(), target), target.sizes},
      matrix, *kind);
}

LogicalResult FillModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto op = cast<FillOp>(self);
  MemorySpace space = getMemorySpace(op.getBuffer());
  Location loc = op.getLoc();
  if (space == MemorySpace::L1) {
    FillL1Op::create(l.b, loc, op.getBuffer(), op.getValue());
    return success();
  }
  if (space == MemorySpace::L0C)
    return clearAccumulator(l, op);
  if (space == MemorySpace::Global)
    return op.emitError("a buffer in global memory cannot be filled on "
                        "Ascend; fill a tile and copy it");
  Value matrix = l.buffers.getMatrixOf(op, op.getBuffer());
  if (!matrix)
    return failure();
  return createFill(l, op, matrix, op.getValue());
}

void mlir::tile::ascend::attachCopyModels(MLIRContext *context) {
  CopyOp::attachInterface<CopyModel>(*context);
  FillOp::attachInterface<FillModel>(*context);
  AtomicOp::attachInterface<AtomicModel>(*context);
}
