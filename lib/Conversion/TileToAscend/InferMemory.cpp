//===- InferMemory.cpp - the memories of tiles ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubeOperands.h"
#include "IterationBuffers.h"

#include "Tile/Conversion/TileToAscend/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDINFERMEMORYPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// Whether the memory is left to the compiler.
static bool isAbstract(MemorySpace space) {
  return space == MemorySpace::Shared || space == MemorySpace::Fragment ||
         space == MemorySpace::Local;
}

static void setSpace(Value buffer, MemorySpace space) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(
      MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(),
                      tl::MemorySpaceAttr::get(type.getContext(), space)));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      setSpace(user->getResult(0), space);
}

/// Uses of the buffer or of a view of it, but for the views.
static void collectUses(Value buffer, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : buffer.getUses()) {
    if (isa<ViewLikeOpInterface>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

static LogicalResult inferSpace(tl::AllocOp alloc) {
  SmallVector<OpOperand *> uses;
  collectUses(alloc.getBuffer(), uses);
  std::optional<MemorySpace> space;
  Operation *reason = nullptr;
  for (OpOperand *use : uses) {
    std::optional<MemorySpace> need = tl::ascend::getOperandMemory(*use);
    if (!need || need == space)
      continue;
    if (!space) {
      space = need;
      reason = use->getOwner();
      continue;
    }
    InFlightDiagnostic diag = alloc.emitError()
                              << "the buffer is needed in '"
                              << tl::stringifyMemorySpace(*space)
                              << "' and in '" << tl::stringifyMemorySpace(*need)
                              << "'; copy it between two buffers";
    diag.attachNote(reason->getLoc())
        << "'" << tl::stringifyMemorySpace(*space) << "' here";
    diag.attachNote(use->getOwner()->getLoc())
        << "'" << tl::stringifyMemorySpace(*need) << "' here";
    return diag;
  }
  setSpace(alloc.getBuffer(), space.value_or(MemorySpace::UB));
  remark::passed(alloc.getLoc(), remark::RemarkOpts::name("InferredMemory")
                                     .category("ascend-infer-memory"))
      << remark::metric("memory", tl::stringifyMemorySpace(
                                      space.value_or(MemorySpace::UB)));
  return success();
}

/// A tile that both cores need is one of the vector unit, and so is one of
/// rounded products.
static void separate(tl::AllocOp alloc) {
  SmallVector<OpOperand *> uses;
  collectUses(alloc.getBuffer(), uses);
  bool isOperand = false, isResult = false, isVector = false;
  for (OpOperand *use : uses) {
    std::optional<MemorySpace> need = tl::ascend::getOperandMemory(*use);
    isOperand |= need == MemorySpace::L1;
    isResult |= need == MemorySpace::L0C;
    isVector |= need == MemorySpace::UB;
  }
  if (isOperand && (isResult || isVector)) {
    tl::ascend::createCubeOperands(alloc);
    isVector = true;
  }
  if (isResult && (isVector || tl::ascend::isNarrow(alloc.getBuffer())))
    tl::ascend::createAccumulators(alloc);
}

namespace {
struct AscendInferMemory
    : tl::impl::AscendInferMemoryPassBase<AscendInferMemory> {
  LogicalResult initialize(MLIRContext *context) override {
    tl::ascend::attachModels(context);
    return success();
  }

  void runOnOperation() override {
    if (failed(tl::verifyParametersBound(getOperation())))
      return signalPassFailure();
    WalkResult expanded = getOperation()->walk([](tl::KernelOp kernel) {
      return succeeded(tl::ascend::expandIterationBuffers(kernel))
                 ? WalkResult::skip()
                 : WalkResult::interrupt();
    });
    if (expanded.wasInterrupted())
      return signalPassFailure();
    SmallVector<tl::AllocOp> shared;
    auto isOpen = [](tl::AllocOp alloc) {
      return alloc->getParentOfType<tl::KernelOp>() &&
             isAbstract(tl::getMemorySpace(alloc.getBuffer()));
    };
    getOperation()->walk([&](tl::AllocOp alloc) {
      if (isOpen(alloc))
        shared.push_back(alloc);
    });
    for (tl::AllocOp alloc : shared)
      separate(alloc);
    auto result = getOperation()->walk([&](tl::AllocOp alloc) {
      if (!isOpen(alloc))
        return WalkResult::advance();
      return failed(inferSpace(alloc)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
