//===- Scan.cpp - running sums and maxima ---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The digits of the scanned dimension are processed from the least significant
// one up. After a digit, each element holds the scan within the positions of
// the digits so far, its block, and each thread the total of its blocks. The
// next digit combines as many blocks as its extent: in the thread, if it
// numbers registers, by shuffles, if lanes, through shared memory, if warps.
// What comes before a run of registers is added to them once, at the end.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Tile/Conversion/Common.h"
#include "Tile/Layout/Distribute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::Layout;

namespace {
class ScanEmitter {
public:
  ScanEmitter(ScanOp op, const Buffer &source, const Buffer &target,
              KernelLowering &l)
      : op(op), source(source), target(target), l(l), b(l.builder()),
        loc(op.getLoc()), dim(op.getDim()), reverse(op.getReverse()),
        sum(getAccumulatorType(source.element)) {}

  void emit();

private:
  /// Elements of a thread one after the other, and what is still to be put in
  /// front of each of them, if anything.
  struct Run {
    SmallVector<int64_t> registers;
    Value before;
  };
  /// Elements along the dimension that differ in processed digits only.
  struct Block {
    SmallVector<Run> runs;
    Value total;
  };
  /// By the coordinates that registers decide, that of the dimension divided by
  /// the positions of the processed digits.
  using Blocks = std::map<SmallVector<int64_t>, Block>;

  Value read(int64_t reg, ValueRange at);
  void write(int64_t reg, ValueRange at, Value value);
  void readElements(const ThreadMap &map);
  void writeElements(const ThreadMap &map);
  void combineRegisters(const Digit &digit);
  void combineLanes(const Digit &digit, Value position);
  void combineWarps(const Digit &digit, Value position);
  void divideKeys(int64_t extent);
  /// Puts `before`, where there is something before, in front of a block.
  void prepend(Block &block, Value hasBefore, Value before);
  void append(Block &whole, Block &next);
  void addUpTable(const Digit &digit, Value position,
                  function_ref<Value(int64_t, Value)> read);
  void scanTable(const Buffer &table, const Digit &digit);
  void readTable(const Buffer &table, const Digit &digit, Value position);
  void finishRuns();
  void walk();

  Value combine(Value before, Value after);
  Value identity();
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value add(Value x, int64_t y) {
    return b.createOrFold<arith::AddIOp>(loc, x, l.i32(loc, y));
  }
  Value times(Value x, int64_t y) {
    return b.createOrFold<arith::MulIOp>(loc, x, l.i32(loc, y));
  }
  Value shuffle(Value value, Value operand, gpu::ShuffleMode mode);
  /// Whether `distance` positions lie before this one.
  Value isBehind(Value position, int64_t distance, int64_t extent);

  ScanOp op;
  const Buffer &source, &target;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  int64_t dim;
  bool reverse;
  Type sum;
  Layout layout;
  SmallVector<Value> elements; // by register; null: none
  Blocks blocks;
  Value firstLane; // null, or whether the positions of all lane digits are 0
  Value laneBase;  // the lane with those positions 0
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ScanEmitter::combine(Value before, Value after) {
  using K = vector::CombiningKind;
  K kind = K::ADD;
  if (op.getKind() == ScanKind::Max)
    kind = isa<FloatType>(sum)  ? K::MAXNUMF
           : op.getIsUnsigned() ? K::MAXUI
                                : K::MAXSI;
  return vector::makeArithReduction(b, loc, kind, before, after);
}

/// What stands in for elements past the end, with which a reverse scan begins.
Value ScanEmitter::identity() {
  bool isSum = op.getKind() == ScanKind::Sum;
  if (auto type = dyn_cast<FloatType>(sum)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(type, isSum ? llvm::APFloat::getZero(semantics, true)
                                   : llvm::APFloat::getQNaN(semantics)));
  }
  unsigned bits = sum.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      b, loc,
      b.getIntegerAttr(sum, isSum || op.getIsUnsigned()
                                ? APInt::getZero(bits)
                                : APInt::getSignedMinValue(bits)));
}

Value ScanEmitter::shuffle(Value value, Value operand, gpu::ShuffleMode mode) {
  auto op = gpu::ShuffleOp::create(b, loc, toStorage(b, loc, value), operand,
                                   l.i32(loc, l.threads().lanes), mode);
  return fromStorage(b, loc, op.getShuffleResult(), sum);
}

Value ScanEmitter::isBehind(Value position, int64_t distance, int64_t extent) {
  return reverse
             ? b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                             position,
                                             l.i32(loc, extent - distance))
             : b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge,
                                             position, l.i32(loc, distance));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value ScanEmitter::read(int64_t reg, ValueRange at) {
  Value value = source.isRegister()
                    ? l.loadRegister(loc, source, reg)
                    : l.load(loc, source, l.getOffset(loc, source, at));
  return castElement(b, loc, value, sum, {op.getIsUnsigned(), false});
}

void ScanEmitter::write(int64_t reg, ValueRange at, Value value) {
  value = castElement(b, loc, value, target.element);
  if (target.isRegister())
    l.storeRegister(loc, value, target, reg);
  else
    l.store(loc, value, target, l.getOffset(loc, target, at));
}

void ScanEmitter::readElements(const ThreadMap &map) {
  elements.assign(map.numRegisters(), Value());
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    SmallVector<Value> at = map.getCoordinates(b, loc, *part);
    if (Value exists = map.getExistence(b, loc, *part)) {
      auto branch = scf::IfOp::create(b, loc, sum, exists, true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, read(reg, at));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, identity());
      elements[reg] = branch.getResult(0);
    } else {
      elements[reg] = read(reg, at);
    }
    blocks[*part] = {{Run{{reg}, Value()}}, elements[reg]};
  }
}

void ScanEmitter::writeElements(const ThreadMap &map) {
  for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
    if (auto part = map.getRegisterPart(reg))
      l.inIf(loc, map.getExistence(b, loc, *part), [&] {
        write(reg, map.getCoordinates(b, loc, *part), elements[reg]);
      });
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

void ScanEmitter::prepend(Block &block, Value hasBefore, Value before) {
  for (Run &run : block.runs) {
    Value combined = run.before ? combine(before, run.before) : before;
    run.before = hasBefore ? select(hasBefore, combined,
                                    run.before ? run.before : identity())
                           : combined;
  }
}

void ScanEmitter::finishRuns() {
  for (auto &[key, block] : blocks)
    for (const Run &run : block.runs)
      if (run.before)
        for (int64_t reg : run.registers)
          elements[reg] = combine(run.before, elements[reg]);
}

void ScanEmitter::divideKeys(int64_t extent) {
  Blocks divided;
  for (auto &[key, block] : blocks) {
    SmallVector<int64_t> outer(key);
    outer[dim] /= extent;
    divided[outer] = std::move(block);
  }
  blocks = std::move(divided);
}

/// A single element continues the run before it.
void ScanEmitter::append(Block &whole, Block &next) {
  Value total = combine(whole.total, next.total);
  Run &last = whole.runs.back(), &first = next.runs.front();
  if (next.runs.size() == 1 && first.registers.size() == 1 && !first.before &&
      !last.before) {
    elements[first.registers.front()] = total;
    last.registers.append(first.registers);
  } else {
    prepend(next, Value(), whole.total);
    whole.runs.append(next.runs);
  }
  whole.total = total;
}

void ScanEmitter::combineRegisters(const Digit &digit) {
  // Keys that differ along the dimension only, in its order.
  std::map<SmallVector<int64_t>, std::map<int64_t, Block>> groups;
  for (auto &[key, block] : blocks) {
    SmallVector<int64_t> outer(key);
    outer[dim] /= digit.extent;
    groups[outer][reverse ? -key[dim] : key[dim]] = std::move(block);
  }
  blocks.clear();
  for (auto &[key, group] : groups) {
    Block &whole = blocks[key];
    for (auto &[position, block] : group) {
      if (whole.total)
        append(whole, block);
      else
        whole = std::move(block);
    }
  }
}

void ScanEmitter::combineLanes(const Digit &digit, Value position) {
  auto mode = reverse ? gpu::ShuffleMode::DOWN : gpu::ShuffleMode::UP;
  Value toFirst = times(position, digit.stride);
  // The lane that holds the last position in the order of the scan.
  Value last = b.createOrFold<arith::SubIOp>(loc, l.threads().lane, toFirst);
  if (!reverse)
    last = add(last, (digit.extent - 1) * digit.stride);
  for (auto &[key, block] : blocks) {
    Value running = block.total;
    for (int64_t step = 1; step < digit.extent; step *= 2) {
      Value before = shuffle(running, l.i32(loc, step * digit.stride), mode);
      running = select(isBehind(position, step, digit.extent),
                       combine(before, running), running);
    }
    Value before = shuffle(running, l.i32(loc, digit.stride), mode);
    prepend(block, isBehind(position, 1, digit.extent), before);
    block.total = shuffle(running, last, gpu::ShuffleMode::IDX);
  }
  divideKeys(digit.extent);
  laneBase = b.createOrFold<arith::SubIOp>(loc, laneBase, toFirst);
  Value isFirst = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                position, l.i32(loc, 0));
  firstLane = firstLane ? b.createOrFold<arith::AndIOp>(loc, firstLane, isFirst)
                        : isFirst;
}

// What a barrier costs, in loads from the table.
static constexpr int64_t kBarrierLoads = 8;

/// A table of totals by block, warp, and lane where lanes have totals of their
/// own.
void ScanEmitter::combineWarps(const Digit &digit, Value position) {
  const ThreadGroup &threads = l.threads();
  int64_t columns =
      ::tile::layout::scanTotals(layout, dim, {threads.lanes, threads.warps})
          .columns;
  Buffer table;
  table.space = MemorySpace::Shared;
  table.element = sum;
  table.shape = {int64_t(blocks.size()) * threads.warps * columns};
  table.layout = *Layout::rowMajor({table.shape[0]});
  table.base =
      l.getScratch(loc, table.shape[0] * getElementBits(sum) / 8);
  auto cell = [&](int64_t block, Value warp) {
    Value at = times(add(warp, block * threads.warps), columns);
    return columns == 1 ? at : b.createOrFold<arith::AddIOp>(loc, at, laneBase);
  };
  l.barrier(loc);
  l.inIf(loc, firstLane, [&] {
    for (auto [i, entry] : llvm::enumerate(blocks))
      l.store(loc, entry.second.total, table, cell(i, threads.warp));
  });
  l.barrier(loc);
  int64_t alone = int64_t(blocks.size()) * digit.extent;
  int64_t together =
      2 * kBarrierLoads + digit.extent + 2 * int64_t(blocks.size());
  if (columns == 1 && table.shape[0] <= threads.size() && together < alone) {
    scanTable(table, digit);
    readTable(table, digit, position);
  } else {
    addUpTable(digit, position, [&](int64_t block, Value warp) {
      return l.load(loc, table, cell(block, warp));
    });
  }
  divideKeys(digit.extent);
}

/// Each thread adds up the totals of all warps for each of its blocks.
void ScanEmitter::addUpTable(const Digit &digit, Value position,
                             function_ref<Value(int64_t, Value)> read) {
  const ThreadGroup &threads = l.threads();
  Value base = b.createOrFold<arith::SubIOp>(loc, threads.warp,
                                             times(position, digit.stride));
  Value hasBefore = isBehind(position, 1, digit.extent);
  for (auto [i, entry] : llvm::enumerate(blocks)) {
    Value running, before;
    for (int64_t step = 0; step < digit.extent; ++step) {
      int64_t at = reverse ? digit.extent - 1 - step : step;
      if (running) {
        Value isHere = b.createOrFold<arith::CmpIOp>(
            loc, arith::CmpIPredicate::eq, position, l.i32(loc, at));
        before = before ? select(isHere, running, before) : running;
      }
      // Warps past the end of the dimension read some cell that exists.
      Value warp = b.createOrFold<arith::RemUIOp>(
          loc, add(base, at * digit.stride), l.i32(loc, threads.warps));
      Value total = read(i, warp);
      running = running ? combine(running, total) : total;
    }
    prepend(entry.second, hasBefore, before);
    entry.second.total = running;
  }
}

/// Of several blocks, a thread for each cell replaces the cell's total by that
/// of all up to it.
void ScanEmitter::scanTable(const Buffer &table, const Digit &digit) {
  const ThreadGroup &threads = l.threads();
  int64_t cells = table.shape[0];
  Value warps = l.i32(loc, threads.warps), thread = threads.thread;
  if (cells < threads.size())
    thread = b.createOrFold<arith::RemUIOp>(loc, thread, l.i32(loc, cells));
  Value warp = b.createOrFold<arith::RemUIOp>(loc, thread, warps);
  Value row = b.createOrFold<arith::SubIOp>(loc, thread, warp);
  Value position = b.createOrFold<arith::DivUIOp>(loc, warp,
                                                  l.i32(loc, digit.stride));
  position = b.createOrFold<arith::RemUIOp>(loc, position,
                                            l.i32(loc, digit.extent));
  Value base = b.createOrFold<arith::SubIOp>(loc, warp,
                                             times(position, digit.stride));
  Value running;
  for (int64_t step = 0; step < digit.extent; ++step) {
    int64_t at = reverse ? digit.extent - 1 - step : step;
    Value other = b.createOrFold<arith::RemUIOp>(
        loc, add(base, at * digit.stride), warps);
    Value total = l.load(loc, table, b.createOrFold<arith::AddIOp>(loc, row, other));
    if (!running) {
      running = total;
      continue;
    }
    Value counts = b.createOrFold<arith::CmpIOp>(
        loc, reverse ? arith::CmpIPredicate::ule : arith::CmpIPredicate::uge,
        position, l.i32(loc, at));
    running = select(counts, combine(running, total), running);
  }
  l.barrier(loc);
  Value writes;
  if (cells < threads.size())
    writes = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                           threads.thread, l.i32(loc, cells));
  l.inIf(loc, writes, [&] { l.store(loc, running, table, thread); });
  l.barrier(loc);
}

/// What comes before the thread's blocks, and their totals with it, from a
/// scanned table.
void ScanEmitter::readTable(const Buffer &table, const Digit &digit,
                            Value position) {
  const ThreadGroup &threads = l.threads();
  Value warps = l.i32(loc, threads.warps);
  Value base = b.createOrFold<arith::SubIOp>(loc, threads.warp,
                                             times(position, digit.stride));
  auto wrap = [&](Value warp) {
    return b.createOrFold<arith::RemUIOp>(loc, warp, warps);
  };
  Value last = wrap(add(base, reverse ? 0 : (digit.extent - 1) * digit.stride));
  // Where there is none before, some cell that exists.
  Value previous = wrap(add(
      threads.warp, reverse ? digit.stride : threads.warps - digit.stride));
  Value hasBefore = isBehind(position, 1, digit.extent);
  for (auto [i, entry] : llvm::enumerate(blocks)) {
    Value before = l.load(loc, table, add(previous, i * threads.warps));
    prepend(entry.second, hasBefore, before);
    entry.second.total = l.load(loc, table, add(last, i * threads.warps));
  }
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Each thread walks along the dimension, from shared to shared memory.
void ScanEmitter::walk() {
  int64_t extent = source.shape[dim], rows = 1;
  for (auto [i, size] : llvm::enumerate(source.shape)) {
    rows *= int64_t(i) == dim ? 1 : size;
  }
  auto index = [&](int64_t v) { return constantIndex(b, loc, v); };
  auto loop = scf::ForOp::create(b, loc, l.toIndex(loc, l.threads().thread),
                                 index(rows), index(l.threads().size()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(source.shape.size());
  Value left = l.toI32(loc, loop.getInductionVar());
  for (int64_t i = at.size(); i-- > 0;) {
    if (i == dim)
      continue;
    Value size = l.i32(loc, source.shape[i]);
    at[i] = b.createOrFold<arith::RemUIOp>(loc, left, size);
    left = b.createOrFold<arith::DivUIOp>(loc, left, size);
  }
  auto moveTo = [&](Value step) {
    step = l.toI32(loc, step);
    at[dim] =
        reverse
            ? b.createOrFold<arith::SubIOp>(loc, l.i32(loc, extent - 1), step)
            : step;
  };
  moveTo(index(0));
  Value first = read(0, at);
  write(0, at, first);
  auto steps =
      scf::ForOp::create(b, loc, index(1), index(extent), index(1), first);
  b.setInsertionPointToStart(steps.getBody());
  moveTo(steps.getInductionVar());
  Value next = combine(steps.getRegionIterArg(0), read(0, at));
  write(0, at, next);
  scf::YieldOp::create(b, loc, next);
}

void ScanEmitter::emit() {
  layout = source.isRegister() ? source.layout : target.layout;
  if (!source.isRegister() && !target.isRegister()) {
    auto spread = ::tile::layout::spreadForScan(
        {source.shape.begin(), source.shape.end()}, dim,
        {l.threads().lanes, l.threads().warps});
    if (!spread) {
      walk();
      return;
    }
    layout = *spread;
  }
  ThreadMap map(layout, l.threads());
  map.materialize(b, loc);
  readElements(map);
  laneBase = l.threads().lane;
  int64_t weight = 1;
  for (const Digit &digit : llvm::reverse(layout.dims()[dim].digits)) {
    if (digit.extent == 1)
      continue;
    auto position = [&](Value part) {
      part = b.createOrFold<arith::DivUIOp>(loc, part, l.i32(loc, weight));
      return b.createOrFold<arith::RemUIOp>(loc, part,
                                            l.i32(loc, digit.extent));
    };
    if (digit.axis == Axis::Lane)
      combineLanes(digit, position(map.getLanePart(dim)));
    else if (digit.axis == Axis::Warp)
      combineWarps(digit, position(map.getWarpPart(dim)));
    else
      combineRegisters(digit);
    weight *= digit.extent;
  }
  finishRuns();
  writeElements(map);
}

namespace {
struct ScanModel : SIMTLoweringOpInterface::ExternalModel<ScanModel, ScanOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto scan = cast<ScanOp>(op);
    const Buffer *source = l.getBuffer(op, scan.getSource());
    const Buffer *target = l.getBuffer(op, scan.getTarget());
    if (!source || !target)
      return failure();
    ScanEmitter(scan, *source, *target, l).emit();
    return success();
  }
};
} // namespace

void simt::attachScanModels(MLIRContext *context) {
  ScanOp::attachInterface<ScanModel>(*context);
}
