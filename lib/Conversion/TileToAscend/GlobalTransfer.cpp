//===- GlobalTransfer.cpp - between GM and the cores ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalTransfer.h"

#include "CrossCoreTransfer.h"
#include "ElementConversion.h"
#include "WholeVectors.h"

#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::BufferRegion;
using mlir::tile::MemorySpace;
namespace tl = mlir::tile;

namespace {
/// The part of a region that is inside of its buffer.
struct ClippedRegion {
  Value view;               // of two dimensions or one
  SmallVector<Value> sizes; // null where all of it is inside
  Value left;               // columns in front of the buffer, if there may be
  bool isWhole = true;
};
/// What a region is for. A load to UB may pad rows in front, too.
enum class Transfer { Load, LoadToCube, Store };
} // namespace

/// The dimensions of a region that make a matrix: those that are not 1, the
/// last of them contiguous.
static FailureOr<SmallVector<unsigned>>
findMatrixDims(Operation *op, const GlobalRegion &region, unsigned rank) {
  unsigned dims = region.sizes.size();
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < dims; ++dim)
    if (region.sizes[dim] != 1)
      kept.push_back(dim);
  // Dimensions of 1 make up what is missing: a column, then the last ones
  // first.
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
         << "the elements of a row of the region are not neighbours in " << type
         << "; copy whole rows";
}

/// Along a row of a copy, elements are next to each other in memory.
static LogicalResult verifyNeighbours(Operation *op, const GlobalRegion &region,
                                      unsigned dim) {
  auto type = cast<MemRefType>(region.buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    strides.assign(type.getRank(), ShapedType::kDynamic);
  if (region.sizes[dim] == 1 || strides[dim] == 1)
    return success();
  InFlightDiagnostic diag =
      op->emitError() << "expected a stride of 1 in dimension " << dim << " of "
                      << type << ", along which " << region.sizes[dim]
                      << " elements are copied, got ";
  if (ShapedType::isDynamic(strides[dim]))
    diag << "one that is dynamic";
  else
    diag << strides[dim];
  if (auto *it = llvm::find(strides, 1); it != strides.end())
    return diag << "; on Ascend, take the buffer with dimensions "
                << std::distance(strides.begin(), it) << " and " << dim
                << " exchanged, copy a tile of it and transpose that";
  return diag << "; on Ascend, take a buffer of all elements, those between "
                 "them too, and read every one that is wanted in "
                 "'tile.parallel', such as %x[%i, 2 * %j]";
}

/// The bounds of a region that are not proven.
static SmallVector<tl::OpenBounds> findOpen(KernelLowering &l, Operation *op,
                                            const GlobalRegion &region) {
  BufferRegion all;
  all.buffer = region.buffer;
  all.operands = region.offsets;
  all.map =
      AffineMap::getMultiDimIdentityMap(region.sizes.size(), l.b.getContext());
  all.sizes = region.sizes;
  return tl::findOpenBounds(op, all);
}

static LogicalResult reportBegin(Operation *op, const GlobalRegion &region,
                                 unsigned dim, Transfer transfer) {
  auto type = cast<MemRefType>(region.buffer.getType());
  InFlightDiagnostic diag = op->emitError()
                            << "the region may begin before dimension " << dim
                            << " of " << type;
  if (transfer == Transfer::Store)
    return diag << "; on Ascend a store may leave a buffer at its end only: "
                   "take max(index, 0) if it begins inside; else branch on "
                   "the index, and where it is negative copy the part of the "
                   "tile that is inside";
  return diag << "; on Ascend a tile of the cube may leave a buffer at its end "
                 "only: take max(index, 0) if it begins inside; else copy rows "
                 "to a tile in shared memory and that to the operand";
}

/// The extents of a region up to the end of its buffer; `inside` is 1, or 0
/// where a dimension of one element is outside, and null if none may be. Rows
/// of a load that begin before the buffer lose `left` columns.
static LogicalResult clipSizes(KernelLowering &l, Operation *op,
                               GlobalRegion &region,
                               SmallVectorImpl<OpFoldResult> &sizes,
                               Value &inside, bool &isWhole, Value &left,
                               Transfer transfer) {
  Location loc = op->getLoc();
  OpBuilder &b = l.b;
  Value zero = l.constantIndex(loc, 0);
  for (int64_t size : region.sizes)
    sizes.push_back(b.getIndexAttr(size));
  auto restrict = [&](Value factor) {
    inside = inside ? arith::MulIOp::create(b, loc, inside, factor) : factor;
  };
  isWhole = true;
  for (tl::OpenBounds open : findOpen(l, op, region)) {
    bool isUnit = region.sizes[open.dim] == 1;
    bool isLast = open.dim + 1 == region.sizes.size();
    if (open.lower && !isUnit && !(transfer == Transfer::Load && isLast))
      return reportBegin(op, region, open.dim, transfer);
    Value extent = memref::DimOp::create(b, loc, region.buffer, open.dim);
    Value size = l.constantIndex(loc, region.sizes[open.dim]);
    isWhole = false;
    if (open.lower && !isUnit) {
      Value begin =
          arith::MaxSIOp::create(b, loc, region.offsets[open.dim], zero);
      left = arith::SubIOp::create(b, loc, begin, region.offsets[open.dim]);
      left = arith::MinSIOp::create(b, loc, left, size);
      size = arith::SubIOp::create(b, loc, size, left);
      region.offsets[open.dim] = begin;
    } else if (open.lower) {
      // A row at an index that was read: all of it is inside or nothing.
      Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             region.offsets[open.dim], extent);
      Value one = arith::ExtUIOp::create(b, loc, b.getI32Type(), isInside);
      restrict(arith::IndexCastOp::create(b, loc, b.getIndexType(), one));
      continue;
    }
    Value rest =
        arith::SubIOp::create(b, loc, extent, region.offsets[open.dim]);
    rest = arith::MinSIOp::create(b, loc, rest, size);
    rest = arith::MaxSIOp::create(b, loc, rest, zero);
    if (isUnit)
      restrict(rest);
    else
      sizes[open.dim] = rest;
  }
  return success();
}

/// A buffer without dimensions as one of one element.
static void addDimension(KernelLowering &l, Location loc,
                         GlobalRegion &region) {
  auto type = cast<MemRefType>(region.buffer.getType());
  region.buffer = memref::ReinterpretCastOp::create(
      l.b, loc, MemRefType::get({1}, type.getElementType()), region.buffer, 0,
      ArrayRef<int64_t>(1), ArrayRef<int64_t>(1));
  region.offsets = {l.constantIndex(loc, 0)};
  region.sizes = {1};
}

static FailureOr<ClippedRegion> clip(KernelLowering &l, Operation *op,
                                     GlobalRegion region, unsigned rank,
                                     Transfer transfer) {
  Location loc = op->getLoc();
  OpBuilder &b = l.b;
  if (region.sizes.empty())
    addDimension(l, loc, region);
  ClippedRegion part;
  SmallVector<OpFoldResult> sizes;
  Value inside;
  if (failed(clipSizes(l, op, region, sizes, inside, part.isWhole, part.left,
                       transfer)))
    return failure();
  FailureOr<SmallVector<unsigned>> dims = findMatrixDims(op, region, rank);
  if (failed(dims) || failed(verifyNeighbours(op, region, dims->back())))
    return failure();
  if (inside) {
    OpFoldResult &first = sizes[dims->front()];
    Value size = getValueOrCreateConstantIndexOp(b, loc, first);
    first = arith::MulIOp::create(b, loc, size, inside).getResult();
  }
  SmallVector<OpFoldResult> offsets(region.offsets.begin(),
                                    region.offsets.end());
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (unsigned dim : *dims) {
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

/// Fills all of a tile where part of it lies outside; the load follows.
static LogicalResult fillOutside(KernelLowering &l, Operation *op, Value matrix,
                                 const ClippedRegion &part, Value safe) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  Value isPartial;
  for (auto [size, extent] : llvm::zip_equal(part.sizes, type.getShape())) {
    if (!size)
      continue;
    Value less = arith::CmpIOp::create(l.b, loc, arith::CmpIPredicate::slt,
                                       size, l.constantIndex(loc, extent));
    isPartial =
        isPartial ? arith::OrIOp::create(l.b, loc, isPartial, less) : less;
  }
  auto guard = scf::IfOp::create(l.b, loc, isPartial);
  OpBuilder::InsertionGuard insertion(l.b);
  l.b.setInsertionPoint(guard.thenYield());
  if (mlir::tile::getMemorySpace(type) != MemorySpace::L1)
    return createFill(l, op, matrix, safe);
  FillL1Op::create(l.b, loc, matrix, safe);
  return success();
}

bool mlir::tile::ascend::hasOpenRows(Operation *op, MemRefType type) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  return type.getDimSize(0) % (getSpec(op).blockBytes / bytes) != 0;
}

/// A load to L1. Products take blocks whole, so that what lies behind a tile in
/// its blocks has to be 0: behind its columns the copy sees to it.
static LogicalResult createMatrixLoad(KernelLowering &l, Operation *op,
                                      Value matrix, const ClippedRegion &part,
                                      Value safe) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  bool hasRows = hasOpenRows(op, type);
  bool isZero =
      matchPattern(safe, m_AnyZeroFloat()) || matchPattern(safe, m_Zero());
  // The copy writes zeros up to 32 bytes behind what it copies.
  if (!isZero && (part.sizes.back() || (hasRows && !part.isWhole)))
    return op->emitError("a tile of the cube that leaves its buffer is filled "
                         "with 0; load it to the vector unit for another "
                         "'tile.padding_value'");
  if (hasRows)
    FillL1Op::create(l.b, loc, matrix,
                     l.constantOf(loc, type.getElementType(), 0));
  else if (!part.isWhole && failed(fillOutside(l, op, matrix, part, safe)))
    return failure();
  CopyGmToL1Op::create(l.b, loc, matrix, part.view);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Whether one place along the first dimension is copied after the other: those
/// of a region of more dimensions than a matrix has, and of one that may begin
/// before its buffer, of which each row is then in the buffer or not.
static bool isCopiedInParts(KernelLowering &l, Operation *op, Value matrix,
                            const GlobalRegion &region) {
  auto type = cast<MemRefType>(matrix.getType());
  if (mlir::tile::getMemorySpace(type) != MemorySpace::UB)
    return false;
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(region.sizes))
    if (size != 1)
      dims.push_back(dim);
  if (int64_t(dims.size()) > type.getRank())
    return true;
  return type.getRank() == 2 && dims.size() == 2 &&
         llvm::any_of(findOpen(l, op, region), [&](tl::OpenBounds open) {
           return open.lower && open.dim == dims.front();
         });
}

static LogicalResult
createEach(KernelLowering &l, Operation *op, Value matrix, GlobalRegion region,
           function_ref<LogicalResult(Value, const GlobalRegion &)> create) {
  Location loc = op->getLoc();
  auto shape = cast<MemRefType>(matrix.getType()).getShape();
  unsigned dim = 0;
  while (region.sizes[dim] == 1)
    ++dim;
  int64_t places = region.sizes[dim], rows = shape[0] / places;
  auto loop =
      scf::ForOp::create(l.b, loc, l.constantIndex(loc, 0),
                         l.constantIndex(loc, places), l.constantIndex(loc, 1));
  OpBuilder::InsertionGuard guard(l.b);
  l.b.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  Value row =
      arith::MulIOp::create(l.b, loc, place, l.constantIndex(loc, rows));
  region.offsets[dim] =
      arith::AddIOp::create(l.b, loc, region.offsets[dim], place);
  region.sizes[dim] = 1;
  return create(l.buffers.createPart(loc, matrix, row, l.b.getIndexAttr(0),
                                     rows, shape[1]),
                region);
}

LogicalResult mlir::tile::ascend::createLoad(KernelLowering &l, Operation *op,
                                             Value matrix,
                                             const GlobalRegion &region) {
  if (isCopiedInParts(l, op, matrix, region))
    return createEach(l, op, matrix, region,
                      [&](Value part, const auto &place) {
                        return createLoad(l, op, part, place);
                      });
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  bool isCube = mlir::tile::getMemorySpace(type) == MemorySpace::L1;
  FailureOr<ClippedRegion> part =
      clip(l, op, region, type.getRank(),
           isCube ? Transfer::LoadToCube : Transfer::Load);
  if (failed(part))
    return failure();
  auto source = cast<MemRefType>(region.buffer.getType());
  Type element = source.getElementType();
  if (isCube && element != type.getElementType())
    return op->emitError() << "expected elements of type "
                           << type.getElementType() << " for 'l1', got "
                           << element << "; the path has no conversion";
  Value safe = l.getPaddingValue(op, region.buffer);
  // The load fills rows up to whole blocks, beside the part of a tile, too.
  Value landing =
      element == type.getElementType() && !l.buffers.endsInBlock(matrix)
          ? matrix
          : l.buffers.createLike(loc, matrix, element);
  if (isCube)
    return createMatrixLoad(l, op, landing, *part, safe);
  if (!part->isWhole && element.getIntOrFloatBitWidth() == 64 &&
      !matchPattern(safe, m_PosZeroFloat()) && !matchPattern(safe, m_Zero()))
    return op->emitError("a copy on Ascend pads elements of 64 bits with 0 "
                         "only; keep the region inside of its buffer for "
                         "another 'tile.padding_value'");
  if (!part->isWhole && failed(fillOutside(l, op, landing, *part, safe)))
    return failure();
  CopyGmToUbOp::create(l.b, loc, landing, part->view,
                       part->isWhole ? Value() : safe, /*checked=*/false,
                       part->left);
  return landing == matrix ? success() : createCopy(l, op, matrix, landing);
}

LogicalResult
mlir::tile::ascend::createStore(KernelLowering &l, Operation *op,
                                const GlobalRegion &region, Value matrix,
                                std::optional<ReduceKind> atomic) {
  if (isCopiedInParts(l, op, matrix, region))
    return createEach(l, op, matrix, region,
                      [&](Value part, const auto &place) {
                        return createStore(l, op, place, part, atomic);
                      });
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  FailureOr<ClippedRegion> part =
      clip(l, op, region, type.getRank(), Transfer::Store);
  if (failed(part))
    return failure();
  if (mlir::tile::getMemorySpace(type) == MemorySpace::L0C) {
    Type from = type.getElementType();
    Type to = cast<MemRefType>(region.buffer.getType()).getElementType();
    if (to != from && !(from.isF32() && (to.isF16() || to.isBF16())))
      return op->emitError()
             << "an accumulator of " << from << " is not stored as " << to
             << "; convert it in 'tile.parallel'";
    FixpipeOp::create(l.b, loc, part->view, matrix, /*relu=*/false,
                      /*atomic=*/atomic.has_value());
    return success();
  }
  Type element = cast<MemRefType>(region.buffer.getType()).getElementType();
  if (element != type.getElementType()) {
    Value converted = l.buffers.createLike(loc, matrix, element);
    if (failed(createCast(l, op, converted, matrix)))
      return failure();
    matrix = converted;
  }
  ReduceKindAttr kind;
  if (atomic && *atomic != ReduceKind::Sum) {
    kind = ReduceKindAttr::get(l.b.getContext(), *atomic);
    // A NaN is left out; what the instruction makes of one nobody says.
    if (isa<FloatType>(element))
      matrix = replaceNaN(l, loc, matrix,
                          *atomic == ReduceKind::Max
                              ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::infinity());
  }
  auto store = [&] {
    CopyUbToGmOp::create(l.b, loc, part->view, matrix, atomic.has_value(),
                         /*checked=*/false, kind);
  };
  if (l.isShared(op))
    store();
  else
    createOnce(l.b, loc, store);
  return success();
}

FailureOr<ReduceKind> mlir::tile::ascend::getGlobalAtomic(tl::AtomicOp op) {
  Type element = cast<MemRefType>(op.getTarget().getType()).getElementType();
  ReduceKind kind = op.getKind() == tl::AtomicKind::Max   ? ReduceKind::Max
                    : op.getKind() == tl::AtomicKind::Min ? ReduceKind::Min
                                                          : ReduceKind::Sum;
  if (kind != ReduceKind::Sum && op.getIsUnsigned())
    return op.emitError() << "on Ascend, 'tile.atomic "
                          << stringifyEnum(op.getKind())
                          << "' of global memory compares signed elements; "
                             "keep them with their highest bit inverted";
  if (op.getKind() != tl::AtomicKind::Or && hasAtomic(element, kind))
    return kind;
  return op.emitError() << "on Ascend, global memory has no 'tile.atomic "
                        << stringifyEnum(op.getKind()) << "' of " << element
                        << ", but add, max and min of f32, f16 and i32 and "
                           "add of bf16; update a tile, and let one block "
                           "store it";
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value mlir::tile::ascend::createGlobalRead(KernelLowering &l, Operation *op,
                                           Value buffer, ValueRange indices) {
  Location loc = op->getLoc();
  tl::BufferRegion region = tl::getWholeRegion(buffer);
  region.operands = llvm::to_vector(indices);
  region.map = AffineMap::getMultiDimIdentityMap(region.operands.size(),
                                                 l.b.getContext());
  region.sizes.assign(region.operands.size(), 1);
  Value inside;
  for (tl::OpenBounds open : tl::findOpenBounds(op, region)) {
    Value index = indices[open.dim];
    Value extent = memref::DimOp::create(l.b, loc, buffer, open.dim);
    // As an unsigned number, a negative one is large.
    Value isInside = arith::CmpIOp::create(l.b, loc, arith::CmpIPredicate::ult,
                                           index, extent);
    inside =
        inside ? arith::AndIOp::create(l.b, loc, inside, isInside) : isInside;
  }
  auto read = [&](OpBuilder &at) -> Value {
    return memref::LoadOp::create(at, loc, buffer, indices);
  };
  if (!inside)
    return read(l.b);
  Value safe = l.getPaddingValue(op, buffer);
  auto branch = scf::IfOp::create(
      l.b, loc, inside,
      [&](OpBuilder &then, Location) {
        Value value = read(then);
        scf::YieldOp::create(then, loc, value);
      },
      [&](OpBuilder &otherwise, Location) {
        scf::YieldOp::create(otherwise, loc, safe);
      });
  return branch.getResult(0);
}
