//===- Passes.td - from tile ops to threads ----------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_PASSES
#define TILE_CONVERSION_TILETOSIMT_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToSIMTPass : Pass<"convert-tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "lowers scheduled tile ops to the threads of a GPU";
  let description = [{
    Turns each function with kernels into a `gpu.module` with one `gpu.func` for each kernel. A tile op becomes what one
    thread does for it: fragments become registers by their layouts, shared tiles addresses in one arena, copies vectors as
    wide as layouts and alignment allow, products the matrix instructions that were chosen. Addresses are typed pointers;
    no memref is left.

    Expects the attributes of `tile-select-instructions` and `tile-infer-layout`, barriers, and, if there are shared
    buffers, the offsets of `tile-plan-shared` (without offsets, each buffer gets a place of its own). Layouts must be
    those that the ops need, which is verified: code of threads is the same for all of them, so that a thread finds an
    element of a fragment only in a register whose number does not depend on the thread.

    What a block does once is done by its first thread: scalar stores and atomics outside of `tile.parallel`. The old value
    of an atomic goes to all threads through shared memory. A thread stores whole bytes of elements of 4 bits where it has
    both halves; a single one is an atomic update of its byte.

    Bounds of global tiles are tested once for the whole tile: the fast side is a vector copy, the other one tests each
    element. Both tests and the slow side vanish where sizes and offsets are known.

    The kernel's attribute `tile.launch`, a `#tile.launch`, is complete: docs/LaunchMetadata.md is its text. Versions of a kernel
    (`facts`) lose the parameters that their code does not read; one that then has the code of the version before it, as where
    tensor maps alone differ, is no function of its own, but a further `#tile.launch` in the `tile.versions` of that one. The
    remark `SharedCode` names both.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TILE_CONVERSION_TILETOSIMT_PASSES
