//===- Copy.cpp - moves between GM and the cores --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Lowering.h"

#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::BufferRegion;
using mlir::tile::MemorySpace;

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

/// A region whose whole dynamic extents take the sizes of the other side.
static SmallVector<int64_t> getSizes(const BufferRegion &region,
                                     const BufferRegion &other) {
  SmallVector<int64_t> sizes = region.sizes;
  if (!llvm::is_contained(sizes, ShapedType::kDynamic))
    return sizes;
  size_t missing = sizes.size() - std::min(sizes.size(), other.sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = i < missing ? 1 : other.sizes[i - missing];
  return sizes;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

Value KernelLowering::getSafeValue(Operation *op, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value hint = safeValues.lookup(buffer);
  if (!hint)
    return constantOf(op->getLoc(), element, 0);
  Operation *constant = hint.getDefiningOp();
  if (constant && kernel->isAncestor(constant))
    return b.clone(*constant)->getResult(0);
  return hint;
}

/// The dimensions of a region that make a matrix: those that are not 1, the
/// last of them contiguous.
static FailureOr<SmallVector<unsigned>>
findMatrixDims(Operation *op, const GlobalRegion &region, unsigned rank) {
  unsigned dims = region.sizes.size();
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (region.sizes[dim] != 1)
      kept.push_back(dim);
  // Dimensions of 1 make up what is missing: a column, then the last ones first.
  if (kept.size() < rank && !kept.empty() && kept.back() != dims - 1)
    kept.push_back(dims - 1);
  for (unsigned dim = dims; dim-- > 0 && kept.size() < rank;)
    if (kept.empty() || dim < kept.front())
      kept.insert(kept.begin(), dim);
  // Behind the last one, only extents of 1 keep elements together.
  auto type = cast<MemRefType>(region.buffer.getType());
  if (kept.size() == rank &&
      llvm::all_of(type.getShape().drop_front(kept.back() + 1),
                   [](int64_t extent) { return extent == 1; }))
    return kept;
  return op->emitError()
         << "the elements of a row of the region are not neighbours in "
         << type << "; copy whole rows";
}

FailureOr<KernelLowering::Clipped>
KernelLowering::clip(Operation *op, const GlobalRegion &region, unsigned rank) {
  Location loc = op->getLoc();
  unsigned dims = region.sizes.size();
  BufferRegion whole;
  whole.buffer = region.buffer;
  whole.operands = region.offsets;
  whole.map = AffineMap::getMultiDimIdentityMap(dims, b.getContext());
  whole.sizes = region.sizes;
  Value zero = constantIndex(loc, 0);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : region.sizes)
    sizes.push_back(b.getIndexAttr(size));
  Clipped part;
  Value inside; // 1, or 0 where a dimension that is dropped is outside
  for (mlir::tile::OpenBounds open : mlir::tile::findOpenBounds(op, whole)) {
    bool isUnit = region.sizes[open.dim] == 1;
    if (open.lower && !isUnit)
      return op->emitError()
             << "the region may begin before dimension " << open.dim << " of "
             << region.buffer.getType()
             << "; on Ascend a tile may leave a buffer at its end only";
    Value extent = memref::DimOp::create(b, loc, region.buffer, open.dim);
    part.isWhole = false;
    if (open.lower) {
      // A row at an index that was read: all of it is inside or nothing.
      Value isInside = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ult, region.offsets[open.dim], extent);
      Value one = arith::ExtUIOp::create(b, loc, b.getI32Type(), isInside);
      one = arith::IndexCastOp::create(b, loc, b.getIndexType(), one);
      inside = inside ? arith::MulIOp::create(b, loc, inside, one) : one;
      continue;
    }
    Value left =
        arith::SubIOp::create(b, loc, extent, region.offsets[open.dim]);
    Value size = constantIndex(loc, region.sizes[open.dim]);
    left = arith::MinSIOp::create(b, loc, left, size);
    left = arith::MaxSIOp::create(b, loc, left, zero);
    if (!isUnit)
      sizes[open.dim] = left;
    else
      inside = inside ? arith::MulIOp::create(b, loc, inside, left) : left;
  }
  FailureOr<SmallVector<unsigned>> found = findMatrixDims(op, region, rank);
  if (failed(found))
    return failure();
  ArrayRef<unsigned> keptDims = *found;
  if (inside) {
    OpFoldResult &first = sizes[keptDims.front()];
    Value size = getValueOrCreateConstantIndexOp(b, loc, first);
    first = arith::MulIOp::create(b, loc, size, inside).getResult();
  }
  SmallVector<OpFoldResult> offsets(region.offsets.begin(),
                                    region.offsets.end());
  SmallVector<OpFoldResult> strides(dims, b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (unsigned dim : keptDims) {
    auto constant = getConstantIntValue(sizes[dim]);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    part.sizes.push_back(constant ? Value() : cast<Value>(sizes[dim]));
  }
  auto viewType = memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(region.buffer.getType()), offsets, sizes,
      strides);
  part.view = memref::SubViewOp::create(b, loc, cast<MemRefType>(viewType),
                                        region.buffer, offsets, sizes, strides);
  return part;
}

/// Fills a matrix in UB. Numbers of a type that has no instruction for it are
/// those of another one, converted.
LogicalResult KernelLowering::createFill(Operation *op, Value matrix,
                                         Value value) {
  Location loc = op->getLoc();
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  if (getComputeType("Duplicate", element) == element) {
    DuplicateOp::create(b, loc, matrix, value);
    return success();
  }
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) && element.isInteger(8)) {
    Value wide = arith::ExtSIOp::create(b, loc, b.getI16Type(), value);
    Value filled = createLike(loc, matrix, wide.getType());
    DuplicateOp::create(b, loc, filled, wide);
    return createCast(op, matrix, filled, /*fits=*/true);
  }
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      !number.isSignedIntN(32))
    return op->emitError() << chip.name << " has no Duplicate for " << element
                           << "; only a constant of 32 bits can be converted";
  bool isShort = number.getBitWidth() <= 8;
  Type middle = isShort ? Type(b.getF16Type()) : Type(b.getI32Type());
  Value filled = createLike(loc, matrix, middle);
  DuplicateOp::create(b, loc, filled,
                      constantOf(loc, middle, number.getSExtValue()));
  return createCast(op, matrix, filled);
}

/// Fills all of a tile where part of it lies outside; the load follows.
LogicalResult KernelLowering::fillOutside(Operation *op, Value matrix,
                                          const Clipped &part, Value safe) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  Value isPartial;
  for (auto [size, extent] : llvm::zip_equal(part.sizes, type.getShape())) {
    if (!size)
      continue;
    Value less =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, size,
                              constantIndex(loc, extent));
    isPartial = isPartial ? arith::OrIOp::create(b, loc, isPartial, less)
                          : less;
  }
  auto guard = scf::IfOp::create(b, loc, isPartial);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPoint(guard.thenYield());
  if (mlir::tile::getMemorySpace(type) != MemorySpace::L1)
    return createFill(op, matrix, safe);
  FillL1Op::create(b, loc, matrix, safe);
  return success();
}

bool mlir::tile::ascend::hasOpenRows(Operation *op, MemRefType type) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  return type.getDimSize(0) % (getSpec(op).blockBytes / bytes) != 0;
}

/// A load to L1. Products take blocks whole, so that what lies behind a tile in
/// its blocks has to be 0: behind its columns the copy sees to it.
LogicalResult KernelLowering::createMatrixLoad(Operation *op, Value matrix,
                                               const Clipped &part,
                                               Value safe) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  bool hasRows = hasOpenRows(op, type);
  bool isZero = matchPattern(safe, m_AnyZeroFloat()) ||
                matchPattern(safe, m_Zero());
  // The copy writes zeros up to 32 bytes behind what it copies.
  if (!isZero && (part.sizes.back() || (hasRows && !part.isWhole)))
    return op->emitError("a tile of the cube that leaves its buffer is filled "
                         "with 0; load it to the vector unit for another "
                         "'tile.safe_value'");
  if (hasRows)
    FillL1Op::create(b, loc, matrix, constantOf(loc, type.getElementType(), 0));
  else if (!part.isWhole && failed(fillOutside(op, matrix, part, safe)))
    return failure();
  CopyGmToL1Op::create(b, loc, matrix, part.view);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Whether the matrix is part of a tile in UB whose rows go on in the block in
/// which those of the part end.
bool KernelLowering::endsInBlock(Value matrix) const {
  auto type = cast<MemRefType>(matrix.getType());
  auto part = matrix.getDefiningOp<memref::SubViewOp>();
  int64_t bits = type.getShape().back() * type.getElementTypeBitWidth();
  if (mlir::tile::getMemorySpace(type) != MemorySpace::UB || !part ||
      bits % (spec.blockBytes * 8) == 0)
    return false;
  return llvm::any_of(matrices, [&](auto &entry) {
    Value tile = entry.second;
    return tile == part.getSource() &&
           cast<MemRefType>(tile.getType()).getShape().back() !=
               type.getShape().back();
  });
}

/// A region of more dimensions than a matrix has: one place along its first one
/// after the other.
bool KernelLowering::isDeep(Value matrix, const GlobalRegion &region) const {
  auto type = cast<MemRefType>(matrix.getType());
  return mlir::tile::getMemorySpace(type) == MemorySpace::UB &&
         llvm::count_if(region.sizes, [](int64_t size) { return size != 1; }) >
             type.getRank();
}

LogicalResult KernelLowering::createEach(
    Operation *op, Value matrix, GlobalRegion region,
    function_ref<LogicalResult(Value, const GlobalRegion &)> create) {
  Location loc = op->getLoc();
  auto shape = cast<MemRefType>(matrix.getType()).getShape();
  unsigned dim = 0;
  while (region.sizes[dim] == 1)
    ++dim;
  int64_t places = region.sizes[dim], rows = shape[0] / places;
  auto loop =
      scf::ForOp::create(b, loc, constantIndex(loc, 0),
                         constantIndex(loc, places), constantIndex(loc, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  Value row = arith::MulIOp::create(b, loc, place, constantIndex(loc, rows));
  region.offsets[dim] =
      arith::AddIOp::create(b, loc, region.offsets[dim], place);
  region.sizes[dim] = 1;
  return create(
      createPart(loc, matrix, row, b.getIndexAttr(0), rows, shape[1]), region);
}

LogicalResult KernelLowering::createLoad(Operation *op, Value matrix,
                                         const GlobalRegion &region) {
  if (isDeep(matrix, region))
    return createEach(op, matrix, region, [&](Value part, const auto &place) {
      return createLoad(op, part, place);
    });
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  bool isCube = mlir::tile::getMemorySpace(type) == MemorySpace::L1;
  FailureOr<Clipped> part = clip(op, region, type.getRank());
  if (failed(part))
    return failure();
  auto source = cast<MemRefType>(region.buffer.getType());
  Type element = source.getElementType();
  if (isCube && element != type.getElementType())
    return op->emitError() << "expected elements of type "
                           << type.getElementType() << " for 'l1', got "
                           << element << "; the path has no conversion";
  Value safe = getSafeValue(op, region.buffer);
  // The load fills rows up to whole blocks, beside the part of a tile, too.
  Value landing = element == type.getElementType() && !endsInBlock(matrix)
                      ? matrix
                      : createLike(loc, matrix, element);
  if (isCube)
    return createMatrixLoad(op, landing, *part, safe);
  if (!part->isWhole && failed(fillOutside(op, landing, *part, safe)))
    return failure();
  CopyGmToUbOp::create(b, loc, landing, part->view,
                       part->isWhole ? Value() : safe);
  return landing == matrix ? success() : createCopy(op, matrix, landing);
}

LogicalResult KernelLowering::createStore(Operation *op,
                                          const GlobalRegion &region,
                                          Value matrix, bool atomic) {
  if (isDeep(matrix, region))
    return createEach(op, matrix, region, [&](Value part, const auto &place) {
      return createStore(op, place, part, atomic);
    });
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  FailureOr<Clipped> part = clip(op, region, type.getRank());
  if (failed(part))
    return failure();
  if (mlir::tile::getMemorySpace(type) == MemorySpace::L0C) {
    Type from = type.getElementType();
    Type to = cast<MemRefType>(region.buffer.getType()).getElementType();
    if (to != from && !(from.isF32() && (to.isF16() || to.isBF16())))
      return op->emitError()
             << "an accumulator of " << from << " is not stored as " << to
             << "; convert it in 'tile.parallel'";
    FixpipeOp::create(b, loc, part->view, matrix, /*relu=*/false, atomic);
    return success();
  }
  Type element = cast<MemRefType>(region.buffer.getType()).getElementType();
  if (element != type.getElementType()) {
    Value converted = createLike(loc, matrix, element);
    if (failed(createCast(op, converted, matrix)))
      return failure();
    matrix = converted;
  }
  auto store = [&] {
    CopyUbToGmOp::create(b, loc, part->view, matrix, atomic);
  };
  if (isSplit(op))
    store();
  else
    createOnce(b, loc, store);
  return success();
}

LogicalResult KernelLowering::lowerCopy(CopyOp op) {
  BufferRegion source = op.getSourceRegion(), target = op.getTargetRegion();
  MemorySpace from = mlir::tile::getMemorySpace(source.buffer),
              to = mlir::tile::getMemorySpace(target.buffer);
  if (op.getPrefer())
    return op.emitError() << "Ascend has no copy instruction '"
                          << stringifyEnum(*op.getPrefer()) << "'";
  auto getSide = [&](const BufferRegion &region, const BufferRegion &other) {
    return GlobalRegion{region.buffer, getOffsets(b, op.getLoc(), region),
                        getSizes(region, other)};
  };
  // The part of a tile that takes part.
  auto getPart = [&](const BufferRegion &region) -> Value {
    bool isCube = mlir::tile::getMemorySpace(region.buffer) != MemorySpace::UB;
    Value matrix = isCube ? region.buffer : getMatrixOf(op, region.buffer);
    if (!matrix || (isCube && (!region.map || op->hasAttr(
                                   AscendDialect::kSplitRowsAttr))) ||
        region.sizes == region.getType().getShape())
      return matrix;
    if (region.getType().getRank() > 2 || isCube) {
      op.emitError() << "a part of a tile of "
                     << mlir::tile::formatShape(region.getType().getShape())
                     << " cannot be copied on Ascend; copy all of it";
      return {};
    }
    SmallVector<Value> offsets = getOffsets(b, op.getLoc(), region);
    bool isRow = region.sizes.size() == 1;
    return createPart(op.getLoc(), matrix,
                      isRow ? OpFoldResult(b.getIndexAttr(0)) : offsets[0],
                      offsets.back(), isRow ? 1 : region.sizes[0],
                      region.sizes.back());
  };
  if (from == MemorySpace::Global && to == MemorySpace::Global)
    return op.emitError("expected a tile on one side of the copy on Ascend");
  if (from == MemorySpace::Global) {
    Value matrix = getPart(target);
    return matrix ? createLoad(op, matrix, getSide(source, target)) : failure();
  }
  Value matrix = getPart(source);
  if (!matrix)
    return failure();
  if (to == MemorySpace::Global && from == MemorySpace::L1)
    return op.emitError() << chip.name << " has no path from 'l1' to 'global'; "
                          << "copy it from where it was loaded";
  if (to == MemorySpace::Global)
    return createStore(op, getSide(target, source), matrix);
  Value other = getPart(target);
  if (!other)
    return failure();
  if (from == MemorySpace::UB && to == MemorySpace::UB)
    return createCopy(op, other, matrix);
  if ((from == MemorySpace::L0C && to == MemorySpace::UB) ||
      (from == MemorySpace::UB && to == MemorySpace::L1)) {
    Value first;
    if (op->hasAttr(AscendDialect::kSplitRowsAttr))
      first = getOffsets(b, op.getLoc(),
                         from == MemorySpace::UB ? target : source)
                  .front();
    return createExchange(b, op, other, matrix, first);
  }
  return op.emitError() << chip.name << " has no path from '"
                        << mlir::tile::stringifyMemorySpace(from) << "' to '"
                        << mlir::tile::stringifyMemorySpace(to) << "'";
}

LogicalResult KernelLowering::lowerAtomic(AtomicOp op) {
  BufferRegion target = op.getTargetRegion();
  if (!op.isTileForm() || op.getKind() != AtomicKind::Add ||
      mlir::tile::getMemorySpace(target.buffer) != MemorySpace::Global)
    return op.emitError("on Ascend, 'tile.atomic' adds a whole tile to a "
                        "region of a global buffer");
  Value matrix = op.getValue();
  MemorySpace space = mlir::tile::getMemorySpace(matrix);
  if (space == MemorySpace::UB)
    matrix = getMatrixOf(op, matrix);
  else if (space != MemorySpace::L0C)
    return op.emitError() << chip.name << " has no path from '"
                          << mlir::tile::stringifyMemorySpace(space)
                          << "' to 'global'";
  if (!matrix)
    return failure();
  return createStore(
      op, {target.buffer, getOffsets(b, op.getLoc(), target), target.sizes},
      matrix, /*atomic=*/true);
}

LogicalResult KernelLowering::lowerFill(FillOp op) {
  MemorySpace space = mlir::tile::getMemorySpace(op.getBuffer());
  Location loc = op.getLoc();
  if (space == MemorySpace::L1) {
    FillL1Op::create(b, loc, op.getBuffer(), op.getValue());
    return success();
  }
  if (space == MemorySpace::L0C)
    return lowerCubeFill(op);
  if (space == MemorySpace::Global)
    return op.emitError("a buffer in global memory cannot be filled on "
                        "Ascend; fill a tile and copy it");
  Value matrix = getMatrixOf(op, op.getBuffer());
  if (!matrix)
    return failure();
  return createFill(op, matrix, op.getValue());
}
