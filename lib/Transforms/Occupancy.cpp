//===- Occupancy.cpp - how many blocks share a processor ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"

#include "GridOrder.h"

#include "Tile/Analysis/Liveness.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Transforms/Consumers.h"
#include "Tile/Transforms/LayoutState.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

/// How many warps have the same elements of a fragment: A of a product is with
/// all that share its rows.
static int64_t countCopies(GemmOp gemm, Value fragment) {
  MmaAttr attr = gemm.getInstructionAttr();
  bool isA = attr && attr.hasFragments() && gemm.getA() == fragment;
  return isA ? attr.getWarpsN() : 1;
}

/// Whether nothing but votes reads a fragment: its elements are conditions.
static bool isVotedOn(AllocOp alloc) {
  return llvm::all_of(alloc.getBuffer().getUsers(), [](Operation *user) {
    return isa<memref::StoreOp, AnyOfOp, AllOfOp>(user);
  });
}

/// Whether a reduction hands a fragment to the next one, which adds it up at
/// once.
static bool isHandedOn(AllocOp alloc) {
  return llvm::all_of(alloc.getBuffer().getUsers(), llvm::IsaPred<ReduceOp>);
}

/// The bits of a thread's registers that a fragment takes.
static int64_t countBits(AllocOp alloc, int64_t threads) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (getMemorySpace(type) != MemorySpace::Fragment || isVotedOn(alloc) ||
      isHandedOn(alloc))
    return 0;
  int64_t copies = 1;
  for (Operation *user : alloc.getBuffer().getUsers())
    if (auto gemm = dyn_cast<GemmOp>(user))
      copies = std::max(copies, countCopies(gemm, alloc.getBuffer()));
  int64_t count = llvm::divideCeil(copies * type.getNumElements(), threads);
  if (LayoutAttr layout = alloc.getLayoutAttr())
    count = getTileLayout(layout).axisSize(::tile::layout::Axis::Reg);
  return count * getElementBits(type);
}

int64_t mlir::tile::countFragmentRegisters(KernelOp kernel) {
  int64_t bits = 0;
  kernel.walk([&](AllocOp alloc) {
    bits += countBits(alloc, kernel.getThreads());
  });
  return llvm::divideCeil(bits, 32);
}

bool mlir::tile::isOnlyReduced(Value tile) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return reduce.getSource() == tile;
    return isa<memref::StoreOp>(user);
  });
}

/// Registers of fragments that stay while others are computed. A single element
/// is one of the few registers that a thread needs beside them.
static int64_t countKeptRegisters(KernelOp kernel) {
  int64_t bits = 0;
  kernel.walk([&](AllocOp alloc) {
    int64_t own = countBits(alloc, kernel.getThreads());
    if (own > 32 && !isOnlyReduced(alloc.getBuffer()))
      bits += own;
  });
  return llvm::divideCeil(bits, 32);
}

bool mlir::tile::hasKnownSizes(GatherOp gather) {
  return llvm::all_of(gather->getOperandTypes(), [](Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    return !buffer || buffer.hasStaticShape();
  });
}

int64_t
mlir::tile::getLeastProducerRegisters(const ::tile::target::GPUSpec &gpu,
                                      Region &producer) {
  int64_t granules = 0;
  producer.walk([&](GatherOp gather) {
    granules = std::max<int64_t>(granules, hasKnownSizes(gather) ? 2 : 3);
  });
  return gpu.minRegisterBudget + granules * gpu.registerGranule;
}

int64_t mlir::tile::getRegistersOfBlock(Operation *op,
                                        const ::tile::target::GPUSpec &gpu) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<KernelOp>();
  auto blocks = kernel->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName);
  return std::min(gpu.maxRegistersPerBlock,
                  gpu.registersPerSM / (blocks ? blocks.getInt() : 1));
}

int64_t mlir::tile::getConsumerBudget(const ::tile::target::GPUSpec &gpu,
                                      int64_t threads, Region &producer) {
  int64_t group = gpu.groupThreads();
  auto roundDown = [&](int64_t count) {
    return count / gpu.registerGranule * gpu.registerGranule;
  };
  // Warpgroups share what the block was launched with.
  int64_t even =
      roundDown(getRegistersOfBlock(producer.getParentOp(), gpu) /
                (threads + group));
  int64_t launched = even * (threads + group);
  int64_t least = getLeastProducerRegisters(gpu, producer);
  return roundDown(std::min((launched - least * group) / threads,
                            gpu.maxRegistersPerThread));
}

int64_t
mlir::tile::getConsumerRegisters(KernelOp kernel,
                                 const ::tile::target::Target &target) {
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  int64_t group = gpu.groupThreads(), threads = kernel.getThreads();
  if (!target.has(::tile::target::Feature::SetMaxNReg) || threads % group != 0 ||
      threads == group)
    return std::min(getRegistersOfBlock(kernel, gpu) /
                        (threads + target.getProducerThreads()),
                    gpu.maxRegistersPerThread);
  return getConsumerBudget(gpu, threads, kernel.getBody());
}

/// Whether an op fills the buffer from global memory.
static bool loads(Operation *op, Value buffer) {
  if (auto gather = dyn_cast<GatherOp>(op))
    return gather.getTarget() == buffer;
  auto copy = dyn_cast<CopyOp>(op);
  return copy && copy.getTarget() == buffer &&
         getMemorySpace(copy.getSource()) == MemorySpace::Global;
}

/// Of a buffer that copies of a pipelined loop fill: one for each stage.
static int64_t countStages(AllocOp alloc) {
  int64_t stages = 1;
  for (Operation *user : alloc.getBuffer().getUsers()) {
    auto loop = dyn_cast<PipelinedOp>(user->getParentOp());
    if (loop && loads(user, alloc.getBuffer()))
      stages = std::max<int64_t>(stages, loop.getStages());
  }
  return stages;
}

/// How many blocks share a processor; `registers` are those of a thread.
static int64_t countResident(const ::tile::target::GPUSpec &gpu,
                             int64_t sharedBytes, int64_t registers,
                             int64_t threads) {
  int64_t shared = std::max<int64_t>(sharedBytes + gpu.sharedBytesReserved, 1);
  return std::min({gpu.sharedBytesPerSM / shared,
                   gpu.registersPerSM / (registers * threads),
                   gpu.maxThreadsPerSM / threads, gpu.maxBlocksPerSM});
}

int64_t
mlir::tile::estimateResidentBlocks(KernelOp kernel,
                                   const ::tile::target::Target &target) {
  if (auto blocks =
          kernel->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName))
    return blocks.getInt();
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  int64_t shared = 0;
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      shared += getSharedBytes(alloc) * countStages(alloc);
  });
  // A warp more starts the copies.
  int64_t threads = kernel.getThreads() + gpu.warpSize;
  int64_t registers = std::min(countFragmentRegisters(kernel) + kOtherRegisters,
                               gpu.maxRegistersPerThread);
  return countResident(gpu, shared, registers, threads);
}

void mlir::tile::boundRegisters(KernelOp kernel,
                                const ::tile::target::Target &target,
                                int64_t sharedBytes) {
  // Fragments are hardly ever all live together. The least is for addresses
  // and vectors under way.
  constexpr int64_t kFewRegisters = 32, kLeastRegisters = 48;
  auto isBusy = [](Operation *op) {
    auto layouts = dyn_cast<TileLayoutOpInterface>(op);
    return isa<GemmOp, WarpSpecializeOp>(op) ||
           (layouts && layouts.hasManyTemporaries()) ||
           (isa<LoopLikeOpInterface>(op) && op->getParentOfType<ParallelOp>());
  };
  bool hasBusyOps = kernel
                        .walk([&](Operation *op) {
                          return isBusy(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
                        })
                        .wasInterrupted();
  if (hasBusyOps || kernel->hasAttr(kResidentBlocksAttrName))
    return;
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  int64_t registers = llvm::alignTo(
      std::max(countKeptRegisters(kernel) + kFewRegisters, kLeastRegisters),
      gpu.registerGranule);
  int64_t blocks =
      countResident(gpu, sharedBytes, registers, kernel.getThreads());
  // Of a small grid fewer share a processor; its blocks then leave each thread
  // registers for more vectors under way.
  std::optional<int64_t> grid = countBlocks(kernel);
  bool isSmall = grid && !kernel.getPersistentGrid() &&
                 *grid <= gpu.defaultSMs * (blocks - 1);
  if (isSmall)
    blocks = 1 + std::max<int64_t>(*grid - 1, 0) / gpu.defaultSMs;
  if (blocks <= 1 && !isSmall)
    return;
  kernel->setAttr(kResidentBlocksAttrName,
                  Builder(kernel.getContext()).getI32IntegerAttr(blocks));
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("ResidentBlocks").category("tile-plan-shared"))
      << remark::metric("blocks", blocks);
}

/// The last op directly in the kernel that holds a pipelined loop.
static Operation *findLastLoop(KernelOp kernel) {
  Operation *last = nullptr;
  for (Operation &op : kernel.getBody().front())
    op.walk([&](PipelinedOp) { last = &op; });
  return last;
}

bool mlir::tile::needsPlaceOfStages(KernelOp kernel,
                                    const ::tile::target::Target &target) {
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  Block &body = kernel.getBody().front();
  Operation *last = findLastLoop(kernel);
  // Of stages, of tiles behind the loops, of others.
  int64_t staged = 0, behind = 0, others = getScratchBytes(kernel, target);
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) != MemorySpace::Shared)
      return;
    int64_t bytes = getSharedBytes(alloc), stages = countStages(alloc);
    bool isBehind =
        last && bytes >= kTooSmallToShare &&
        llvm::all_of(collectBufferUsers(alloc.getBuffer()), [&](Operation *op) {
          Operation *user = body.findAncestorOpInBlock(*op);
          return user && last->isBeforeInBlock(user);
        });
    if (stages > 1)
      staged += bytes * std::min<int64_t>(stages, 2);
    else
      (isBehind ? behind : others) += bytes;
  });
  return others + staged + behind > gpu.sharedBytesPerBlock &&
         others + std::max(staged, behind) <= gpu.sharedBytesPerBlock;
}
