//===- InferLayout.cpp - inference of layouts -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InferLayout.h"

#include "LayoutModels.h"
#include "LayoutPlacement.h"
#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/LayoutState.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

#include <set>

namespace mlir::tile {
#define GEN_PASS_DEF_INFERLAYOUTPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

static constexpr llvm::StringLiteral kCategory = "tile-infer-layout";

namespace {
/// Infers the layouts of one kernel.
class LayoutInference {
public:
  LayoutInference(KernelOp kernel, const ::tile::target::Target &target)
      : kernel(kernel), target(target), replacer(kernel) {}

  LogicalResult run();

private:
  LogicalResult checkInstructions();
  LogicalResult seedAnnotations(LayoutState &state);
  void collectOps();
  /// Asks all ops on one level, and after each of them whoever is concerned.
  void infer(LayoutLevel level, LayoutState &state);
  void propagate(LayoutState &state);
  void inferRest(LayoutState &state);
  LogicalResult checkKnown(const LayoutState &state);
  LogicalResult convert(LayoutState &state);
  LogicalResult convertAll(TileLayoutOpInterface op, LayoutState &state);
  LogicalResult convert(TileLayoutOpInterface op,
                        const LayoutRequirement &requirement,
                        LayoutState &state);
  LogicalResult writeBack(const LayoutState &state);

  KernelOp kernel;
  const ::tile::target::Target &target;
  TileReplacer replacer;
  SmallVector<TileLayoutOpInterface> ops;
  /// For each buffer the numbers of the ops that touch it, ascending.
  DenseMap<Value, SmallVector<unsigned>> users;
};
} // namespace

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

LogicalResult LayoutInference::checkInstructions() {
  WalkResult result = kernel.walk([&](GemmOp gemm) {
    if (gemm.getInstructionAttr())
      return WalkResult::advance();
    gemm.emitOpError(
        "expected an instruction; run 'tile-select-instructions' first");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether the threads of the kernel are enough.
static LogicalResult checkThreads(Operation *op, const Layout &layout,
                                  Threads threads) {
  int64_t lanes = layout.axisSize(Axis::Lane);
  int64_t warps = layout.axisSize(Axis::Warp);
  if (lanes <= threads.lanes && warps <= threads.warps)
    return success();
  return op->emitOpError() << "expected a layout on at most " << threads.warps
                           << " warps of " << threads.lanes << " lanes, got "
                           << warps << " warps of " << lanes;
}

LogicalResult LayoutInference::seedAnnotations(LayoutState &state) {
  WalkResult result = kernel.walk([&](AnnotateLayoutOp hint) {
    Value buffer = hint.getBuffer();
    Layout layout = getTileLayout(hint.getLayout());
    bool isFragment = state.isFragment(buffer);
    AxisSet allowed = isFragment ? axisBit(Axis::Reg) | axisBit(Axis::Lane) |
                                       axisBit(Axis::Warp)
                                 : axisBit(Axis::Offset);
    if (layout.axes() & ~allowed) {
      hint.emitOpError() << "expected a layout that goes to "
                         << (isFragment ? "registers, lanes and warps"
                                        : "offsets of a memory")
                         << ", got " << hint.getLayout();
      return WalkResult::interrupt();
    }
    if (failed(checkThreads(hint, layout, state.getThreads())))
      return WalkResult::interrupt();
    if (state.propose(buffer, layout, hint, LayoutLevel::Strict))
      return WalkResult::advance();
    std::optional<Layout> known = state.get(buffer);
    if (known && *equivalent(*known, layout))
      return WalkResult::advance();
    InFlightDiagnostic diag = hint.emitOpError()
                              << "asks for the layout " << mlir::tile::describe(layout)
                              << ", but the buffer has " << mlir::tile::describe(known);
    if (std::optional<LayoutState::Origin> origin = state.getOrigin(buffer))
      diag.attachNote(origin->by->getLoc()) << "which comes from here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void LayoutInference::collectOps() {
  kernel.walk<WalkOrder::PreOrder>([&](TileLayoutOpInterface op) {
    unsigned number = ops.size();
    ops.push_back(op);
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        if (!isa<MemRefType>(operand.getType()))
          continue;
        SmallVector<unsigned> &list = users[getBaseBuffer(operand)];
        if (list.empty() || list.back() != number)
          list.push_back(number);
      }
    });
  });
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

void LayoutInference::propagate(LayoutState &state) {
  std::set<unsigned> work;
  auto note = [&] {
    for (Value buffer : state.takeChanged())
      for (unsigned user : users.lookup(buffer))
        work.insert(user);
  };
  note();
  while (!work.empty()) {
    unsigned number = *work.begin();
    work.erase(work.begin());
    ops[number].inferLayouts(LayoutLevel::Common, state);
    note();
  }
}

void LayoutInference::infer(LayoutLevel level, LayoutState &state) {
  for (TileLayoutOpInterface op : ops) {
    op.inferLayouts(level, state);
    // What is strict is known before anything follows from it.
    if (level != LayoutLevel::Strict)
      propagate(state);
  }
  propagate(state);
}

void LayoutInference::inferRest(LayoutState &state) {
  kernel.walk([&](AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    if (!state.isFragment(buffer) || state.has(buffer))
      return;
    state.propose(buffer, getCoalescedLayout(buffer, state), alloc,
                  LayoutLevel::Default);
    propagate(state);
  });
}

/// Every view of every fragment can be seen.
LogicalResult LayoutInference::checkKnown(const LayoutState &state) {
  WalkResult result = kernel.walk([&](ViewLikeOpInterface view) {
    Value buffer = view.getViewDest();
    if (!isa<MemRefType>(buffer.getType()) || !state.isFragment(buffer) ||
        state.has(buffer))
      return WalkResult::advance();
    InFlightDiagnostic diag = view->emitOpError()
                              << "cuts through the parts that threads have of "
                                 "the fragment, whose layout is "
                              << mlir::tile::describe(state.get(getBaseBuffer(buffer)));
    diag.attachNote() << "copy it to shared memory first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Clashes
//===----------------------------------------------------------------------===//

LogicalResult LayoutInference::convert(TileLayoutOpInterface op,
                                       const LayoutRequirement &requirement,
                                       LayoutState &state) {
  Value buffer = requirement.buffer;
  std::optional<Layout> has = state.get(buffer);
  std::optional<LayoutState::Origin> origin = state.getOrigin(buffer);
  if (requirement.kind == LayoutRequirement::Exact && isa<GemmOp>(op) &&
      origin && isa<AnnotateLayoutOp>(origin->by)) {
    InFlightDiagnostic diag =
        op->emitOpError() << "needs the layout " << mlir::tile::describe(requirement.layout)
                          << ", but it is " << mlir::tile::describe(has);
    diag.attachNote(origin->by->getLoc()) << "which is asked for here";
    return diag;
  }
  std::string cost = "through shared memory";
  if (has && state.isFragment(buffer))
    if (Result<Conversion> kind = classifyConversion(*has, requirement.layout))
      cost = conversionName(*kind);
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("Conversion").category(kCategory))
      << remark::reason("from {0} to {1}: {2}", mlir::tile::describe(has),
                        mlir::tile::describe(requirement.layout), cost);
  Value copy = replacer.replace(op, buffer, getMemorySpace(buffer));
  state.propose(copy, requirement.layout, op, LayoutLevel::Strict);
  return success();
}

LogicalResult LayoutInference::convert(LayoutState &state) {
  for (TileLayoutOpInterface op : ops)
    if (failed(convertAll(op, state)))
      return failure();
  return success();
}

/// Whether the op needs the fragment in two layouts, as a product needs the tile
/// that is both of its operands.
static bool isNeededTwice(ArrayRef<LayoutRequirement> requirements,
                          const LayoutRequirement &requirement,
                          const LayoutState &state) {
  return state.isFragment(requirement.buffer) &&
         llvm::any_of(requirements, [&](const LayoutRequirement &other) {
           return other.buffer == requirement.buffer &&
                  !other.isMetBy(requirement.layout);
         });
}

LogicalResult LayoutInference::convertAll(TileLayoutOpInterface op,
                                          LayoutState &state) {
  // What the op needs of one tile may follow from the layout of another one.
  for (unsigned round = 0;; ++round) {
    SmallVector<LayoutRequirement> requirements;
    op.getRequirements(state, requirements);
    const LayoutRequirement *open =
        llvm::find_if(requirements, [&](const LayoutRequirement &requirement) {
          return !requirement.isMetBy(state.get(requirement.buffer));
        });
    if (open == requirements.end())
      return success();
    // Each round meets one requirement, and a met one stays met.
    if (round > requirements.size())
      return op->emitOpError("has no layouts of its tiles that fit together; "
                             "copy one of them to shared memory first");
    if (isNeededTwice(requirements, *open, state)) {
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("Conversion").category(kCategory))
          << remark::reason("both operands are one tile: through shared memory");
      replacer.replace(op, open->buffer, MemorySpace::Shared);
      continue;
    }
    if (failed(convert(op, *open, state)))
      return failure();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult LayoutInference::writeBack(const LayoutState &state) {
  WalkResult result = kernel.walk([&](Operation *op) {
    auto emitError = [&] { return op->emitOpError(); };
    if (auto alloc = dyn_cast<AllocOp>(op);
        alloc && state.isTracked(alloc.getBuffer())) {
      std::optional<Layout> layout = state.get(alloc.getBuffer());
      // A stage of a pipeline adds one.
      int maxRank = kMaxRank - (state.isShared(alloc.getBuffer()) ? 1 : 0);
      if (!layout || layout->rank() > maxRank) {
        emitError() << "has no layout of at most " << maxRank
                    << " dimensions and " << kMaxPositions << " places";
        return WalkResult::interrupt();
      }
      if (failed(checkThreads(op, *layout, state.getThreads())))
        return WalkResult::interrupt();
      LayoutAttr attr = getLayoutAttr(emitError, op->getContext(), *layout);
      if (!attr)
        return WalkResult::interrupt();
      alloc.setLayoutAttr(attr);
      LayoutState::Origin origin = *state.getOrigin(alloc.getBuffer());
      remark::passed(op->getLoc(),
                     remark::RemarkOpts::name("Layout").category(kCategory))
          << attr.getText()
          << remark::reason("{0}, {1}", stringifyLayoutLevel(origin.level),
                            origin.by->getName());
    }
    if (auto loop = dyn_cast<ParallelOp>(op)) {
      std::optional<Layout> layout = state.getLoop(loop);
      if (!layout)
        return WalkResult::advance();
      if (failed(checkThreads(op, *layout, state.getThreads())))
        return WalkResult::interrupt();
      LayoutAttr attr = getLayoutAttr(emitError, op->getContext(), *layout);
      if (!attr)
        return WalkResult::interrupt();
      loop.setLayoutAttr(attr);
      remark::passed(op->getLoc(),
                     remark::RemarkOpts::name("Partition").category(kCategory))
          << attr.getText();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutInference::run() {
  if (failed(checkInstructions()))
    return failure();
  forwardLoads(kernel);
  alignLoops(kernel);
  placeOperands(kernel, replacer);
  placeAccesses(kernel, target, replacer);
  collectOps();
  LayoutState state(kernel, target);
  if (failed(seedAnnotations(state)))
    return failure();
  for (LayoutLevel level :
       {LayoutLevel::Strict, LayoutLevel::Free, LayoutLevel::Default})
    infer(level, state);
  inferRest(state);
  if (failed(checkKnown(state)) || failed(convert(state)))
    return failure();
  replacer.updateSchedules();
  chooseSharedLayouts(kernel, state);
  if (failed(checkTensorCopies(kernel, state)))
    return failure();
  return success(succeeded(writeBack(state)) &&
                 succeeded(fitShared(kernel, target)));
}

/// A kernel whose tiles do not fit is tried once more with instructions that
/// take both operands from registers.
static LogicalResult inferLayouts(KernelOp kernel,
                                  const ::tile::target::Target &target) {
  int64_t limit = target.getGPU()->sharedBytesPerBlock;
  KernelOp spare;
  if (getLeastSharedBytes(kernel, target) > limit) {
    OpBuilder b(kernel);
    spare = cast<KernelOp>(b.clone(*kernel));
  }
  LogicalResult result = LayoutInference(kernel, target).run();
  if (!spare)
    return result;
  int64_t needed = succeeded(result) ? getLeastSharedBytes(kernel, target) : 0;
  if (needed <= limit || !selectWarpGemms(spare, target)) {
    spare.erase();
    return result;
  }
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("GemmInstruction").category(kCategory))
      << remark::reason("{0} bytes do not fit into {1}: operands of gemms go "
                        "to registers",
                        needed, limit);
  kernel.erase();
  return LayoutInference(spare, target).run();
}

namespace {
struct InferLayoutPass
    : mlir::tile::impl::InferLayoutPassBase<InferLayoutPass> {
  using InferLayoutPassBase::InferLayoutPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      const ::tile::target::Target *chip = getTarget(kernel, "GPU");
      if (!chip || failed(inferLayouts(kernel, *chip)))
        return signalPassFailure();
    }
  }
};
} // namespace
