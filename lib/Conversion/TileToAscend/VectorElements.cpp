//===- VectorElements.cpp - accesses element by element -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The scalar unit computes the indices of each iteration, and reads and writes
// elements of UB, where no vector instruction does. GM is read by the scalar
// unit or row by row; it is written from UB, as stores of the scalar unit stay
// in its cache.
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"

#include "VectorIndices.h"
#include "VectorIntegers.h"

#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

//===----------------------------------------------------------------------===//
// One iteration
//===----------------------------------------------------------------------===//

static SmallVector<Value> getPosition(const Value &row, const Value &column,
                                      bool isMatrix, bool isColumn) {
  if (isMatrix)
    return {row, column};
  return {isColumn ? row : column};
}

static Value getElement(Vectorizer &v, Iteration &at, Value matrix,
                        VectorShape shape) {
  bool isMatrix = cast<MemRefType>(matrix.getType()).getRank() == 2;
  return memref::LoadOp::create(
      v.b, v.loc(), matrix,
      getPosition(at.row, at.column, isMatrix, shape == VectorShape::Column));
}

void mlir::tile::ascend::setElement(Vectorizer &v, Iteration &at, Value matrix,
                                    VectorShape shape, Value value) {
  auto type = cast<MemRefType>(matrix.getType());
  if (value.getType().isInteger(8) && type.getElementType().isInteger(16))
    value = arith::ExtSIOp::create(v.b, v.loc(), type.getElementType(), value);
  memref::StoreOp::create(v.b, v.loc(), value, matrix,
                          getPosition(at.row, at.column, type.getRank() == 2,
                                      shape == VectorShape::Column));
}

/// The op in scalar code. What is divided by 0 is that of an iteration outside
/// of a buffer, and -1 may overflow: neither stops the core.
static SmallVector<Value> cloneScalar(Vectorizer &v, Operation *def,
                                      IRMapping &mapping) {
  OpBuilder &b = v.b;
  Location loc = v.loc();
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
                      arith::CeilDivSIOp>(def);
  bool divides =
      isSigned || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(def);
  if (!divides || getConstantIntValue(def->getOperand(1)).value_or(0) > 0)
    return b.clone(*def, mapping)->getResults();
  Value divisor = mapping.lookupOrDefault(def->getOperand(1));
  Type type = divisor.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto isEqual = [&](int64_t value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, divisor,
                                 constant(value));
  };
  Value safe = arith::SelectOp::create(b, loc, isEqual(0), constant(1), divisor);
  Value isMinusOne;
  if (isSigned) {
    isMinusOne = isEqual(-1);
    safe = arith::SelectOp::create(b, loc, isMinusOne, constant(1), safe);
  }
  Value dividend = mapping.lookupOrDefault(def->getOperand(0));
  mapping.map(def->getOperand(1), safe);
  Value result = b.clone(*def, mapping)->getResult(0);
  if (isSigned && !isa<arith::RemSIOp>(def))
    result = arith::SelectOp::create(
        b, loc, isMinusOne,
        arith::SubIOp::create(b, loc, constant(0), dividend), result);
  return {result};
}

/// A value of the body, in the scalar code of an iteration.
FailureOr<Value> mlir::tile::ascend::evaluate(Vectorizer &v, Iteration &at,
                                              Value value) {
  // The scalar code may stand before the loop, and before a constant there.
  if (!v.parallel->isAncestor(value.getParentRegion()->getParentOp()))
    return matchPattern(value, m_Constant())
               ? v.b.clone(*value.getDefiningOp())->getResult(0)
               : value;
  for (Value known : {at.known.lookup(value), v.linear.lookup(value)})
    if (known)
      return known;
  auto operand = v.operands.find(value);
  if (operand != v.operands.end()) {
    Value element = operand->second.scalar;
    if (!element)
      element =
          getElement(v, at, operand->second.matrix, operand->second.shape);
    if (value.getType().isInteger(8) && element.getType().isInteger(16))
      element = arith::TruncIOp::create(v.b, v.loc(), value.getType(), element);
    return at.known[value] = element;
  }
  Operation *def = value.getDefiningOp();
  if (!def || def->getNumRegions() != 0 || !isMemoryEffectFree(def) ||
      !hasScalarForm(def)) {
    v.emitUnsupported(value);
    return failure();
  }
  IRMapping mapping;
  for (Value source : def->getOperands()) {
    FailureOr<Value> known = evaluate(v, at, source);
    if (failed(known))
      return failure();
    mapping.map(source, *known);
  }
  for (auto [old, fresh] :
       llvm::zip_equal(def->getResults(), cloneScalar(v, def, mapping)))
    at.known[old] = fresh;
  return at.known.lookup(value);
}

FailureOr<SmallVector<Value>>
mlir::tile::ascend::evaluateAll(Vectorizer &v, Iteration &at,
                                ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    FailureOr<Value> known = evaluate(v, at, value);
    if (failed(known))
      return failure();
    result.push_back(*known);
  }
  return result;
}

/// Loops over the elements of a shape, or over its rows.
LogicalResult
mlir::tile::ascend::forEach(Vectorizer &v, VectorShape shape, bool byRows,
                            function_ref<LogicalResult(Iteration &)> body) {
  OpBuilder::InsertionGuard insertion(v.b);
  Iteration at;
  Block &block = v.parallel.getBody().front();
  Value zero = v.l.constantIndex(v.loc(), 0),
        one = v.l.constantIndex(v.loc(), 1);
  auto loop = [&](int64_t extent, unsigned dim) -> Value {
    auto over = scf::ForOp::create(v.b, v.loc(), zero,
                                   v.l.constantIndex(v.loc(), extent), one);
    v.b.setInsertionPointToStart(over.getBody());
    return at.known[block.getArgument(dim)] = over.getInductionVar();
  };
  if (v.rows)
    at.known[block.getArgument(v.dims[v.dims.size() - 2])] = zero;
  at.known[block.getArgument(v.dims.back())] = zero;
  bool usesRow =
      v.rows && (shape == VectorShape::Full || shape == VectorShape::Column);
  bool usesColumn = shape == VectorShape::Full || shape == VectorShape::Row;
  at.row = usesRow ? loop(*v.rows, v.dims[v.dims.size() - 2]) : zero;
  at.column = usesColumn && !byRows ? loop(v.columns, v.dims.back()) : zero;
  return body(at);
}

Value mlir::tile::ascend::getRow(Vectorizer &v, Iteration &at, Value matrix) {
  return v.l.buffers.createRow(v.loc(), matrix, at.row);
}

LogicalResult mlir::tile::ascend::computeElements(Vectorizer &v,
                                                  Operation *op) {
  Value result = op->getResult(0);
  bool isFlag = result.getType().isInteger(1);
  Type held = isFlag ? v.b.getF32Type() : getHeldType(v, result.getType());
  VectorShape shape = getDependence(v, op->getOperands());
  if (shape == VectorShape::Scalar)
    shape = VectorShape::Full;
  remark::missed(v.loc(), remark::RemarkOpts::name("ScalarElements")
                              .category("convert-tile-to-ascend"))
      << remark::reason("the scalar unit computes '{0}' for each element",
                        op->getName().getStringRef());
  VectorOperand value{shape, v.createTemp(shape, held), Value()};
  if (failed(forEach(v, shape, /*byRows=*/false,
                     [&](Iteration &at) -> LogicalResult {
                       FailureOr<Value> element = evaluate(v, at, result);
                       if (failed(element))
                         return failure();
                       if (isFlag)
                         element = arith::UIToFPOp::create(v.b, v.loc(), held,
                                                           *element)
                                       .getResult();
                       setElement(v, at, value.matrix, shape, *element);
                       return success();
                     })))
    return failure();
  if (isFlag)
    v.masks[result] = getFlagMask(v, value);
  else
    v.define(result, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether the innermost variable goes along a row of the buffer, and all other
/// indices are the same for a whole row.
static bool isRowAccess(Vectorizer &v, ValueRange indices) {
  std::optional<Linear> last = v.linear.get(indices.back());
  if (!last || getStep(v, last, false) != 1)
    return false;
  VectorShape others = getDependence(v, indices.drop_back());
  return (others == VectorShape::Scalar || others == VectorShape::Column) &&
         (!v.rows || others != VectorShape::Full);
}

/// The element that the scalar unit reads, from GM or from UB.
static FailureOr<Value> readElement(Vectorizer &v, memref::LoadOp load,
                                    ValueRange indices) {
  Value buffer = load.getMemRef();
  if (tl::getMemorySpace(buffer) == MemorySpace::Global)
    return createGlobalRead(v.l, load, buffer, indices);
  Value matrix;
  auto position = v.l.buffers.getMatrixIndices(load, buffer, indices, matrix);
  if (failed(position))
    return failure();
  return memref::LoadOp::create(v.b, v.loc(), matrix, *position).getResult();
}

static LogicalResult loadOne(Vectorizer &v, memref::LoadOp load, Iteration &at,
                             const VectorOperand &result, bool byRows) {
  Value buffer = load.getMemRef();
  FailureOr<SmallVector<Value>> indices = evaluateAll(v, at, load.getIndices());
  if (failed(indices))
    return failure();
  if (byRows) {
    GlobalRegion region{buffer, *indices,
                        SmallVector<int64_t>(indices->size(), 1)};
    region.sizes.back() = v.columns;
    return createLoad(v.l, load, getRow(v, at, result.matrix), region);
  }
  FailureOr<Value> element = readElement(v, load, *indices);
  if (failed(element))
    return failure();
  setElement(v, at, result.matrix, result.shape, *element);
  return success();
}

/// Elements, or rows of GM, one after the other.
LogicalResult mlir::tile::ascend::loadElements(Vectorizer &v,
                                               memref::LoadOp load) {
  Value buffer = load.getMemRef();
  bool isGlobal = tl::getMemorySpace(buffer) == MemorySpace::Global;
  bool byRows = isGlobal && isRowAccess(v, load.getIndices());
  VectorShape shape = getDependence(v, load.getIndices());
  if (shape == VectorShape::Scalar)
    shape = VectorShape::Full;
  VectorOperand result{
      shape, v.createTemp(shape, getHeldType(v, load.getType())), Value()};
  if (failed(forEach(v, shape, byRows, [&](Iteration &at) {
        return loadOne(v, load, at, result, byRows);
      })))
    return failure();
  v.operands[load.getResult()] = result;
  return success();
}

/// One element for all iterations.
LogicalResult mlir::tile::ascend::loadUniform(Vectorizer &v,
                                              memref::LoadOp load) {
  Iteration at;
  at.row = at.column = v.l.constantIndex(v.loc(), 0);
  FailureOr<SmallVector<Value>> indices = evaluateAll(v, at, load.getIndices());
  if (failed(indices))
    return failure();
  FailureOr<Value> element = readElement(v, load, *indices);
  if (failed(element))
    return failure();
  v.linear.setUniform(load.getResult(), *element);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static LogicalResult storeRows(Vectorizer &v, memref::StoreOp store,
                               Value matrix) {
  return forEach(
      v, VectorShape::Full, /*byRows=*/true,
      [&](Iteration &at) -> LogicalResult {
        FailureOr<SmallVector<Value>> indices =
            evaluateAll(v, at, store.getIndices());
        if (failed(indices))
          return failure();
        GlobalRegion region{store.getMemRef(), *indices,
                            SmallVector<int64_t>(indices->size(), 1)};
        region.sizes.back() = v.columns;
        return createStore(v.l, store, region, getRow(v, at, matrix));
      });
}

Value mlir::tile::ascend::checkBounds(Vectorizer &v, Operation *access,
                                      ValueRange indices) {
  SmallVector<mlir::tile::Access> accesses;
  if (failed(mlir::tile::collectAccesses(access, accesses)))
    return {};
  Value result;
  auto require = [&](arith::CmpIPredicate predicate, Value index, int64_t n) {
    Value holds = arith::CmpIOp::create(v.b, v.loc(), predicate, index,
                                        v.l.constantIndex(v.loc(), n));
    result =
        result ? arith::AndIOp::create(v.b, v.loc(), result, holds).getResult()
               : holds;
  };
  for (mlir::tile::OpenBounds open :
       mlir::tile::findOpenBounds(access, accesses.front().region)) {
    Value index = indices[open.dim];
    if (open.lower)
      require(arith::CmpIPredicate::sge, index, 0);
    if (open.upper)
      require(arith::CmpIPredicate::slt, index,
              accesses.front().region.getType().getDimSize(open.dim));
  }
  return result;
}

static LogicalResult storeOne(Vectorizer &v, memref::StoreOp store,
                              Iteration &at, Value landing) {
  Value buffer = store.getMemRef();
  FailureOr<SmallVector<Value>> indices =
      evaluateAll(v, at, store.getIndices());
  FailureOr<Value> value = evaluate(v, at, store.getValue());
  if (failed(indices) || failed(value))
    return failure();
  if (landing) {
    memref::StoreOp::create(v.b, v.loc(), *value, landing,
                            v.l.constantIndex(v.loc(), 0));
    return createStore(
        v.l, store,
        {buffer, *indices, SmallVector<int64_t>(indices->size(), 1)}, landing);
  }
  Value matrix;
  auto position = v.l.buffers.getMatrixIndices(store, buffer, *indices, matrix);
  if (failed(position))
    return failure();
  // An index that comes from data may be outside of the tile.
  OpBuilder::InsertionGuard guard(v.b);
  if (Value inside = checkBounds(v, store, *indices))
    v.b.setInsertionPointToStart(
        scf::IfOp::create(v.b, v.loc(), inside).thenBlock());
  memref::StoreOp::create(v.b, v.loc(), *value, matrix, *position);
  return success();
}

LogicalResult mlir::tile::ascend::storeElements(Vectorizer &v,
                                                memref::StoreOp store) {
  Value buffer = store.getMemRef();
  bool isGlobal = tl::getMemorySpace(buffer) == MemorySpace::Global;
  v.clearBroadcasts();
  if (isGlobal && isRowAccess(v, store.getIndices())) {
    FailureOr<VectorOperand> value = v.getHeld(store.getValue());
    FailureOr<Value> matrix =
        failed(value)
            ? FailureOr<Value>()
            : v.materialize(*value, VectorShape::Full,
                            getHeldType(v, store.getValue().getType()));
    return failed(matrix) ? failure() : storeRows(v, store, *matrix);
  }
  Value landing;
  if (isGlobal)
    landing = v.l.buffers.createMatrix(v.loc(), std::nullopt, 1,
                                       store.getValue().getType());
  return forEach(v, VectorShape::Full, /*byRows=*/false, [&](Iteration &at) {
    return storeOne(v, store, at, landing);
  });
}
