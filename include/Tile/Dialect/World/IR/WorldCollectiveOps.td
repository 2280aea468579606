//===- WorldCollectiveOps.td - what all ranks do together --*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code around kernels has them; `world-decompose-collectives` makes kernels of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_WORLD_IR_WORLDCOLLECTIVEOPS
#define TILE_DIALECT_WORLD_IR_WORLDCOLLECTIVEOPS

include "Tile/Dialect/World/IR/WorldBase.td"

def World_Combine : I32EnumAttr<"Combine", "how values of ranks are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">
  ]> {
  let cppNamespace = "::mlir::tile::world";
  let genSpecializedAttr = 0;
}
def World_CombineAttr : EnumAttr<World_Dialect, World_Combine, "combine"> {
  let assemblyFormat = "$value";
}

def World_Algorithm : I32EnumAttr<"Algorithm", "how ranks divide an all-reduce", [
    I32EnumAttrCase<"OneShot", 0, "one_shot">,
    I32EnumAttrCase<"TwoShot", 1, "two_shot">
  ]> {
  let cppNamespace = "::mlir::tile::world";
  let genSpecializedAttr = 0;
}
def World_AlgorithmAttr : EnumAttr<World_Dialect, World_Algorithm, "algorithm"> {
  let assemblyFormat = "$value";
}

def World_GatherAlgorithm : I32EnumAttr<"GatherAlgorithm", "what moves the parts of an all-gather", [
    I32EnumAttrCase<"Blocks", 0, "blocks_read">,
    I32EnumAttrCase<"CopyEngine", 1, "copy_engine">
  ]> {
  let cppNamespace = "::mlir::tile::world";
  let genSpecializedAttr = 0;
}
def World_GatherAlgorithmAttr : EnumAttr<World_Dialect, World_GatherAlgorithm, "gather_algorithm"> {
  let assemblyFormat = "$value";
}

def World_CopiesAttr : AttrDef<World_Dialect, "Copies"> {
  let mnemonic = "copies";
  let summary = "what a device copies in place of a kernel";
  let description = [{
    Stands on a kernel as `world.copies`. The numbers are those of arguments of its function. The source goes to the place of this
    rank in the target of each other rank, in the order in which they need it: the rank before this one first. Behind each, the flag of
    this rank is set to 1 there. A runtime that can do so by copies of the device need not launch the kernel, which does the same.
    An example is `#world.copies<source = 1, target = 2, flags = 3>`.
  }];
  let parameters = (ins "int64_t":$source, "int64_t":$target, "int64_t":$flags);
  let assemblyFormat = "`<` struct(params) `>`";
}

class World_CollectiveOp<string mnemonic>
    : World_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  // The blocks that the kernel has: the part of a chip that communication may take.
  dag common = (ins AnyMemRef:$source, AnyMemRef:$target, World_RanksType:$world,
                    DefaultValuedAttr<I64Attr, "16">:$blocks);
  let hasVerifier = 1;
}

class World_MoveOp<string mnemonic> : World_CollectiveOp<mnemonic> {
  let arguments = common;
  let assemblyFormat = "$source `to` $target `over` $world (`blocks` `(` $blocks^ `)`)? attr-dict `:` type($source) `,` type($target) `,` qualified(type($world))";
}

def World_AllGatherOp : World_CollectiveOp<"all_gather"> {
  let summary = "every rank gets the buffers of all";
  let description = [{
    The target is the sources of all ranks, one after the other in the order of ranks.

    All blocks of the kernel that it becomes, `blocks` of them, meet those of the other ranks before they read and after it
    (`world.barrier`), so sources may be overwritten behind the op, and what wrote them in front of it may be another
    kernel.

    With `algorithm(copy_engine)` nobody meets. Each rank puts its source to its place in the target of each *other* rank, and then
    sets flag `r` there to 1, `r` being its own number: `world.wait %flags[r] ge 1` waits for the part of rank `r`. Its own part a
    rank has as its source already; the target does not get it. On a GPU copies of the device do that, beside the kernels that
    follow in the function, and take no multiprocessor from them. So nothing behind the op may write the source, and the targets and
    flags are free: the ranks that read them last have said so, or the flags are zero for a new call.

    **Syntax.** `world.all_gather %x to %all over %w blocks(32) : types`, `world.all_gather %x to %all over %w
    algorithm(copy_engine) signal %flags : types`.

    **Constraints.**
    - (C1) the source is in `#world.symmetric` memory, the target in global memory; both are row-major and have one element type,
      a float or an integer of whole bytes, and they are different buffers, since other ranks read the source;
    - (C2) `blocks` is 1 to 4096;
    - (C3) it is not in a kernel;
    - (C4) of `copy_engine`, and of nothing else, there are flags, as `world.signal` takes them, in `#world.symmetric` memory; so is the
      target, while the source is in plain global memory;
    - (C5) source, target and flags of `copy_engine` are arguments of a function that no other calls, since its launch copies them;
    - (C6) no kernel behind a `copy_engine` writes its source (`world-verify`).

    The target has as many elements as the sources of all ranks: another number is an assertion of the run.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a row-major buffer in #world.symmetric memory as source, got 'memref<64xf32>'`; `expected a row-major
    buffer in global memory as target, got 'memref<64xf32, #tile.shared>'`; `expected element type 'f16' as in the source, got 'f32'`;
    `expected 1 to 4096 blocks, got 0`; `is a kernel itself; expected it beside kernels`; `expected flags of copy_engine, and of
    nothing else`; `expected a row-major buffer in global memory as source of copy_engine, got 'memref<64xf32, #world.symmetric>'`; `expected
    flags in #world.symmetric memory, of one dimension of i32 or i64, got 'memref<2xf32, #world.symmetric>'`; `expected arguments of a function that no
    other calls, whose launch copies them`; `writes the source of an all-gather by copy_engine, which may still be copied`.

    **Example.**
    ```mlir
    func.func @gather(%w: !world.ranks, %x: memref<?x8xf32, #world.symmetric>, %all: memref<?x8xf32>) {
      world.all_gather %x to %all over %w : memref<?x8xf32, #world.symmetric>, memref<?x8xf32>, !world.ranks
      return
    }
    ```
  }];
  let arguments = !con(common, (ins Optional<AnyMemRef>:$flags,
    DefaultValuedAttr<World_GatherAlgorithmAttr, "::mlir::tile::world::GatherAlgorithm::Blocks">:$algorithm));
  let assemblyFormat = "$source `to` $target `over` $world (`algorithm` `(` $algorithm^ `)`)? (`signal` $flags^)? (`blocks` `(` $blocks^ `)`)? attr-dict `:` type($source) `,` type($target) `,` qualified(type($world)) (`,` type($flags)^)?";
}

def World_AllToAllOp : World_MoveOp<"all_to_all"> {
  let summary = "every rank gets its part of all";
  let description = [{
    Source and target are divided into as many parts as there are ranks. Part `k` of the target of rank `r` is part `r` of the
    source of rank `k`. Otherwise as `world.all_gather`.

    **Constraints.**
    - (C1) source and target are as in `world.all_gather`;
    - (C2) `blocks` is 1 to 4096;
    - (C3) it is not in a kernel.

    The number of elements is the same in source and target and a multiple of the number of ranks: others are assertions of the
    run.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.**
    ```mlir
    func.func @exchange(%w: !world.ranks, %x: memref<?xbf16, #world.symmetric>, %y: memref<?xbf16>) {
      world.all_to_all %x to %y over %w blocks(4) : memref<?xbf16, #world.symmetric>, memref<?xbf16>, !world.ranks
      return
    }
    ```
  }];
}

def World_BroadcastOp : World_CollectiveOp<"broadcast"> {
  let summary = "every rank gets the buffer of one";
  let description = [{
    The target is the source of the rank `root`. Otherwise as `world.all_gather`.

    **Constraints.**
    - (C1) source and target are as in `world.all_gather`;
    - (C2) `blocks` is 1 to 4096;
    - (C3) it is not in a kernel.

    The number of elements is the same in source and target, and `root` is a rank: others are assertions of the run.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.**
    ```mlir
    func.func @send(%w: !world.ranks, %x: memref<?xi32, #world.symmetric>, %y: memref<?xi32>, %root: index) {
      world.broadcast %x from %root to %y over %w : memref<?xi32, #world.symmetric>, memref<?xi32>, !world.ranks
      return
    }
    ```
  }];
  let arguments = !con(common, (ins Index:$root));
  let assemblyFormat = "$source `from` $root `to` $target `over` $world (`blocks` `(` $blocks^ `)`)? attr-dict `:` type($source) `,` type($target) `,` qualified(type($world))";
}

def World_AllReduceOp : World_CollectiveOp<"all_reduce"> {
  let summary = "every rank gets the sums over all";
  let description = [{
    Each element of the target is the sum, the maximum or the minimum of those of the sources of all ranks; of floats, what
    is combined with a NaN is one. Sums of floats of
    less than 32 bits are computed in f32, and all are in the order of ranks, so every rank has the same bits, with each
    algorithm. Otherwise as `world.all_gather`.

    `one_shot`: each rank reads all sources. `two_shot`: each combines a part and writes the results to all, which takes
    `2 / n` of the traffic; its target is in `#world.symmetric` memory.

    **Syntax.** `world.all_reduce sum %x to %y over %w algorithm(two_shot) : types`.

    **Constraints.**
    - (C1) the source is in `#world.symmetric` memory, the target in global memory, and of `two_shot` in `#world.symmetric`
      memory; both are row-major and have one element type, a float of at least 16 bits or a signless integer of whole bytes, and
      they are different buffers, or of `two_shot` one;
    - (C2) `blocks` is 1 to 4096;
    - (C3) it is not in a kernel.

    The number of elements is the same in source and target: another number is an assertion of the run.

    **Targets.** CPU, NVIDIA GPUs.

    **Errors.** `expected a row-major buffer in #world.symmetric memory as target of two_shot, got 'memref<64xf32>'`; `expected floats of at least
    16 bits or signless integers, got 'f8E4M3FN'`; `expected another buffer as target: ranks read the source while others write`.

    **Example.**
    ```mlir
    func.func @reduce(%w: !world.ranks, %x: memref<?x16xf32, #world.symmetric>, %y: memref<?x16xf32>) {
      world.all_reduce sum %x to %y over %w : memref<?x16xf32, #world.symmetric>, memref<?x16xf32>, !world.ranks
      return
    }
    ```
  }];
  let arguments = !con(common, (ins World_CombineAttr:$combine,
    DefaultValuedAttr<World_AlgorithmAttr, "::mlir::tile::world::Algorithm::OneShot">:$algorithm));
  let assemblyFormat = "$combine $source `to` $target `over` $world (`algorithm` `(` $algorithm^ `)`)? (`blocks` `(` $blocks^ `)`)? attr-dict `:` type($source) `,` type($target) `,` qualified(type($world))";
}

def World_ReduceScatterOp : World_CollectiveOp<"reduce_scatter"> {
  let summary = "every rank gets its part of the sums over all";
  let description = [{
    The sources are divided into as many parts as there are ranks. The target of rank `r` is the sum, the maximum or the minimum
    of parts `r`, computed as in `world.all_reduce`. Otherwise as `world.all_gather`.

    **Constraints.**
    - (C1) source and target are as in `world.all_reduce`;
    - (C2) `blocks` is 1 to 4096;
    - (C3) it is not in a kernel.

    The source has as many elements as the targets of all ranks: another number is an assertion of the run.

    **Targets.** CPU, NVIDIA GPUs.

    **Example.**
    ```mlir
    func.func @scatter(%w: !world.ranks, %x: memref<?xf16, #world.symmetric>, %y: memref<?xf16>) {
      world.reduce_scatter max %x to %y over %w : memref<?xf16, #world.symmetric>, memref<?xf16>, !world.ranks
      return
    }
    ```
  }];
  let arguments = !con(common, (ins World_CombineAttr:$combine));
  let assemblyFormat = "$combine $source `to` $target `over` $world (`blocks` `(` $blocks^ `)`)? attr-dict `:` type($source) `,` type($target) `,` qualified(type($world))";
}

#endif // TILE_DIALECT_WORLD_IR_WORLDCOLLECTIVEOPS
