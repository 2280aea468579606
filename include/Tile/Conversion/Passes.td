//===- Passes.td - conversions for all targets -------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_PASSES
#define TILE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"tile-expand-math", "::mlir::ModuleOp"> {
  let summary = "computes f32 exponentials inline";
  let description = [{
    `math.exp` and `math.exp2` on f32, scalars or vectors, become polynomials: within 1.01 ulp (`exp`) and 1.09 ulp
    (`exp2`) of the exact result over the whole range, subnormal results included, the same bits on every machine with a
    fused multiply-add, and open to vectorisation, which calls of the C library are not. (Upstream's approximation flushes
    subnormal results to zero.)
    Other functions stay calls of the C library; `math.expm1` and `math.log1p` become such calls here, because later passes
    would compute them by a subtraction that cancels.

    Where the target is a CPU that scales a vector by powers of two in one instruction (AVX-512 does), that is `llvm.ldexp`. The
    results are the same.

    This is the last pass of the CPU pipeline that depends on the target, and removes `tile.target` from the module: what is left
    has nothing of the dialect, so that tools that do not know it read it.
  }];
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

    `math.fma` rounds once, too. `keep-bf16` leaves conversions of bf16 as they are, and `keep-bf16-fma` its `math.fma`, for
    machines that have them.
  }];
  let options = [
    Option<"keepBF16", "keep-bf16", "bool", "false", "leave conversions of bf16 to the machine">,
    Option<"keepBF16Fma", "keep-bf16-fma", "bool", "false", "leave `math.fma` of bf16 to the machine">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // TILE_CONVERSION_PASSES
