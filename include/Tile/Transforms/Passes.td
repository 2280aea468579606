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
    to be in bounds is not touched. The other branch yields the value of `tile.safe_value`, or 0. Atomics are treated
    alike; the old value that they return is then the safe value. Vectors of one dimension become masked accesses.

    Tile ops keep their own meaning and are not touched, nor are accesses outside of kernels, masked and indirect vector
    accesses, and `vector.transfer_read` and `vector.transfer_write`, which say themselves what happens at the edges.

    A remark tells how many accesses of each kernel are guarded and how many are proven to be in bounds.

    **Errors.** `a vector of 2 dimensions may leave the bounds of the global buffer; access it in vectors of 1 dimension`;
    `no safe value for elements of 'complex<f32>'; give one with 'tile.safe_value'`.

    **Example.**
    ```mlir
    tile.kernel (%b) in (%blocks) {
      tile.parallel (%i) in (256) {
        %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
        %v = memref.load %x[%p] : memref<?xf32>
        ...
    ```
    becomes
    ```mlir
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

#endif // TILE_TRANSFORMS_PASSES
