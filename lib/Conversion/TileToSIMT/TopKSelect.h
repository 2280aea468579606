//===- TopKSelect.h - the largest elements by radix select ---- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_TOPKSELECT_H
#define TILE_LIB_CONVERSION_TILETOSIMT_TOPKSELECT_H

#include "TopK.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tile::simt {

/// Leaves the largest elements of a row as candidates, and ranks these
/// (TopKSelect.cpp).
class RowSelector : public TopKEmitter {
public:
  RowSelector(TopKOp op, const TopKPlan &plan, KernelLowering &l);
  LogicalResult lower();

private:
  /// Words that all threads read.
  enum Word { kNumber, kLowest, kDigit, kAbove, kInBin, kHighest };
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
  Value getValue(Value number);
  Value getPosition(const Element &element) {
    return add(element.column, l.i32(loc, plan.old));
  }
  Value getOrder(Value bits, Value position);
  /// The bits that an order was made of.
  Value getNumber(Value order) {
    return toI32Low(arith::ShRUIOp::create(b, loc, order, i64(positionBits)));
  }
  void planLoads();
  Value getColumn(Value number);
  void loadSome(Value number, SmallVectorImpl<Element> &elements);
  void forSomeInMemory(Value begin, Value end,
                       function_ref<void(Value, ArrayRef<Element>)> body);
  void forEachInMemory(OnElement body);
  Value getFromEnd(Value order);
  Value getSpread(Value order);
  void forEachInRow(OnElement body);
  /// Those of the old content.
  void forEachOld(OnOrdered body);

  // Steps.
  void stageOld();
  void setCandidate(Value at, Value order, Value value,
                    function_ref<Value()> place);
  void append(Value order, Value value, function_ref<Value()> place);
  Value shuffleLanes(Value value, int64_t from, gpu::ShuffleMode mode);
  Value scanLanes(Value value);
  Value reserve(Value count);
  void appendMarked(Value marks, Value first);
  void appendFromRow(function_ref<Value(const Element &)> isTaken);
  Value tryAboveLowest();
  void scanBins(function_ref<void(Value, Value, Value)> onBin);
  void findBin(Value needed);
  void clearBins();
  void countBin(Value bin, Value isCounted);
  void countNext(Value last, Value prefix);
  Value findThreshold();
  void collectAbove(Value threshold);
  void place(Value candidate, Value at);
  void rank();
  void findRange();
  Value getPart(Value order, Value lowest, Value perNumber);
  Value getPartsPer(Value range);
  void forOwnCandidates(Value number, function_ref<void(Value, Value)> body);
  void prepareParts();
  void rankInParts();
  void rankInPart(Value candidate, Value part, Value number);
  bool writesDirectly() const {
    return !values->isRegister() && !indices->isRegister();
  }
  void writeTargets();
  void lowerRow();

  const Buffer *source = nullptr, *values = nullptr, *indices = nullptr;
  Buffer bins, sumsOfWarps, words, orders, candidateValues, candidatePlaces,
      bestValues, bestPlaces;
  Value row;
  int64_t positionBits, bits; // of an order: below, and in all
  /// Of a row in memory: how many elements a load brings, how many a thread has
  /// under way, and in all.
  int64_t vector = 1, together = 1, numbers = 0;
};

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_TOPKSELECT_H
