//===- TileInterfaces.td - interfaces of ops and attributes -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEINTERFACES
#define TILE_DIALECT_TILE_IR_TILEINTERFACES

include "mlir/IR/OpBase.td"

def Tile_AccessOpInterface : OpInterface<"TileAccessOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    Tells which regions of which buffers an op reads and writes. Memory effects, dependence analysis, pipelining and
    synchronisation all start from this answer.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends the accesses of the op, reads before writes. A buffer that is combined with its old content appears both
        as read and as written. Those that a condition decides are optional.
      }],
      "void", "getAccesses", (ins "::llvm::SmallVectorImpl<::mlir::tile::Access> &":$accesses)>
  ];
}

def Tile_InstructionAttrInterface : AttrInterface<"InstructionAttrInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An attribute that names the machine instruction of an op, its attribute `instruction`. Passes ask it for properties of the
    instruction and do not compare families, so that a new instruction is an answer and not a patch of each pass.
  }];
  let methods = [
    InterfaceMethod<"The op starts the instruction; another op waits until it is complete.",
      "bool", "isAsynchronous">,
    InterfaceMethod<[{
        Accesses shared memory through the asynchronous proxy: a fence stands between it and accesses of threads.
      }],
      "bool", "usesAsyncProxy">,
    InterfaceMethod<[{
        Accesses shared memory by itself and prescribes the layout of its tiles there. Otherwise threads access them, and may
        with any layout.
      }],
      "bool", "prescribesSharedLayout">
  ];
}

#endif // TILE_DIALECT_TILE_IR_TILEINTERFACES
