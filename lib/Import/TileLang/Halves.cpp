//===- Halves.cpp - copies of tiles that are used in parts ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
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

  AllocOp alloc;
  std::optional<unsigned> dim;
  SmallVector<Range> ranges;
  SmallVector<CopyOp> loads; ///< of the whole tile
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
    if (tile::isWhole(region)) {
      if (copy.getSource() == tile || copy.getSignal() ||
          getMemorySpace(copy.getSource()) != MemorySpace::Global ||
          !copy.getSourceRegion().map)
        return false;
      loads.push_back(copy);
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
  return dim && !loads.empty() && end == alloc.getType().getDimSize(*dim);
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

void Halves::replace() {
  for (CopyOp copy : loads) {
    BufferRegion source = copy.getSourceRegion();
    unsigned from = getMatched(source, copy.getTargetRegion(), *dim);
    OpBuilder b(copy);
    for (const Range &range : ranges) {
      SmallVector<AffineExpr> exprs(source.map.getResults()), begin;
      exprs[from] = exprs[from] + range.begin;
      SmallVector<int64_t> sizes = source.sizes;
      sizes[from] = range.size;
      SmallVector<int64_t> shape(alloc.getType().getShape());
      begin.assign(shape.size(), b.getAffineConstantExpr(0));
      begin[*dim] = b.getAffineConstantExpr(range.begin);
      shape[*dim] = range.size;
      auto part = cast<CopyOp>(b.clone(*copy));
      part.setSourceMapAttr(AffineMapAttr::get(
          AffineMap::get(source.map.getNumDims(), source.map.getNumSymbols(),
                         exprs, b.getContext())));
      part.getSourceIndicesMutable().assign(source.operands);
      part.setSourceSizesAttr(b.getDenseI64ArrayAttr(sizes));
      part.setTargetMapAttr(
          AffineMapAttr::get(AffineMap::get(0, 0, begin, b.getContext())));
      part.getTargetIndicesMutable().clear();
      part.setTargetSizesAttr(b.getDenseI64ArrayAttr(shape));
    }
    copy.erase();
  }
}

void tilelang::divideLoads(AllocOp alloc) {
  Halves halves(alloc);
  if (halves.match())
    halves.replace();
}
