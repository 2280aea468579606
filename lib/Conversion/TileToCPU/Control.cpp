//===- Control.cpp - kernels, loops, buffers, hints -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "Tile/Conversion/Common.h"
#include "Tile/Dialect/World/IR/World.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

// Buffers start at a cache line, which is also the widest vector.
static constexpr int64_t kAlignment = 64;

/// Allocates at the start of the enclosing kernel or function and frees at its ends.
static Value createBuffer(OpBuilder &b, Operation *op, MemRefType type) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = op->getLoc();
  auto allocate = [&](Block *block) -> Value {
    b.setInsertionPointToStart(block);
    return memref::AllocOp::create(b, loc, type,
                                   b.getI64IntegerAttr(kAlignment));
  };
  if (auto kernel = op->getParentOfType<KernelOp>()) {
    Value buffer = allocate(&kernel.getBody().front());
    b.setInsertionPointToEnd(&kernel.getBody().front());
    memref::DeallocOp::create(b, loc, buffer);
    return buffer;
  }
  auto function = op->getParentOfType<FunctionOpInterface>();
  Value buffer = allocate(&function.getFunctionBody().front());
  for (Block &block : function.getFunctionBody()) {
    if (block.empty() || !block.back().hasTrait<OpTrait::ReturnLike>())
      continue;
    b.setInsertionPoint(&block.back());
    memref::DeallocOp::create(b, loc, buffer);
  }
  return buffer;
}

/// All bits set, and a quiet NaN where the type has one.
static TypedAttr getPoison(OpBuilder &b, Type element) {
  if (element.isIndex())
    return b.getIndexAttr(-1);
  if (isa<IntegerType>(element))
    return b.getIntegerAttr(element, -1);
  auto type = cast<FloatType>(element);
  llvm::APInt ones = llvm::APInt::getAllOnes(type.getWidth());
  return FloatAttr::get(type,
                        llvm::APFloat(type.getFloatSemantics(), ones));
}

/// Fills a buffer where it has just been allocated.
static void poison(OpBuilder &b, Location loc, Value buffer) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  Value value = arith::ConstantOp::create(
      b, loc, getPoison(b, type.getElementType()));
  SmallVector<Value> lower, upper;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    lower.push_back(constantIndex(b, loc, 0));
    upper.push_back(memref::DimOp::create(b, loc, buffer, dim));
  }
  buildLoops(b, loc, lower, upper,
             [&](OpBuilder &inner, Location loc, ValueRange at) {
               memref::StoreOp::create(inner, loc, value, buffer, at);
             });
}

Value cpu::createScratch(OpBuilder &b, Operation *op, ArrayRef<int64_t> shape,
                         Type element) {
  return createBuffer(b, op, MemRefType::get(shape, element));
}

static SmallVector<Value> getValues(OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> mixed) {
  return getValueOrCreateConstantIndexOp(b, loc, mixed);
}

/// The number of points of a grid. One with a negative extent has none: two of
/// them must not make a positive product.
static Value countPoints(OpBuilder &b, Location loc, ValueRange extents) {
  Value result = constantIndex(b, loc, 1);
  for (Value extent : extents) {
    if (!getConstantIntValue(extent))
      extent = arith::MaxSIOp::create(b, loc, extent, constantIndex(b, loc, 0));
    result = arith::MulIOp::create(b, loc, result, extent);
  }
  return result;
}

/// Splits a linear number into coordinates, the first one fastest.
static SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value linear,
                                      ValueRange extents) {
  SmallVector<Value> coordinates;
  for (Value extent : extents.drop_back()) {
    coordinates.push_back(arith::RemUIOp::create(b, loc, linear, extent));
    linear = arith::DivUIOp::create(b, loc, linear, extent);
  }
  coordinates.push_back(linear);
  return coordinates;
}

/// Moves the only block of `op` into `target` before `end`, with `args` for its arguments.
static void inlineBody(PatternRewriter &rewriter, Operation *op, Block *target,
                       Block::iterator end, ValueRange args) {
  rewriter.inlineBlockBefore(&op->getRegion(0).front(), target, end, args);
}

namespace {

struct LowerAlloc : OpRewritePattern<AllocOp> {
  LowerAlloc(MLIRContext *context, bool poisonTiles)
      : OpRewritePattern(context), poisonTiles(poisonTiles) {}
  LogicalResult matchAndRewrite(AllocOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getBuffer().getType());
    if (op.getExtents().empty()) {
      Value buffer = createBuffer(rewriter, op, type);
      if (poisonTiles)
        poison(rewriter, op.getLoc(), buffer);
      rewriter.replaceOp(op, buffer);
      return success();
    }
    // Behind what its extents are computed from, up to the end of that code.
    Value buffer =
        memref::AllocOp::create(rewriter, op.getLoc(), type, op.getExtents(),
                                rewriter.getI64IntegerAttr(kAlignment));
    rewriter.setInsertionPoint(op->getBlock()->getTerminator());
    memref::DeallocOp::create(rewriter, op.getLoc(), buffer);
    if (poisonTiles)
      poison(rewriter, op.getLoc(), buffer);
    rewriter.replaceOp(op, buffer);
    return success();
  }
  bool poisonTiles;
};

struct LowerKernel : OpRewritePattern<KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(KernelOp op,
                                PatternRewriter &rewriter) const override {
    // The general form computes the same.
    if (op.isConditional()) {
      rewriter.eraseOp(op);
      return success();
    }
    Location loc = op.getLoc();
    SmallVector<Value> grid = getValues(rewriter, loc, op.getMixedGrid());
    Value zero = constantIndex(rewriter, loc, 0);
    Value one = constantIndex(rewriter, loc, 1);
    auto loop = scf::ParallelOp::create(rewriter, loc, zero,
                                        countPoints(rewriter, loc, grid), one);
    Block *body = loop.getBody();
    rewriter.setInsertionPointToStart(body);
    SmallVector<Value> block =
        delinearize(rewriter, loc, loop.getInductionVars()[0], grid);
    inlineBody(rewriter, op, body, body->getTerminator()->getIterator(), block);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerParallel : OpRewritePattern<ParallelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ParallelOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> upper = getValues(rewriter, loc, op.getMixedExtents());
    SmallVector<Value> lower(upper.size(), constantIndex(rewriter, loc, 0));
    Block *innermost = nullptr;
    SmallVector<Value> ivs;
    buildLoops(rewriter, loc, lower, upper,
               [&](OpBuilder &b, Location, ValueRange values) {
                 innermost = b.getInsertionBlock();
                 ivs = llvm::to_vector(values);
               });
    inlineBody(rewriter, op, innermost,
               innermost->getTerminator()->getIterator(), ivs);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerPipelined : OpRewritePattern<PipelinedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PipelinedOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> bounds =
        getValues(rewriter, op.getLoc(), op.getMixedBounds());
    auto loop = scf::ForOp::create(rewriter, op.getLoc(), bounds[0], bounds[1],
                                   bounds[2]);
    inlineBody(rewriter, op, loop.getBody(),
               loop.getBody()->getTerminator()->getIterator(),
               loop.getInductionVar());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerPersistent : OpRewritePattern<PersistentOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PersistentOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto kernel = cast<KernelOp>(op->getParentOp());
    SmallVector<Value> grid = getValues(rewriter, loc, kernel.getMixedGrid());
    SmallVector<Value> domain = getValues(rewriter, loc, op.getMixedDomain());
    Value block = constantIndex(rewriter, loc, 0);
    for (auto [arg, extent] :
         llvm::reverse(llvm::zip(kernel.getBody().getArguments(), grid)))
      block = arith::AddIOp::create(
          rewriter, loc, arith::MulIOp::create(rewriter, loc, block, extent),
          arg);
    auto loop = scf::ForOp::create(rewriter, loc, block,
                                   countPoints(rewriter, loc, domain),
                                   countPoints(rewriter, loc, grid));
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> point = getPersistentPoint(rewriter, loc, loop.getInductionVar(),
                                        domain, op.getGroup());
    inlineBody(rewriter, op, loop.getBody(),
               loop.getBody()->getTerminator()->getIterator(), point);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Hints say nothing about results; a block on the CPU is one thread, which
/// has nobody to meet and whose copies are done where they stand.
template <typename OpTy> struct DropHint : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cpu::populateControl(RewritePatternSet &patterns,
                          const LoweringOptions &options) {
  patterns.add<LowerAlloc>(patterns.getContext(), options.poisonTiles);
  patterns.add<LowerKernel, LowerParallel, LowerPipelined,
               LowerPersistent, DropHint<AnnotateLayoutOp>,
               DropHint<PaddingValueOp>, DropHint<RasterizeOp>,
               DropHint<BarrierOp>, DropHint<AsyncCommitOp>,
               DropHint<AsyncWaitOp>, DropHint<GemmWaitOp>,
               DropHint<StoreWaitOp>, DropHint<world::CreateDeferredOp>>(
      patterns.getContext());
}
