//===- Multicast.cpp - tiles that blocks of a cluster share --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Multicast.h"
#include "GridOrder.h"
#include "MissedRemark.h"
#include "Schedule.h"

#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Transforms/ClusterSum.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Feature;

/// The one dimension along which a cluster has several blocks; none if there are
/// more or fewer.
static std::optional<unsigned> findDirection(ArrayRef<int64_t> cluster) {
  std::optional<unsigned> found;
  for (auto [dim, extent] : llvm::enumerate(cluster)) {
    if (extent == 1)
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// Whether a producer may fill stages with the copy.
static bool isPipelinedTensor(CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  auto loop = dyn_cast<PipelinedOp>(copy->getParentOp());
  return choice && choice.usesTensorMap() && loop && loop.getStages() > 1 &&
         getMemorySpace(copy.getTarget()) == MemorySpace::Shared;
}

/// Whether the value comes from memory, which blocks may find or leave different.
static bool isLoaded(Value value) {
  if (isa<BlockArgument>(value))
    return false;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  if (failed(getBackwardSlice(value, &slice, options)))
    return true;
  return llvm::any_of(slice,
                      [](Operation *op) { return !isMemoryEffectFree(op); });
}

/// Why blocks along a coordinate do not share the tile of a copy; empty if they
/// do.
static std::string findObstacle(CopyOp copy, Value coordinate, int64_t blocks,
                                const ::tile::target::Target &target) {
  auto varies = [&](Value value) {
    return getTrend(value, coordinate) != Trend::Constant || isLoaded(value);
  };
  if (llvm::any_of(copy.getSourceIndices(), varies))
    return "each block of the cluster has a tile of its own";
  for (Operation *parent = copy->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    if (!isa<PipelinedOp>(parent) || llvm::any_of(parent->getOperands(), varies))
      return "blocks of the cluster may copy it more or less often";
  auto type = cast<MemRefType>(copy.getTarget().getType());
  int64_t rows = type.getRank() < 2 ? 0 : type.getDimSize(0);
  const ::tile::target::TMASpec &tma = *target.getGPU()->tma;
  // Each block brings whole repeats of a swizzle.
  int64_t least = blocks * getSwizzleAlignment(*target.getGPU()) /
                  *llvm::max_element(tma.swizzleSpans);
  if (rows == 0 || rows % least != 0 || rows > tma.maxBox)
    return llvm::formatv("expected a multiple of {0} rows, {1} at most", least,
                         tma.maxBox);
  return "";
}

std::string mlir::tile::findClusterObstacle(KernelOp kernel, unsigned dim,
                                            int64_t group) {
  std::optional<ArrayRef<int64_t>> cluster = kernel.getCluster();
  if (!cluster || llvm::all_of(*cluster, [](int64_t n) { return n == 1; }))
    return "";
  // Blocks of one number after the other are a cluster: all points of a column
  // of a group have to be those of whole clusters.
  int64_t extent = kernel.getStaticGrid()[dim], blocks = (*cluster)[dim];
  if (addsUpInCluster(kernel))
    return "its blocks add up what they hold once";
  if (blocks > kPair)
    return "processors without a whole cluster would be idle";
  return findDirection(*cluster) == dim && !ShapedType::isDynamic(extent) &&
                 extent % blocks == 0 && group % blocks == 0
             ? ""
             : "the order of its tiles parts the blocks of its clusters";
}

void mlir::tile::shareCopies(KernelOp kernel,
                             const ::tile::target::Target &target) {
  std::optional<ArrayRef<int64_t>> cluster = kernel.getCluster();
  std::optional<unsigned> dim;
  if (cluster && target.has(Feature::Multicast))
    dim = findDirection(*cluster);
  if (!dim || (*cluster)[*dim] > target.getGPU()->maxClusterSize ||
      addsUpInCluster(kernel))
    return;
  int64_t blocks = (*cluster)[*dim];
  Value coordinate = kernel.getBody().getArgument(*dim);
  auto opts = remark::RemarkOpts::name("Multicast").category(kOrderCategory);
  kernel.walk([&](CopyOp copy) {
    if (!isPipelinedTensor(copy) || copy->hasAttr(kMulticastAttrName))
      return;
    std::string obstacle = findObstacle(copy, coordinate, blocks, target);
    if (!obstacle.empty()) {
      remarkMissed(copy, opts) << remark::reason("{0}", obstacle);
      return;
    }
    copy->setAttr(kMulticastAttrName,
                  Builder(copy.getContext()).getI64IntegerAttr(blocks));
    remark::passed(copy.getLoc(), opts) << remark::metric("blocks", blocks);
  });
}
