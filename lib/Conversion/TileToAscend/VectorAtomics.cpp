//===- VectorAtomics.cpp - updates of single elements ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Stores to GM can add to what is there: of neighbours as one, of others one by
// one. A tile belongs to one core, whose scalar unit updates its elements.
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"
#include "VectorIndices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// The place of the element, in values of the body.
static SmallVector<Value> getIndices(tl::AtomicOp op) {
  OpBuilder b(op);
  tl::BufferRegion region = op.getTargetRegion();
  SmallVector<Value> indices;
  for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim) {
    AffineMap map = tl::getOffset(region, dim);
    if (auto input = dyn_cast<AffineDimExpr>(map.getResult(0)))
      indices.push_back(region.operands[input.getPosition()]);
    else
      indices.push_back(affine::AffineApplyOp::create(b, op.getLoc(), map,
                                                      region.operands));
  }
  return indices;
}

static LogicalResult updateGlobal(Vectorizer &v, tl::AtomicOp op,
                                  ArrayRef<Value> indices) {
  Value buffer = op.getTarget();
  if (op.getOld())
    return v.emitError() << "'tile.atomic' returns no old value of global "
                            "memory; let one block count, or count in a tile";
  FailureOr<ReduceKind> kind = getGlobalAtomic(op);
  if (failed(kind))
    return failure();
  auto part = getGlobalPart(v, buffer, indices);
  FailureOr<VectorOperand> value = v.getHeld(op.getValue());
  if (failed(value))
    return failure();
  Type element = op.getValue().getType();
  // One update for each iteration, each of another element.
  if (part && part->second == VectorShape::Full) {
    FailureOr<Value> matrix =
        v.materialize(*value, VectorShape::Full, element);
    return failed(matrix) ? failure()
                          : createStore(v.l, op, part->first, *matrix, *kind);
  }
  Value landing =
      v.l.buffers.createMatrix(v.loc(), std::nullopt, 1, element);
  return forEach(
      v, VectorShape::Full, /*byRows=*/false,
      [&](Iteration &at) -> LogicalResult {
        FailureOr<SmallVector<Value>> place = evaluateAll(v, at, indices);
        FailureOr<Value> value = evaluate(v, at, op.getValue());
        if (failed(place) || failed(value))
          return failure();
        memref::StoreOp::create(v.b, v.loc(), *value, landing,
                                v.l.constantIndex(v.loc(), 0));
        return createStore(
            v.l, op, {buffer, *place, SmallVector<int64_t>(place->size(), 1)},
            landing, *kind);
      });
}

/// Of a float, max and min leave a NaN out.
static Value combineScalars(OpBuilder &b, Location loc, tl::AtomicOp op,
                            Value old, Value value) {
  Type type = value.getType();
  bool isUnsigned = op.getIsUnsigned();
  if (isa<FloatType>(type)) {
    Type wide = b.getF32Type();
    bool widens = type.getIntOrFloatBitWidth() < 32;
    if (widens) {
      old = arith::ExtFOp::create(b, loc, wide, old);
      value = arith::ExtFOp::create(b, loc, wide, value);
    }
    Value result =
        op.getKind() == tl::AtomicKind::Add
            ? arith::AddFOp::create(b, loc, old, value).getResult()
        : op.getKind() == tl::AtomicKind::Max
            ? arith::MaxNumFOp::create(b, loc, old, value).getResult()
            : arith::MinNumFOp::create(b, loc, old, value).getResult();
    return widens ? arith::TruncFOp::create(b, loc, type, result).getResult()
                  : result;
  }
  switch (op.getKind()) {
  case tl::AtomicKind::Add:
    return arith::AddIOp::create(b, loc, old, value);
  case tl::AtomicKind::Max:
    return isUnsigned ? arith::MaxUIOp::create(b, loc, old, value).getResult()
                      : arith::MaxSIOp::create(b, loc, old, value).getResult();
  case tl::AtomicKind::Min:
    return isUnsigned ? arith::MinUIOp::create(b, loc, old, value).getResult()
                      : arith::MinSIOp::create(b, loc, old, value).getResult();
  case tl::AtomicKind::Or:
    return arith::OrIOp::create(b, loc, old, value);
  }
  llvm_unreachable("all kinds are handled");
}

static LogicalResult updateTile(Vectorizer &v, tl::AtomicOp op,
                                ArrayRef<Value> indices) {
  Value olds;
  if (op.getOld())
    olds = v.createTemp(VectorShape::Full, op.getOld().getType());
  LogicalResult done = forEach(
      v, VectorShape::Full, /*byRows=*/false,
      [&](Iteration &at) -> LogicalResult {
        FailureOr<SmallVector<Value>> place = evaluateAll(v, at, indices);
        FailureOr<Value> value = evaluate(v, at, op.getValue());
        if (failed(place) || failed(value))
          return failure();
        Value matrix;
        auto position =
            v.l.buffers.getMatrixIndices(op, op.getTarget(), *place, matrix);
        if (failed(position))
          return failure();
        OpBuilder::InsertionGuard guard(v.b);
        if (Value inside = checkBounds(v, op, *place))
          v.b.setInsertionPointToStart(
              scf::IfOp::create(v.b, v.loc(), inside).thenBlock());
        Value old =
            memref::LoadOp::create(v.b, v.loc(), matrix, *position);
        memref::StoreOp::create(v.b, v.loc(),
                                combineScalars(v.b, v.loc(), op, old, *value),
                                matrix, *position);
        if (olds)
          setElement(v, at, olds, VectorShape::Full, old);
        return success();
      });
  if (olds)
    v.operands[op.getOld()] = VectorOperand{VectorShape::Full, olds, Value()};
  return done;
}

LogicalResult mlir::tile::ascend::vectorizeAtomic(Vectorizer &v,
                                                  tl::AtomicOp op) {
  SmallVector<Value> indices = getIndices(op);
  v.clearBroadcasts();
  if (tl::getMemorySpace(op.getTarget()) == MemorySpace::Global)
    return updateGlobal(v, op, indices);
  return updateTile(v, op, indices);
}
