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

#include "TopK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

namespace {
/// Words that all threads read.
enum Word { kNumber, kLowest, kDigit, kAbove, kInBin, kHighest };

class RowSelector : public TopKEmitter {
public:
  RowSelector(TopKOp op, const TopKPlan &plan, KernelLowering &l);
  LogicalResult lower();

private:
  struct Element {
    Value value, key, column, exists; // exists: null if it is known to
  };
  using OnElement = function_ref<void(const Element &)>;
  /// With an element's order, number, whether it exists, and what makes the
  /// index to be written.
  using OnOrdered =
      function_ref<void(Value, Value, Value, function_ref<Value()>)>;
  using Predicate = arith::CmpIPredicate;

  // Arithmetic.
  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value both(Value x, Value y) {
    return x && y ? b.createOrFold<arith::AndIOp>(loc, x, y) : x ? x : y;
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value toI64(Value x) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), x);
  }
  Value toI32Low(Value x) {
    return arith::TruncIOp::create(b, loc, b.getI32Type(), x);
  }
  Value toI32(Value x) {
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
  }

  // Shared memory.
  Value get(const Buffer &table, Value at) { return l.load(loc, table, at); }
  void set(const Buffer &table, Value at, Value value) {
    l.store(loc, value, table, at);
  }
  Value getWord(Word word) { return get(words, l.i32(loc, word)); }
  void setWord(Word word, Value value) { set(words, l.i32(loc, word), value); }
  Value update(const Buffer &table, Value at, LLVM::AtomicBinOp how,
               Value value) {
    return LLVM::AtomicRMWOp::create(b, loc, how, l.getAddress(loc, table, at),
                                     value, LLVM::AtomicOrdering::monotonic);
  }
  /// Shares 0 to `end` out among the threads.
  void share(Value end, function_ref<void(Value)> body);
  void clear(const Buffer &table) {
    share(l.i32(loc, table.shape[0]), [&](Value at) {
      set(table, at, arith::ConstantIntOp::create(b, loc, table.element, 0));
    });
  }

  // Elements.
  Value getBits(Value key);
  Value getOrder(Value bits, Value position);
  /// The bits that an order was made of.
  Value getNumber(Value order) {
    return toI32Low(
        arith::ShRUIOp::create(b, loc, order, i64(positionBits)));
  }
  void forEachInMemory(OnElement body);
  void forEachInRow(OnElement body);
  /// Those of the old content; these and those of the row.
  void forEachOld(OnOrdered body);
  void forEachOrdered(OnOrdered body);

  // Steps.
  void stageOld();
  void append(Value order, Value value, function_ref<Value()> place);
  Value tryAboveLowest();
  void pick(const Buffer &table, Value first, int64_t size, Value needed);
  void findBin(Value needed);
  void clearBins();
  void countDigit(Value order, Value shift, Value isCounted);
  Value findThreshold();
  void collectAbove(Value threshold);
  void place(Value candidate, Value at);
  void rank();
  void findRange();
  Value getPart(Value order, Value lowest, Value highest);
  void sumParts();
  void rankInParts();
  void writeTargets();
  void lowerRow();

  const Buffer *source = nullptr, *values = nullptr, *indices = nullptr;
  Buffer bins, groups, words, orders, candidateValues, candidatePlaces,
      candidatesByPart, bestValues, bestPlaces;
  Value row;
  int64_t positionBits, bits; // of an order: below, and in all
};
} // namespace

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
// Elements
//===----------------------------------------------------------------------===//

/// Bits that compare without a sign as the numbers do; both zeros are one.
Value RowSelector::getBits(Value key) {
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, key, zero);
  key = arith::SelectOp::create(b, loc, isZero, zero, key);
  Value raw = arith::BitcastOp::create(b, loc, b.getI32Type(), key);
  Value sign = arith::ShRSIOp::create(b, loc, raw, l.i32(loc, 31));
  Value flips = arith::OrIOp::create(
      b, loc, sign, l.i32(loc, std::numeric_limits<int32_t>::min()));
  return arith::XOrIOp::create(b, loc, raw, flips);
}

Value RowSelector::getOrder(Value raw, Value position) {
  Value above = arith::ShLIOp::create(b, loc, toI64(raw), i64(positionBits));
  Value below = arith::SubIOp::create(
      b, loc, i64((int64_t(1) << positionBits) - 1), toI64(position));
  return arith::OrIOp::create(b, loc, above, below);
}

/// Several loads at a time, before any of the elements is looked at.
void RowSelector::forEachInMemory(OnElement body) {
  constexpr int64_t kTogether = 8;
  int64_t length = op.getRowLength(), threads = l.threads().size();
  int64_t rounds = llvm::divideCeil(length, threads);
  int64_t together = std::min(kTogether, rounds);
  auto loop = scf::ForOp::create(b, loc, l.i32(loc, 0), l.i32(loc, rounds),
                                 l.i32(loc, together));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  bool isExact = length % (threads * together) == 0;
  SmallVector<Element> elements;
  for (int64_t i = 0; i < together; ++i) {
    Value round = add(loop.getInductionVar(), l.i32(loc, i));
    Value column = add(
        arith::MulIOp::create(b, loc, round, l.i32(loc, threads)),
        l.threads().thread);
    Value last = l.i32(loc, length - 1);
    Value exists = isExact ? Value()
                           : compare(Predicate::ule, column, last);
    if (exists)
      column = arith::MinUIOp::create(b, loc, column, last);
    Value value = getKey(
        loadFrom(*source, 0, row, l.toIndex(loc, column)));
    elements.push_back({value, getBits(value), column, exists});
  }
  for (const Element &element : elements)
    body(element);
}

void RowSelector::forEachInRow(OnElement body) {
  if (!source->isRegister())
    return forEachInMemory(body);
  // One of the copies of an element counts.
  ThreadMap map(source->layout, l.threads());
  map.materialize(b, loc);
  Value first = map.getFirstCopy();
  forEach(*source, [&](int64_t reg, Value at, Value column) {
    Value value = getKey(loadFrom(*source, reg, at, column));
    Value exists = first;
    if (plan.rows > 1)
      exists = both(exists, compare(Predicate::eq, at, row));
    body({value, getBits(value), l.toI32(loc, column), exists});
  });
}

void RowSelector::forEachOld(OnOrdered body) {
  if (!plan.old)
    return;
  share(l.i32(loc, plan.old), [&](Value at) {
    Value value = get(bestValues, at);
    body(getOrder(getBits(value), at), value, Value(),
         [&] { return get(bestPlaces, at); });
  });
}

void RowSelector::forEachOrdered(OnOrdered body) {
  forEachInRow([&](const Element &element) {
    Value position = add(element.column, l.i32(loc, plan.old));
    body(getOrder(element.key, position), element.value, element.exists,
         [&] { return getPlace(l.toIndex(loc, element.column)); });
  });
  forEachOld(body);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The old content of the row, out of registers and into reach of all threads.
void RowSelector::stageOld() {
  auto put = [&](const Buffer &from, const Buffer &to, bool isValue) {
    forEach(from, [&](int64_t reg, Value at, Value column) {
      Value isHere = plan.rows > 1 ? compare(Predicate::eq, at, row) : Value();
      l.inIf(loc, isHere, [&] {
        Value value = loadFrom(from, reg, at, column);
        set(to, l.toI32(loc, column), isValue ? getKey(value) : value);
      });
    });
  };
  put(*values, bestValues, true);
  put(*indices, bestPlaces, false);
}

void RowSelector::append(Value order, Value value,
                         function_ref<Value()> place) {
  Value at = update(words, l.i32(loc, kNumber), LLVM::AtomicBinOp::add,
                    l.i32(loc, 1));
  Value fits = compare(Predicate::ult, at, l.i32(loc, plan.candidates));
  l.inIf(loc, fits, [&] {
    set(orders, at, order);
    set(candidateValues, at, value);
    set(candidatePlaces, at, place());
  });
}

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
  forEachInRow([&](const Element &element) {
    Value isLarger = compare(Predicate::ugt, element.key, lowest);
    l.inIf(loc, both(element.exists, isLarger), [&] {
      Value position = add(element.column, l.i32(loc, plan.old));
      append(getOrder(element.key, position), element.value,
             [&] { return getPlace(l.toIndex(loc, element.column)); });
    });
  });
  l.barrier(loc);
  return compare(Predicate::ugt, getWord(kNumber),
                 l.i32(loc, plan.candidates));
}

/// Of `size` counts from `first` on, finds the one in which the `needed`-th
/// element lies, from the last one down: its number, what lies above it, itself.
void RowSelector::pick(const Buffer &table, Value first, int64_t size,
                       Value needed) {
  constexpr int64_t kTogether = 4;
  share(l.i32(loc, size), [&](Value at) {
    Value above = l.i32(loc, 0);
    for (int64_t i = 0; i < size; i += kTogether) {
      Value some = l.load(loc, table, add(first, l.i32(loc, i)), kTogether);
      for (int64_t j = 0; j < kTogether; ++j) {
        Value other = vector::ExtractOp::create(b, loc, some,
                                                ArrayRef<int64_t>{j});
        Value isAbove = compare(Predicate::ugt, l.i32(loc, i + j), at);
        above = add(above, arith::SelectOp::create(b, loc, isAbove, other,
                                                   l.i32(loc, 0)));
      }
    }
    Value own = get(table, add(first, at));
    Value isIt = both(compare(Predicate::ult, above, needed),
                      compare(Predicate::ule, needed, add(above, own)));
    l.inIf(loc, isIt, [&] {
      setWord(kDigit, at);
      setWord(kAbove, above);
      setWord(kInBin, own);
    });
  });
  l.barrier(loc);
}

/// The bin of the `needed`-th element, into the words.
void RowSelector::findBin(Value needed) {
  l.barrier(loc);
  Value perGroup = l.i32(loc, TopKPlan::kGroup);
  share(l.i32(loc, TopKPlan::kBins), [&](Value at) {
    Value own = get(bins, at);
    l.inIf(loc, compare(Predicate::ne, own, l.i32(loc, 0)), [&] {
      update(groups, arith::DivUIOp::create(b, loc, at, perGroup),
             LLVM::AtomicBinOp::add, own);
    });
  });
  l.barrier(loc);
  pick(groups, l.i32(loc, 0), TopKPlan::kGroups, needed);
  Value group = getWord(kDigit), above = getWord(kAbove);
  Value first = arith::MulIOp::create(b, loc, group, perGroup);
  l.barrier(loc);
  pick(bins, first, TopKPlan::kGroup,
       arith::SubIOp::create(b, loc, needed, above));
  l.inFirstThread(loc, [&] {
    setWord(kDigit, add(getWord(kDigit), first));
    setWord(kAbove, add(getWord(kAbove), above));
  });
  l.barrier(loc);
}

void RowSelector::clearBins() {
  clear(bins);
  clear(groups);
  l.barrier(loc);
}

void RowSelector::countDigit(Value order, Value shift, Value isCounted) {
  l.inIf(loc, isCounted, [&] {
    Value digit = toI32Low(arith::ShRUIOp::create(b, loc, order, shift));
    digit = arith::AndIOp::create(b, loc, digit,
                                  l.i32(loc, TopKPlan::kBins - 1));
    update(bins, digit, LLVM::AtomicBinOp::add, l.i32(loc, 1));
  });
}

/// The lowest order whose elements, with all above, are no more than can be
/// ranked.
Value RowSelector::findThreshold() {
  Value digitBits = i64(TopKPlan::kDigitBits);
  Value shift = i64(bits - TopKPlan::kDigitBits);
  clearBins();
  forEachOrdered([&](Value order, Value, Value exists, function_ref<Value()>) {
    countDigit(order, shift, exists);
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
  forEachOrdered([&](Value order, Value, Value exists, function_ref<Value()>) {
    Value isInBin = compare(
        Predicate::eq, arith::ShRUIOp::create(b, loc, order, last), prefix);
    countDigit(order, next, both(exists, isInBin));
  });
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
  l.barrier(loc);
  clear(orders);
  l.inFirstThread(loc, [&] { setWord(kNumber, l.i32(loc, 0)); });
  l.barrier(loc);
  forEachOrdered([&](Value order, Value value, Value exists,
                     function_ref<Value()> place) {
    Value isAbove = compare(Predicate::uge, order, threshold);
    l.inIf(loc, both(exists, isAbove),
           [&] { append(order, value, place); });
  });
  l.barrier(loc);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

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
    auto loop = scf::ForOp::create(b, loc, l.i32(loc, 0), number,
                                   l.i32(loc, kTogether),
                                   ValueRange{l.i32(loc, 0)});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value above = loop.getRegionIterArg(0);
      for (int64_t i = 0; i < kTogether; i += 2) {
        Value at = add(loop.getInductionVar(), l.i32(loc, i));
        Value pair = l.load(loc, orders, at, 2);
        for (int64_t j : {0, 1}) {
          Value other = vector::ExtractOp::create(b, loc, pair,
                                                  ArrayRef<int64_t>{j});
          above = add(above, toI32(compare(Predicate::ugt, other, own)));
        }
      }
      scf::YieldOp::create(b, loc, above);
    }
    place(candidate, loop.getResult(0));
  });
  l.barrier(loc);
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
  auto loop = scf::ForOp::create(
      b, loc, l.threads().thread, getWord(kNumber),
      l.i32(loc, l.threads().size()),
      ValueRange{l.i32(loc, -1), l.i32(loc, 0)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = getNumber(get(orders, loop.getInductionVar()));
    SmallVector<Value> range;
    for (auto [step, old] : llvm::zip_equal(steps, loop.getRegionIterArgs()))
      range.push_back(combine(step.first, old, number));
    scf::YieldOp::create(b, loc, range);
  }
  int64_t lanes = l.threads().lanes;
  for (auto [step, value] : llvm::zip_equal(steps, loop.getResults())) {
    Value all = value;
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      auto other = gpu::ShuffleOp::create(b, loc, all, l.i32(loc, distance),
                                          l.i32(loc, lanes),
                                          gpu::ShuffleMode::XOR);
      all = combine(step.first, all, other.getShuffleResult());
    }
    update(words, l.i32(loc, step.first), step.second, all);
  }
  l.barrier(loc);
}

/// The part of the candidates' range that an order lies in: of those with the
/// lowest number, of which there may be any number, by position in the lower
/// half of the parts, of the others by number in the upper half. Conversions to
/// f32 and the product do not change which of two is larger.
Value RowSelector::getPart(Value order, Value lowest, Value highest) {
  constexpr int64_t kHalf = TopKPlan::kBins / 2;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto scale = [&](Value distance, Value range) -> Value {
    Value factor = arith::DivFOp::create(
        b, loc,
        arith::ConstantOp::create(b, loc, b.getF32FloatAttr(kHalf)),
        arith::UIToFPOp::create(b, loc, f32, range));
    Value at = arith::MulFOp::create(
        b, loc, arith::UIToFPOp::create(b, loc, f32, distance), factor);
    return arith::MinUIOp::create(b, loc,
                                  arith::FPToUIOp::create(b, loc, i32, at),
                                  l.i32(loc, kHalf - 1));
  };
  Value number = getNumber(order), one = l.i32(loc, 1);
  // Positions count down.
  Value fromEnd = toI32Low(arith::SubIOp::create(
      b, loc,
      arith::AndIOp::create(b, loc, order,
                            i64((int64_t(1) << positionBits) - 1)),
      i64((int64_t(1) << positionBits) - plan.total)));
  Value byPosition = scale(fromEnd, l.i32(loc, plan.total));
  Value above = arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, number, lowest), one);
  Value range = arith::MaxUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, highest, lowest), one);
  Value byNumber = add(scale(arith::SubIOp::create(b, loc, above, one), range),
                       l.i32(loc, kHalf));
  return arith::SelectOp::create(b, loc,
                                 compare(Predicate::eq, number, lowest),
                                 byPosition, byNumber);
}

/// In the place of how many candidates a part has, how many lie above it. A
/// thread has a group of parts.
void RowSelector::sumParts() {
  constexpr int64_t kTogether = 4;
  auto walk = [&](const Buffer &table, Value first, int64_t size,
                  function_ref<void(int64_t, Value)> body) {
    for (int64_t i = size - kTogether; i >= 0; i -= kTogether)
      body(i, l.load(loc, table, add(first, l.i32(loc, i)), kTogether));
  };
  auto sum = [&](Value counts) {
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD,
                                       counts);
  };
  Value size = l.i32(loc, TopKPlan::kGroup);
  share(l.i32(loc, TopKPlan::kGroups), [&](Value group) {
    Value all = l.i32(loc, 0);
    walk(bins, arith::MulIOp::create(b, loc, group, size), TopKPlan::kGroup,
         [&](int64_t, Value counts) { all = add(all, sum(counts)); });
    set(groups, group, all);
  });
  l.barrier(loc);
  share(l.i32(loc, TopKPlan::kGroups), [&](Value group) {
    Value above = l.i32(loc, 0);
    walk(groups, l.i32(loc, 0), TopKPlan::kGroups,
         [&](int64_t from, Value counts) {
           for (int64_t j = 0; j < kTogether; ++j) {
             Value isAbove =
                 compare(Predicate::ugt, l.i32(loc, from + j), group);
             Value count = vector::ExtractOp::create(b, loc, counts,
                                                     ArrayRef<int64_t>{j});
             above = add(above, arith::SelectOp::create(b, loc, isAbove, count,
                                                        l.i32(loc, 0)));
           }
         });
    Value first = arith::MulIOp::create(b, loc, group, size);
    walk(bins, first, TopKPlan::kGroup, [&](int64_t from, Value counts) {
      Value starts = counts;
      for (int64_t j = kTogether - 1; j >= 0; --j) {
        starts = vector::InsertOp::create(b, loc, above, starts,
                                          ArrayRef<int64_t>{j});
        above = add(above, vector::ExtractOp::create(b, loc, counts,
                                                     ArrayRef<int64_t>{j}));
      }
      l.store(loc, starts, bins, add(first, l.i32(loc, from)), kTogether);
    });
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
    Value at = update(bins, partOf(candidate), LLVM::AtomicBinOp::add,
                      l.i32(loc, 1));
    set(candidatesByPart, at, candidate);
  });
  l.barrier(loc);
  share(number, [&](Value at) {
    Value candidate = get(candidatesByPart, at);
    Value own = get(orders, candidate);
    Value part = getPart(own, lowest, highest), one = l.i32(loc, 1);
    Value last = l.i32(loc, TopKPlan::kBins - 1);
    Value begin = get(bins, arith::MinUIOp::create(b, loc, add(part, one),
                                                   last));
    begin = arith::SelectOp::create(b, loc,
                                    compare(Predicate::eq, part, last),
                                    l.i32(loc, 0), begin);
    auto loop = scf::ForOp::create(b, loc, begin, get(bins, part), one,
                                   ValueRange{begin});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value other =
          get(orders, get(candidatesByPart, loop.getInductionVar()));
      scf::YieldOp::create(
          b, loc,
          add(loop.getRegionIterArg(0),
              toI32(compare(Predicate::ugt, other, own))));
    }
    place(candidate, loop.getResult(0));
  });
  l.barrier(loc);
}

void RowSelector::writeTargets() {
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
    clear(orders);
    l.inFirstThread(loc, [&] {
      setWord(kNumber, l.i32(loc, 0));
      setWord(kLowest, l.i32(loc, -1));
    });
    l.barrier(loc);
    l.inIf(loc, tryAboveLowest(), selectAll);
  } else {
    selectAll();
  }
  plan.ranksInParts ? rankInParts() : rank();
  writeTargets();
}

LogicalResult RowSelector::lower() {
  source = l.getBuffer(op, op.getSource());
  values = l.getBuffer(op, op.getValues());
  indices = l.getBuffer(op, op.getIndices());
  if (!source || !values || !indices)
    return failure();
  Value base = l.getScratch(loc, plan.getScratchBytes());
  int64_t offset = 0;
  auto make = [&](Type element, int64_t size) {
    return makeRoom(base, offset, element, {size});
  };
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  orders = make(b.getI64Type(), plan.candidates);
  bins = make(i32, TopKPlan::kBins);
  groups = make(i32, TopKPlan::kGroups);
  words = make(i32, TopKPlan::kWords);
  candidateValues = make(f32, plan.candidates);
  candidatePlaces = make(i32, plan.candidates);
  if (plan.ranksInParts)
    candidatesByPart = make(i32, plan.candidates);
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
