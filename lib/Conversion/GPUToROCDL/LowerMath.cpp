//===- LowerMath.cpp - math functions on AMD GPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FourBits.h"

#include "Tile/Conversion/GPUToROCDL/Passes.h"

#include "../GPUMath/GPUMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LOWERROCDLMATHPASS
#include "Tile/Conversion/GPUToROCDL/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static void populateApproximations(RewritePatternSet &patterns) {
  auto add = [&](auto lower) { addApproximation(patterns, lower); };
  using A = Approximation;
  add([](A &a, math::Exp2Op op) {
    return a.call("llvm.amdgcn.exp2.f32", op.getOperand());
  });
  add([](A &a, math::ExpOp op) {
    return a.call("llvm.amdgcn.exp2.f32", a.scaled(op.getOperand(), kLog2EF32));
  });
  add([](A &a, math::Log2Op op) {
    return a.call("llvm.amdgcn.log.f32", op.getOperand());
  });
  add([](A &a, math::LogOp op) {
    return a.scaled(a.call("llvm.amdgcn.log.f32", op.getOperand()), kLn2F32);
  });
  add([](A &a, math::Log10Op op) {
    return a.scaled(a.call("llvm.amdgcn.log.f32", op.getOperand()),
                    kLog10Of2F32);
  });
  // The instructions count in turns and take few of them: LLVM reduces.
  add([](A &a, math::SinOp op) -> Value {
    return LLVM::SinOp::create(a.b, a.loc, a.type, op.getOperand(),
                               LLVM::FastmathFlags::afn);
  });
  add([](A &a, math::CosOp op) -> Value {
    return LLVM::CosOp::create(a.b, a.loc, a.type, op.getOperand(),
                               LLVM::FastmathFlags::afn);
  });
  add([](A &a, math::SqrtOp op) {
    return a.call("llvm.amdgcn.sqrt.f32", op.getOperand());
  });
  add([](A &a, math::RsqrtOp op) {
    return a.call("llvm.amdgcn.rsq.f32", op.getOperand());
  });
  add([](A &a, arith::DivFOp op) -> Value {
    Value inverse = a.call("llvm.amdgcn.rcp.f32", op.getRhs());
    return arith::MulFOp::create(a.b, a.loc, op.getLhs(), inverse);
  });
}

namespace {
struct LowerROCDLMath : tile::impl::LowerROCDLMathPassBase<LowerROCDLMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateApproximations(patterns);
    populateFourBits(patterns);
    if (failed(lowerGPUMath(getOperation(), std::move(patterns), "an AMD GPU")))
      signalPassFailure();
  }
};
} // namespace
