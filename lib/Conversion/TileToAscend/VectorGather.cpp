//===- VectorGather.cpp - gathers -----------------------------------------===//
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

#include "VectorElements.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// The vector of 32-bit integers that an index is.
static std::optional<VectorOperand> getIndexVector(Vectorizer &v, Value index) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (!cast || !cast.getIn().getType().isInteger(32))
    return std::nullopt;
  auto known = v.operands.find(cast.getIn());
  if (known == v.operands.end() || !known->second.matrix)
    return std::nullopt;
  return known->second;
}

/// The one index of a load that is neither linear nor uniform, but a vector.
std::optional<unsigned> mlir::tile::ascend::findGather(Vectorizer &v,
                                                       memref::LoadOp load) {
  std::optional<unsigned> found;
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    if (v.linear.get(index))
      continue;
    if (found || !getIndexVector(v, index))
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// The other indices, before the loop: 0 for the one of the gather; none if one
/// is another variable. `isRow`: the last one is the innermost iteration
/// variable.
static std::optional<SmallVector<Value>> getGatherOffsets(Vectorizer &v,
                                                      memref::LoadOp load,
                                                      unsigned gathered,
                                                      bool &isRow) {
  SmallVector<Value> offsets;
  unsigned last = load.getIndices().size() - 1;
  isRow = false;
  for (auto [dim, value] : llvm::enumerate(load.getIndices())) {
    if (dim == gathered) {
      offsets.push_back(v.l.constantIndex(v.loc(), 0));
      continue;
    }
    Linear index = *v.linear.get(value);
    for (unsigned i : v.dims)
      if (int64_t step = index.coefficients[i]) {
        if (step != 1 || dim != last || i != v.dims.back())
          return std::nullopt;
        isRow = true;
      }
    offsets.push_back(v.linear.getUniform(v.loc(), index));
  }
  return offsets;
}

/// Offsets of elements are in bytes.
static LogicalResult gatherTile(Vectorizer &v, memref::LoadOp load,
                                unsigned dim, const VectorOperand &index) {
  Value matrix = v.l.buffers.getMatrixOf(load, load.getMemRef());
  if (!matrix)
    return failure();
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType();
  auto indices = cast<MemRefType>(index.matrix.getType());
  if (type.getRank() != 1 || load.getMemRefType().getDimSize(dim) == 1 ||
      !getMatrix(indices)->isContiguous() ||
      getComputeType(v.l, "Gather", element) != element)
    return loadElements(v, load);
  VectorOperand offsets =
      v.applyScalar(ScalarKind::Muls, index,
                    v.l.constantOf(v.loc(), v.b.getI32Type(),
                                   element.getIntOrFloatBitWidth() / 8),
                    v.b.getI32Type());
  VectorOperand result;
  result.shape = index.shape;
  result.matrix = v.createTemp(index.shape, element);
  GatherOp::create(v.b, v.loc(), result.matrix, matrix, offsets.matrix);
  v.operands[load.getResult()] = result;
  return success();
}

LogicalResult mlir::tile::ascend::vectorizeGather(Vectorizer &v,
                                                  memref::LoadOp load,
                                                  unsigned dim) {
  VectorOperand index = *getIndexVector(v, load.getIndices()[dim]);
  if (tl::getMemorySpace(load.getMemRef()) != MemorySpace::Global)
    return gatherTile(v, load, dim, index);
  bool isRow;
  std::optional<SmallVector<Value>> offsets =
      getGatherOffsets(v, load, dim, isRow);
  if (!offsets || (isRow && (!v.rows || index.shape != VectorShape::Column)))
    return loadElements(v, load);
  VectorOperand result;
  result.shape = isRow ? VectorShape::Full : index.shape;
  result.matrix = v.createTemp(result.shape, load.getType());
  v.operands[load.getResult()] = result;
  // Rows of the index, and elements of a row that is not copied as a whole.
  auto type = cast<MemRefType>(index.matrix.getType());
  SmallVector<Value> position;
  OpBuilder::InsertionGuard guard(v.b);
  for (int64_t extent : type.getShape()) {
    auto loop = scf::ForOp::create(v.b, v.loc(), v.l.constantIndex(v.loc(), 0),
                                   v.l.constantIndex(v.loc(), extent),
                                   v.l.constantIndex(v.loc(), 1));
    v.b.setInsertionPointToStart(loop.getBody());
    position.push_back(loop.getInductionVar());
  }
  Value word = memref::LoadOp::create(v.b, v.loc(), index.matrix, position);
  (*offsets)[dim] =
      arith::IndexCastOp::create(v.b, v.loc(), v.b.getIndexType(), word);
  if (!isRow) {
    Value element = createGlobalRead(v.l, load, load.getMemRef(), *offsets);
    memref::StoreOp::create(v.b, v.loc(), element, result.matrix, position);
    return success();
  }
  GlobalRegion region;
  region.buffer = load.getMemRef();
  region.offsets = *offsets;
  region.sizes.assign(offsets->size(), 1);
  region.sizes.back() = v.columns;
  return createLoad(v.l, load,
                    v.l.buffers.createRow(v.loc(), result.matrix, position[0]),
                    region);
}
