//===- Passes.td - from threads to NVIDIA GPUs -------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_GPUTONVVM_PASSES
#define TILE_CONVERSION_GPUTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def LowerGPUMathPass : Pass<"tile-lower-gpu-math"> {
  let summary = "replaces math functions by what an NVIDIA GPU computes";
  let description = [{
    There is no library of math functions behind this path: what the machine has no instruction for is computed inline.

    - Functions on f32 that allow approximation (`fastmath<afn>`), and divisions that do, become the approximate instructions
      (`ex2.approx.ftz` and the like), which take subnormal numbers as 0. Without that flag nothing is flushed or approximated
      beyond the stated bounds.
    - `math.exp` and `math.exp2` have the bits that the CPU computes (see `tile-expand-math`). Most other functions on f32 are
      computed in f64 and rounded once: within 0.51 ulp over the whole range, with the special values of C, and `arith.remf`
      exactly. `math.erf`, `math.erfc` and `math.rsqrt` are within 1.6, 2.3 and 1.5 ulp, `math.erf` that allows
      approximation within a relative error of 6e-7.
    - Square roots, divisions, `fma`, rounding to integers, absolute values, counts of bits and classifications are
      instructions and stay.

    A function that nothing here computes, such as functions on f64 other than exponentials, logarithms,
    tanh and what is an instruction, is an error that names it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerNVVMSmallFloatsPass : Pass<"tile-lower-nvvm-small-floats", "::mlir::gpu::GPUModuleOp"> {
  let summary = "converts elements of 8 and 4 bits by few instructions";
  let description = [{
    `arith.truncf` from f32 and `arith.extf` to f16, bf16, f32 on scalars and vectors become conversions of pairs, on chips
    with the feature `packed-float8-convert`. The instruction saturates; values that round to more than the largest finite one
    become what the format has above it: NaN in f8E4M3FN, infinity in f8E5M2. Everything else is left to
    `tile-expand-small-floats`.

    `arith.sitofp` and `arith.uitofp` of vectors of i4 to f16 and bf16 become a mask and a subtraction for each pair, and
    `arith.truncf` to them of an `arith.extf` from f4E2M1FN masks and a multiplication: exact, and the same on all chips.

    `arith.extf` of vectors of bf16 to f32 becomes a shift and a mask for each pair, whose bits these are, and that of an element the
    upper half of a pair.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def NarrowComparisonsPass : Pass<"tile-narrow-comparisons"> {
  let summary = "compares indices that fit in 32 bits as such";
  let description = [{
    An NVIDIA GPU compares 64 bits with two instructions, which a mask needs for each element. `arith.cmpi` of indices whose ranges
    are proven to fit in 32 bits compares these; the ranges come from extents of loops, remainders, `known_block_size` and
    `known_grid_size`. Other comparisons stay as they are.

    A loop without a known end, in each iteration of which four or more comparisons of what grows with its variable are evaluated,
    becomes two: one of the first iterations, 4,096 to 1,048,576 of them, in which what grows has 32 bits and limits are clamped, and
    one of the rest, if there is one, as it was. Loops with barriers or more than a hundred operations stay as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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

#endif // TILE_CONVERSION_GPUTONVVM_PASSES
