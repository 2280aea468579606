//===- TileToCPU.cpp - the pass -------------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/TileToCPU/Passes.h"
#include "Tile/Conversion/TotalArithmetic.h"
#include "Tile/Dialect/World/IR/World.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOCPUPASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// On a CPU all memory is one memory: types lose the tile spaces.
static void dropMemorySpaces(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!isa_and_nonnull<MemorySpaceAttr>(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// What `tile-run` is told by attributes of functions has no meaning below this level.
static void dropRunAttributes(ModuleOp module) {
  auto isOurs = [](NamedAttribute attr) {
    return attr.getName().strref().starts_with("tile.");
  };
  module.walk([&](FunctionOpInterface function) {
    for (NamedAttribute attr :
         llvm::to_vector(function->getDiscardableAttrs()))
      if (isOurs(attr))
        function->removeDiscardableAttr(attr.getName());
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      for (NamedAttribute attr : llvm::to_vector(function.getArgAttrs(i)))
        if (isOurs(attr))
          function.removeArgAttr(i, attr.getName());
  });
}

/// What waits for an engine or another partition has no meaning in one thread.
static LogicalResult verifyUnscheduled(Operation *root) {
  auto result = root->walk([](Operation *op) {
    if (!isa<CreatePipelineOp, ProducerAcquireOp, ProducerCommitOp,
             ConsumerWaitOp, ConsumerReleaseOp, StageOp, WarpSpecializeOp>(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' cannot be lowered to the CPU: it is part of a "
                       "schedule for a GPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The wall behind this level: every tile op must be gone.
static LogicalResult verifyNoTileOps(Operation *root) {
  auto result = root->walk([](Operation *op) {
    if (!isa_and_nonnull<TileDialect, world::WorldDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' cannot be lowered to the CPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ConvertTileToCPU
    : tile::impl::ConvertTileToCPUPassBase<ConvertTileToCPU> {
  using ConvertTileToCPUPassBase::ConvertTileToCPUPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    FailureOr<cpu::CPUTargetInfo> cpuInfo =
        cpu::getCPUTargetInfo(getOperation());
    if (failed(cpuInfo) || failed(verifyUnscheduled(getOperation())))
      return signalPassFailure();
    makeArithmeticTotal(getOperation());
    cpu::lowerGemms(getOperation(), *cpuInfo);
    RewritePatternSet patterns(&getContext());
    cpu::LoweringOptions options{*cpuInfo, checkAssumptions, poisonTiles};
#define TILE_MODELS(family) cpu::populate##family##Patterns(patterns, options);
#include "TileToCPUModels.inc"
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    // Loops go last: the patterns above ask for the kernel around an op.
    RewritePatternSet control(&getContext());
    cpu::populateControl(control, options);
    walkAndApplyPatterns(getOperation(), std::move(control));

    if (failed(verifyNoTileOps(getOperation())))
      return signalPassFailure();
    dropMemorySpaces(getOperation());
    dropRunAttributes(getOperation());
  }
};
} // namespace
