//===- LayoutFit.cpp - tiles that shared memory has no room for -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile whose elements no thread gets from another may be in registers: a
// gemm's operand that is brought as a whole, and sums on their way to global
// memory. Registers are slower here, as each warp reads an operand itself, so
// that only those tiles move without which the others do not fit.
//
//===----------------------------------------------------------------------===//

#include "InferLayout.h"
#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Hazards.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Layout;
using ::tile::layout::MatrixOperand;
using ::tile::layout::Result;

namespace {
/// A tile that may be in registers: the copy that writes it, and for each op
/// that reads it the layout that the op takes.
struct Movable {
  AllocOp alloc;
  CopyOp copy;
  SmallVector<std::pair<OpOperand *, Layout>> uses;
};

class SharedFitter {
public:
  SharedFitter(KernelOp kernel, const ::tile::target::Target &target)
      : kernel(kernel), target(target) {}
  LogicalResult run();

private:
  std::optional<Movable> match(AllocOp alloc);
  std::optional<Layout> getUseLayout(OpOperand &use, CopyOp copy);
  std::optional<Layout> getOperandLayout(GemmOp gemm, OpOperand &use);
  LogicalResult move(Movable &tile, int64_t needed);

  KernelOp kernel;
  const ::tile::target::Target &target;
};
} // namespace

std::optional<Layout> SharedFitter::getOperandLayout(GemmOp gemm,
                                                     OpOperand &use) {
  MmaAttr attr = gemm.getInstructionAttr();
  bool isA = &use == &gemm.getAMutable();
  // Instructions of several warps read B from shared memory by themselves, and
  // rows of A from registers.
  bool takesRegisters = attr.hasFragments() &&
                        (!attr.prescribesSharedLayout() ||
                         (isA && !gemm.getTransposeA()));
  if ((!isA && &use != &gemm.getBMutable()) || !takesRegisters ||
      gemm.getA() == gemm.getB())
    return std::nullopt;
  int64_t warps = getThreads(kernel, target).warps, steps = 1;
  Value other = isA ? gemm.getB() : gemm.getA();
  auto alloc = other.getDefiningOp<AllocOp>();
  if (getMemorySpace(other) == MemorySpace::Fragment) {
    if (!alloc || !alloc.getLayoutAttr())
      return std::nullopt;
    steps = getStepsOfLayout(gemm, isA ? MatrixOperand::B : MatrixOperand::A,
                             getTileLayout(alloc.getLayoutAttr()), target,
                             warps);
  }
  Result<Layout> layout = getGemmFragment(
      gemm, isA ? MatrixOperand::A : MatrixOperand::B, target, warps, steps);
  return layout ? std::optional<Layout>(*layout) : std::nullopt;
}

std::optional<Layout> SharedFitter::getUseLayout(OpOperand &use, CopyOp copy) {
  Operation *user = use.getOwner();
  auto source = copy.getSource().getDefiningOp<AllocOp>();
  bool isFragment = getMemorySpace(copy.getSource()) == MemorySpace::Fragment;
  if (auto gemm = dyn_cast<GemmOp>(user))
    return isFragment ? std::nullopt : getOperandLayout(gemm, use);
  if (!isFragment || !source || !source.getLayoutAttr())
    return std::nullopt;
  Value target;
  if (auto store = dyn_cast<CopyOp>(user);
      store && &use == &store.getSourceMutable() &&
      isWhole(store.getSourceRegion()) && !runsOnProxy(store))
    target = store.getTarget();
  if (auto atomic = dyn_cast<AtomicOp>(user);
      atomic && atomic.isTileForm() && atomic.getValue() == use.get() &&
      atomic.getTarget() != use.get() && !atomic.getInstructionAttr())
    target = atomic.getTarget();
  if (!target || getMemorySpace(target) != MemorySpace::Global)
    return std::nullopt;
  return getTileLayout(source.getLayoutAttr());
}

std::optional<Movable> SharedFitter::match(AllocOp alloc) {
  Movable tile{alloc, {}, {}};
  if (getMemorySpace(alloc.getBuffer()) != MemorySpace::Shared)
    return std::nullopt;
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : alloc.getBuffer().getUses()) {
    auto copy = dyn_cast<CopyOp>(use.getOwner());
    if (isa<AnnotateLayoutOp>(use.getOwner()))
      return std::nullopt;
    if (!copy || copy.getTarget() != alloc.getBuffer()) {
      reads.push_back(&use);
      continue;
    }
    // A schedule counts the ops of its loop, and partitions of warps have
    // registers of their own.
    auto loop = dyn_cast<PipelinedOp>(copy->getParentOp());
    if (tile.copy || !isWhole(copy.getTargetRegion()) || copy.getSignal() ||
        (loop && loop.getOrder()) || copy->getParentOfType<WarpSpecializeOp>())
      return std::nullopt;
    tile.copy = copy;
  }
  if (!tile.copy || reads.empty())
    return std::nullopt;
  for (OpOperand *use : reads) {
    std::optional<Layout> layout = getUseLayout(*use, tile.copy);
    if (!layout)
      return std::nullopt;
    tile.uses.emplace_back(use, *layout);
  }
  return tile;
}

LogicalResult SharedFitter::move(Movable &tile, int64_t needed) {
  auto type = cast<MemRefType>(tile.alloc.getBuffer().getType());
  remark::passed(tile.alloc.getLoc(), remark::RemarkOpts::name("TileInRegisters")
                                          .category("tile-infer-layout"))
      << remark::reason("{0} bytes do not fit into {1}", needed,
                        target.getGPU()->sharedBytesPerBlock);
  OpBuilder b(tile.alloc);
  auto placed = MemRefType::get(
      type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
      MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment));
  // One for each layout.
  SmallVector<std::pair<Layout, Value>> fragments;
  for (auto &use : tile.uses) {
    const Layout &layout = use.second;
    auto *known = llvm::find_if(
        fragments, [&](const auto &one) { return one.first == layout; });
    if (known == fragments.end()) {
      auto emitError = [&] { return tile.alloc.emitOpError(); };
      LayoutAttr attr = getLayoutAttr(emitError, b.getContext(), layout);
      if (!attr)
        return failure();
      b.setInsertionPoint(tile.alloc);
      Value fragment = AllocOp::create(b, tile.alloc.getLoc(), placed, attr,
                                       IntegerAttr());
      fragments.emplace_back(layout, fragment);
      known = &fragments.back();
      b.setInsertionPoint(tile.copy);
      auto copy = cast<CopyOp>(b.clone(*tile.copy));
      copy.getTargetMutable().assign(fragment);
      copy.removePreferAttr();
      copy.removeInstructionAttr();
      if (failed(selectCopy(copy, target, /*async=*/false)))
        return failure();
    }
    use.first->set(known->second);
  }
  tile.copy->erase();
  tile.alloc.erase();
  return success();
}

/// What is left of the need without a tile decides, then its size: of several
/// tiles that are live at other times none alone helps.
LogicalResult SharedFitter::run() {
  while (true) {
    int64_t needed = getLeastSharedBytes(kernel, target);
    if (needed <= target.getGPU()->sharedBytesPerBlock)
      return success();
    std::optional<Movable> best;
    std::pair<int64_t, int64_t> bestCost;
    kernel.walk([&](AllocOp alloc) {
      std::optional<Movable> tile = match(alloc);
      if (!tile)
        return;
      std::pair cost(getLeastSharedBytes(kernel, target, alloc),
                     -getSharedBytes(alloc));
      if (!best || cost < bestCost) {
        best = tile;
        bestCost = cost;
      }
    });
    if (!best)
      return success();
    if (failed(move(*best, needed)))
      return failure();
  }
}

LogicalResult mlir::tile::fitShared(KernelOp kernel,
                                    const ::tile::target::Target &target) {
  return SharedFitter(kernel, target).run();
}
