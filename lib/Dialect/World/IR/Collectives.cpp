//===- Collectives.cpp - what all ranks do together -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/World/IR/World.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

static bool isRowMajor(MemRefType type) {
  return type.getLayout().isIdentity() && type.getRank() > 0;
}

static LogicalResult verifySymmetric(Operation *op, Value buffer,
                                     StringRef what) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isRowMajor(type) &&
      isa_and_nonnull<SymmetricAttr>(type.getMemorySpace()))
    return success();
  return op->emitOpError()
         << "expected a row-major buffer in #world.symmetric memory as " << what
         << ", got " << type;
}

static LogicalResult verifyWholeBytes(Operation *op, Type element) {
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0)
    return success();
  return op->emitOpError() << "expected elements of whole bytes, got "
                           << element;
}

template <typename OpTy> static LogicalResult verifyElements(OpTy op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getElementType() != target.getElementType())
    return op.emitOpError() << "expected element type "
                            << source.getElementType()
                            << " as in the source, got "
                            << target.getElementType();
  // world.all_gather C3
  // world.all_reduce C3
  // world.all_to_all C3
  // world.broadcast C3
  // world.reduce_scatter C3
  if (auto kernel = op->template getParentOfType<KernelOp>()) {
    InFlightDiagnostic diag =
        op.emitOpError("is a kernel itself; expected it beside kernels");
    diag.attachNote(kernel.getLoc()) << "it is in this one";
    return diag;
  }
  // world.all_gather C2
  // world.all_reduce C2
  // world.all_to_all C2
  // world.broadcast C2
  // world.reduce_scatter C2
  auto blocks = static_cast<int64_t>(op.getBlocks());
  if (blocks < 1 || blocks > kMaxMeetingBlocks)
    return op.emitOpError() << "expected 1 to " << kMaxMeetingBlocks
                            << " blocks, got " << blocks;
  return success();
}

/// A chunk of a two-shot all-reduce is read by the rank that writes it alone.
template <typename OpTy> static LogicalResult verifyDisjoint(OpTy op) {
  bool mayBeOne = false;
  if constexpr (std::is_same_v<OpTy, AllReduceOp>)
    mayBeOne = op.getAlgorithm() == Algorithm::TwoShot &&
               op.getSource() == op.getTarget();
  if (mayBeOne ||
      getBaseBuffer(op.getSource()) != getBaseBuffer(op.getTarget()))
    return success();
  return op.emitOpError("expected another buffer as target: ranks read the "
                        "source while others write");
}

template <typename OpTy> static LogicalResult verifyMove(OpTy op) {
  // world.all_gather C1
  // world.all_to_all C1
  // world.broadcast C1
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (failed(verifySymmetric(op, op.getSource(), "source")))
    return failure();
  if (!isRowMajor(target) || getMemorySpace(target) != MemorySpace::Global)
    return op.emitOpError()
           << "expected a row-major buffer in global memory as target, got "
           << target;
  return failure(failed(verifyWholeBytes(op, target.getElementType())) ||
                 failed(verifyElements(op)) || failed(verifyDisjoint(op)));
}

template <typename OpTy> static LogicalResult verifyCombine(OpTy op) {
  if (failed(verifyMove(op)))
    return failure();
  // world.all_reduce C1
  // world.reduce_scatter C1
  Type element =
      cast<MemRefType>(op.getTarget().getType()).getElementType();
  bool isFloat =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() >= 16;
  if (isFloat || element.isSignlessInteger())
    return success();
  return op.emitOpError() << "expected floats of at least 16 bits or signless "
                             "integers, got "
                          << element;
}

/// The source is a rank's own; what it puts to others needs their memory.
static LogicalResult verifyPut(AllGatherOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto flags = cast<MemRefType>(op.getFlags().getType());
  if (!isRowMajor(source) || world::isReachable(source) ||
      getMemorySpace(source) != MemorySpace::Global)
    return op.emitOpError() << "expected a row-major buffer in global memory "
                               "as source of copy_engine, got "
                            << source;
  if (failed(verifySymmetric(op, op.getTarget(), "target of copy_engine")))
    return failure();
  if (flags.getRank() != 1 ||
      !isa_and_nonnull<SymmetricAttr>(flags.getMemorySpace()) ||
      !(flags.getElementType().isInteger(32) ||
        flags.getElementType().isInteger(64)))
    return op.emitOpError() << "expected flags in #world.symmetric memory, of "
                               "one dimension of i32 or i64, got "
                            << flags;
  return verifyWholeBytes(op, source.getElementType());
}

LogicalResult AllGatherOp::verify() {
  // world.all_gather C4
  bool isPut = getAlgorithm() == GatherAlgorithm::CopyEngine;
  if (isPut != bool(getFlags()))
    return emitOpError("expected flags of copy_engine, and of nothing else");
  if (!isPut)
    return verifyMove(*this);
  return failure(failed(verifyPut(*this)) || failed(verifyElements(*this)));
}
LogicalResult AllToAllOp::verify() { return verifyMove(*this); }
LogicalResult BroadcastOp::verify() { return verifyMove(*this); }
LogicalResult ReduceScatterOp::verify() { return verifyCombine(*this); }

LogicalResult AllReduceOp::verify() {
  if (failed(verifyCombine(*this)))
    return failure();
  return getAlgorithm() == Algorithm::OneShot
             ? success()
             : verifySymmetric(*this, getTarget(), "target of two_shot");
}
