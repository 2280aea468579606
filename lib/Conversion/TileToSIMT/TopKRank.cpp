//===- TopKRank.cpp - the order of the largest elements -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TopKSelect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// The candidate is the one at `at` of the row in order.
void RowSelector::place(Value candidate, Value at) {
  l.inIf(loc, compare(Predicate::ult, at, l.i32(loc, plan.count)), [&] {
    Value value = get(candidateValues, candidate);
    Value place = get(candidatePlaces, candidate);
    if (writesDirectly()) {
      storeTo(*values, 0, row, l.toIndex(loc, at), value);
      storeTo(*indices, 0, row, l.toIndex(loc, at), place);
    } else {
      set(bestValues, at, value);
      set(bestPlaces, at, place);
    }
  });
}

/// Orders past the last candidate are 0, below all others, so that some are
/// compared at a time.
void RowSelector::rank() {
  constexpr int64_t kTogether = 8;
  Value number = getWord(kNumber);
  share(number, [&](Value candidate) {
    Value own = get(orders, candidate);
    auto loop =
        scf::ForOp::create(b, loc, l.i32(loc, 0), number, l.i32(loc, kTogether),
                           ValueRange{l.i32(loc, 0)});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value above = loop.getRegionIterArg(0);
      for (int64_t i = 0; i < kTogether; i += 2) {
        Value at = add(loop.getInductionVar(), l.i32(loc, i));
        Value pair = l.load(loc, orders, at, 2);
        for (int64_t j : {0, 1}) {
          Value other =
              vector::ExtractOp::create(b, loc, pair, ArrayRef<int64_t>{j});
          above = add(above, toI32(compare(Predicate::ugt, other, own)));
        }
      }
      scf::YieldOp::create(b, loc, above);
    }
    place(candidate, loop.getResult(0));
  });
}

/// A number that the type leaves lower bits 0, with the upper ones of the
/// position there, so that equal elements differ; it grows with the order.
Value RowSelector::getSpread(Value order) {
  auto getDigits = [](Type type) -> int64_t {
    return llvm::APFloat::semanticsPrecision(
        cast<FloatType>(type).getFloatSemantics());
  };
  int64_t digits =
      std::max(getDigits(source->element), getDigits(values->element));
  int64_t free = getDigits(b.getF32Type()) - digits;
  int64_t used = llvm::Log2_64_Ceil(plan.total);
  Value number = getNumber(order);
  if (free <= 0)
    return number;
  Value above =
      arith::AndIOp::create(b, loc, number, l.i32(loc, -(int64_t(1) << free)));
  Value position = getFromEnd(order);
  Value shift = l.i32(loc, std::abs(free - used));
  Value below = free >= used
                    ? Value(arith::ShLIOp::create(b, loc, position, shift))
                    : arith::ShRUIOp::create(b, loc, position, shift);
  return arith::OrIOp::create(b, loc, above, below);
}

/// Positions count down: how far an element is from the end.
Value RowSelector::getFromEnd(Value order) {
  int64_t mask = (int64_t(1) << positionBits) - 1;
  return toI32Low(arith::SubIOp::create(
      b, loc, arith::AndIOp::create(b, loc, order, i64(mask)),
      i64(mask + 1 - plan.total)));
}

/// The lowest and the highest number among the candidates, into the words.
void RowSelector::findRange() {
  using Step = std::pair<Word, LLVM::AtomicBinOp>;
  constexpr Step steps[] = {{kLowest, LLVM::AtomicBinOp::umin},
                            {kHighest, LLVM::AtomicBinOp::umax}};
  auto combine = [&](Word word, Value x, Value y) -> Value {
    if (word == kLowest)
      return arith::MinUIOp::create(b, loc, x, y);
    return arith::MaxUIOp::create(b, loc, x, y);
  };
  auto loop = scf::ForOp::create(b, loc, l.threads().thread, getWord(kNumber),
                                 l.i32(loc, l.threads().size()),
                                 ValueRange{l.i32(loc, -1), l.i32(loc, 0)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value order = get(orders, loop.getInductionVar());
    Value ends[] = {getNumber(order), getSpread(order)};
    SmallVector<Value> range;
    for (auto [step, old, end] :
         llvm::zip_equal(steps, loop.getRegionIterArgs(), ends))
      range.push_back(combine(step.first, old, end));
    scf::YieldOp::create(b, loc, range);
  }
  int64_t lanes = l.threads().lanes;
  for (auto [step, value] : llvm::zip_equal(steps, loop.getResults())) {
    Value all = value;
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      auto other =
          gpu::ShuffleOp::create(b, loc, all, l.i32(loc, distance),
                                 l.i32(loc, lanes), gpu::ShuffleMode::XOR);
      all = combine(step.first, all, other.getShuffleResult());
    }
    update(words, l.i32(loc, step.first), step.second, all);
  }
  l.barrier(loc);
}

/// The part of the candidates' range that an order lies in: of those with the
/// lowest number, of which there may be any number, by position in the lower
/// half of the parts, of the others by number, and position where that is a
/// lower bit of it, in the upper half. Conversions to f32 and the product do
/// not change which of two is larger.
Value RowSelector::getPart(Value order, Value lowest, Value highest) {
  constexpr int64_t kHalf = TopKPlan::kBins / 2;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto scale = [&](Value distance, Value range) -> Value {
    Value factor = arith::DivFOp::create(
        b, loc, arith::ConstantOp::create(b, loc, b.getF32FloatAttr(kHalf)),
        arith::UIToFPOp::create(b, loc, f32, range));
    Value at = arith::MulFOp::create(
        b, loc, arith::UIToFPOp::create(b, loc, f32, distance), factor);
    return arith::MinUIOp::create(b, loc,
                                  arith::FPToUIOp::create(b, loc, i32, at),
                                  l.i32(loc, kHalf - 1));
  };
  Value number = getNumber(order), one = l.i32(loc, 1);
  Value byPosition = scale(getFromEnd(order), l.i32(loc, plan.total));
  Value above = arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, getSpread(order), lowest), one);
  Value range = arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, highest, lowest), one);
  Value byNumber = add(scale(arith::SubIOp::create(b, loc, above, one), range),
                       l.i32(loc, kHalf));
  return arith::SelectOp::create(b, loc, compare(Predicate::eq, number, lowest),
                                 byPosition, byNumber);
}

/// The candidates of a thread: the number of each, and which of its own it is.
void RowSelector::forOwnCandidates(Value number,
                                   function_ref<void(Value, Value)> body) {
  constexpr int64_t kWrittenOut = 8;
  int64_t threads = l.threads().size();
  int64_t most = llvm::divideCeil(plan.candidates, threads);
  auto visit = [&](Value own) {
    Value at = add(b.createOrFold<arith::MulIOp>(loc, own, l.i32(loc, threads)),
                   l.threads().thread);
    l.inIf(loc, compare(Predicate::ult, at, number), [&] { body(at, own); });
  };
  if (most <= kWrittenOut) {
    for (int64_t own = 0; own < most; ++own)
      visit(l.i32(loc, own));
    return;
  }
  auto loop = scf::ForOp::create(b, loc, l.i32(loc, 0), l.i32(loc, most),
                                 l.i32(loc, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  visit(loop.getInductionVar());
}

/// What `rankInParts` begins with, in front of a barrier.
void RowSelector::prepareParts() {
  clear(bins);
  l.inFirstThread(loc, [&] {
    setWord(kLowest, l.i32(loc, -1));
    setWord(kHighest, l.i32(loc, 0));
  });
}

/// Candidates are sorted by the part of the range that they lie in, and then
/// compared with those of the same part. A thread keeps its own.
void RowSelector::rankInParts() {
  findRange();
  Value number = getWord(kNumber);
  Value lowest = getWord(kLowest), highest = getWord(kHighest);
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  int64_t most = llvm::divideCeil(plan.candidates, l.threads().size());
  Value ownOrders = l.createRegisters(loc, i64Type, most);
  Value ownPlaces = l.createRegisters(loc, i32, most);
  auto at = [&](Value table, Type type, Value own) -> Value {
    return LLVM::GEPOp::create(b, loc, table.getType(), type, table,
                               ArrayRef<LLVM::GEPArg>{own});
  };
  auto read = [&](Value table, Type type, Value own) -> Value {
    return LLVM::LoadOp::create(b, loc, type, at(table, type, own));
  };
  // Its part, and which of that it is.
  Value digitBits = l.i32(loc, TopKPlan::kDigitBits);
  forOwnCandidates(number, [&](Value candidate, Value own) {
    Value order = get(orders, candidate);
    Value part = getPart(order, lowest, highest);
    Value before =
        update(bins, part, LLVM::AtomicBinOp::add, l.i32(loc, 1));
    LLVM::StoreOp::create(b, loc, order, at(ownOrders, i64Type, own));
    Value place = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, before, digitBits), part);
    LLVM::StoreOp::create(b, loc, place, at(ownPlaces, i32, own));
  });
  l.barrier(loc);
  // In the place of how many candidates a part has, how many lie above it.
  scanBins([&](Value bin, Value above, Value) { set(bins, bin, above); });
  l.barrier(loc);
  auto getOwnPart = [&](Value own) -> Value {
    return arith::AndIOp::create(b, loc, read(ownPlaces, i32, own),
                                 l.i32(loc, TopKPlan::kBins - 1));
  };
  forOwnCandidates(number, [&](Value, Value own) {
    Value before = arith::ShRUIOp::create(
        b, loc, read(ownPlaces, i32, own), digitBits);
    set(orders, add(get(bins, getOwnPart(own)), before),
        read(ownOrders, i64Type, own));
  });
  l.barrier(loc);
  // A part ends where the next one below it begins.
  forOwnCandidates(number, [&](Value candidate, Value own) {
    Value order = read(ownOrders, i64Type, own), part = getOwnPart(own);
    Value zero = l.i32(loc, 0), one = l.i32(loc, 1);
    Value isLast = compare(Predicate::eq, part, zero);
    Value next = arith::SelectOp::create(
        b, loc, isLast, zero, arith::SubIOp::create(b, loc, part, one));
    Value begin = get(bins, part);
    Value end = arith::SelectOp::create(b, loc, isLast, number,
                                        get(bins, next));
    auto loop =
        scf::ForOp::create(b, loc, begin, end, one, ValueRange{begin});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value other = get(orders, loop.getInductionVar());
      scf::YieldOp::create(b, loc,
                           add(loop.getRegionIterArg(0),
                               toI32(compare(Predicate::ugt, other, order))));
    }
    place(candidate, loop.getResult(0));
  });
}
