//===- CubeOperands.cpp - operands of the cube core -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubeOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

static Value createBuffer(Value like, Type element, MemorySpace space) {
  auto alloc = tl::getBaseBuffer(like).getDefiningOp<tl::AllocOp>();
  OpBuilder b(alloc);
  auto placed = MemRefType::get(
      cast<MemRefType>(like.getType()).getShape(), element, AffineMap(),
      tl::MemorySpaceAttr::get(b.getContext(), space));
  return tl::AllocOp::create(b, alloc.getLoc(), placed, tl::LayoutAttr(),
                             IntegerAttr());
}

static void createCopy(OpBuilder &b, Location loc, Value from, Value to) {
  tl::CopyOp::create(b, loc, from, ValueRange(), to, ValueRange(),
                     AffineMapAttr(), DenseI64ArrayAttr(), AffineMapAttr(),
                     DenseI64ArrayAttr(), UnitAttr(), UnitAttr(),
                     tl::InstructionAttr(), IntegerAttr(), tl::TransferAttr(),
                     Value());
}

/// The type of the sums, which L0C holds: products of narrow floats are rounded
/// behind it.
static Type getSumType(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? Float32Type::get(element.getContext())
             : element;
}

bool tl::ascend::isNarrow(Value accumulator) {
  Type element = getElementTypeOrSelf(accumulator.getType());
  return getSumType(element) != element;
}

/// to += from, both of two dimensions, in the type of `from`.
static void createSum(OpBuilder &b, Location loc, Value from, Value to) {
  auto type = cast<MemRefType>(to.getType());
  auto loop = tl::ParallelOp::create(b, loc, ValueRange(), type.getShape(),
                                     IntegerAttr(), tl::LayoutAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBody());
  SmallVector<Value> ivs;
  for (int64_t i = 0; i < type.getRank(); ++i)
    ivs.push_back(body->addArgument(b.getIndexType(), loc));
  Value x = memref::LoadOp::create(b, loc, to, ivs);
  Value y = memref::LoadOp::create(b, loc, from, ivs);
  if (x.getType() != y.getType())
    x = arith::ExtFOp::create(b, loc, y.getType(), x);
  // Products are added in any order, so also together with another one.
  Value sum =
      isa<FloatType>(y.getType())
          ? arith::AddFOp::create(b, loc, x, y, arith::FastMathFlags::contract)
                .getResult()
          : arith::AddIOp::create(b, loc, x, y).getResult();
  if (sum.getType() != type.getElementType())
    sum = arith::TruncFOp::create(b, loc, type.getElementType(), sum);
  memref::StoreOp::create(b, loc, sum, to, ivs);
}

/// Whether the op, which is no view, reads or writes the buffer or a view of
/// it.
static bool touches(Operation *op, Value buffer) {
  return op
      ->walk([&](Operation *inner) {
        bool found = !isa<ViewLikeOpInterface>(inner) &&
                     llvm::any_of(inner->getOperands(), [&](Value operand) {
                       return isa<MemRefType>(operand.getType()) &&
                              tl::getBaseBuffer(operand) == buffer;
                     });
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<MemorySpace> tl::ascend::getOperandMemory(OpOperand &use) {
  auto model = dyn_cast<AscendLoweringOpInterface>(use.getOwner());
  return model ? model.getOperandMemory(use) : MemorySpace::UB;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The operands of an op that lie in L1 and are views of the buffer.
static SmallVector<OpOperand *> getCubeOperands(Operation *op, Value buffer) {
  SmallVector<OpOperand *> found;
  OpOperand *accumulator = tl::ascend::getAccumulator(op);
  if (!accumulator || accumulator->get() == buffer)
    return found;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) &&
        tl::getBaseBuffer(operand.get()) == buffer &&
        tl::ascend::getOperandMemory(operand) == MemorySpace::L1)
      found.push_back(&operand);
  return found;
}

/// The ops of a block between which nothing else touches the buffer share a
/// copy.
void tl::ascend::createCubeOperands(AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  // By the op that reads it, and the view that it reads.
  DenseMap<std::pair<Operation *, Value>, Value> copies;
  alloc->getParentOfType<KernelOp>().walk([&](Operation *op) {
    for (OpOperand *use : getCubeOperands(op, buffer)) {
      Value view = use->get();
      Value operand = copies.lookup({op, view});
      for (Operation *at = op->getPrevNode(); at && !operand;
           at = at->getPrevNode()) {
        operand = copies.lookup({at, view});
        if (touches(at, buffer))
          break;
      }
      if (!operand) {
        operand = createBuffer(view, getElementTypeOrSelf(view.getType()),
                               MemorySpace::L1);
        OpBuilder b(op);
        createCopy(b, op->getLoc(), view, operand);
      }
      copies[{op, view}] = operand;
      use->set(operand);
    }
  });
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The operand of the op that is the buffer as an accumulator; null if there is
/// none.
static OpOperand *findAccumulator(Operation *op, Value buffer) {
  OpOperand *found = tl::ascend::getAccumulator(op);
  return found && found->get() == buffer ? found : nullptr;
}

static AccumulatorUse getUse(Operation *op) {
  return cast<AscendLoweringOpInterface>(op).getAccumulatorUse();
}

static bool addsTo(Operation *op, Value buffer) {
  return findAccumulator(op, buffer) && getUse(op) == AccumulatorUse::Add;
}

/// The outermost loop around the op in which the buffer is nothing but an
/// accumulator that is added to; the op itself if there is none.
static Operation *getAccumulationLoop(Operation *op, Value buffer) {
  Operation *region = op;
  for (Operation *parent = op->getParentOp();
       isa<LoopLikeOpInterface, tl::PersistentOp>(parent);
       parent = parent->getParentOp()) {
    bool alone = llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
      return !parent->isAncestor(use.getOwner()) ||
             addsTo(use.getOwner(), buffer);
    });
    if (!alone)
      break;
    region = parent;
  }
  return region;
}

/// The fill with 0 that is the last op before `op` to touch the buffer, in the
/// same block.
static tl::FillOp findFill(Operation *op, Value buffer) {
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode()) {
    if (!touches(at, buffer))
      continue;
    auto fill = dyn_cast<tl::FillOp>(at);
    bool isZero = fill && (matchPattern(fill.getValue(), m_AnyZeroFloat()) ||
                           matchPattern(fill.getValue(), m_Zero()));
    return isZero ? fill : tl::FillOp();
  }
  return {};
}

/// Where a condition clears the accumulator, it is cleared before.
static void clearBefore(tl::GemmOp op) {
  Value condition = op.getClearIf();
  op.getClearIfMutable().clear();
  if (matchPattern(condition, m_Zero()))
    return;
  if (matchPattern(condition, m_NonZero())) {
    op.setClear(true);
    return;
  }
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(b, loc, condition);
  b.setInsertionPoint(branch.thenYield());
  Type element = getElementTypeOrSelf(op.getC().getType());
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  tl::FillOp::create(b, loc, op.getC(), zero);
}

/// An op that overwrites the accumulator, with those behind it that add to it;
/// of a narrow type, each is rounded.
static void accumulateInBlock(Operation *op, Value buffer, Value accumulator) {
  Operation *last = op;
  findAccumulator(op, buffer)->set(accumulator);
  for (Operation *at = op->getNextNode(); at && !isNarrow(buffer);
       at = at->getNextNode()) {
    if (addsTo(at, buffer)) {
      findAccumulator(at, buffer)->set(accumulator);
      last = at;
    } else if (touches(at, buffer)) {
      break;
    }
  }
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(last);
  createCopy(b, op->getLoc(), accumulator, buffer);
}

/// An op that adds to the accumulator, with the loops around.
static void accumulateInLoop(Operation *op, ArrayRef<Operation *> others,
                             Value buffer, Value accumulator) {
  Location loc = op->getLoc();
  Operation *loop = isNarrow(buffer) ? op : getAccumulationLoop(op, buffer);
  tl::FillOp fill = findFill(loop, buffer);
  OpBuilder b(loop);
  // What adds to it once may as well begin it.
  auto product = loop == op ? dyn_cast<tl::GemmOp>(op) : tl::GemmOp();
  Type element = getElementTypeOrSelf(accumulator.getType());
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
  if (product)
    product.setClear(true);
  else
    tl::FillOp::create(b, loc, accumulator, zero);
  for (Operation *other : others)
    if (loop->isAncestor(other))
      getAccumulator(other)->set(accumulator);
  b.setInsertionPointAfter(loop);
  if (fill) {
    fill.erase();
    createCopy(b, loc, accumulator, buffer);
    return;
  }
  Value landing = createBuffer(buffer, element, MemorySpace::UB);
  createCopy(b, loc, accumulator, landing);
  createSum(b, loc, landing, buffer);
}

void tl::ascend::createAccumulators(AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  SmallVector<Operation *> ops;
  alloc->getParentOfType<KernelOp>().walk([&](Operation *op) {
    if (findAccumulator(op, buffer))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (!findAccumulator(op, buffer))
      continue;
    if (getUse(op) == AccumulatorUse::Conditional)
      clearBefore(cast<tl::GemmOp>(op));
    Type element = getElementTypeOrSelf(buffer.getType());
    Value accumulator =
        createBuffer(buffer, getSumType(element), MemorySpace::L0C);
    if (getUse(op) == AccumulatorUse::Overwrite)
      accumulateInBlock(op, buffer, accumulator);
    else
      accumulateInLoop(op, ops, buffer, accumulator);
  }
}
