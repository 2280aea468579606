//===- WorldOps.td - more than one rank --------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDOPS
#define TILE_DIALECT_WORLD_IR_WORLDOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def World_Dialect : Dialect {
  let name = "world";
  let cppNamespace = "::mlir::tile::world";
  let summary = "ranks that run a program together: peers, signals, tokens";
  let description = [{
    A function with an argument of type `!world.ranks` is run by several *ranks* at the same time, each on a device or a thread
    of its own, with its own arguments. Its kernels are of the `tile` dialect; this one says how ranks reach each other's
    memory, and what orders that.

    **Memory.** Memory that ranks share is *symmetric*: each passes a buffer of the same type and extents,
    `memref<…, #world.symmetric>`. `world.peer` finds the buffer of another rank, `memref<…, #world.peer>`.
    Any op may write both. None may read them, since nothing says that the data are there.

    **Order.** `world.signal` tells a rank that what the block wrote before is there; `world.wait` waits for that and gives a
    *token*, and so does `world.barrier`. `world.acquire` makes a buffer that may be read from tokens. A read that nothing
    orders is so an error (`world-verify`), whatever the timing of a test. What is read may still be *overwritten* too early: a
    rank that writes again waits first until its readers have signalled.

    **References.** `world.reference = @f` on a function names one that computes the same on one rank, for `tile-run`: without the
    ranks, and of buffers that have the dimensions of the world in front, so that it sees those of all ranks.

    **Agreement.** All ranks run the same module with the same sizes, so with the same grids. Deadlock is an error of the run on
    the CPU, which names the waits.

    **Targets.** The CPU, where ranks are threads (`tile-run --ranks=4`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

class World_Op<string mnemonic, list<Trait> traits = []>
    : Op<World_Dialect, mnemonic, traits>;

// All threads of the block reach it together.
def World_Collective : NativeOpTrait<"Collective"> {
  let cppNamespace = "::mlir::tile";
}

// Orders memory: nothing moves across it.
class World_SyncOp<string mnemonic>
    : World_Op<mnemonic, [World_Collective, MemoryEffects<[MemRead, MemWrite]>]>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def World_RanksType : TypeDef<World_Dialect, "Ranks"> {
  let mnemonic = "ranks";
  let summary = "the ranks that run a function together";
  let description = [{
    An argument of a function that several ranks run at the same time. `!world.ranks` is a row of any number of ranks,
    `!world.ranks<4>` one of four, and `!world.ranks<2x?>` a grid of them whose number is a multiple of 2. Ranks count in
    row-major order.

    `world-resolve` makes a buffer of i64 of it: the rank, the number of ranks, the address of this very table on each rank, and
    counters of barriers. Symmetric buffers lie at the same distance from the table on each rank.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def World_TokenType : TypeDef<World_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "what other ranks wrote before a signal has arrived";
  let description = [{
    Made by `world.wait` and `world.barrier`, taken by `world.acquire`.
  }];
}

def World_SymmetricAttr : AttrDef<World_Dialect, "Symmetric"> {
  let mnemonic = "symmetric";
  let summary = "the memory space of a buffer that each rank has";
  let description = [{
    Global memory that other ranks reach (`!world.ranks`).
  }];
}

def World_PeerAttr : AttrDef<World_Dialect, "Peer"> {
  let mnemonic = "peer";
  let summary = "the memory space of another rank's buffer";
  let description = [{
    Global memory of another rank, or of the same one (`world.peer`).
  }];
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

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

    **Targets.** CPU.

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

    **Targets.** CPU.

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

    **Syntax.** `%p = world.peer %buffer at %world[%i]`; coordinates are expressions: `%world[(%r + 1) mod %n]`.

    **Constraints.**
    - (C1) the buffer is in `#world.symmetric` memory; the result has its type in `#world.peer` memory, with strides and an offset
      that the run time knows;
    - (C2) there is one coordinate for each dimension of the world.

    **Targets.** CPU.

    **Errors.** `expected a buffer in #world.symmetric memory, got 'memref<64xf32>'`; `expected 2 coordinates for
    '!world.ranks<2x?>', got 1`.

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

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def World_SignalOp : World_SyncOp<"signal"> {
  let summary = "tells a rank that what was written before is there";
  let description = [{
    Adds a number to a flag, or sets it. Whatever the block wrote before, to memory of any rank, is visible to those who wait
    for the flag: the op releases it at the scope of the whole system. One thread of the block signals.

    **Syntax.** `world.signal %flags[index] add value`, or `set`; index and value are expressions.

    **Constraints.**
    - (C1) the flags are a global buffer of one dimension, of i32 or i64; `world-verify` wants it in `#world.symmetric` or
      `#world.peer` memory;
    - (C2) the value has the type of the elements.

    An index outside of the buffer is an error of the run on the CPU, undefined behaviour elsewhere.

    **Targets.** CPU.

    **Errors.** `expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32>'`.

    **Example.** Rank `r` waits for its left neighbour.
    ```mlir
    func.func @shift(%w: !world.ranks, %x: memref<64xf32>, %box: memref<64xf32, #world.symmetric>,
                     %flags: memref<1xi64, #world.symmetric>, %y: memref<64xf32>) {
      tile.kernel (%b) in (1) {
        %r = world.rank %w
        %n = world.size %w
        %t = tile.alloc : memref<64xf32, #tile.shared>
        %to = world.peer %box at %w[(%r + 1) mod %n]
        %flag = world.peer %flags at %w[(%r + 1) mod %n]
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
  let arguments = (ins AnyMemRef:$flags, Index:$index, AnySignlessInteger:$value, UnitAttr:$set);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
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

def World_WaitOp : World_SyncOp<"wait"> {
  let summary = "waits for signals";
  let description = [{
    Waits until a flag of this rank is at least (`ge`) a value, or equal to it (`eq`), as signed numbers. Then all is visible
    that the ranks which signalled had written before: the op acquires it at the scope of the whole system. The token is what
    `world.acquire` takes.

    Counters that only grow need no reset between launches: wait for the next multiple.

    Nobody waits for ever. On the CPU a wait that no rank can fulfil any more, since all others have ended or wait, ends the run
    with an error that names it, and what is waited for.

    **Syntax.** `%token = world.wait %flags[index] ge value`; index and value are expressions.

    **Constraints.**
    - (C1) the flags are a global buffer of one dimension, of i32 or i64; `world-verify` wants it in `#world.symmetric` memory;
    - (C2) the value has the type of the elements;
    - (C3) a constant value of `ge` is at least 1: a flag is at least 0 before anybody signals.

    A value of `ge` below 1 that is computed is an error of the run, on the CPU.

    **Targets.** CPU.

    **Errors.** `expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32>'`; `expected a
    value of at least 1, which a flag has only after a signal, got 0`.

    **Example.** See `world.signal`.
  }];
  let arguments = (ins AnyMemRef:$flags, Index:$index, AnySignlessInteger:$value, World_SignalConditionAttr:$condition);
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

    **Targets.** CPU.

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

    **Targets.** CPU.

    **Errors.** `expected a buffer in #world.symmetric or #world.peer memory, got 'memref<64xf32>'`; `expected a token of
    'world.wait' or 'world.barrier'`.

    **Example.** See `world.barrier`.
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<World_TokenType>:$tokens);
  let results = (outs AnyMemRef:$plain);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_WORLD_IR_WORLDOPS
