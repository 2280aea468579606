//===- SchedulePasses.td - passes over scheduled kernels ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_SCHEDULEPASSES
#define TILE_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def PersistentPass : Pass<"tile-persistent"> {
  let summary = "lets blocks stay for many tiles, and walks over the grid in panels";
  let description = [{
    Where the chip has producers that run ahead (`tile-schedule`), a kernel with pipelined tensor copies and more blocks
    than the chip has processors, or a dynamic grid, becomes persistent: its body moves into a `tile.persistent` over what
    was the grid, and `persistent_grid` tells the launch to start as many blocks as run at the same time, at most one
    for each point. Block coordinates become the variables of the domain; allocations stay outside. Panels are those of
    `tile.use_swizzle`; without it, of 8 points along y if some of the tensor copies are the same for blocks along x and
    others for blocks along y, as in a product, and else the order is that of the grid.

    In other kernels, `tile.use_swizzle` becomes arithmetic on the block coordinates: the block with number
    `x + y * extent(x)` takes the point that comes at that number when panels of `panel` points along y (`order(row)`) or x
    (`order(column)`) are walked, first along the panel's short side. The last panel may be narrower.

    Remarks tell which kernels stay and why others do not. `always` skips all conditions but those of meaning: no domain,
    roles or clusters of the kernel's own.

    **Example.** For `sm_90a`
    ```mlir
    func.func @copy_tiles(%a: memref<8192x8192xf32>, %s: memref<8192x64xf32>) {
      tile.kernel (%x, %y) in (64, 64) {
        %t = tile.alloc : memref<128x32xf32, #tile.shared>
        %f = tile.alloc : memref<128x32xf32, #tile.fragment>
        tile.pipelined %k = 0 to 4 stages(2) {
          tile.copy %a[%y * 128, %x * 128 + %k * 32], %t {instruction = #tile.transfer<tma>}
              : memref<8192x8192xf32>, memref<128x32xf32, #tile.shared>
          tile.copy %t, %f : memref<128x32xf32, #tile.shared>, memref<128x32xf32, #tile.fragment>
        }
        tile.copy %f, %s[%y * 128, 0] : memref<128x32xf32, #tile.fragment>, memref<8192x64xf32>
      }
      return
    }
    ```
    becomes
    ```
    tile.kernel (%x, %y) in (64, 64) attributes {persistent_grid} {
      …
      tile.persistent (%m, %n) in (64, 64) group(1) {
        tile.pipelined …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tile::TileDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "the chip; without it the attribute 'tile.target' of the module names it">,
    Option<"always", "always", "bool", /*default=*/"false",
           "make every kernel persistent that can be">];
}

def VerifySchedulePass : Pass<"tile-verify-schedule"> {
  let summary = "rejects schedules that hang, or that read what is not there";
  let description = [{
    Checks schedules, automatic and written by hand. It changes nothing.

    **Barriers.** Whether `tile-insert-barriers` would have to insert one.

    **Rings.** Both roles are run, step by step, with loops of 0, 1, `stages - 1`, `stages` and `stages + 1` trips, all
    alike and mixed, and branches both ways; loops and branches whose bounds and conditions are computed in the same way in
    both roles do the same. Each `tile.producer_acquire` is followed by its `tile.producer_commit`, each
    `tile.consumer_wait` by its `tile.consumer_release`; both sides take the same number of steps; nobody waits for ever;
    slots are touched only in between; and the copies bring as many bytes as the acquire announced.

    **Slots.** Buffers that a ring fills are reached through `tile.slot` alone.

    **Gemms.** What a gemm with `async` uses is left alone until a `tile.gemm_wait` has ended it, in any iteration: its
    accumulator (but for gemms that add to it in turn), its operands, and its slots. A wait names the accumulators of the
    gemms that it ends, and nothing is under way where the kernel or role ends.

    **Turns.** Each `tile.take_turn` is followed by its `tile.pass_turn`; the warpgroups run side by side with the producer,
    and nobody waits for ever.

    **Errors.** `expected 'tile.barrier' between … and …`; `expected 'tile.async_wait' and 'tile.barrier' between … and …`;
    `expected 'tile.store_wait' and 'tile.barrier' between … and …`; `expected 'tile.gemm_wait' before: a gemm whose
    operands or sums it touches is under way`; `expected 'tile.gemm_wait' before its end: a gemm is under way`; `expected
    the accumulators of the 2 gemms that end here, got 1`; `expected 'tile.pass_turn' before the next 'tile.take_turn'`;
    `expected 'tile.take_turn' before`;
    `waits for ever`; `expected as many slots to be given back as are filled, got 2 and 3`; `expected
    'tile.consumer_release' before the next 'tile.consumer_wait'`; `expected 'tile.producer_acquire' before`; `uses a slot
    that is not held`; `expected copies of 16384 bytes before the commit, got 8192`; `reaches a buffer of slots that a ring
    fills; use 'tile.slot'`.

    **Example.** Rejected, because the consumer gives no slot back: the third acquire waits for ever.
    ```mlir
    func.func @hangs(%a: memref<1024xf32>) {
      tile.kernel (%b) in (1) {
        %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
        %ring = tile.ring : !tile.ring<2>
        tile.roles producer {
          tile.pipelined %k = 0 to 8 {
            %i = tile.producer_acquire %ring bytes(512) : !tile.ring<2>
            %t = tile.slot %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
            tile.copy %a[%k * 128], %t signal(%ring : !tile.ring<2>) {instruction = #tile.transfer<tma>}
                : memref<1024xf32>, memref<128xf32, #tile.shared>
            tile.producer_commit %ring : !tile.ring<2>
          }
        } consumer {
        }
      }
      return
    }
    ```
  }];
}

def InsertBarriersPass : Pass<"tile-insert-barriers"> {
  let summary = "makes threads meet between conflicting accesses of shared memory";
  let description = [{
    Puts a `tile.barrier` between two accesses of shared memory that may touch the same bytes, one of them a write, and that
    different threads or engines do: what is read after it was written, overwritten after it was read, and written twice,
    in straight code and from one iteration of a loop to the next. It is `tile.barrier async` where the second access is one
    of an asynchronous engine (tensor copies, `wgmma`) and the first a write by threads. `tile.async_wait` goes before it
    where the first access is a `cp_async` copy that nothing waited for, and `tile.async_commit` where that copy belongs to
    no group yet; `tile.store_wait` where it is a tensor copy out of shared memory.

    No barrier stands where none is needed. Accesses of slots are ordered by their ring. Iterations of two `tile.parallel`
    of one layout that touch the same elements one by one are of the same thread. A barrier that serves an access before a
    loop stands before that loop, unless the loop needs one of its own at that place. Regions are compared exactly where
    they are affine, so that the slots of a pipeline do not conflict.

    What a lowering must keep, so that this suffices:
    - an op is over for a thread when the next op begins, except for the `cp_async` copies of groups, gemms with `async`
      until `tile.gemm_wait`, and tensor copies out of shared memory until `tile.store_wait`;
    - a copy by `tma` or `bulk` into shared memory without `signal` has arrived for all threads when the next op begins;
    - an op that lets threads exchange data through scratch (fragments of different layouts, reductions across warps,
      scans, votes) guards the scratch itself;
    - `tile.roles` begins and ends with a barrier of the block.

    A remark for each barrier names the two accesses.

    **Example.**
    ```mlir
    func.func @reverse(%a: memref<4x128xf32>) {
      tile.kernel (%b) in (1) {
        %s = tile.alloc : memref<128xf32, #tile.shared>
        tile.pipelined %k = 0 to 4 {
          tile.copy %a[%k, 0], %s : memref<4x128xf32>, memref<128xf32, #tile.shared>
          tile.parallel (%i) in (128) {
            %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
            %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
            memref.store %v, %a[%k, %i] : memref<4x128xf32>
          }
        }
      }
      return
    }
    ```
    gets two barriers: one before the loop over `%i`, and one before the copy, which would overwrite what threads still
    read for the iteration before.
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def SchedulePass : Pass<"tile-schedule"> {
  let summary = "overlaps the copies of pipelined loops with their computation";
  let description = [{
    Makes of `tile.pipelined` loops with more than one stage what the chip can overlap. A kernel that has `tile.roles` or
    `tile.ring` already is left as it is.

    **Rings.** Where the chip has barriers that count bytes, the copies with `instruction = #tile.transfer<tma>` move to a
    producer of their own. The kernel becomes allocations, rings, and `tile.roles`: the producer has the loops, branches
    and index computations around the copies, the consumer everything else. A buffer becomes `stages` slots, one behind the
    other, each a multiple of the widest swizzle's period. Copies whose slots are first and last used by the same ops share
    a ring; K and V of an attention get one each. Tensor copies outside of pipelined loops get rings of one slot. Any trip
    counts, nested loops and sequences of loops follow from the rings.

    A copy can move if the kernel does not write its source; its offsets and the loops around it follow from block
    coordinates, loop variables and global memory that the kernel does not write; its target is written by such copies of
    one block only, and read behind them in that block. Tensor copies that cannot move, or that no pipelined loop could
    hide, become ordinary ones: an error where `prefer(tma)` asked for them.

    With two and more consumer warpgroups, `producer_registers` and `consumer_registers` share the registers of the
    processor if the fragments need more than an even share.

    **Products over each other.** A consumer loop whose last product needs what is computed from an earlier product of the
    same iteration leaves the tensor cores idle in between, as an attention does. Where the first product of the next
    iteration needs nothing of the last one, and the registers hold both, the loop is turned: its last product runs, with
    `async`, over the beginning of the next iteration, whose first product is started before it; the first iteration begins
    before the loop, and the last product ends behind it. `tile.gemm_wait` stands before the first op that needs a product.
    With several warpgroups they start their products in turns (`tile.take_turn`), so that one computes while the other's
    products run. What follows from the accesses of the ops decides; a remark says what was done, or why not.

    **Groups.** In other loops, the copies with `instruction = #tile.transfer<cp_async>` run `stages - 1` iterations ahead:
    a prologue fills the first slots, each iteration waits for its own, meets at a barrier, and starts the copies of
    `stages - 1` iterations later; all under guards, so that any number of trips is right. Each prologue copy and each
    iteration closes one group. The same conditions hold for these copies, and they stand directly in the loop.

    **Prefetch.** Where the chip has no asynchronous copies, all copies from global to shared memory that meet these
    conditions are split: what the next iteration needs is loaded into fragments before this one computes, and stored to
    the other of two slots behind it, or, where shared memory holds one slot only, over the slot that was read. Before the
    loop stands the first load, under a guard unless there is a first iteration for sure; the last iteration loads its own
    tile again, so that the loop has no branch. More than two stages are as two. A loop whose fragments would leave no
    registers for this stays serial.

    Loops that remain serial are named by remarks with the reason. Where the slots do not fit into shared memory, there are
    fewer of them (a remark).

    `order` and `stage` by hand: copies in stage 0 and everything else, in the order of the program, in one later stage `n`
    means `n + 1` stages.

    **Errors.** `cannot follow 'order' and 'stage': expected the copies to shared memory in stage 0 and all other ops in one
    later stage, in the order of the program`; `cannot use a tensor copy: …`.

    **Example.** For `sm_90a`
    ```mlir
    func.func @sum_tiles(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
      %zero = arith.constant 0.0 : f32
      tile.kernel (%b) in (1) {
        %tile = tile.alloc : memref<64x128xf32, #tile.shared>
        %acc = tile.alloc : memref<64xf32, #tile.fragment>
        tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
        tile.pipelined %k = 0 to 8 stages(2) {
          tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
              : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
          tile.reduce sum %tile, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
        }
        tile.copy %acc, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
      }
      return
    }
    ```
    becomes the example of `tile.roles`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tile::TileDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "the chip; without it the attribute 'tile.target' of the module names it">,
    Option<"scratchBytes", "scratch-bytes", "int64_t", /*default=*/"0",
           "bytes of the arena that the lowering needs for itself">];
}

def PlanSharedPass : Pass<"tile-plan-shared"> {
  let summary = "gives shared buffers and rings their places in the arena of a block";
  let description = [{
    Sets `offset` on every `tile.alloc` in shared memory and on every `tile.ring`, and `shared_bytes`, the size of the
    arena, on the kernel. Buffers that are never live at the same time share their bytes: a buffer is live from its first
    to its last access, throughout a loop, and throughout `tile.roles` if the producer fills it. Only where that does not
    fit, buffers that each iteration begins by overwriting share bytes within the loop. Buffers below 1 KiB share with
    none. Where sharing makes new conflicts, barriers are inserted as by `tile-insert-barriers`, which runs before.

    The bytes of a buffer follow from its layout. Buffers that an asynchronous engine touches, and swizzled ones, are
    aligned to eight times the widest swizzle of the chip, others to 16 bytes. A ring has two barriers of 8 bytes for each
    slot. `scratch-bytes` are kept free for what a lowering needs for itself.

    A remark tells the size of the arena and what sharing saved.

    **Errors.** `needs 262144 bytes of shared memory, but sm_90a has 232448 for a block`, with a note for each of the buffers
    that are live together.

    **Example.** In
    ```mlir
    func.func @two_steps(%a: memref<64x64xf32>) {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x64xf32, #tile.shared>
        %y = tile.alloc : memref<64x64xf32, #tile.shared>
        %f = tile.alloc : memref<64x64xf32, #tile.fragment>
        tile.copy %a, %x : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %x, %f : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
        tile.copy %f, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %y, %a : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
      }
      return
    }
    ```
    both buffers get the offset 0, and a barrier before `%y` is written.
  }];
  let dependentDialects = ["::mlir::tile::TileDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"",
           "the chip; without it the attribute 'tile.target' of the module names it">,
    Option<"scratchBytes", "scratch-bytes", "int64_t", /*default=*/"0",
           "bytes of the arena that the lowering needs for itself">];
}

#endif // TILE_TRANSFORMS_SCHEDULEPASSES
