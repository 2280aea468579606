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
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Parts of kernels
//===----------------------------------------------------------------------===//

Value Choice::get(OpBuilder &b, Location loc) const {
  if (parameter)
    return GetParamOp::create(b, loc, b.getIndexType(), parameter);
  return arith::ConstantIndexOp::create(b, loc, number);
}

bool Choice::divides(OpFoldResult extent) const {
  std::optional<int64_t> value = getConstantIntValue(extent);
  return value && *value % number == 0;
}

Value Choice::scale(OpBuilder &b, Location loc, Value index) const {
  if (!parameter)
    return mulIndex(b, loc, index, b.getIndexAttr(number));
  AffineExpr product = b.getAffineDimExpr(0) * b.getAffineSymbolExpr(0);
  return affine::AffineApplyOp::create(b, loc, AffineMap::get(1, 1, product),
                                       ValueRange{index, get(b, loc)});
}

void tile::setChoice(Operation *op, StringAttr attribute,
                     const Choice &choice) {
  Builder b(op->getContext());
  if (!choice.parameter)
    return op->setAttr(attribute, b.getI64IntegerAttr(choice.number));
  SmallVector<NamedAttribute> named;
  if (auto known = op->getAttrOfType<DictionaryAttr>(kParametersAttrName))
    llvm::append_range(named, known);
  named.emplace_back(attribute, choice.parameter);
  op->setAttr(kParametersAttrName, b.getDictionaryAttr(named));
}

/// How many steps of a width cover an extent.
static OpFoldResult countSteps(OpBuilder &b, Location loc, OpFoldResult extent,
                               const Choice &width) {
  std::optional<int64_t> number = getConstantIntValue(extent);
  if (number && !width.parameter)
    return b.getIndexAttr(llvm::divideCeil(*number, width.number));
  Value total = asValue(b, loc, extent), step = width.get(b, loc);
  if (width.parameter)
    return arith::CeilDivSIOp::create(b, loc, total, step).getResult();
  return arith::CeilDivUIOp::create(b, loc, total, step).getResult();
}

TiledKernel tile::createTiledKernel(OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> shape,
                                    ArrayRef<Choice> tile,
                                    const Choice &threads) {
  SmallVector<OpFoldResult> counts, grid;
  for (auto [extent, size] : llvm::zip_equal(shape, tile))
    counts.push_back(countSteps(b, loc, extent, size));
  // The dimensions that share the last one of the grid.
  size_t shared =
      llvm::find_if(tile, [](const Choice &size) { return size.parameter; }) -
      tile.begin();
  for (OpFoldResult count : ArrayRef(counts).drop_front(shared))
    if (!isConstantIntValue(count, 1))
      grid.push_back(count);
  if (shared != 0 || grid.empty())
    grid.push_back(getVolume(b, loc, ArrayRef(counts).take_front(shared)));
  SmallVector<Value> dynamic;
  SmallVector<int64_t> extents;
  dispatchIndexOpFoldResults(grid, dynamic, extents);
  auto kernel = KernelOp::create(b, loc, dynamic, extents, /*threads=*/128,
                                 DenseI64ArrayAttr(), IntegerAttr(),
                                 /*persistent_grid=*/false, ArrayAttr());
  setChoice(kernel, kernel.getThreadsAttrName(), threads);
  OpBuilder inner(b.getContext());
  Block *body = inner.createBlock(
      &kernel.getBody(), {}, SmallVector<Type>(grid.size(), b.getIndexType()),
      SmallVector<Location>(grid.size(), loc));
  SmallVector<Value> places;
  if (shared != 0)
    places = delinearize(inner, loc, body->getArguments().back(),
                         ArrayRef(counts).take_front(shared));
  unsigned next = 0;
  for (OpFoldResult count : ArrayRef(counts).drop_front(shared))
    places.push_back(isConstantIntValue(count, 1)
                         ? arith::ConstantIndexOp::create(inner, loc, 0)
                         : Value(body->getArgument(next++)));
  SmallVector<Value> offsets;
  for (auto [place, size] : llvm::zip_equal(places, tile))
    offsets.push_back(size.scale(inner, loc, place));
  return {kernel, offsets};
}

void tile::createPipelined(OpBuilder &b, OpBuilder &host, Location loc,
                           OpFoldResult volume, const Choice &width,
                           const Choice &stages,
                           function_ref<void(OpBuilder &, Value)> body,
                           Value end) {
  OpFoldResult steps = countSteps(host, loc, volume, width);
  if (end)
    steps = arith::MinSIOp::create(
                b, loc,
                asValue(b, loc, countSteps(b, loc, OpFoldResult(end), width)),
                asValue(b, loc, steps))
                .getResult();
  SmallVector<Value> dynamic;
  SmallVector<int64_t> bounds;
  dispatchIndexOpFoldResults({b.getIndexAttr(0), steps, b.getIndexAttr(1)},
                             dynamic, bounds);
  auto loop =
      PipelinedOp::create(b, loc, dynamic, bounds, /*stages=*/stages.number,
                          DenseI64ArrayAttr(), DenseI64ArrayAttr());
  setChoice(loop, loop.getStagesAttrName(), stages);
  OpBuilder inner(b.getContext());
  Block *block = inner.createBlock(&loop.getBody(), {}, b.getIndexType(), loc);
  body(inner, width.scale(inner, loc, block->getArgument(0)));
}

/// The static extents, and values of the others.
static std::pair<SmallVector<int64_t>, SmallVector<Value>>
splitExtents(OpBuilder &b, Location loc, ArrayRef<Choice> extents) {
  std::pair<SmallVector<int64_t>, SmallVector<Value>> result;
  for (const Choice &extent : extents) {
    result.first.push_back(extent.getExtent());
    if (extent.parameter)
      result.second.push_back(extent.get(b, loc));
  }
  return result;
}

void tile::createParallel(OpBuilder &b, Location loc, ArrayRef<Choice> extents,
                          function_ref<void(OpBuilder &, ValueRange)> body) {
  auto [shape, dynamic] = splitExtents(b, loc, extents);
  auto loop =
      ParallelOp::create(b, loc, dynamic, shape, IntegerAttr(), LayoutAttr());
  OpBuilder inner(b.getContext());
  Block *block = inner.createBlock(
      &loop.getBody(), {}, SmallVector<Type>(extents.size(), b.getIndexType()),
      SmallVector<Location>(extents.size(), loc));
  body(inner, block->getArguments());
}

Value tile::createTile(OpBuilder &b, Location loc, ArrayRef<Choice> shape,
                       Type element, MemorySpace space) {
  auto [extents, dynamic] = splitExtents(b, loc, shape);
  auto type = MemRefType::get(extents, element, MemRefLayoutAttrInterface(),
                              MemorySpaceAttr::get(b.getContext(), space));
  return AllocOp::create(b, loc, type, dynamic, LayoutAttr(), IntegerAttr());
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
  // The kernel that is built may use the value, too.
  OpOperand &use = *llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == value;
  });
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
      SmallVector<Value> ivs = applyMap(b, loc, inversePermutation(map), place);
      place = applyMap(
          b, loc,
          linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0)), ivs);
      continue;
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      place = expandIndices(b, loc, place, expand.getMixedOutputShape(),
                            expand.getReassociationIndices());
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      place =
          collapseIndices(b, loc, place, elements.getSizes(collapse.getSrc()),
                          collapse.getReassociationIndices());
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Up to 1024 elements, the innermost dimensions whole where they fit.
static SmallVector<Choice> chooseTile(ArrayRef<OpFoldResult> shape) {
  SmallVector<Choice> tile(shape.size(), 1);
  int64_t left = 1024;
  for (size_t dim = shape.size(); dim-- > 0 && left > 1;) {
    std::optional<int64_t> extent = getConstantIntValue(shape[dim]);
    int64_t size = extent ? std::clamp<int64_t>(*extent, 1, left)
                          : std::min<int64_t>(left, 256);
    tile[dim] = size;
    left /= size;
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
  SmallVector<Choice> tile = chooseTile(shape);
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
                                        SmallVector<Value> &ivs, unsigned loop,
                                        ValueRange carried, bool isUnrolled) {
  Location loc = op.getLoc();
  while (loop < sizes.size() && ivs[loop])
    ++loop;
  if (loop == sizes.size()) {
    IRMapping arguments;
    arguments.map(op.getRegionOutputArgs(), carried);
    return elements.getBody(b, op, ivs, arguments);
  }
  if (isUnrolled) {
    SmallVector<Value> results(carried);
    for (int64_t i = 0; i < *getConstantIntValue(sizes[loop]); ++i) {
      ivs[loop] = arith::ConstantIndexOp::create(b, loc, i);
      results = emitReduction(b, op, elements, sizes, ivs, loop + 1, results,
                              isUnrolled);
    }
    ivs[loop] = Value();
    return results;
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto nest = scf::ForOp::create(b, loc, zero, asValue(b, loc, sizes[loop]),
                                 one, carried);
  OpBuilder inner = OpBuilder::atBlockEnd(nest.getBody());
  ivs[loop] = nest.getInductionVar();
  SmallVector<Value> next =
      emitReduction(inner, op, elements, sizes, ivs, loop + 1,
                    nest.getRegionIterArgs(), isUnrolled);
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
  int64_t reduced = 1;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (llvm::is_contained(parallel, loop))
      shape.push_back(size);
    else if (reduced <= kUnrolled)
      reduced *= getConstantIntValue(size).value_or(kUnrolled + 1);
  }
  bool isUnrolled = reduced <= kUnrolled;
  bool isScalar = shape.empty();
  if (isScalar)
    shape.push_back(b.getIndexAttr(1));
  SmallVector<Choice> tile = chooseTile(shape);
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  ElementBuilder elements(tiled.kernel);
  OpBuilder inKernel = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  createParallel(inKernel, loc, tile, [&](OpBuilder &b, ValueRange local) {
    SmallVector<Value> ivs(sizes.size());
    for (auto [i, loop] : llvm::enumerate(parallel))
      ivs[loop] = addIndex(b, loc, tiled.offsets[i], OpFoldResult(local[i]));
    if (!op)
      return outputs.store(
          b, loc, 0, elements.get(b, loc, computed->getResult(0), ivs), ivs);
    SmallVector<Value> results;
    if (op.getNumReductionLoops()) {
      SmallVector<Value> inits;
      for (OpOperand &init : op.getDpsInitsMutable()) {
        Value value = elements.getOperand(b, op, init, ivs);
        inits.push_back(isWidened(op)
                            ? convertFloat(b, loc, value, b.getF32Type())
                            : value);
      }
      results =
          emitReduction(b, op, elements, sizes, ivs, 0, inits, isUnrolled);
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
        elements.bind(
            computed->getResult(0),
            [=](OpBuilder &, Location, ValueRange) { return element; });
        place =
            followChain(elements, b, loc, computed->getResult(0), chain, place);
        value = elements.get(b, loc, root->getResult(0), place);
      }
      outputs.store(b, loc, i, value, place);
    }
  });
  OpBuilder behind(root);
  outputs.finish(behind);
}
