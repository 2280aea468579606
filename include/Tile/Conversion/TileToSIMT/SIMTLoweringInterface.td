//===- SIMTLoweringInterface.td - from an op to threads ----*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_SIMTLOWERINGINTERFACE
#define TILE_CONVERSION_TILETOSIMT_SIMTLOWERINGINTERFACE

include "mlir/IR/OpBase.td"

def Tile_SIMTLoweringOpInterface : OpInterface<"SIMTLoweringOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    Turns an op of a kernel into the code of one thread. External models implement it, so that the dialect knows nothing of
    GPUs.
  }];
  let methods = [
    InterfaceMethod<[{
        Emits the code at the builder of `lowering`, which stands before the op. Replaces the results; the op is erased by
        the caller. Reports why where it cannot.
      }],
      "::llvm::LogicalResult", "lowerToThreads", (ins "::mlir::tile::simt::KernelLowering &":$lowering)>
  ];
}

#endif // TILE_CONVERSION_TILETOSIMT_SIMTLOWERINGINTERFACE
