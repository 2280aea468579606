//===- SplitParallel.cpp - loops that are vector code ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linear.h"
#include "ParallelParts.h"
#include "Tile/Conversion/TotalArithmetic.h"
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
// One iteration after the other
//===----------------------------------------------------------------------===//

/// Loops of scalar code in the place of the loop.
static void serialize(tl::ParallelOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  remark::missed(loc, remark::RemarkOpts::name("SerialIterations")
                          .category("ascend-split-parallel"))
      << remark::reason("a branch depends on what iterations write, or they "
                        "have loops of their own")
      << remark::metric("dimensions", unsigned(op.getStaticExtents().size()));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  Block &body = op.getBody().front();
  for (auto [extent, variable] :
       llvm::zip_equal(op.getStaticExtents(), body.getArguments())) {
    auto loop = scf::ForOp::create(
        b, loc, zero, arith::ConstantIndexOp::create(b, loc, extent), one);
    loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    variable.replaceAllUsesWith(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  body.walk([](Operation *inner) { tl::makeDivisionTotal(inner); });
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                body.getOperations());
  op.erase();
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

namespace {
/// Values that a loop carries, in UB, where the scalar unit reads and writes
/// them.
class CarriedValues {
public:
  explicit CarriedValues(Operation *loop) : b(loop), loc(loop->getLoc()) {}

  LogicalResult create(Operation *loop, TypeRange types);
  void put(ValueRange values);
  SmallVector<Value> take();

  OpBuilder b; // where the values are put and taken

private:
  /// What a value of the type is kept as.
  Type getKept(Type type) {
    if (type.isIndex())
      return b.getI64Type();
    return type.isInteger(1) ? b.getI32Type() : type;
  }
  Value getZero() { return arith::ConstantIndexOp::create(b, loc, 0); }

  Location loc;
  SmallVector<Type> types;
  SmallVector<Value> places;
};
} // namespace

LogicalResult CarriedValues::create(Operation *loop, TypeRange all) {
  for (Type type : all) {
    Type kept = getKept(type);
    if (!kept.isIntOrFloat() || kept.getIntOrFloatBitWidth() % 8 != 0)
      return loop->emitError() << "on Ascend, a loop cannot carry a value of "
                                  "type "
                               << type << "; carry a number of whole bytes";
    types.push_back(type);
    places.push_back(createScratchOf(loop, 1, kept));
  }
  return success();
}

void CarriedValues::put(ValueRange values) {
  for (auto [value, place] : llvm::zip_equal(values, places)) {
    Value kept = value;
    Type type = cast<MemRefType>(place.getType()).getElementType();
    if (value.getType().isIndex())
      kept = arith::IndexCastOp::create(b, loc, type, value);
    else if (value.getType().isInteger(1))
      kept = arith::ExtUIOp::create(b, loc, type, value);
    memref::StoreOp::create(b, loc, kept, place, getZero());
  }
}

SmallVector<Value> CarriedValues::take() {
  SmallVector<Value> values;
  for (auto [type, place] : llvm::zip_equal(types, places)) {
    Value value = memref::LoadOp::create(b, loc, place, getZero());
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, loc, type, value);
    else if (type.isInteger(1))
      value = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne, value,
          arith::ConstantIntOp::create(b, loc, 0, 32));
    values.push_back(value);
  }
  return values;
}

static void replaceAll(ValueRange old, ValueRange values) {
  for (auto [from, to] : llvm::zip_equal(old, values))
    from.replaceAllUsesWith(to);
}

/// The ops of a block but for its terminator, to the insertion point.
static void moveBody(Block *from, OpBuilder &b) {
  auto end = std::prev(from->end());
  b.getInsertionBlock()->getOperations().splice(
      b.getInsertionPoint(), from->getOperations(), from->begin(), end);
}

static LogicalResult keepCarried(scf::ForOp loop) {
  CarriedValues carried(loop);
  if (failed(carried.create(loop, loop.getResultTypes())))
    return failure();
  OpBuilder &b = carried.b;
  carried.put(loop.getInitArgs());
  auto plain =
      scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep());
  replaceAll(loop.getResults(), carried.take());
  loop.getInductionVar().replaceAllUsesWith(plain.getInductionVar());
  b.setInsertionPointToStart(plain.getBody());
  replaceAll(loop.getRegionIterArgs(), carried.take());
  b.setInsertionPoint(plain.getBody()->getTerminator());
  moveBody(loop.getBody(), b);
  carried.put(loop.getBody()->getTerminator()->getOperands());
  loop.erase();
  return success();
}

/// A loop that goes on while its condition holds, as one of as many iterations
/// as there may be, which is left.
static LogicalResult countIterations(scf::WhileOp loop) {
  CarriedValues before(loop), after(loop);
  if (failed(before.create(loop, loop.getInits().getTypes())) ||
      failed(after.create(loop, loop.getResultTypes())))
    return failure();
  OpBuilder &b = before.b;
  Location loc = loop.getLoc();
  before.put(loop.getInits());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto counted = scf::ForOp::create(b, loc, index(0),
                                    index(int64_t(1) << 62), index(1));
  replaceAll(loop.getResults(), after.take());

  b.setInsertionPoint(counted.getBody()->getTerminator());
  replaceAll(loop.getBeforeArguments(), before.take());
  moveBody(loop.getBeforeBody(), b);
  scf::ConditionOp end = loop.getConditionOp();
  after.b.setInsertionPoint(counted.getBody()->getTerminator());
  after.put(end.getArgs());
  Value goesOn = end.getCondition();
  Value done = arith::XOrIOp::create(
      after.b, loc, goesOn, arith::ConstantIntOp::create(after.b, loc, 1, 1));
  auto body = scf::IfOp::create(after.b, loc, goesOn, /*withElseRegion=*/false);
  LeaveLoopOp::create(after.b, loc, done);
  b.setInsertionPointToStart(body.thenBlock());
  replaceAll(loop.getAfterArguments(), end.getArgs());
  b.setInsertionPoint(body.thenBlock()->getTerminator());
  moveBody(loop.getAfterBody(), b);
  before.put(loop.getYieldOp().getResults());
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

static void expandFunctionsOf(tl::KernelOp kernel) {
  kernel.walk([](tl::ParallelOp op) {
    expandFunctions(op);
    return WalkResult::skip();
  });
}

static LogicalResult split(tl::KernelOp kernel) {
  expandWideLines(kernel);
  expandFunctionsOf(kernel);
  for (auto op : collect<math::AbsIOp>(kernel, [](auto) { return true; }))
    expandAbs(op);
  for (auto op : collect<tl::TransposeOp>(kernel, [](auto) { return true; }))
    expandTranspose(op);
  for (auto op : collect<tl::ParallelOp>(kernel, needsSerialLoops))
    serialize(op);
  for (Operation *op : collect<Operation *>(kernel, isScalarUpdate))
    wrap(op);
  if (failed(splitLoops(kernel)))
    return failure();
  for (auto loop : collect<scf::WhileOp>(kernel, [](auto) { return true; }))
    if (failed(countIterations(loop)))
      return failure();
  for (auto loop : collect<scf::ForOp>(kernel, [](scf::ForOp loop) {
         return loop.getNumResults() != 0 && !isInParallel(loop);
       }))
    if (failed(keepCarried(loop)))
      return failure();
  for (Operation *op : collect<Operation *>(kernel, isScalarFunction))
    expandScalarFunction(op);
  expandFunctionsOf(kernel);
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
