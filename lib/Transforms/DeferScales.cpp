//===- DeferScales.cpp - powers of two that sums take away ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Liveness.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/FourBits.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/GemmPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

namespace mlir::tile {
#define GEN_PASS_DEF_DEFERSCALESPASS
#include "Tile/Transforms/GemmPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kCategory = "tile-defer-scales";

/// Half of the exponents of bf16 on either side of what is left of a scale.
static constexpr int kExponent = 64;

namespace {
/// A sum whose products have an operand that is converted and then scaled.
struct ScaledSum {
  AllocOp alloc;
  FillOp fill;
  SmallVector<GemmOp> gemms;
  llvm::SetVector<Operation *> products; // arith.mulf, one for each operand
};
} // namespace

static bool isFourBits(Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return element.getIntOrFloatBitWidth() == 4;
}

static bool isElementOf(Value value, Value tile) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  return load && load.getMemRef() == tile;
}

/// The product in the loop, if the loop multiplies each element of the tile, in
/// place, and does nothing else.
static arith::MulFOp findProduct(ParallelOp loop, Value tile) {
  ValueRange indices = loop.getBody().front().getArguments();
  memref::StoreOp store;
  for (Operation &op : loop.getBody().front()) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (auto here = dyn_cast<memref::StoreOp>(op); here && !store)
      store = here;
    else if (!load && !isMemoryEffectFree(&op))
      return {};
    else if (load && load.getMemRef() == tile &&
             !llvm::equal(load.getIndices(), indices))
      return {};
  }
  auto type = cast<MemRefType>(tile.getType());
  if (!store || store.getMemRef() != tile ||
      !llvm::equal(store.getIndices(), indices) ||
      loop.getStaticExtents() != type.getShape())
    return {};
  auto product = store.getValueToStore().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse() ||
      isElementOf(product.getLhs(), tile) ==
          isElementOf(product.getRhs(), tile))
    return {};
  return product;
}

/// Whether the op writes all of the tile, and converts elements of 4 bits for
/// it.
static bool isConversion(Operation *op, Value tile) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return copy.getTarget() == tile && isWhole(copy.getTargetRegion()) &&
           isFourBits(copy.getSource());
  auto loop = cast<ParallelOp>(op);
  ValueRange indices = loop.getBody().front().getArguments();
  memref::StoreOp store;
  for (Operation &inner : loop.getBody().front()) {
    auto load = dyn_cast<memref::LoadOp>(inner);
    auto here = dyn_cast<memref::StoreOp>(inner);
    if (here && !store)
      store = here;
    else if (load ? load.getMemRef() == tile : !isMemoryEffectFree(&inner))
      return false;
  }
  if (!store || store.getMemRef() != tile ||
      !llvm::equal(store.getIndices(), indices) ||
      loop.getStaticExtents() != cast<MemRefType>(tile.getType()).getShape())
    return false;
  Operation *conversion = findFourBitConversion(store.getValueToStore());
  return conversion && conversion->getOperand(0).getDefiningOp<memref::LoadOp>();
}

/// What uses the operand in the block of a gemm, in order; nothing if it is used
/// elsewhere.
static SmallVector<Operation *> collectUses(Value operand, GemmOp gemm) {
  llvm::SetVector<Operation *> uses;
  for (Operation *user : operand.getUsers()) {
    Operation *here = gemm->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return {};
    uses.insert(here);
  }
  SmallVector<Operation *> ordered = uses.takeVector();
  llvm::sort(ordered, [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  });
  return ordered;
}

/// The product that scales an operand between its conversion and the gemm;
/// nothing if it is no such operand. Other gemms may use the same tile, each
/// behind a conversion and a product of its own.
static arith::MulFOp findScale(Value operand, GemmOp gemm) {
  if (!operand.getDefiningOp<AllocOp>() || gemm.getA() == gemm.getB() ||
      getMemorySpace(operand) != MemorySpace::Fragment ||
      !cast<MemRefType>(operand.getType()).getElementType().isBF16())
    return {};
  SmallVector<Operation *> uses = collectUses(operand, gemm);
  if (uses.size() % 3 != 0)
    return {};
  arith::MulFOp own;
  for (size_t i = 0; i < uses.size(); i += 3) {
    auto loop = dyn_cast<ParallelOp>(uses[i + 1]);
    if (!isa<CopyOp, ParallelOp>(uses[i]) || !isConversion(uses[i], operand) ||
        !loop || !isa<GemmOp>(uses[i + 2]))
      return {};
    arith::MulFOp product = findProduct(loop, operand);
    if (!product)
      return {};
    if (uses[i + 2] == gemm)
      own = product;
  }
  return own;
}

/// The op with the last gemm in the block of the fill; null if one is elsewhere
/// or in front of it.
static Operation *findLast(const ScaledSum &sum) {
  Operation *fill = FillOp(sum.fill), *last = fill;
  for (GemmOp gemm : sum.gemms) {
    Operation *here = fill->getBlock()->findAncestorOpInBlock(*gemm);
    if (!here || !fill->isBeforeInBlock(here))
      return nullptr;
    if (last->isBeforeInBlock(here))
      last = here;
  }
  return last;
}

/// Whether everything else that happens to the sum is before its fill, which is
/// of 0, or behind all gemms.
static bool isOrdered(const ScaledSum &sum) {
  FillOp fill = sum.fill;
  Block *block = fill->getBlock();
  Operation *last = findLast(sum);
  if (!last)
    return false;
  return llvm::all_of(
      collectBufferUsers(AllocOp(sum.alloc).getBuffer()), [&](Operation *user) {
        Operation *here = block->findAncestorOpInBlock(*user);
        return here && (user == fill || llvm::is_contained(sum.gemms, user) ||
                        last->isBeforeInBlock(here));
      });
}

/// Why the sum keeps its scales; empty if it defers them. Without scaled
/// operands of 4 bits it is none, and no gemm is in `sum`.
static std::string collect(ScaledSum &sum) {
  Value buffer = sum.alloc.getBuffer();
  bool isCleared = false, isMixed = false, isStrict = false, isAsync = false;
  for (Operation *user : buffer.getUsers()) {
    if (auto fill = dyn_cast<FillOp>(user); fill && !sum.fill)
      sum.fill = fill;
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm || gemm.getC() != buffer)
      continue;
    arith::MulFOp scale = findScale(gemm.getA(), gemm);
    if (!scale)
      scale = findScale(gemm.getB(), gemm);
    isCleared |= gemm.getClear() || gemm.getClearIf();
    isAsync |= gemm.getAsync();
    isMixed |= !scale;
    if (!scale)
      continue;
    sum.gemms.push_back(gemm);
    sum.products.insert(scale);
    isStrict |= !arith::bitEnumContainsAll(scale.getFastmath(),
                                           arith::FastMathFlags::reassoc);
  }
  if (sum.gemms.empty())
    return "";
  if (isStrict)
    return "the scale has no fastmath<reassoc>";
  if (isMixed)
    return "another product without a scale is added to the sum";
  if (isAsync)
    return "a product is asynchronous, so that the sum is not there behind it";
  if (isCleared || !sum.fill ||
      !(matchPattern(sum.fill.getValue(), m_PosZeroFloat())))
    return "the sum does not begin with one fill of 0";
  return isOrdered(sum) ? "" : "the sum is used between its products";
}

static Value multiply(OpBuilder &b, Location loc, Value value, double factor) {
  Value constant = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(value.getType(), factor));
  return arith::MulFOp::create(b, loc, value, constant,
                               arith::FastMathFlags::reassoc);
}

/// sum *= 2^kExponent behind the last gemm.
static void restore(const ScaledSum &sum) {
  Operation *last = findLast(sum);
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  Value buffer = AllocOp(sum.alloc).getBuffer();
  Location loc = buffer.getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  auto loop = ParallelOp::create(b, loc, ValueRange(), type.getShape(),
                                 IntegerAttr(), LayoutAttr());
  Block *body = b.createBlock(
      &loop.getBody(), {}, SmallVector<Type>(type.getRank(), b.getIndexType()),
      SmallVector<Location>(type.getRank(), loc));
  Value element = memref::LoadOp::create(b, loc, buffer, body->getArguments());
  memref::StoreOp::create(b, loc,
                          multiply(b, loc, element, std::ldexp(1.0, kExponent)),
                          buffer, body->getArguments());
}

static void defer(const ScaledSum &sum) {
  for (Operation *op : sum.products) {
    auto product = cast<arith::MulFOp>(op);
    Value tile =
        cast<memref::StoreOp>(*product->getUsers().begin()).getMemRef();
    OpOperand &scale =
        product->getOpOperand(isElementOf(product.getLhs(), tile) ? 1 : 0);
    OpBuilder b(product);
    scale.set(multiply(b, product.getLoc(), scale.get(),
                       std::ldexp(1.0, -kExponent)));
  }
  restore(sum);
}

namespace {
struct DeferScalesPass
    : mlir::tile::impl::DeferScalesPassBase<DeferScalesPass> {
  using DeferScalesPassBase::DeferScalesPassBase;

  void runOnOperation() override {
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    if (!chip->has(::tile::target::Feature::PackedBF16Convert))
      return;
    SmallVector<AllocOp> allocs;
    getOperation()->walk([&](AllocOp alloc) {
      auto type = cast<MemRefType>(alloc.getBuffer().getType());
      if (getMemorySpace(type) == MemorySpace::Fragment &&
          type.getElementType().isF32() && type.hasStaticShape())
        allocs.push_back(alloc);
    });
    for (AllocOp alloc : allocs) {
      ScaledSum sum;
      sum.alloc = alloc;
      std::string obstacle = collect(sum);
      if (sum.gemms.empty())
        continue;
      if (!obstacle.empty()) {
        remark::missed(
            sum.gemms.front().getLoc(),
            remark::RemarkOpts::name("DeferredScale").category(kCategory))
            << remark::reason("{0}", obstacle);
        continue;
      }
      remark::passed(
          sum.gemms.front().getLoc(),
          remark::RemarkOpts::name("DeferredScale").category(kCategory))
          << remark::metric("exponent", kExponent);
      defer(sum);
    }
  }
};
} // namespace
