//===- LayoutFit.cpp - tiles that shared memory has no room for -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile whose elements no thread gets from another may be in registers: a
// gemm's operand that is brought as a whole, from other registers only if an
// exchange of that size has its room anyway, what loops of one layout compute
// with, and sums on their way to global memory. Registers are slower here, as
// each warp reads an operand itself, so that only those tiles move without
// which the others do not fit.
//
//===----------------------------------------------------------------------===//

#include "InferLayout.h"
#include "LayoutModels.h"
#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Hazards.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Layout;
using ::tile::layout::MatrixOperand;
using ::tile::layout::Result;

namespace {
/// A tile that may be in registers: the copies and gathers that fill it, the
/// other uses, and the layouts in which the threads have it.
struct Movable {
  AllocOp alloc;
  SmallVector<Operation *> fills;
  /// The number of the layout is that among `layouts`.
  SmallVector<std::pair<OpOperand *, unsigned>> uses;
  SmallVector<Layout> layouts;

  unsigned addLayout(const Layout &layout) {
    auto *known = llvm::find(layouts, layout);
    if (known == layouts.end())
      layouts.push_back(layout);
    return llvm::find(layouts, layout) - layouts.begin();
  }
};

class SharedFitter {
public:
  SharedFitter(KernelOp kernel, const ::tile::target::Target &target)
      : kernel(kernel), target(target) {}
  LogicalResult run();

private:
  std::optional<Movable> match(AllocOp alloc);
  bool canFill(Operation *op);
  bool fits(const Layout &layout, AllocOp alloc);
  std::optional<Layout> getUseLayout(OpOperand &use);
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

/// For a copy of a whole fragment, from or to a whole tile: the layout of the
/// tile in which no element changes threads.
static std::optional<Layout> getFragmentLayout(CopyOp copy, Value fragment,
                                               Value tile) {
  auto alloc = fragment.getDefiningOp<AllocOp>();
  if (getMemorySpace(fragment) != MemorySpace::Fragment || !alloc ||
      !alloc.getLayoutAttr() || !isWhole(copy.getSourceRegion()) ||
      !isWhole(copy.getTargetRegion()))
    return std::nullopt;
  Result<Layout> layout = ::tile::layout::reshape(
      getTileLayout(alloc.getLayoutAttr()), getShapeOf(tile));
  return layout ? std::optional<Layout>(*layout) : std::nullopt;
}

/// Whether all elements come from one op, which may bring them to registers as
/// well. A schedule counts the ops of its loop.
bool SharedFitter::canFill(Operation *op) {
  auto loop = dyn_cast<PipelinedOp>(op->getParentOp());
  if (getSignal(op) || (loop && loop.getOrder()))
    return false;
  auto copy = dyn_cast<CopyOp>(op);
  return !copy || isWhole(copy.getTargetRegion());
}

/// What an op that uses the tile, other than to fill it, needs it in.
std::optional<Layout> SharedFitter::getUseLayout(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto gemm = dyn_cast<GemmOp>(user))
    return getOperandLayout(gemm, use);
  if (auto copy = dyn_cast<CopyOp>(user))
    return getFragmentLayout(copy, copy.getTarget(), use.get());
  auto loop = user->getParentOfType<ParallelOp>();
  if (!isa<memref::LoadOp, memref::StoreOp>(user) || !loop ||
      !loop.getLayoutAttr())
    return std::nullopt;
  std::optional<FragmentAccess> access = matchFragmentAccess(loop, user);
  if (!access)
    return std::nullopt;
  Result<Layout> layout =
      getLayoutFromLoop(*access, getTileLayout(loop.getLayoutAttr()));
  return layout ? std::optional<Layout>(*layout) : std::nullopt;
}

/// Whether the op takes the tile to global memory as a whole.
static bool isStore(OpOperand &use) {
  auto copy = dyn_cast<CopyOp>(use.getOwner());
  auto atomic = dyn_cast<AtomicOp>(use.getOwner());
  if (copy)
    return &use == &copy.getSourceMutable() &&
           isWhole(copy.getSourceRegion()) && !runsOnProxy(copy) &&
           getMemorySpace(copy.getTarget()) == MemorySpace::Global;
  return atomic && atomic.isTileForm() && atomic.getValue() == use.get() &&
         atomic.getTarget() != use.get() && !atomic.getInstructionAttr() &&
         getMemorySpace(atomic.getTarget()) == MemorySpace::Global;
}

/// Whether a thread has registers for more than its part of the tile.
bool SharedFitter::fits(const Layout &layout, AllocOp alloc) {
  int64_t bits = layout.axisSize(::tile::layout::Axis::Reg) *
                 getElementBits(alloc.getBuffer());
  return bits / 32 < target.getGPU()->maxRegistersPerThread;
}

std::optional<Movable> SharedFitter::match(AllocOp alloc) {
  Movable tile{alloc, {}, {}, {}};
  if (getMemorySpace(alloc.getBuffer()) != MemorySpace::Shared)
    return std::nullopt;
  // What threads store is in one place; what a copy takes from registers to
  // others needs room for the exchange.
  bool isStored = false;
  SmallVector<Layout> sources;
  for (OpOperand &use : alloc.getBuffer().getUses()) {
    Operation *user = use.getOwner();
    // Partitions of warps have registers of their own.
    if (user->getParentOfType<WarpSpecializeOp>())
      return std::nullopt;
    if (isa<CopyOp, GatherOp>(user) && &use == &getFilledTile(user)) {
      if (!canFill(user))
        return std::nullopt;
      tile.fills.push_back(user);
      auto copy = dyn_cast<CopyOp>(user);
      if (!copy || getMemorySpace(copy.getSource()) != MemorySpace::Fragment)
        continue;
      std::optional<Layout> layout =
          getFragmentLayout(copy, copy.getSource(), use.get());
      if (!layout)
        return std::nullopt;
      sources.push_back(*layout);
      continue;
    }
    isStored |= isa<memref::StoreOp>(user);
    if (isStore(use)) {
      tile.uses.emplace_back(&use, 0);
      continue;
    }
    std::optional<Layout> layout = getUseLayout(use);
    if (!layout)
      return std::nullopt;
    tile.uses.emplace_back(&use, tile.addLayout(*layout));
  }
  bool hasRoom = getScratchBytes(kernel, target) >= getSharedBytes(alloc);
  if (isStored || tile.layouts.empty() || !hasRoom)
    for (const Layout &source : sources)
      tile.addLayout(source);
  bool isInOnePlace = isStored || (!sources.empty() && !hasRoom);
  if (tile.uses.empty() || tile.layouts.empty() ||
      (isInOnePlace && tile.layouts.size() > 1) ||
      !llvm::all_of(tile.layouts,
                    [&](const Layout &layout) { return fits(layout, alloc); }))
    return std::nullopt;
  return tile;
}

/// The same fill for a fragment of registers.
static LogicalResult fillFragment(Operation *fill, Value fragment,
                                  const ::tile::target::Target &target) {
  OpBuilder b(fill);
  Operation *op = b.clone(*fill);
  getFilledTile(op).assign(fragment);
  auto copy = dyn_cast<CopyOp>(op);
  if (!copy) {
    cast<GatherOp>(op).removeInstructionAttr();
    return success();
  }
  copy.removePreferAttr();
  copy.removeInstructionAttr();
  return selectCopy(copy, target, /*async=*/false);
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
  SmallVector<Value> fragments;
  for (const Layout &layout : tile.layouts) {
    auto emitError = [&] { return tile.alloc.emitOpError(); };
    LayoutAttr attr = getLayoutAttr(emitError, b.getContext(), layout);
    if (!attr)
      return failure();
    fragments.push_back(AllocOp::create(b, tile.alloc.getLoc(), placed, attr,
                                        IntegerAttr()));
  }
  for (Operation *fill : tile.fills) {
    for (Value fragment : fragments)
      if (failed(fillFragment(fill, fragment, target)))
        return failure();
    fill->erase();
  }
  for (auto [use, number] : tile.uses)
    use->set(fragments[number]);
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
