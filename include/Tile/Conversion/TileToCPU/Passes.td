//===- Passes.td - from tile ops to a CPU ------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOCPU_PASSES
#define TILE_CONVERSION_TILETOCPU_PASSES

include "mlir/Pass/PassBase.td"

def PrefetchBlocksPass : Pass<"tile-prefetch-blocks", "::mlir::ModuleOp"> {
  let summary = "prefetches what the next block reads while a block computes";
  let description = [{
    A block that copies rows from global memory, computes on them and writes them back lets the memory wait while it computes,
    and the core while it copies. A thread runs blocks in the order of their numbers, so this pass fetches the rows of the next
    block into the cache during the longest computation of this one.

    The longest `tile.parallel` of the kernel's body (iterations times ops) is split into pieces of the iteration space.
    Ahead of each piece stand prefetches of a few cache lines (`memref.prefetch`): as many at a time as the machine has in
    flight beside the computation. In the innermost loop they would keep LLVM from vectorising it, and all at once they
    would stop the core.

    Prefetched are the long rows that ops of the kernel's body itself read from global buffers, at places that follow from the
    block's coordinates by pure ops. Lines outside of the buffer are left out, so that a last block, a tail or an empty buffer
    fetches nothing that is not there. Rows that are the same for every block are in the cache already. What is long, how
    many lines make a piece, and how much may wait in the cache, the record of the target tells (docs/targets.md).

    A remark tells what was done, or why not (`--remarks-filter=tile-prefetch-blocks`).
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertTileToCPUPass : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "lowers tile ops to loops, vectors and buffers";
  let description = [{
    Replaces every tile op by upstream ops on ordinary memrefs. A kernel becomes an `scf.parallel` over its blocks, its tiles
    become buffers at the top of the body, tile ops become loops; a gemm becomes a register-blocked kernel of vectors over
    packed operands. This lowering is the definition of the ops: what it computes, all targets compute.

    Why loops and not vectors everywhere: LLVM's vectoriser handles simple loops over separate buffers well, and one scalar
    loop serves all element types and strides. Only what it does not find itself (the register block of a gemm, the
    reassociation of a reduction) is written with vectors.

    Long rows of one type are copied by `memcpy`. Those that go to a large global buffer are written past the caches: nothing
    that is read soon is lost, and the old content of the lines is not read first. What is long and large, and which vector
    registers there are, the record of the target tells (docs/targets.md).

    `check-assumptions` turns `tile.assume` into a test. `poison-tiles` fills what `tile.alloc` allocates with NaN, or -1 where
    the type has none: what is computed from elements that nobody wrote shows.

    Accesses of scalar code to global buffers are taken as in bounds: run `tile-legalize-accesses` first.
  }];
  let options = [
    Option<"checkAssumptions", "check-assumptions", "bool", "false", "test what tile.assume states">,
    Option<"poisonTiles", "poison-tiles", "bool", "false", "fill new buffers with NaN or -1">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def PackSubBytePass : Pass<"tile-pack-subbyte", "::mlir::ModuleOp"> {
  let summary = "stores elements of 4 bits two to a byte";
  let description = [{
    Buffers of i4 and f4E2M1FN become buffers of i8 of half the last extent (rounded up), the element with the even index in
    the low half. A buffer of static shape whose rows would end in the middle of a byte becomes one row. Loads shift and
    mask; stores keep the other half, in two atomic steps where another block may own it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::affine::AffineDialect"];
}

def CheckAllocationsPass : Pass<"tile-check-allocations", "::mlir::ModuleOp"> {
  let summary = "has code survive a lack of memory";
  let description = [{
    What stands behind a `memref.alloc` runs only if there was memory, and if the product of the extents can be counted.
    Otherwise the rest of the block is left out, what was allocated is freed, and at its end the function tells the runtime how
    many bytes were missing (`tile_rt_note_missing_memory`), which the launch reports as an error. Blocks of a kernel that
    other threads run are not stopped. A program that links the code without the runtime is ended (`abort`).

    The test of a tile costs one comparison for each block of a kernel. Functions with branches (`cf`) and allocations of which
    the end of a block passes on more than numbers, such as one that the function returns, are left as they are.

    **Example.**
    ```mlir
    func.func @workspace(%x: memref<?xf32>, %n: index) {
      %w = memref.alloc(%n) : memref<?xf32>
      memref.copy %x, %w : memref<?xf32> to memref<?xf32>
      memref.dealloc %w : memref<?xf32>
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def OutlineParallelPass : Pass<"tile-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "hands parallel loops to the runtime's thread pool";
  let description = [{
    The body of each outermost `scf.parallel` without reductions becomes a function over a range of iterations, called
    through `tile_rt_parallel_for` of the C runtime (or of an embedder's own pool). Buffers that the body allocates are
    allocated once for each range.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ReplaceBF16Pass : Pass<"tile-replace-bf16", "::mlir::ModuleOp"> {
  let summary = "makes integers of 16 bits of all bf16 in the LLVM dialect";
  let description = [{
    Behind `tile-expand-small-floats` nothing computes with bf16: it is loaded, chosen and stored. LLVM's code generation for
    CPUs that do not convert bf16 calls `__truncsfbf2` to move such numbers out of vectors, which neither libgcc 12 nor a JIT
    has; for integers it needs no call. Functions without a body keep their types, and their calls cast.

    **Example.**
    ```mlir
    llvm.func @choose(%condition: i1, %x: !llvm.ptr, %y: bf16) {
      %zero = llvm.mlir.constant(0.0 : bf16) : bf16
      %chosen = llvm.select %condition, %y, %zero : i1, bf16
      llvm.store %chosen, %x : bf16, !llvm.ptr
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TILE_CONVERSION_TILETOCPU_PASSES
