//===- Atomic.cpp - updates of shared elements ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "Runs.h"
#include "TileCopy.h"

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static LLVM::AtomicBinOp getOperation(AtomicOp op, Type element) {
  using K = LLVM::AtomicBinOp;
  bool isFloat = isa<FloatType>(element), isUnsigned = op.getIsUnsigned();
  switch (op.getKind()) {
  case AtomicKind::Add:
    return isFloat ? K::fadd : K::add;
  case AtomicKind::Max:
    return isFloat ? K::fmax : isUnsigned ? K::umax : K::max;
  case AtomicKind::Min:
    return isFloat ? K::fmin : isUnsigned ? K::umin : K::min;
  case AtomicKind::Or:
    return K::_or;
  }
  llvm_unreachable("all kinds are handled");
}

static bool usesOld(AtomicOp op) {
  return op.getOld() && !op.getOld().use_empty();
}

/// How many elements one instruction updates.
static int64_t getRun(AtomicOp op, const Buffer &buffer, KernelLowering &l) {
  return usesOld(op) || buffer.space != MemorySpace::Global
             ? 1
             : l.getSIMT().getUpdateRun(l, op.getKind(), buffer.element);
}

static Value update(AtomicOp op, const Buffer &buffer, Value value,
                    Value offset, KernelLowering &l) {
  OpBuilder &b = l.builder();
  Location loc = op.getLoc();
  Value address = l.getAddress(loc, buffer, offset);
  // LLVM compares and swaps the word around a half.
  if (getElementBits(buffer.element) == 16 && getRun(op, buffer, l) > 1) {
    l.getSIMT().updateRun(l, loc, op.getKind(), address, value);
    return {};
  }
  Value old = LLVM::AtomicRMWOp::create(
      b, loc, getOperation(op, buffer.element), address,
      toStorage(b, loc, value), LLVM::AtomicOrdering::monotonic);
  return fromStorage(b, loc, old, buffer.element);
}

/// Once for the block: the first thread updates the element, and all threads
/// get the old value. Threads of a block are synchronised where this stands.
static Value updateOnce(AtomicOp op, const Buffer &buffer, Value offset,
                        KernelLowering &l) {
  Location loc = op.getLoc();
  auto run = [&] { return update(op, buffer, op.getValue(), offset, l); };
  if (l.threads().size() == 1)
    return run();
  if (!usesOld(op)) {
    l.inFirstThread(loc, [&] { run(); });
    return {};
  }
  Buffer room;
  room.space = MemorySpace::Shared;
  room.element = buffer.element;
  room.base = l.getScratch(loc, getElementBits(buffer.element) / 8);
  Value first = l.i32(loc, 0);
  l.barrier(loc);
  l.inFirstThread(loc, [&] { l.store(loc, run(), room, first); });
  l.barrier(loc);
  return l.load(loc, room, first);
}

static SmallVector<Value> getIndices(AtomicOp op, KernelLowering &l) {
  std::optional<AffineMap> map = op.getTargetMap();
  return map ? expandMap(l.builder(), op.getLoc(), *map, op.getTargetIndices())
             : SmallVector<Value>();
}

/// Of an iteration: threads that hold copies of it do not update, and have no
/// use of the old value, or there would be no copies.
static Value updateGuarded(AtomicOp op, const Buffer &buffer,
                           ValueRange indices, KernelLowering &l) {
  Location loc = op.getLoc();
  auto &scope = l.getState<ParallelScope>();
  SmallVector<Operation *> run = findRun(op, buffer, getRun(op, buffer, l),
                                         [&](Operation *next) {
    auto atomic = dyn_cast<AtomicOp>(next);
    return atomic && !atomic.isTileForm() && !usesOld(atomic) &&
                   atomic.getTarget() == op.getTarget() &&
                   atomic.getKind() == op.getKind()
               ? std::optional(getIndices(atomic, l))
               : std::nullopt;
  });
  Value offset = l.getOffset(loc, buffer, indices), old;
  l.inIf(loc, scope.writeGuard, [&] {
    if (run.size() == 1) {
      old = update(op, buffer, op.getValue(), offset, l);
      return;
    }
    SmallVector<Value> values;
    for (Operation *one : run)
      values.push_back(cast<AtomicOp>(one).getValue());
    l.getSIMT().updateRun(l, loc, op.getKind(),
                          l.getAddress(loc, buffer, offset), values);
  });
  setDone(l, run);
  return scope.writeGuard ? Value() : old;
}

/// Whether each `run` elements of a thread are updated by one instruction: they
/// are neighbours on both sides, known to begin at a multiple of it, and inside
/// of the buffer together or not.
static bool updatesRuns(const ThreadMap &map, int64_t run, MemoryRegion &target,
                        MemoryRegion *source) {
  const Buffer &buffer = target.getBuffer();
  if (buffer.space != MemorySpace::Global)
    return false;
  std::optional<int64_t> extent = getConstantIntValue(buffer.sizes.back());
  auto isAligned = [&](MemoryRegion &side) {
    return side.isContiguous(run) && !side.getAlignment(run);
  };
  return extent && *extent % run == 0 && walksLastDim(map, run) &&
         isAligned(target) && (!source || isAligned(*source));
}

static SmallVector<Value> readRun(KernelLowering &l, Location loc,
                                  const Buffer &source, MemoryRegion *memory,
                                  int64_t reg, ValueRange at, int64_t run) {
  SmallVector<Value> values;
  if (memory) {
    Value all = l.load(loc, source, memory->getOffset(at), run);
    for (int64_t i = 0; i < run; ++i)
      values.push_back(vector::ExtractOp::create(l.builder(), loc, all,
                                                 ArrayRef<int64_t>{i}));
    return values;
  }
  for (int64_t i = 0; i < run; ++i)
    values.push_back(l.loadRegister(loc, source, reg + i));
  return values;
}

namespace {
struct AtomicModel
    : SIMTLoweringOpInterface::ExternalModel<AtomicModel, AtomicOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto atomic = cast<AtomicOp>(op);
    const Buffer *buffer = l.getBuffer(op, atomic.getTarget());
    if (!buffer)
      return failure();
    if (buffer->isRegister())
      return op->emitOpError("expected a target in global or shared memory");
    return atomic.isTileForm() ? lowerTile(atomic, *buffer, l)
                               : lowerElement(atomic, *buffer, l);
  }

private:
  static LogicalResult lowerElement(AtomicOp op, const Buffer &buffer,
                                    KernelLowering &l) {
    if (takeDone(l, op))
      return success();
    SmallVector<Value> indices = getIndices(op, l);
    Value old =
        l.getState<ParallelScope>().isInLoop
            ? updateGuarded(op, buffer, indices, l)
            : updateOnce(op, buffer, l.getOffset(op.getLoc(), buffer, indices),
                         l);
    if (usesOld(op))
      op.getOld().replaceAllUsesWith(old);
    return success();
  }

  /// By the copy engine: a copy that adds.
  static LogicalResult lowerTensor(AtomicOp op, TransferAttr transfer,
                                   KernelLowering &l) {
    OpBuilder b(op);
    auto copy = CopyOp::create(
        b, op.getLoc(), op.getValue(), ValueRange(), op.getTarget(),
        op.getTargetIndices(), AffineMapAttr(), DenseI64ArrayAttr(),
        op.getTargetMapAttr(), op.getTargetSizesAttr(), /*is_unsigned=*/false,
        /*saturate=*/false, InstructionAttr(), IntegerAttr(), transfer,
        /*signal=*/Value());
    LogicalResult result =
        l.getSIMT().copyTensor(l, copy, /*barrier=*/Value(), op.getKind());
    copy.erase();
    return result;
  }

  static LogicalResult lowerTile(AtomicOp op, const Buffer &buffer,
                                 KernelLowering &l) {
    if (TransferAttr transfer = op.getInstructionAttr())
      return lowerTensor(op, transfer, l);
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    const Buffer *source = l.getBuffer(op, op.getValue());
    if (!source)
      return failure();
    BufferRegion to = withOffsets(op.getTargetRegion());
    SmallVector<int64_t> tile = to.getMatchedSizes();
    if (llvm::is_contained(tile, 0))
      return success();
    if (tile.empty())
      tile.push_back(1);
    SmallVector<bool> open(to.sizes.size(), false);
    MemoryRegion target(l, loc, buffer, to, open);
    BufferRegion from = withOffsets(getWholeRegion(op.getValue()));
    SmallVector<bool> closed(from.sizes.size(), true);
    std::optional<MemoryRegion> memory;
    int64_t run = getRun(op, buffer, l);
    auto layout = getCoalescedLayout(tile, 1, l.threads());
    if (source->isRegister()) {
      auto own = ::tile::layout::reshape(source->layout,
                                         {tile.begin(), tile.end()});
      if (!own)
        return op.emitOpError() << "cannot be lowered to threads: "
                                << own.reason();
      layout = *own;
      while (run > 1 &&
             !updatesRuns(ThreadMap(layout, l.threads()), run, target, nullptr))
        run /= 2;
    } else {
      memory.emplace(l, loc, *source, from, closed);
      for (; run > 1; run /= 2) {
        if (tile.back() % run != 0)
          continue;
        layout = getCoalescedLayout(tile, run, l.threads());
        if (updatesRuns(ThreadMap(layout, l.threads()), run, target, &*memory))
          break;
        layout = getCoalescedLayout(tile, 1, l.threads());
      }
    }
    ThreadMap map(layout, l.threads());
    map.materialize(b, loc);
    for (int64_t reg = 0; reg < map.numRegisters(); reg += run) {
      auto part = map.getRegisterPart(reg);
      if (!part)
        continue;
      Value guard = map.getExistence(b, loc, *part);
      SmallVector<Value> at = map.getCoordinates(b, loc, *part);
      for (Value condition : {map.getFirstCopy(), target.isInside(at)})
        if (condition)
          guard = guard ? b.createOrFold<arith::AndIOp>(loc, guard, condition)
                        : condition;
      l.inIf(loc, guard, [&] {
        Value offset = target.getOffset(at);
        if (run > 1)
          return l.getSIMT().updateRun(
              l, loc, op.getKind(),
              l.getAddress(loc, target.getBuffer(), offset),
              readRun(l, loc, *source, memory ? &*memory : nullptr, reg, at,
                      run));
        Value value = memory ? l.load(loc, *source, memory->getOffset(at))
                             : l.loadRegister(loc, *source, reg);
        update(op, target.getBuffer(), value, offset, l);
      });
    }
    return success();
  }
};
} // namespace

void simt::attachAtomicModels(MLIRContext *context) {
  AtomicOp::attachInterface<AtomicModel>(*context);
}
