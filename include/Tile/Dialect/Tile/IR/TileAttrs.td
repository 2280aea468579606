//===- TileAttrs.td - attributes ---------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEATTRS
#define TILE_DIALECT_TILE_IR_TILEATTRS

include "mlir/IR/AttrTypeBase.td"
include "Tile/Dialect/Tile/IR/TileEnums.td"

def Tile_MemorySpaceAttr : AttrDef<Tile_Dialect, "MemorySpace"> {
  let mnemonic = "space";
  let summary = "the memory space of a buffer";
  let description = [{
    Written by its name alone: `#tile.shared`, `#tile.fragment`, `#tile.local`, `#tile.tmem`, and the Ascend spaces
    `#tile.l1`, `#tile.ub`, `#tile.l0a`, `#tile.l0b`, `#tile.l0c`, `#tile.bt`. A memref without a memory space, or with
    `#tile.global`, lies in global memory.
  }];
  let parameters = (ins EnumParameter<Tile_MemorySpace>:$value);
  let assemblyFormat = "`<` $value `>`";
}

#endif // TILE_DIALECT_TILE_IR_TILEATTRS
