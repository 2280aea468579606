//===- Elements.cpp - scalar code for elements of tensors -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Which ops have a form
//===----------------------------------------------------------------------===//

static bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  return type.isIndex() || isa<FloatType>(type);
}

static bool isNumericTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isNumber(type.getElementType());
}

bool tile::hasElementForm(linalg::LinalgOp op, std::string &reason) {
  auto fail = [&](const Twine &why) {
    reason = why.str();
    return false;
  };
  if (!op.hasPureTensorSemantics())
    return fail("it is not on tensors");
  for (Value operand : op->getOperands())
    if (isa<ShapedType>(operand.getType()) ? !isNumericTensor(operand)
                                           : !isNumber(operand.getType()))
      return fail("its elements are neither integers nor floats");
  unsigned parallel = op.getNumParallelLoops();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() || map.getNumResults() != parallel)
      return fail("its results are not indexed by all parallel loops");
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp, cf::AssertOp,
            affine::AffineApplyOp>(inner))
      continue;
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            inner.getDialect()) ||
        inner.getNumRegions() != 0)
      return fail("its body has '" + inner.getName().getStringRef() + "'");
  }
  return true;
}

bool tile::isDataMovement(Operation *op) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return llvm::all_of(insert.getStaticStrides(),
                        [](int64_t stride) { return stride > 0; }) &&
           isNumericTensor(op->getResult(0));
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getConstantPaddingValue() && isNumericTensor(op->getResult(0));
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp, tensor::ConcatOp, tensor::SplatOp>(op) &&
         isNumericTensor(op->getResult(0));
}

bool tile::isElementwise(Operation *op) {
  if (isDataMovement(op) || isa<tensor::EmptyOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  std::string ignored;
  return linalgOp && hasElementForm(linalgOp, ignored) &&
         linalgOp.getNumReductionLoops() == 0;
}

static bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

bool tile::isWidened(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  for (Value init : op.getDpsInits())
    if (!isNarrow(getElementTypeOrSelf(init)))
      return false;
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        if (auto extend = dyn_cast<arith::ExtFOp>(inner))
          return extend.getType().isF32();
        return isa<arith::AddFOp, arith::MulFOp, arith::SubFOp,
                   arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                   arith::MinNumFOp>(inner);
      });
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value tile::asValue(OpBuilder &b, Location loc, OpFoldResult number) {
  return getValueOrCreateConstantIndexOp(b, loc, number);
}

SmallVector<Value> tile::applyMap(OpBuilder &b, Location loc, AffineMap map,
                                  ValueRange operands) {
  SmallVector<Value> results;
  SmallVector<OpFoldResult> given = getAsOpFoldResult(operands);
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    results.push_back(asValue(b, loc,
                              affine::makeComposedFoldedAffineApply(
                                  b, loc, map.getSubMap({i}), given)));
  return results;
}

static Value applyExpr(OpBuilder &b, Location loc, AffineExpr expr,
                       ValueRange operands) {
  return applyMap(b, loc,
                  AffineMap::get(operands.size(), 0, expr, b.getContext()),
                  operands)
      .front();
}

Value tile::addIndex(OpBuilder &b, Location loc, Value lhs, OpFoldResult rhs) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  if (std::optional<int64_t> number = getConstantIntValue(rhs))
    return *number == 0 ? lhs : applyExpr(b, loc, d0 + *number, lhs);
  return applyExpr(b, loc, d0 + b.getAffineDimExpr(1),
                   {lhs, cast<Value>(rhs)});
}

Value tile::mulIndex(OpBuilder &b, Location loc, Value lhs, OpFoldResult rhs) {
  if (std::optional<int64_t> number = getConstantIntValue(rhs))
    return *number == 1 ? lhs
                        : applyExpr(b, loc, b.getAffineDimExpr(0) * *number,
                                    lhs);
  return arith::MulIOp::create(b, loc, lhs, cast<Value>(rhs));
}

OpFoldResult tile::getVolume(OpBuilder &b, Location loc,
                             ArrayRef<OpFoldResult> shape) {
  int64_t known = 1;
  Value dynamic;
  for (OpFoldResult extent : shape) {
    if (std::optional<int64_t> number = getConstantIntValue(extent))
      known *= *number;
    else
      dynamic = dynamic ? arith::MulIOp::create(b, loc, dynamic,
                                                cast<Value>(extent))
                        : cast<Value>(extent);
  }
  if (!dynamic)
    return b.getIndexAttr(known);
  return known == 1 ? dynamic
                    : mulIndex(b, loc, dynamic, b.getIndexAttr(known));
}

SmallVector<Value> tile::delinearize(OpBuilder &b, Location loc, Value index,
                                     ArrayRef<OpFoldResult> shape) {
  SmallVector<Value> result(shape.size());
  AffineExpr d0 = b.getAffineDimExpr(0);
  for (size_t i = shape.size(); i-- > 0;) {
    std::optional<int64_t> extent = getConstantIntValue(shape[i]);
    if (i == 0) {
      result[i] = index;
    } else if (extent == 1) {
      result[i] = arith::ConstantIndexOp::create(b, loc, 0);
    } else if (extent && *extent > 0) {
      result[i] = applyExpr(b, loc, d0 % *extent, index);
      index = applyExpr(b, loc, d0.floorDiv(*extent), index);
    } else {
      // At least 1: nothing is divided by zero where there is no element.
      Value divisor = arith::MaxUIOp::create(
          b, loc, asValue(b, loc, shape[i]),
          arith::ConstantIndexOp::create(b, loc, 1));
      result[i] = arith::RemUIOp::create(b, loc, index, divisor);
      index = arith::DivUIOp::create(b, loc, index, divisor);
    }
  }
  return result;
}

SmallVector<Value>
tile::expandIndices(OpBuilder &b, Location loc, ValueRange indices,
                    ArrayRef<OpFoldResult> shape,
                    ArrayRef<ReassociationIndices> groups) {
  SmallVector<Value> expanded(shape.size());
  for (auto [index, group] : llvm::zip(indices, groups)) {
    SmallVector<OpFoldResult> extents;
    for (int64_t dim : group)
      extents.push_back(shape[dim]);
    for (auto [dim, part] :
         llvm::zip(group, delinearize(b, loc, index, extents)))
      expanded[dim] = part;
  }
  for (Value &index : expanded)
    if (!index)
      index = arith::ConstantIndexOp::create(b, loc, 0);
  return expanded;
}

SmallVector<Value>
tile::collapseIndices(OpBuilder &b, Location loc, ValueRange indices,
                      ArrayRef<OpFoldResult> shape,
                      ArrayRef<ReassociationIndices> groups) {
  SmallVector<Value> collapsed;
  for (const ReassociationIndices &group : groups) {
    SmallVector<Value> parts;
    SmallVector<OpFoldResult> extents;
    for (int64_t dim : group) {
      parts.push_back(indices[dim]);
      extents.push_back(shape[dim]);
    }
    collapsed.push_back(linearize(b, loc, parts, extents));
  }
  return collapsed;
}

Value tile::linearize(OpBuilder &b, Location loc, ValueRange indices,
                      ArrayRef<OpFoldResult> shape) {
  Value index;
  for (auto [coordinate, extent] : llvm::zip_equal(indices, shape))
    index = index ? addIndex(b, loc, mulIndex(b, loc, index, extent),
                             OpFoldResult(coordinate))
                  : coordinate;
  return index ? index : arith::ConstantIndexOp::create(b, loc, 0);
}

/// 0 <= index < extent, as one comparison.
static Value isBelow(OpBuilder &b, Location loc, Value index,
                     OpFoldResult extent) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                               asValue(b, loc, extent));
}

static Value both(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return lhs ? arith::AndIOp::create(b, loc, lhs, rhs) : rhs;
}

Value tile::convertFloat(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ElementBuilder::getSizes(Value tensor) {
  return tensor::getMixedSizes(host, tensor.getLoc(), tensor);
}

SmallVector<OpFoldResult> ElementBuilder::getLoopSizes(linalg::LinalgOp op) {
  return llvm::map_to_vector(op.createLoopRanges(host, op.getLoc()),
                             [](Range range) { return range.size; });
}

Value ElementBuilder::getBuffer(Value tensor) {
  Value &buffer = buffers[tensor];
  if (buffer)
    return buffer;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto stored = tensor.getDefiningOp<bufferization::ToTensorOp>())
    return buffer = stored.getBuffer();
  return buffer = bufferization::ToBufferOp::create(
             host, tensor.getLoc(),
             MemRefType::get(type.getShape(), type.getElementType()), tensor,
             /*read_only=*/true);
}

Value ElementBuilder::get(OpBuilder &b, Location loc, Value tensor,
                          ValueRange indices) {
  if (auto it = bound.find(tensor); it != bound.end())
    if (Value element = it->second(b, loc, indices))
      return element;
  Type element = getElementTypeOrSelf(tensor);
  Operation *op = tensor.getDefiningOp();
  if (op && isa<tensor::EmptyOp>(op))
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  if (op && isDataMovement(op))
    return getMoved(b, loc, op, indices);
  if (!op || !isElementwise(op))
    return memref::LoadOp::create(b, loc, getBuffer(tensor), indices);
  auto linalgOp = cast<linalg::LinalgOp>(op);
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(number));
  SmallVector<Value> ivs =
      applyMap(b, loc, inversePermutation(map), indices);
  IRMapping known;
  return getInBody(b, linalgOp,
                   linalgOp.getBlock()->getTerminator()->getOperand(number),
                   ivs, known, /*widened=*/false);
}

Value ElementBuilder::getOperand(OpBuilder &b, linalg::LinalgOp op,
                                 OpOperand &operand, ValueRange ivs) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return operand.get();
  return get(b, op.getLoc(), operand.get(),
             applyMap(b, op.getLoc(), op.getMatchingIndexingMap(&operand),
                      ivs));
}

Value ElementBuilder::getInBody(OpBuilder &b, linalg::LinalgOp op, Value result,
                                ValueRange ivs, IRMapping &known,
                                bool widened) {
  if (Value value = known.lookupOrNull(result))
    return value;
  auto widen = [&](Value value) {
    return widened && isNarrow(value.getType())
               ? convertFloat(b, op.getLoc(), value, b.getF32Type())
               : value;
  };
  Operation *inner = result.getDefiningOp();
  if (inner && inner->getBlock() != op.getBlock())
    return widen(result);
  if (auto argument = dyn_cast<BlockArgument>(result)) {
    if (argument.getOwner() != op.getBlock())
      return widen(result);
    Value value = widen(getOperand(b, op, *op.getMatchingOpOperand(argument),
                                   ivs));
    known.map(result, value);
    return value;
  }
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? operand
                           : getInBody(b, op, operand, ivs, known, widened));
  Value value;
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    value = ivs[index.getDim()];
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    value = widen(get(b, inner->getLoc(), extract.getTensor(),
                      ArrayRef(operands).drop_front()));
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> dims;
    for (unsigned i = 0; i < operands.size(); ++i)
      dims.push_back(b.getAffineDimExpr(i));
    map = map.replaceDimsAndSymbols(ArrayRef(dims).take_front(map.getNumDims()),
                                    ArrayRef(dims).drop_front(map.getNumDims()),
                                    operands.size(), 0);
    value = applyMap(b, inner->getLoc(), map, operands).front();
  } else if (widened && isa<arith::ExtFOp>(inner)) {
    value = operands.front();
  } else {
    Operation *copy = b.clone(*inner);
    copy->setOperands(operands);
    if (widened)
      for (OpResult given : copy->getResults())
        given.setType(b.getF32Type());
    // Ops with several results are rare; each result has its own copy.
    value = copy->getResult(cast<OpResult>(result).getResultNumber());
  }
  known.map(result, value);
  return value;
}

SmallVector<Value> ElementBuilder::getBody(OpBuilder &b, linalg::LinalgOp op,
                                           ValueRange ivs,
                                           IRMapping arguments) {
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands())
    results.push_back(
        getInBody(b, op, yielded, ivs, arguments, isWidened(op)));
  return results;
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

namespace {
/// The element of one op at one place.
struct MovedElement {
  ElementBuilder &elements;
  OpBuilder &b;
  Location loc;
  ValueRange indices;

  Value zero() { return arith::ConstantIndexOp::create(b, loc, 0); }
  Value subtract(Value lhs, OpFoldResult rhs) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    if (std::optional<int64_t> number = getConstantIntValue(rhs))
      return *number == 0 ? lhs : applyExpr(b, loc, d0 - *number, lhs);
    return applyExpr(b, loc, d0 - d1, {lhs, cast<Value>(rhs)});
  }

  Value get(tensor::ExpandShapeOp op);
  Value get(tensor::CollapseShapeOp op);
  Value get(tensor::ExtractSliceOp op);
  Value get(tensor::InsertSliceOp op);
  Value get(tensor::PadOp op);
  Value get(tensor::ConcatOp op);
};
} // namespace

Value MovedElement::get(tensor::ExpandShapeOp op) {
  SmallVector<Value> source =
      collapseIndices(b, loc, indices, op.getMixedOutputShape(),
                      op.getReassociationIndices());
  return elements.get(b, loc, op.getSrc(), source);
}

Value MovedElement::get(tensor::CollapseShapeOp op) {
  SmallVector<Value> source =
      expandIndices(b, loc, indices, elements.getSizes(op.getSrc()),
                    op.getReassociationIndices());
  return elements.get(b, loc, op.getSrc(), source);
}

Value MovedElement::get(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> source;
  unsigned next = 0;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    Value index = dropped[dim] ? zero() : indices[next++];
    index = mulIndex(b, loc, index, op.getMixedStrides()[dim]);
    source.push_back(addIndex(b, loc, index, op.getMixedOffsets()[dim]));
  }
  return elements.get(b, loc, op.getSource(), source);
}

Value MovedElement::get(tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> source;
  Value inside;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value shifted = subtract(index, op.getMixedOffsets()[dim]);
    int64_t stride = op.getStaticStrides()[dim];
    if (stride != 1) {
      AffineExpr d0 = b.getAffineDimExpr(0);
      Value isHit = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          applyExpr(b, loc, d0 % stride, shifted), zero());
      inside = both(b, loc, inside, isHit);
      shifted = applyExpr(b, loc, d0.floorDiv(stride), shifted);
    }
    if (!dropped[dim])
      source.push_back(shifted);
    inside = both(b, loc, inside,
                  isBelow(b, loc, shifted, op.getMixedSizes()[dim]));
  }
  Value inserted = elements.get(b, loc, op.getSource(), source);
  if (!inside)
    return inserted;
  Value other = elements.get(b, loc, op.getDest(), indices);
  return arith::SelectOp::create(b, loc, inside, inserted, other);
}

Value MovedElement::get(tensor::PadOp op) {
  SmallVector<OpFoldResult> shape = elements.getSizes(op.getSource());
  SmallVector<Value> source;
  Value inside;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    OpFoldResult low = op.getMixedLowPad()[dim];
    source.push_back(subtract(index, low));
    if (!isZeroInteger(low) || !isZeroInteger(op.getMixedHighPad()[dim]))
      inside = both(b, loc, inside,
                    isBelow(b, loc, source.back(), shape[dim]));
  }
  Value value = elements.get(b, loc, op.getSource(), source);
  if (!inside)
    return value;
  Value padding = op.getConstantPaddingValue();
  if (auto constant = padding.getDefiningOp<arith::ConstantOp>())
    padding = b.clone(*constant)->getResult(0);
  return arith::SelectOp::create(b, loc, inside, value, padding);
}

Value MovedElement::get(tensor::ConcatOp op) {
  int64_t dim = op.getDim();
  SmallVector<Value> starts, ends;
  Value start = zero();
  for (Value input : op.getInputs()) {
    starts.push_back(start);
    start = addIndex(b, loc, start, elements.getSizes(input)[dim]);
    ends.push_back(start);
  }
  Value result;
  for (size_t i = op.getInputs().size(); i-- > 0;) {
    SmallVector<Value> source(indices);
    source[dim] = subtract(indices[dim], OpFoldResult(starts[i]));
    Value part = elements.get(b, loc, op.getInputs()[i], source);
    if (!result) {
      result = part;
      continue;
    }
    Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         indices[dim], ends[i]);
    result = arith::SelectOp::create(b, loc, before, part, result);
  }
  return result;
}

Value ElementBuilder::getMoved(OpBuilder &b, Location loc, Operation *op,
                               ValueRange indices) {
  MovedElement moved{*this, b, loc, indices};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp,
            tensor::ConcatOp>([&](auto given) { return moved.get(given); })
      .Case([&](tensor::CastOp cast) {
        return get(b, loc, cast.getSource(), indices);
      })
      .Case([&](tensor::SplatOp splat) { return splat.getInput(); })
      .DefaultUnreachable("not an op that moves elements");
}
