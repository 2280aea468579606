//===- SchedulePasses.td - passes over scheduled kernels ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_SCHEDULEPASSES
#define TILE_TRANSFORMS_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def InsertBarriersPass : Pass<"tile-insert-barriers"> {
  let summary = "makes threads meet between conflicting accesses of shared memory";
  let description = [{
    Puts a `tile.barrier` between two accesses of shared memory that may touch the same bytes, one of them a write, and that
    different threads or engines do: what is read after it was written, overwritten after it was read, and written twice,
    in straight code and from one iteration of a loop to the next. It is `tile.barrier async` where the second access is one
    of an asynchronous engine (tensor copies, `wgmma`) and the first a write by threads. `tile.async_wait` goes before it
    where the first access is a `cp_async` copy that nothing waited for, and `tile.async_commit` where that copy belongs to
    no group yet.

    No barrier stands where none is needed. Accesses of slots are ordered by their ring. Iterations of two `tile.parallel`
    of one layout that touch the same elements one by one are of the same thread. A barrier that serves an access before a
    loop stands before that loop, unless the loop needs one of its own at that place. Regions are compared exactly where
    they are affine, so that the slots of a pipeline do not conflict.

    What a lowering must keep, so that this suffices:
    - an op is over for a thread when the next op begins, except for the `cp_async` copies of groups; matrix instructions
      have been waited for before the next barrier or release;
    - a copy by `tma` or `bulk` into shared memory without `signal` has arrived for all threads when the next op begins; one
      out of shared memory has read all when the next barrier ends;
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

def PlanSharedPass : Pass<"tile-plan-shared"> {
  let summary = "gives shared buffers and rings their places in the arena of a block";
  let description = [{
    Sets `offset` on every `tile.alloc` in shared memory and on every `tile.ring`, and `tile.shared_bytes`, the size of the
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
