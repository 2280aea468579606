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
/// How one shared tile is used.
struct SharedUses {
  /// Which threads touch which elements, in the shape of the buffer.
  std::vector<Layout> threads;
  SmallVector<CopyOp> tensorCopies;
};
} // namespace

/// The part of the threads in a copy between the buffer and a whole fragment.
static std::optional<Layout> getOtherSide(CopyOp copy, Value buffer,
                                          const LayoutState &state) {
  Value other =
      copy.getSource() == buffer ? copy.getTarget() : copy.getSource();
  if (!state.isFragment(other))
    return std::nullopt;
  std::vector<int64_t> shape = getShapeOf(buffer);
  for (const BufferRegion &region :
       {copy.getSourceRegion(), copy.getTargetRegion()})
    if (ArrayRef<int64_t>(region.sizes) != region.getType().getShape())
      return std::nullopt;
  std::optional<Layout> layout = state.get(other);
  if (!layout)
    return std::nullopt;
  Result<Layout> shaped = reshape(*layout, shape);
  return shaped ? std::optional<Layout>(*shaped) : std::nullopt;
}

static SharedUses getUses(Value buffer, const LayoutState &state) {
  SharedUses uses;
  for (Operation *user : buffer.getUsers()) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      TransferAttr instruction = copy.getInstructionAttr();
      if (instruction && instruction.prescribesSharedLayout())
        uses.tensorCopies.push_back(copy);
      if (std::optional<Layout> threads = getOtherSide(copy, buffer, state))
        uses.threads.push_back(*threads);
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
      uses.threads.push_back(*threads);
  }
  return uses;
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

/// Wavefronts of all accesses, or nothing if the layout cannot be used.
static std::optional<BankReport>
countWavefronts(const Layout &memory, const SharedUses &uses, int64_t bits,
                const ::tile::target::GPUSpec &gpu) {
  BankModel model{gpu.sharedBanks, gpu.sharedBankBytes,
                  gpu.sharedBanks * gpu.sharedBankBytes};
  for (CopyOp copy : uses.tensorCopies)
    if (!gpu.tma || !matchTensorCopy(copy, memory, *gpu.tma))
      return std::nullopt;
  BankReport total;
  for (const Layout &threads : uses.threads) {
    Result<int64_t> width =
        maxVectorWidth(threads, memory, getVectorLimit(bits, gpu));
    if (!width)
      return std::nullopt;
    Result<BankReport> report =
        countBankConflicts(threads, memory, bits, *width, model);
    if (!report)
      return std::nullopt;
    total.phases += report->phases;
    total.wavefronts += report->wavefronts;
  }
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
  SharedUses uses = getUses(buffer, state);
  const ::tile::target::GPUSpec &gpu = *state.getTarget().getGPU();
  std::optional<BankReport> first = countWavefronts(plain, uses, bits, gpu);
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
    std::optional<BankReport> report =
        countWavefronts(*other, uses, bits, gpu);
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
