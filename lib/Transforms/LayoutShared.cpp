//===- LayoutShared.cpp - layouts of other shared tiles -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads read and write element by element works in any order; the order
// decides how often they meet in a bank. It is counted.
//
//===----------------------------------------------------------------------===//

#include "InferLayout.h"
#include "LayoutModels.h"

#include "Tile/Layout/Access.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/TensorCopy.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

namespace {
/// Which threads touch which elements of the tile or a view of it.
struct ThreadUse {
  Value seen;
  /// In the shape of the part.
  Layout threads;
  /// Nothing: of all of it.
  std::optional<BufferRegion> part;
};

/// How one shared tile is used, through views as well.
struct SharedUses {
  std::vector<ThreadUse> threads;
  SmallVector<CopyOp> tensorCopies;
  SmallVector<Value> views;
};
} // namespace

/// The threads of a copy between a region of `seen` and a whole fragment.
static std::optional<ThreadUse> getCopyUse(CopyOp copy, Value seen,
                                           const LayoutState &state) {
  bool isSource = copy.getSource() == seen;
  BufferRegion own = copy.getSourceRegion(), other = copy.getTargetRegion();
  if (!isSource)
    std::swap(own, other);
  if (!state.isFragment(other.buffer) || !isWhole(other))
    return std::nullopt;
  std::optional<Layout> layout = state.get(other.buffer);
  if (!layout)
    return std::nullopt;
  Result<Layout> shaped =
      reshape(*layout, {own.sizes.begin(), own.sizes.end()});
  if (!shaped)
    return std::nullopt;
  return ThreadUse{seen, *shaped,
                   isWhole(own) ? std::nullopt : std::optional(own)};
}

static void collectUses(Value seen, const LayoutState &state,
                        SharedUses &uses) {
  for (Operation *user : seen.getUsers()) {
    if (isa<TileViewLayoutInterface>(user)) {
      Value view = cast<ViewLikeOpInterface>(user).getViewDest();
      uses.views.push_back(view);
      collectUses(view, state, uses);
      continue;
    }
    if (auto copy = dyn_cast<CopyOp>(user)) {
      TransferAttr instruction = copy.getInstructionAttr();
      if (instruction && instruction.prescribesSharedLayout())
        uses.tensorCopies.push_back(copy);
      if (std::optional<ThreadUse> use = getCopyUse(copy, seen, state))
        uses.threads.push_back(*use);
      continue;
    }
    auto loop = user->getParentOfType<ParallelOp>();
    if (!loop || !state.getLoop(loop))
      continue;
    // Of fewer variables: neighbours read the same word or go along a row.
    std::optional<FragmentAccess> access = matchFragmentAccess(loop, user);
    if (!access || access->dims.size() != loop.getStaticExtents().size())
      continue;
    if (Result<Layout> threads =
            getLayoutFromLoop(*access, *state.getLoop(loop)))
      uses.threads.push_back({seen, *threads, std::nullopt});
  }
}

/// What a use sees of a tile in `memory`; nothing where a view hides it. Where
/// a part begins at run time, it is counted as one at the beginning.
static std::optional<Layout> getSeenLayout(const ThreadUse &use,
                                           const Layout &memory) {
  std::optional<Layout> seen = getLayoutOfView(use.seen, memory);
  if (!seen || !use.part)
    return seen;
  std::vector<int64_t> start(use.part->sizes.size(), 0);
  if (use.part->map.isConstant())
    llvm::copy(use.part->map.getConstantResults(), start.begin());
  // Where it begins only exchanges banks with each other.
  Result<Part> part = subtile(
      *seen, start, {use.part->sizes.begin(), use.part->sizes.end()});
  return part ? std::optional<Layout>(part->layout) : std::nullopt;
}

/// Row-major with `padding` unused elements after each row.
static Result<Layout> getPadded(const std::vector<int64_t> &shape,
                                int64_t padding) {
  int64_t columns = shape.back(), rows = 1;
  for (int64_t extent : ArrayRef(shape).drop_back())
    rows *= extent;
  Result<Layout> matrix =
      Layout::get({{rows, {{rows, Axis::Offset, columns + padding}}},
                   {columns, {{columns, Axis::Offset, 1}}}});
  return matrix ? reshape(*matrix, shape) : matrix;
}

/// Adds the wavefronts of one use; false if it cannot use the layout.
static bool addWavefronts(const ThreadUse &use, const Layout &memory,
                          const ::tile::target::GPUSpec &gpu,
                          BankReport &total) {
  BankModel model{gpu.sharedBanks, gpu.sharedBankBytes,
                  gpu.sharedBanks * gpu.sharedBankBytes};
  std::optional<Layout> seen = getSeenLayout(use, memory);
  if (!seen)
    return false;
  int64_t bits = getElementBits(use.seen);
  int64_t most = 8 * gpu.vectorBytes / bits, word = 8 * gpu.sharedBankBytes / bits;
  Result<int64_t> width = maxVectorWidth(use.threads, *seen, most);
  if (!width)
    return false;
  Layout threads = use.threads;
  if (bits < 8 && *width < word)
    if (std::optional<SharedWords> words = findSharedWords(threads, word, most)) {
      threads = words->layout;
      width = maxVectorWidth(threads, *seen, most);
      // Where lanes read the same words, two phases are served at once.
      model.phaseBytes *= 2;
    }
  // Single elements of less than a byte: of which lanes share a byte.
  if (!width || *width * bits % 8 != 0)
    return bool(width);
  Result<BankReport> report =
      countBankConflicts(threads, *seen, bits, *width, model);
  if (!report)
    return false;
  total.phases += report->phases;
  total.wavefronts += report->wavefronts;
  return true;
}

/// Wavefronts of all accesses, or nothing if the layout cannot be used.
static std::optional<BankReport>
countWavefronts(const Layout &memory, const SharedUses &uses,
                const ::tile::target::GPUSpec &gpu) {
  for (Value view : uses.views)
    if (!getLayoutOfView(view, memory))
      return std::nullopt;
  for (CopyOp copy : uses.tensorCopies) {
    bool loads = getMemorySpace(copy.getSource()) == MemorySpace::Global;
    std::optional<Layout> tile = getLayoutOfView(
        loads ? copy.getTarget() : copy.getSource(), memory);
    if (!gpu.tma || !tile || !matchTensorCopy(copy, *tile, *gpu.tma))
      return std::nullopt;
  }
  BankReport total;
  for (const ThreadUse &use : uses.threads)
    if (!addWavefronts(use, memory, gpu, total))
      return std::nullopt;
  return total;
}

/// None for a tile that no layout has.
static std::optional<Layout> chooseLayout(AllocOp alloc,
                                          const LayoutState &state) {
  Value buffer = alloc.getBuffer();
  std::vector<int64_t> shape = getShapeOf(buffer);
  Result<Layout> rowMajor = Layout::rowMajor(shape);
  if (!rowMajor)
    return std::nullopt;
  const Layout &plain = *rowMajor;
  int64_t bits = getElementBits(buffer);
  if (shape.size() < 2 || bits < 8)
    return plain;
  SharedUses uses;
  collectUses(buffer, state, uses);
  const ::tile::target::GPUSpec &gpu = *state.getTarget().getGPU();
  std::optional<BankReport> first = countWavefronts(plain, uses, gpu);
  if (first ? first->conflicts() == 0 : uses.tensorCopies.empty())
    return plain;
  std::optional<BankReport> best = first;
  Layout chosen = plain;
  for (const Result<Layout> &other :
       {getSwizzledTile(buffer, gpu), getPadded(shape, getVectorLimit(bits, gpu)),
        getPadded(shape,
                  std::max<int64_t>(1, 8 * gpu.sharedBankBytes / bits))}) {
    if (!other)
      continue;
    std::optional<BankReport> report = countWavefronts(*other, uses, gpu);
    if (!report || (best && report->wavefronts >= best->wavefronts))
      continue;
    best = report;
    chosen = *other;
  }
  if (!first)
    return chosen;
  remark::passed(
      alloc.getLoc(),
      remark::RemarkOpts::name("SharedLayout").category("tile-infer-layout"))
      << remark::metric("wavefronts", best->wavefronts)
      << remark::metric("row-major", first->wavefronts);
  return chosen;
}

void mlir::tile::chooseSharedLayouts(KernelOp kernel, LayoutState &state) {
  kernel.walk([&](AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    if (!state.isShared(buffer) || state.has(buffer))
      return;
    if (std::optional<Layout> layout = chooseLayout(alloc, state))
      state.propose(buffer, *layout, alloc, LayoutLevel::Default);
  });
}

LogicalResult mlir::tile::checkTensorCopies(KernelOp kernel,
                                            const LayoutState &state) {
  WalkResult result = kernel.walk([&](CopyOp copy) {
    TransferAttr instruction = copy.getInstructionAttr();
    if (!instruction || !instruction.usesTensorMap())
      return WalkResult::advance();
    bool loads = state.isShared(copy.getTarget());
    Value tile = loads ? copy.getTarget() : copy.getSource();
    std::optional<Layout> layout = state.get(tile);
    std::string reason = "a view hides the layout";
    const ::tile::target::TMASpec *tma = state.getTarget().getGPU()->tma;
    // What the chip lacks is an error of the lowering.
    if (!tma)
      return WalkResult::advance();
    if (layout) {
      Result<TensorBoxes> boxes = matchTensorCopy(copy, *layout, *tma);
      if (boxes)
        return WalkResult::advance();
      reason = boxes.reason();
    }
    if (copy.getPrefer() || copy.getSignal()) {
      InFlightDiagnostic diag = copy.emitOpError()
                                << "cannot use 'tma' on a tile of this layout: "
                                << reason;
      if (std::optional<LayoutState::Origin> origin = state.getOrigin(tile))
        diag.attachNote(origin->by->getLoc()) << "the layout comes from here";
      return WalkResult::interrupt();
    }
    int64_t bytes = std::max<int64_t>(1, getElementBits(tile) / 8);
    copy.setInstructionAttr(
        TransferAttr::get(copy.getContext(), Instruction::Sync, bytes));
    remark::missed(copy.getLoc(), remark::RemarkOpts::name("CopyInstruction")
                                      .category("tile-infer-layout"))
        << remark::reason("no tma: {0}", reason);
    return WalkResult::advance();
  });
  kernel.walk([&](AtomicOp op) {
    const ::tile::target::TMASpec *tma = state.getTarget().getGPU()->tma;
    if (!op.getInstruction() || !tma)
      return;
    std::optional<Layout> layout = state.get(op.getValue());
    BufferRegion tile = getWholeRegion(op.getValue());
    if (!layout || !matchTensor(op.getTargetRegion(), tile, *layout, *tma))
      op.removeInstructionAttr();
  });
  return failure(result.wasInterrupted());
}
