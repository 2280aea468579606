//===- SchedulePipelines.cpp - copies of mbarrier pipelines ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

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

bool mlir::tile::ordersMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  SmallVector<Access> accesses;
  return !isa_and_nonnull<TileDialect>(op->getDialect()) && effects &&
         effects.hasEffect<MemoryEffects::Write>() &&
         succeeded(collectAccesses(op, accesses)) &&
         llvm::all_of(accesses, [](const Access &access) {
           return access.kind == AccessKind::Read;
         });
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
  if (isa_and_nonnull<TileDialect>(op->getDialect()) ||
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
using PipelineSites = SmallVector<PipelineSite>;

class PipelinePlanner {
public:
  explicit PipelinePlanner(KernelOp kernel) : kernel(kernel), values(kernel) {}
  SmallVector<PipelineGroup> run(PipelineRefusals &refusals);
  std::optional<PipelineGroup> runOn(PipelinedOp loop, Instruction family,
                                     std::string &reason);

private:
  std::string checkBuffer(AllocOp alloc, PipelineSites &sites);
  bool keepsOrder(Operation *copy);
  std::string checkCopy(Operation *copy, AllocOp alloc);
  std::string checkReader(Operation *reader, AllocOp alloc,
                          PipelineSites &sites);

  KernelOp kernel;
  ProducerValues values;
};
} // namespace

Value mlir::tile::getLoadedTile(Operation *op) {
  SmallVector<Access> accesses;
  if (!op->getInherentAttr("instruction") ||
      failed(collectAccesses(op, accesses)))
    return {};
  Value tile;
  for (const Access &access : accesses) {
    bool writes = access.kind != AccessKind::Read;
    if (writes ? getMemorySpace(access.region.buffer) != MemorySpace::Shared
               : !isGlobal(access.region.buffer))
      return {};
    if (writes)
      tile = access.region.buffer;
  }
  return tile;
}

void mlir::tile::cloneTargetViews(OpBuilder &b, Operation *copy,
                                  IRMapping &mapping) {
  SmallVector<Operation *> views;
  for (Value tile = getLoadedTile(copy); !mapping.contains(tile);
       tile = views.back()->getOperand(0)) {
    auto view = tile.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return;
    views.push_back(view);
  }
  for (Operation *view : llvm::reverse(views))
    b.clone(*view, mapping);
}

/// The tile that an op brings from global to shared memory that way; null if
/// it does not.
static Value getTileLoadedBy(Instruction family, Operation *op) {
  auto choice = op->getAttrOfType<TransferAttr>("instruction");
  Instruction chosen = choice ? choice.getFamily() : Instruction::Sync;
  auto copy = dyn_cast<CopyOp>(op);
  // Registers hold the tiles of plain copies ahead.
  if (chosen != family ||
      (copy ? bool(copy.getSignal()) : family == Instruction::Sync))
    return {};
  return getLoadedTile(op);
}

/// The tile that an op brings to shared memory in a way that can signal a
/// pipeline; null if it does not.
static Value getTileOfProducer(Operation *op) {
  if (Value tile = getTileLoadedBy(Instruction::TMA, op))
    return tile;
  return isa<GatherOp>(op) ? getTileLoadedBy(Instruction::CpAsync, op)
                           : Value();
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

/// Whether the producer can do all that orders memory, too, at its place among
/// the copies.
bool PipelinePlanner::keepsOrder(Operation *copy) {
  return !kernel
              ->walk([&](Operation *op) {
                Operation *parent = op->getParentOp();
                return !ordersMemory(op) || (parent->isProperAncestor(copy) &&
                                             !isa<PipelinedOp>(parent) &&
                                             values.isComputable(op))
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

std::string PipelinePlanner::checkCopy(Operation *copy, AllocOp alloc) {
  // Registers hold a tile as it was allocated.
  auto choice = copy->getAttrOfType<TransferAttr>("instruction");
  bool isAsync = choice && choice.getFamily() != Instruction::Sync;
  for (Value tile = getLoadedTile(copy); tile != alloc.getBuffer();
       tile = tile.getDefiningOp()->getOperand(0))
    if (!isAsync || !tile.getDefiningOp<ReshapeOp>())
      return "its target is a view";
  if (!keepsOrder(copy))
    return "it would pass what the kernel waits for";
  SmallVector<Access> accesses;
  (void)collectAccesses(copy, accesses);
  for (const Access &access : accesses) {
    if (access.kind != AccessKind::Read)
      continue;
    if (values.isWritten(access.region.buffer))
      return "the kernel writes its source, too";
    if (!values.isComputable(access.region.buffer))
      return "its source is a view of what the consumer computes";
    for (Value index : access.region.operands)
      if (!values.isComputable(index))
        return "its offsets depend on what the consumer computes";
  }
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
                                         PipelineSites &sites) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(reader, accesses)))
    return ("'" + reader->getName().getStringRef() + "' uses its target").str();
  for (const Access &access : accesses)
    if (getBaseBuffer(access.region.buffer) == alloc.getBuffer() &&
        access.kind != AccessKind::Read)
      return ("'" + reader->getName().getStringRef() +
              "' writes its target, too")
          .str();
  auto *site = llvm::find_if(sites, [&](const PipelineSite &site) {
    return site.block->findAncestorOpInBlock(*reader);
  });
  if (site == sites.end())
    return "its target is used outside of the block that fills it";
  Operation *place = site->block->findAncestorOpInBlock(*reader);
  if (place->isBeforeInBlock(site->copies.back()))
    return "its target is used before it is filled";
  if (!site->first || place->isBeforeInBlock(site->first))
    site->first = place;
  if (!site->last || site->last->isBeforeInBlock(place))
    site->last = place;
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

/// Whether one block stands in the other one.
static bool isNested(Block *a, Block *b) {
  return a != b && (a->getParent()->isAncestor(b->getParent()) ||
                    b->getParent()->isAncestor(a->getParent()));
}

std::string PipelinePlanner::checkBuffer(AllocOp alloc, PipelineSites &sites) {
  for (PipelineSite &site : sites) {
    for (PipelineSite &other : sites)
      if (isNested(site.block, other.block))
        return "its target is filled in a loop or branch and around it";
    for (Operation *copy : site.copies)
      if (std::string reason = checkCopy(copy, alloc); !reason.empty())
        return reason;
  }
  std::string refusal;
  forEachUser(alloc.getBuffer(), [&](Operation *user) {
    if (llvm::any_of(sites, [&](const PipelineSite &site) {
          return llvm::is_contained(site.copies, user);
        }))
      return;
    std::string reason = checkReader(user, alloc, sites);
    if (refusal.empty())
      refusal = reason;
  });
  bool isRead =
      llvm::all_of(sites, [](const PipelineSite &site) { return site.first; });
  if (refusal.empty() && !isRead)
    return "nothing reads its target";
  return refusal;
}

/// The site of the copy's block; a new one if there is none.
static PipelineSite &getSite(PipelineSites &sites, Block *block) {
  auto *site = llvm::find_if(
      sites, [&](const PipelineSite &known) { return known.block == block; });
  if (site != sites.end())
    return *site;
  sites.push_back({block, {}});
  return sites.back();
}

/// The stages of the pipelined loop closest around `block`; 1 without.
static int64_t getStages(Block *block, KernelOp kernel) {
  for (Operation *parent = block->getParentOp(); parent != kernel;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<PipelinedOp>(parent))
      return loop.getStages();
  return 1;
}

bool mlir::tile::isReadInFlight(AllocOp alloc) {
  bool found = false;
  forEachUser(alloc.getBuffer(), [&](Operation *user) {
    auto gemm = dyn_cast<GemmOp>(user);
    MmaAttr attr = gemm ? gemm.getInstructionAttr() : MmaAttr();
    found |= gemm && (!attr || attr.isAsynchronous());
  });
  return found;
}

/// Whether other copies of the producer stand between the first look at a stage
/// that both sites fill and the last copy into it. The consumer would wait for
/// that copy, and the producer, which comes to the others first, for the
/// consumer.
static bool surroundsOthers(const PipelineSite &a, const PipelineSite &b) {
  Operation *first = a.first->isBeforeInBlock(b.first) ? a.first : b.first;
  Operation *last = a.copies.back()->isBeforeInBlock(b.copies.back())
                        ? b.copies.back()
                        : a.copies.back();
  if (!first->isBeforeInBlock(last))
    return false;
  auto isOther = [&](Operation *copy) {
    return getTileOfProducer(copy) && !llvm::is_contained(a.copies, copy) &&
           !llvm::is_contained(b.copies, copy);
  };
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (op->walk([&](Operation *nested) {
            return isOther(nested) ? WalkResult::interrupt()
                                   : WalkResult::advance();
          }).wasInterrupted())
      return true;
  return false;
}

/// Whether all of `inner` stands between the first and the last look at a stage
/// of `outer`.
static bool contains(const PipelineSite &outer, const PipelineSite &inner) {
  return !inner.first->isBeforeInBlock(outer.first) &&
         !outer.last->isBeforeInBlock(inner.last);
}

/// Whether a buffer gets its stages with those of the group. Where different
/// ops look at them, stages of their own are filled earlier and waited for
/// later, which pays while gemms are in flight; else it is one more wait. What
/// threads read while gemms use the stage anyway joins them, and so does what
/// threads gather: each wait for that is a fence.
static bool joins(AllocOp alloc, const PipelineSites &sites,
                  const PipelineGroup &group) {
  auto isGathered = [](const PipelineSite &site) {
    return llvm::all_of(site.copies, llvm::IsaPred<GatherOp>);
  };
  bool isRead =
      !isReadInFlight(alloc) || (llvm::all_of(sites, isGathered) &&
                                 llvm::all_of(group.sites, isGathered));
  bool inFlight = !isRead || llvm::any_of(group.buffers, isReadInFlight);
  return llvm::equal(
      group.sites, sites, [&](const PipelineSite &a, const PipelineSite &b) {
        return a.block == b.block && !surroundsOthers(a, b) &&
               (!inFlight || (a.first == b.first && a.last == b.last) ||
                (isRead && contains(a, b)));
      });
}

/// Adds a buffer to a group; `sites` tell which copies fill it.
static void addBuffer(PipelineGroup &group, AllocOp alloc,
                      const PipelineSites &sites) {
  group.buffers.push_back(alloc);
  for (auto [into, from] : llvm::zip(group.sites, sites)) {
    if (!into.first || from.first->isBeforeInBlock(into.first))
      into.first = from.first;
    if (!into.last || into.last->isBeforeInBlock(from.last))
      into.last = from.last;
    llvm::append_range(into.copies, from.copies);
    llvm::append_range(group.copies, from.copies);
    llvm::sort(into.copies, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
  }
}

SmallVector<PipelineGroup> PipelinePlanner::run(PipelineRefusals &refusals) {
  llvm::MapVector<AllocOp, PipelineSites> uses;
  kernel.walk([&](Operation *copy) {
    Value tile = getTileOfProducer(copy);
    if (!tile)
      return;
    if (auto alloc = getBaseBuffer(tile).getDefiningOp<AllocOp>())
      getSite(uses[alloc], copy->getBlock()).copies.push_back(copy);
  });
  SmallVector<PipelineGroup> groups;
  // What gemms read comes first, for others to join.
  auto order = llvm::to_vector(
      llvm::make_pointer_range(llvm::make_range(uses.begin(), uses.end())));
  llvm::stable_sort(order, [](const auto *a, const auto *b) {
    return isReadInFlight(a->first) && !isReadInFlight(b->first);
  });
  for (auto *entry : order) {
    AllocOp alloc = entry->first;
    PipelineSites &sites = entry->second;
    std::string reason = checkBuffer(alloc, sites);
    if (!reason.empty()) {
      for (PipelineSite &site : sites)
        for (Operation *copy : site.copies)
          refusals.emplace_back(copy, reason);
      continue;
    }
    auto *group = llvm::find_if(groups, [&](const PipelineGroup &known) {
      return joins(alloc, sites, known);
    });
    if (group == groups.end()) {
      PipelineGroup added;
      for (PipelineSite &site : sites) {
        added.sites.push_back({site.block, {}, site.first, site.last});
        added.stages = std::max(added.stages, getStages(site.block, kernel));
      }
      groups.push_back(added);
      group = &groups.back();
    }
    addBuffer(*group, alloc, sites);
  }
  return groups;
}

std::optional<PipelineGroup> PipelinePlanner::runOn(PipelinedOp loop,
                                                    Instruction family,
                                                    std::string &reason) {
  llvm::MapVector<AllocOp, PipelineSites> uses;
  Block *body = &loop.getBody().front();
  for (Operation &op : *body)
    if (Value tile = getTileLoadedBy(family, &op))
      if (auto alloc = getBaseBuffer(tile).getDefiningOp<AllocOp>())
        getSite(uses[alloc], body).copies.push_back(&op);
  reason = family == Instruction::CpAsync
               ? "it has no asynchronous copy to shared memory"
               : "it has no copy from global to shared memory";
  PipelineGroup group{{{body, {}}}, {}, int64_t(loop.getStages()), {}};
  for (auto &[alloc, sites] : uses) {
    std::string refusal = checkBuffer(alloc, sites);
    if (refusal.empty())
      addBuffer(group, alloc, sites);
    else
      reason = "a copy cannot run ahead: " + refusal;
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

SmallVector<PipelineGroup>
mlir::tile::planPipelines(KernelOp kernel, PipelineRefusals &refusals) {
  return PipelinePlanner(kernel).run(refusals);
}
