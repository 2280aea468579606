//===- TileTeamOps.td - programs of teams ------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their classes stand in TeamOps.h, not in Tile.h: few passes need them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILETEAMOPS
#define TILE_DIALECT_TILE_IR_TILETEAMOPS

include "Tile/Dialect/Tile/IR/TileBase.td"

def Tile_TeamOp : Tile_Op<"team", [RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "the program of one team of a consumer";
  let description = [{
    A `tile.warp_specialize` with `tile.consumers = T` whose consumer holds T of these ops has T partitions of consumers with a
    program each: team t executes the t-th of them alone, with as many threads as the kernel says, so that fragments are divided
    among the threads of a team. All teams take all points of a `tile.persistent`, and all run at the same time.

    Data flow between teams through pipelines alone: a team fills a stage between `tile.producer_acquire` and
    `tile.producer_commit`, by a copy out of a fragment, and one or more others wait for it. A stage is empty when all teams that
    wait for the pipeline have released it, also one that `tile.copy` of the producer fills. A pipeline without a buffer is an order
    between teams.

    **Constraints.**
    - (C1) it is directly in the consumer of a `tile.warp_specialize`, which has as many of them as `tile.consumers` says, and nothing
      else but constants;
    - (C2) one partition fills a pipeline: the producer or one team, which does not wait for it (checked by `tile-verify-schedule`);
    - (C3) the stage that a team fills is the target of one `tile.copy` out of a fragment, and `bytes` is 0 (checked by
      `tile-verify-schedule`);
    - (C4) other shared buffers are of one team, or have `tile.consumers`, and each team has one of its own then (checked by
      `tile-verify-schedule`);
    - (C5) a fragment that a team writes is of this team alone (checked by `tile-verify-schedule`);
    - (C6) a stage for which several teams wait is read, not written (checked by `tile-verify-schedule`).

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected to be directly in the consumer of a 'tile.warp_specialize'`; `expected 'tile.consumers = 2' on the
    'tile.warp_specialize' of 2 teams, got 1`; `expected a consumer of teams to hold nothing else, got 'tile.barrier'`; `cannot have 2 consumers: expected one
    partition to fill a pipeline, got 2` (`tile-verify-schedule`); `cannot have 2 consumers: expected a fragment to be of one team,
    whose threads have its elements, got memref<128xf32, #tile.fragment>` (`tile-verify-schedule`).

    **Example.** The second team adds up what the first one has squared.
    ```mlir
    func.func @squares(%a: memref<1024xf32>, %s: memref<128xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) threads(128) {
        %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
        %squares = tile.alloc : memref<1x128xf32, #tile.shared>
        %f = tile.alloc : memref<128xf32, #tile.fragment>
        %acc = tile.alloc : memref<128xf32, #tile.fragment>
        %loads = tile.create_pipeline : !tile.pipeline<2>
        %handed = tile.create_pipeline : !tile.pipeline<1>
        tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
          tile.pipelined %k = 0 to 8 {
            %i = tile.producer_acquire %loads bytes(512) : !tile.pipeline<2>
            %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
            tile.copy %a[%k * 128], %t signal(%loads : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
                : memref<1024xf32>, memref<128xf32, #tile.shared>
            tile.producer_commit %loads : !tile.pipeline<2>
          }
        } consumer {
          tile.team {
            tile.pipelined %k = 0 to 8 {
              %i = tile.consumer_wait %loads : !tile.pipeline<2>
              %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
              tile.parallel (%j) in (128) {
                %x = memref.load %t[%j] : memref<128xf32, #tile.shared>
                %y = arith.mulf %x, %x : f32
                memref.store %y, %f[%j] : memref<128xf32, #tile.fragment>
              }
              tile.consumer_release %loads : !tile.pipeline<2>
              %h = tile.producer_acquire %handed bytes(0) : !tile.pipeline<1>
              %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
              tile.copy %f, %u : memref<128xf32, #tile.fragment>, memref<128xf32, #tile.shared>
              tile.producer_commit %handed : !tile.pipeline<1>
            }
          }
          tile.team {
            tile.fill %acc, %zero : memref<128xf32, #tile.fragment>
            tile.pipelined %k = 0 to 8 {
              %h = tile.consumer_wait %handed : !tile.pipeline<1>
              %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
              tile.parallel (%j) in (128) {
                %x = memref.load %u[%j] : memref<128xf32, #tile.shared>
                %y = memref.load %acc[%j] : memref<128xf32, #tile.fragment>
                %z = arith.addf %x, %y : f32
                memref.store %z, %acc[%j] : memref<128xf32, #tile.fragment>
              }
              tile.consumer_release %handed : !tile.pipeline<1>
            }
            tile.copy %acc, %s : memref<128xf32, #tile.fragment>, memref<128xf32>
          }
        }
      }
      return
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILETEAMOPS
