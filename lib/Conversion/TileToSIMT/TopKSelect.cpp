//===- TopKSelect.cpp - the largest elements by radix select --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All elements of a row have an order without ties, an i64: above, the number as
// bits that compare like it; below, the complement of the position. A histogram
// of the upper digit shows the bin of the element that comes last of those to be
// found. As long as too many elements lie in that bin and above it, the next
// digit of those in the bin is counted; positions differ, so that this ends for
// equal elements, too. What lies at or above the bin are the candidates, which
// are ranked: few against each other, many within the part of their range that
// they lie in.
//
// With old content, elements above its lowest one are tried as candidates first:
// of a long row few are left after its first part.
//
//===----------------------------------------------------------------------===//

#include "TopKSelect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

RowSelector::RowSelector(TopKOp op, const TopKPlan &plan, KernelLowering &l)
    : TopKEmitter(op, plan, l) {
  int64_t needed = 32 + llvm::Log2_64_Ceil(plan.total);
  bits = llvm::alignTo(needed, TopKPlan::kDigitBits);
  positionBits = bits - 32;
}

void RowSelector::share(Value end, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, l.threads().thread, end,
                                 l.i32(loc, l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Takes the old content, and what is larger than its lowest element. Whether
/// that is too much.
Value RowSelector::tryAboveLowest() {
  share(l.i32(loc, plan.old), [&](Value at) {
    Value value = get(bestValues, at), raw = getBits(value);
    update(words, l.i32(loc, kLowest), LLVM::AtomicBinOp::umin, raw);
    append(getOrder(raw, at), value, [&] { return get(bestPlaces, at); });
  });
  l.barrier(loc);
  Value lowest = getWord(kLowest);
  appendFromRow([&](const Element &element) {
    return compare(Predicate::ugt, element.key, lowest);
  });
  l.barrier(loc);
  return compare(Predicate::ugt, getWord(kNumber),
                 l.i32(loc, plan.candidates));
}

/// Calls `onBin` for each bin of a thread with its number, how many elements
/// lie above it and how many in it. The first thread has the last bins.
void RowSelector::scanBins(function_ref<void(Value, Value, Value)> onBin) {
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
  l.inIf(loc, isLast, [&] { set(sumsOfWarps, l.threads().warp, sum); });
  l.barrier(loc);
  Value isBefore = compare(Predicate::ult, l.threads().lane, l.threads().warp);
  Value other = arith::MinUIOp::create(b, loc, l.threads().lane,
                                       l.i32(loc, l.threads().warps - 1));
  Value before = arith::SelectOp::create(b, loc, isBefore,
                                         get(sumsOfWarps, other), zero);
  before = shuffleLanes(scanLanes(before), lanes - 1, gpu::ShuffleMode::IDX);
  Value above = add(before, arith::SubIOp::create(b, loc, sum, own));
  l.inIf(loc, exists, [&] {
    for (int64_t at = size; at-- > 0;) {
      onBin(add(first, l.i32(loc, at)), above, counts[at]);
      above = add(above, counts[at]);
    }
  });
}

/// The bin of the `needed`-th element, into the words.
void RowSelector::findBin(Value needed) {
  l.barrier(loc);
  scanBins([&](Value bin, Value above, Value own) {
    Value isIt = both(compare(Predicate::ult, above, needed),
                      compare(Predicate::ule, needed, add(above, own)));
    l.inIf(loc, isIt, [&] {
      setWord(kDigit, bin);
      setWord(kAbove, above);
      setWord(kInBin, own);
    });
  });
  l.barrier(loc);
}

void RowSelector::clearBins() {
  clear(bins);
  l.barrier(loc);
}

void RowSelector::countBin(Value bin, Value isCounted) {
  l.inIf(loc, isCounted,
         [&] { update(bins, bin, LLVM::AtomicBinOp::add, l.i32(loc, 1)); });
}

/// Counts the digit below `last` of the elements whose upper digits are
/// `prefix`. A digit of the number is found without the position.
void RowSelector::countNext(Value last, Value prefix) {
  auto count = [&](Value digits, Value upper, Value shift, Value exists) {
    Type type = digits.getType();
    Value next = arith::SubIOp::create(
        b, loc, shift,
        arith::ConstantIntOp::create(b, loc, type, TopKPlan::kDigitBits));
    Value isInBin =
        compare(Predicate::eq,
                arith::ShRUIOp::create(b, loc, digits, shift), upper);
    Value digit = arith::ShRUIOp::create(b, loc, digits, next);
    if (type.isInteger(64))
      digit = toI32Low(digit);
    countBin(arith::AndIOp::create(b, loc, digit,
                                   l.i32(loc, TopKPlan::kBins - 1)),
             both(exists, isInBin));
  };
  constexpr int64_t kDigitBits = TopKPlan::kDigitBits;
  Value isNumber = compare(Predicate::uge, last, i64(positionBits + kDigitBits));
  auto branch = scf::IfOp::create(b, loc, isNumber, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value upper = toI32Low(prefix);
    Value shift = toI32Low(
        arith::SubIOp::create(b, loc, last, i64(positionBits)));
    forEachInRow([&](const Element &element) {
      count(element.key, upper, shift, element.exists);
    });
    b.setInsertionPointToStart(branch.elseBlock());
    forEachInRow([&](const Element &element) {
      count(getOrder(element.key, getPosition(element)), prefix, last,
            element.exists);
    });
  }
  forEachOld([&](Value order, Value, Value exists, function_ref<Value()>) {
    count(order, prefix, last, exists);
  });
}

/// The lowest order whose elements, with all above, are no more than can be
/// ranked.
Value RowSelector::findThreshold() {
  Value digitBits = i64(TopKPlan::kDigitBits);
  Value shift = i64(bits - TopKPlan::kDigitBits);
  clearBins();
  // All threads are past what they tried as candidates before.
  l.inFirstThread(loc, [&] { setWord(kNumber, l.i32(loc, 0)); });
  if (!plan.ranksInParts)
    clear(orders);
  // The upper digit is one of the number.
  auto count = [&](Value number, Value exists) {
    countBin(arith::ShRUIOp::create(b, loc, number,
                                    l.i32(loc, 32 - TopKPlan::kDigitBits)),
             exists);
  };
  forEachInRow(
      [&](const Element &element) { count(element.key, element.exists); });
  forEachOld([&](Value order, Value, Value exists, function_ref<Value()>) {
    count(getNumber(order), exists);
  });
  findBin(l.i32(loc, plan.count));
  SmallVector<Value> start{shift, toI64(getWord(kDigit)), getWord(kAbove),
                           getWord(kInBin)};
  SmallVector<Type> types(ValueRange(start).getTypes());
  auto loop = scf::WhileOp::create(b, loc, types, start);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(types.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  Value taken = add(before->getArgument(2), before->getArgument(3));
  scf::ConditionOp::create(
      b, loc,
      compare(Predicate::ugt, taken, l.i32(loc, plan.candidates)),
      before->getArguments());
  Block *body = b.createBlock(&loop.getAfter(), {}, types, locations);
  Value last = body->getArgument(0), prefix = body->getArgument(1);
  Value above = body->getArgument(2);
  Value next = arith::SubIOp::create(b, loc, last, digitBits);
  l.barrier(loc);
  clearBins();
  countNext(last, prefix);
  findBin(arith::SubIOp::create(b, loc, l.i32(loc, plan.count), above));
  Value longer = arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, prefix, digitBits),
      toI64(getWord(kDigit)));
  scf::YieldOp::create(b, loc,
                       ValueRange{next, longer, add(above, getWord(kAbove)),
                                  getWord(kInBin)});
  b.setInsertionPointAfter(loop);
  return arith::ShLIOp::create(b, loc, loop.getResult(1), loop.getResult(0));
}

void RowSelector::collectAbove(Value threshold) {
  if (plan.ranksInParts)
    prepareParts();
  Value lowest = getNumber(threshold);
  // Positions count down.
  Value last = arith::SubIOp::create(
      b, loc, i64((int64_t(1) << positionBits) - 1),
      arith::AndIOp::create(b, loc, threshold,
                            i64((int64_t(1) << positionBits) - 1)));
  last = toI32Low(arith::MinUIOp::create(b, loc, last, i64(plan.total)));
  // Mostly a digit of the number ends the search, and no position matters.
  auto branch = scf::IfOp::create(
      b, loc, compare(Predicate::uge, last, l.i32(loc, plan.total - 1)),
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value least = getValue(lowest);
    appendFromRow([&](const Element &element) -> Value {
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                                   element.value, least);
    });
    b.setInsertionPointToStart(branch.elseBlock());
    appendFromRow([&](const Element &element) -> Value {
      Value isFirst = both(compare(Predicate::eq, element.key, lowest),
                           compare(Predicate::ule, getPosition(element), last));
      return arith::OrIOp::create(
          b, loc, compare(Predicate::ugt, element.key, lowest), isFirst);
    });
  }
  forEachOld([&](Value order, Value value, Value, function_ref<Value()> place) {
    l.inIf(loc, compare(Predicate::uge, order, threshold),
           [&] { append(order, value, place); });
  });
  l.barrier(loc);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void RowSelector::writeTargets() {
  l.barrier(loc);
  for (auto [target, from] : {std::pair(values, &bestValues),
                              std::pair(indices, &bestPlaces)})
    forEach(*target, [&, target = target, from = from](int64_t reg, Value at,
                                                       Value column) {
      Value isHere = plan.rows > 1 ? compare(Predicate::eq, at, row) : Value();
      l.inIf(loc, isHere, [&] {
        storeTo(*target, reg, at, column,
                get(*from, l.toI32(loc, column)));
      });
    });
}

void RowSelector::lowerRow() {
  l.barrier(loc);
  auto selectAll = [&] { collectAbove(findThreshold()); };
  if (plan.old) {
    stageOld();
    if (!plan.ranksInParts)
      clear(orders);
    l.inFirstThread(loc, [&] {
      setWord(kNumber, l.i32(loc, 0));
      setWord(kLowest, l.i32(loc, -1));
    });
    l.barrier(loc);
    auto branch = scf::IfOp::create(b, loc, tryAboveLowest(),
                                    /*withElseRegion=*/plan.ranksInParts);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    selectAll();
    if (plan.ranksInParts) {
      b.setInsertionPointToStart(branch.elseBlock());
      prepareParts();
      l.barrier(loc);
    }
  } else {
    selectAll();
  }
  plan.ranksInParts ? rankInParts() : rank();
  if (!writesDirectly())
    writeTargets();
}

LogicalResult RowSelector::lower() {
  source = l.getBuffer(op, op.getSource());
  values = l.getBuffer(op, op.getValues());
  indices = l.getBuffer(op, op.getIndices());
  if (!source || !values || !indices)
    return failure();
  planLoads();
  Value base = l.getScratch(loc, plan.getScratchBytes());
  int64_t offset = 0;
  auto make = [&](Type element, int64_t size) {
    return makeRoom(base, offset, element, {size});
  };
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  orders = make(b.getI64Type(), plan.candidates);
  bins = make(i32, TopKPlan::kBins);
  sumsOfWarps = make(i32, TopKPlan::kMostWarps);
  words = make(i32, TopKPlan::kWords);
  candidateValues = make(f32, plan.candidates);
  candidatePlaces = make(i32, plan.candidates);
  bestValues = make(f32, plan.count);
  bestPlaces = make(i32, plan.count);
  if (plan.rows == 1) {
    row = index(0);
    lowerRow();
    return success();
  }
  auto loop = scf::ForOp::create(b, loc, index(0), index(plan.rows), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  row = loop.getInductionVar();
  lowerRow();
  return success();
}

LogicalResult simt::selectTopK(TopKOp op, const TopKPlan &plan,
                               KernelLowering &l) {
  return RowSelector(op, plan, l).lower();
}
