//===- ScheduleConstants.cpp - constants, read before an exchange ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that reduce rows over the blocks of a cluster wait for the other
// blocks. What the loop behind reads from global memory that nothing writes, as
// the weights of a norm, does not depend on what they wait for: they read it
// before, into registers that are free, and it arrives meanwhile. Not before
// the first wait: there it would delay the rows themselves.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"
#include "Occupancy.h"
#include "Schedule.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Axis;

/// The last reduction over a cluster in front of an op; null if none.
static ReduceOp findExchange(Operation *before) {
  for (Operation *op = before->getPrevNode(); op; op = op->getPrevNode())
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce &&
                                              reduce->hasAttr(kSpreadAttrName))
      return reduce;
  return {};
}

/// Registers of a thread that hold fragments until `exchange` or longer. Of a
/// single element, it is one of the few that a thread needs beside them; what a
/// loop adds up as it computes it takes none.
static int64_t countHeld(ReduceOp exchange) {
  int64_t bits = 0;
  for (auto alloc : exchange->getBlock()->getOps<AllocOp>()) {
    LayoutAttr layout = alloc.getLayoutAttr();
    bool isHeld = llvm::any_of(alloc->getUsers(), [&](Operation *user) {
      Operation *here = exchange->getBlock()->findAncestorOpInBlock(*user);
      return here && !here->isBeforeInBlock(exchange);
    });
    if (!isHeld || !layout || isOnlyReduced(alloc.getBuffer()) ||
        getMemorySpace(alloc.getBuffer()) != MemorySpace::Fragment)
      continue;
    int64_t elements = getTileLayout(layout).axisSize(Axis::Reg);
    if (elements > 1)
      bits += elements * getElementBits(alloc.getBuffer());
  }
  return llvm::divideCeil(bits, 32);
}

/// Half of the registers of a thread: the other half is for what the loops
/// compute.
static int64_t getBudget(KernelOp kernel, const ::tile::target::GPUSpec &gpu) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName);
  int64_t all = gpu.registersPerSM / kernel.getThreads() /
                (blocks ? blocks.getInt() : 1);
  return std::min(all, gpu.maxRegistersPerThread) / 2;
}

/// What the loop computes the indices of the load by, in order, if that is
/// known in front of `place`: its variables and values from outside.
static std::optional<llvm::SetVector<Operation *>>
collectIndices(memref::LoadOp load, ParallelOp loop, Operation *place) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> values(load.getIndices());
  while (!values.empty()) {
    Value value = values.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !loop->isProperAncestor(op)) {
      Operation *here = op ? place->getBlock()->findAncestorOpInBlock(*op)
                           : nullptr;
      if (here && !here->isBeforeInBlock(place))
        return std::nullopt;
      continue;
    }
    if (op->getBlock() != &loop.getBody().front() || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op))
      return std::nullopt;
    ops.insert(op);
    llvm::append_range(values, op->getOperands());
  }
  SmallVector<Operation *> order = ops.takeVector();
  llvm::sort(order, [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  });
  return llvm::SetVector<Operation *>(order.begin(), order.end());
}

/// Reads in a loop of its own, in front of `place`, what `load` reads.
static void readBefore(Operation *place, memref::LoadOp load, ParallelOp loop,
                       const llvm::SetVector<Operation *> &indices) {
  Location loc = load.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(place->getBlock());
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment);
  auto type = MemRefType::get(loop.getStaticExtents(), load.getType(),
                              AffineMap(), space);
  Value fragment =
      AllocOp::create(b, loc, type, loop.getLayoutAttr(), IntegerAttr());
  b.setInsertionPoint(place);
  auto reader = ParallelOp::create(b, loc, ValueRange(), type.getShape(),
                                   IntegerAttr(), loop.getLayoutAttr());
  Block &from = loop.getBody().front();
  Block *body = b.createBlock(
      &reader.getBody(), {}, from.getArgumentTypes(),
      SmallVector<Location>(from.getNumArguments(), loc));
  IRMapping mapping;
  mapping.map(from.getArguments(), body->getArguments());
  for (Operation *op : indices)
    b.clone(*op, mapping);
  Value element = b.clone(*load, mapping)->getResult(0);
  memref::StoreOp::create(b, loc, element, fragment, body->getArguments());
  b.setInsertionPoint(load);
  load.replaceAllUsesWith(
      memref::LoadOp::create(b, loc, fragment, from.getArguments()).getResult());
  load.erase();
}

void mlir::tile::readConstantsEarly(KernelOp kernel,
                                    const ::tile::target::GPUSpec &gpu) {
  ProducerValues values(kernel);
  auto loops =
      llvm::to_vector(kernel.getBody().front().getOps<ParallelOp>());
  for (ParallelOp loop : loops) {
    ReduceOp exchange = findExchange(loop);
    if (!exchange || !findExchange(exchange) || !loop.getLayoutAttr() ||
        !loop.getDynamicExtents().empty())
      continue;
    ::tile::layout::Layout layout = getTileLayout(loop.getLayoutAttr());
    int64_t left = getBudget(kernel, gpu) - countHeld(exchange), count = 0;
    for (auto load :
         llvm::make_early_inc_range(loop.getBody().getOps<memref::LoadOp>())) {
      int64_t registers = llvm::divideCeil(
          layout.axisSize(Axis::Reg) * getElementBits(load.getMemref()), 32);
      if (getMemorySpace(load.getMemref()) != MemorySpace::Global ||
          values.isWritten(load.getMemref()) || layout.numCopies() != 1 ||
          registers > left)
        continue;
      auto indices = collectIndices(load, loop, exchange);
      if (!indices)
        continue;
      readBefore(exchange, load, loop, *indices);
      left -= registers;
      ++count;
    }
    if (count != 0)
      remark::passed(loop.getLoc(), remark::RemarkOpts::name("EarlyConstants")
                                        .category(kScheduleCategory))
          << remark::metric("reads", count);
  }
}
