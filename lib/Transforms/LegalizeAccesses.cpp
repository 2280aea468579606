//===- LegalizeAccesses.cpp - explicit bounds of global accesses ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LEGALIZEACCESSESPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Rewrites the accesses of one kernel.
class KernelLegalizer {
public:
  explicit KernelLegalizer(KernelOp kernel) : kernel(kernel) {}
  LogicalResult run();

private:
  /// What a read of `type` outside of `buffer` yields; null, with an error at `op`, if there is no such value.
  Value getPaddingValue(OpBuilder &b, Operation *op, Value buffer, Type type);
  LogicalResult legalize(Operation *op, const Access &access);
  LogicalResult guardScalar(Operation *op, const BufferRegion &region,
                            ArrayRef<OpenBounds> open);
  LogicalResult maskVector(Operation *op, const Access &access,
                           ArrayRef<OpenBounds> open);

  KernelOp kernel;
  unsigned numGuarded = 0, numProven = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static Value materializeOffset(OpBuilder &b, Location loc,
                               const BufferRegion &region, unsigned dim) {
  AffineMap map = getOffset(region, dim);
  if (auto input = dyn_cast<AffineDimExpr>(map.getResult(0)))
    return region.operands[input.getPosition()];
  return affine::AffineApplyOp::create(b, loc, map, region.operands);
}

static Value materializeExtent(OpBuilder &b, Location loc, Value buffer,
                               unsigned dim) {
  int64_t extent = cast<MemRefType>(buffer.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent))
    return memref::DimOp::create(b, loc, buffer, dim);
  return arith::ConstantIndexOp::create(b, loc, extent);
}

/// `a` and `b`, either of which may be absent.
static Value conjoin(OpBuilder &builder, Location loc, Value a, Value b) {
  return a ? arith::AndIOp::create(builder, loc, a, b).getResult() : b;
}

/// The conjunction of the open bounds of `index`, which is an index or a vector of indices.
static Value checkIndex(OpBuilder &b, Location loc, Value index, Value extent,
                        OpenBounds open, Value condition) {
  auto splat = [&](Value value) -> Value {
    if (auto vector = dyn_cast<VectorType>(index.getType()))
      return vector::BroadcastOp::create(b, loc, vector, value);
    return value;
  };
  if (open.lower) {
    Value zero = splat(arith::ConstantIndexOp::create(b, loc, 0));
    condition = conjoin(
        b, loc, condition,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, zero));
  }
  if (open.upper)
    condition = conjoin(b, loc, condition,
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              index, splat(extent)));
  return condition;
}

/// Whether the first element of the region lies in the open bounds; null if there are none.
static Value checkFirst(OpBuilder &b, Location loc, const BufferRegion &region,
                        ArrayRef<OpenBounds> open) {
  Value condition;
  for (OpenBounds bounds : open) {
    Value extent;
    if (bounds.upper)
      extent = materializeExtent(b, loc, region.buffer, bounds.dim);
    condition =
        checkIndex(b, loc, materializeOffset(b, loc, region, bounds.dim),
                   extent, bounds, condition);
  }
  return condition;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value KernelLegalizer::getPaddingValue(OpBuilder &b, Operation *op,
                                       Value buffer, Type type) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value hint = findPaddingValue(kernel, buffer);
  if (hint) {
    // A constant may stand in the kernel, behind the access.
    Operation *constant = hint.getDefiningOp();
    if (constant && kernel->isAncestor(constant))
      hint = b.clone(*constant)->getResult(0);
    if (hint.getType() != type)
      hint = vector::BroadcastOp::create(b, op->getLoc(), type, hint);
    return hint;
  }
  TypedAttr zero = b.getZeroAttr(type);
  if (zero)
    return arith::ConstantOp::create(b, op->getLoc(), zero);
  op->emitOpError() << "no padding value for elements of " << element
                    << "; give one with 'tile.padding_value'";
  return {};
}

LogicalResult KernelLegalizer::guardScalar(Operation *op,
                                           const BufferRegion &region,
                                           ArrayRef<OpenBounds> open) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> safe;
  for (Type type : op->getResultTypes()) {
    safe.push_back(getPaddingValue(b, op, region.buffer, type));
    if (!safe.back())
      return failure();
  }
  Value condition = checkFirst(b, loc, region, open);
  auto guard = scf::IfOp::create(b, loc, op->getResultTypes(), condition,
                                 /*withElseRegion=*/!safe.empty());
  op->replaceAllUsesWith(guard);
  if (safe.empty()) {
    op->moveBefore(guard.thenYield());
    return success();
  }
  b.setInsertionPointToEnd(guard.thenBlock());
  auto yield = scf::YieldOp::create(b, loc, op->getResults());
  op->moveBefore(yield);
  b.setInsertionPointToEnd(guard.elseBlock());
  scf::YieldOp::create(b, loc, safe);
  return success();
}

/// The value that a vector store writes; null for other ops.
static Value getStoredVector(Operation *op) {
  if (auto store = dyn_cast<affine::AffineWriteOpInterface>(op))
    return store.getValueToStore();
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getValueToStore();
  return {};
}

/// The vector that an op reads or writes; null for an instruction of a chip,
/// which has its own rules about bounds.
static VectorType getAccessedVector(Operation *op, const Access &access) {
  Value vector = getStoredVector(op);
  if (access.kind == AccessKind::Read)
    vector = op->getNumResults() == 1 ? op->getResult(0) : Value();
  return vector ? dyn_cast<VectorType>(vector.getType()) : VectorType();
}

LogicalResult KernelLegalizer::maskVector(Operation *op, const Access &access,
                                          ArrayRef<OpenBounds> open) {
  const BufferRegion &region = access.region;
  bool isRead = access.kind == AccessKind::Read;
  VectorType type = getAccessedVector(op, access);
  if (type.getRank() != 1)
    return op->emitOpError()
           << "a vector of " << type.getRank()
           << " dimensions may leave the bounds of the global buffer; access "
              "it in vectors of 1 dimension";
  OpBuilder b(op);
  Location loc = op->getLoc();
  unsigned inner = region.sizes.size() - 1;
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim <= inner; ++dim)
    indices.push_back(materializeOffset(b, loc, region, dim));

  // The lanes run along the last dimension; the others hold for all lanes or for none.
  auto maskType = VectorType::get(type.getShape(), b.getI1Type());
  Value mask;
  if (open.back().dim == inner) {
    auto laneType = VectorType::get(type.getShape(), b.getIndexType());
    Value lanes = vector::StepOp::create(b, loc, laneType);
    Value first = vector::BroadcastOp::create(b, loc, laneType, indices.back());
    lanes = arith::AddIOp::create(b, loc, lanes, first);
    Value extent = materializeExtent(b, loc, region.buffer, inner);
    mask = checkIndex(b, loc, lanes, extent, open.back(), mask);
    open = open.drop_back();
  }
  if (Value outer = checkFirst(b, loc, region, open))
    mask = conjoin(b, loc, mask,
                   vector::BroadcastOp::create(b, loc, maskType, outer));
  if (isRead) {
    Value safe = getPaddingValue(b, op, region.buffer, type);
    if (!safe)
      return failure();
    op->replaceAllUsesWith(vector::MaskedLoadOp::create(
        b, loc, type, region.buffer, indices, mask, safe));
  } else {
    vector::MaskedStoreOp::create(b, loc, region.buffer, indices, mask,
                                  getStoredVector(op));
  }
  op->erase();
  return success();
}

LogicalResult KernelLegalizer::legalize(Operation *op, const Access &access) {
  SmallVector<OpenBounds> open = findOpenBounds(op, access.region);
  if (open.empty()) {
    ++numProven;
    return success();
  }
  ++numGuarded;
  if (isSingleElement(access.region))
    return guardScalar(op, access.region, open);
  return maskVector(op, access, open);
}

LogicalResult KernelLegalizer::run() {
  SmallVector<std::pair<Operation *, Access>> work;
  kernel.walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (isCollective(op) || failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses)
      if (getMemorySpace(access.region.buffer) == MemorySpace::Global &&
          (isSingleElement(access.region) || getAccessedVector(op, access)))
        work.emplace_back(op, access);
  });
  for (auto &[op, access] : work)
    if (failed(legalize(op, access)))
      return failure();
  if (!work.empty())
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("GuardedAccesses")
                                        .category("tile-legalize-accesses"))
        << remark::metric("guarded", numGuarded)
        << remark::metric("proven", numProven);
  return success();
}

namespace {
struct LegalizeAccessesPass
    : tile::impl::LegalizeAccessesPassBase<LegalizeAccessesPass> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      return failed(KernelLegalizer(kernel).run()) ? WalkResult::interrupt()
                                                   : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
