//===- VectorizeGather.cpp - loads at indices that were read --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Rows of GM are copied one by one, elements of GM are read by the scalar unit,
// and elements of a tile are gathered by the vector unit.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// The vector of 32-bit integers that an index is.
std::optional<Vectorizer::Operand> Vectorizer::getIndexVector(Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (!cast || !cast.getIn().getType().isInteger(32))
    return std::nullopt;
  auto known = operands.find(cast.getIn());
  if (known == operands.end() || !known->second.matrix)
    return std::nullopt;
  return known->second;
}

/// The one index of a load that is neither linear nor uniform, but a vector.
std::optional<unsigned> Vectorizer::findGather(memref::LoadOp load) {
  std::optional<unsigned> found;
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    if (linear.get(index))
      continue;
    if (found || !getIndexVector(index))
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// The other indices, before the loop: 0 for the one of the gather. `isRow`:
/// the last one is the innermost iteration variable.
FailureOr<SmallVector<Value>> Vectorizer::getGatherOffsets(memref::LoadOp load,
                                                           unsigned gathered,
                                                           bool &isRow) {
  SmallVector<Value> offsets;
  unsigned last = load.getIndices().size() - 1;
  isRow = false;
  for (auto [dim, value] : llvm::enumerate(load.getIndices())) {
    if (dim == gathered) {
      offsets.push_back(l.constantIndex(loc(), 0));
      continue;
    }
    Linear index = *linear.get(value);
    for (unsigned i : dims)
      if (int64_t step = index.coefficients[i]) {
        if (step != 1 || dim != last || i != dims.back())
          return emitError() << "beside the index that was read, the last one "
                                "alone may be an iteration variable, the "
                                "innermost";
        isRow = true;
      }
    offsets.push_back(linear.getUniform(loc(), index));
  }
  return offsets;
}

LogicalResult Vectorizer::vectorizeGather(memref::LoadOp load, unsigned dim) {
  Operand index = *getIndexVector(load.getIndices()[dim]);
  if (tl::getMemorySpace(load.getMemRef()) != MemorySpace::Global)
    return gatherTile(load, dim, index);
  bool isRow;
  FailureOr<SmallVector<Value>> offsets = getGatherOffsets(load, dim, isRow);
  if (failed(offsets))
    return failure();
  if (isRow && (!rows || index.shape != Shape::Column))
    return emitError() << "an index that was read is the same for a whole row, "
                          "or all other indices are the same for all elements";
  Operand result;
  result.shape = isRow ? Shape::Full : index.shape;
  result.matrix = createTemp(result.shape, load.getType());
  operands[load.getResult()] = result;
  // Rows of the index, and elements of a row that is not copied as a whole.
  auto type = cast<MemRefType>(index.matrix.getType());
  SmallVector<Value> position;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t extent : type.getShape()) {
    auto loop = scf::ForOp::create(b, loc(), l.constantIndex(loc(), 0),
                                   l.constantIndex(loc(), extent),
                                   l.constantIndex(loc(), 1));
    b.setInsertionPointToStart(loop.getBody());
    position.push_back(loop.getInductionVar());
  }
  Value word = memref::LoadOp::create(b, loc(), index.matrix, position);
  (*offsets)[dim] =
      arith::IndexCastOp::create(b, loc(), b.getIndexType(), word);
  if (!isRow) {
    Value element = createGlobalRead(l, load, load.getMemRef(), *offsets);
    memref::StoreOp::create(b, loc(), element, result.matrix, position);
    return success();
  }
  GlobalRegion region;
  region.buffer = load.getMemRef();
  region.offsets = *offsets;
  region.sizes.assign(offsets->size(), 1);
  region.sizes.back() = columns;
  return createLoad(
      l, load, l.buffers.createRow(loc(), result.matrix, position[0]), region);
}

/// Offsets of elements are in bytes.
LogicalResult Vectorizer::gatherTile(memref::LoadOp load, unsigned dim,
                                     const Operand &index) {
  Value matrix = l.buffers.getMatrixOf(load, load.getMemRef());
  if (!matrix)
    return failure();
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  auto indices = cast<MemRefType>(index.matrix.getType());
  if (type.getRank() != 1 || load.getMemRefType().getDimSize(dim) == 1 ||
      !getMatrix(indices)->isContiguous())
    return emitError() << "elements are gathered from a tile of one dimension, "
                          "by indices without gaps, got "
                       << tl::formatShape(load.getMemRefType().getShape())
                       << " and " << tl::formatShape(indices.getShape());
  if (getComputeType(l, "Gather", element) != element)
    return emitError() << "the vector unit has no Gather for " << element;
  Operand offsets = applyScalar(
      ScalarKind::Muls, index,
      l.constantOf(loc(), b.getI32Type(), element.getIntOrFloatBitWidth() / 8),
      b.getI32Type());
  Operand result;
  result.shape = index.shape;
  result.matrix = createTemp(index.shape, element);
  GatherOp::create(b, loc(), result.matrix, matrix, offsets.matrix);
  operands[load.getResult()] = result;
  return success();
}
