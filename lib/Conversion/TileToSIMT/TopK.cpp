//===- TopK.cpp - the largest elements by counting ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TopK.h"

#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Layout;

//===----------------------------------------------------------------------===//
// Elements and tables
//===----------------------------------------------------------------------===//

Buffer TopKEmitter::makeRoom(Value base, int64_t &offset, Type element,
                             ArrayRef<int64_t> shape) {
  Buffer room;
  room.space = MemorySpace::Shared;
  room.element = element;
  room.shape = llvm::to_vector(shape);
  room.layout = *Layout::rowMajor({shape.begin(), shape.end()});
  room.base = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                                  ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  offset += ShapedType::getNumElements(shape) *
            (element.getIntOrFloatBitWidth() / 8);
  return room;
}

void TopKEmitter::forEach(const Buffer &buffer,
                          function_ref<void(int64_t, Value, Value)> body) {
  Layout layout = buffer.isRegister()
                      ? buffer.layout
                      : getCoalescedLayout(buffer.shape, 1, l.threads());
  ThreadMap map(layout, l.threads());
  map.materialize(b, loc);
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    l.inIf(loc, map.getExistence(b, loc, *part), [&] {
      SmallVector<Value> at = map.getCoordinates(b, loc, *part);
      Value row = index(0);
      for (auto [i, extent] :
           llvm::enumerate(ArrayRef(buffer.shape).drop_back())) {
        Value next = l.toIndex(loc, at[i]);
        row = b.createOrFold<arith::AddIOp>(
            loc, b.createOrFold<arith::MulIOp>(loc, row, index(extent)), next);
      }
      body(reg, row, l.toIndex(loc, at.back()));
    });
  }
}

/// The coordinates of a tile whose leading dimensions are the row.
SmallVector<Value> TopKEmitter::coordinatesOf(const Buffer &buffer, Value row,
                                              Value column) {
  SmallVector<Value> at{column};
  for (int64_t extent : llvm::reverse(ArrayRef(buffer.shape).drop_back())) {
    at.insert(at.begin(),
              b.createOrFold<arith::RemUIOp>(loc, row, index(extent)));
    row = b.createOrFold<arith::DivUIOp>(loc, row, index(extent));
  }
  return at;
}

Value TopKEmitter::loadFrom(const Buffer &buffer, int64_t reg, Value row,
                            Value column) {
  if (buffer.isRegister())
    return l.loadRegister(loc, buffer, reg);
  return l.load(loc, buffer,
                l.getOffset(loc, buffer, coordinatesOf(buffer, row, column)));
}

void TopKEmitter::storeTo(const Buffer &target, int64_t reg, Value row,
                          Value column, Value value) {
  value = castElement(b, loc, value, target.element);
  if (target.isRegister())
    l.storeRegister(loc, value, target, reg);
  else
    l.store(loc, value, target,
            l.getOffset(loc, target, coordinatesOf(target, row, column)));
}

Value TopKEmitter::getKey(Value value) {
  Value key = castElement(b, loc, value, b.getF32Type());
  Value lowest = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(b.getF32Type(), -std::numeric_limits<double>::infinity()));
  return arith::MaxNumFOp::create(b, loc, key, lowest);
}

Value TopKEmitter::getPlace(Value column) {
  if (op.getBase())
    column = arith::AddIOp::create(b, loc, op.getBase(), column);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), column);
}

//===----------------------------------------------------------------------===//
// Short rows
//===----------------------------------------------------------------------===//

namespace {
/// The old content and the row stand side by side in shared memory. A thread
/// counts for an element how many come before it, which is its place in the
/// order: every thread reads the same element at a time, there is one barrier,
/// and ties are decided by position.
class RowRanker : public TopKEmitter {
public:
  using TopKEmitter::TopKEmitter;
  LogicalResult lower();

private:
  void stage(const Buffer &source, const Buffer &values, const Buffer &indices);
  void rank();
  void rankOne(Value row, Value candidate);

  Buffer keys, places, bestKeys, bestPlaces;
};
} // namespace

void RowRanker::stage(const Buffer &source, const Buffer &values,
                      const Buffer &indices) {
  auto put = [&](Value value, const Buffer &room, Value row, Value column) {
    l.store(loc, value, room, l.getOffset(loc, room, {row, column}));
  };
  forEach(source, [&](int64_t reg, Value row, Value column) {
    Value at = arith::AddIOp::create(b, loc, column, index(plan.old));
    put(getKey(loadFrom(source, reg, row, column)), keys, row, at);
    put(getPlace(column), places, row, at);
  });
  if (!op.getCombine())
    return;
  forEach(values, [&](int64_t reg, Value row, Value column) {
    put(getKey(loadFrom(values, reg, row, column)), keys, row, column);
  });
  forEach(indices, [&](int64_t reg, Value row, Value column) {
    put(loadFrom(indices, reg, row, column), places, row, column);
  });
}

void RowRanker::rankOne(Value row, Value candidate) {
  auto keyAt = [&](Value column) {
    return l.load(loc, keys, l.getOffset(loc, keys, {row, column}));
  };
  Value key = keyAt(candidate);
  auto loop = scf::ForOp::create(b, loc, index(0), index(plan.total), index(1),
                                 ValueRange{l.i32(loc, 0)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value other = keyAt(loop.getInductionVar());
    Value larger =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, other, key);
    Value equal =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, other, key);
    Value left = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       loop.getInductionVar(), candidate);
    Value first = arith::OrIOp::create(
        b, loc, larger, arith::AndIOp::create(b, loc, equal, left));
    Value one = arith::ExtUIOp::create(b, loc, b.getI32Type(), first);
    scf::YieldOp::create(
        b, loc,
        arith::AddIOp::create(b, loc, loop.getRegionIterArg(0), one)
            .getResult());
  }
  Value place = l.toIndex(loc, loop.getResult(0));
  Value isChosen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         place, index(plan.count));
  l.inIf(loc, isChosen, [&] {
    Value at = l.getOffset(loc, bestKeys, {row, place});
    l.store(loc, key, bestKeys, at);
    Value source =
        l.load(loc, places, l.getOffset(loc, places, {row, candidate}));
    l.store(loc, source, bestPlaces, at);
  });
}

void RowRanker::rank() {
  auto loop =
      scf::ForOp::create(b, loc, l.toIndex(loc, l.threads().thread),
                         index(plan.rows * plan.total), index(l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value element = loop.getInductionVar();
  Value row = b.createOrFold<arith::DivUIOp>(loc, element, index(plan.total));
  Value column = b.createOrFold<arith::RemUIOp>(loc, element, index(plan.total));
  rankOne(row, column);
}

LogicalResult RowRanker::lower() {
  const Buffer *source = l.getBuffer(op, op.getSource());
  const Buffer *values = l.getBuffer(op, op.getValues());
  const Buffer *indices = l.getBuffer(op, op.getIndices());
  if (!source || !values || !indices)
    return failure();
  Value base = l.getScratch(loc, plan.getScratchBytes());
  int64_t offset = 0;
  keys = makeRoom(base, offset, b.getF32Type(), {plan.rows, plan.total});
  places = makeRoom(base, offset, b.getI32Type(), {plan.rows, plan.total});
  bestKeys = makeRoom(base, offset, b.getF32Type(), {plan.rows, plan.count});
  bestPlaces = makeRoom(base, offset, b.getI32Type(), {plan.rows, plan.count});
  l.barrier(loc);
  stage(*source, *values, *indices);
  l.barrier(loc);
  rank();
  l.barrier(loc);
  for (auto [target, room] :
       {std::pair(values, &bestKeys), std::pair(indices, &bestPlaces)})
    forEach(*target, [&, target = target, room = room](int64_t reg, Value row,
                                                       Value column) {
      storeTo(*target, reg, row, column,
              l.load(loc, *room, l.getOffset(loc, *room, {row, column})));
    });
  return success();
}

namespace {
struct TopKModel : SIMTLoweringOpInterface::ExternalModel<TopKModel, TopKOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto topk = cast<TopKOp>(op);
    TopKPlan plan(topk, l.getTarget().getGPU()->sharedBytesPerBlock);
    remark::passed(op->getLoc(), remark::RemarkOpts::name("TopK").category(
                                     "convert-tile-to-simt"))
        << (plan.selects ? "radix select" : "ranks")
        << remark::metric("ranked", plan.selects ? plan.candidates : plan.total);
    return plan.selects ? selectTopK(topk, plan, l)
                        : RowRanker(topk, plan, l).lower();
  }
};
} // namespace

void simt::attachTopKModels(MLIRContext *context) {
  TopKOp::attachInterface<TopKModel>(*context);
}
