//===- VectorIndices.cpp - the parts of buffers that a loop accesses ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorIndices.h"

#include "Tile/Analysis/Multiples.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::ascend;

/// Whether there is one iteration.
bool mlir::tile::ascend::isSingle(Vectorizer &v) {
  return llvm::all_of(v.parallel.getStaticExtents(),
                      [](int64_t extent) { return extent == 1; });
}

/// Which of the last two iteration variables values depend on.
VectorShape mlir::tile::ascend::getDependence(Vectorizer &v,
                                              ValueRange values) {
  bool usesRow = false, usesColumn = false;
  SmallVector<Value> work(values);
  DenseSet<Value> seen;
  Block &body = v.parallel.getBody().front();
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || v.linear.lookup(value) ||
        !v.parallel->isAncestor(value.getParentRegion()->getParentOp()))
      continue;
    auto arg = dyn_cast<BlockArgument>(value);
    if (arg && arg.getOwner() == &body) {
      usesColumn |= arg.getArgNumber() == v.dims.back();
      usesRow |= v.rows && arg.getArgNumber() == v.dims[v.dims.size() - 2];
      continue;
    }
    auto known = v.operands.find(value);
    if (known != v.operands.end()) {
      VectorShape shape = known->second.shape;
      usesRow |= v.rows &&
                 (shape == VectorShape::Full || shape == VectorShape::Column);
      usesColumn |= shape == VectorShape::Full || shape == VectorShape::Row;
    } else if (Operation *def = value.getDefiningOp()) {
      llvm::append_range(work, def->getOperands());
    }
  }
  return v.getShape(usesRow, usesColumn);
}

/// What one step of a variable of the loop adds to an index.
int64_t mlir::tile::ascend::getStep(Vectorizer &v,
                                    const std::optional<Linear> &index,
                                    bool ofRow) {
  if (!index || (ofRow && !v.rows))
    return 0;
  return index->coefficients[ofRow ? v.dims[v.dims.size() - 2] : v.dims.back()];
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Row and column in the matrix of a tile, where they are linear.
std::optional<TilePlace>
mlir::tile::ascend::getPlace(Vectorizer &v, Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  TilePlace place;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    std::optional<Linear> index = v.linear.get(indices[dim]);
    if (!index)
      return std::nullopt;
    if (!place.column) {
      place.column = index;
      continue;
    }
    Linear scaled = v.linear.scaled(v.loc(), *index, stride);
    place.row = place.row ? v.linear.sum(v.loc(), *place.row, scaled) : scaled;
    stride *= type.getDimSize(dim);
  }
  return place;
}

/// Whether a column is known to begin at a block of UB.
static bool isAligned(Vectorizer &v, const Linear &column, Type element) {
  int64_t unit =
      v.l.spec.blockBytes / std::max(1u, element.getIntOrFloatBitWidth() / 8);
  return column.constant % unit == 0 &&
         (!column.uniform || isMultiple(column.uniform, unit));
}

/// The part of a tile that the iterations access, and its shape, if it is rows
/// and columns side by side.
FailureOr<std::optional<VectorOperand>>
mlir::tile::ascend::getTilePart(Vectorizer &v, Value buffer,
                                ValueRange indices) {
  using None = std::optional<VectorOperand>;
  Value matrix = v.l.buffers.getMatrixOf(v.current, buffer);
  if (!matrix)
    return failure();
  auto mtype = cast<MemRefType>(matrix.getType());
  std::optional<TilePlace> place = getPlace(v, buffer, indices);
  if (!place || !place->column ||
      !isAligned(v, *place->column, mtype.getElementType()))
    return None();
  auto &[row, column] = *place;
  int64_t columnLast = getStep(v, column, false),
          columnOuter = getStep(v, column, true),
          rowLast = getStep(v, row, false), rowOuter = getStep(v, row, true);
  auto isUnit = [](int64_t c) { return c == 0 || c == 1; };
  bool asColumn = columnOuter == 1 && !columnLast && !rowOuter && !rowLast &&
                  mtype.getRank() == 1;
  bool plain =
      !columnOuter && !rowLast && isUnit(columnLast) && isUnit(rowOuter);
  if (!asColumn && !plain)
    return None();
  int64_t partRows = rowOuter ? *v.rows : 1;
  int64_t partColumns = asColumn ? *v.rows : columnLast ? v.columns : 1;
  if (!asColumn && !columnLast && mtype.getDimSize(mtype.getRank() - 1) != 1)
    return None();
  OpFoldResult zero = v.b.getIndexAttr(0), one = v.b.getIndexAttr(1);
  auto getOffset = [&](const std::optional<Linear> &index) -> OpFoldResult {
    if (!index)
      return zero;
    if (!index->uniform)
      return v.b.getIndexAttr(index->constant);
    return v.linear.getUniform(v.loc(), *index);
  };
  Value part = v.l.buffers.createPart(v.loc(), matrix, getOffset(row),
                                      getOffset(column), partRows, partColumns);
  VectorShape shape = asColumn ? VectorShape::Column
                               : v.getShape(rowOuter != 0, columnLast != 0);
  auto ptype = cast<MemRefType>(part.getType());
  // One row of a matrix is a vector.
  if (ptype.getRank() == 2 && (shape == VectorShape::Row || !v.rows)) {
    auto reduced = memref::SubViewOp::inferRankReducedResultType(
        {partColumns}, ptype, ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{1, partColumns}, ArrayRef<int64_t>{1, 1});
    part = memref::SubViewOp::create(
        v.b, v.loc(), cast<MemRefType>(reduced), part, {zero, zero},
        {one, v.b.getIndexAttr(partColumns)}, {one, one});
  }
  return None(VectorOperand{shape, part, Value()});
}

//===----------------------------------------------------------------------===//
// Global buffers
//===----------------------------------------------------------------------===//

/// The region of GM that the iterations access, and its shape, if each
/// dimension is one variable, in the order of the loops.
std::optional<std::pair<GlobalRegion, VectorShape>>
mlir::tile::ascend::getGlobalPart(Vectorizer &v, Value buffer,
                                  ValueRange indices) {
  GlobalRegion region;
  region.buffer = buffer;
  SmallVector<unsigned> used;
  for (Value value : indices) {
    std::optional<Linear> index = v.linear.get(value);
    if (!index)
      return std::nullopt;
    int64_t size = 1;
    for (unsigned i : v.dims) {
      int64_t coefficient = index->coefficients[i];
      if (coefficient == 0 || v.parallel.getStaticExtents()[i] == 1)
        continue;
      bool inOrder = used.empty() || used.back() < i;
      if (coefficient != 1 || size != 1 || !inOrder)
        return std::nullopt;
      size = v.parallel.getStaticExtents()[i];
      used.push_back(i);
    }
    region.offsets.push_back(v.linear.getUniform(v.loc(), *index));
    region.sizes.push_back(size);
  }
  // The elements of a row are neighbours.
  if (!used.empty() && region.sizes.back() == 1)
    return std::nullopt;
  bool usesColumn = isSingle(v) || llvm::is_contained(used, v.dims.back());
  bool usesRow = v.rows && llvm::is_contained(used, v.dims[v.dims.size() - 2]);
  return std::pair(region, v.getShape(usesRow, usesColumn));
}
