//===- LowerMath.cpp - math functions on NVIDIA GPUs ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToNVVM/Passes.h"

#include "../GPUMath/GPUMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERGPUMATHPASS
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static void populateApproximations(RewritePatternSet &patterns) {
  auto add = [&](auto lower) { addApproximation(patterns, lower); };
  using A = Approximation;
  add([](A &a, math::Exp2Op op) {
    return a.call("llvm.nvvm.ex2.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::ExpOp op) {
    return a.call("llvm.nvvm.ex2.approx.ftz.f",
                  a.scaled(op.getOperand(), kLog2EF32));
  });
  add([](A &a, math::Log2Op op) {
    return a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::LogOp op) {
    return a.scaled(a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand()),
                    kLn2F32);
  });
  add([](A &a, math::Log10Op op) {
    return a.scaled(a.call("llvm.nvvm.lg2.approx.ftz.f", op.getOperand()),
                    kLog10Of2F32);
  });
  add([](A &a, math::SinOp op) {
    return a.call("llvm.nvvm.sin.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::CosOp op) {
    return a.call("llvm.nvvm.cos.approx.ftz.f", op.getOperand());
  });
  // LLVM has an instruction for it under this flag only.
  add([](A &a, math::TanhOp op) -> Value {
    return LLVM::TanhOp::create(a.b, a.loc, a.type, op.getOperand(),
                                LLVM::FastmathFlags::afn);
  });
  add([](A &a, math::SqrtOp op) {
    return a.call("llvm.nvvm.sqrt.approx.ftz.f", op.getOperand());
  });
  add([](A &a, math::RsqrtOp op) {
    return a.call("llvm.nvvm.rsqrt.approx.ftz.f", op.getOperand());
  });
  add([](A &a, arith::DivFOp op) {
    return a.call("llvm.nvvm.div.approx.ftz.f", {op.getLhs(), op.getRhs()});
  });
}

namespace {
struct LowerGPUMath : tile::impl::LowerGPUMathPassBase<LowerGPUMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateApproximations(patterns);
    if (failed(
            lowerGPUMath(getOperation(), std::move(patterns), "an NVIDIA GPU")))
      signalPassFailure();
  }
};
} // namespace
