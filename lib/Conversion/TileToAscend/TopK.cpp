//===- TopK.cpp - the largest elements by sorting -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The vector unit sorts records of a key and an index: groups of 32 at once,
// and then two to four lists into one, from one buffer to another and back. The
// row and the old content are sorted separately, each filled up with -inf, and
// what is real of both is merged at last, so that the filling takes no part.
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// How sorted lists become one: the lists of each level, by their records.
struct MergePlan {
  /// One instruction: lists of the level before that become one, or several
  /// times four of one length.
  struct Step {
    int64_t begin;
    SmallVector<int64_t, 4> lengths;
    int64_t repeats = 1;
    int64_t total() const {
      return repeats *
             std::accumulate(lengths.begin(), lengths.end(), int64_t(0));
    }
  };
  SmallVector<SmallVector<Step>> levels;

  MergePlan(int64_t count, int64_t group, int64_t maxRepeat);
};

/// Sorts rows of one length, one after the other.
class RowSorter {
public:
  RowSorter(KernelLowering &lowering, tl::TopKOp op, int64_t length,
            bool isOld);

  /// From `keys` and `indices` of one row, which begin at `row`, to records; in
  /// which of the two buffers they end is known before.
  LogicalResult sort(Value keys, Value indices, Value base, Value first,
                     Value second, int64_t section);

  const MergePlan &getPlan() const { return plan; }
  int64_t getPadded() const { return padded; }

private:
  Value getPart(Value vector, int64_t from, int64_t count);
  LogicalResult fillKeys(Value source);
  Value fillIndices(Value indices, Value base);

  KernelLowering &l;
  tl::TopKOp op;
  Location loc;
  int64_t length, padded;
  MergePlan plan;
  Value keys, positions, lowest, mask;
};
} // namespace

/// All in fours, but no list is left alone: a level takes every list.
MergePlan::MergePlan(int64_t count, int64_t group, int64_t maxRepeat) {
  SmallVector<int64_t> lists(count / group, group);
  while (lists.size() > 1) {
    SmallVector<Step> steps;
    SmallVector<int64_t> merged;
    int64_t begin = 0;
    for (size_t at = 0; at < lists.size();) {
      size_t left = lists.size() - at;
      size_t take = left == 5 ? 3 : std::min<size_t>(left, 4);
      Step step{begin, {lists.begin() + at, lists.begin() + at + take}};
      int64_t total = step.total();
      Step *last = steps.empty() ? nullptr : &steps.back();
      if (last && last->repeats < maxRepeat && take == 4 &&
          llvm::all_equal(step.lengths) && last->lengths == step.lengths)
        ++last->repeats;
      else
        steps.push_back(step);
      merged.push_back(total);
      begin += total;
      at += take;
    }
    levels.push_back(std::move(steps));
    lists = std::move(merged);
  }
}

RowSorter::RowSorter(KernelLowering &lowering, tl::TopKOp op, int64_t length,
                     bool isOld)
    : l(lowering), op(op), loc(op.getLoc()), length(length),
      padded(llvm::alignTo(length, l.spec.repeatBytes / 4)),
      plan(padded, l.spec.sortGroup, l.spec.maxRepeat) {
  Type single = l.b.getF32Type(), word = l.b.getI32Type();
  keys = l.buffers.createMatrix(loc, std::nullopt, padded, single);
  lowest = l.buffers.createMatrix(loc, std::nullopt, padded, single);
  mask = l.buffers.createMatrix(loc, std::nullopt, padded / 8, l.b.getI8Type());
  if (isOld || op.getBase())
    positions = l.buffers.createMatrix(loc, std::nullopt, padded, word);
}

Value RowSorter::getPart(Value vector, int64_t from, int64_t count) {
  return l.buffers.createPart(loc, vector, l.b.getIndexAttr(0),
                              l.b.getIndexAttr(from), 1, count);
}

/// Keys in f32, -inf for NaN and behind the row.
LogicalResult RowSorter::fillKeys(Value source) {
  Value bottom = l.constantOf(loc, l.b.getF32Type(),
                              -std::numeric_limits<double>::infinity());
  DuplicateOp::create(l.b, loc, lowest, bottom);
  if (padded != length)
    DuplicateOp::create(l.b, loc, keys, bottom);
  if (failed(createCopy(l, op, getPart(keys, 0, length), source)))
    return failure();
  CompareOp::create(l.b, loc, CompareMode::EQ, mask, keys, keys);
  SelectOp::create(l.b, loc, keys, mask, keys, lowest);
  return success();
}

Value RowSorter::fillIndices(Value indices, Value base) {
  if (indices) {
    if (padded != length)
      DuplicateOp::create(l.b, loc, positions,
                          l.constantOf(loc, l.b.getI32Type(), 0));
    CopyUbOp::create(l.b, loc, getPart(positions, 0, length), indices);
    return positions;
  }
  Value sequence = l.buffers.createIndexSequence(loc, padded);
  if (!base)
    return sequence;
  ScalarOp::create(l.b, loc, ScalarKind::Adds, positions, sequence, base);
  return positions;
}

LogicalResult RowSorter::sort(Value source, Value indices, Value base,
                              Value first, Value second, int64_t section) {
  if (failed(fillKeys(source)))
    return failure();
  Value at = fillIndices(indices, base);
  auto records = [&](Value buffer, int64_t from, int64_t count) {
    return getPart(buffer, 2 * (section + from), 2 * count);
  };
  Sort32Op::create(l.b, loc, records(first, 0, padded), keys, at);
  for (const SmallVector<MergePlan::Step> &level : plan.levels) {
    for (const MergePlan::Step &step : level)
      MergeSortOp::create(l.b, loc, records(second, step.begin, step.total()),
                          records(first, step.begin, step.total()),
                          l.b.getDenseI64ArrayAttr(step.lengths),
                          DenseI64ArrayAttr());
    std::swap(first, second);
  }
  return success();
}

/// Records back to keys and indices.
static LogicalResult unpack(KernelLowering &l, tl::TopKOp op, Value records,
                            Value values, Value indices) {
  Location loc = op.getLoc();
  GatherMaskOp::create(l.b, loc, GatherPattern::Odd, indices, records);
  Type element = cast<MemRefType>(values.getType()).getElementType();
  if (element.isF32()) {
    GatherMaskOp::create(l.b, loc, GatherPattern::Even, values, records);
    return success();
  }
  Value wide = l.buffers.createMatrix(loc, std::nullopt, op.getCount(),
                                      l.b.getF32Type());
  GatherMaskOp::create(l.b, loc, GatherPattern::Even, wide, records);
  return createCast(l, op, values, wide);
}

namespace {
struct TopKModel : LoweringModel<TopKModel, tl::TopKOp> {
  LogicalResult lowerToInstructions(Operation *op, KernelLowering &l) const;
};
} // namespace

LogicalResult TopKModel::lowerToInstructions(Operation *self,
                                             KernelLowering &l) const {
  auto op = cast<tl::TopKOp>(self);
  OpBuilder &b = l.b;
  Location loc = op.getLoc();
  int64_t length = op.getRowLength(), count = op.getCount();
  int64_t rows =
      cast<MemRefType>(op.getSource().getType()).getNumElements() / length;
  if (rows > 1 && (length == 1 || count == 1))
    return op.emitError() << "on Ascend, several rows of one element cannot be "
                             "sorted; expected rows of 2 or more, got "
                          << (length == 1 ? "a source" : "values") << " of 1";
  int64_t most = 4 * l.spec.mergeMaxLength;
  if (length > most || (op.getCombine() && count > l.spec.mergeMaxLength))
    return op.emitError() << "Ascend sorts rows of at most " << most
                          << " elements, and combines with at most "
                          << l.spec.mergeMaxLength << ", got " << length
                          << " and " << count << "; take the row in parts";
  Value source = l.buffers.getMatrixOf(op, op.getSource());
  Value values = source ? l.buffers.getMatrixOf(op, op.getValues()) : Value();
  Value indices = values ? l.buffers.getMatrixOf(op, op.getIndices()) : Value();
  if (!indices)
    return failure();
  RowSorter fresh(l, op, length, /*isOld=*/false);
  std::optional<RowSorter> old;
  if (op.getCombine())
    old.emplace(l, op, count, /*isOld=*/true);
  int64_t before = old ? old->getPadded() : 0;
  Value buffers[2];
  for (Value &buffer : buffers)
    buffer = l.buffers.createMatrix(
        loc, std::nullopt, 2 * (before + fresh.getPadded()), b.getF32Type());
  Value base;
  if (op.getBase())
    base = arith::IndexCastOp::create(b, loc, b.getI32Type(), op.getBase());
  OpBuilder::InsertionGuard guard(b);
  Value row;
  if (rows > 1) {
    auto loop =
        scf::ForOp::create(b, loc, l.constantIndex(loc, 0),
                           l.constantIndex(loc, rows), l.constantIndex(loc, 1));
    b.setInsertionPointToStart(loop.getBody());
    row = loop.getInductionVar();
  }
  auto getRow = [&](Value matrix) {
    return l.buffers.createRow(loc, matrix, row);
  };
  // Both end in the second buffer.
  auto sort = [&](RowSorter &sorter, Value keys, Value at, int64_t section) {
    bool isOdd = sorter.getPlan().levels.size() % 2;
    return sorter.sort(keys, at, base, buffers[isOdd ? 0 : 1],
                       buffers[isOdd ? 1 : 0], section);
  };
  if ((old && failed(sort(*old, getRow(values), getRow(indices), 0))) ||
      failed(sort(fresh, getRow(source), Value(), before)))
    return failure();
  Value records = buffers[1];
  auto getRecords = [&](Value buffer, int64_t size) {
    return l.buffers.createPart(loc, buffer, b.getIndexAttr(0),
                                b.getIndexAttr(0), 1, 2 * size);
  };
  if (old) {
    int64_t more = std::min(length, count);
    records = buffers[0];
    MergeSortOp::create(b, loc, getRecords(records, count + more), buffers[1],
                        b.getDenseI64ArrayAttr({count, more}),
                        b.getDenseI64ArrayAttr({0, before}));
  }
  return unpack(l, op, getRecords(records, count), getRow(values),
                getRow(indices));
}

void mlir::tile::ascend::attachTopKModels(MLIRContext *context) {
  tl::TopKOp::attachInterface<TopKModel>(*context);
}
