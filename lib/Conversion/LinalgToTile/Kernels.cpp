//===- Kernels.cpp - kernels of one element for each iteration ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Parts of kernels
//===----------------------------------------------------------------------===//

TiledKernel tile::createTiledKernel(OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> shape,
                                    ArrayRef<int64_t> tile) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  SmallVector<OpFoldResult> counts;
  for (auto [extent, size] : llvm::zip_equal(shape, tile)) {
    if (std::optional<int64_t> number = getConstantIntValue(extent)) {
      counts.push_back(b.getIndexAttr(llvm::divideCeil(*number, size)));
      continue;
    }
    Value width = arith::ConstantIndexOp::create(b, loc, size);
    counts.push_back(
        arith::CeilDivUIOp::create(b, loc, cast<Value>(extent), width)
            .getResult());
  }
  OpFoldResult blocks = getVolume(b, loc, counts);
  std::optional<int64_t> number = getConstantIntValue(blocks);
  SmallVector<Value> dynamic;
  if (!number)
    dynamic.push_back(cast<Value>(blocks));
  auto kernel = KernelOp::create(
      b, loc, dynamic, ArrayRef<int64_t>{number.value_or(ShapedType::kDynamic)},
      /*threads=*/128, DenseI64ArrayAttr(), IntegerAttr(),
      /*persistent_grid=*/false, ArrayAttr());
  OpBuilder inner(b.getContext());
  Block *body = inner.createBlock(&kernel.getBody(), {}, b.getIndexType(), loc);
  SmallVector<Value> offsets;
  for (auto [index, size] :
       llvm::zip_equal(
           delinearize(inner, loc, body->getArgument(0), counts), tile))
    offsets.push_back(asValue(
        inner, loc,
        affine::makeComposedFoldedAffineApply(inner, loc, d0 * size, {index})));
  return {kernel, offsets};
}

void tile::createPipelined(OpBuilder &b, OpBuilder &host, Location loc,
                           OpFoldResult volume, int64_t width, int64_t stages,
                           function_ref<void(OpBuilder &, Value)> body) {
  std::optional<int64_t> number = getConstantIntValue(volume);
  SmallVector<Value> dynamic;
  int64_t steps = ShapedType::kDynamic;
  if (number)
    steps = llvm::divideCeil(*number, width);
  else
    dynamic.push_back(arith::CeilDivUIOp::create(
        host, loc, cast<Value>(volume),
        arith::ConstantIndexOp::create(host, loc, width)));
  auto loop = PipelinedOp::create(b, loc, dynamic,
                                  ArrayRef<int64_t>{0, steps, 1}, stages,
                                  DenseI64ArrayAttr(), DenseI64ArrayAttr());
  OpBuilder inner(b.getContext());
  Block *block = inner.createBlock(&loop.getBody(), {}, b.getIndexType(), loc);
  body(inner, mulIndex(inner, loc, block->getArgument(0),
                       b.getIndexAttr(width)));
}

void tile::createParallel(OpBuilder &b, Location loc,
                          ArrayRef<int64_t> extents,
                          function_ref<void(OpBuilder &, ValueRange)> body) {
  auto loop = ParallelOp::create(b, loc, ValueRange(), extents, IntegerAttr(),
                                 LayoutAttr());
  OpBuilder inner(b.getContext());
  Block *block = inner.createBlock(
      &loop.getBody(), {},
      SmallVector<Type>(extents.size(), b.getIndexType()),
      SmallVector<Location>(extents.size(), loc));
  body(inner, block->getArguments());
}

Value tile::createTile(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                       Type element, MemorySpace space) {
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              MemorySpaceAttr::get(b.getContext(), space));
  return AllocOp::create(b, loc, type, LayoutAttr(), IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// The extents of all results, computed in front of the op.
static ReifiedRankedShapedTypeDims getResultShapes(OpBuilder &b,
                                                   Operation *op) {
  ReifiedRankedShapedTypeDims shapes;
  if (succeeded(reifyResultShapes(b, op, shapes)))
    return shapes;
  // untested: ops with a form tell their shape, and all others are static
  for (Value result : op->getResults())
    shapes.push_back(tensor::getMixedSizes(b, op->getLoc(), result));
  return shapes;
}

Outputs::Outputs(OpBuilder &b, Operation *op) : op(op) {
  ReifiedRankedShapedTypeDims shapes = getResultShapes(b, op);
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dynamic;
    for (OpFoldResult extent : shapes[result.getResultNumber()])
      if (auto value = dyn_cast<Value>(extent))
        dynamic.push_back(value);
    buffers.push_back(memref::AllocOp::create(
        b, op->getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), dynamic));
  }
}

void Outputs::store(OpBuilder &b, Location loc, unsigned result, Value value,
                    ValueRange indices) const {
  Type element = getElementTypeOrSelf(buffers[result]);
  if (isa<FloatType>(element))
    value = convertFloat(b, loc, value, element);
  memref::StoreOp::create(b, loc, value, buffers[result], indices);
}

void Outputs::finish(OpBuilder &b) {
  for (auto [result, buffer] : llvm::zip_equal(op->getResults(), buffers)) {
    auto stored = bufferization::ToTensorOp::create(
        b, op->getLoc(), result.getType(), buffer, /*restrict=*/true,
        /*writable=*/false);
    // What the extents were taken from stays, and so does what the kernel
    // computes.
    Block *block = stored->getBlock();
    result.replaceUsesWithIf(stored.getResult(), [&](OpOperand &use) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      return !isa<tensor::DimOp>(use.getOwner()) && user &&
             stored->isBeforeInBlock(user);
    });
  }
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// The operand through which the op takes over each element of `value` to one
/// element of its result.
static OpOperand *getChained(Operation *op, Value value) {
  OpOperand &use = *value.use_begin();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return use.getOperandNumber() == 0 ? &use : nullptr;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !isElementwise(op) || op->getNumResults() != 1 ||
      !linalgOp.isDpsInput(&use))
    return nullptr;
  AffineMap map = linalgOp.getMatchingIndexingMap(&use);
  return map.isPermutation() ? &use : nullptr;
}

/// The one use of a value that is not about its extents.
static Operation *getOnlyUser(Value value) {
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

Chain tile::findChain(Value computed) {
  Chain chain;
  Value value = computed;
  while (Operation *user = getOnlyUser(value)) {
    if (user->getBlock() != computed.getParentBlock() ||
        !getChained(user, value))
      break;
    chain.push_back(user);
    value = user->getResult(0);
  }
  return chain;
}

SmallVector<Value> tile::followChain(ElementBuilder &elements, OpBuilder &b,
                                     Location loc, Value computed,
                                     const Chain &chain, ValueRange indices) {
  SmallVector<Value> place(indices);
  Value value = computed;
  for (Operation *op : chain) {
    OpOperand &use = *getChained(op, value);
    value = op->getResult(0);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      AffineMap map = linalgOp.getMatchingIndexingMap(&use);
      SmallVector<Value> ivs =
          applyMap(b, loc, inversePermutation(map), place);
      place = applyMap(b, loc,
                       linalgOp.getMatchingIndexingMap(
                           linalgOp.getDpsInitOperand(0)),
                       ivs);
      continue;
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      place = expandIndices(b, loc, place, expand.getMixedOutputShape(),
                            expand.getReassociationIndices());
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      place = collapseIndices(b, loc, place,
                              elements.getSizes(collapse.getSrc()),
                              collapse.getReassociationIndices());
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Up to 1024 elements, the innermost dimensions whole where they fit.
static SmallVector<int64_t> chooseTile(ArrayRef<OpFoldResult> shape) {
  SmallVector<int64_t> tile(shape.size(), 1);
  int64_t left = 1024;
  for (size_t dim = shape.size(); dim-- > 0 && left > 1;) {
    std::optional<int64_t> extent = getConstantIntValue(shape[dim]);
    tile[dim] = extent ? std::clamp<int64_t>(*extent, 1, left)
                       : std::min<int64_t>(left, 256);
    left /= tile[dim];
  }
  return tile;
}

void tile::emitCopy(memref::CopyOp copy) {
  Location loc = copy.getLoc();
  OpBuilder b(copy);
  SmallVector<OpFoldResult> shape =
      memref::getMixedSizes(b, loc, copy.getSource());
  bool isScalar = shape.empty();
  if (isScalar)
    shape.push_back(b.getIndexAttr(1));
  SmallVector<int64_t> tile = chooseTile(shape);
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  b = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  createParallel(b, loc, tile, [&](OpBuilder &b, ValueRange local) {
    SmallVector<Value> place;
    if (!isScalar)
      for (auto [offset, index] : llvm::zip_equal(tiled.offsets, local))
        place.push_back(addIndex(b, loc, offset, OpFoldResult(index)));
    Value value = memref::LoadOp::create(b, loc, copy.getSource(), place);
    memref::StoreOp::create(b, loc, value, copy.getTarget(), place);
  });
  copy.erase();
}

/// Loops over what is reduced, around the body, with the results as arguments.
static SmallVector<Value> emitReduction(OpBuilder &b, linalg::LinalgOp op,
                                        ElementBuilder &elements,
                                        ArrayRef<OpFoldResult> sizes,
                                        SmallVector<Value> &ivs,
                                        unsigned loop, ValueRange carried) {
  Location loc = op.getLoc();
  while (loop < sizes.size() && ivs[loop])
    ++loop;
  if (loop == sizes.size()) {
    IRMapping arguments;
    arguments.map(op.getRegionOutputArgs(), carried);
    return elements.getBody(b, op, ivs, arguments);
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto nest = scf::ForOp::create(b, loc, zero,
                                 asValue(b, loc, sizes[loop]), one, carried);
  OpBuilder inner = OpBuilder::atBlockEnd(nest.getBody());
  ivs[loop] = nest.getInductionVar();
  SmallVector<Value> next =
      emitReduction(inner, op, elements, sizes, ivs, loop + 1,
                    nest.getRegionIterArgs());
  ivs[loop] = Value();
  scf::YieldOp::create(inner, loc, next);
  return nest.getResults();
}

void tile::emitElements(Operation *computed, const Chain &chain) {
  Operation *root = chain.empty() ? computed : chain.back();
  Location loc = computed->getLoc();
  OpBuilder b(root);
  Outputs outputs(b, root);
  auto op = dyn_cast<linalg::LinalgOp>(computed);
  SmallVector<OpFoldResult> sizes, shape;
  SmallVector<unsigned> parallel;
  if (op) {
    for (Range range : op.createLoopRanges(b, loc))
      sizes.push_back(range.size);
    op.getParallelDims(parallel);
  } else {
    sizes = getResultShapes(b, computed).front();
    parallel = llvm::to_vector(llvm::seq<unsigned>(sizes.size()));
  }
  for (unsigned loop : parallel)
    shape.push_back(sizes[loop]);
  bool isScalar = shape.empty();
  if (isScalar)
    shape.push_back(b.getIndexAttr(1));
  SmallVector<int64_t> tile = chooseTile(shape);
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  ElementBuilder elements(tiled.kernel);
  OpBuilder inKernel = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  createParallel(inKernel, loc, tile, [&](OpBuilder &b, ValueRange local) {
    SmallVector<Value> ivs(sizes.size());
    for (auto [i, loop] : llvm::enumerate(parallel))
      ivs[loop] = addIndex(b, loc, tiled.offsets[i], OpFoldResult(local[i]));
    if (!op)
      return outputs.store(b, loc, 0,
                           elements.get(b, loc, computed->getResult(0), ivs),
                           ivs);
    SmallVector<Value> results;
    if (op.getNumReductionLoops()) {
      SmallVector<Value> inits;
      for (OpOperand &init : op.getDpsInitsMutable()) {
        Value value = elements.getOperand(b, op, init, ivs);
        inits.push_back(isWidened(op)
                            ? convertFloat(b, loc, value, b.getF32Type())
                            : value);
      }
      results = emitReduction(b, op, elements, sizes, ivs, 0, inits);
    } else {
      results = elements.getBody(b, op, ivs);
    }
    for (auto [i, value] : llvm::enumerate(results)) {
      SmallVector<Value> place = applyMap(
          b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(i)), ivs);
      if (!chain.empty()) {
        Value element = value;
        Type type = getElementTypeOrSelf(computed->getResult(0));
        if (isa<FloatType>(type))
          element = convertFloat(b, loc, element, type);
        elements.bind(computed->getResult(0),
                      [=](OpBuilder &, Location, ValueRange) {
                        return element;
                      });
        place = followChain(elements, b, loc, computed->getResult(0), chain,
                            place);
        value = elements.get(b, loc, root->getResult(0), place);
      }
      outputs.store(b, loc, i, value, place);
    }
  });
  OpBuilder behind(root);
  outputs.finish(behind);
}
