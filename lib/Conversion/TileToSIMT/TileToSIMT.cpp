//===- TileToSIMT.cpp - kernels become functions of one thread ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"
#include "Models.h"

#include "Tile/Conversion/TileToSIMT/Passes.h"
#include "Tile/Conversion/TotalArithmetic.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOSIMTPASS
#include "Tile/Conversion/TileToSIMT/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// What is left that only L2 knows: its ops, and buffers in any op.
static LogicalResult verifyLowered(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool hasBuffer =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
    if (!isa<TileDialect>(op->getDialect()) &&
        !isa<memref::MemRefDialect>(op->getDialect()) && !hasBuffer)
      return WalkResult::advance();
    op->emitOpError("cannot be lowered to threads of a GPU");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The function goes, and with it all that its kernels do not compute again.
static LogicalResult verifyHost(func::FuncOp host) {
  if (host.getNumResults() != 0)
    return host.emitError() << "expected a function with kernels to have no "
                               "results, got "
                            << host.getNumResults();
  for (Operation &op : host.getOps())
    if (!isa<KernelOp, AllocOp, AssumeOp, func::ReturnOp>(op) &&
        !isMemoryEffectFree(&op))
      return op.emitError() << "'" << op.getName()
                            << "' cannot be run next to kernels of a GPU; "
                               "expected launch parameters only";
  return success();
}

static void attachModels(MLIRContext *context) {
  context->loadDialect<TileDialect, memref::MemRefDialect>();
#define TILE_MODELS(family) attach##family##Models(context);
#include "TileToSIMTModels.inc"
}

namespace {
struct ConvertTileToSIMT
    : mlir::tile::impl::ConvertTileToSIMTPassBase<ConvertTileToSIMT> {
  using ConvertTileToSIMTPassBase::ConvertTileToSIMTPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    attachModels(context);
    auto *dialect = context->getOrLoadDialect<TileDialect>();
    for (const auto &target : SIMTTargets::get(dialect).getTargets())
      target->loadDialects(context);
    return success();
  }

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    simt = SIMTTargets::lookup(&getContext(), *chip);
    if (!simt) {
      // untested: by lit, whose tools have all targets; see SIMTTargetTest.cpp
      getOperation().emitError()
          << "cannot be lowered to threads of '" << chip->name
          << "': no SIMT target that supports it is registered";
      return signalPassFailure();
    }
    if (failed(verifyPlaces()))
      return signalPassFailure();
    makeArithmeticTotal(getOperation());
    auto attr = TargetAttr::get(&getContext(), chip->name.str());
    for (auto host :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(convert(host, attr)))
        return signalPassFailure();
  }

  /// Kernels elsewhere would be left as they are.
  LogicalResult verifyPlaces() {
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      auto host = kernel->getParentOfType<func::FuncOp>();
      if (host && host->getParentOp() == getOperation())
        return WalkResult::advance();
      InFlightDiagnostic diag = kernel.emitError(
          "expected the kernel in a function of the outermost module");
      diag.attachNote(kernel->getParentOp()->getLoc()) << "it is in here";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult convert(func::FuncOp host, TargetAttr attr) {
    SmallVector<KernelOp> kernels;
    host.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return success();
    for (KernelOp kernel : kernels)
      if (kernel->getBlock() != &host.getBody().front()) {
        InFlightDiagnostic diag = kernel.emitError(
            "expected the kernel to be launched once, at the top of its "
            "function");
        diag.attachNote(kernel->getParentOp()->getLoc()) << "it is in here";
        return diag;
      }
    OpBuilder b(host);
    auto module = gpu::GPUModuleOp::create(b, host.getLoc(),
                                           (host.getName() + "_gpu").str());
    module->setAttr(kTargetAttrName, attr);
    unsigned launch = 0, version = 0;
    for (KernelOp kernel : kernels) {
      std::string general = (host.getName() + "_" + Twine(launch)).str();
      auto pads = kernel->getAttrOfType<IntegerAttr>(kPadsAttrName);
      if (pads)
        general += "_pad" + std::to_string(pads.getInt());
      std::string name = general;
      if (kernel.isConditional()) {
        name += "_v" + std::to_string(++version);
      } else {
        // What pads has the number of the kernel that it pads for.
        launch += pads ? 0 : 1;
        version = 0;
      }
      if (failed(verifyKernel(kernel, host, getTarget(attr))) ||
          failed(convertKernel(kernel, host, module, {name, general}, attr,
                               *simt)))
        return failure();
    }
    if (failed(verifyHost(host)))
      return failure();
    // What is left may use the function's arguments: it must outlive the test.
    if (failed(verifyLowered(module)))
      return failure();
    host.erase();
    return success();
  }

  const SIMTTarget *simt = nullptr;
};
} // namespace
