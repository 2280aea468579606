//===- OrderVectors.cpp - vector instructions between barriers ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier waits for all vector instructions before it, so what it costs is
// shared by those that stand between two of them: an instruction goes as far up
// as what it depends on lets it.
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ascend/IR/Engines.h"
#include "Tile/Dialect/Ascend/Transforms/Memory.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDORDERVECTORSPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;

namespace {
/// The last ops that touched a buffer, as far as they matter for its order.
struct BufferUses {
  SmallVector<Operation *, 4> writers, readers;
};

/// Ops of a block between those that stay where they are.
class Segment {
public:
  /// False if the op ends a segment.
  bool add(Operation *op);
  bool isWorthOrdering() const { return vectors > 2; }
  void order();
  /// Back to the order in which they were added.
  void restore() { place(ops); }

private:
  void place(ArrayRef<Operation *> sorted);
  void follow(Operation *op, Operation *before);

  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> levels;
  DenseMap<Value, BufferUses> uses;
  unsigned vectors = 0;
};
} // namespace

static bool isVector(Operation *op) {
  auto instruction = dyn_cast<InstructionOpInterface>(op);
  return instruction && instruction.getPipe() == Pipe::V;
}

/// Two vector instructions have a barrier between them.
void Segment::follow(Operation *op, Operation *before) {
  bool hasBarrier = isVector(op) && isVector(before);
  levels[op] = std::max(levels[op], levels[before] + (hasBarrier ? 1 : 0));
}

bool Segment::add(Operation *op) {
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp, SetFlagOp, WaitFlagOp,
          PipeBarrierOp>(op))
    return false;
  SmallVector<tl::Access> accesses;
  if (!isPure(op) && failed(tl::collectAccesses(op, accesses)))
    return false;
  levels[op] = 0;
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp(); def && levels.count(def))
      levels[op] = std::max(levels[op], levels[def]);
  for (const tl::Access &access : accesses) {
    bool writes = access.kind != tl::AccessKind::Read;
    BufferUses &last = uses[tl::getBaseBuffer(access.region.buffer)];
    for (Operation *before : last.writers)
      follow(op, before);
    if (writes)
      for (Operation *before : last.readers)
        follow(op, before);
  }
  for (const tl::Access &access : accesses) {
    BufferUses &last = uses[tl::getBaseBuffer(access.region.buffer)];
    (access.kind == tl::AccessKind::Read ? last.readers : last.writers)
        .push_back(op);
  }
  ops.push_back(op);
  vectors += isVector(op);
  return true;
}

void Segment::order() {
  SmallVector<Operation *> sorted = ops;
  llvm::stable_sort(sorted, [&](Operation *a, Operation *c) {
    return levels[a] < levels[c];
  });
  place(sorted);
}

void Segment::place(ArrayRef<Operation *> sorted) {
  // What follows the segment stays where it is.
  DenseSet<Operation *> own(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  Block::iterator next = ops.front()->getIterator();
  while (next != block->end() && own.contains(&*next))
    ++next;
  for (Operation *op : sorted)
    op->moveBefore(block, next);
}

static SmallVector<Segment> findSegments(tl::KernelOp kernel) {
  SmallVector<Segment> segments;
  kernel.walk([&](Block *block) {
    Segment segment;
    auto close = [&] {
      if (segment.isWorthOrdering())
        segments.push_back(std::move(segment));
      segment = Segment();
    };
    for (Operation &op : *block)
      if (!segment.add(&op))
        close();
    close();
  });
  return segments;
}

namespace {
struct AscendOrderVectors
    : mlir::tile::ascend::impl::AscendOrderVectorsPassBase<AscendOrderVectors> {
  void runOnOperation() override {
    getOperation()->walk([](tl::KernelOp kernel) {
      if (getSpec(kernel).isOrdered(target::Engine::V) ||
          findFullMemory(kernel))
        return WalkResult::skip();
      SmallVector<Segment> segments = findSegments(kernel);
      for (Segment &segment : segments)
        segment.order();
      // Tiles live longer now.
      if (findFullMemory(kernel))
        for (Segment &segment : segments)
          segment.restore();
      return WalkResult::skip();
    });
  }
};
} // namespace
