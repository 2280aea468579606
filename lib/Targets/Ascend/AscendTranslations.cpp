//===- AscendTranslations.cpp - Ascend's part of tile-translate -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mlir::tile;

void mlir::tile::registerAscendTranslations() {
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
