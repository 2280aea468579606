//===- Consumers.cpp - what teams of threads can run ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Teams that run one consumer share nothing but the stages of pipelines, which
// are of one team at a time: that of the point for which they were filled.
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/Consumers.h"

#include "VerifySchedule.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::fail;
using ::tile::layout::Result;
using ::tile::layout::Status;
using ::tile::layout::Success;
using ::tile::target::GPUSpec;

/// The loop over points that holds all there is in a partition; null if there is
/// more.
static PersistentOp findPoints(Region &partition) {
  PersistentOp points;
  for (Operation &op : partition.front()) {
    auto loop = dyn_cast<PersistentOp>(op);
    if (loop && !points)
      points = loop;
    else if (loop || (!isMemoryEffectFree(&op) && !isa<AllocOp>(op)))
      return {};
  }
  return points;
}

/// Appends the loops up to `points` whose trips are the same for all of these.
static Status collectLoops(Operation *op, PersistentOp points,
                           SmallVectorImpl<PipelinedOp> &loops) {
  for (Operation *at = op->getParentOp(); at != points;
       at = at->getParentOp()) {
    auto loop = dyn_cast<PipelinedOp>(at);
    if (!loop)
      return fail("expected the stages of a point to be filled in "
                  "'tile.pipelined' loops alone, got '",
                  at->getName().getStringRef().str(), "'");
    for (Value bound : loop.getDynamicBounds()) {
      if (points.getBody().isAncestor(bound.getParentRegion()))
        return fail("expected as many stages for all points, got a loop with "
                    "bounds of its own for each");
      // Consumers count the stages, too.
      if (points->getParentRegion()->isAncestor(bound.getParentRegion()))
        return fail("expected the bounds of its loops in front of the "
                    "partitions, got one computed in the producer");
    }
    loops.push_back(loop);
  }
  return Success{};
}

Result<PointCommits> mlir::tile::collectCommits(WarpSpecializeOp partitions) {
  PersistentOp points = findPoints(partitions.getProducer());
  if (!points)
    return fail("expected one 'tile.persistent' and nothing else in both "
                "partitions");
  PointCommits commits;
  Status ok = Success{};
  points.walk([&](ProducerCommitOp commit) {
    SmallVector<PipelinedOp> loops;
    if (ok)
      ok = collectLoops(commit, points, loops);
    commits[commit.getPipeline()].push_back(std::move(loops));
  });
  if (!ok)
    return ok.failure();
  return commits;
}

/// Whether what a team fills is a copy out of a fragment to each stage.
/// tile.team C3
static Status checkFill(ProducerAcquireOp acquire) {
  if (acquire.getBytes() != 0)
    return fail("expected the stages that a team fills to count no bytes of "
                "tensor copies, got ", int64_t(acquire.getBytes()));
  for (Operation *user : acquire.getStage().getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    Operation *fill = stage && stage.getView().hasOneUse()
                          ? *stage.getView().user_begin()
                          : nullptr;
    auto copy = dyn_cast_or_null<CopyOp>(fill);
    if (!copy || copy.getSignal() || copy.getTarget() != stage.getView() ||
        getMemorySpace(copy.getSource()) != MemorySpace::Fragment)
      return fail("expected a team to fill a stage by one 'tile.copy' out of a "
                  "fragment, and not to read it");
  }
  return Success{};
}

/// Whether the access writes a stage for which several teams wait.
static bool writesSharedStage(const Access &access) {
  Value view = access.region.buffer;
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto stage = dyn_cast<StageOp>(op.getOperation()))
      if (auto wait = stage.getIndex().getDefiningOp<ConsumerWaitOp>())
        return access.kind != AccessKind::Read &&
               getReaders(wait.getPipeline()).size() > 1;
    view = op.getViewSource();
  }
  return false;
}

/// Whether no team needs what another one writes to its registers, or to a
/// stage that is for more of them.
/// tile.team C5, C6
static Status checkAccesses(WarpSpecializeOp partitions) {
  struct Use {
    TeamOp first;
    bool isShared = false, isWritten = false;
  };
  DenseMap<Value, Use> uses;
  Status ok = Success{};
  partitions.getConsumer().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (!ok || failed(collectAccesses(op, accesses)))
      return;
    auto team = op->getParentOfType<TeamOp>();
    for (const Access &access : accesses) {
      if (writesSharedStage(access)) {
        ok = fail("expected teams to read a stage for which several of them "
                  "wait, got '", op->getName().getStringRef().str(),
                  "', which writes it");
        return;
      }
      Value buffer = getBaseBuffer(access.region.buffer);
      if (getMemorySpace(buffer) != MemorySpace::Fragment)
        continue;
      Use &use = uses.try_emplace(buffer, Use{team}).first->second;
      use.isShared |= use.first != team;
      use.isWritten |= access.kind != AccessKind::Read;
      if (!use.isShared || !use.isWritten)
        continue;
      std::string type = llvm::formatv("{0}", buffer.getType());
      ok = fail("expected a fragment to be of one team, whose threads have its "
                "elements, got ", type);
      return;
    }
  });
  return ok;
}

/// Whether pipelines order what teams with programs of their own share.
/// tile.team C2
static Status checkPrograms(WarpSpecializeOp partitions) {
  auto kernel = cast<KernelOp>(partitions->getParentOp());
  Status ok = Success{};
  kernel.walk([&](CreatePipelineOp pipeline) {
    llvm::SmallPtrSet<Operation *, 4> fillers;
    auto readers = getReaders(pipeline.getPipeline());
    for (Operation *user : pipeline.getPipeline().getUsers()) {
      auto acquire = dyn_cast<ProducerAcquireOp>(user);
      if (!acquire || !ok)
        continue;
      auto team = acquire->getParentOfType<TeamOp>();
      fillers.insert(team ? team.getOperation() : partitions.getOperation());
      if (team)
        ok = checkFill(acquire);
      if (ok && readers.contains(team))
        ok = fail("expected no team to wait for a pipeline that it fills");
    }
    if (ok && fillers.size() > 1)
      ok = fail("expected one partition to fill a pipeline, got ",
                fillers.size());
  });
  return ok ? checkAccesses(partitions) : ok;
}

Status mlir::tile::checkConsumers(WarpSpecializeOp partitions, int64_t teams,
                                  const GPUSpec &gpu) {
  auto kernel = cast<KernelOp>(partitions->getParentOp());
  int64_t group = gpu.groupThreads(), threads = kernel.getThreads();
  if (threads != group)
    return fail("expected a kernel of one warpgroup of ", group,
                " threads, got ", threads, " threads");
  // The block and the consumers have two, each team has two.
  int64_t most = std::min((gpu.maxThreadsPerBlock - group) / group,
                          (gpu.namedBarriers - 2) / 2);
  if (teams > most)
    return fail("expected at most ", most, " of them, got ", teams);
  if (kernel.getCluster())
    return fail("expected a kernel without clusters");
  if (!getPrograms(partitions).empty())
    return checkPrograms(partitions);
  WalkResult gathers = partitions.getProducer().walk(
      [](GatherOp) { return WalkResult::interrupt(); });
  if (gathers.wasInterrupted())
    return fail("expected a producer of tensor copies, got a gather");
  if (!findPoints(partitions.getConsumer()))
    return fail("expected one 'tile.persistent' and nothing else in both "
                "partitions");
  Result<PointCommits> commits = collectCommits(partitions);
  return commits ? Status(Success{}) : Status(commits.failure());
}

/// Whether nothing but stages of it, which a pipeline fills, is used.
static bool isOfPipeline(AllocOp alloc) {
  return llvm::all_of(alloc.getBuffer().getUsers(), [](Operation *user) {
    if (isa<AnnotateLayoutOp>(user))
      return true;
    auto stage = dyn_cast<StageOp>(user);
    Operation *index = stage ? stage.getIndex().getDefiningOp() : nullptr;
    return isa_and_nonnull<ProducerAcquireOp, ConsumerWaitOp>(index);
  });
}

/// Whether one team alone uses it.
static bool isOfOneProgram(AllocOp alloc) {
  llvm::SmallPtrSet<Operation *, 4> programs;
  for (Operation *user : alloc.getBuffer().getUsers())
    if (!isa<AnnotateLayoutOp>(user))
      programs.insert(user->getParentOfType<TeamOp>());
  return programs.size() == 1 && *programs.begin();
}

static bool shareBytes(AllocOp a, AllocOp b) {
  if (!a.getOffset() || !b.getOffset())
    return false;
  int64_t first = *a.getOffset(), second = *b.getOffset();
  return first < second + getSharedBytes(b) &&
         second < first + getSharedBytes(a);
}

static Status checkBuffer(AllocOp alloc, WarpSpecializeOp partitions,
                          int64_t teams, const GPUSpec &gpu) {
  if (getConsumers(alloc) == 1 &&
      (isOfPipeline(alloc) || isOfOneProgram(alloc)))
    return Success{};
  Type type = alloc.getBuffer().getType();
  std::string name = llvm::formatv("{0}", type);
  bool isConsumers = llvm::all_of(
      alloc.getBuffer().getUsers(), [&](Operation *user) {
        return partitions.getConsumer().isAncestor(user->getParentRegion());
      });
  if (getConsumers(alloc) != teams || !isConsumers)
    return fail("expected '", kConsumersAttrName.str(), "' of ", teams,
                " on the shared buffers of the consumer that no pipeline "
                "fills, and no other use of them, got ",
                name);
  if (getSharedBytes(alloc) / teams % gpu.sharedAlign != 0)
    return fail("expected shared buffers of a multiple of ", gpu.sharedAlign,
                " bytes for each, got ", name);
  bool isAlone = true;
  partitions->getParentOfType<KernelOp>().walk([&](AllocOp other) {
    isAlone &= other == alloc || !shareBytes(alloc, other);
  });
  if (!isAlone)
    return fail("expected no other buffer in the bytes of ", name);
  return Success{};
}

Status mlir::tile::checkBuffers(WarpSpecializeOp partitions, int64_t teams,
                                const GPUSpec &gpu) {
  Status ok = Success{};
  partitions->getParentOfType<KernelOp>().walk([&](AllocOp alloc) {
    if (ok && getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      ok = checkBuffer(alloc, partitions, teams, gpu);
  });
  return ok;
}

/// Buffers of teams in a kernel that has none.
static LogicalResult verifyNoTeams(KernelOp kernel) {
  WalkResult result = kernel.walk([](AllocOp alloc) {
    int64_t teams = getConsumers(alloc);
    if (teams == 1)
      return WalkResult::advance();
    alloc.emitOpError() << "expected '" << kConsumersAttrName
                        << "' on the 'tile.warp_specialize' of the kernel, too, "
                           "got a buffer for each of "
                        << teams << " and one consumer";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::tile::verifyConsumers(KernelOp kernel) {
  const ::tile::target::Target *target = lookupTarget(kernel);
  bool hasTeams = false;
  WalkResult result = kernel.walk([&](WarpSpecializeOp partitions) {
    int64_t teams = getConsumers(partitions);
    if (teams == 1)
      return WalkResult::advance();
    hasTeams = true;
    if (!target || !target->getGPU() || !target->getGPU()->tma) {
      partitions.emitOpError(
          "expected a target with warpgroups and tensor copies");
      return WalkResult::interrupt();
    }
    Status ok = checkConsumers(partitions, teams, *target->getGPU());
    if (ok)
      ok = checkBuffers(partitions, teams, *target->getGPU());
    if (ok)
      return WalkResult::advance();
    partitions.emitOpError()
        << "cannot have " << teams << " consumers: " << ok.reason();
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return hasTeams ? success() : verifyNoTeams(kernel);
}
