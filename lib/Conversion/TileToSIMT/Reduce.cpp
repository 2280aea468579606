//===- Reduce.cpp - reductions and votes ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterReduce.h"
#include "Models.h"

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Conversion/Common.h"

#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

static Layout rowMajor(ArrayRef<int64_t> shape) {
  return *Layout::rowMajor({shape.begin(), shape.end()});
}

static BufferRegion wholeOf(Value memref, ArrayRef<int64_t> shape) {
  MLIRContext *context = memref.getContext();
  SmallVector<AffineExpr> zeros(shape.size(),
                                getAffineConstantExpr(0, context));
  BufferRegion region;
  region.buffer = memref;
  region.map = AffineMap::get(0, 0, zeros, context);
  region.sizes = llvm::to_vector(shape);
  return region;
}

//===----------------------------------------------------------------------===//
// How values combine
//===----------------------------------------------------------------------===//

namespace {
class Combiner {
public:
  Combiner(ReduceOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()),
        element(getAccumulatorType(
            cast<MemRefType>(op.getSource().getType()).getElementType())) {}

  Type getElement() const { return element; }

  /// An element, widened and made absolute.
  Value prepare(Value value) {
    return widenForReduction(b, op, value, element);
  }

  Value operator()(Value x, Value y) {
    return vector::makeArithReduction(b, loc, getKind(), x, y);
  }

  /// What combines with anything to that.
  Value getIdentity() {
    return arith::ConstantOp::create(b, loc, identity());
  }

private:
  vector::CombiningKind getKind() {
    return getCombiningKind(op, isa<FloatType>(element));
  }

  TypedAttr identity() {
    using K = vector::CombiningKind;
    if (auto type = dyn_cast<FloatType>(element)) {
      const llvm::fltSemantics &semantics = type.getFloatSemantics();
      switch (getKind()) {
      case K::ADD:
        return b.getFloatAttr(type, llvm::APFloat::getZero(semantics, true));
      // What maxnum and minnum ignore: a row of NaN alone stays NaN.
      case K::MAXNUMF:
      case K::MINNUMF:
        return b.getFloatAttr(type, llvm::APFloat::getQNaN(semantics));
      case K::MAXIMUMF:
        return b.getFloatAttr(type, llvm::APFloat::getInf(semantics, true));
      default:
        return b.getFloatAttr(type, llvm::APFloat::getInf(semantics, false));
      }
    }
    unsigned bits = element.getIntOrFloatBitWidth();
    switch (getKind()) {
    case K::MAXSI:
      return b.getIntegerAttr(element, APInt::getSignedMinValue(bits));
    case K::MINSI:
      return b.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
    case K::MINUI:
    case K::AND:
      return b.getIntegerAttr(element, APInt::getAllOnes(bits));
    default:
      return b.getIntegerAttr(element, APInt::getZero(bits));
    }
  }

  ReduceOp op;
  OpBuilder &b;
  Location loc;
  Type element;
};

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

/// Registers first, then lanes by shuffles, then warps through shared memory.
class ReduceEmitter {
public:
  ReduceEmitter(ReduceOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()), combine(op, b),
        dim(op.getDim()), cluster(op, l),
        blocks(ClusterReduce::countBlocks(op)) {}

  LogicalResult emit();

private:
  LogicalResult readSource(const Buffer &source);
  void foldLanes();
  void spreadOverLanes(const ThreadMap &map);
  Value shuffle(Value value, int64_t distance);
  void storePartials(const ThreadMap &map, Value writes, Value column);
  void throughShared(const ThreadMap &map, bool complete);
  bool savesLoads(const ThreadMap &readers) const;
  void combineColumns(const ThreadMap &readers);
  LogicalResult writeTarget(const Buffer &target);
  void writeTo(const Buffer &target, int64_t reg, ArrayRef<int64_t> part,
               Value value, MemoryRegion *memory);
  SmallVector<int64_t> dropDim(ArrayRef<int64_t> part) const {
    SmallVector<int64_t> rest(part);
    rest.erase(rest.begin() + dim);
    return rest;
  }

  ReduceOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  Combiner combine;
  int64_t dim;
  ClusterReduce cluster;
  int64_t blocks;                // that have parts of the rows
  SmallVector<int64_t> rowShape; // of the source without `dim`
  Layout layout;                 // of the source's elements over threads
  /// The partial result of each register part of the rows.
  llvm::MapVector<SmallVector<int64_t>, Value,
                  std::map<SmallVector<int64_t>, unsigned>>
      rows;
  /// What goes through shared memory: where, behind the first row of the
  /// thread, and the result; and which threads have it, null for all.
  struct Partial {
    SmallVector<Value> offsets;
    Value value;
  };
  SmallVector<Partial> partials;
  Value hasPartials;
  Buffer room; // where complete rows lie, if they went through shared memory
  bool inShared = false;
};
} // namespace

/// How many sums of its elements a thread has beside each other. In one, each
/// element waits for the one before; several take registers, and pay for long
/// rows.
static int64_t countChains(const ThreadMap &map, int dim) {
  constexpr int64_t kLong = 64, kChains = 4;
  std::map<SmallVector<int64_t>, int64_t> elements;
  int64_t longest = 0;
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
    if (auto part = map.getRegisterPart(reg)) {
      part->erase(part->begin() + dim);
      longest = std::max(longest, ++elements[*part]);
    }
  return longest < kLong ? 1 : kChains;
}

LogicalResult ReduceEmitter::readSource(const Buffer &source) {
  std::optional<MemoryRegion> memory;
  if (source.space == MemorySpace::Fragment) {
    layout = source.layout;
  } else {
    layout = getCoalescedLayout(source.shape, 1, l.threads());
    SmallVector<bool> inside(source.shape.size(), true);
    memory.emplace(l, loc, source, wholeOf(op.getSource(), source.shape),
                   inside);
  }
  ThreadMap map(layout, l.threads());
  map.materialize(b, loc);
  std::map<SmallVector<int64_t>, std::deque<Value>> chains;
  size_t most = countChains(map, dim);
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    auto read = [&] {
      return combine.prepare(
          memory ? l.load(loc, source,
                          memory->getOffset(map.getCoordinates(b, loc, *part)))
                 : l.loadRegister(loc, source, reg));
    };
    Value value;
    if (Value exists = map.getExistence(b, loc, *part)) {
      auto branch =
          scf::IfOp::create(b, loc, combine.getElement(), exists, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, read());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, combine.getIdentity());
      value = branch.getResult(0);
    } else {
      value = read();
    }
    // In turns: the chain that has waited longest is the first.
    std::deque<Value> &ofRow = chains[dropDim(*part)];
    if (ofRow.size() == most) {
      value = combine(ofRow.front(), value);
      ofRow.pop_front();
    }
    ofRow.push_back(value);
    rows[dropDim(*part)] = value;
  }
  for (auto &[row, result] : rows) {
    std::deque<Value> &ofRow = chains[row];
    for (; ofRow.size() > 1; ofRow.erase(ofRow.begin(), ofRow.begin() + 2))
      ofRow.push_back(combine(ofRow[0], ofRow[1]));
    result = ofRow.front();
  }
  return success();
}

Value ReduceEmitter::shuffle(Value value, int64_t distance) {
  auto shuffle = gpu::ShuffleOp::create(
      b, loc, toStorage(b, loc, value), l.i32(loc, distance),
      l.i32(loc, l.threads().lanes), gpu::ShuffleMode::XOR);
  return fromStorage(b, loc, shuffle.getShuffleResult(), combine.getElement());
}

void ReduceEmitter::foldLanes() {
  for (const auto &digit : layout.dims()[dim].digits) {
    if (!isOnThreads(digit) || !isFolded(digit))
      continue;
    for (int64_t step = 1; step < digit.extent; step *= 2)
      for (auto &[part, value] : rows)
        value = combine(value, shuffle(value, step * digit.stride));
  }
}

/// Shuffles that give each lane a part of the rows: of two lanes, each gets the
/// other's results for half of the rows, so that there is half as much to do in
/// each step. The sums are those of `foldLanes`.
void ReduceEmitter::spreadOverLanes(const ThreadMap &map) {
  Value zero = l.i32(loc, 0);
  int64_t weight = 1;
  for (const auto &digit : llvm::reverse(layout.dims()[dim].digits)) {
    Value number = b.createOrFold<arith::DivUIOp>(loc, map.getThreadPart(dim),
                                                  l.i32(loc, weight));
    weight *= digit.extent;
    if (!isOnThreads(digit) || !isFolded(digit))
      continue;
    for (int64_t step = 1; step < digit.extent; step *= 2) {
      int64_t distance = step * digit.stride;
      Value bit =
          b.createOrFold<arith::AndIOp>(loc, number, l.i32(loc, step));
      if (partials.size() % 2 != 0) {
        for (Partial &partial : partials)
          partial.value =
              combine(partial.value, shuffle(partial.value, distance));
        Value isFirst = b.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::eq, bit, zero);
        hasPartials = hasPartials ? b.createOrFold<arith::AndIOp>(
                                        loc, hasPartials, isFirst)
                                  : isFirst;
        continue;
      }
      Value isSecond = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ne, bit, zero);
      auto choose = [&](Value second, Value first) {
        return b.createOrFold<arith::SelectOp>(loc, isSecond, second, first);
      };
      size_t half = partials.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        Partial &first = partials[i], &second = partials[i + half];
        Value given =
            shuffle(choose(first.value, second.value), distance);
        first.value = combine(choose(second.value, first.value), given);
        for (auto [own, other] : llvm::zip(first.offsets, second.offsets))
          own = choose(other, own);
      }
      partials.truncate(half);
    }
  }
}

/// Partial results to a column of the table, under a condition.
void ReduceEmitter::storePartials(const ThreadMap &map, Value writes,
                                  Value column) {
  // A thread past the end of the rows has no place in the table; one past the
  // end of the reduced dimension has the identity there.
  for (const Partial &partial : partials) {
    SmallVector<Value> at;
    Value exists = writes;
    for (auto [i, own] : llvm::enumerate(partial.offsets)) {
      int64_t d = i < size_t(dim) ? i : i + 1;
      Value coordinate =
          b.createOrFold<arith::AddIOp>(loc, map.getThreadPart(d), own);
      Value inside = b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ult, coordinate, l.i32(loc, rowShape[i]));
      exists =
          exists ? b.createOrFold<arith::AndIOp>(loc, exists, inside) : inside;
      at.push_back(coordinate);
    }
    at.push_back(column);
    l.inIf(loc, exists, [&] {
      Value offset = l.getOffset(loc, room, at);
      if (blocks > 1)
        cluster.store(loc, l.getAddress(loc, room, offset), partial.value);
      else
        l.store(loc, partial.value, room, offset);
    });
  }
}

/// Each thread puts its partial results into a table with a column for each
/// thread position that shuffles do not fold, or one column if the results are
/// complete; rows are read back.
void ReduceEmitter::throughShared(const ThreadMap &map, bool complete) {
  int64_t positions = 1, weight = 1;
  Value column = l.i32(loc, 0), writes = map.getThreadGuard();
  auto require = [&](Value condition) {
    writes = writes ? b.createOrFold<arith::AndIOp>(loc, writes, condition)
                    : condition;
  };
  if (Value first = map.getFirstCopy())
    require(first);
  for (auto &[part, value] : rows) {
    Partial &partial = partials.emplace_back();
    for (int64_t own : part)
      partial.offsets.push_back(l.i32(loc, own));
    partial.value = value;
  }
  if (!complete)
    spreadOverLanes(map);
  if (hasPartials)
    require(hasPartials);
  for (const auto &digit : llvm::reverse(layout.dims()[dim].digits)) {
    if (isOnThreads(digit)) {
      Value value = b.createOrFold<arith::DivUIOp>(
          loc, map.getThreadPart(dim), l.i32(loc, weight));
      value = b.createOrFold<arith::RemUIOp>(loc, value,
                                             l.i32(loc, digit.extent));
      if (complete) {
        require(b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                              value, l.i32(loc, 0)));
      } else if (!isFolded(digit)) {
        value = b.createOrFold<arith::MulIOp>(loc, value,
                                              l.i32(loc, positions));
        column = b.createOrFold<arith::AddIOp>(loc, column, value);
        positions *= digit.extent;
      }
    }
    weight *= digit.extent;
  }
  if (blocks > 1) {
    // The columns of each block stand together.
    Value first = b.createOrFold<arith::MulIOp>(loc, cluster.getRank(loc),
                                                l.i32(loc, positions));
    column = b.createOrFold<arith::AddIOp>(loc, column, first);
    positions *= blocks;
  }
  room.space = MemorySpace::Shared;
  room.element = combine.getElement();
  room.shape = rowShape;
  room.shape.push_back(positions);
  // An odd pitch spreads the rows over the banks.
  std::vector<::tile::layout::Dim> dims;
  int64_t stride = positions | 1;
  for (int64_t extent : llvm::reverse(rowShape)) {
    dims.insert(dims.begin(), {extent, {{extent, Axis::Offset, stride}}});
    stride *= extent;
  }
  dims.push_back({positions, {{positions, Axis::Offset, 1}}});
  room.layout = *Layout::get(dims);
  if (blocks > 1) {
    room.base = cluster.getTable(loc);
    cluster.begin(loc);
  } else {
    room.base = l.getScratch(loc, stride * (getElementBits(room.element) / 8));
    l.barrier(loc);
  }
  storePartials(map, writes, column);
  if (blocks > 1)
    cluster.end(loc);
  else
    l.barrier(loc);
  inShared = true;
}

// What a barrier costs, in loads from the table.
static constexpr int64_t kBarrierLoads = 8;

/// Whether results that lie one behind the other, which takes another barrier,
/// are read by so many fewer instructions.
bool ReduceEmitter::savesLoads(const ThreadMap &readers) const {
  int64_t vector = 8 * l.getGPU().vectorBytes / getElementBits(room.element);
  int64_t loads = readers.numRegisters();
  return loads - loads / std::min(readers.getRun(), vector) > kBarrierLoads;
}

/// Where many threads would add up the columns of the same rows, each thread
/// does it for a few rows, and all of them read the results.
void ReduceEmitter::combineColumns(const ThreadMap &readers) {
  int64_t columns = room.shape.back(), count = layout.numElements() / layout.extent(dim);
  int64_t threads = l.threads().size();
  int64_t alone = readers.numRegisters() * columns;
  int64_t shared = llvm::divideCeil(count, threads) * columns +
                   readers.numRegisters() + kBarrierLoads;
  if (alone <= shared)
    return;
  auto addUp = [&](Value row) {
    Value place = arith::MulIOp::create(b, loc, row, l.i32(loc, columns | 1));
    Value value = l.load(loc, room, place);
    for (int64_t column = 1; column < columns; ++column) {
      Value cell = arith::AddIOp::create(b, loc, place, l.i32(loc, column));
      value = combine(value, l.load(loc, room, cell));
    }
    return std::pair(place, value);
  };
  auto getRow = [&](int64_t first, Value &exists) {
    Value row = b.createOrFold<arith::AddIOp>(loc, l.threads().thread,
                                              l.i32(loc, first));
    if (first + threads > count)
      exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row,
                                     l.i32(loc, count));
    return row;
  };
  room.shape.back() = 1;
  if (count <= threads && savesLoads(readers)) {
    // All have read the table before the results take its place.
    Value exists;
    Value row = getRow(0, exists), value;
    if (exists) {
      auto branch =
          scf::IfOp::create(b, loc, combine.getElement(), exists, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, addUp(row).second);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, combine.getIdentity());
      value = branch.getResult(0);
    } else {
      value = addUp(row).second;
    }
    l.barrier(loc);
    l.inIf(loc, exists, [&] { l.store(loc, value, room, row); });
    room.layout = rowMajor(room.shape);
  } else {
    for (int64_t first = 0; first < count; first += threads) {
      Value exists;
      Value row = getRow(first, exists);
      l.inIf(loc, exists, [&] {
        auto [place, value] = addUp(row);
        l.store(loc, value, room, place);
      });
    }
  }
  l.barrier(loc);
}

void ReduceEmitter::writeTo(const Buffer &target, int64_t reg,
                            ArrayRef<int64_t> part, Value value,
                            MemoryRegion *memory) {
  Value offset = memory ? memory->getOffset(part) : Value();
  if (op.getCombine()) {
    Value old = memory ? l.load(loc, target, offset)
                       : l.loadRegister(loc, target, reg);
    old = castElement(b, loc, old, combine.getElement(),
                      {op.getIsUnsigned(), false});
    bool isInteger = isa<IntegerType>(combine.getElement());
    if (isInteger && op.getKind() == ReduceKind::AbsMax && !op.getIsUnsigned())
      old = arith::MaxSIOp::create(b, loc, old,
                                   constantZero(b, loc, combine.getElement()));
    value = combine(old, value);
  }
  value = castElement(b, loc, value, target.element);
  if (memory)
    l.store(loc, value, target, offset);
  else
    l.storeRegister(loc, value, target, reg);
}

LogicalResult ReduceEmitter::writeTarget(const Buffer &target) {
  // The target may keep a unit dimension.
  bool keeps = target.shape.size() > rowShape.size();
  auto rowsOf = [&](ArrayRef<int64_t> part) {
    return keeps ? dropDim(part) : SmallVector<int64_t>(part);
  };
  Layout own = target.layout;
  std::optional<MemoryRegion> memory;
  if (!target.isRegister()) {
    own = getCoalescedLayout(target.shape, 1, l.threads());
    SmallVector<bool> inside(target.shape.size(), true);
    memory.emplace(l, loc, target, wholeOf(op.getTarget(), target.shape),
                   inside);
  }
  if (!inShared) {
    auto reduced = ::tile::layout::reduceDim(layout, dim);
    auto plain = ::tile::layout::reshape(own, {rowShape.begin(), rowShape.end()});
    if (!reduced || !plain)
      return op.emitOpError() << "cannot be lowered to threads: "
                              << (reduced ? plain.reason() : reduced.reason());
    if (!::tile::layout::containsInRegisters(*reduced, *plain)) {
      ThreadMap map(layout, l.threads());
      map.materialize(b, loc);
      throughShared(map, /*complete=*/true);
    }
  }
  ThreadMap map(own, l.threads());
  if (inShared)
    combineColumns(map);
  map.materialize(b, loc);
  SmallVector<int64_t> tile = wholeOf(op.getTarget(), target.shape)
                                  .getMatchedSizes();
  if (memory && tile.size() == target.shape.size())
    memory->bind(map);
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    Value exists = map.getExistence(b, loc, *part);
    l.inIf(loc, exists, [&] {
      Value value;
      if (inShared) {
        SmallVector<Value> at = map.getCoordinates(b, loc, *part);
        if (keeps)
          at.erase(at.begin() + dim);
        for (int64_t column = 0; column < room.shape.back(); ++column) {
          SmallVector<Value> cell(at);
          cell.push_back(l.i32(loc, column));
          Value next = l.load(loc, room, l.getOffset(loc, room, cell));
          value = value ? combine(value, next) : next;
        }
      } else {
        value = rows.lookup(rowsOf(*part));
      }
      writeTo(target, reg, *part, value, memory ? &*memory : nullptr);
    });
  }
  return success();
}

LogicalResult ReduceEmitter::emit() {
  const Buffer *source = l.getBuffer(op, op.getSource());
  const Buffer *target = l.getBuffer(op, op.getTarget());
  if (!source || !target)
    return failure();
  rowShape = dropDim(source->shape);
  if (rowShape.empty())
    return op.emitOpError("expected a source of two dimensions or more; run "
                          "'tile-select-instructions' first");
  if (failed(readSource(*source)))
    return failure();
  if (blocks > 1 || countColumns(layout, dim) > 1) {
    ThreadMap map(layout, l.threads());
    map.materialize(b, loc);
    throughShared(map, /*complete=*/false);
  } else {
    foldLanes();
  }
  return writeTarget(*target);
}

namespace {
struct ReduceModel
    : SIMTLoweringOpInterface::ExternalModel<ReduceModel, ReduceOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    return ReduceEmitter(cast<ReduceOp>(op), l).emit();
  }
};

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

/// The combined truth of all elements, the same in all threads.
template <typename OpTy, bool kAll>
struct VoteModel
    : SIMTLoweringOpInterface::ExternalModel<VoteModel<OpTy, kAll>, OpTy> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    Value memref = cast<OpTy>(op).getSource();
    const Buffer *buffer = l.getBuffer(op, memref);
    if (!buffer)
      return failure();
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Layout layout = buffer->space == MemorySpace::Fragment
                        ? buffer->layout
                        : getCoalescedLayout(buffer->shape, 1, l.threads());
    ThreadMap map(layout, l.threads());
    map.materialize(b, loc);
    Value zero = constantZero(b, loc, buffer->element);
    Value all = arith::ConstantIntOp::create(b, loc, kAll, 1);
    for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
      auto part = map.getRegisterPart(reg);
      if (!part)
        continue;
      Value exists = map.getExistence(b, loc, *part);
      if (!exists)
        exists = arith::ConstantIntOp::create(b, loc, 1, 1);
      auto branch = scf::IfOp::create(b, loc, b.getI1Type(), exists, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value value =
          buffer->space == MemorySpace::Fragment
              ? l.loadRegister(loc, *buffer, reg)
              : l.load(loc, *buffer,
                       l.getOffset(loc, *buffer,
                                   map.getCoordinates(b, loc, *part)));
      Value truth =
          isa<FloatType>(buffer->element)
              ? Value(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                            value, zero))
              : Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                            value, zero));
      scf::YieldOp::create(b, loc, truth);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc,
                           Value(arith::ConstantIntOp::create(b, loc, kAll, 1)));
      b.setInsertionPointAfter(branch);
      Value result = branch.getResult(0);
      all = kAll ? Value(arith::AndIOp::create(b, loc, all, result))
                 : Value(arith::OrIOp::create(b, loc, all, result));
    }
    op->getResult(0).replaceAllUsesWith(share(all, l, loc));
    return success();
  }

private:
  /// At a barrier that combines what the threads bring, where there is one; else
  /// threads whose truth decides write it to one word.
  static Value share(Value own, KernelLowering &l, Location loc) {
    OpBuilder &b = l.builder();
    const ThreadGroup &group = l.threads();
    Value number = getMeetingBarrier(l, loc);
    if (Value voted = l.getSIMT().voteAtBarrier(l, loc, number, group.size(),
                                                own, kAll))
      return voted;
    Buffer room;
    room.space = MemorySpace::Shared;
    room.element = b.getI32Type();
    room.shape = {1};
    room.layout = rowMajor({1});
    room.base = l.getScratch(loc, 4);
    Value zero = l.i32(loc, 0);
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        l.threads().thread, zero);
    l.barrier(loc);
    l.inIf(loc, first, [&] {
      l.store(loc, l.i32(loc, kAll), room, zero);
    });
    l.barrier(loc);
    Value deciding = own;
    if (kAll)
      deciding = arith::XOrIOp::create(
          b, loc, own, arith::ConstantIntOp::create(b, loc, 1, 1));
    // All of them write the same value; an atomic says so.
    l.inIf(loc, deciding, [&] {
      Value address = l.getAddress(loc, room, zero);
      LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, address,
                                l.i32(loc, !kAll),
                                LLVM::AtomicOrdering::monotonic);
    });
    l.barrier(loc);
    Value word = l.load(loc, room, zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word, zero);
  }
};
} // namespace

void simt::attachReduceModels(MLIRContext *context) {
  ReduceOp::attachInterface<ReduceModel>(*context);
  AnyOfOp::attachInterface<VoteModel<AnyOfOp, false>>(*context);
  AllOfOp::attachInterface<VoteModel<AllOfOp, true>>(*context);
}
