//===- SchedulePipelines.cpp - copies of mbarrier pipelines ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// What a producer can compute
//===----------------------------------------------------------------------===//

static bool isGlobal(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && getMemorySpace(type) == MemorySpace::Global;
}

ProducerValues::ProducerValues(KernelOp kernel) : kernel(kernel) {
  kernel.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses))) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      writesUnknown |= !effects || effects.hasEffect<MemoryEffects::Write>();
      return;
    }
    for (const Access &access : accesses)
      if (access.kind != AccessKind::Read && isGlobal(access.region.buffer))
        written.insert(getBaseBuffer(access.region.buffer));
  });
}

bool ProducerValues::isWritten(Value buffer) const {
  return writesUnknown || written.contains(getBaseBuffer(buffer));
}

/// Whether an op without its regions gives the same in both partitions.
static bool isRepeatable(Operation *op, const ProducerValues &values) {
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  SmallVector<Access> accesses;
  if (isa<TileDialect>(op->getDialect()) ||
      failed(collectAccesses(op, accesses)) || accesses.empty())
    return false;
  return llvm::all_of(accesses, [&](const Access &access) {
    return access.kind == AccessKind::Read && isGlobal(access.region.buffer) &&
           !values.isWritten(access.region.buffer);
  });
}

bool ProducerValues::isComputable(Operation *op) {
  auto [it, isNew] = known.try_emplace(op, false);
  if (!isNew)
    return it->second;
  bool result = !isa<KernelOp, ParallelOp, PipelinedOp, PersistentOp>(op) &&
                !op->walk([&](Operation *nested) {
                     return isRepeatable(nested, *this)
                                ? WalkResult::advance()
                                : WalkResult::interrupt();
                   }).wasInterrupted();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.insert(op->operand_begin(), op->operand_end());
  result = result && llvm::all_of(captured, [&](Value value) {
             return isComputable(value);
           });
  known[op] = result;
  return result;
}

bool ProducerValues::isComputable(Value value) {
  if (!kernel.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (Operation *op = value.getDefiningOp())
    return isComputable(op);
  auto arg = cast<BlockArgument>(value);
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return arg == loop.getInductionVar();
  return isa<KernelOp, PipelinedOp, PersistentOp>(parent);
}

void ProducerValues::collectSlice(Value value, DenseSet<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || !kernel.getBody().isAncestor(op->getParentRegion()) ||
      !slice.insert(op).second)
    return;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  captured.insert(op->operand_begin(), op->operand_end());
  for (Value operand : captured)
    collectSlice(operand, slice);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {
/// The life of one buffer of stages: filled in `block`, looked at behind.
struct StageUse {
  SmallVector<CopyOp> copies;
  Operation *first = nullptr, *last = nullptr;
};

class PipelinePlanner {
public:
  explicit PipelinePlanner(KernelOp kernel) : kernel(kernel), values(kernel) {}
  SmallVector<PipelineGroup> run(PipelineRefusals &refusals);
  std::optional<PipelineGroup> runOn(PipelinedOp loop, Instruction family,
                                 std::string &reason);

private:
  std::string checkBuffer(AllocOp alloc, StageUse &use);
  std::string checkCopy(CopyOp copy, AllocOp alloc);
  std::string checkReader(Operation *reader, AllocOp alloc, StageUse &use);

  KernelOp kernel;
  ProducerValues values;
};
} // namespace

/// Whether the copy brings a tile from global to shared memory that way.
static bool isLoadBy(Instruction family, CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  Instruction chosen = choice ? choice.getFamily() : Instruction::Sync;
  return chosen == family && !copy.getSignal() &&
         isGlobal(copy.getSource()) &&
         getMemorySpace(copy.getTarget()) == MemorySpace::Shared;
}

/// The operands that decide how a loop or branch around a copy runs; none if
/// the producer cannot have such an op.
static std::optional<SmallVector<Value>> getBounds(Operation *parent) {
  if (isa<PipelinedOp, PersistentOp, scf::IfOp>(parent))
    return llvm::to_vector(parent->getOperands());
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return SmallVector<Value>{loop.getLowerBound(), loop.getUpperBound(),
                              loop.getStep()};
  return std::nullopt;
}

std::string PipelinePlanner::checkCopy(CopyOp copy, AllocOp alloc) {
  if (copy.getTarget() != alloc.getBuffer())
    return "its target is a view";
  if (values.isWritten(copy.getSource()))
    return "the kernel writes its source, too";
  for (Value index : copy.getSourceIndices())
    if (!values.isComputable(index))
      return "its offsets depend on what the consumer computes";
  for (Operation *parent = copy->getParentOp(); parent != kernel;
       parent = parent->getParentOp()) {
    std::optional<SmallVector<Value>> bounds = getBounds(parent);
    if (!bounds)
      return ("it is in '" + parent->getName().getStringRef() + "'").str();
    for (Value bound : *bounds)
      if (!values.isComputable(bound))
        return ("the trips of '" + parent->getName().getStringRef() +
                "' around it depend on what the consumer computes")
            .str();
  }
  return "";
}

std::string PipelinePlanner::checkReader(Operation *reader, AllocOp alloc,
                                     StageUse &use) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(reader, accesses)))
    return ("'" + reader->getName().getStringRef() + "' uses its target").str();
  for (const Access &access : accesses)
    if (getBaseBuffer(access.region.buffer) == alloc.getBuffer() &&
        access.kind != AccessKind::Read)
      return ("'" + reader->getName().getStringRef() +
              "' writes its target, too")
          .str();
  Operation *place =
      use.copies.back()->getBlock()->findAncestorOpInBlock(*reader);
  if (!place)
    return "its target is used outside of the block that fills it";
  if (place->isBeforeInBlock(use.copies.back()))
    return "its target is used before it is filled";
  if (!use.first || place->isBeforeInBlock(use.first))
    use.first = place;
  if (!use.last || use.last->isBeforeInBlock(place))
    use.last = place;
  return "";
}

/// Calls `visit` on all users of a buffer and of its views that touch it.
static void forEachUser(Value buffer, function_ref<void(Operation *)> visit) {
  for (Operation *user : buffer.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      forEachUser(view.getViewDest(), visit);
    else if (!isa<AnnotateLayoutOp>(user))
      visit(user);
  }
}

std::string PipelinePlanner::checkBuffer(AllocOp alloc, StageUse &use) {
  llvm::sort(use.copies, [](CopyOp a, CopyOp b) {
    return a->getBlock() == b->getBlock() && a->isBeforeInBlock(b);
  });
  for (CopyOp copy : use.copies) {
    if (copy->getBlock() != use.copies.front()->getBlock())
      return "its target is filled in several blocks";
    if (std::string reason = checkCopy(copy, alloc); !reason.empty())
      return reason;
  }
  std::string refusal;
  forEachUser(alloc.getBuffer(), [&](Operation *user) {
    auto copy = dyn_cast<CopyOp>(user);
    if (copy && llvm::is_contained(use.copies, copy))
      return;
    std::string reason = checkReader(user, alloc, use);
    if (refusal.empty())
      refusal = reason;
  });
  if (refusal.empty() && !use.first)
    return "nothing reads its target";
  return refusal;
}

/// The stages of the pipelined loop closest around `block`; 1 without.
static int64_t getStages(Block *block, KernelOp kernel) {
  for (Operation *parent = block->getParentOp(); parent != kernel;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<PipelinedOp>(parent))
      return loop.getStages();
  return 1;
}

SmallVector<PipelineGroup> PipelinePlanner::run(PipelineRefusals &refusals) {
  llvm::MapVector<AllocOp, StageUse> uses;
  kernel.walk([&](CopyOp copy) {
    if (!isLoadBy(Instruction::TMA, copy))
      return;
    if (auto alloc = getBaseBuffer(copy.getTarget()).getDefiningOp<AllocOp>())
      uses[alloc].copies.push_back(copy);
  });
  SmallVector<PipelineGroup> groups;
  for (auto &entry : uses) {
    AllocOp alloc = entry.first;
    StageUse &use = entry.second;
    std::string reason = checkBuffer(alloc, use);
    if (!reason.empty()) {
      for (CopyOp copy : use.copies)
        refusals.emplace_back(copy, reason);
      continue;
    }
    Block *block = use.copies.front()->getBlock();
    Operation *first = use.first, *last = use.last;
    auto *group = llvm::find_if(groups, [&](const PipelineGroup &known) {
      return known.block == block && known.first == first && known.last == last;
    });
    if (group == groups.end()) {
      groups.push_back(
          {block, use.first, use.last, {}, {}, getStages(block, kernel)});
      group = &groups.back();
    }
    llvm::append_range(group->copies, use.copies);
    group->buffers.push_back(alloc);
  }
  for (PipelineGroup &group : groups)
    llvm::sort(group.copies,
               [](CopyOp a, CopyOp b) { return a->isBeforeInBlock(b); });
  return groups;
}

std::optional<PipelineGroup> PipelinePlanner::runOn(PipelinedOp loop,
                                            Instruction family,
                                            std::string &reason) {
  llvm::MapVector<AllocOp, StageUse> uses;
  for (CopyOp copy : loop.getBody().getOps<CopyOp>())
    if (isLoadBy(family, copy))
      if (auto alloc = getBaseBuffer(copy.getTarget()).getDefiningOp<AllocOp>())
        uses[alloc].copies.push_back(copy);
  reason = family == Instruction::CpAsync
               ? "it has no asynchronous copy to shared memory"
               : "it has no copy from global to shared memory";
  Block *body = &loop.getBody().front();
  PipelineGroup group{body, nullptr, nullptr,
                      {},   {},      int64_t(loop.getStages())};
  for (auto &[alloc, use] : uses) {
    std::string refusal = checkBuffer(alloc, use);
    if (!refusal.empty()) {
      reason = "a copy cannot run ahead: " + refusal;
      continue;
    }
    llvm::append_range(group.copies, use.copies);
    group.buffers.push_back(alloc);
  }
  if (group.copies.empty())
    return std::nullopt;
  return group;
}

std::optional<PipelineGroup> mlir::tile::planGroup(PipelinedOp loop,
                                               Instruction family,
                                               std::string &reason) {
  return PipelinePlanner(loop->getParentOfType<KernelOp>())
      .runOn(loop, family, reason);
}

SmallVector<PipelineGroup> mlir::tile::planPipelines(KernelOp kernel,
                                             PipelineRefusals &refusals) {
  return PipelinePlanner(kernel).run(refusals);
}
