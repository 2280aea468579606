//===- Halves.cpp - copies of tiles that are used in parts ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A range of one dimension of a tile.
struct Range {
  int64_t begin, size;

  bool operator==(const Range &other) const {
    return begin == other.begin && size == other.size;
  }
};

/// A tile that is loaded as a whole and otherwise copied in parts, which are
/// all of it side by side.
class Halves {
public:
  explicit Halves(AllocOp alloc) : alloc(alloc) {}

  bool match();
  void replace();

private:
  bool addPart(const BufferRegion &region);
  bool addLoad(CopyOp copy);
  void setTarget(CopyOp part, Range range);
  void divide(CopyOp copy);
  void divide(GatherOp gather);

  AllocOp alloc;
  std::optional<unsigned> dim;
  SmallVector<Range> ranges;
  SmallVector<CopyOp> loads; ///< of the whole tile
  /// Of copies of tiles that rows are gathered to, and nothing else.
  SmallVector<GatherOp> gathers;
};
} // namespace

/// The place in all dimensions but one is all of the tile.
bool Halves::addPart(const BufferRegion &region) {
  ArrayRef<int64_t> shape = region.getType().getShape();
  std::optional<Range> range;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    auto begin = dyn_cast<AffineConstantExpr>(region.map.getResult(i));
    if (!begin)
      return false;
    if (begin.getValue() == 0 && region.sizes[i] == extent)
      continue;
    if (range || (dim && *dim != i))
      return false;
    dim = i;
    range = Range{begin.getValue(), region.sizes[i]};
  }
  if (range && !llvm::is_contained(ranges, *range))
    ranges.push_back(*range);
  return range.has_value();
}

/// The gather that a copy is the only use of.
static GatherOp getGather(CopyOp copy) {
  auto rows = copy.getSource().getDefiningOp<AllocOp>();
  if (!rows || copy.getSourceMap() || !rows.getBuffer().hasNUses(2) ||
      getMemorySpace(copy.getSource()) != MemorySpace::Shared)
    return {};
  for (Operation *user : rows->getUsers())
    if (auto gather = dyn_cast<GatherOp>(user))
      if (gather.getTarget() == rows.getBuffer() && !gather.getSignal() &&
          gather->getBlock() == copy->getBlock() &&
          gather->isBeforeInBlock(copy))
        return gather;
  return {};
}

bool Halves::addLoad(CopyOp copy) {
  if (copy.getSource() == alloc.getBuffer() || copy.getSignal())
    return false;
  if (GatherOp gather = getGather(copy)) {
    if (gather.getTarget().getType() != alloc.getType())
      return false;
    gathers.push_back(gather);
    return true;
  }
  if (getMemorySpace(copy.getSource()) != MemorySpace::Global ||
      !copy.getSourceRegion().map)
    return false;
  loads.push_back(copy);
  return true;
}

/// The dimension of the source that is `dim` of the target.
static unsigned getMatched(const BufferRegion &source,
                           const BufferRegion &target, unsigned dim) {
  unsigned number = llvm::count_if(ArrayRef(target.sizes).take_front(dim),
                                   [](int64_t size) { return size != 1; });
  for (auto [i, size] : llvm::enumerate(source.sizes))
    if (size != 1 && number-- == 0)
      return i;
  llvm_unreachable("regions of equal size");
}

bool Halves::match() {
  Value tile = alloc.getBuffer();
  if (ShapedType::isDynamicShape(alloc.getType().getShape()))
    return false;
  for (Operation *user : tile.getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (!copy || (copy.getSource() == tile) == (copy.getTarget() == tile))
      return false;
    BufferRegion region = copy.getSource() == tile ? copy.getSourceRegion()
                                                   : copy.getTargetRegion();
    if (mlir::tile::isWhole(region)) {
      if (!addLoad(copy))
        return false;
    } else if (!region.map || !addPart(region)) {
      return false;
    }
  }
  llvm::sort(ranges, [](const Range &a, const Range &b) {
    return a.begin < b.begin;
  });
  int64_t end = 0;
  for (const Range &range : ranges) {
    if (range.begin != end)
      return false;
    end += range.size;
  }
  if (!dim || loads.size() + gathers.size() == 0 ||
      end != alloc.getType().getDimSize(*dim))
    return false;
  // What the list names is gathered as a whole.
  return llvm::all_of(gathers, [&](GatherOp gather) {
    BufferRegion target;
    target.buffer = gather.getTarget();
    target.sizes = llvm::to_vector(alloc.getType().getShape());
    return getMatched(gather.getSourceRegion(), target, *dim) !=
           gather.getDim();
  });
}

/// A copy for each range, whose place in the tile is its own.
void Halves::divide(CopyOp copy) {
  BufferRegion source = copy.getSourceRegion();
  unsigned from = getMatched(source, copy.getTargetRegion(), *dim);
  OpBuilder b(copy);
  for (const Range &range : ranges) {
    SmallVector<AffineExpr> exprs(source.map.getResults());
    exprs[from] = exprs[from] + range.begin;
    SmallVector<int64_t> sizes = source.sizes;
    sizes[from] = range.size;
    auto part = cast<CopyOp>(b.clone(*copy));
    part.setSourceMapAttr(AffineMapAttr::get(
        AffineMap::get(source.map.getNumDims(), source.map.getNumSymbols(),
                       exprs, b.getContext())));
    part.getSourceIndicesMutable().assign(source.operands);
    part.setSourceSizesAttr(b.getDenseI64ArrayAttr(sizes));
    setTarget(part, range);
  }
  copy.erase();
}

void Halves::setTarget(CopyOp part, Range range) {
  Builder b(part.getContext());
  SmallVector<int64_t> shape(alloc.getType().getShape());
  SmallVector<AffineExpr> begin(shape.size(), b.getAffineConstantExpr(0));
  begin[*dim] = b.getAffineConstantExpr(range.begin);
  shape[*dim] = range.size;
  part.setTargetMapAttr(
      AffineMapAttr::get(AffineMap::get(0, 0, begin, b.getContext())));
  part.getTargetIndicesMutable().clear();
  part.setTargetSizesAttr(b.getDenseI64ArrayAttr(shape));
}

/// A gather for each range, to a tile of its own, which is copied.
void Halves::divide(GatherOp gather) {
  auto rows = gather.getTarget().getDefiningOp<AllocOp>();
  CopyOp copy;
  for (Operation *user : rows->getUsers())
    if (user != gather)
      copy = cast<CopyOp>(user);
  BufferRegion source = gather.getSourceRegion();
  unsigned from = getMatched(source, copy.getTargetRegion(), *dim);
  auto type = cast<MemRefType>(rows.getBuffer().getType());
  for (const Range &range : ranges) {
    SmallVector<int64_t> shape(type.getShape());
    shape[*dim] = range.size;
    OpBuilder b(rows);
    Value part = AllocOp::create(
        b, rows.getLoc(),
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace()),
        LayoutAttr(), IntegerAttr());
    b.setInsertionPoint(gather);
    SmallVector<AffineExpr> exprs(source.map.getResults());
    exprs[from] = exprs[from] + range.begin;
    SmallVector<int64_t> sizes = source.sizes;
    sizes[from] = range.size;
    auto some = cast<GatherOp>(b.clone(*gather));
    some.getTargetMutable().assign(part);
    some.setSourceMapAttr(AffineMapAttr::get(
        AffineMap::get(source.map.getNumDims(), source.map.getNumSymbols(),
                       exprs, b.getContext())));
    some.getSourceIndicesMutable().assign(source.operands);
    some.setSourceSizesAttr(b.getDenseI64ArrayAttr(sizes));
    b.setInsertionPoint(copy);
    auto moved = cast<CopyOp>(b.clone(*copy));
    moved.getSourceMutable().assign(part);
    setTarget(moved, range);
  }
  copy.erase();
  gather.erase();
  rows.erase();
}

void Halves::replace() {
  for (CopyOp copy : loads)
    divide(copy);
  for (GatherOp gather : gathers)
    divide(gather);
}

void tilelang::divideLoads(AllocOp alloc) {
  Halves halves(alloc);
  if (halves.match())
    halves.replace();
}
