//===- AscendLoweringInterface.td - from an op to instructions -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE
#define TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE

include "mlir/IR/OpBase.td"

def Tile_AscendLoweringOpInterface : OpInterface<"AscendLoweringOpInterface"> {
  let cppNamespace = "::mlir::tile::ascend";
  let description = [{
    Turns an op of a kernel into instructions of an Ascend core. External models implement it, so that the dialect knows
    nothing of Ascend.
  }];
  let methods = [
    InterfaceMethod<"When the op is lowered.", "::mlir::tile::ascend::LoweringPhase", "getLoweringPhase">,
    InterfaceMethod<[{
        Emits instructions at the builder of `lowering`, which stands before the op. The op is erased by the caller, a
        buffer only if nothing uses it any more. Reports why where it cannot.
      }],
      "::llvm::LogicalResult", "lowerToInstructions", (ins "::mlir::tile::ascend::KernelLowering &":$lowering)>
  ];
}

#endif // TILE_CONVERSION_TILETOASCEND_ASCENDLOWERINGINTERFACE
