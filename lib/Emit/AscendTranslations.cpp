//===- AscendTranslations.cpp - Ascend's part of tile-translate -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Emit/Ascend.h"
#include "Tile/InitAll.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult mlir::tile::lowerToAscend(ModuleOp module, StringRef chip) {
  PassManager pm(module.getContext());
  // Fails where the tool has no such options.
  (void)applyPassManagerCLOptions(pm);
  buildTileToAscendPipeline(pm, chip);
  return pm.run(module);
}

LogicalResult mlir::tile::emitAscendC(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendKernels(module, os);
}

LogicalResult mlir::tile::emitAscendHost(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendHost(module, /*isDevice=*/false, os);
}

LogicalResult mlir::tile::emitAscendDeviceHost(ModuleOp module,
                                               raw_ostream &os) {
  return ascend::writeAscendHost(module, /*isDevice=*/true, os);
}

LogicalResult mlir::tile::emitAscendBuild(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendBuild(module, os);
}

LogicalResult mlir::tile::emitAscendHIVM(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendHIVM(module, os);
}

void mlir::tile::registerAscendTranslations() {
  auto registerDialects = [](DialectRegistry &registry) {
    registerAllDialects(registry);
  };
  TranslateFromMLIRRegistration kernels(
      "mlir-to-ascendc",
      "write lowered kernels (see tile-to-ascend-pipeline) as Ascend C",
      emitAscendC, registerDialects);
  TranslateFromMLIRRegistration host(
      "mlir-to-ascend-host",
      "write the host's side of lowered kernels as C for a device",
      emitAscendDeviceHost, registerDialects);
  TranslateFromMLIRRegistration build(
      "mlir-to-ascend-build",
      "write a script that builds lowered kernels with the vendor's compiler",
      emitAscendBuild, registerDialects);
  TranslateFromMLIRRegistration hivm(
      "mlir-to-hivm",
      "write lowered kernels of one kind of core as text of AscendNPU-IR",
      emitAscendHIVM, registerDialects);
}
