//===- VectorizeScalar.cpp - accesses element by element
//---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What no vector instruction reaches: the scalar unit computes the indices of
// each iteration, and reads and writes elements of UB. GM is read by the scalar
// unit or row by row; it is written from UB, as what the scalar unit writes
// stays in its cache.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

//===----------------------------------------------------------------------===//
// One iteration
//===----------------------------------------------------------------------===//

/// A value of the body, in the scalar code of an iteration.
FailureOr<Value> Vectorizer::evaluate(Iteration &at, Value value) {
  if (!parallel->isAncestor(value.getParentRegion()->getParentOp()))
    return value;
  for (Value known : {at.known.lookup(value), linear.lookup(value)})
    if (known)
      return known;
  auto operand = operands.find(value);
  if (operand != operands.end()) {
    Value element = operand->second.scalar;
    if (!element)
      element = getElement(at, operand->second.matrix, operand->second.shape);
    if (value.getType().isInteger(8) && element.getType().isInteger(16))
      element = arith::TruncIOp::create(b, loc(), value.getType(), element);
    return at.known[value] = element;
  }
  Operation *def = value.getDefiningOp();
  if (!def || def->getNumRegions() != 0 || !isMemoryEffectFree(def)) {
    emitNoForm(value);
    return failure();
  }
  IRMapping mapping;
  for (Value source : def->getOperands()) {
    FailureOr<Value> known = evaluate(at, source);
    if (failed(known))
      return failure();
    mapping.map(source, *known);
  }
  Operation *clone = b.clone(*def, mapping);
  for (auto [old, fresh] : llvm::zip(def->getResults(), clone->getResults()))
    at.known[old] = fresh;
  return at.known.lookup(value);
}

FailureOr<SmallVector<Value>> Vectorizer::evaluate(Iteration &at,
                                                   ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values) {
    FailureOr<Value> known = evaluate(at, value);
    if (failed(known))
      return failure();
    result.push_back(*known);
  }
  return result;
}

/// Loops over the elements of a shape, or over its rows.
LogicalResult
Vectorizer::forEach(Shape shape, bool byRows,
                    function_ref<LogicalResult(Iteration &)> body) {
  OpBuilder::InsertionGuard insertion(b);
  Iteration at;
  Block &block = parallel.getBody().front();
  Value zero = l.constantIndex(loc(), 0), one = l.constantIndex(loc(), 1);
  auto loop = [&](int64_t extent, unsigned dim) -> Value {
    auto over =
        scf::ForOp::create(b, loc(), zero, l.constantIndex(loc(), extent), one);
    b.setInsertionPointToStart(over.getBody());
    return at.known[block.getArgument(dim)] = over.getInductionVar();
  };
  if (rows)
    at.known[block.getArgument(dims[dims.size() - 2])] = zero;
  at.known[block.getArgument(dims.back())] = zero;
  bool usesRow = rows && (shape == Shape::Full || shape == Shape::Column);
  bool usesColumn = shape == Shape::Full || shape == Shape::Row;
  at.row = usesRow ? loop(*rows, dims[dims.size() - 2]) : zero;
  at.column = usesColumn && !byRows ? loop(columns, dims.back()) : zero;
  return body(at);
}

/// `then` where the branch around is taken, `otherwise` where it is not.
LogicalResult Vectorizer::guarded(Iteration &at,
                                  function_ref<LogicalResult()> then,
                                  function_ref<void()> otherwise) {
  if (!guard)
    return then();
  FailureOr<Value> condition = evaluate(at, guard);
  if (failed(condition))
    return failure();
  auto branch = scf::IfOp::create(b, loc(), *condition, bool(otherwise));
  OpBuilder::InsertionGuard insertion(b);
  // What is computed in the branch is known in it alone.
  Iteration outside = at;
  b.setInsertionPoint(branch.thenYield());
  if (failed(then()))
    return failure();
  at = outside;
  if (!otherwise)
    return success();
  b.setInsertionPoint(branch.elseYield());
  otherwise();
  return success();
}

static SmallVector<Value> getPosition(const Value &row, const Value &column,
                                      bool isMatrix, bool isColumn) {
  if (isMatrix)
    return {row, column};
  return {isColumn ? row : column};
}

Value Vectorizer::getElement(Iteration &at, Value matrix, Shape shape) {
  bool isMatrix = cast<MemRefType>(matrix.getType()).getRank() == 2;
  return memref::LoadOp::create(
      b, loc(), matrix,
      getPosition(at.row, at.column, isMatrix, shape == Shape::Column));
}

void Vectorizer::setElement(Iteration &at, Value matrix, Shape shape,
                            Value value) {
  auto type = cast<MemRefType>(matrix.getType());
  if (value.getType().isInteger(8) && type.getElementType().isInteger(16))
    value = arith::ExtSIOp::create(b, loc(), type.getElementType(), value);
  memref::StoreOp::create(b, loc(), value, matrix,
                          getPosition(at.row, at.column, type.getRank() == 2,
                                      shape == Shape::Column));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether the innermost variable goes along a row of the buffer, and all other
/// indices are the same for a whole row.
bool Vectorizer::isRowAccess(ValueRange indices) {
  std::optional<Linear> last = linear.get(indices.back());
  if (!last || getStep(last, false) != 1)
    return false;
  Shape others = getDependence(indices.drop_back());
  bool guardVaries = guard && getDependence(guard) != Shape::Scalar &&
                     getDependence(guard) != Shape::Column;
  return !guardVaries && (others == Shape::Scalar || others == Shape::Column) &&
         (!rows || others != Shape::Full);
}

/// One element for all iterations.
LogicalResult Vectorizer::loadUniform(memref::LoadOp load) {
  Value buffer = load.getMemRef();
  bool isGlobal = tl::getMemorySpace(buffer) == MemorySpace::Global;
  if (isGlobal && l.isWritten(buffer))
    return emitError() << "a global buffer that the kernel also writes is read "
                          "at one place by all iterations; copy the element to "
                          "a tile";
  Iteration at;
  at.row = at.column = l.constantIndex(loc(), 0);
  FailureOr<SmallVector<Value>> indices = evaluate(at, load.getIndices());
  if (failed(indices))
    return failure();
  Value element;
  auto read = [&]() -> LogicalResult {
    if (isGlobal) {
      element = createGlobalRead(l, load, buffer, *indices);
      return success();
    }
    Value matrix;
    auto position = l.buffers.getMatrixIndices(load, buffer, *indices, matrix);
    if (failed(position))
      return failure();
    element = memref::LoadOp::create(b, loc(), matrix, *position);
    return success();
  };
  if (guard && !isGlobal)
    return loadElements(load);
  if (failed(read()))
    return failure();
  linear.setUniform(load.getResult(), element);
  return success();
}

/// Elements, or rows of GM, one after the other.
LogicalResult Vectorizer::loadElements(memref::LoadOp load) {
  Value buffer = load.getMemRef();
  bool isGlobal = tl::getMemorySpace(buffer) == MemorySpace::Global;
  bool byRows = isGlobal && isRowAccess(load.getIndices());
  if (isGlobal && !byRows && l.isWritten(buffer))
    return emitError()
           << "elements of a global buffer that the kernel also "
              "writes are not neighbours; read them before, or copy "
              "them to a tile";
  SmallVector<Value> varying(load.getIndices());
  if (guard)
    varying.push_back(guard);
  Shape shape = getDependence(varying);
  if (shape == Shape::Scalar)
    shape = Shape::Full;
  Operand result{shape, createTemp(shape, getHeldType(load.getType())),
                 Value()};
  if (failed(forEach(shape, byRows, [&](Iteration &at) {
        return guarded(
            at, [&] { return loadOne(load, at, result, byRows); },
            [&] {
              Value zero = l.constantOf(loc(), load.getType(), 0);
              if (byRows)
                (void)createFill(l, load, getRow(at, result.matrix), zero);
              else
                setElement(at, result.matrix, shape, zero);
            });
      })))
    return failure();
  operands[load.getResult()] = result;
  return success();
}

Value Vectorizer::getRow(Iteration &at, Value matrix) {
  return l.buffers.createRow(loc(), matrix, at.row);
}

LogicalResult Vectorizer::loadOne(memref::LoadOp load, Iteration &at,
                                  const Operand &result, bool byRows) {
  Value buffer = load.getMemRef();
  FailureOr<SmallVector<Value>> indices = evaluate(at, load.getIndices());
  if (failed(indices))
    return failure();
  if (byRows) {
    GlobalRegion region{buffer, *indices,
                        SmallVector<int64_t>(indices->size(), 1)};
    region.sizes.back() = columns;
    return createLoad(l, load, getRow(at, result.matrix), region);
  }
  Value element;
  if (tl::getMemorySpace(buffer) == MemorySpace::Global) {
    element = createGlobalRead(l, load, buffer, *indices);
  } else {
    Value matrix;
    auto position = l.buffers.getMatrixIndices(load, buffer, *indices, matrix);
    if (failed(position))
      return failure();
    element = memref::LoadOp::create(b, loc(), matrix, *position);
  }
  setElement(at, result.matrix, result.shape, element);
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult Vectorizer::storeElements(memref::StoreOp store) {
  Value buffer = store.getMemRef();
  bool isGlobal = tl::getMemorySpace(buffer) == MemorySpace::Global;
  columnBlocks.clear();
  if (isGlobal && isRowAccess(store.getIndices())) {
    FailureOr<Operand> value = getHeld(store.getValue());
    FailureOr<Value> matrix =
        failed(value) ? FailureOr<Value>()
                      : materialize(*value, Shape::Full,
                                    getHeldType(store.getValue().getType()));
    return failed(matrix) ? failure() : storeRows(store, *matrix);
  }
  Value landing;
  if (isGlobal)
    landing = l.buffers.createMatrix(loc(), std::nullopt, 1,
                                     store.getValue().getType());
  return forEach(Shape::Full, /*byRows=*/false, [&](Iteration &at) {
    return guarded(
        at,
        [&]() -> LogicalResult {
          FailureOr<SmallVector<Value>> indices =
              evaluate(at, store.getIndices());
          FailureOr<Value> value = evaluate(at, store.getValue());
          if (failed(indices) || failed(value))
            return failure();
          if (isGlobal) {
            memref::StoreOp::create(b, loc(), *value, landing,
                                    l.constantIndex(loc(), 0));
            return createStore(
                l, store,
                {buffer, *indices, SmallVector<int64_t>(indices->size(), 1)},
                landing);
          }
          Value matrix;
          auto position =
              l.buffers.getMatrixIndices(store, buffer, *indices, matrix);
          if (failed(position))
            return failure();
          memref::StoreOp::create(b, loc(), *value, matrix, *position);
          return success();
        },
        nullptr);
  });
}

LogicalResult Vectorizer::storeRows(memref::StoreOp store, Value matrix) {
  return forEach(Shape::Full, /*byRows=*/true, [&](Iteration &at) {
    return guarded(
        at,
        [&]() -> LogicalResult {
          FailureOr<SmallVector<Value>> indices =
              evaluate(at, store.getIndices());
          if (failed(indices))
            return failure();
          GlobalRegion region{store.getMemRef(), *indices,
                              SmallVector<int64_t>(indices->size(), 1)};
          region.sizes.back() = columns;
          return createStore(l, store, region, getRow(at, matrix));
        },
        nullptr);
  });
}
