//===- Persistent.cpp - persistent kernels --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridOrder.h"
#include "Multicast.h"
#include "Occupancy.h"

#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PERSISTENTPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Feature;

//===----------------------------------------------------------------------===//
// Persistent kernels
//===----------------------------------------------------------------------===//

/// The copies with which a producer could run ahead into the next tile.
static SmallVector<CopyOp> getTensorPipeline(KernelOp kernel) {
  SmallVector<CopyOp> copies;
  kernel.walk([&](CopyOp copy) {
    TransferAttr choice = copy.getInstructionAttr();
    auto loop = copy->getParentOfType<PipelinedOp>();
    if (choice && choice.usesTensorMap() &&
        getMemorySpace(copy.getTarget()) == MemorySpace::Shared && loop &&
        loop.getStages() > 1)
      copies.push_back(copy);
  });
  return copies;
}

/// Whether some tiles are shared by blocks along x and others by blocks along
/// y, as in a product: then blocks that are near in both should run together.
static bool sharesBothWays(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (body.getNumArguments() < 2)
    return false;
  bool alongX = false, alongY = false;
  for (CopyOp copy : getTensorPipeline(kernel)) {
    auto isIndexedBy = [&](unsigned dim) {
      return llvm::any_of(copy.getSourceIndices(), [&](Value index) {
        return getTrend(index, body.getArgument(dim)) != Trend::Constant;
      });
    };
    alongX |= !isIndexedBy(0) && isIndexedBy(1);
    alongY |= isIndexedBy(0) && !isIndexedBy(1);
  }
  return alongX && alongY;
}

/// Whether the kernel was given a domain or partitions by hand.
static bool isPlanned(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<PersistentOp, WarpSpecializeOp>(op) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The dimension along which groups of points follow each other, and how many
/// points a group has: the domain walks groups along y; a hint may ask for
/// groups along x.
static std::pair<unsigned, int64_t> getGroups(KernelOp kernel) {
  // Groups of one row are the order of the grid.
  constexpr int64_t kDefaultGroup = 8;
  bool isPlane = kernel.getStaticGrid().size() > 1;
  if (RasterizeOp hint = findRasterize(kernel))
    return {isPlane && hint.getOrder() != RasterOrder::Column ? 1 : 0,
            int64_t(hint.getGroup())};
  return {isPlane ? 1 : 0, sharesBothWays(kernel) ? kDefaultGroup : 1};
}

/// Why the blocks of the kernel do not stay; empty if they do.
static std::string findObstacle(KernelOp kernel,
                                const ::tile::target::Target &target,
                                bool always) {
  if (isPlanned(kernel))
    return "it has a domain or partitions of its own";
  auto [dim, group] = getGroups(kernel);
  if (std::string parted = findClusterObstacle(kernel, dim, group);
      !parted.empty())
    return parted;
  if (always)
    return "";
  if (!target.has(Feature::MBarrierTx) || !target.getGPU()->tma)
    return (target.name + " has no producers that run ahead").str();
  if (getTensorPipeline(kernel).empty())
    return "no pipelined tensor copies could run ahead into the next tile";
  std::optional<int64_t> blocks = countBlocks(kernel);
  int64_t processors = target.getGPU()->defaultSMs;
  if (blocks && *blocks <= processors)
    return llvm::formatv("{0} blocks are not more than the {1} processors",
                         *blocks, processors);
  if (std::string unequal = findUnequalTime(kernel); !unequal.empty())
    return unequal;
  if (needsPlaceOfStages(kernel, target))
    return "two stages fit only if tiles behind the loops lie in their place";
  int64_t resident = estimateResidentBlocks(kernel, target);
  return resident < kManyBlocks
             ? ""
             : llvm::formatv("{0} blocks share a processor", resident).str();
}

static void makePersistent(KernelOp kernel) {
  RasterizeOp hint = findRasterize(kernel);
  SmallVector<OpFoldResult> grid = kernel.getMixedGrid();
  auto [grouped, group] = getGroups(kernel);
  SmallVector<unsigned> order{grouped};
  if (grid.size() > 1)
    order.push_back(1 - grouped);
  if (grid.size() == 3)
    order.push_back(2);
  SmallVector<Value> dynamic;
  SmallVector<int64_t> extents;
  for (unsigned dim : order)
    dispatchIndexOpFoldResult(grid[dim], dynamic, extents);

  Block &body = kernel.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (!isa<AllocOp, PaddingValueOp, RasterizeOp>(op))
      ops.push_back(&op);
  // Hints speak of the kernel, and of constants that may stand behind them.
  for (auto safe : body.getOps<PaddingValueOp>())
    if (Operation *constant = safe.getValue().getDefiningOp())
      llvm::erase(ops, constant);
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  auto loop = PersistentOp::create(b, kernel.getLoc(), dynamic, extents, group);
  Block *inner = &loop.getBody().emplaceBlock();
  for (unsigned dim : order)
    body.getArgument(dim).replaceAllUsesWith(
        inner->addArgument(b.getIndexType(), kernel.getLoc()));
  for (Operation *op : ops)
    op->moveBefore(inner, inner->end());
  if (hint)
    hint.erase();
  kernel.setPersistentGrid(true);
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("Persistent").category(kOrderCategory))
      << remark::metric("group", group);
}

/// Whether blocks wait for others to end, so that it matters when they start.
static bool needsOrder(KernelOp kernel, const ::tile::target::Target &target) {
  std::optional<int64_t> blocks = countBlocks(kernel);
  return !isPlanned(kernel) && !kernel.getCluster() &&
         (!blocks || *blocks > target.getGPU()->defaultSMs);
}

namespace {
struct PersistentPass : mlir::tile::impl::PersistentPassBase<PersistentPass> {
  using PersistentPassBase::PersistentPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    getOperation()->walk([&](KernelOp kernel) {
      std::string obstacle = findObstacle(kernel, *chip, always);
      shareCopies(kernel, *chip);
      if (obstacle.empty())
        return makePersistent(kernel);
      remark::missed(
          kernel.getLoc(),
          remark::RemarkOpts::name("Persistent").category(kOrderCategory))
          << remark::reason("{0}", obstacle);
      if (needsOrder(kernel, *chip)) {
        orderByTime(kernel, *chip);
        orderByStores(kernel, *chip);
      }
      if (RasterizeOp hint = findRasterize(kernel))
        remapBlocks(kernel, hint);
    });
  }
};
} // namespace
