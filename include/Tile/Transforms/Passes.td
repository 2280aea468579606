//===- Passes.td - passes over the tile dialect ------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_PASSES
#define TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def LegalizeAccessesPass : Pass<"tile-legalize-accesses"> {
  let summary = "makes out-of-bounds accesses of global buffers explicit";
  let description = [{
    A scalar read outside of a global buffer yields the buffer's safe value, a write outside of it is dropped (rule 1 of
    the dialect). The ops of `memref`, `affine` and `vector` know nothing of that rule. This pass writes it out, so that
    every later pass and every target sees plain accesses that are in bounds.

    In kernels, each scalar access of a global buffer is wrapped in an `scf.if` whose condition is the conjunction of the
    bounds that cannot be proven: a side of a dimension that is known to hold costs nothing, and an access that is known
    to be in bounds, by loop ranges, by affine guards around it or by `tile.assume`, is not touched. The other branch
    yields the value of `tile.safe_value`, or 0. Atomics are treated alike; the old value that they return is then the
    safe value. Vectors of one dimension become masked accesses. Index arithmetic is taken not to overflow.

    Tile ops keep their own meaning and are not touched, nor are accesses outside of kernels, masked and indirect vector
    accesses, and `vector.transfer_read` and `vector.transfer_write`, which say themselves what happens at the edges.

    A remark tells how many accesses of each kernel are guarded and how many are proven to be in bounds.

    **Errors.** `a vector of 2 dimensions may leave the bounds of the global buffer; access it in vectors of 1 dimension`;
    `no safe value for elements of 'complex<f32>'; give one with 'tile.safe_value'`.

    **Example.**
    ```mlir
    func.func @legalize(%x: memref<?xf32>, %y: memref<1024xf32>) {
      tile.kernel (%b) in (4) {
        tile.parallel (%i) in (256) {
          %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
          %v = memref.load %x[%p] : memref<?xf32>
          memref.store %v, %y[%p] : memref<1024xf32>
        }
      }
      return
    }
    ```
    The store is in bounds. The load becomes
    ```
    %n = memref.dim %x, %c0 : memref<?xf32>
    %inside = arith.cmpi slt, %p, %n : index
    %v = scf.if %inside -> (f32) {
      %l = memref.load %x[%p] : memref<?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def VerifySemanticsPass : Pass<"tile-verify-semantics"> {
  let summary = "rejects programs whose meaning depends on chance";
  let description = [{
    The verifiers of ops look at one op. This pass looks at the program around it and rejects what would go wrong silently
    on a device. It changes nothing, works on any op, and stands at the head of every pipeline. An error is reported only
    for what is *proven* to be wrong; where nothing is proven, a remark says so.

    **Spaces.** A kernel uses only tiles of its own; tiles are allocated by `tile.alloc`; a buffer in `#tile.local`, of
    which each iteration has its own, is not indexed by the iteration.

    **Bounds.** An index or region that leaves a tile in some execution. Loop ranges, affine guards and `tile.assume` are
    taken into account. Under a guard that is not affine, only what never stays inside is reported. Global buffers may be
    left (rule 1 of the dialect).

    **Control flow.** Collective ops, and loops over tiles, under a condition or loop whose operands may differ between
    the threads of a block: what is computed from thread or lane ids and what is read from `#tile.local`.

    **Races of iterations.** Two iterations of a `tile.parallel` that touch the same element of a buffer, with a write
    among the two, where atomics are writes to all but each other. Indices and guards are affine expressions of iteration
    variables, inner loops, block coordinates and values that do not change in the loop; accesses through views are
    compared in the buffer behind them. Existence is decided exactly. Where it depends on unknown values, a race is
    reported if it exists for all of them, dynamic extents being at least 2.

    **Races of blocks.** Two blocks of a kernel that write the same element of a global buffer, decided in the same way.

    Buffers from different allocations or arguments are taken not to overlap, and index arithmetic not to overflow.

    **Errors.** `two iterations write the same element of the buffer: iterations (0, 0) and (0, 1) both touch [0]`;
    `one iteration writes what another one reads: …`; `one iteration updates atomically what another one reads: …` (or
    `writes`); `two blocks write the same element of the buffer: blocks (0) and (1) both touch [0, 0]`; `must be reached
    by all threads of the block, but the condition of 'scf.if' may differ between threads`; `has bounds that may differ
    between threads`; `index 128 exceeds dimension 1 of the buffer (128)`; `region of size 64 at offset 96 exceeds
    dimension 0 of the buffer (128)`; `index -1 falls below dimension 0 of the buffer (64)`; `uses a buffer in 'shared'
    memory that is not its own; allocate it in the kernel with 'tile.alloc'`; `cannot allocate a buffer in 'shared'
    memory; use 'tile.alloc'`; `indexes a buffer in 'local' memory by iteration variable 0, but each iteration has a
    buffer of its own; …`.

    **Example.** Rejected, because all `%j` add to the same element:
    ```mlir
    func.func @row_sums() {
      tile.kernel (%b) in (1) {
        %x = tile.alloc : memref<64x64xf32, #tile.shared>
        %sum = tile.alloc : memref<64xf32, #tile.shared>
        tile.parallel (%i, %j) in (64, 64) {
          %old = memref.load %sum[%i] : memref<64xf32, #tile.shared>
          %v = memref.load %x[%i, %j] : memref<64x64xf32, #tile.shared>
          %new = arith.addf %old, %v : f32
          memref.store %new, %sum[%i] : memref<64xf32, #tile.shared>
        }
      }
      return
    }
    ```
  }];
}

#endif // TILE_TRANSFORMS_PASSES
