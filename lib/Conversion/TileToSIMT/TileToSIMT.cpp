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
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

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
    if (!isa_and_nonnull<TileDialect>(op->getDialect()) &&
        !isa_and_nonnull<memref::MemRefDialect>(op->getDialect()) && !hasBuffer)
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

/// Of a kernel, without what says how it is launched.
static DictionaryAttr getCodeAttrs(gpu::GPUFuncOp kernel) {
  NamedAttrList attrs(kernel->getAttrDictionary());
  attrs.erase(SymbolTable::getSymbolAttrName());
  attrs.erase(kLaunchAttrName);
  attrs.erase(kVersionsAttrName);
  return attrs.getDictionary(kernel.getContext());
}

/// The same launch, of another function or with other parameters.
static LaunchAttr rebuild(LaunchAttr launch, StringRef kernel,
                          ArrayRef<LaunchParameterAttr> parameters) {
  return LaunchAttr::get(
      launch.getContext(), kernel, launch.getFunction(), launch.getRuntime(),
      launch.getChip(), launch.getSymbols(), launch.getArguments(),
      launch.getMaps(), parameters, launch.getGrid(), launch.getBlock(),
      launch.getCluster(), launch.getShared(), launch.getWorkspace(),
      launch.getGeneral(), launch.getConditions());
}

/// Drops parameters that the code does not read, as the address of a buffer of
/// which it has a tensor map: versions may differ in nothing else.
static void dropUnusedParameters(gpu::GPUFuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  (void)runRegionDCE(rewriter, kernel->getRegions());
  auto launch = kernel->getAttrOfType<LaunchAttr>(kLaunchAttrName);
  BitVector unused(kernel.getNumArguments());
  SmallVector<LaunchParameterAttr> parameters;
  for (auto [i, parameter] : llvm::enumerate(launch.getParameters())) {
    if (kernel.getArgument(i).use_empty())
      unused.set(i);
    else
      parameters.push_back(parameter);
  }
  if (succeeded(kernel.eraseArguments(unused)))
    kernel->setAttr(kLaunchAttrName,
                    rebuild(launch, launch.getKernel(), parameters));
}

/// Versions of which nothing but tensor maps differs are one function, which
/// lists the launches of the others; whether these two are.
static bool shareCode(gpu::GPUFuncOp version, gpu::GPUFuncOp next) {
  if (getCodeAttrs(version) != getCodeAttrs(next) ||
      !OperationEquivalence::isRegionEquivalentTo(
          &version.getBody(), &next.getBody(),
          OperationEquivalence::IgnoreLocations))
    return false;
  SmallVector<Attribute> launches;
  if (auto others = version->getAttrOfType<ArrayAttr>(kVersionsAttrName))
    llvm::append_range(launches, others);
  auto launch = next->getAttrOfType<LaunchAttr>(kLaunchAttrName);
  launches.push_back(
      rebuild(launch, version.getName(), launch.getParameters()));
  version->setAttr(kVersionsAttrName,
                   ArrayAttr::get(version.getContext(), launches));
  remark::passed(version.getLoc(),
                 remark::RemarkOpts::name("SharedCode").category(
                     "convert-tile-to-simt"))
      << ("'" + next.getName() + "' has the code of '" + version.getName() +
          "'")
             .str();
  next.erase();
  return true;
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
    gpu::GPUFuncOp last; // of the versions of a kernel
    for (KernelOp kernel : kernels) {
      std::string general = (host.getName() + "_" + Twine(launch)).str();
      bool pads = kernel->hasAttr(kPadsAttrName);
      if (pads)
        general += "_pad";
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
      auto function = module.lookupSymbol<gpu::GPUFuncOp>(name);
      if (!kernel.isConditional()) {
        last = nullptr;
        continue;
      }
      dropUnusedParameters(function);
      if (!last || !shareCode(last, function))
        last = function;
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
