//===- Windows.cpp - windows of convolutions ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

Value mlir::tile::readWindow(OpBuilder &b, Location loc, Im2ColOp op, Value p,
                             Value q) {
  auto image = cast<MemRefType>(op.getImage().getType());
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantIndexOp::create(b, loc, v);
  };
  auto split = [&](Value v, int64_t n) {
    return std::pair<Value, Value>(
        arith::DivUIOp::create(b, loc, v, constant(n)),
        arith::RemUIOp::create(b, loc, v, constant(n)));
  };
  auto [nh, ow] = split(p, op.getOutputExtent(1));
  auto [n, oh] = split(nh, op.getOutputExtent(0));
  auto [window, c] = split(q, image.getDimSize(3));
  auto [kh, kw] = split(window, op.getKernel()[1]);
  auto position = [&](Value o, Value k) -> Value {
    Value at = arith::MulIOp::create(b, loc, o, constant(op.getStride()));
    Value reach = arith::MulIOp::create(b, loc, k, constant(op.getDilation()));
    at = arith::AddIOp::create(b, loc, at, reach);
    return arith::SubIOp::create(b, loc, at, constant(op.getPad()));
  };
  Value h = position(oh, kh), w = position(ow, kw);
  Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
  auto require = [&](Value v, Value extent) {
    Value ok =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, v, extent);
    inside = arith::AndIOp::create(b, loc, inside, ok);
  };
  // A negative p or q is a large unsigned number, which n and kh inherit.
  require(n, memref::DimOp::create(b, loc, op.getImage(), 0));
  require(kh, constant(op.getKernel()[0]));
  require(h, constant(image.getDimSize(1)));
  require(w, constant(image.getDimSize(2)));
  Value pixel[] = {n, h, w, c};
  auto result = scf::IfOp::create(
      b, loc, inside,
      [&](OpBuilder &b, Location loc) {
        Value v =
            memref::LoadOp::create(b, loc, op.getImage(), ValueRange(pixel));
        scf::YieldOp::create(b, loc, v);
      },
      [&](OpBuilder &b, Location loc) {
        Value zero = arith::ConstantOp::create(
            b, loc, b.getZeroAttr(image.getElementType()));
        scf::YieldOp::create(b, loc, zero);
      });
  return result.getResult(0);
}
