//===- VectorizeAccess.cpp - the parts of buffers that a loop touches
//--------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// Which of the last two iteration variables values depend on.
Vectorizer::Shape Vectorizer::getDependence(ValueRange values) {
  bool usesRow = false, usesColumn = false;
  SmallVector<Value> work(values);
  DenseSet<Value> seen;
  Block &body = parallel.getBody().front();
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || linear.lookup(value) ||
        !parallel->isAncestor(value.getParentRegion()->getParentOp()))
      continue;
    auto arg = dyn_cast<BlockArgument>(value);
    if (arg && arg.getOwner() == &body) {
      usesColumn |= arg.getArgNumber() == dims.back();
      usesRow |= rows && arg.getArgNumber() == dims[dims.size() - 2];
      continue;
    }
    auto known = operands.find(value);
    if (known != operands.end()) {
      Shape shape = known->second.shape;
      usesRow |= rows && (shape == Shape::Full || shape == Shape::Column);
      usesColumn |= shape == Shape::Full || shape == Shape::Row;
    } else if (Operation *def = value.getDefiningOp()) {
      llvm::append_range(work, def->getOperands());
    }
  }
  return getShape(usesRow, usesColumn);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Row and column in the matrix of a tile, where they are linear.
std::optional<Vectorizer::Place> Vectorizer::getPlace(Value buffer,
                                                      ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Place place;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    std::optional<Linear> index = linear.get(indices[dim]);
    if (!index)
      return std::nullopt;
    if (!place.column) {
      place.column = index;
      continue;
    }
    Linear scaled = linear.scaled(loc(), *index, stride);
    place.row = place.row ? linear.sum(loc(), *place.row, scaled) : scaled;
    stride *= type.getDimSize(dim);
  }
  return place;
}

/// What one step of a variable of the loop adds to an index.
int64_t Vectorizer::getStep(const std::optional<Linear> &index,
                            bool ofRow) const {
  if (!index || (ofRow && !rows))
    return 0;
  return index->coefficients[ofRow ? dims[dims.size() - 2] : dims.back()];
}

/// Whether a value is known to be a multiple of `factor`.
static bool isMultiple(Value value, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant % factor == 0;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    return loop && arg == loop.getInductionVar() &&
           isMultiple(loop.getLowerBound(), factor) &&
           isMultiple(loop.getStep(), factor);
  }
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(def))
    return apply.getAffineMap().getResult(0).isMultipleOf(factor);
  if (isa<arith::AddIOp, arith::SubIOp>(def))
    return isMultiple(def->getOperand(0), factor) &&
           isMultiple(def->getOperand(1), factor);
  if (isa<arith::MulIOp>(def)) {
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> constant =
              getConstantIntValue(def->getOperand(i)))
        return isMultiple(def->getOperand(1 - i),
                          factor / std::gcd(factor, *constant));
    return isMultiple(def->getOperand(0), factor) ||
           isMultiple(def->getOperand(1), factor);
  }
  return false;
}

/// Whether a column is known to begin at a block of UB.
bool Vectorizer::isAligned(const Linear &column, Type element) {
  int64_t unit =
      l.spec.blockBytes / std::max(1u, element.getIntOrFloatBitWidth() / 8);
  return column.constant % unit == 0 &&
         (!column.uniform || isMultiple(column.uniform, unit));
}

/// Whether `count` places from an index on are known to be there. What is not
/// in a branch is there.
bool Vectorizer::isInside(const std::optional<Linear> &index, int64_t count,
                          int64_t extent) const {
  return !guard || !index ||
         (!index->uniform && index->constant >= 0 &&
          index->constant + count <= extent);
}

/// The part of a tile that the iterations access, and its shape, if it is rows
/// and columns side by side.
FailureOr<std::optional<Vectorizer::Operand>>
Vectorizer::getTilePart(Value buffer, ValueRange indices) {
  using None = std::optional<Operand>;
  Value matrix = l.buffers.getMatrixOf(current, buffer);
  if (!matrix)
    return failure();
  auto mtype = cast<MemRefType>(matrix.getType());
  std::optional<Place> place = getPlace(buffer, indices);
  if (!place || !place->column ||
      !isAligned(*place->column, mtype.getElementType()))
    return None();
  auto &[row, column] = *place;
  int64_t columnLast = getStep(column, false),
          columnOuter = getStep(column, true), rowLast = getStep(row, false),
          rowOuter = getStep(row, true);
  auto isUnit = [](int64_t c) { return c == 0 || c == 1; };
  bool asColumn = columnOuter == 1 && !columnLast && !rowOuter && !rowLast &&
                  mtype.getRank() == 1;
  bool plain =
      !columnOuter && !rowLast && isUnit(columnLast) && isUnit(rowOuter);
  if (!asColumn && !plain)
    return None();
  int64_t partRows = rowOuter ? *rows : 1;
  int64_t partColumns = asColumn ? *rows : columnLast ? columns : 1;
  if (!asColumn && !columnLast && mtype.getDimSize(mtype.getRank() - 1) != 1)
    return None();
  if (!isInside(row, partRows,
                mtype.getRank() == 2 ? mtype.getDimSize(0) : 1) ||
      !isInside(column, partColumns, mtype.getShape().back()))
    return None();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto getOffset = [&](const std::optional<Linear> &index) -> OpFoldResult {
    if (!index)
      return zero;
    if (!index->uniform)
      return b.getIndexAttr(index->constant);
    return linear.getUniform(loc(), *index);
  };
  Value part = l.buffers.createPart(loc(), matrix, getOffset(row),
                                    getOffset(column), partRows, partColumns);
  Shape shape =
      asColumn ? Shape::Column : getShape(rowOuter != 0, columnLast != 0);
  auto ptype = cast<MemRefType>(part.getType());
  // One row of a matrix is a vector.
  if (ptype.getRank() == 2 && (shape == Shape::Row || !rows)) {
    auto reduced = memref::SubViewOp::inferRankReducedResultType(
        {partColumns}, ptype, ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{1, partColumns}, ArrayRef<int64_t>{1, 1});
    part = memref::SubViewOp::create(
        b, loc(), cast<MemRefType>(reduced), part, {zero, zero},
        {one, b.getIndexAttr(partColumns)}, {one, one});
  }
  return None(Operand{shape, part, Value()});
}

//===----------------------------------------------------------------------===//
// Global buffers
//===----------------------------------------------------------------------===//

/// The region of GM that the iterations access, and its shape, if each
/// dimension is one variable, in the order of the loops.
std::optional<std::pair<GlobalRegion, Vectorizer::Shape>>
Vectorizer::getGlobalPart(Value buffer, ValueRange indices) {
  GlobalRegion region;
  region.buffer = buffer;
  SmallVector<unsigned> used;
  for (Value value : indices) {
    std::optional<Linear> index = linear.get(value);
    if (!index)
      return std::nullopt;
    int64_t size = 1;
    for (unsigned i : dims) {
      int64_t coefficient = index->coefficients[i];
      if (coefficient == 0 || parallel.getStaticExtents()[i] == 1)
        continue;
      bool inOrder = used.empty() || used.back() < i;
      if (coefficient != 1 || size != 1 || !inOrder)
        return std::nullopt;
      size = parallel.getStaticExtents()[i];
      used.push_back(i);
    }
    region.offsets.push_back(linear.getUniform(loc(), *index));
    region.sizes.push_back(size);
  }
  // The elements of a row are neighbours.
  if (region.sizes.back() == 1 && !used.empty())
    return std::nullopt;
  bool usesColumn = isSingle() || llvm::is_contained(used, dims.back());
  bool usesRow = rows && llvm::is_contained(used, dims[dims.size() - 2]);
  return std::pair(region, getShape(usesRow, usesColumn));
}
