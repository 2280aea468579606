//===- Persistent.cpp - persistent kernels --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PERSISTENTPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Feature;

static constexpr StringLiteral kCategory = "tile-persistent";

/// The order in which a kernel asks to walk over its grid.
static RasterizeOp findSwizzle(KernelOp kernel) {
  auto hints = kernel.getBody().getOps<RasterizeOp>();
  return hints.empty() ? RasterizeOp() : *hints.begin();
}

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

/// Whether `value` is computed from a block coordinate.
static bool dependsOn(Value value, BlockArgument coordinate) {
  if (value == coordinate)
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, coordinate);
         });
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
        return dependsOn(index, body.getArgument(dim));
      });
    };
    alongX |= !isIndexedBy(0) && isIndexedBy(1);
    alongY |= isIndexedBy(0) && !isIndexedBy(1);
  }
  return alongX && alongY;
}

/// Why the blocks of the kernel do not stay; empty if they do.
static std::string findObstacle(KernelOp kernel,
                                const ::tile::target::Target &target,
                                bool always) {
  bool isPlanned = kernel
                       .walk([](Operation *op) {
                         return isa<PersistentOp, WarpSpecializeOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (isPlanned)
    return "it has a domain or partitions of its own";
  if (kernel.getCluster())
    return "it has clusters";
  if (always)
    return "";
  if (!target.has(Feature::MBarrierTx) || !target.getGPU()->tma)
    return (target.name + " has no producers that run ahead").str();
  if (getTensorPipeline(kernel).empty())
    return "no pipelined tensor copies could run ahead into the next tile";
  int64_t points = 1;
  for (OpFoldResult extent : kernel.getMixedGrid())
    if (std::optional<int64_t> constant = getConstantIntValue(extent))
      points *= *constant;
    else
      return "";
  int64_t processors = target.getGPU()->defaultSMs;
  if (points > processors)
    return "";
  return std::to_string(points) + " blocks are not more than the " +
         std::to_string(processors) + " processors";
}

/// The domain walks groups along y; a hint may ask for groups along x.
static void makePersistent(KernelOp kernel) {
  RasterizeOp hint = findSwizzle(kernel);
  SmallVector<OpFoldResult> grid = kernel.getMixedGrid();
  SmallVector<unsigned> order{0};
  if (grid.size() > 1)
    order = hint && hint.getOrder() == RasterOrder::Column
                ? SmallVector<unsigned>{0, 1}
                : SmallVector<unsigned>{1, 0};
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
  // Groups of one row are the order of the grid.
  constexpr int64_t kDefaultGroup = 8;
  int64_t group = hint                     ? int64_t(hint.getGroup())
                  : sharesBothWays(kernel) ? kDefaultGroup
                                           : 1;
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
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Persistent").category(kCategory))
      << remark::metric("group", group);
}

//===----------------------------------------------------------------------===//
// The order of blocks
//===----------------------------------------------------------------------===//

/// Blocks run in the order of their numbers, x first. Gives each the point that
/// comes at its number when groups of the hint's size are walked.
static void remapBlocks(KernelOp kernel, RasterizeOp hint) {
  Block &body = kernel.getBody().front();
  Location loc = hint.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  SmallVector<Value> grid;
  for (OpFoldResult extent : kernel.getMixedGrid())
    grid.push_back(getValueOrCreateConstantIndexOp(b, loc, extent));
  bool isColumn = hint.getOrder() == RasterOrder::Column;
  // Groups are of extents along `m`.
  unsigned m = isColumn ? 0 : 1, n = 1 - m;
  Value x = body.getArgument(0), y = body.getArgument(1);
  Value size = arith::ConstantIndexOp::create(b, loc, hint.getGroup());
  Value number = arith::AddIOp::create(
      b, loc, x, arith::MulIOp::create(b, loc, y, grid[0]));
  Value groupSize = arith::MulIOp::create(b, loc, size, grid[n]);
  Value groupIndex = arith::DivUIOp::create(b, loc, number, groupSize);
  Value inGroup = arith::RemUIOp::create(b, loc, number, groupSize);
  Value first = arith::MulIOp::create(b, loc, groupIndex, size);
  Value left = arith::SubIOp::create(b, loc, grid[m], first);
  Value rows = arith::MinUIOp::create(b, loc, left, size);
  Value along = arith::AddIOp::create(
      b, loc, first, arith::RemUIOp::create(b, loc, inGroup, rows));
  Operation *across = arith::DivUIOp::create(b, loc, inGroup, rows);
  auto isLater = [&](OpOperand &use) {
    Operation *owner = body.findAncestorOpInBlock(*use.getOwner());
    return across->isBeforeInBlock(owner);
  };
  body.getArgument(m).replaceUsesWithIf(along, isLater);
  body.getArgument(n).replaceUsesWithIf(across->getResult(0), isLater);
  remark::passed(loc, remark::RemarkOpts::name("Swizzle").category(kCategory))
      << remark::metric("group", int64_t(hint.getGroup()));
  hint.erase();
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
      if (obstacle.empty())
        return makePersistent(kernel);
      remark::missed(kernel.getLoc(),
                     remark::RemarkOpts::name("Persistent").category(kCategory))
          << remark::reason("{0}", obstacle);
      if (RasterizeOp hint = findSwizzle(kernel))
        remapBlocks(kernel, hint);
    });
  }
};
} // namespace
