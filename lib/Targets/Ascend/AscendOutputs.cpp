//===- AscendOutputs.cpp - the outputs of a lowered module ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Dialect/Tile/IR/Verification.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult mlir::tile::emitAscendC(ModuleOp module, raw_ostream &os) {
  return success(
      succeeded(verifyNames(module)) &&
      succeeded(ascend::writeAscendKernels(module, /*hasLines=*/true, os)));
}

LogicalResult mlir::tile::emitAscendCWithoutLines(ModuleOp module,
                                                  raw_ostream &os) {
  return success(
      succeeded(verifyNames(module)) &&
      succeeded(ascend::writeAscendKernels(module, /*hasLines=*/false, os)));
}

LogicalResult mlir::tile::emitAscendHost(ModuleOp module, raw_ostream &os) {
  return success(succeeded(verifyNames(module)) &&
                 succeeded(ascend::writeAscendHost(module, /*isDevice=*/false, os)));
}

LogicalResult mlir::tile::emitAscendDeviceHost(ModuleOp module,
                                               raw_ostream &os) {
  return success(succeeded(verifyNames(module)) &&
                 succeeded(ascend::writeAscendHost(module, /*isDevice=*/true, os)));
}

LogicalResult mlir::tile::emitAscendBuild(ModuleOp module, raw_ostream &os) {
  return success(succeeded(verifyNames(module)) &&
                 succeeded(ascend::writeAscendBuild(module, os)));
}

LogicalResult mlir::tile::emitAscendHIVM(ModuleOp module, raw_ostream &os) {
  return success(succeeded(verifyNames(module)) &&
                 succeeded(ascend::writeAscendHIVM(module, os)));
}
