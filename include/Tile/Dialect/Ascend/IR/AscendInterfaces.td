//===- AscendInterfaces.td - what passes may ask an instruction -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ASCENDINTERFACES
#define TILE_DIALECT_ASCEND_IR_ASCENDINTERFACES

include "mlir/IR/OpBase.td"

def Ascend_InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::mlir::tile::ascend";
  let description = [{
    An instruction of a core. What it reads and writes it tells through `TileAccessOpInterface`; `getByteRange` reduces a
    region to bytes of a memory.
  }];
  let methods = [
    InterfaceMethod<"The queue that executes it.", "::mlir::tile::ascend::Pipe", "getPipe">,
    InterfaceMethod<"The core that it runs on.", "::mlir::tile::ascend::Core", "getCore">
  ];
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDINTERFACES
