//===- WorldRankOps.td - ranks and their buffers -----------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDRANKOPS
#define TILE_DIALECT_WORLD_IR_WORLDRANKOPS

include "Tile/Dialect/World/IR/WorldBase.td"

class World_QueryOp<string mnemonic> : World_Op<mnemonic, [Pure]> {
  let arguments = (ins World_RanksType:$world);
  let results = (outs Variadic<Index>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def World_RankOp : World_QueryOp<"rank"> {
  let summary = "the coordinates of this rank";
  let description = [{
    One result for each dimension of the world, at least 0 and below that of `world.size`.

    **Syntax.** `%r = world.rank %world`, `%i, %j = world.rank %grid : !world.ranks<2x?>`.

    **Constraints.**
    - (C1) there is one result for each dimension of the world.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected 2 results for '!world.ranks<2x?>', got 1`.

    **Example.** Each rank writes its number.
    ```mlir
    func.func @number(%w: !world.ranks, %out: memref<1xindex>) {
      tile.kernel (%b) in (1) {
        %r = world.rank %w
        %c0 = arith.constant 0 : index
        memref.store %r, %out[%c0] : memref<1xindex>
      }
      return
    }
    ```
  }];
}

def World_SizeOp : World_QueryOp<"size"> {
  let summary = "the extents of the world";
  let description = [{
    One result for each dimension of the world.

    **Syntax.** `%n = world.size %world`.

    **Constraints.**
    - (C1) there is one result for each dimension of the world.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected 2 results for '!world.ranks<2x?>', got 1`.

    **Example.**
    ```mlir
    func.func @count(%w: !world.ranks<2x?>, %out: memref<2xindex>) {
      tile.kernel (%b) in (1) {
        %m, %n = world.size %w
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        memref.store %m, %out[%c0] : memref<2xindex>
        memref.store %n, %out[%c1] : memref<2xindex>
      }
      return
    }
    ```
  }];
}

def World_PeerOp : World_Op<"peer", [Pure]> {
  let summary = "the buffer of another rank";
  let description = [{
    The symmetric buffer as the rank at these coordinates has it, which may be this rank itself. Coordinates outside of the
    world are undefined behaviour on a GPU; on the CPU they end the run with an error.

    **Syntax.** `%p = world.peer %buffer at %world[%i]`; coordinates are expressions: `%world[%i, %j + 1]`.

    **Constraints.**
    - (C1) the buffer is in `#world.symmetric` memory; the result has its type in `#world.peer` memory, with strides and an offset
      that the run time knows;
    - (C2) there is one coordinate for each dimension of the world;
    - (C3) a constant coordinate is within a static extent, and not negative.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a buffer in #world.symmetric memory, got 'memref<64xf32>'`; `expected 2 coordinates for
    '!world.ranks<2x?>', got 1`; `expected coordinate 0 to be below 2, got 2`.

    **Example.** Each rank puts its row where all others find it.
    ```mlir
    func.func @all_gather(%w: !world.ranks, %row: memref<64xf32>, %rows: memref<?x64xf32, #world.symmetric>) {
      tile.kernel (%to) in (dim(%rows, 0)) {
        %r = world.rank %w
        %t = tile.alloc : memref<64xf32, #tile.shared>
        %p = world.peer %rows at %w[%to]
        tile.copy %row, %t
        tile.copy %t, %p[%r, 0] [1, 64]
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, World_RanksType:$world, Variadic<Index>:$coordinates);
  let results = (outs AnyMemRef:$peer);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_WORLD_IR_WORLDRANKOPS
