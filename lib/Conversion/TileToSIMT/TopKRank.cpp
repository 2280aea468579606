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
  SmallVector<Value> range(loop.getResults());
  for (int64_t distance = 1; distance < lanes; distance *= 2)
    for (auto [step, value] : llvm::zip_equal(steps, range)) {
      auto other =
          gpu::ShuffleOp::create(b, loc, value, l.i32(loc, distance),
                                 l.i32(loc, lanes), gpu::ShuffleMode::XOR);
      value = combine(step.first, value, other.getShuffleResult());
    }
  for (auto [step, value] : llvm::zip_equal(steps, range))
    update(words, l.i32(loc, step.first), step.second, value);
  l.barrier(loc);
}

/// The part of the candidates' range that an order lies in: of those with the
/// lowest number, of which there may be any number, by position in the lower
/// half of the parts, of the others by number, and position where that is a
/// lower bit of it, in the upper half. Conversions to f32 and the product do
/// not change which of two is larger.
Value RowSelector::getPart(Value order, Value lowest, Value perNumber) {
  constexpr int64_t kHalf = TopKPlan::kBins / 2;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto scale = [&](Value distance, Value factor) -> Value {
    Value at = arith::MulFOp::create(
        b, loc, arith::UIToFPOp::create(b, loc, f32, distance), factor);
    return arith::MinUIOp::create(b, loc,
                                  arith::FPToUIOp::create(b, loc, i32, at),
                                  l.i32(loc, kHalf - 1));
  };
  Value number = getNumber(order), one = l.i32(loc, 1);
  Value byPosition =
      scale(getFromEnd(order), getPartsPer(l.i32(loc, plan.total)));
  Value above = arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, getSpread(order), lowest), one);
  Value byNumber =
      add(scale(arith::SubIOp::create(b, loc, above, one), perNumber),
          l.i32(loc, kHalf));
  return arith::SelectOp::create(b, loc, compare(Predicate::eq, number, lowest),
                                 byPosition, byNumber);
}

/// How many parts a number of a range has.
Value RowSelector::getPartsPer(Value range) {
  Type f32 = b.getF32Type();
  Value half = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(TopKPlan::kBins / 2));
  return arith::DivFOp::create(b, loc, half,
                               arith::UIToFPOp::create(b, loc, f32, range));
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
/// compared with those of the same part: neighbours read the same ones. In
/// between a thread keeps what it moves.
void RowSelector::rankInParts() {
  findRange();
  Value number = getWord(kNumber), one = l.i32(loc, 1);
  Value lowest = getWord(kLowest);
  Value perNumber = getPartsPer(arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, getWord(kHighest), lowest), one));
  int64_t most = llvm::divideCeil(plan.candidates, l.threads().size());
  // What a thread keeps of its candidates, and of each one its part and which of
  // that it is.
  std::pair<const Buffer &, Value> moved[] = {
      {orders, l.createRegisters(loc, orders.element, most)},
      {candidateValues, l.createRegisters(loc, candidateValues.element, most)},
      {candidatePlaces, l.createRegisters(loc, candidatePlaces.element, most)}};
  Type i32 = b.getI32Type();
  Value ownPlaces = l.createRegisters(loc, i32, most);
  auto at = [&](Value table, Type type, Value own) -> Value {
    return LLVM::GEPOp::create(b, loc, table.getType(), type, table,
                               ArrayRef<LLVM::GEPArg>{own});
  };
  Value digitBits = l.i32(loc, TopKPlan::kDigitBits);
  forOwnCandidates(number, [&](Value candidate, Value own) {
    for (auto &[table, kept] : moved)
      LLVM::StoreOp::create(b, loc, get(table, candidate),
                            at(kept, table.element, own));
    Value part = getPart(get(orders, candidate), lowest, perNumber);
    Value before = update(bins, part, LLVM::AtomicBinOp::add, one);
    Value place = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, before, digitBits), part);
    LLVM::StoreOp::create(b, loc, place, at(ownPlaces, i32, own));
  });
  l.barrier(loc);
  // In the place of how many candidates a part has, how many lie above it.
  scanBins([&](Value bin, Value above, Value) { set(bins, bin, above); });
  l.barrier(loc);
  forOwnCandidates(number, [&](Value, Value own) {
    Value place =
        LLVM::LoadOp::create(b, loc, i32, at(ownPlaces, i32, own));
    Value part = arith::AndIOp::create(b, loc, place,
                                       l.i32(loc, TopKPlan::kBins - 1));
    Value before = arith::ShRUIOp::create(b, loc, place, digitBits);
    Value sorted = add(get(bins, part), before);
    for (auto &[table, kept] : moved)
      set(table, sorted,
          LLVM::LoadOp::create(b, loc, table.element,
                               at(kept, table.element, own)));
  });
  l.barrier(loc);
  forOwnCandidates(number, [&](Value candidate, Value) {
    rankInPart(candidate, getPart(get(orders, candidate), lowest, perNumber),
               number);
  });
}

/// Ranks one of the sorted candidates among those of its part, which ends where
/// the next one below it begins.
void RowSelector::rankInPart(Value candidate, Value part, Value number) {
  Value zero = l.i32(loc, 0), one = l.i32(loc, 1);
  Value order = get(orders, candidate);
  Value isLast = compare(Predicate::eq, part, zero);
  Value next = arith::SelectOp::create(
      b, loc, isLast, zero, arith::SubIOp::create(b, loc, part, one));
  Value begin = get(bins, part);
  Value end =
      arith::SelectOp::create(b, loc, isLast, number, get(bins, next));
  auto loop = scf::ForOp::create(b, loc, begin, end, one, ValueRange{begin});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value other = get(orders, loop.getInductionVar());
    scf::YieldOp::create(b, loc,
                         add(loop.getRegionIterArg(0),
                             toI32(compare(Predicate::ugt, other, order))));
  }
  place(candidate, loop.getResult(0));
}
