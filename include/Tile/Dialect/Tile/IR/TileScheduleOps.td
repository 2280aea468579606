//===- TileScheduleOps.td - pipelines and partitions -------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of a software pipeline: mbarrier pipelines, warp specialisation, barriers, asynchronous groups, the ping-pong order of
// warpgroups. `tile-schedule` creates them, and so may an expert; `tile-verify-schedule` checks both. The CPU ignores them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILESCHEDULEOPS
#define TILE_DIALECT_TILE_IR_TILESCHEDULEOPS

include "mlir/Interfaces/ViewLikeInterface.td"
include "Tile/Dialect/Tile/IR/TileAttrs.td"

class Tile_ScheduleOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [Tile_Collective, MemoryEffects<[MemRead, MemWrite]>]>;

def Tile_CreatePipelineOp : Tile_Op<"create_pipeline", [MemoryEffects<[MemAlloc]>]> {
  let summary = "creates a multi-stage pipeline between a producer and a consumer";
  let description = [{
    A pipeline hands stages from a producer to a consumer and back. Each side has a state, an index and a phase, that starts
    at stage 0 and advances, modulo the number of stages, with every `tile.producer_commit` and `tile.consumer_release`. All
    stages are empty at first. The pipeline owns barriers, not buffers: `tile.stage` takes one stage of a buffer with a
    leading dimension of `stages`.

    `offset` is the byte offset of its barriers in the shared memory of the block; `tile-plan-shared` sets it.

    **Constraints.**
    - (C1) it is inside a kernel, outside of loops and partitions;
    - (C2) `offset` is a multiple of 8 and not negative.

    **Targets.** NVIDIA from sm_90 on (mbarriers).

    **Errors.** `expected 'offset' to be a multiple of 8 and not negative, got 4`.

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_PipelineType:$pipeline);
  let assemblyFormat = "attr-dict `:` qualified(type($pipeline))";
  let hasVerifier = 1;
}

def Tile_ProducerAcquireOp : Tile_ScheduleOp<"producer_acquire"> {
  let summary = "waits until the next stage is empty";
  let description = [{
    Waits until the consumer has released the stage of the producer's pipeline state, and yields its index. `bytes` is the
    number of bytes that the asynchronous copies up to the next commit transfer (the expected transaction count).

    **Constraints.**
    - (C1) `bytes` is not negative.

    **Targets.** As `tile.create_pipeline`.

    **Errors.** `expected 'bytes' not to be negative, got -1`.

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins Tile_PipelineType:$pipeline, I64Attr:$bytes);
  let results = (outs Index:$stage);
  let assemblyFormat = "$pipeline `bytes` `(` $bytes `)` attr-dict `:` qualified(type($pipeline))";
  let hasVerifier = 1;
}

def Tile_ProducerCommitOp : Tile_ScheduleOp<"producer_commit"> {
  let summary = "commits the stage to the consumer";
  let description = [{
    The stage becomes full when the copies that signal the pipeline have completed. Advances the producer's pipeline state.

    **Targets.** As `tile.create_pipeline`.

    **Errors.** None.

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins Tile_PipelineType:$pipeline);
  let assemblyFormat = "$pipeline attr-dict `:` qualified(type($pipeline))";
}

def Tile_ConsumerWaitOp : Tile_ScheduleOp<"consumer_wait"> {
  let summary = "waits until the next stage is full";
  let description = [{
    Waits until the stage of the consumer's pipeline state is full, and yields its index.

    **Targets.** As `tile.create_pipeline`.

    **Errors.** None.

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins Tile_PipelineType:$pipeline);
  let results = (outs Index:$stage);
  let assemblyFormat = "$pipeline attr-dict `:` qualified(type($pipeline))";
}

def Tile_ConsumerReleaseOp : Tile_ScheduleOp<"consumer_release"> {
  let summary = "releases the stage to the producer";
  let description = [{
    All reads of the stage are complete; the producer may fill it again. Advances the consumer's pipeline state.

    **Targets.** As `tile.create_pipeline`.

    **Errors.** None.

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins Tile_PipelineType:$pipeline);
  let assemblyFormat = "$pipeline attr-dict `:` qualified(type($pipeline))";
}

def Tile_StageOp : Tile_Op<"stage", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewDest"]>]> {
  let summary = "one stage of a multi-stage buffer";
  let description = [{
    The subview of a buffer at one index of its leading dimension.

    **Constraints.**
    - (C1) the type is that of the source without its leading dimension;
    - (C2) where a pipeline counts the stages of a buffer, the buffer has as many, or more, and no other pipeline counts them
      (checked by `tile-verify-schedule`).

    **Targets.** GPUs.

    **Errors.** `expected 'memref<64x32xf16, #tile.shared>', the source without its leading dimension, got …`; `expected 3 stages
    in the buffer, as the pipeline has, got 'memref<2x64xf32, #tile.shared>'` (`tile-verify-schedule`); `expected one pipeline to
    count the stages of a buffer, got two` (`tile-verify-schedule`).

    **Example.** See `tile.warp_specialize`.
  }];
  let arguments = (ins AnyMemRef:$source, Index:$index);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source) `to` type($view)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    Value $cppClass::getViewDest() { return getView(); }
    Value $cppClass::getViewSource() { return getSource(); }
  }];
}

def Tile_WarpSpecializeOp : Tile_Op<"warp_specialize", [RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "runs a producer and a consumer partition concurrently";
  let description = [{
    Warp specialisation: the threads of the kernel execute the consumer region while additional warps execute the producer
    region, which only moves data. Both partitions join at the end of the op; data flows between them through pipelines
    alone.

    `producer_registers` and `consumer_registers` are register budgets of a thread (`setmaxnreg`); 0 leaves the number that
    the kernel was launched with.

    `tile.consumers = T`, which `tile-schedule` may set and a program may have, lets T teams of the kernel's threads execute the
    consumer region, and take the points of its `tile.persistent` in turns (ping-pong). What such a consumer has to be, `tile-verify-schedule` says.

    **Constraints.**
    - (C1) it is directly in the body of a kernel;
    - (C2) the producer has no tile ops other than copies that signal a pipeline, reshapes of their targets, loops, and the
      producer's pipeline ops;
    - (C3) register budgets are 0 or what the chip supports, on sm_90a multiples of 8 between 24 and 256, and in sum no more
      than the block was launched with (checked by `convert-tile-to-simt`);
    - (C4) what stands beside it in the kernel, which the threads of all partitions execute, touches neither shared nor global memory,
      but for elements that all threads read, and signals and waits of ranks (checked by `tile-verify-schedule`).

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected the producer to hold copies that signal a pipeline, got 'tile.gemm'`; `expected a register
    budget of 0 or a multiple of 8 between 24 and 256 on sm_90a, got 20` (`convert-tile-to-simt`); `expected register budgets of at most 61440
    registers in sum, with which a block of 640 threads is launched on sm_90a, got 64512` (`convert-tile-to-simt`); `is beside the
    partitions, where the threads of all of them would execute it; move it into one, or into a kernel of its own`
    (`tile-verify-schedule`).

    **Example.**
    ```mlir
    func.func @sum_tiles(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %tiles = tile.alloc : memref<2x64x128xf32, #tile.shared>
        %acc = tile.alloc : memref<64xf32, #tile.fragment>
        %pipeline = tile.create_pipeline : !tile.pipeline<2>
        tile.warp_specialize producer {
          tile.pipelined %k = 0 to 8 {
            %i = tile.producer_acquire %pipeline bytes(32768) : !tile.pipeline<2>
            %t = tile.stage %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
            tile.copy %a[0, %k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
                : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
            tile.producer_commit %pipeline : !tile.pipeline<2>
          }
        } consumer {
          tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
          tile.pipelined %k = 0 to 8 {
            %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
            %t = tile.stage %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
            tile.reduce sum %t, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
            tile.consumer_release %pipeline : !tile.pipeline<2>
          }
          tile.copy %acc, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$producer_registers,
                       DefaultValuedAttr<I64Attr, "0">:$consumer_registers);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = "attr-dict-with-keyword `producer` $producer `consumer` $consumer";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_ScheduleOp<"barrier"> {
  let summary = "synchronises the threads of the block or partition";
  let description = [{
    Synchronises all threads of the block, or of the partition around it: accesses of shared and global memory before the
    barrier are visible to all of them after it. `async` also orders accesses of shared memory before what asynchronous
    engines do, and `async global` those of global memory as well (the proxy fences of NVIDIA). `tile-insert-barriers`
    inserts it.

    **Constraints.**
    - (C1) not inside `tile.parallel` (ODS).

    **Targets.** GPUs.

    **Errors.** As every collective op.

    **Example.**
    ```mlir
    func.func @reverse(%a: memref<128xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<128xf32, #tile.shared>
        tile.copy %a, %s : memref<128xf32>, memref<128xf32, #tile.shared>
        tile.barrier
        tile.parallel (%i) in (128) {
          %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
          %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
          memref.store %v, %a[%i] : memref<128xf32>
        }
      }
      return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$async, UnitAttr:$global);
  let assemblyFormat = "(`async` $async^ (`global` $global^)?)? attr-dict";
}

def Tile_AsyncCommitOp : Tile_ScheduleOp<"async_commit"> {
  let summary = "commits a group of asynchronous copies";
  let description = [{
    The copies with `instruction = #tile.transfer<cp_async>` since the last `tile.async_commit` form a group.

    **Targets.** NVIDIA from sm_80 on.

    **Errors.** None.

    **Example.** See `tile.async_wait`.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AsyncWaitOp : Tile_ScheduleOp<"async_wait"> {
  let summary = "waits for groups of asynchronous copies";
  let description = [{
    Waits until at most `pending` of the groups that this thread committed are in flight. A barrier must follow before other
    threads read the copied data.

    **Constraints.**
    - (C1) `pending` is not negative.

    **Targets.** NVIDIA from sm_80 on.

    **Errors.** `expected 'pending' not to be negative, got -1`.

    **Example.**
    ```mlir
    func.func @stage(%a: memref<1024xf32>, %c: memref<1024xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<1024xf32, #tile.shared>
        tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<1024xf32>, memref<1024xf32, #tile.shared>
        tile.async_commit
        tile.async_wait pending(0)
        tile.barrier
        tile.copy %s, %c : memref<1024xf32, #tile.shared>, memref<1024xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` `(` $pending `)` attr-dict";
  let hasVerifier = 1;
}

def Tile_GemmWaitOp : Tile_ScheduleOp<"gemm_wait"> {
  let summary = "waits for asynchronous gemms";
  let description = [{
    Waits until at most `pending` of the gemms with `async` that were issued before are in flight; they complete in issue
    order. The operands are the accumulators of those that complete here.

    **Constraints.**
    - (C1) `pending` is not negative;
    - (C2) the operands are fragments;
    - (C3) they are the accumulators of the gemms that complete here (checked by `tile-verify-schedule`).

    **Targets.** NVIDIA sm_90a.

    **Errors.** `expected 'pending' not to be negative, got -1`; `expected accumulators in fragments, got
    'memref<64x64xf32, #tile.shared>'`.

    **Example.**
    ```mlir
    func.func @product(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
      tile.kernel (%k) in (1) {
        %as = tile.alloc : memref<64x64xf16, #tile.shared>
        %bs = tile.alloc : memref<64x64xf16, #tile.shared>
        %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.copy %a, %as : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
        tile.copy %b, %bs : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
        tile.barrier async
        tile.gemm %as, %bs, %cf {async, clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
            : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
        tile.gemm_wait %cf pending(0) : memref<64x64xf32, #tile.fragment>
        tile.copy %cf, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$accumulators, I64Attr:$pending);
  let assemblyFormat = "$accumulators `pending` `(` $pending `)` attr-dict (`:` type($accumulators)^)?";
  let hasVerifier = 1;
}

def Tile_StoreWaitOp : Tile_ScheduleOp<"store_wait"> {
  let summary = "waits until tensor stores have read shared memory";
  let description = [{
    A copy with `instruction = #tile.transfer<tma>` out of shared memory (a tensor store) is asynchronous. This op waits
    until at most `pending` of those that the block or partition issued may still read their tile; they read in issue order.
    With `complete` it also waits until the others have written global memory. A barrier must follow before other threads
    overwrite the tile, or read what was written. A kernel ends when all have read.

    **Constraints.**
    - (C1) `pending` is not negative.

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected 'pending' not to be negative, got -1`.

    **Example.**
    ```mlir
    func.func @twice(%f: f32, %g: f32, %c: memref<2x64x64xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<64x64xf32, #tile.shared>
        tile.fill %s, %f : memref<64x64xf32, #tile.shared>
        tile.barrier async
        tile.copy %s, %c[0, 0, 0] {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<2x64x64xf32>
        tile.store_wait pending(0)
        tile.barrier
        tile.fill %s, %g : memref<64x64xf32, #tile.shared>
        tile.barrier async
        tile.copy %s, %c[1, 0, 0] {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<2x64x64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$complete);
  let assemblyFormat = "`pending` `(` $pending `)` (`complete` $complete^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_OrderWaitOp : Tile_ScheduleOp<"order_wait"> {
  let summary = "enters the ordered section of a warpgroup (ping-pong)";
  let description = [{
    An ordered-sequence barrier: the code between `tile.order_wait` and `tile.order_arrive` is executed by one consumer
    warpgroup at a time, in the order of the warpgroups, round and round, the first one first. In ping-pong scheduling one
    warpgroup issues its matrix instructions there while the others compute.

    **Constraints.**
    - (C1) it is in the consumer of a `tile.warp_specialize`;
    - (C2) the kernel's `threads` are two or more whole warpgroups of the chip, of 128 threads on sm_90a (checked by
      `convert-tile-to-simt`).

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected to be in the consumer of a 'tile.warp_specialize'`; `expected two or more warpgroups of 128
    threads on sm_90a, got 192 threads` (`convert-tile-to-simt`).

    **Example.**
    ```mlir
    func.func @ping_pong() {
      tile.kernel (%b) in (1) threads(256) {
        tile.warp_specialize producer {
        } consumer {
          tile.pipelined %k = 0 to 8 {
            tile.order_wait
            tile.order_arrive
          }
        }
      }
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_OrderArriveOp : Tile_ScheduleOp<"order_arrive"> {
  let summary = "leaves the ordered section to the next warpgroup";
  let description = [{
    Ends the section that `tile.order_wait` entered, and signals the next warpgroup.

    **Constraints.**
    - (C1) as `tile.order_wait`.

    **Targets.** As `tile.order_wait`.

    **Errors.** `expected to be in the consumer of a 'tile.warp_specialize'`.

    **Example.** See `tile.order_wait`.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILESCHEDULEOPS
