//===- AscendHIVM.cpp - kernels as text of AscendNPU-IR -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Conversion/AscendToHIVM/AscendToHIVM.h"

using namespace mlir;

LogicalResult mlir::tile::ascend::writeAscendHIVM(ModuleOp module,
                                                  raw_ostream &os) {
  OwningOpRef<ModuleOp> converted = convertAscendToHIVM(module, getKernelName);
  if (!converted)
    return failure();
  converted->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  os << "\n";
  return success();
}
