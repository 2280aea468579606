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

def Ascend_CallOpInterface : OpInterface<"ApiCallOpInterface"> {
  let cppNamespace = "::mlir::tile::ascend";
  let description = [{
    An op that Ascend C has a call for. `ascend-expand-instructions` replaces an op that takes several calls by ops that
    take one each, in loops and branches where their number is known at run time alone; only those are printed.
  }];
  let methods = [
    InterfaceMethod<"Whether one call does all that the op says.", "bool", "isSingleCall", (ins), "", "return true;">,
    InterfaceMethod<[{
      Prints the call as a statement. The op is a single call. It decides nothing: arguments follow from types, attributes
      and operands.
    }], "void", "printCall", (ins "::mlir::tile::ascend::CallPrinter &":$printer)>
  ];
}

def Ascend_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::mlir::tile::ascend";
  let description = [{
    A vector instruction that computes each element of its target from the elements of its operands at the same place. In
    one call it takes either a number of elements that follow one another, or up to 256 bytes of columns (the mask) of a
    limited number of rows (the repeats), which lie a fixed number of blocks of 32 bytes apart.
  }];
  let methods = [
    InterfaceMethod<"How a memref operand is repeated.", "::mlir::tile::ascend::Broadcast", "getBroadcast",
                    (ins "unsigned":$operand), "", "return Broadcast::None;">,
    InterfaceMethod<"Whether there is a call that takes a number of elements.", "bool", "takesCount", (ins), "",
                    "return true;">
  ];
}

#endif // TILE_DIALECT_ASCEND_IR_ASCENDINTERFACES
