//===- PipelineLoops.cpp - multi-buffered loops ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Queues of pipes run ahead by themselves as far as flags let them: on one
// core, overlap needs alternating buffers alone. A loop of both cores is
// staggered.
//
//===----------------------------------------------------------------------===//

#include "LoopRewriter.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/Transforms/Flags.h"
#include "Tile/Dialect/Ascend/Transforms/Memory.h"
#include "Tile/Target/CoreOverlap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDPIPELINELOOPSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

namespace {
/// The body for one iteration after the other, each with buffers of its own.
class LoopUnroller : public LoopRewriter {
public:
  LoopUnroller(scf::ForOp loop, int64_t stages, const Singles &singles,
               bool movesSingles)
      : LoopRewriter(loop, singles), stages(stages),
        movesSingles(movesSingles) {}
  bool run() override;

private:
  void createStageBuffers();
  void createLoops();
  void createIterations(Value first, int64_t count);
  int64_t getCredits(Operation *flag);
  void surroundByCredits();
  bool isMultiple();

  scf::ForOp unrolled;
  Operation *last = nullptr; // of what takes the loop's place
  int64_t stages;
  bool movesSingles;
  SmallVector<Value> movable; // what stays one, and may be elsewhere
};
} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static bool isOfCube(MemorySpace space) {
  return space == MemorySpace::L0A || space == MemorySpace::L0B ||
         space == MemorySpace::L0C;
}

/// Buffers of their own for the iterations in flight.
void LoopUnroller::createStageBuffers() {
  DenseSet<Value> gaining = findGaining();
  for (auto &[buffer, numbers] : findTouched()) {
    if (auto workspace = buffer.getDefiningOp<memref::AllocOp>()) {
      workspaces[workspace] = stages;
      continue;
    }
    // Two are enough between the cube and the loads into it.
    if (gaining.contains(buffer))
      createVersions(buffer, isOfCube(tl::getMemorySpace(buffer))
                                 ? std::min<int64_t>(stages, 2)
                                 : stages);
    else if (movesSingles && isPrivate(buffer, loop))
      movable.push_back(buffer);
  }
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

bool LoopUnroller::isMultiple() {
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  return lower && upper && step && *step > 0 && *upper > *lower &&
         llvm::divideCeil(*upper - *lower, *step) % stages == 0;
}

void LoopUnroller::createIterations(Value first, int64_t count) {
  for (int64_t stage = 0; stage < count; ++stage) {
    IRMapping mapping = mapIteration(createVariable(first, stage), stage);
    for (Value buffer : movable) {
      OpBuilder::InsertionGuard guard(b);
      Operation *alloc = buffer.getDefiningOp();
      b.setInsertionPointAfter(alloc);
      mapping.map(buffer, b.clone(*alloc)->getResult(0));
    }
    for (const LoopPart &part : parts)
      for (Operation *op : part.ops)
        clone(op, mapping, stage);
  }
}

/// Whole groups of iterations in a loop, and then the remaining ones: stages
/// alternate from the first one on, whatever their number is.
void LoopUnroller::createLoops() {
  b.setInsertionPoint(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value stride = arith::MulIOp::create(b, loc, step, constant(stages));
  Value whole = upper;
  if (!isMultiple()) {
    Value span = arith::SubIOp::create(b, loc, upper, lower);
    span = arith::MaxSIOp::create(b, loc, span, constant(0));
    // The last iteration counts, whatever is left of its step.
    if (!isOneInteger(loop.getStep()))
      span = arith::AddIOp::create(
          b, loc, span, arith::SubIOp::create(b, loc, step, constant(1)));
    Value groups = arith::DivUIOp::create(b, loc, span, stride);
    whole = arith::AddIOp::create(
        b, loc, lower, arith::MulIOp::create(b, loc, groups, stride));
  }
  auto known = getConstantIntValue(step);
  if (known)
    stride = constant(*known * stages);
  unrolled = scf::ForOp::create(b, loc, lower, whole, stride);
  b.setInsertionPointToStart(unrolled.getBody());
  createIterations(unrolled.getInductionVar(), stages);
  last = unrolled;
  if (isMultiple())
    return;
  b.setInsertionPointAfter(unrolled);
  for (int64_t count = 1; count < stages; ++count) {
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       createVariable(whole, count - 1), upper);
    auto branch = scf::IfOp::create(b, loc, more, /*addElse=*/count > 1);
    if (count == 1)
      last = branch;
    else {
      b.setInsertionPoint(branch.elseYield());
      createIterations(whole, count - 1);
    }
    b.setInsertionPoint(branch.thenYield());
    if (count == stages - 1)
      createIterations(whole, count);
  }
}

/// How many buffers the transfer has that the writer marks as full by `flag`:
/// what it writes stands before it. A workspace has one for each stage.
int64_t LoopUnroller::getCredits(Operation *flag) {
  for (const PartTouch &touch : getTouches(flag->getPrevNode()))
    if (touch.writes && touch.base.getDefiningOp<tl::AllocOp>())
      return std::max<int64_t>(versions.lookup(touch.base).size(), 1);
  return stages;
}

/// The reader sets the "free" flag once for each buffer, and the writer waits
/// for the last ones, around each run of the loop: buffers alternate from the
/// first one on.
void LoopUnroller::surroundByCredits() {
  DenseMap<int64_t, int64_t> transfers; // their buffers
  for (Operation &op : *loop.getBody())
    if (isTransferFlag(&op)) {
      int64_t &count =
          transfers.try_emplace(getTransferNumber(&op), stages).first->second;
      auto set = dyn_cast<CrossCoreSetFlagOp>(op);
      if (set && int64_t(set.getId()) == 2 * getTransferNumber(&op))
        count = getCredits(&op);
    }
  SmallVector<Operation *> credits;
  loop->getParentOfType<tl::KernelOp>().walk([&](Operation *op) {
    if (isTransferFlag(op) && transfers.contains(getTransferNumber(op)) &&
        !loop->isAncestor(op) && !unrolled->isAncestor(op) &&
        !last->isAncestor(op))
      credits.push_back(op);
  });
  for (Operation *op : credits) {
    if (isa<CrossCoreSetFlagOp>(op))
      b.setInsertionPoint(unrolled);
    else
      b.setInsertionPointAfter(last);
    for (int64_t i = 0, e = transfers.lookup(getTransferNumber(op)); i < e; ++i)
      b.clone(*op);
    op->erase();
  }
}

bool LoopUnroller::run() {
  parts = getLoopParts(loop);
  createStageBuffers();
  if (versions.empty() && workspaces.empty())
    return false;
  createLoops();
  surroundByCredits();
  loop.erase();
  for (Value buffer : movable)
    if (buffer.use_empty())
      buffer.getDefiningOp()->erase();
  return true;
}

std::unique_ptr<LoopRewriter>
mlir::tile::ascend::createUnrolling(scf::ForOp loop, int64_t stages,
                                    const Singles &singles, bool movesSingles) {
  return std::make_unique<LoopUnroller>(loop, stages, singles, movesSingles);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static remark::RemarkOpts named(StringRef name) {
  return remark::RemarkOpts::name(name).category("ascend-pipeline-loops");
}

/// How many iterations are in flight at most.
static int64_t getStages(scf::ForOp loop) {
  int64_t stages =
      loop->getAttrOfType<IntegerAttr>(AscendDialect::kStagesAttr).getInt();
  stages = std::min<int64_t>(stages, getSpec(loop).crossCounterMax);
  auto lower = getConstantIntValue(loop.getLowerBound()),
       upper = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  if (lower && upper && step && *step > 0) {
    int64_t span = std::max<int64_t>(0, *upper - *lower);
    stages = std::min<int64_t>(stages, llvm::divideCeil(span, *step));
  }
  return stages;
}

/// A way to rewrite a loop.
struct Attempt {
  int64_t stages; // that stand in the body
  std::optional<PartDistances> distances;
  bool keepsSome = false; // of the buffers may be one, whatever their memory
};

namespace {
/// A copy of the kernel with the loop rewritten, next to it; none if there is
/// nothing to do or it does not fit.
struct Trial {
  tl::KernelOp kernel;
  int64_t stages;
  std::unique_ptr<LoopRewriter> rewriter;
};
} // namespace

static Trial tryPipeline(tl::KernelOp kernel, scf::ForOp loop,
                         const Attempt &attempt) {
  Singles singles;
  while (true) {
    OpBuilder b(kernel);
    IRMapping mapping;
    auto trial = cast<tl::KernelOp>(b.clone(*kernel, mapping));
    auto copy = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
    auto rewriter =
        attempt.distances
            ? createStaggering(copy, attempt.stages, *attempt.distances,
                               singles)
            : createUnrolling(copy, attempt.stages, singles, attempt.keepsSome);
    bool isDone = rewriter->run();
    std::optional<MemorySpace> full;
    if (isDone)
      full = findFullMemory(trial);
    if (isDone && !full)
      return {trial, attempt.stages, std::move(rewriter)};
    trial.erase();
    // Where the cores exchange tiles, any buffer may be one; else, stages come
    // first.
    if (!isDone ||
        !(attempt.distances || attempt.keepsSome || isOfCube(*full)) ||
        ++singles[*full] > rewriter->getNumGaining(*full))
      return {};
  }
}

/// The ways to rewrite a loop, the best one first.
static SmallVector<Attempt> getAttempts(scf::ForOp loop, int64_t stages) {
  SmallVector<Attempt> attempts;
  StringRef chip = getChip(loop)->name;
  const target::CoreSteps *steps = target::lookupCoreSteps(chip);
  if (steps && getLoopParts(loop).size() > 1) {
    int64_t most = steps->most;
    int64_t few =
        llvm::PowerOf2Ceil(std::clamp<int64_t>(stages, steps->few, most));
    for (int64_t count : {few, few / 2, most})
      for (const target::CoreDistances &row : target::lookupCoreDistances(chip))
        attempts.push_back(
            {count, PartDistances{row.fromCube, row.fromVector, row.fromCopy}});
    return attempts;
  }
  for (int64_t count = stages; count > 1; --count)
    attempts.push_back({count, std::nullopt});
  attempts.push_back({2, std::nullopt, /*keepsSome=*/true});
  return attempts;
}

/// As many iterations as have flags of their own, if there is such a number:
/// flags far from each other that become one hold up more than another stage
/// gains.
static Trial saveFlags(tl::KernelOp kernel, scf::ForOp loop, Trial most) {
  std::optional<PipePair> shortage = findFlagShortage(most.kernel);
  for (int64_t stages = most.stages - 1; shortage && stages > 1; --stages) {
    Trial fewer = tryPipeline(kernel, loop, {stages, std::nullopt});
    if (!fewer.kernel)
      continue;
    if (findFlagShortage(fewer.kernel)) {
      fewer.kernel.erase();
      continue;
    }
    remark::missed(loop.getLoc(), named("FewerStages"))
        << remark::reason("of {0} stages: all event ids from {1} to {2} are in "
                          "use",
                          most.stages, stringifyPipe(shortage->first),
                          stringifyPipe(shortage->second));
    most.kernel.erase();
    return fewer;
  }
  return most;
}

static tl::KernelOp pipeline(tl::KernelOp kernel, scf::ForOp loop) {
  int64_t stages = getStages(loop);
  loop->removeAttr(AscendDialect::kStagesAttr);
  if (stages < 2)
    return kernel;
  if (std::optional<StringRef> obstacle = findObstacle(loop)) {
    remark::missed(loop.getLoc(), named("SerialLoop"))
        << remark::reason("{0}", *obstacle);
    return kernel;
  }
  for (const Attempt &attempt : getAttempts(loop, stages)) {
    Trial trial = tryPipeline(kernel, loop, attempt);
    if (!trial.kernel)
      continue;
    if (!attempt.distances)
      trial = saveFlags(kernel, loop, std::move(trial));
    trial.rewriter->enlargeWorkspaces();
    remark::passed(loop.getLoc(), named("PipelinedLoop"))
        << remark::metric("stages", int(trial.stages))
        << remark::metric("parts", trial.rewriter->getNumParts())
        << remark::metric("workspaces", trial.rewriter->getNumWorkspaces());
    kernel.erase();
    return trial.kernel;
  }
  remark::missed(loop.getLoc(), named("SerialLoop"))
      << remark::reason("nothing comes from GM or goes there, or two stages do "
                        "not fit the memories");
  return kernel;
}

/// The ops that use a buffer, or a view of it.
static void collectUses(Value buffer, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : buffer.getUses()) {
    if (isa<ViewLikeOpInterface>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

/// A view of `buffer` as `view` is one of another buffer, next to it.
static Value cloneViews(Value view, Value from, Value buffer) {
  if (view == from)
    return buffer;
  Operation *op = view.getDefiningOp();
  Value source =
      cloneViews(cast<ViewLikeOpInterface>(op).getViewSource(), from, buffer);
  OpBuilder b(op);
  b.setInsertionPointAfter(op);
  IRMapping mapping;
  mapping.map(cast<ViewLikeOpInterface>(op).getViewSource(), source);
  return b.clone(*op, mapping)->getResult(0);
}

/// A buffer that several loops use, each for itself, becomes one for each.
static void separateLoops(tl::AllocOp alloc) {
  Value buffer = alloc.getBuffer();
  SmallVector<OpOperand *> uses;
  collectUses(buffer, uses);
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> byLoop;
  for (OpOperand *use : uses) {
    scf::ForOp loop = use->getOwner()->getParentOfType<scf::ForOp>();
    while (loop && !loop->hasAttr(AscendDialect::kStagesAttr))
      loop = loop->getParentOfType<scf::ForOp>();
    if (!loop)
      return;
    byLoop[loop].push_back(use);
  }
  if (byLoop.size() < 2 || llvm::any_of(byLoop, [&](auto &entry) {
        return !isRenewed(buffer, entry.first);
      }))
    return;
  for (auto &[loop, inside] : llvm::drop_begin(byLoop)) {
    OpBuilder b(alloc);
    b.setInsertionPointAfter(alloc);
    Value own = b.clone(*alloc)->getResult(0);
    DenseMap<Value, Value> views;
    for (OpOperand *use : inside) {
      // Views inside of the loop are of that loop.
      Operation *user = use->getOwner();
      Value view = use->get();
      while (view != buffer && loop->isAncestor(view.getDefiningOp())) {
        user = view.getDefiningOp();
        view = cast<ViewLikeOpInterface>(user).getViewSource();
      }
      if (tl::getBaseBuffer(view) == own)
        continue;
      Value &mine = views[view];
      if (!mine)
        mine = cloneViews(view, buffer, own);
      user->replaceUsesOfWith(view, mine);
    }
  }
}

/// The innermost loops come first.
static scf::ForOp findLoop(tl::KernelOp kernel) {
  scf::ForOp found;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(AscendDialect::kStagesAttr))
      return WalkResult::advance();
    found = loop;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct AscendPipelineLoops
    : tl::impl::AscendPipelineLoopsPassBase<AscendPipelineLoops> {
  void runOnOperation() override {
    SmallVector<tl::KernelOp> kernels;
    getOperation()->walk(
        [&](tl::KernelOp kernel) { kernels.push_back(kernel); });
    for (tl::KernelOp kernel : kernels) {
      SmallVector<tl::AllocOp> buffers;
      kernel.walk([&](tl::AllocOp alloc) { buffers.push_back(alloc); });
      for (tl::AllocOp alloc : buffers)
        separateLoops(alloc);
      while (scf::ForOp loop = findLoop(kernel))
        kernel = pipeline(kernel, loop);
    }
  }
};
} // namespace
