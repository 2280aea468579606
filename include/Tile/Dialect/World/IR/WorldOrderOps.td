//===- WorldOrderOps.td - signals, waits and tokens --------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDORDEROPS
#define TILE_DIALECT_WORLD_IR_WORLDORDEROPS

include "Tile/Dialect/World/IR/WorldBase.td"

def World_SignalOp : World_SyncOp<"signal", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "tells a rank that what was written before is there";
  let description = [{
    Adds a number to a flag, or sets it. Whatever the block wrote before, to memory of any rank, is visible to those who wait
    for the flag: the op releases it at the scope of the whole system. One thread of the block signals.

    With `on %world`, the flag is that of every rank, this one among them: one fence is in front of all of them, so it is faster
    than a loop over peers.

    With `deferred %later`, it is sent by the next `world.flush %later` of the block: to release what was written takes until
    all of it is there, and meanwhile the block does other work. The CPU sends it at once.

    **Syntax.** `world.signal %flags[index] add value`, or `set`; index and value are expressions. `on %world` or
    `deferred %later` may follow.

    **Constraints.**
    - (C1) the flags are a global buffer of one dimension, of i32 or i64; `world-verify` wants it in `#world.symmetric` or
      `#world.peer` memory;
    - (C2) the value has the type of the elements;
    - (C3) behind `on` is the world, or the table that `world-resolve` makes of it; `world-verify` wants the flags in
      `#world.symmetric` memory then;
    - (C4) a constant index is within a static extent;
    - (C5) a deferred signal adds to one flag. It is the only signal of its room, which has its type and is in its partition. In
      each loop between the two, a `world.flush` stands in front of the signal, and one stands behind all of them, so that no
      signal is lost or replaced.

    An index outside of the buffer that is computed is an error of the run on the CPU, undefined behaviour elsewhere.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32>'`; `expected a flag below 4, got
    4`; `expected the world or the table of a rank, 'memref<?xi64>', got 'index'`; `is deferred and sets a flag, or is for all
    ranks; only what is added to one flag is sent later`; `expected room for a signal of 'i64', got '!world.deferred<i32>'`; `expected
    room for one signal, but another one uses it`; `expected room in the partition of the signal, whose threads send it`; `is deferred, but no 'world.flush' of its room stands in front of it in its
    loop, which sends that of the iteration before`; `is deferred, but no 'world.flush' of its room stands behind it, which sends the
    last one`.

    **Example.** Rank `r` waits for its left neighbour.
    ```mlir
    func.func @shift(%w: !world.ranks, %x: memref<64xf32>, %box: memref<64xf32, #world.symmetric>,
                     %flags: memref<1xi64, #world.symmetric>, %y: memref<64xf32>) {
      tile.kernel (%b) in (1) {
        %r = world.rank %w
        %n = world.size %w
        %t = tile.alloc : memref<64xf32, #tile.shared>
        %c1 = arith.constant 1 : index
        %after = arith.addi %r, %c1 : index
        %right = arith.remui %after, %n : index
        %to = world.peer %box at %w[%right]
        %flag = world.peer %flags at %w[%right]
        tile.copy %x, %t
        tile.copy %t, %to
        world.signal %flag[0] add 1
        %arrived = world.wait %flags[0] ge 1
        %mine = world.acquire %box after %arrived
        tile.copy %mine, %t
        tile.copy %t, %y
      }
      return
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$flags, Index:$index, AnySignlessInteger:$value, UnitAttr:$set, Optional<AnyType>:$world,
                       Optional<World_DeferredType>:$deferred);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def World_CreateDeferredOp : World_Op<"create_deferred", [MemoryEffects<[MemAlloc]>]> {
  let summary = "room for a signal that is sent later";
  let description = [{
    Empty at first. `world-defer-signals` makes it; by hand it is rarely needed.

    **Syntax.** `%later = world.create_deferred : !world.deferred<i32>`.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.** See `world.flush`.
  }];
  let results = (outs World_DeferredType:$deferred);
  let assemblyFormat = "attr-dict `:` qualified(type($deferred))";
}

def World_FlushOp : World_SyncOp<"flush", [DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "sends the signal that was deferred";
  let description = [{
    Sends the signal of the last `world.signal … deferred %later` of the block, if there is one that was not sent: whatever the block
    has written up to here is visible to those who wait for it.

    **Syntax.** `world.flush %later : !world.deferred<i32>`.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.** Each part is signalled after the next one was loaded.
    ```mlir
    func.func @send(%w: !world.ranks, %x: memref<256xf32>, %box: memref<256xf32, #world.symmetric>,
                    %flags: memref<4xi64, #world.symmetric>) {
      tile.kernel (%b) in (1) {
        %t = tile.alloc : memref<64xf32, #tile.shared>
        %c0 = arith.constant 0 : index
        %to = world.peer %box at %w[%c0]
        %flag = world.peer %flags at %w[%c0]
        %later = world.create_deferred : !world.deferred<i64>
        tile.persistent (%i) in (4) {
          tile.copy %x[%i * 64] [64], %t
          world.flush %later : !world.deferred<i64>
          tile.copy %t, %to[%i * 64] [64]
          world.signal %flag[%i] add 1 deferred %later
        }
        world.flush %later : !world.deferred<i64>
      }
      return
    }
    ```
  }];
  let arguments = (ins World_DeferredType:$deferred);
  let assemblyFormat = "$deferred attr-dict `:` qualified(type($deferred))";
}

// Values of the runtime's TileRtSignalCondition.
def World_SignalCondition : I32EnumAttr<"SignalCondition", "what a flag has to be", [
    I32EnumAttrCase<"GE", 0, "ge">,
    I32EnumAttrCase<"EQ", 1, "eq">
  ]> {
  let cppNamespace = "::mlir::tile::world";
  let genSpecializedAttr = 0;
}
def World_SignalConditionAttr : EnumAttr<World_Dialect, World_SignalCondition, "signal_condition"> {
  let assemblyFormat = "$value";
}

def World_WaitOp : World_SyncOp<"wait", [DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "waits for signals";
  let description = [{
    Waits until a flag of this rank is at least (`ge`) a value, or equal to it (`eq`), as signed numbers. Then all is visible
    that the ranks which signalled had written before: the op acquires it at the scope of the whole system. The token is what
    `world.acquire` takes.

    Counters that only grow need no reset between launches: wait for the next multiple.

    Nobody waits for ever. On the CPU a wait that no rank can fulfil any more, since all others have ended or wait, ends the run
    with an error that names it, and what is waited for. On a GPU a wait ends after some time, 10 s if the runtime is not told
    otherwise, and with it all waits of the rank; the run is the same error.

    **Syntax.** `%token = world.wait %flags[index] ge value`; index and value are expressions. Behind `world-resolve`,
    `report %table` names the table of the rank, where such a wait leaves a report.

    **Constraints.**
    - (C1) the flags are a global buffer of one dimension, of i32 or i64; `world-verify` wants it in `#world.symmetric` memory;
    - (C2) the value has the type of the elements;
    - (C3) a constant value of `ge` is at least 1: a flag is at least 0 before anybody signals;
    - (C4) a table is a buffer of the type that `world-resolve` makes of `!world.ranks`;
    - (C5) a constant index is within a static extent.

    A value of `ge` below 1 that is computed is an error of the run, on the CPU.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32>'`; `expected a
    value of at least 1, which a flag has only after a signal, got 0`; `expected the table of a rank, 'memref<?xi64>', got
    'memref<8xi64>'`; `expected a flag below 4, got 4`.

    **Example.** See `world.signal`.
  }];
  let arguments = (ins AnyMemRef:$flags, Index:$index, AnySignlessInteger:$value, World_SignalConditionAttr:$condition,
                       Optional<AnyMemRef>:$table);
  let results = (outs World_TokenType:$token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def World_BarrierOp : World_SyncOp<"barrier"> {
  let summary = "waits for the same block of all ranks";
  let description = [{
    A block waits until the block with the same coordinates has come here on every rank. Then all is visible that these blocks
    had written before. All ranks run the kernel with the same grid, and reach the same barriers in the same order.

    A rank may run its blocks one after the other, so a block must not wait for a later one of another rank. The CPU has room for
    4096 blocks that meet in a kernel; a further one ends the run with an error.

    **Syntax.** `%token = world.barrier %world`.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.** Sums over all ranks, in their order.
    ```mlir
    func.func @sum(%w: !world.ranks, %x: memref<64xf32>, %box: memref<64xf32, #world.symmetric>, %y: memref<64xf32>) {
      tile.kernel (%b) in (1) {
        %n = world.size %w
        %sum = tile.alloc : memref<64xf32, #tile.fragment>
        %one = tile.alloc : memref<64xf32, #tile.fragment>
        tile.copy %x, %one
        tile.copy %one, %box
        tile.fill %sum, 0.0
        %all = world.barrier %w
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        scf.for %k = %c0 to %n step %c1 {
          %p = world.peer %box at %w[%k]
          %theirs = world.acquire %p after %all
          tile.copy %theirs, %one
          tile.parallel (%i) in (64) do %sum[%i] = %sum[%i] + %one[%i]
        }
        tile.copy %sum, %y
        // Nobody goes on to overwrite what another rank still reads.
        %read = world.barrier %w
      }
      return
    }
    ```
  }];
  let arguments = (ins World_RanksType:$world);
  let results = (outs World_TokenType:$token);
  let hasCustomAssemblyFormat = 1;
}

def World_AcquireOp : World_Op<"acquire", [Pure]> {
  let summary = "a buffer of which it is known that it may be read";
  let description = [{
    The same buffer in plain global memory, which may be read. The tokens say which waits have ended: what another rank wrote
    before it signalled is there.

    **Syntax.** `%plain = world.acquire %buffer after %token, %token`.

    **Constraints.**
    - (C1) the buffer is in `#world.symmetric` or `#world.peer` memory; the result has its type in global memory;
    - (C2) there is a token.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a buffer in #world.symmetric or #world.peer memory, got 'memref<64xf32>'`; `expected a token of
    'world.wait' or 'world.barrier'`.

    **Example.** See `world.barrier`.
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<World_TokenType>:$tokens);
  let results = (outs AnyMemRef:$plain);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_WORLD_IR_WORLDORDEROPS
