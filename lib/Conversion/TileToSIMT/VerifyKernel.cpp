//===- VerifyKernel.cpp - kernels that a GPU can run ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "Tile/Analysis/Uniformity.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Transforms/AsyncCopy.h"
#include "Tile/Transforms/Consumers.h"
#include "Tile/Transforms/LayoutState.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static LogicalResult verifyElements(KernelOp kernel, func::FuncOp host) {
  for (auto [index, type] : llvm::enumerate(host.getArgumentTypes()))
    if (!isa<MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return host.emitError() << "argument " << index
                              << ": expected a buffer or a number, got "
                              << type;
  WalkResult result = kernel.walk([](Operation *op) {
    auto verify = [&](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || memref.getElementType().isIntOrIndexOrFloat())
        return success();
      return LogicalResult(op->emitOpError()
                           << "expected buffers of integers, floats or "
                              "indices on a GPU, got "
                           << type
                           << (isa<ComplexType>(memref.getElementType())
                                   ? "; pass the parts of complex numbers as a "
                                     "last dimension of 2"
                                   : ""));
    };
    for (Type type : op->getOperandTypes())
      if (failed(verify(type)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verify(type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What the op needs and the chip lacks; empty if nothing, or if the lowering of
/// the op will tell.
static StringRef findMissing(Operation *op,
                             const ::tile::target::Target &chip) {
  using ::tile::target::Feature;
  if (isa<WarpSpecializeOp, OrderWaitOp, OrderArriveOp>(op) &&
      !chip.has(Feature::NamedBarriers))
    return "barriers for a part of the threads";
  auto partitions = dyn_cast<WarpSpecializeOp>(op);
  if (partitions && !chip.has(Feature::SetMaxNReg) &&
      (partitions.getProducerRegisters() != 0 ||
       partitions.getConsumerRegisters() != 0))
    return "register budgets of warpgroups";
  if (isa<AsyncCommitOp, AsyncWaitOp>(op) && !hasAsyncCopies(chip))
    return "asynchronous copies of threads";
  auto choice = op->getAttrOfType<TransferAttr>("instruction");
  if (choice && choice.getFamily() == Instruction::CpAsync &&
      !hasAsyncCopies(chip))
    return "asynchronous copies of threads";
  return "";
}

/// Ops that were written, or scheduled, for another chip.
static LogicalResult verifyFeatures(KernelOp kernel,
                                    const ::tile::target::Target &chip) {
  WalkResult result = kernel->walk([&](Operation *op) {
    StringRef missing = findMissing(op, chip);
    if (missing.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be lowered to threads of " << chip.name
                      << ", which has no " << missing;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A block keeps the registers that it was launched with, as many for each
/// thread: a warpgroup that asks for more than the others gave up waits forever.
static LogicalResult verifySum(WarpSpecializeOp partitions, KernelOp kernel,
                               const ::tile::target::Target &chip) {
  const ::tile::target::GPUSpec &gpu = *chip.getGPU();
  int64_t threads = kernel.getThreads() * getConsumers(partitions);
  int64_t group = gpu.groupThreads();
  int64_t even = std::min(getRegistersOfBlock(kernel, gpu) / (threads + group),
                          gpu.maxRegistersPerThread) /
                 gpu.registerGranule * gpu.registerGranule;
  int64_t launched = even * (threads + group);
  auto count = [&](int64_t budget) { return budget == 0 ? even : budget; };
  int64_t sum = count(partitions.getProducerRegisters()) * group +
                count(partitions.getConsumerRegisters()) * threads;
  if (sum <= launched)
    return success();
  return partitions.emitOpError()
         << "expected register budgets of at most " << launched
         << " registers in sum, with which a block of " << threads + group
         << " threads is launched on " << chip.name << ", got " << sum;
}

/// Registers of a thread that its warpgroup can be given.
static LogicalResult verifyBudgets(WarpSpecializeOp partitions, KernelOp kernel,
                                   const ::tile::target::Target &chip) {
  const ::tile::target::GPUSpec &gpu = *chip.getGPU();
  int64_t granule = gpu.registerGranule, least = gpu.minRegisterBudget;
  int64_t most = llvm::alignTo(gpu.maxRegistersPerThread, granule);
  for (int64_t registers :
       {partitions.getProducerRegisters(), partitions.getConsumerRegisters()})
    if (registers != 0 && (registers % granule != 0 || registers < least ||
                           registers > most))
      return partitions.emitOpError()
             << "expected a register budget of 0 or a multiple of " << granule
             << " between " << least << " and " << most << " on " << chip.name
             << ", got " << registers;
  if (partitions.getProducerRegisters() == 0 &&
      partitions.getConsumerRegisters() == 0)
    return success();
  return verifySum(partitions, kernel, chip);
}

/// Warpgroups that run one after the other.
static LogicalResult verifyOrder(Operation *op, KernelOp kernel,
                                 const ::tile::target::Target &chip) {
  int64_t group = chip.getGPU()->groupThreads(), threads = kernel.getThreads();
  threads *= getConsumers(op->getParentOfType<WarpSpecializeOp>());
  if (threads % group == 0 && threads > group)
    return success();
  return op->emitOpError() << "expected two or more warpgroups of " << group
                           << " threads on " << chip.name << ", got "
                           << threads << " threads";
}

static LogicalResult verifyPartitions(KernelOp kernel,
                                      const ::tile::target::Target &chip) {
  WalkResult result = kernel->walk([&](Operation *op) -> WalkResult {
    if (auto partitions = dyn_cast<WarpSpecializeOp>(op))
      return verifyBudgets(partitions, kernel, chip);
    if (isa<OrderWaitOp, OrderArriveOp>(op))
      return verifyOrder(op, kernel, chip);
    return success();
  });
  return failure(result.wasInterrupted());
}

/// What leaves local buffers is the same in all threads.
static LogicalResult verifyLocalCopies(KernelOp kernel) {
  WalkResult result = kernel->walk([](CopyOp copy) {
    Value source = copy.getSource();
    if (getMemorySpace(source) != MemorySpace::Local ||
        !Uniformity().findDivergence(source))
      return WalkResult::advance();
    copy.emitOpError("cannot copy a buffer of which each thread has one with "
                     "content of its own; use a fragment");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Threads meet where a buffer is printed that all of them have written.
static LogicalResult verifyPrints(KernelOp kernel) {
  WalkResult result = kernel->walk([&](PrintOp print) {
    auto type = dyn_cast<MemRefType>(print.getValue().getType());
    if (!type || print->getParentOfType<ParallelOp>() ||
        !llvm::is_contained({MemorySpace::Shared, MemorySpace::Global},
                            getMemorySpace(type)))
      return WalkResult::advance();
    for (Operation *parent = print->getParentOp(); parent != kernel;
         parent = parent->getParentOp()) {
      if (!Uniformity().findDivergence(getControlOperands(parent)))
        continue;
      print.emitOpError("expected all threads of the block to reach it, since "
                        "they have written the buffer; print a fragment here");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult simt::verifyKernel(KernelOp kernel, func::FuncOp host,
                                 const ::tile::target::Target &chip) {
  if (failed(verifyElements(kernel, host)) ||
      failed(verifyFeatures(kernel, chip)) ||
      failed(verifyLocalCopies(kernel)) || failed(verifyPrints(kernel)) ||
      failed(verifyLayouts(kernel, chip)))
    return failure();
  return verifyPartitions(kernel, chip);
}
