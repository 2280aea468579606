//===- Passes.td - from threads to AMD GPUs ----------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_GPUTOROCDL_PASSES
#define TILE_CONVERSION_GPUTOROCDL_PASSES

include "mlir/Pass/PassBase.td"

def LowerROCDLMathPass : Pass<"tile-lower-rocdl-math"> {
  let summary = "replaces math functions by what an AMD GPU computes";
  let description = [{
    What `tile-lower-gpu-math` is for NVIDIA GPUs: AMD's device libraries are not needed either. Without `fastmath<afn>` both
    passes compute the same bits.

    Functions on f32 that allow approximation, and divisions that do, become the instructions of the machine (`v_exp_f32`,
    `v_log_f32`, `v_rcp_f32` and the like), which are good to about one unit in the last place and take subnormal numbers as
    0.

    **Errors.** `'math.…' on 'f64' is not available on an AMD GPU`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertGPUModuleToROCDLPass : Pass<"tile-gpu-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "converts the device code of a gpu.module to the LLVM and ROCDL dialects";
  let description = [{
    Each `gpu.func` becomes an `llvm.func`; the ops of gpu, arith, math, cf, index, ub and vector in it become those of the
    LLVM and ROCDL dialects. Structured control flow must be lowered before. The attribute `tile.target` on the module or
    around it names the chip.

    `known_block_size` becomes the size of a workgroup, required exactly, by which LLVM knows how many registers a wave may
    have. `tile.launch` and other discardable attributes are kept. Arguments come without a size that the runtime could pass
    beyond them: `gpu.grid_dim` reads the block that every launch has behind its arguments (code object version 5 and later).

    `gpu.shuffle` takes numbers and vectors of up to 64 bits. Lanes whose numbers differ in one bit by `xor` exchange
    without memory: by DPP within a row of 16 lanes, by `ds_swizzle` within 32, which needs no address either; other shuffles
    are `ds_bpermute`.

    **Errors.** `expected a value of 1 to 64 bits to shuffle, got …`; `… cannot be lowered to code for an AMD GPU`.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "64", "bits of an index: 32 or 64">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif // TILE_CONVERSION_GPUTOROCDL_PASSES
