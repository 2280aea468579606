//===- SyncModel.cpp - engines and flags of Ascend ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SyncModel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::BlockOrder;
using tl::MemorySpace;
using tl::SyncEvent;

std::optional<Engine> AscendSyncModel::getEngine(Operation *op) const {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return ascend::getEngine(instruction.getPipe());
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return Engine::S;
  return std::nullopt;
}

std::optional<SyncEvent> AscendSyncModel::getSync(Operation *op) const {
  using Kind = SyncEvent::Kind;
  using Result = std::optional<SyncEvent>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<SetFlagOp>([](auto set) {
        return SyncEvent{Kind::SetFlag, ascend::getEngine(set.getSrc()),
                         ascend::getEngine(set.getDst()), int64_t(set.getId())};
      })
      .Case<WaitFlagOp>([](auto wait) {
        return SyncEvent{Kind::WaitFlag, ascend::getEngine(wait.getSrc()),
                         ascend::getEngine(wait.getDst()),
                         int64_t(wait.getId())};
      })
      .Case<PipeBarrierOp>([](auto barrier) {
        auto engine = ascend::getEngine(barrier.getPipe());
        return SyncEvent{Kind::Barrier, engine, engine};
      })
      .Case<CrossCoreSetFlagOp>([](auto set) {
        return SyncEvent{Kind::SetCrossFlag, ascend::getEngine(set.getPipe()),
                         std::nullopt, int64_t(set.getId())};
      })
      .Case<CrossCoreWaitFlagOp>([](auto wait) {
        return SyncEvent{Kind::WaitCrossFlag, std::nullopt,
                         wait.getPipe() ? ascend::getEngine(*wait.getPipe())
                                        : std::nullopt,
                         int64_t(wait.getId())};
      })
      .Default(Result());
}

/// A matrix product that adds to what the one before wrote is ordered by
/// hardware when the tile is large.
static bool isOrderedMmad(Operation *a, Operation *c,
                          const ::tile::target::AscendSpec &spec) {
  auto first = dyn_cast<MmadOp>(a), second = dyn_cast<MmadOp>(c);
  if (!first || !second || first.getTarget() != second.getTarget())
    return false;
  auto type = cast<MemRefType>(first.getTarget().getType());
  int64_t side = spec.accumulatorFractal;
  return llvm::divideCeil(type.getDimSize(0), side) *
             llvm::divideCeil(type.getDimSize(1), side) >=
         uint64_t(spec.mmadOrderedTiles);
}

/// Fixpipe to UB of two different vector cores: they share no byte.
static bool writeOtherCores(Operation *a, Operation *c) {
  auto first = dyn_cast<FixpipeOp>(a), second = dyn_cast<FixpipeOp>(c);
  return first && second && first.getSubBlock() && second.getSubBlock() &&
         *first.getSubBlock() != *second.getSubBlock();
}

bool AscendSyncModel::isOrdered(Operation *earlier, Operation *later,
                                Engine engine) const {
  return spec.isOrdered(engine) || isOrderedMmad(earlier, later, spec) ||
         writeOtherCores(earlier, later);
}

std::optional<Core> mlir::tile::ascend::getCoreOf(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return instruction.getCore();
  if (auto attr = op->getAttrOfType<CoreAttr>(AscendDialect::kCoreAttr))
    return attr.getValue();
  // The scalar unit of a vector core alone reaches UB.
  for (Value operand : op->getOperands())
    if (isa<memref::LoadOp, memref::StoreOp>(op) &&
        isa<MemRefType>(operand.getType()) &&
        tl::getMemorySpace(operand) == MemorySpace::UB)
      return Core::Vector;
  return std::nullopt;
}

const char *mlir::tile::ascend::getFlagProblem(BlockOrder::Outcome outcome) {
  switch (outcome) {
  case BlockOrder::Outcome::Done:
    return nullptr;
  case BlockOrder::Outcome::AlreadySet:
    return "the flag is already set";
  case BlockOrder::Outcome::MayBeSet:
    return "the flag may still be set: nothing orders this set after the wait "
           "before";
  case BlockOrder::Outcome::Waits:
  case BlockOrder::Outcome::NotSet:
    return "the flag is not set before";
  case BlockOrder::Outcome::SetTooOften:
    return "the flag of the other core may be set more often than it can count";
  }
  llvm_unreachable("unknown outcome");
}
