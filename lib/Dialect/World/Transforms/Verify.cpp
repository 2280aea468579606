//===- Verify.cpp - reads of what ranks share -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Dialect/World/Transforms/Passes.h"
#include "Tile/Target/Target.h"

#include "Rules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile::world {
#define GEN_PASS_DEF_WORLDVERIFYPASS
#include "Tile/Dialect/World/Transforms/Passes.h.inc"
} // namespace mlir::tile::world

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::world;

static bool isReachable(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && world::isReachable(type);
}

static LogicalResult verifyAccesses(Operation *op) {
  // A callee that takes such a buffer is checked itself.
  if (isa_and_nonnull<WorldDialect>(op->getDialect()) ||
      isa<CallOpInterface>(op) ||
      llvm::none_of(op->getOperands(),
                    [](Value value) { return isReachable(value); }))
    return success();
  SmallVector<Access> accesses;
  bool isKnown = succeeded(collectAccesses(op, accesses));
  // A view that is plain is a way around the tokens.
  bool escapes = isa<ViewLikeOpInterface>(op) &&
                 llvm::none_of(op->getResults(),
                               [](Value value) { return isReachable(value); });
  if (!isKnown || escapes)
    return op->emitOpError("may read memory that another rank may be writing");
  for (const Access &access : accesses)
    if (access.kind == AccessKind::Read && isReachable(access.region.buffer))
      return op->emitOpError(
          "reads memory that another rank may be writing; read the result of "
          "'world.acquire', which takes the token of a 'world.wait' or "
          "'world.barrier'");
  return success();
}

static LogicalResult verifyFlags(Operation *op, Value flags, bool mayBePeer) {
  auto type = cast<MemRefType>(flags.getType());
  if (isa_and_nonnull<SymmetricAttr>(type.getMemorySpace()) ||
      (mayBePeer && world::isReachable(type)))
    return success();
  return op->emitOpError() << "expected flags in #world.symmetric "
                           << (mayBePeer ? "or #world.peer " : "")
                           << "memory, got " << type;
}

static bool hasRanks(FunctionOpInterface function) {
  return function && llvm::any_of(function.getArgumentTypes(), [](Type type) {
           return isa<RanksType>(type);
         });
}

/// Behind `world-resolve` there are no ranks, and all memory is plain.
static LogicalResult verifyOrder(Operation *op) {
  if (!hasRanks(op->getParentOfType<FunctionOpInterface>()))
    return success();
  if (auto signal = dyn_cast<SignalOp>(op))
    return verifyFlags(op, signal.getFlags(),
                       /*mayBePeer=*/!signal.getWorld());
  if (auto wait = dyn_cast<WaitOp>(op))
    return verifyFlags(op, wait.getFlags(), /*mayBePeer=*/false);
  if (isa<world::BarrierOp>(op) && !op->getParentOfType<KernelOp>())
    return op->emitOpError(
        "expected to be in a 'tile.kernel', whose blocks meet");
  return success();
}

static LogicalResult verifyArguments(FunctionOpInterface function) {
  int64_t numWorlds = 0;
  bool hasSymmetric = false;
  for (Type type : function.getArgumentTypes()) {
    numWorlds += isa<RanksType>(type);
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !world::isReachable(memref))
      continue;
    hasSymmetric = true;
    if (getElementBits(memref.getElementType()) % 8 != 0)
      return function.emitError()
             << "expected elements of whole bytes in #world.symmetric memory, "
                "got "
             << memref.getElementType();
  }
  if (numWorlds > 1)
    return function.emitError()
           << "expected one argument of type !world.ranks, got " << numWorlds;
  if (hasSymmetric && numWorlds == 0)
    return function.emitError("expected an argument of type !world.ranks "
                              "beside buffers in #world.symmetric memory");
  return success();
}

/// Whether an op may write the buffer.
static bool mayWrite(Operation *op, Value buffer) {
  auto isBuffer = [&](Value value) {
    return isa<MemRefType>(value.getType()) && getBaseBuffer(value) == buffer;
  };
  if (isMemoryEffectFree(op) || op->getNumRegions() > 0 ||
      llvm::none_of(op->getOperands(), isBuffer))
    return false;
  SmallVector<Access> accesses;
  return failed(collectAccesses(op, accesses)) ||
         llvm::any_of(accesses, [&](const Access &access) {
           return access.kind != AccessKind::Read &&
                  isBuffer(access.region.buffer);
         });
}

/// What a device may still be copying stays as it is.
static LogicalResult verifyCopies(FunctionOpInterface function) {
  Operation *copying = nullptr;
  Value source;
  WalkResult result = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // world.all_gather C6
    if (copying && mayWrite(op, source)) {
      InFlightDiagnostic error = op->emitOpError(
          "writes the source of an all-gather by copy_engine, which may still "
          "be copied");
      error.attachNote(copying->getLoc()) << "the all-gather";
      return WalkResult::interrupt();
    }
    auto copies = op->getAttrOfType<CopiesAttr>("world.copies");
    if (!copies || copies.getSource() >= function.getNumArguments())
      return WalkResult::advance();
    copying = op;
    source = function.getArgument(copies.getSource());
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct WorldVerify : world::impl::WorldVerifyPassBase<WorldVerify> {
  using WorldVerifyPassBase::WorldVerifyPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    bool ok = true;
    getOperation().walk([&](Operation *op) {
      ok &= succeeded(verifyAccesses(op)) && succeeded(verifyOrder(op));
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        ok &= succeeded(verifyArguments(function)) &&
              succeeded(verifyTarget(function)) &&
              succeeded(verifyCopies(function)) &&
              (!hasRanks(function) || succeeded(verifyRounds(function)));
      if (auto barrier = dyn_cast<world::BarrierOp>(op))
        ok &= succeeded(verifyUniform(barrier));
    });
    if (!ok)
      signalPassFailure();
  }

  LogicalResult verifyTarget(FunctionOpInterface function) {
    const ::tile::target::Target *target = lookupTarget(function);
    if (!target || target->has(::tile::target::Feature::Ranks) ||
        !hasRanks(function))
      return success();
    return function.emitError()
           << "takes !world.ranks, but " << target->name
           << " runs one rank; ranks run on the CPU, as "
              "threads, and on NVIDIA GPUs";
  }
};
} // namespace
