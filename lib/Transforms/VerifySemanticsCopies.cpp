//===- VerifySemanticsCopies.cpp - which dimensions a copy takes ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of fewer dimensions than the buffer takes the innermost ones where no
// sizes say which. `%scales[%b * 16, %k]` to a tile of 16 is then a part of a
// row; who wrote it had a column in mind.
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Analysis/Multiples.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A region without sizes, and the tile that gives them.
struct ImpliedRegion {
  Value buffer;
  AffineMap map;
  SmallVector<Value> operands;
  Value tile;
};
} // namespace

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

static SmallVector<ImpliedRegion> getImpliedRegions(Operation *op) {
  SmallVector<ImpliedRegion> regions;
  auto add = [&](Value buffer, std::optional<AffineMap> map, OperandRange operands,
                 bool hasSizes, Value tile) {
    if (map && !hasSizes && typeOf(tile).hasStaticShape())
      regions.push_back({buffer, *map, llvm::to_vector(operands), tile});
  };
  if (auto copy = dyn_cast<CopyOp>(op)) {
    add(copy.getSource(), copy.getSourceMap(), copy.getSourceIndices(),
        copy.getSourceSizes().has_value(), copy.getTarget());
    add(copy.getTarget(), copy.getTargetMap(), copy.getTargetIndices(),
        copy.getTargetSizes().has_value(), copy.getSource());
  }
  if (auto atomic = dyn_cast<AtomicOp>(op); atomic && atomic.isTileForm())
    add(atomic.getTarget(), atomic.getTargetMap(), atomic.getTargetIndices(),
        atomic.getTargetSizes().has_value(), atomic.getValue());
  return regions;
}

/// Whether an offset counts tiles of this extent, by itself or by the loop or
/// the arithmetic that makes what it is of.
static bool countsTiles(const ImpliedRegion &region, unsigned dim,
                        int64_t extent) {
  AffineExpr offset = region.map.getResult(dim);
  unsigned dims = region.map.getNumDims();
  bool varies = llvm::any_of(
      llvm::enumerate(region.operands), [&](auto operand) {
        unsigned i = operand.index();
        return (i < dims ? offset.isFunctionOfDim(i)
                         : offset.isFunctionOfSymbol(i - dims)) &&
               !getConstantIntValue(operand.value());
      });
  return varies && isMultiple(offset, region.operands, extent);
}

static std::string formatSizes(ArrayRef<int64_t> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(sizes, os);
  os << ']';
  return text;
}

/// The sizes of a region that takes the tile's first dimension from `dim`, and
/// the others as it does now.
static SmallVector<int64_t> getSizes(const ImpliedRegion &region, int64_t dim) {
  ArrayRef<int64_t> shape = typeOf(region.tile).getShape();
  SmallVector<int64_t> sizes(typeOf(region.buffer).getRank(), 1);
  llvm::copy(shape.drop_front(), sizes.end() - (shape.size() - 1));
  sizes[dim] = shape.front();
  return sizes;
}

static void warnOfRegion(Operation *op, ImpliedRegion region) {
  affine::fullyComposeAffineMapAndOperands(&region.map, &region.operands);
  // A bound parameter is a constant operand.
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  MemRefType type = typeOf(region.buffer);
  ArrayRef<int64_t> shape = typeOf(region.tile).getShape();
  int64_t first = type.getRank() - int64_t(shape.size());
  // An offset that counts tiles there, too, says nothing.
  if (first <= 0 || shape.empty() || shape.front() == 1 ||
      countsTiles(region, first, shape.front()))
    return;
  std::string taken = formatSizes(getSizes(region, first));
  for (int64_t dim = 0; dim < first; ++dim) {
    if (!countsTiles(region, dim, shape.front()))
      continue;
    InFlightDiagnostic diag = op->emitWarning()
                              << "'" << op->getName() << "' takes " << taken
                              << " of " << type
                              << ", but its offset in dimension " << dim
                              << " counts tiles of " << shape.front();
    diag.attachNote() << "give sizes: " << formatSizes(getSizes(region, dim))
                      << " are those of dimension " << dim << ", " << taken
                      << " what it takes now";
    return;
  }
  // The place of a tile, if any, says that it is one.
  if (isMultiple(region.map.getResult(first), region.operands, shape.front()))
    return;
  for (int64_t dim = first; dim-- > 0;) {
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) < shape.front())
      continue;
    op->emitWarning() << "'" << op->getName() << "' takes " << taken << " of "
                      << type << ", where its offsets fit "
                      << formatSizes(getSizes(region, dim))
                      << " as well; give sizes";
    return;
  }
}

void tile::warnOfImpliedRegions(Operation *root) {
  root->walk([](Operation *op) {
    for (ImpliedRegion &region : getImpliedRegions(op))
      warnOfRegion(op, std::move(region));
  });
}
