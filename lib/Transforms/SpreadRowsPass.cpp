//===- SpreadRowsPass.cpp - which rows are divided ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "SpreadRows.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/ClusterPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPREADROWSPASS
#include "Tile/Transforms/ClusterPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using ::tile::target::Feature;

static constexpr int64_t kRegisterBytes = 4;

/// What the tiles of a block take.
namespace {
struct Room {
  /// Of shared memory, and of the longest rows that are in registers.
  int64_t sharedBytes = 0, registerBytes = 0;
};
} // namespace

/// Elements in registers are those of 32 bits or more: narrower ones are
/// widened for arithmetic.
static Room measure(const RowSpreader &spreader) {
  Room room;
  for (auto [buffer, dim] : spreader.getTiles()) {
    auto type = cast<MemRefType>(buffer.getType());
    if (getMemorySpace(type) == MemorySpace::Shared)
      room.sharedBytes += getBufferBytes(type);
    else
      room.registerBytes =
          std::max(room.registerBytes,
                   type.getNumElements() *
                       std::max<int64_t>(getElementBits(type), 32) / 8);
  }
  return room;
}

/// Whether parts are short enough: `sharing` blocks with more than half of the
/// registers of a processor in one tile spill, and fewer than `least` blocks
/// that read shared memory leave memory idle while they compute.
static bool fits(const Room &room, int64_t parts, int64_t sharing,
                 int64_t least, const ::tile::target::GPUSpec &gpu) {
  int64_t registers = kRegisterBytes * gpu.registersPerSM / (2 * sharing);
  int64_t shared = gpu.sharedBytesPerSM / least - gpu.sharedBytesReserved;
  return room.registerBytes <= parts * registers &&
         room.sharedBytes <= parts * shared;
}

/// Whether threads keep elements of rows in registers.
static bool keepsElements(const RowSpreader &spreader) {
  return llvm::any_of(spreader.getTiles(), [](const auto &tile) {
    return getMemorySpace(tile.first) != MemorySpace::Shared &&
           !isOnlyReduced(tile.first);
  });
}

static bool hasNarrowElements(const RowSpreader &spreader) {
  return llvm::any_of(spreader.getTiles(), [](const auto &tile) {
    return getElementBits(cast<MemRefType>(tile.first.getType())) < 32;
  });
}

/// The blocks that a row is divided among, and how many of them are to share a
/// processor.
namespace {
struct Division {
  int64_t parts = 1, sharing = 1;
};
} // namespace

/// The least number of blocks whose parts are short enough; 1 if rows are, or
/// no number makes them.
static Division choose(RowSpreader &spreader, int64_t least,
                       const ::tile::target::GPUSpec &gpu) {
  Room room = measure(spreader);
  auto find = [&](int64_t sharing, int64_t most) {
    for (int64_t parts = 1; parts <= most; parts *= 2)
      if (fits(room, parts, sharing, least, gpu) &&
          spreader.divides(parts, gpu.vectorBytes))
        return Division{parts, sharing};
    return Division{};
  };
  // Two blocks with rows in registers hide each other's waits; narrow elements,
  // which are converted, take more registers than that leaves. Where a row is
  // reduced twice, four blocks wait for each other longer than it gains.
  constexpr int64_t kMostForOne = 4, kMostForMore = 2;
  if (keepsElements(spreader) && !hasNarrowElements(spreader)) {
    Division shared = find(
        kManyBlocks, std::min(gpu.maxClusterSize,
                              spreader.countReductions() == 1 ? kMostForOne
                                                              : kMostForMore));
    if (shared.parts > 1)
      return shared;
  }
  return find(1, gpu.maxClusterSize);
}

/// The threads of a block with a part of the rows. Where they keep elements, a
/// thread has as many as before, but no more than leave registers for the rest.
/// Others are as many as before.
static int64_t chooseThreads(KernelOp kernel, const RowSpreader &spreader,
                             Division division,
                             const ::tile::target::GPUSpec &gpu) {
  constexpr int64_t kMostKept = 64;
  if (!keepsElements(spreader))
    return kernel.getThreads();
  int64_t elements =
      measure(spreader).registerBytes / kRegisterBytes / division.parts;
  int64_t threads = std::max<int64_t>(
      llvm::divideCeil(kernel.getThreads(), division.parts),
      elements * division.sharing / kMostKept);
  threads = llvm::alignTo(threads, gpu.groupThreads());
  return std::min(threads, gpu.maxThreadsPerBlock);
}

/// Where no thread keeps elements in registers, though it computes many, blocks
/// with half of the shared memory share a processor: so much under way keeps
/// memory busy. Left alone, the assembler reads all of a row at once, which
/// takes more registers than that leaves.
static void boundRegisters(KernelOp kernel, const RowSpreader &spreader,
                           const ::tile::target::GPUSpec &gpu) {
  if (keepsElements(spreader) || kernel->hasAttr(kResidentBlocksAttrName))
    return;
  constexpr int64_t kMany = 32, kLeastRegisters = 40;
  Room room = measure(spreader);
  int64_t threads = kernel.getThreads();
  int64_t elements = room.registerBytes / kRegisterBytes / threads;
  if (room.sharedBytes == 0 || elements < kMany)
    return;
  int64_t shared = room.sharedBytes + gpu.sharedBytesReserved;
  int64_t wanted = llvm::divideCeil(gpu.sharedBytesPerSM / 2, shared);
  int64_t fitting = gpu.registersPerSM / (kLeastRegisters * threads);
  int64_t blocks = std::min({wanted, gpu.sharedBytesPerSM / shared, fitting});
  if (blocks <= 1)
    return;
  kernel->setAttr(kResidentBlocksAttrName,
                  Builder(kernel.getContext()).getI32IntegerAttr(blocks));
}

namespace {
struct SpreadRowsPass : mlir::tile::impl::SpreadRowsPassBase<SpreadRowsPass> {
  using SpreadRowsPassBase::SpreadRowsPassBase;

  void runOnOperation() override {
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    auto walk = getOperation()->walk([&](KernelOp kernel) {
      return failed(spread(kernel, *chip)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult spread(KernelOp kernel, const ::tile::target::Target &chip);
};
} // namespace

LogicalResult SpreadRowsPass::spread(KernelOp kernel,
                                     const ::tile::target::Target &chip) {
  auto given = kernel->getAttrOfType<IntegerAttr>(kSpreadRowsAttrName);
  kernel->removeAttr(kSpreadRowsAttrName);
  if (!chip.has(Feature::Clusters) || (given && given.getInt() == 1))
    return success();
  const ::tile::target::GPUSpec &gpu = *chip.getGPU();
  RowSpreader spreader(kernel);
  std::string obstacle = spreader.findObstacle(gpu);
  Division division;
  int64_t &parts = division.parts;
  if (given) {
    parts = given.getInt();
    if (obstacle.empty() && parts > gpu.maxClusterSize)
      obstacle = llvm::formatv("{0} has clusters of at most {1} blocks",
                               chip.name, gpu.maxClusterSize);
    if (obstacle.empty() && !spreader.divides(parts, 1))
      obstacle = "the columns are no multiple of the blocks";
    if (!obstacle.empty())
      return kernel.emitError()
             << "cannot divide rows among " << parts << " blocks: " << obstacle;
  } else {
    division = choose(spreader, least, gpu);
  }
  if (parts == 1) {
    if (obstacle.empty())
      boundRegisters(kernel, spreader, gpu);
    return success();
  }
  auto opts =
      remark::RemarkOpts::name("SpreadRows").category("tile-spread-rows");
  if (!obstacle.empty()) {
    remark::analysis(kernel.getLoc(), opts) << remark::reason("{0}", obstacle);
    return success();
  }
  int64_t threads = kernel.getThreads();
  if (!given)
    threads = chooseThreads(kernel, spreader, division, gpu);
  spreader.spread(parts, threads);
  if (division.sharing > 1 && !kernel->hasAttr(kResidentBlocksAttrName))
    kernel->setAttr(
        kResidentBlocksAttrName,
        Builder(kernel.getContext()).getI32IntegerAttr(division.sharing));
  boundRegisters(kernel, spreader, gpu);
  remark::passed(kernel.getLoc(), opts)
      << remark::metric("blocks", parts) << remark::metric("threads", threads);
  return success();
}
