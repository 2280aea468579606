//===- WorldBase.td - the world dialect and its types ------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDBASE
#define TILE_DIALECT_WORLD_IR_WORLDBASE

include "Tile/Dialect/Tile/IR/TileInterfaces.td"

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

    **Targets.** The CPU, where ranks are threads, and NVIDIA GPUs, one for each rank (`tile-run --ranks=4`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

class World_Op<string mnemonic, list<Trait> traits = []>
    : Op<World_Dialect, mnemonic, traits> {
  // By name: see BytecodeProperties.h.
  let useCustomPropertiesEncoding = 1;
}

// All threads of the block reach it together.
def World_Collective : NativeOpTrait<"Collective"> {
  let cppNamespace = "::mlir::tile";
}

// Orders memory: nothing moves across it.
class World_SyncOp<string mnemonic, list<Trait> traits = []>
    : World_Op<mnemonic, traits # [World_Collective, MemoryEffects<[MemRead, MemWrite]>]>;

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

def World_DeferredType : TypeDef<World_Dialect, "Deferred"> {
  let mnemonic = "deferred";
  let summary = "room for a signal that is sent later";
  let description = [{
    Made by `world.create_deferred`, filled by `world.signal`, emptied by `world.flush`. `!world.deferred<i32>` is for flags of
    i32.
  }];
  let parameters = (ins "::mlir::IntegerType":$element);
  let assemblyFormat = "`<` $element `>`";
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

#endif // TILE_DIALECT_WORLD_IR_WORLDBASE
