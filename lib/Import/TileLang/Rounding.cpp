//===- Rounding.cpp - how closely floats are computed ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

bool tilelang::wantsFastMath(Node attributes) {
  return attributes.lookup("tilelang_pass_configs")
             .lookup("tl.enable_fast_math")
             .asInteger()
             .value_or(0) != 0;
}

void tilelang::setRounding(Operation *root, bool fastMath) {
  root->walk([&](arith::ArithFastMathInterface op) {
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (!type.isF32() && !type.isF64())
      return;
    arith::FastMathFlags leave;
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      leave = arith::FastMathFlags::contract;
    else if (fastMath && (isa<arith::DivFOp>(op) ||
                          isa_and_nonnull<math::MathDialect>(op->getDialect())))
      leave = arith::FastMathFlags::afn;
    else
      return;
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(
                    op->getContext(),
                    leave | op.getFastMathFlagsAttr().getValue()));
  });
}
