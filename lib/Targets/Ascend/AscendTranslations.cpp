//===- AscendTranslations.cpp - Ascend's part of tile-translate -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/Ascend/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tile;

void mlir::tile::registerAscendTranslations() {
  TranslateFromMLIRRegistration kernels(
      "mlir-to-ascendc",
      "write lowered kernels (see tile-to-ascend-pipeline) as Ascend C",
      emitAscendCWithoutLines, registerDialects);
  static llvm::cl::opt<std::string> chip(
      "ascendc-chip", llvm::cl::desc("The chip for --tile-to-ascendc"));
  TranslateRegistration whole(
      "tile-to-ascendc",
      "lower kernels and write them as Ascend C, with names and lines of the "
      "source",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
         MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerDialects(registry);
        context->appendDialectRegistry(registry);
        OwningOpRef<ModuleOp> module = parseModule(*sources, context);
        if (!module)
          return failure();
        PassManager pm(context);
        buildTileToAscendPipeline(pm, chip);
        return failure(failed(pm.run(*module)) ||
                       failed(emitAscendC(*module, os)));
      });
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
