//===- VectorMemory.cpp - loads and stores of a loop ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"
#include "VectorIndices.h"
#include "VectorIntegers.h"
#include "Vectorizer.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static bool storesTo(Operation *op, Value buffer) {
  auto store = dyn_cast<memref::StoreOp>(op);
  return store &&
         tl::getBaseBuffer(store.getMemRef()) == tl::getBaseBuffer(buffer);
}

/// Whether a store to `buffer` stands between a load and the last use of what
/// it read.
static bool isOverwritten(memref::LoadOp load) {
  bool stored = false;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    bool uses = llvm::is_contained(op->getOperands(), load.getResult());
    if (stored && uses)
      return true;
    stored |= storesTo(op, load.getMemRef());
  }
  return false;
}

/// What to do with elements that no vector has.
static StringRef describeWayOut(Type element) {
  if (element.isIntOrFloat())
    return "; widen them to i8, or keep two in an i8";
  if (element.isIndex())
    return "; keep them as i32 or i64";
  return isa<ComplexType>(element) ? "; pass their parts as a last dimension "
                                     "of 2"
                                   : "";
}

LogicalResult mlir::tile::ascend::vectorizeLoad(Vectorizer &v,
                                                memref::LoadOp load) {
  Type element = getHeldType(v, load.getType());
  bool isGlobal = tl::getMemorySpace(load.getMemRef()) == MemorySpace::Global;
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return v.emitError() << "elements of type " << element
                         << " cannot be vectorised"
                         << describeWayOut(element);
  std::optional<unsigned> gathered = findGather(v, load);
  if (gathered && element == load.getType())
    return vectorizeGather(v, load, *gathered);
  if (getDependence(v, load.getIndices()) == VectorShape::Scalar &&
      (load.getIndices().empty() || !(isGlobal && isSingle(v))))
    return loadUniform(v, load);
  if (isGlobal) {
    auto part = getGlobalPart(v, load.getMemRef(), load.getIndices());
    if (!part)
      return loadElements(v, load);
    VectorOperand operand;
    operand.shape = part->second;
    operand.matrix = v.createTemp(operand.shape, element);
    v.operands[load.getResult()] = operand;
    return createLoad(v.l, v.current, operand.matrix, part->first);
  }
  auto found = getTilePart(v, load.getMemRef(), load.getIndices());
  if (failed(found))
    return failure();
  if (!*found) {
    FailureOr<bool> done = loadLanes(v, load);
    if (failed(done) || *done)
      return success(succeeded(done));
    return loadElements(v, load);
  }
  VectorOperand part = **found;
  if (isOverwritten(load) || element != load.getType()) {
    Value temp = v.createTemp(part.shape, element);
    if (failed(createCopy(v.l, v.current, temp, part.matrix)))
      return failure();
    part.matrix = temp;
  }
  v.operands[load.getResult()] = part;
  return success();
}

/// Whether the op, or the scalar code of a loop, accesses the buffer.
static bool touches(Operation &op, Value base) {
  return op
      .walk([&](Operation *inner) {
        bool isAccess = !isMemoryEffectFree(inner) &&
                        llvm::any_of(inner->getOperands(), [&](Value operand) {
                          return isa<MemRefType>(operand.getType()) &&
                                 tl::getBaseBuffer(operand) == base;
                        });
        return isAccess ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The instruction that made a temporary may write to the buffer at once, if
/// nothing in between touches the buffer.
static bool retarget(Vectorizer &v, Value temp, Value buffer) {
  auto alloc = tl::getBaseBuffer(temp).getDefiningOp<tl::AllocOp>();
  if (!v.temps.contains(temp) || !alloc || temp.getType() != buffer.getType())
    return false;
  Operation *writer = nullptr;
  Value base = tl::getBaseBuffer(buffer);
  for (Operation &op : llvm::reverse(llvm::make_range(
           v.b.getInsertionBlock()->begin(), v.b.getInsertionPoint()))) {
    if (isa<InstructionOpInterface>(op) && op.getOperand(0) == temp) {
      writer = &op;
      break;
    }
    if (touches(op, base))
      return false;
  }
  if (!writer || !llvm::hasSingleElement(temp.getUses()))
    return false;
  // An operand that is repeated is no place for the result.
  if (auto binary = dyn_cast<BinaryOp>(writer))
    for (Value side : {binary.getLhs(), binary.getRhs()})
      if (side.getType() != buffer.getType() && tl::getBaseBuffer(side) == base)
        return false;
  Operation *view = buffer.getDefiningOp();
  if (view && view->getBlock() == writer->getBlock() &&
      writer->isBeforeInBlock(view)) {
    if (view->getNumOperands() != 1 || buffer == base ||
        view->getOperand(0) != base)
      return false;
    view->moveBefore(writer);
  }
  writer->setOperand(0, buffer);
  return true;
}

LogicalResult mlir::tile::ascend::vectorizeStore(Vectorizer &v,
                                                 memref::StoreOp store) {
  FailureOr<VectorOperand> value = v.getHeld(store.getValue());
  if (failed(value))
    return failure();
  Type element = getHeldType(v, store.getValue().getType());
  if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global) {
    auto part = getGlobalPart(v, store.getMemRef(), store.getIndices());
    if (!part || join(value->shape, part->second) != part->second)
      return storeElements(v, store);
    FailureOr<Value> matrix = v.materialize(*value, part->second, element);
    return failed(matrix) ? failure()
                          : createStore(v.l, v.current, part->first, *matrix);
  }
  auto found = getTilePart(v, store.getMemRef(), store.getIndices());
  if (failed(found))
    return failure();
  // If several iterations write one element the last one counts, as in a loop.
  if (*found && join(value->shape, (*found)->shape) != (*found)->shape)
    return storeElements(v, store);
  if (!*found) {
    FailureOr<bool> done = storeLanes(v, store);
    if (failed(done) || *done)
      return success(succeeded(done));
    return storeElements(v, store);
  }
  v.clearBroadcasts();
  VectorOperand part = **found;
  Type stored = store.getValue().getType();
  if (value->shape == VectorShape::Scalar) {
    Value scalar = v.linear.hoist(store.getValue());
    return createFill(v.l, v.current, part.matrix,
                      scalar ? scalar : value->scalar);
  }
  FailureOr<Value> matrix = v.materialize(*value, part.shape, element);
  if (failed(matrix))
    return failure();
  if (element != stored)
    return createCast(v.l, v.current, part.matrix, *matrix, /*fits=*/true);
  // The value would change with the tile.
  bool stays = llvm::none_of(
      llvm::make_range(std::next(store->getIterator()),
                       store->getBlock()->end()),
      [&](Operation &op) { return storesTo(&op, store.getMemRef()); });
  if (stays && retarget(v, *matrix, part.matrix)) {
    v.operands[store.getValue()].matrix = part.matrix;
    return success();
  }
  if (!supports(v.l, "Copy", element))
    return storeElements(v, store);
  CopyUbOp::create(v.b, v.loc(), part.matrix, *matrix);
  return success();
}
