//===- TopKElements.cpp - elements of rows, and those that are tried ------===//
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

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Bits that compare without a sign as the numbers do; both zeros are one.
Value RowSelector::getBits(Value key) {
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  key = arith::AddFOp::create(b, loc, key, zero);
  Value raw = arith::BitcastOp::create(b, loc, b.getI32Type(), key);
  Value sign = arith::ShRSIOp::create(b, loc, raw, l.i32(loc, 31));
  Value flips = arith::OrIOp::create(
      b, loc, sign, l.i32(loc, std::numeric_limits<int32_t>::min()));
  return arith::XOrIOp::create(b, loc, raw, flips);
}

/// The number that has these bits; -inf for those of a NaN below.
Value RowSelector::getValue(Value number) {
  // The bits of -inf.
  number = arith::MaxUIOp::create(b, loc, number, l.i32(loc, 0x007fffff));
  Value minusOne = l.i32(loc, -1);
  Value sign = arith::ShRSIOp::create(
      b, loc, arith::XOrIOp::create(b, loc, number, minusOne), l.i32(loc, 31));
  Value flips = arith::OrIOp::create(
      b, loc, sign, l.i32(loc, std::numeric_limits<int32_t>::min()));
  return arith::BitcastOp::create(b, loc, b.getF32Type(),
                                  arith::XOrIOp::create(b, loc, number, flips));
}

Value RowSelector::getOrder(Value raw, Value position) {
  Value above = arith::ShLIOp::create(b, loc, toI64(raw), i64(positionBits));
  Value below = arith::SubIOp::create(
      b, loc, i64((int64_t(1) << positionBits) - 1), toI64(position));
  return arith::OrIOp::create(b, loc, above, below);
}

/// Rows are read in vectors where their elements are neighbours and all threads
/// have as many.
void RowSelector::planLoads() {
  constexpr int64_t kTogether = 8;
  if (source->isRegister())
    return;
  int64_t length = op.getRowLength(), threads = l.threads().size();
  int64_t widest = std::min(kTogether, 8 * l.getGPU().vectorBytes /
                                           getElementBits(source->element));
  auto plain = ::tile::layout::Layout::rowMajor(
      {source->shape.begin(), source->shape.end()});
  if (plain && plain->str() == source->layout.str())
    while (vector < widest && length % (threads * vector * 2) == 0)
      vector *= 2;
  int64_t rounds = llvm::divideCeil(length, threads);
  together = std::min(kTogether, rounds);
  numbers = llvm::alignTo(rounds, together);
}

/// The column of an element of a thread.
Value RowSelector::getColumn(Value number) {
  Value threads = l.i32(loc, l.threads().size()), width = l.i32(loc, vector);
  Value round = b.createOrFold<arith::DivUIOp>(loc, number, width);
  Value place = add(b.createOrFold<arith::MulIOp>(loc, round, threads),
                    l.threads().thread);
  return add(b.createOrFold<arith::MulIOp>(loc, place, width),
             b.createOrFold<arith::RemUIOp>(loc, number, width));
}

/// The elements of a thread from `number` on, as a vector of memory; those past
/// the end of the row are its last one.
void RowSelector::loadSome(Value number, SmallVectorImpl<Element> &elements) {
  Value column = getColumn(number);
  Value last = l.i32(loc, op.getRowLength() - vector);
  Value exists;
  if (op.getRowLength() % (l.threads().size() * together) != 0) {
    exists = compare(Predicate::ule, column, last);
    column = arith::MinUIOp::create(b, loc, column, last);
  }
  if (vector == 1) {
    Value key = getKey(loadFrom(*source, 0, row, l.toIndex(loc, column)));
    elements.push_back({key, getBits(key), column, exists});
    return;
  }
  Value first = add(b.createOrFold<arith::MulIOp>(
                        loc, l.toI32(loc, row), l.i32(loc, op.getRowLength())),
                    column);
  Value some = l.load(loc, *source, first, vector);
  for (int64_t i = 0; i < vector; ++i) {
    Value key =
        getKey(vector::ExtractOp::create(b, loc, some, ArrayRef<int64_t>{i}));
    elements.push_back({key, getBits(key), add(column, l.i32(loc, i)), exists});
  }
}

/// Several loads at a time, before any of the elements is looked at. The body
/// gets the number of the first of them.
void RowSelector::forSomeInMemory(
    Value begin, Value end, function_ref<void(Value, ArrayRef<Element>)> body) {
  auto loop = scf::ForOp::create(b, loc, begin, end, l.i32(loc, together));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Element> elements;
  for (int64_t i = 0; i < together; i += vector)
    loadSome(add(loop.getInductionVar(), l.i32(loc, i)), elements);
  body(loop.getInductionVar(), elements);
}

void RowSelector::forEachInMemory(OnElement body) {
  forSomeInMemory(l.i32(loc, 0), l.i32(loc, numbers),
                  [&](Value, ArrayRef<Element> elements) {
                    for (const Element &element : elements)
                      body(element);
                  });
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

void RowSelector::setCandidate(Value at, Value order, Value value,
                               function_ref<Value()> place) {
  Value fits = compare(Predicate::ult, at, l.i32(loc, plan.candidates));
  l.inIf(loc, fits, [&] {
    set(orders, at, order);
    set(candidateValues, at, value);
    set(candidatePlaces, at, place());
  });
}

void RowSelector::append(Value order, Value value,
                         function_ref<Value()> place) {
  Value at =
      update(words, l.i32(loc, kNumber), LLVM::AtomicBinOp::add, l.i32(loc, 1));
  setCandidate(at, order, value, place);
}

Value RowSelector::shuffleLanes(Value value, int64_t from,
                                gpu::ShuffleMode mode) {
  return gpu::ShuffleOp::create(b, loc, value, l.i32(loc, from),
                                l.i32(loc, l.threads().lanes), mode)
      .getShuffleResult();
}

/// The sum of a lane's value and of those of all lanes before.
Value RowSelector::scanLanes(Value value) {
  for (int64_t distance = 1; distance < l.threads().lanes; distance *= 2) {
    Value before = shuffleLanes(value, distance, gpu::ShuffleMode::UP);
    Value isThere =
        compare(Predicate::uge, l.threads().lane, l.i32(loc, distance));
    value = add(
        value, arith::SelectOp::create(b, loc, isThere, before, l.i32(loc, 0)));
  }
  return value;
}

/// The first of `count` places for candidates of the thread: one update for all
/// lanes of a warp.
Value RowSelector::reserve(Value count) {
  int64_t lanes = l.threads().lanes;
  Value sum = scanLanes(count);
  Value isLast =
      compare(Predicate::eq, l.threads().lane, l.i32(loc, lanes - 1));
  auto branch = scf::IfOp::create(b, loc, b.getI32Type(), isLast, true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(
        b, loc,
        update(words, l.i32(loc, kNumber), LLVM::AtomicBinOp::add, sum));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, l.i32(loc, 0));
  }
  Value first =
      shuffleLanes(branch.getResult(0), lanes - 1, gpu::ShuffleMode::IDX);
  return add(first, arith::SubIOp::create(b, loc, sum, count));
}

/// Appends the elements of a thread whose bits are set, counted from `first`
/// on.
void RowSelector::appendMarked(Value marks, Value first) {
  Type i32 = b.getI32Type();
  Value at = reserve(LLVM::CtPopOp::create(b, loc, i32, marks));
  SmallVector<Type> types{i32, i32};
  SmallVector<Location> locations(2, loc);
  auto loop = scf::WhileOp::create(b, loc, types, ValueRange{marks, at});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  scf::ConditionOp::create(
      b, loc, compare(Predicate::ne, before->getArgument(0), l.i32(loc, 0)),
      before->getArguments());
  Block *body = b.createBlock(&loop.getAfter(), {}, types, locations);
  Value left = body->getArgument(0), one = l.i32(loc, 1);
  Value number = add(first, LLVM::CountTrailingZerosOp::create(
                                b, loc, i32, left, /*is_zero_poison=*/true));
  Value column = getColumn(number);
  Value key = getKey(loadFrom(*source, 0, row, l.toIndex(loc, column)));
  Value position = add(column, l.i32(loc, plan.old));
  setCandidate(body->getArgument(1), getOrder(getBits(key), position), key,
               [&] { return getPlace(l.toIndex(loc, column)); });
  Value rest = arith::AndIOp::create(b, loc, left,
                                     arith::SubIOp::create(b, loc, left, one));
  scf::YieldOp::create(b, loc,
                       ValueRange{rest, add(body->getArgument(1), one)});
}

/// Appends the elements of the row of whose number and position it holds. Those
/// in memory are marked first, in words: updates for each element that is taken
/// would be one after the other.
void RowSelector::appendFromRow(function_ref<Value(const Element &)> isTaken) {
  if (source->isRegister())
    return forEachInRow([&](const Element &element) {
      l.inIf(loc, both(element.exists, isTaken(element)), [&] {
        append(getOrder(element.key, getPosition(element)), element.value,
               [&] { return getPlace(l.toIndex(loc, element.column)); });
      });
    });
  constexpr int64_t kWord = 32;
  Type i32 = b.getI32Type();
  auto chunks = scf::ForOp::create(b, loc, l.i32(loc, 0), l.i32(loc, numbers),
                                   l.i32(loc, kWord));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(chunks.getBody());
  Value first = chunks.getInductionVar();
  Value end = arith::MinUIOp::create(b, loc, add(first, l.i32(loc, kWord)),
                                     l.i32(loc, numbers));
  auto marks = l.getStaging(loc, i32, 1);
  Value place = l.getStaged(loc, marks, l.i32(loc, 0));
  LLVM::StoreOp::create(b, loc, l.i32(loc, 0), place);
  forSomeInMemory(first, end, [&](Value number, ArrayRef<Element> elements) {
    Value some = l.i32(loc, 0);
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value taken = toI32(both(element.exists, isTaken(element)));
      some = arith::OrIOp::create(
          b, loc, some, arith::ShLIOp::create(b, loc, taken, l.i32(loc, i)));
    }
    Value shift = arith::SubIOp::create(b, loc, number, first);
    Value old = LLVM::LoadOp::create(b, loc, i32, place);
    LLVM::StoreOp::create(
        b, loc,
        arith::OrIOp::create(b, loc, old,
                             arith::ShLIOp::create(b, loc, some, shift)),
        place);
  });
  appendMarked(LLVM::LoadOp::create(b, loc, i32, place), first);
}
