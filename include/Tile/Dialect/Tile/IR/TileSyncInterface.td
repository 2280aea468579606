//===- TileSyncInterface.td - what ops of a schedule order -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILESYNCINTERFACE
#define TILE_DIALECT_TILE_IR_TILESYNCINTERFACE

include "mlir/IR/OpBase.td"

def Tile_SyncOpInterface : OpInterface<"SyncOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    Tells what an op of a schedule orders. Barriers are inserted, and schedules verified, by this answer.
  }];
  let methods = [InterfaceMethod<"What the op orders.", "::mlir::tile::SyncEffect", "getSyncEffect">];
}

#endif // TILE_DIALECT_TILE_IR_TILESYNCINTERFACE
