//===- TileInterfaces.td - what passes may ask an op -------*- tablegen -*-===//
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
        as read and as written.
      }],
      "void", "getAccesses", (ins "::llvm::SmallVectorImpl<::mlir::tile::Access> &":$accesses)>
  ];
}

#endif // TILE_DIALECT_TILE_IR_TILEINTERFACES
