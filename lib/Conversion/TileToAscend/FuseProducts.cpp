//===- FuseProducts.cpp - products and sums in one instruction ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An accumulator that is scaled and then added to, as attention does for each
// block of keys, passes through the vector unit once.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "PipelineParts.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// An operand of an instruction in place that is not its target.
struct OtherSide {
  Value buffer;
  Broadcast broadcast;
};
} // namespace

static std::optional<OtherSide> getOtherSide(BinaryOp op, BinaryKind kind) {
  if (op.getKind() != kind || !op.getContract())
    return std::nullopt;
  if (op.getLhs() == op.getTarget())
    return OtherSide{op.getRhs(), op.getRhsBroadcast()};
  if (op.getRhs() == op.getTarget())
    return OtherSide{op.getLhs(), op.getLhsBroadcast()};
  return std::nullopt;
}

/// Whether the other core neither fills the buffer nor is told when it is free.
static bool isOfVectors(KernelLowering &l, Value buffer) {
  bool isOther = false;
  l.kernel.walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      for (const PartTouch &touch : getTouches(op))
        isOther |=
            touch.base == buffer && touch.writes && touch.pipe != Pipe::V;
  });
  return buffer.getDefiningOp<tl::AllocOp>() && !isOther;
}

/// The product in place that the sum adds to, if it may as well stand there:
/// its factor is still the same, and small, since it is kept for longer.
static BinaryOp findProduct(KernelLowering &l, BinaryOp sum) {
  Value base = tl::getBaseBuffer(sum.getTarget());
  DenseSet<Value> written;
  bool isNext = true;
  for (Operation *at = sum->getPrevNode(); at; at = at->getPrevNode()) {
    SmallVector<PartTouch> touches = getTouches(at);
    for (const PartTouch &touch : touches)
      if (touch.writes)
        written.insert(touch.base);
    if (llvm::none_of(touches, [&](const PartTouch &touch) {
          return touch.base == base;
        })) {
      isNext &= touches.empty();
      continue;
    }
    auto product = dyn_cast<BinaryOp>(at);
    std::optional<OtherSide> factor;
    if (product && product.getTarget() == sum.getTarget())
      factor = getOtherSide(product, BinaryKind::Mul);
    if (!factor)
      return {};
    Value source = tl::getBaseBuffer(factor->buffer);
    bool stays = isNext || (factor->broadcast != Broadcast::None &&
                            isOfVectors(l, source));
    // The product itself has written the target.
    return stays && source != base && !written.contains(source) ? product
                                                                : BinaryOp();
  }
  return {};
}

void mlir::tile::ascend::fuseProducts(KernelLowering &l) {
  SmallVector<BinaryOp> sums;
  l.kernel.walk([&](BinaryOp op) {
    if (getOtherSide(op, BinaryKind::Add))
      sums.push_back(op);
  });
  for (BinaryOp sum : sums) {
    auto type = cast<MemRefType>(sum.getTarget().getType());
    auto element = tl::getElementType(type.getElementType());
    if (!element || !l.spec.supports("FusedMulAdd", *element))
      continue;
    BinaryOp product = findProduct(l, sum);
    OtherSide addend = *getOtherSide(sum, BinaryKind::Add);
    if (!product ||
        tl::getBaseBuffer(addend.buffer) == tl::getBaseBuffer(sum.getTarget()))
      continue;
    OtherSide factor = *getOtherSide(product, BinaryKind::Mul);
    l.b.setInsertionPoint(sum);
    MulAddOp::create(l.b, sum.getLoc(), sum.getTarget(), factor.buffer,
                     addend.buffer, factor.broadcast, addend.broadcast);
    product.erase();
    sum.erase();
  }
}
