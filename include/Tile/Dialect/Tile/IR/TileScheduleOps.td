//===- TileScheduleOps.td - roles, rings, barriers ---------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule is made of. The compiler writes these ops (`tile-schedule`), and so may an expert; `tile-verify-schedule`
// looks at both. The CPU has no use for them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILESCHEDULEOPS
#define TILE_DIALECT_TILE_IR_TILESCHEDULEOPS

include "mlir/Interfaces/ViewLikeInterface.td"
include "Tile/Dialect/Tile/IR/TileAttrs.td"

class Tile_ScheduleOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [Tile_Collective, MemoryEffects<[MemRead, MemWrite]>]>;

def Tile_RingOp : Tile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "makes the slots through which one role feeds another";
  let description = [{
    A ring hands slots from a producer to a consumer and back. Each side has a cursor that starts at slot 0 and moves on by
    one, round and round, with every `tile.producer_commit` and `tile.consumer_release`. All slots are free at first. The
    buffers of the slots are not the ring's: a buffer with a leading dimension of `stages` is cut by `tile.slot`.

    `offset` is where the ring keeps its barriers in the block's shared arena, in bytes; it is set by `tile-plan-shared`.

    **Constraints.**
    - (C1) it stands in a kernel, outside of loops and roles;
    - (C2) `offset` is a multiple of 8 and not negative.

    **Targets.** NVIDIA from sm_90 on (mbarriers).

    **Errors.** `expected 'offset' to be a multiple of 8 and not negative, got 4`.

    **Example.** See `tile.roles`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Tile_ProducerAcquireOp : Tile_ScheduleOp<"producer_acquire"> {
  let summary = "waits until the next slot is free";
  let description = [{
    Waits until the consumer has released the slot at the producer's cursor, and gives its number. `bytes` is how much the
    asynchronous copies up to the next commit will bring.

    **Constraints.**
    - (C1) `bytes` is not negative.

    **Targets.** As `tile.ring`.

    **Errors.** `expected 'bytes' not to be negative, got -1`.

    **Example.** See `tile.roles`.
  }];
  let arguments = (ins Tile_RingType:$ring, I64Attr:$bytes);
  let results = (outs Index:$slot);
  let assemblyFormat = "$ring `bytes` `(` $bytes `)` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Tile_ProducerCommitOp : Tile_ScheduleOp<"producer_commit"> {
  let summary = "hands the slot to the consumer";
  let description = [{
    Ends the filling of a slot: the consumer sees it when the copies that signal the ring have arrived. Moves the
    producer's cursor on.

    **Targets.** As `tile.ring`.

    **Errors.** None.

    **Example.** See `tile.roles`.
  }];
  let arguments = (ins Tile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Tile_ConsumerWaitOp : Tile_ScheduleOp<"consumer_wait"> {
  let summary = "waits until the next slot is filled";
  let description = [{
    Waits until the slot at the consumer's cursor has been filled, and gives its number.

    **Targets.** As `tile.ring`.

    **Errors.** None.

    **Example.** See `tile.roles`.
  }];
  let arguments = (ins Tile_RingType:$ring);
  let results = (outs Index:$slot);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Tile_ConsumerReleaseOp : Tile_ScheduleOp<"consumer_release"> {
  let summary = "gives the slot back";
  let description = [{
    Says that all reads of the slot are done. Moves the consumer's cursor on.

    **Targets.** As `tile.ring`.

    **Errors.** None.

    **Example.** See `tile.roles`.
  }];
  let arguments = (ins Tile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Tile_SlotOp : Tile_Op<"slot", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewDest"]>]> {
  let summary = "one slot of a buffer of slots";
  let description = [{
    The part of a buffer at one index of its leading dimension.

    **Constraints.**
    - (C1) the type is that of the source without its leading dimension.

    **Targets.** GPUs.

    **Errors.** `expected 'memref<64x32xf16, #tile.shared>', the source without its leading dimension, got …`.

    **Example.** See `tile.roles`.
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

def Tile_RolesOp : Tile_Op<"roles", [RecursiveMemoryEffects, SingleBlock, NoTerminator]> {
  let summary = "two roles that run side by side";
  let description = [{
    The threads of the kernel run the consumer's region; a producer of its own runs the other one at the same time. The
    producer only moves data. Both end where the op ends, and no data flows between them but through rings.

    `producer_registers` and `consumer_registers` are budgets for a thread; 0 leaves them as the kernel was launched.

    **Constraints.**
    - (C1) it stands directly in the body of a kernel;
    - (C2) the producer has no tile op but copies that signal a ring, loops, and the producer's ring ops;
    - (C3) register budgets are 0, or such as the chip has, on sm_90a multiples of 8 between 24 and 256 (checked by
      `convert-tile-to-gpu`).

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected the producer to hold copies that signal a ring, got 'tile.gemm'`; `expected a register budget of 0
    or a multiple of 8 between 24 and 256 on sm_90a, got 20` (`convert-tile-to-gpu`).

    **Example.**
    ```mlir
    func.func @sum_tiles(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %tiles = tile.alloc : memref<2x64x128xf32, #tile.shared>
        %acc = tile.alloc : memref<64xf32, #tile.fragment>
        %ring = tile.ring : !tile.ring<2>
        tile.roles producer {
          tile.pipelined %k = 0 to 8 {
            %i = tile.producer_acquire %ring bytes(32768) : !tile.ring<2>
            %t = tile.slot %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
            tile.copy %a[0, %k * 128], %t signal(%ring : !tile.ring<2>) {instruction = #tile.transfer<tma>}
                : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
            tile.producer_commit %ring : !tile.ring<2>
          }
        } consumer {
          tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
          tile.pipelined %k = 0 to 8 {
            %i = tile.consumer_wait %ring : !tile.ring<2>
            %t = tile.slot %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
            tile.reduce sum %t, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
            tile.consumer_release %ring : !tile.ring<2>
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
  let summary = "waits for the other threads of the role";
  let description = [{
    All threads of the block, or of the role in which it stands, meet. What they did to shared memory before is seen by
    all after. `async` also orders it before asynchronous reads (the proxy fence of NVIDIA's asynchronous engines).
    `tile-insert-barriers` writes them.

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
  let arguments = (ins UnitAttr:$async);
  let assemblyFormat = "(`async` $async^)? attr-dict";
}

def Tile_AsyncCommitOp : Tile_ScheduleOp<"async_commit"> {
  let summary = "closes a group of asynchronous copies";
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
    Waits until at most `pending` of the groups that this thread closed are under way. A barrier must follow before other
    threads read what they brought.

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
    Waits until at most `pending` of the gemms with `async` that were started before are under way; they end in the order
    in which they started. The operands are the accumulators of those that end here.

    **Constraints.**
    - (C1) `pending` is not negative;
    - (C2) the operands are fragments;
    - (C3) they are the accumulators of the gemms that end here (checked by `tile-verify-schedule`).

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
  let arguments = (ins Variadic<AnyMemRef>:$sums, I64Attr:$pending);
  let assemblyFormat = "$sums `pending` `(` $pending `)` attr-dict (`:` type($sums)^)?";
  let hasVerifier = 1;
}

def Tile_StoreWaitOp : Tile_ScheduleOp<"store_wait"> {
  let summary = "waits until tensor copies have read shared memory";
  let description = [{
    A copy with `instruction = #tile.transfer<tma>` out of shared memory goes on after the op. This op waits until at most
    `pending` of those that the block or role started may still read their tile; they read in the order in which they
    started. A barrier must follow before other threads write there. A kernel ends when all have read.

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
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` `(` $pending `)` attr-dict";
  let hasVerifier = 1;
}

def Tile_TakeTurnOp : Tile_ScheduleOp<"take_turn"> {
  let summary = "waits for the turn of the warpgroup";
  let description = [{
    The warpgroups of a consumer take turns: the first one begins, and each gets its turn when the one before it, or for
    the first the last, has passed it on. What stands between `tile.take_turn` and `tile.pass_turn` runs in one warpgroup
    at a time, in a fixed order: while one uses the tensor cores, the others compute.

    **Constraints.**
    - (C1) it stands in the consumer of a `tile.roles`;
    - (C2) the kernel's `threads` are two or more whole warpgroups of the chip, of 128 threads on sm_90a (checked by
      `convert-tile-to-gpu`).

    **Targets.** NVIDIA from sm_90 on.

    **Errors.** `expected to stand in the consumer of a 'tile.roles'`; `expected two or more warpgroups of 128 threads on
    sm_90a, got 192 threads` (`convert-tile-to-gpu`).

    **Example.**
    ```mlir
    func.func @turns() {
      tile.kernel (%b) in (1) threads(256) {
        tile.roles producer {
        } consumer {
          tile.pipelined %k = 0 to 8 {
            tile.take_turn
            tile.pass_turn
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

def Tile_PassTurnOp : Tile_ScheduleOp<"pass_turn"> {
  let summary = "passes the turn to the next warpgroup";
  let description = [{
    Ends what `tile.take_turn` began.

    **Constraints.**
    - (C1) as `tile.take_turn`.

    **Targets.** As `tile.take_turn`.

    **Errors.** `expected to stand in the consumer of a 'tile.roles'`.

    **Example.** See `tile.take_turn`.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILESCHEDULEOPS
