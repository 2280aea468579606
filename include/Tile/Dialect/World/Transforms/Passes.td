//===- Passes.td - passes over the world dialect -----------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_TRANSFORMS_PASSES
#define TILE_DIALECT_WORLD_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def WorldDecomposeCollectivesPass : Pass<"world-decompose-collectives", "::mlir::ModuleOp"> {
  let summary = "collectives become kernels";
  let description = [{
    Puts a kernel in the place of each collective. The kernel divides the elements into chunks of
    1024 among its blocks, which meet those of the other ranks, read what they need through `world.peer`, beginning with the
    next rank, and meet again. Sums are in the order of ranks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tile::TileDialect"];
}

def WorldVerifyPass : Pass<"world-verify", "::mlir::ModuleOp"> {
  let summary = "checks that what ranks share is read after a token";
  let description = [{
    Reports

    - a read of a buffer in `#world.symmetric` or `#world.peer` memory, and an op of which nobody knows what it does there;
    - flags of `world.signal` and `world.wait` that other ranks do not reach;
    - a `world.barrier` outside of a `tile.kernel`, or one that a branch, a loop or a grid makes some ranks reach that `world.rank`
      decides: all ranks run the same program;
    - a wait that the signals of an earlier round fulfil: the same flag for the same value again, behind another signal for it or
      in a loop, where nobody sets the flag back;
    - a function that has symmetric buffers but no `!world.ranks`, or two of them;
    - a function of several ranks for a target that does not run them.

    It stands in front of `world-resolve`, which takes the types away that it needs.

    **Errors.** `reads memory that another rank may be writing; read the result of 'world.acquire', which takes the token of a
    'world.wait' or 'world.barrier'`; `may read memory that another rank may be writing`; `expected flags in #world.symmetric
    memory, got 'memref<4xi64>'`; `expected to be in a 'tile.kernel', whose blocks meet`; `is not reached alike by all ranks, which meet
    there; move it out of what 'world.rank' decides`; `is fulfilled by the signals of an earlier wait; wait for more, or for another
    flag`; `is fulfilled by the signals of the iteration before; wait for more in each iteration, or for another flag`; `expected an argument of type
    !world.ranks beside buffers in #world.symmetric memory`; `expected one argument of type !world.ranks, got 2`; `expected
    elements of whole bytes in #world.symmetric memory, got 'i4'`; `takes !world.ranks, but 910B runs one rank; ranks run on the
    CPU, as threads, and on NVIDIA GPUs`.
  }];
}

def WorldResolvePass : Pass<"world-resolve", "::mlir::ModuleOp"> {
  let summary = "peers become distances, ranks a table";
  let description = [{
    Puts a table in the place of `!world.ranks`, a buffer of i64 with

    | words | content |
    |---|---|
    | 0 | the rank |
    | 1 | the number of ranks, `n` |
    | 2 to `n` + 1 | the address of the table of each rank |
    | from `n` + 2 on | of each block that meets others in `world.barrier`: how often blocks have come, how often it has |
    | the last 8 | on a GPU: after how many nanoseconds a wait is in vain, whether one was, which, for what |

    Symmetric buffers and peers become plain ones: that of another rank is as far away as its table. Signals and waits stay, for
    the targets to lower; waits are given the table. Ranks outside of the world and flags outside of their buffer are assertions
    (`tile.device_assert`), unless `check` is off or code for an assertion makes all calls slower on the target. Numbers of the host that ranks decide are computed in kernels. Other modules
    stay as they are.
  }];
  let options = [
    Option<"check", "check", "bool", "true", "Asserts that ranks and flags exist">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::TileDialect"];
}

def WorldDeferSignalsPass : Pass<"world-defer-signals", "::mlir::ModuleOp"> {
  let summary = "signals of a tile are sent behind the main loop of the next one";
  let description = [{
    To signal, a block waits until all that it wrote is there, 7 µs for a tile of 64 KB. In a `tile.persistent`, a signal that ends a tile
    is sent behind the pipelined loop of the next one (`world.signal … deferred`), and the last one behind all tiles.

    The others hear of a tile later, so a kernel in which a block waits for other ranks keeps its signals as they are: what it waits
    for may be a signal that is held back. So does one whose signal is in a branch or a loop, or in a tile without a pipelined loop in
    front of it. The reason is a remark (`DeferSignals`).
  }];
}

#endif // TILE_DIALECT_WORLD_TRANSFORMS_PASSES
