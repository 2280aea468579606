//===- AccessSystem.cpp - executions and the elements they touch ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions of values, conditions and addresses. The domain of an op is in AccessDomain.cpp.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/AccessSystem.h"

#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Analysis/Presburger/PWMAFunction.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::presburger;

//===----------------------------------------------------------------------===//
// Variables and expressions
//===----------------------------------------------------------------------===//

void AccessSystem::add(AffineExpr expr, bool isEquality) {
  if (!expr || !expr.isPureAffine())
    return setInexact();
  constraints.push_back({expr, isEquality});
}

AffineExpr AccessSystem::addVariable(Variable variable) {
  variables.push_back(variable);
  return getAffineDimExpr(variables.size() - 1, context);
}

AffineExpr AccessSystem::addVariable() {
  return addVariable(Variable{/*isUnknown=*/false, /*isNonNegative=*/false});
}

bool AccessSystem::isShared(Value value) {
  if (!scope)
    return true;
  // Thread coordinates are not the same for all iterations, wherever they were asked for.
  if (!scope->isAncestor(value.getParentRegion()))
    return !uniformity.findDivergence(value);
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  // Without operands, only a constant is known to be the same again; block and thread coordinates are not.
  if (op->getNumOperands() == 0)
    return op->hasTrait<OpTrait::ConstantLike>();
  if (auto it = shared.find(value); it != shared.end())
    return it->second;
  bool result = llvm::all_of(op->getOperands(),
                             [&](Value operand) { return isShared(operand); });
  shared[value] = result;
  return result;
}

bool AccessSystem::isNonNegative(AffineExpr expr) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return variables[dim.getPosition()].isNonNegative;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Mod)
    return true;
  return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
}

bool AccessSystem::isUnknownOnly(AffineExpr expr) const {
  bool result = true;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      result &= variables[dim.getPosition()].isUnknown;
  });
  return result;
}

AffineExpr AccessSystem::getExpr(OpFoldResult value, unsigned instance) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  return getExpr(cast<Value>(value), instance);
}

AffineExpr AccessSystem::getExpr(AffineMap map, ValueRange operands,
                                 unsigned instance) {
  AffineExpr result = composeExprs(map, operands, [&](Value operand) {
                        return getExpr(operand, instance);
                      }).front();
  return result && result.isPureAffine() ? result : AffineExpr();
}

AffineExpr AccessSystem::getExpr(Value value, unsigned instance) {
  bool sameForAll = isShared(value);
  std::pair<Value, unsigned> key(value, sameForAll ? 0 : instance);
  if (AffineExpr known = exprs.lookup(key))
    return known;
  // What has none may have one when more is assumed, but not before that:
  // chains of ops that use a value twice would ask for it again and again.
  if (missing.contains(key))
    return {};
  ++depth;
  AffineExpr expr = buildExpr(value, instance);
  if (--depth == 0)
    missing.clear();
  if (expr && !expr.isPureAffine())
    expr = {};
  if (!expr && sameForAll)
    expr = addVariable(Variable{/*isUnknown=*/true, /*isNonNegative=*/false});
  if (expr)
    exprs[key] = expr;
  else if (depth != 0)
    missing.insert(key);
  return expr;
}

AffineExpr AccessSystem::buildExpr(Value value, unsigned instance) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (Operation *op = value.getDefiningOp())
    return buildExpr(op, instance);
  auto arg = cast<BlockArgument>(value);
  std::optional<SmallVector<LoopRange>> ranges =
      getLoopRanges(arg.getOwner()->getParentOp());
  if (!ranges)
    return {};
  for (const LoopRange &range : *ranges) {
    if (range.iv != value)
      continue;
    bool startsAtZero =
        llvm::any_of(range.lower.getResults(), [](AffineExpr e) {
          auto constant = dyn_cast<AffineConstantExpr>(e);
          return constant && constant.getValue() >= 0;
        });
    return addVariable(Variable{/*isUnknown=*/false, startsAtZero});
  }
  return {};
}

/// Whether the result is between 0 and the first operand where that is not
/// negative, whatever the second one is.
static bool isPartOfFirst(Operation *op) {
  return isa<arith::RemUIOp, arith::RemSIOp, arith::DivUIOp,
             arith::CeilDivUIOp>(op);
}

AffineExpr AccessSystem::buildExpr(Operation *op, unsigned instance) {
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!index || !type || *index < 0 || *index >= type.getRank())
      return {};
    return getExtent(dim.getSource(), *index);
  }
  if (AffineExpr rest = buildRemainder(op, instance))
    return rest;
  auto get = [&](Value operand) { return getExpr(operand, instance); };
  AffineExpr expr = getScalarExpr(
      op, get, [&](AffineExpr part) { return isNonNegative(part); });
  if (!expr || (!expr.isPureAffine() && isPartOfFirst(op)))
    return buildBounded(op, instance);
  bool isQuotient = isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
  // Of products and quotients of numbers that are not negative, this much is
  // known.
  if (!expr.isPureAffine() && (isQuotient || isa<arith::MulIOp>(op)) &&
      isNonNegative(get(op->getOperand(0))) &&
      isNonNegative(get(op->getOperand(1)))) {
    bool sameForAll = isShared(op->getResult(0));
    expr = addVariable(Variable{sameForAll, /*isNonNegative=*/true});
    addNonNegative(expr);
    if (isQuotient && !sameForAll)
      setInexact();
  }
  return expr;
}

/// The divisor if an op is `a - (a floordiv divisor) * divisor`, which is what
/// expressions make of `mod`.
static Value getModulus(Operation *op) {
  auto rest = dyn_cast<arith::SubIOp>(op);
  auto product =
      rest ? rest.getRhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  auto quotient = product
                      ? product.getLhs().getDefiningOp<arith::FloorDivSIOp>()
                      : arith::FloorDivSIOp();
  if (!quotient || quotient.getLhs() != rest.getLhs() ||
      quotient.getRhs() != product.getRhs())
    return {};
  return quotient.getRhs();
}

/// A remainder, which is in front of its divisor.
AffineExpr AccessSystem::buildRemainder(Operation *op, unsigned instance) {
  Value modulus = getModulus(op);
  AffineExpr divisor = modulus ? getExpr(modulus, instance) : AffineExpr();
  if (!divisor || !isNonNegative(divisor))
    return {};
  bool sameForAll = isShared(op->getResult(0));
  AffineExpr rest = addVariable(Variable{sameForAll, /*isNonNegative=*/true});
  for (AffineExpr bound : {rest, divisor - rest - 1}) {
    addNonNegative(bound);
    assume(bound);
  }
  if (!sameForAll)
    setInexact();
  return rest;
}

/// Whether no operand makes the result negative as a signed number.
static bool isUnsignedResult(Operation *op) {
  if (!isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return false;
  Type from = op->getOperand(0).getType();
  return from.isInteger() && from.getIntOrFloatBitWidth() <= 32;
}

/// A value of which bounds are known, as those that it is an extreme of.
AffineExpr AccessSystem::buildBounded(Operation *op, unsigned instance) {
  auto get = [&](Value operand) { return getExpr(operand, instance); };
  auto isPositive = [&](AffineExpr expr) {
    return expr && expr.isPureAffine() && isNonNegative(expr);
  };
  std::optional<Extreme> extreme = getExtreme(op, get);
  if (isPartOfFirst(op) && isPositive(get(op->getOperand(0))))
    extreme = Extreme{{get(op->getOperand(0))}, /*isMax=*/false, false};
  bool isPart = extreme && isPartOfFirst(op);
  if (extreme) {
    // Of numbers that are not negative, the unsigned extreme is the signed one.
    bool isOpen = extreme->isUnsigned && !llvm::all_of(extreme->of, isPositive);
    llvm::erase_if(extreme->of, [&](AffineExpr expr) {
      return isOpen || !expr || !expr.isPureAffine();
    });
  }
  bool isUnsigned = isUnsignedResult(op);
  if ((!extreme || extreme->of.empty()) && !isUnsigned)
    return {};
  bool sameForAll = isShared(op->getResult(0));
  bool known = isUnsigned || isPart ||
               (extreme->isMax &&
                llvm::any_of(extreme->of, [&](AffineExpr expr) {
                  return isNonNegative(expr);
                }));
  AffineExpr value = addVariable(Variable{sameForAll, known});
  auto addBound = [&](AffineExpr bound) {
    addNonNegative(bound);
    assume(bound);
  };
  if (known)
    addBound(value);
  if (extreme)
    for (AffineExpr expr : extreme->of)
      addBound(extreme->isMax ? value - expr : expr - value);
  // It is no more than one of them, which is not said.
  if (!sameForAll)
    setInexact();
  return value;
}

/// Extents are unknown values of their own, so that all the `memref.dim` of a dimension are one, and those of one name in
/// `tile.shape`.
AffineExpr AccessSystem::getExtent(Value buffer, unsigned dim) {
  int64_t extent = cast<MemRefType>(buffer.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(extent))
    return getAffineConstantExpr(extent, context);
  if (!isShared(buffer))
    return {};
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    if (AffineExpr given = getExpr(
            alloc.getExtents()[cast<MemRefType>(buffer.getType())
                                   .getDynamicDimIndex(dim)],
            /*instance=*/0))
      return given;
  int64_t multiple = 0;
  if (FunctionOpInterface function = getFunctionOf(buffer)) {
    if (!arguments)
      arguments.emplace(function);
    ArgumentExtent first =
        arguments->get(cast<BlockArgument>(buffer).getArgNumber(), dim);
    buffer = function.getArgument(first.argument);
    dim = first.dim;
    multiple = first.multiple;
  }
  AffineExpr &expr = extents[{buffer, dim}];
  if (expr)
    return expr;
  expr = addVariable(Variable{/*isUnknown=*/true, /*isNonNegative=*/true});
  addNonNegative(expr);
  assume(expr - 2);
  if (multiple)
    addMultiple(expr, /*min=*/1, multiple);
  return expr;
}

void AccessSystem::addMultiple(AffineExpr extent, int64_t min,
                               int64_t multiple) {
  if (min > 0)
    addNonNegative(extent - min);
  if (multiple == 1)
    return;
  addZero(extent % multiple);
  assume(-(extent % multiple));
}

void AccessSystem::assume(AffineExpr expr) {
  if (expr && expr.isPureAffine() && isUnknownOnly(expr))
    assumptions.push_back(expr);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr> AccessSystem::addElement(const BufferRegion &region,
                                                 unsigned instance) {
  SmallVector<AffineExpr> element;
  for (auto [dim, size] : llvm::enumerate(region.sizes)) {
    AffineExpr first =
        getExpr(getOffset(region, dim), region.operands, instance);
    if (!first || size == 1) {
      element.push_back(first);
      continue;
    }
    AffineExpr coordinate = addVariable();
    addNonNegative(coordinate - first);
    AffineExpr extent = ShapedType::isDynamic(size)
                            ? getExtent(region.buffer, dim)
                            : getAffineConstantExpr(size, context);
    addNonNegative(extent ? first + extent - 1 - coordinate : AffineExpr());
    element.push_back(coordinate);
  }
  return element;
}

void AccessSystem::addInBounds(Value buffer, ArrayRef<AffineExpr> coordinates) {
  for (auto [dim, coordinate] : llvm::enumerate(coordinates)) {
    if (!coordinate) {
      setInexact();
      continue;
    }
    addNonNegative(coordinate);
    AffineExpr extent = getExtent(buffer, dim);
    addNonNegative(extent ? extent - 1 - coordinate : extent);
  }
}

/// The row-major number of an element of a buffer of static shape and identity layout; null otherwise.
AffineExpr AccessSystem::linearize(MemRefType type,
                                   ArrayRef<AffineExpr> coordinates) const {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      llvm::is_contained(coordinates, AffineExpr()))
    return {};
  AffineExpr number = getAffineConstantExpr(0, context);
  for (auto [extent, coordinate] : llvm::zip(type.getShape(), coordinates))
    number = number * extent + coordinate;
  return number;
}

/// The element of the source of a subview; empty if the offsets are not affine.
static SmallVector<AffineExpr> followSubView(AccessSystem &system,
                                             memref::SubViewOp view,
                                             ArrayRef<AffineExpr> coordinates,
                                             unsigned instance) {
  SmallVector<AffineExpr> source;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  unsigned next = 0;
  for (unsigned dim = 0, e = dropped.size(); dim < e; ++dim) {
    AffineExpr offset = system.getExpr(view.getMixedOffsets()[dim], instance);
    std::optional<int64_t> stride =
        getConstantIntValue(view.getMixedStrides()[dim]);
    AffineExpr inner;
    if (!dropped[dim])
      inner = coordinates[next++];
    if (dropped[dim] || !offset || !inner || !stride)
      source.push_back(dropped[dim] ? offset : AffineExpr());
    else
      source.push_back(offset + inner * *stride);
  }
  return source;
}

/// Whether a view has the bits of its source in the same row-major order.
static bool keepsOrder(Operation *view) {
  if (!isa<ReshapeOp, ViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
          view))
    return false;
  auto source = cast<MemRefType>(view->getOperand(0).getType());
  return source.hasStaticShape() && source.getLayout().isIdentity();
}

ElementAddress AccessSystem::getAddress(Value buffer,
                                        ArrayRef<AffineExpr> coordinates,
                                        unsigned instance) {
  ElementAddress address;
  address.coordinates = llvm::to_vector(coordinates);
  address.numBits = getElementBits(buffer);
  bool isLinear = false;
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    auto subview = dyn_cast<memref::SubViewOp>(view.getOperation());
    auto stage = dyn_cast<StageOp>(view.getOperation());
    buffer = view.getViewSource();
    auto sourceType = dyn_cast<MemRefType>(buffer.getType());
    bool isShapeCast =
        isa<memref::CastOp>(view.getOperation()) && type && sourceType;
    if (!isLinear && subview) {
      address.coordinates =
          followSubView(*this, subview, address.coordinates, instance);
    } else if (stage && !isLinear) {
      address.coordinates.insert(address.coordinates.begin(),
                                 getExpr(stage.getIndex(), instance));
    } else if (stage) {
      // The views of it had an address, so that its elements lie in order.
      AffineExpr index = getExpr(stage.getIndex(), instance);
      address.bit = address.bit && index
                        ? address.bit + index * (type.getNumElements() *
                                                 getElementBits(type))
                        : AffineExpr();
    } else if (keepsOrder(view)) {
      AffineExpr number =
          isLinear ? AffineExpr() : linearize(type, address.coordinates);
      if (number)
        address.bit = number * address.numBits;
      isLinear = true;
    } else if (isLinear || !isShapeCast) {
      isLinear = true;
      address.bit = {};
      address.numBits = 0;
    }
  }
  address.base = buffer;
  if (isLinear)
    address.coordinates.clear();
  return address;
}

void AccessSystem::addSameElement(ElementAddress a, ElementAddress b) {
  auto type = dyn_cast<MemRefType>(a.base.getType());
  if (!type)
    return setInexact();
  if (!a.coordinates.empty() && !b.coordinates.empty()) {
    for (auto [x, y] : llvm::zip(a.coordinates, b.coordinates))
      addZero(x && y ? x - y : AffineExpr());
    return;
  }
  if (type.getRank() == 0 && !a.bit && !b.bit)
    return;
  for (ElementAddress *address : {&a, &b})
    if (!address->coordinates.empty())
      if (AffineExpr number = linearize(type, address->coordinates))
        address->bit = number * getElementBits(type);
  if (!a.bit || !b.bit)
    return setInexact();
  addNonNegative(a.bit + a.numBits - 1 - b.bit);
  addNonNegative(b.bit + b.numBits - 1 - a.bit);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Adds the conditions `exprs`, each over `numDims` dimensions and `numSymbols` symbols.
static FlatLinearConstraints flatten(MLIRContext *context, unsigned numDims,
                                     unsigned numSymbols,
                                     ArrayRef<AffineExpr> exprs,
                                     ArrayRef<bool> areEqualities) {
  FlatLinearConstraints system(numDims, numSymbols);
  if (exprs.empty())
    return system;
  std::vector<SmallVector<int64_t, 8>> rows;
  AffineMap map = AffineMap::get(numDims, numSymbols, exprs, context);
  LogicalResult flattened = getFlattenedAffineExprs(map, &rows, &system);
  assert(succeeded(flattened) && "only affine expressions are added");
  (void)flattened;
  for (auto [row, isEquality] : llvm::zip(rows, areEqualities))
    if (isEquality)
      system.addEquality(row);
    else
      system.addInequality(row);
  return system;
}

IntegerPolyhedron AccessSystem::build(bool unknownsAreSymbols) const {
  unsigned numDims = 0, numSymbols = 0;
  SmallVector<AffineExpr> places;
  for (const Variable &variable : variables)
    places.push_back(variable.isUnknown && unknownsAreSymbols
                         ? getAffineSymbolExpr(numSymbols++, context)
                         : getAffineDimExpr(numDims++, context));
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> areEqualities;
  for (const Constraint &constraint : constraints) {
    exprs.push_back(constraint.expr.replaceDims(places));
    areEqualities.push_back(constraint.isEquality);
  }
  return flatten(context, numDims, numSymbols, exprs, areEqualities);
}

bool AccessSystem::isEmpty() const {
  return build(/*unknownsAreSymbols=*/false).isIntegerEmpty();
}

/// Whether there is no point of `system` once its symbols have these values.
static bool isEmptyAt(IntegerPolyhedron system,
                      ArrayRef<llvm::DynamicAPInt> values) {
  system.setAndEliminate(
      system.getVarKindOffset(presburger::VarKind::Symbol), values);
  return system.isIntegerEmpty();
}

/// Whether one of a few legal values of the symbols leaves no point of `system`. Then it is not proven to have one, which
/// costs far less to see than by eliminating the variables. `system` and `legal` have the same symbols.
static bool isRefuted(const IntegerPolyhedron &system,
                      const IntegerPolyhedron &legal) {
  unsigned numSymbols = legal.getNumSymbolVars();
  using Point = SmallVector<llvm::DynamicAPInt>;
  SmallVector<Point> candidates(1, Point(numSymbols));
  // Values far apart: what depends on two unknown values has nothing in common.
  for (int64_t step : {1 << 20, -(1 << 20)}) {
    Point &spread = candidates.emplace_back();
    for (unsigned i = 0; i < numSymbols; ++i)
      spread.emplace_back(step * (i + 1));
  }
  // Symbols come first, then what stands for divisions.
  if (auto sample = legal.findIntegerSample())
    candidates.emplace_back(llvm::ArrayRef(*sample).take_front(numSymbols));
  return llvm::any_of(candidates, [&](const Point &values) {
    return !isEmptyAt(legal, values) && isEmptyAt(system, values);
  });
}

bool AccessSystem::isProvenNonEmpty() const {
  if (!exact || isEmpty())
    return false;
  if (llvm::none_of(variables, [](Variable v) { return v.isUnknown; }))
    return true;
  // Eliminating many variables exactly may take long; what is not proven is no error.
  if (variables.size() > 24)
    return false;
  unsigned numSymbols = 0;
  SmallVector<AffineExpr> places;
  for (const Variable &variable : variables)
    places.push_back(variable.isUnknown
                         ? getAffineSymbolExpr(numSymbols++, context)
                         : AffineExpr());
  SmallVector<AffineExpr> exprs;
  for (AffineExpr assumption : assumptions)
    exprs.push_back(assumption.replaceDims(places));
  IntegerPolyhedron legal = flatten(context, 0, numSymbols, exprs,
                                    SmallVector<bool>(exprs.size(), false));
  IntegerPolyhedron system = build(/*unknownsAreSymbols=*/true);
  if (legal.isIntegerEmpty() || isRefuted(system, legal))
    return false;

  SymbolicLexOpt lexmin = system.findSymbolicIntegerLexMin();
  PresburgerSet solvable =
      lexmin.lexopt.getDomain().unionSet(lexmin.unboundedDomain);
  return PresburgerSet(legal).subtract(solvable).isIntegerEmpty();
}

std::optional<SmallVector<int64_t>>
AccessSystem::getExample(ArrayRef<AffineExpr> exprs) const {
  IntegerPolyhedron system = build(/*unknownsAreSymbols=*/false);
  std::optional<SmallVector<llvm::DynamicAPInt, 8>> point;
  MaybeOptimum<SmallVector<llvm::DynamicAPInt, 8>> least =
      system.findIntegerLexMin();
  if (least.isBounded())
    point = *least;
  else
    point = system.findIntegerSample();
  if (!point)
    return std::nullopt;
  SmallVector<AffineExpr> values;
  for (unsigned i = 0, e = variables.size(); i < e; ++i)
    values.push_back(getAffineConstantExpr(
        llvm::int64fromDynamicAPInt((*point)[i]), context));
  SmallVector<int64_t> results;
  for (AffineExpr expr : exprs) {
    auto constant = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(values), 0, 0));
    if (!constant)
      return std::nullopt;
    results.push_back(constant.getValue());
  }
  return results;
}
