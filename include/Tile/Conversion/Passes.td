//===- Passes.td - conversion passes -----------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_PASSES
#define TILE_CONVERSION_PASSES

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
    many lines make a piece, and how much may wait in the cache, the record of the `target` tells (docs/targets.md).

    A remark tells what was done, or why not (`--remarks-filter=tile-prefetch-blocks`).
  }];
  let options = [
    Option<"target", "target", "std::string", [{"x86-64-v3"}], "the CPU (docs/targets.md)">
  ];
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
    registers there are, the record of the `target` tells (docs/targets.md).

    `check-assumptions` turns `tile.assume` into a test.

    Accesses of scalar code to global buffers are taken as in bounds: run `tile-legalize-accesses` first.
  }];
  let options = [
    Option<"target", "target", "std::string", [{"x86-64-v3"}], "the CPU (docs/targets.md)">,
    Option<"checkAssumptions", "check-assumptions", "bool", "false", "test what tile.assume states">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertTileToGPUPass : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "lowers scheduled tile ops to the threads of a GPU";
  let description = [{
    Turns each function with kernels into a `gpu.module` with one `gpu.func` for each kernel. A tile op becomes what one
    thread does for it: fragments become registers by their layouts, shared tiles addresses in one arena, copies vectors as
    wide as layouts and alignment allow, products the matrix instructions that were chosen. Addresses are typed pointers;
    no memref is left.

    Expects the attributes of `tile-select-instructions` and `tile-infer-layout`, barriers, and, if there are shared
    buffers, the offsets of `tile-plan-shared` (without offsets, each buffer gets a place of its own).

    Bounds of global tiles are tested once for the whole tile: the fast side is a vector copy, the other one tests each
    element. Both tests and the slow side vanish where sizes and offsets are known.

    The kernel's attribute `tile.launch`, a `#tile.launch`, is complete: docs/LaunchMetadata.md is its text.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "the chip: a name of docs/targets.md">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandMathPass : Pass<"tile-expand-math", "::mlir::ModuleOp"> {
  let summary = "computes f32 exponentials inline";
  let description = [{
    `math.exp` and `math.exp2` on f32, scalars or vectors, become polynomials: within 1.01 ulp (`exp`) and 1.09 ulp
    (`exp2`) of the exact result over the whole range, subnormal results included, the same bits on every machine with a
    fused multiply-add, and open to vectorisation, which calls of the C library are not. (Upstream's approximation flushes
    subnormal results to zero.)
    Other functions stay calls of the C library; `math.expm1` and `math.log1p` become such calls here, because later passes
    would compute them by a subtraction that cancels.

    `has-ldexp` says that the machine scales a vector by powers of two in one instruction (AVX-512 does). The results are the
    same.
  }];
  let options = [
    Option<"hasLdexp", "has-ldexp", "bool", "false", "scale by powers of two with llvm.ldexp">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandSmallFloatsPass : Pass<"tile-expand-small-floats"> {
  let summary = "expresses bf16 and floats of 4 and 8 bits by integers and f32";
  let description = [{
    CPUs have no registers for floats of 8 and 4 bits, and few convert bf16 with subnormals. Computations on them are
    widened to f32, and the conversions become integer arithmetic that rounds once, to nearest even: exact for every input,
    the same on every machine, and open to vectorisation.

    `keep-bf16` leaves conversions of bf16 as they are, for machines that have them.
  }];
  let options = [
    Option<"keepBF16", "keep-bf16", "bool", "false", "leave conversions of bf16 to the machine">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
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

def LowerGPUMathPass : Pass<"tile-lower-gpu-math"> {
  let summary = "replaces math functions by what an NVIDIA GPU computes";
  let description = [{
    There is no library of math functions behind this path: what the machine has no instruction for is computed inline.

    - Functions on f32 that allow approximation (`fastmath<afn>`), and divisions that do, become the approximate instructions
      (`ex2.approx.ftz` and the like), which take subnormal numbers as 0. Without that flag nothing is flushed or approximated
      beyond the stated bounds.
    - `math.exp` and `math.exp2` have the bits that the CPU computes (see `tile-expand-math`). Most other functions on f32 are
      computed in f64 and rounded once: within 0.51 ulp over the whole range, with the special values of C, and `arith.remf`
      exactly. `math.erf`, `math.erfc` and `math.rsqrt` are within 3.8, 2.3 and 1.5 ulp.
    - Square roots, divisions, `fma`, rounding to integers, absolute values, counts of bits and classifications are
      instructions and stay.

    A function that nothing here computes, such as most functions on f64, is an error that names it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertGPUModuleToNVVMPass : Pass<"tile-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "converts the device code of a gpu.module to the LLVM and NVVM dialects";
  let description = [{
    Each `gpu.func` becomes an `llvm.func`; the ops of gpu, arith, math, cf, index, ub and vector in it become those of the
    LLVM and NVVM dialects. Structured control flow must be lowered before.

    Kernels keep the attributes of their arguments (`llvm.noalias`, `llvm.readonly`, `llvm.byval` …). Arguments passed by value in
    memory, which descriptors of tensor maps are, are declared constant over the grid: this must be left to this pass, since
    the NVVM dialect allows the attribute on its own kernels only. `known_block_size` becomes the largest number of threads,
    with at least one block on a processor; `nvvm.cluster_dim`, `tile.launch` and other discardable attributes are kept.

    `gpu.shuffle` takes numbers and vectors of up to 64 bits.

    `index-bitwidth` is the width of `index`: 64 unless all products of sizes are known to fit in 32 bits.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "bits of an index: 32 or 64">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TILE_CONVERSION_PASSES
