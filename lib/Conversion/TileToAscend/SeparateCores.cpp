//===- SeparateCores.cpp - tiles that both cores need ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeparateCores.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
namespace tl = mlir::tile;
using tl::MemorySpace;

static Value createBuffer(Value like, MemorySpace space) {
  auto alloc = tl::getBaseBuffer(like).getDefiningOp<tl::AllocOp>();
  OpBuilder b(alloc);
  auto type = cast<MemRefType>(like.getType());
  auto placed =
      MemRefType::get(type.getShape(), type.getElementType(), AffineMap(),
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

/// to += from, both of two dimensions.
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
  Value sum = isa<FloatType>(type.getElementType())
                  ? arith::AddFOp::create(b, loc, x, y).getResult()
                  : arith::AddIOp::create(b, loc, x, y).getResult();
  memref::StoreOp::create(b, loc, sum, to, ivs);
}

/// Whether the op, which is no view, reads or writes the buffer or a view of it.
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

/// The products of a block between which nothing else touches the buffer share
/// a copy.
void tl::ascend::separateOperand(AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  // By the product that reads it, and the view that it reads.
  DenseMap<std::pair<Operation *, Value>, Value> copies;
  alloc->getParentOfType<KernelOp>().walk([&](GemmOp gemm) {
    if (gemm.getC() == buffer)
      return;
    for (Value view : {gemm.getA(), gemm.getB()}) {
      if (tl::getBaseBuffer(view) != buffer)
        continue;
      Value operand = copies.lookup({gemm, view});
      for (Operation *at = gemm->getPrevNode(); at && !operand;
           at = at->getPrevNode()) {
        operand = copies.lookup({at, view});
        if (touches(at, buffer))
          break;
      }
      if (!operand) {
        operand = createBuffer(view, MemorySpace::L1);
        OpBuilder b(gemm);
        createCopy(b, gemm->getLoc(), view, operand);
      }
      copies[{gemm, view}] = operand;
      gemm->replaceUsesOfWith(view, operand);
    }
  });
}

/// The outermost loop around the gemm in which the buffer is nothing but the
/// target of gemms; the gemm itself if there is none.
static Operation *getProductLoop(tl::GemmOp gemm, Value buffer) {
  Operation *region = gemm;
  for (Operation *parent = gemm->getParentOp();
       isa<LoopLikeOpInterface, tl::PersistentOp>(parent);
       parent = parent->getParentOp()) {
    bool alone = llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
      if (!parent->isAncestor(use.getOwner()))
        return true;
      auto other = dyn_cast<tl::GemmOp>(use.getOwner());
      return other && other.getC() == buffer && !other.getClear() &&
             !other.getClearIf();
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

LogicalResult tl::ascend::separateAccumulator(AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  SmallVector<GemmOp> gemms;
  alloc->getParentOfType<KernelOp>().walk([&](GemmOp gemm) {
    if (gemm.getC() == buffer)
      gemms.push_back(gemm);
  });
  for (GemmOp gemm : gemms) {
    if (gemm.getC() != buffer)
      continue;
    if (gemm.getClearIf())
      return gemm.emitError("a product with 'clear_if' whose result the vector "
                            "unit uses cannot be lowered to Ascend");
    Location loc = gemm.getLoc();
    Value product = createBuffer(buffer, MemorySpace::L0C);
    OpBuilder b(gemm->getContext());
    if (gemm.getClear()) {
      // With the products that add to it at once.
      GemmOp last = gemm;
      gemm.getCMutable().set(product);
      for (Operation *at = gemm->getNextNode(); at; at = at->getNextNode()) {
        auto next = dyn_cast<GemmOp>(at);
        bool adds = next && next.getC() == buffer && !next.getClear() &&
                    !next.getClearIf();
        if (adds) {
          next.getCMutable().set(product);
          last = next;
        } else if (touches(at, buffer)) {
          break;
        }
      }
      b.setInsertionPointAfter(last);
      createCopy(b, loc, product, buffer);
      continue;
    }
    Operation *loop = getProductLoop(gemm, buffer);
    FillOp fill = findFill(loop, buffer);
    b.setInsertionPoint(loop);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    Value zero = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    FillOp::create(b, loc, product, zero);
    for (GemmOp other : gemms)
      if (loop->isAncestor(other))
        other.getCMutable().set(product);
    b.setInsertionPointAfter(loop);
    if (fill) {
      fill.erase();
      createCopy(b, loc, product, buffer);
      continue;
    }
    Value landing = createBuffer(buffer, MemorySpace::UB);
    createCopy(b, loc, product, landing);
    createSum(b, loc, landing, buffer);
  }
  return success();
}
