//===- SplitParallel.cpp - loops that are vector code ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linear.h"
#include "ParallelParts.h"
#include "Tile/Conversion/TileToAscend/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDSPLITPARALLELPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

tl::ParallelOp mlir::tile::ascend::createParallel(OpBuilder &b, Location loc,
                                                  ArrayRef<int64_t> extents,
                                                  tl::ParallelOp like) {
  auto op = tl::ParallelOp::create(b, loc, ValueRange(), extents, IntegerAttr(),
                                   tl::LayoutAttr());
  if (like)
    op->setDiscardableAttrs(like->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&op.getBody());
  for (size_t i = 0; i < extents.size(); ++i)
    body->addArgument(b.getIndexType(), loc);
  return op;
}

Value mlir::tile::ascend::createScratch(OpBuilder &b, Location loc,
                                        ArrayRef<int64_t> shape, Type element) {
  auto type = MemRefType::get(
      shape, element, AffineMap(),
      tl::MemorySpaceAttr::get(b.getContext(), MemorySpace::UB));
  return tl::AllocOp::create(b, loc, type, tl::LayoutAttr(), IntegerAttr());
}

static bool isInParallel(Operation *op) {
  return op->getParentOfType<tl::ParallelOp>() != nullptr;
}

static Value createScratchOf(Operation *op, ArrayRef<int64_t> shape,
                             Type element) {
  auto kernel = op->getParentOfType<tl::KernelOp>();
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return createScratch(b, op->getLoc(), shape, element);
}

//===----------------------------------------------------------------------===//
// Ops that are loops
//===----------------------------------------------------------------------===//

static void expandTranspose(tl::TransposeOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getTarget().getType());
  auto loop = createParallel(b, loc, type.getShape());
  OpBuilder body = OpBuilder::atBlockBegin(&loop.getBody().front());
  Value row = loop.getBody().getArgument(0),
        column = loop.getBody().getArgument(1);
  Value element = memref::LoadOp::create(body, loc, op.getSource(),
                                         ValueRange{column, row});
  memref::StoreOp::create(body, loc, element, op.getTarget(),
                          ValueRange{row, column});
  op.erase();
}

/// One access by scalar code, as a loop of one iteration: the scalar unit does
/// not write to GM. The old value goes by a tile.
static void wrap(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Block *body = &createParallel(b, loc, {1}).getBody().front();
  if (op->getNumResults() != 0 && !op->use_empty()) {
    Value result = op->getResult(0);
    Value place = createScratchOf(op, 1, result.getType());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    result.replaceAllUsesWith(memref::LoadOp::create(b, loc, place, zero));
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    memref::StoreOp::create(inside, loc, result, place, body->getArgument(0));
  }
  op->moveBefore(body, body->begin());
}

static bool isScalarUpdate(Operation *op) {
  if (isInParallel(op))
    return false;
  // A tile has no indices.
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global &&
           store.getValue().getType().isIntOrFloat();
  auto atomic = dyn_cast<tl::AtomicOp>(op);
  return atomic && !atomic.isTileForm();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// A function that the scalar unit lacks, by the vector unit: of a block of
/// equal elements.
static void expandScalarFunction(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  int64_t count = 8;
  SmallVector<Value> sources;
  for (Value operand : op->getOperands()) {
    sources.push_back(createScratchOf(op, count, operand.getType()));
    tl::FillOp::create(b, loc, sources.back(), operand);
  }
  Value target = createScratchOf(op, count, op->getResult(0).getType());
  auto loop = createParallel(b, loc, count);
  OpBuilder body = OpBuilder::atBlockBegin(&loop.getBody().front());
  Value i = loop.getBody().getArgument(0);
  IRMapping mapping;
  for (auto [operand, source] : llvm::zip_equal(op->getOperands(), sources))
    mapping.map(operand, memref::LoadOp::create(body, loc, source, i));
  Value value = body.clone(*op, mapping)->getResult(0);
  memref::StoreOp::create(body, loc, value, target, i);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  op->replaceAllUsesWith(
      memref::LoadOp::create(b, loc, target, zero).getOperation());
  op->erase();
}

static bool isScalarFunction(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         !hasScalarForm(op) && !isInParallel(op);
}

/// |x| of integers: neither unit has it.
static void expandAbs(math::AbsIOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getOperand();
  Value zero =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 0));
  Value negative = arith::SubIOp::create(b, loc, zero, x);
  op.replaceAllUsesWith(
      arith::MaxSIOp::create(b, loc, x, negative).getResult());
  op.erase();
}

/// Values that a loop carries, in UB, where the scalar unit reads and writes
/// them.
static LogicalResult keepCarried(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> places;
  for (Value init : loop.getInitArgs()) {
    Type type = init.getType();
    if (!type.isIndex() && (!type.isIntOrFloat() ||
                            type.getIntOrFloatBitWidth() % 8 != 0))
      return loop.emitError() << "on Ascend, a loop cannot carry a value of "
                                 "type "
                              << type << "; carry a number of whole bytes";
    places.push_back(createScratchOf(
        loop, 1, type.isIndex() ? Type(b.getI64Type()) : type));
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto put = [&](Value value, Value place) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    memref::StoreOp::create(b, loc, value, place, zero);
  };
  auto take = [&](Value place, Type type) -> Value {
    Value value = memref::LoadOp::create(b, loc, place, zero);
    return type.isIndex() ? arith::IndexCastOp::create(b, loc, type, value)
                                .getResult()
                          : value;
  };
  for (auto [init, place] : llvm::zip_equal(loop.getInitArgs(), places))
    put(init, place);
  auto plain = scf::ForOp::create(b, loc, loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep());
  for (auto [result, place] : llvm::zip_equal(loop.getResults(), places))
    result.replaceAllUsesWith(take(place, result.getType()));
  loop.getInductionVar().replaceAllUsesWith(plain.getInductionVar());
  b.setInsertionPointToStart(plain.getBody());
  for (auto [arg, place] : llvm::zip_equal(loop.getRegionIterArgs(), places))
    arg.replaceAllUsesWith(take(place, arg.getType()));
  SmallVector<Value> yielded(loop.getBody()->getTerminator()->getOperands());
  loop.getBody()->getTerminator()->erase();
  Operation *end = plain.getBody()->getTerminator();
  plain.getBody()->getOperations().splice(end->getIterator(),
                                          loop.getBody()->getOperations());
  b.setInsertionPoint(end);
  for (auto [value, place] : llvm::zip_equal(yielded, places))
    put(value, place);
  loop.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

template <typename OpTy>
static SmallVector<OpTy> collect(tl::KernelOp kernel,
                                 function_ref<bool(OpTy)> isWanted) {
  SmallVector<OpTy> ops;
  kernel.walk([&](OpTy op) {
    if (isWanted(op))
      ops.push_back(op);
  });
  return ops;
}

static LogicalResult splitLoops(tl::KernelOp kernel) {
  for (auto op : collect<tl::ParallelOp>(kernel, [](auto) { return true; })) {
    auto any = [&](auto isWanted) {
      return op.getBody()
          .walk([&](Operation *inner) {
            return isWanted(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
          })
          .wasInterrupted();
    };
    bool hasRegions = any([](Operation *inner) {
      return isa<scf::ForOp, scf::IfOp>(inner);
    });
    if (hasRegions || any([](Operation *inner) { return !hasScalarForm(inner); }))
      hoistUniform(op);
    SmallVector<tl::ParallelOp> parts{op};
    if (hasRegions) {
      parts.clear();
      if (failed(flattenBranches(op)) || failed(splitRegions(op, parts)))
        return failure();
    }
    for (tl::ParallelOp part : parts)
      cutToFit(part);
  }
  return success();
}

static LogicalResult split(tl::KernelOp kernel) {
  expandWideLines(kernel);
  for (auto op : collect<math::AbsIOp>(kernel, [](auto) { return true; }))
    expandAbs(op);
  for (auto op : collect<tl::TransposeOp>(kernel, [](auto) { return true; }))
    expandTranspose(op);
  for (Operation *op : collect<Operation *>(kernel, isScalarUpdate))
    wrap(op);
  if (failed(splitLoops(kernel)))
    return failure();
  for (auto loop : collect<scf::ForOp>(kernel, [](scf::ForOp loop) {
         return loop.getNumResults() != 0 && !isInParallel(loop);
       }))
    if (failed(keepCarried(loop)))
      return failure();
  for (Operation *op : collect<Operation *>(kernel, isScalarFunction))
    expandScalarFunction(op);
  return success();
}

namespace {
struct AscendSplitParallel
    : tl::impl::AscendSplitParallelPassBase<AscendSplitParallel> {
  void runOnOperation() override {
    if (failed(tl::verifyParametersBound(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([](tl::KernelOp kernel) {
      return !getChip(kernel) || succeeded(split(kernel))
                 ? WalkResult::skip()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
