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
    set(bestValues, at, get(candidateValues, candidate));
    set(bestPlaces, at, get(candidatePlaces, candidate));
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
  l.barrier(loc);
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

/// In the place of how many candidates a part has, how many lie above it. The
/// first thread has the last parts.
void RowSelector::sumParts() {
  constexpr int64_t kWidest = 4;
  int64_t threads = l.threads().size(), lanes = l.threads().lanes;
  int64_t size = llvm::PowerOf2Ceil(llvm::divideCeil(TopKPlan::kBins, threads));
  int64_t width = std::min(size, kWidest);
  Value zero = l.i32(loc, 0), thread = l.threads().thread;
  Value exists;
  if (size * threads > TopKPlan::kBins)
    exists =
        compare(Predicate::ult, thread, l.i32(loc, TopKPlan::kBins / size));
  Value first = arith::SubIOp::create(
      b, loc, l.i32(loc, TopKPlan::kBins - size),
      b.createOrFold<arith::MulIOp>(loc, thread, l.i32(loc, size)));
  if (exists)
    first = arith::SelectOp::create(b, loc, exists, first, zero);
  SmallVector<Value> counts;
  Value own = zero;
  for (int64_t at = 0; at < size; at += width) {
    Value some = l.load(loc, bins, add(first, l.i32(loc, at)), width);
    for (int64_t i = 0; i < width; ++i) {
      counts.push_back(width == 1 ? some
                                  : vector::ExtractOp::create(
                                        b, loc, some, ArrayRef<int64_t>{i}));
      own = add(own, counts.back());
    }
  }
  if (exists)
    own = arith::SelectOp::create(b, loc, exists, own, zero);
  Value sum = scanLanes(own);
  Value isLast =
      compare(Predicate::eq, l.threads().lane, l.i32(loc, lanes - 1));
  l.inIf(loc, isLast, [&] { set(groups, l.threads().warp, sum); });
  l.barrier(loc);
  // There are fewer warps than lanes or groups.
  Value isBefore = compare(Predicate::ult, l.threads().lane, l.threads().warp);
  Value before = arith::SelectOp::create(b, loc, isBefore,
                                         get(groups, l.threads().lane), zero);
  before = shuffleLanes(scanLanes(before), lanes - 1, gpu::ShuffleMode::IDX);
  Value above = add(before, arith::SubIOp::create(b, loc, sum, own));
  l.inIf(loc, exists, [&] {
    for (int64_t at = size; at-- > 0;) {
      set(bins, add(first, l.i32(loc, at)), above);
      above = add(above, counts[at]);
    }
  });
  l.barrier(loc);
}

/// Candidates are sorted by the part of the range that they lie in, and then
/// compared with those of the same part.
void RowSelector::rankInParts() {
  Value number = getWord(kNumber);
  l.inFirstThread(loc, [&] {
    setWord(kLowest, l.i32(loc, -1));
    setWord(kHighest, l.i32(loc, 0));
  });
  clearBins();
  findRange();
  Value lowest = getWord(kLowest), highest = getWord(kHighest);
  auto partOf = [&](Value candidate) {
    return getPart(get(orders, candidate), lowest, highest);
  };
  share(number, [&](Value candidate) {
    update(bins, partOf(candidate), LLVM::AtomicBinOp::add, l.i32(loc, 1));
  });
  l.barrier(loc);
  sumParts();
  // A part ends where the next one below it begins.
  share(number, [&](Value candidate) {
    Value at =
        update(bins, partOf(candidate), LLVM::AtomicBinOp::add, l.i32(loc, 1));
    set(candidatesByPart, at, candidate);
  });
  l.barrier(loc);
  share(number, [&](Value at) {
    Value candidate = get(candidatesByPart, at);
    Value own = get(orders, candidate);
    Value part = getPart(own, lowest, highest), one = l.i32(loc, 1);
    Value last = l.i32(loc, TopKPlan::kBins - 1);
    Value begin =
        get(bins, arith::MinUIOp::create(b, loc, add(part, one), last));
    begin = arith::SelectOp::create(b, loc, compare(Predicate::eq, part, last),
                                    l.i32(loc, 0), begin);
    auto loop = scf::ForOp::create(b, loc, begin, get(bins, part), one,
                                   ValueRange{begin});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value other = get(orders, get(candidatesByPart, loop.getInductionVar()));
      scf::YieldOp::create(b, loc,
                           add(loop.getRegionIterArg(0),
                               toI32(compare(Predicate::ugt, other, own))));
    }
    place(candidate, loop.getResult(0));
  });
  l.barrier(loc);
}
