//===- LayoutModels.cpp - layout models of tile ops -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"

#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/Passes.h"
#include "Tile/Transforms/SparseGemms.h"
#include "Tile/Transforms/TopKPlan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

//===----------------------------------------------------------------------===//
// What several ops need
//===----------------------------------------------------------------------===//

std::vector<int64_t> mlir::tile::getShapeOf(Value buffer) {
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  return {shape.begin(), shape.end()};
}

Result<Layout>
mlir::tile::getSwizzledTile(Value buffer, const ::tile::target::GPUSpec &gpu) {
  return swizzledTile(getShapeOf(buffer), getElementBits(buffer),
                      gpu.sharedBanks * gpu.sharedBankBytes);
}

int64_t mlir::tile::getVectorLimit(int64_t elementBits,
                                   const ::tile::target::GPUSpec &gpu) {
  return std::max<int64_t>(1, 8 * gpu.vectorBytes /
                                  std::max<int64_t>(8, elementBits));
}

namespace {
/// Finds the elements in memory that those of a fragment come from and go to,
/// by loops and copies, also through other fragments.
class MemoryElements {
public:
  explicit MemoryElements(Value fragment) {
    fragments.insert(fragment);
    for (size_t i = 0; i < fragments.size(); ++i)
      for (Operation *user : fragments[i].getUsers()) {
        if (auto copy = dyn_cast<CopyOp>(user)) {
          add(copy.getSource(), areLoaded);
          add(copy.getTarget(), areStored);
        } else if (auto loop = user->getParentOfType<ParallelOp>();
                 loop && loops.insert(loop))
          addAccesses(loop);
      }
  }
  int64_t widest = 0; // bits, of those in global memory
  /// From global memory, to it; some are in shared memory.
  bool areLoaded = false, areStored = false, areShared = false;

private:
  /// Of neighbours in memory.
  void addAccesses(ParallelOp loop) {
    if (loop.getBody().getNumArguments() == 0)
      return;
    Value last = loop.getBody().getArguments().back();
    loop.getBody().walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op))
        addNeighbours(load.getMemRef(), load.getIndices(), last, areLoaded);
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        addNeighbours(store.getMemRef(), store.getIndices(), last, areStored);
      else if (auto atomic = dyn_cast<AtomicOp>(op))
        addNeighbours(atomic.getTarget(), atomic.getTargetIndices(), last,
                      areStored);
    });
  }
  void addNeighbours(Value buffer, ValueRange indices, Value last, bool &isSo) {
    if (!indices.empty() && growsWith(indices.back(), last))
      add(buffer, isSo);
  }
  /// By one.
  static bool growsWith(Value index, Value variable) {
    if (index == variable)
      return true;
    auto apply = index.getDefiningOp<affine::AffineApplyOp>();
    if (!apply)
      return false;
    AffineMap map = apply.getAffineMap();
    AffineExpr expr = map.getResult(0), next = expr;
    for (auto [i, operand] :
         llvm::enumerate(apply.getMapOperands().take_front(map.getNumDims())))
      if (operand == variable) {
        AffineExpr dim = getAffineDimExpr(i, map.getContext());
        next = next.replace(dim, dim + 1);
      }
    return simplifyAffineExpr(next - expr, map.getNumDims(),
                              map.getNumSymbols()) == 1;
  }
  void add(Value buffer, bool &isSo) {
    MemorySpace space = getMemorySpace(buffer);
    areShared |= space == MemorySpace::Shared;
    if (space == MemorySpace::Fragment)
      fragments.insert(buffer);
    if (space != MemorySpace::Global)
      return;
    isSo = true;
    widest = std::max(widest, getElementBits(buffer));
  }

  llvm::SetVector<Value> fragments;
  llvm::SetVector<Operation *> loops;
};
} // namespace

static int64_t getWidestVector(Value buffer, const LayoutState &state) {
  return getVectorLimit(getElementBits(buffer), *state.getTarget().getGPU());
}

/// Vectors in memory, whose elements may be shorter than those of a fragment.
/// Rows that are in shared memory or only leave sums were measured to lose.
static int64_t getWidestInMemory(Value fragment, const LayoutState &state) {
  int64_t bits = getElementBits(fragment);
  MemoryElements elements(fragment);
  if (elements.areLoaded && elements.areStored && !elements.areShared)
    bits = std::min(bits, elements.widest);
  return getVectorLimit(bits, *state.getTarget().getGPU());
}

static Result<Layout> getCoalescedLayout(Value buffer, int64_t widest,
                                         const LayoutState &state, int within) {
  std::vector<int64_t> shape = getShapeOf(buffer);
  Threads threads = state.getThreads();
  int64_t vector = vectorWidth(shape, threads, widest);
  return spread(shape, coalesced(shape, vector, threads, within), threads,
                /*replicate=*/true);
}

Result<Layout> mlir::tile::getCoalescedLayout(Value buffer,
                                              const LayoutState &state,
                                              int within) {
  return ::getCoalescedLayout(buffer, getWidestVector(buffer, state), state,
                              within);
}

/// Of sums and results on their way between threads, which have 32 bits or more.
static int64_t getExchangeBytes(Value buffer, int64_t elements) {
  return elements * std::max<int64_t>(32, getElementBits(buffer)) / 8;
}

/// Of a copy between fragments: nothing if each thread has what it is to get.
static int64_t getMoveBytes(Value source, Value target,
                            const LayoutState &state,
                            llvm::function_ref<Result<Layout>(const Layout &)>
                                seenFromTarget) {
  if (!state.isFragment(source) || !state.isFragment(target))
    return 0;
  std::optional<Layout> from = state.get(source), to = state.get(target);
  if (!from || !to)
    return 0;
  Result<Layout> seen = seenFromTarget(*from);
  if (seen && containsInRegisters(*seen, *to))
    return 0;
  // The shorter element travels, unless it is less than a byte.
  int64_t bits = getElementBits(source), targetBits = getElementBits(target);
  if (targetBits >= 8)
    bits = std::min(bits, targetBits);
  return from->numElements() * std::max<int64_t>(8, bits) / 8;
}

/// Two fragments of one shape that hold the same elements.
static void
shareLayout(Value a, Value b, Operation *op, LayoutState &state,
            llvm::function_ref<Result<Layout>(const Layout &)> to,
            llvm::function_ref<Result<Layout>(const Layout &)> from) {
  if (!state.isFragment(a) || !state.isFragment(b))
    return;
  if (std::optional<Layout> known = state.get(a))
    state.propose(b, to(*known), op, LayoutLevel::Common);
  else if (std::optional<Layout> known = state.get(b))
    state.propose(a, from(*known), op, LayoutLevel::Common);
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

namespace {
struct GemmLayoutModel
    : TileLayoutOpInterface::ExternalModel<GemmLayoutModel, GemmOp> {
  struct OperandRole {
    OpOperand *operand;
    MatrixOperand role;
  };
  static SmallVector<OperandRole> getRoles(GemmOp gemm) {
    return {{&gemm.getAMutable(), MatrixOperand::A},
            {&gemm.getBMutable(), MatrixOperand::B},
            {&gemm.getCMutable(), MatrixOperand::C}};
  }
  static bool hasFragments(GemmOp gemm) {
    MmaAttr attr = gemm.getInstructionAttr();
    return attr && attr.hasFragments();
  }

  void getPlacements(Operation *op,
                     SmallVectorImpl<OperandPlacement> &placements) const {
    auto gemm = cast<GemmOp>(op);
    placements.push_back({&gemm.getCMutable(), MemorySpace::Fragment});
    // Every thread reads rows of A and columns of B that others own.
    if (!hasFragments(gemm)) {
      placements.push_back({&gemm.getAMutable(), MemorySpace::Shared});
      placements.push_back({&gemm.getBMutable(), MemorySpace::Shared});
    }
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto gemm = cast<GemmOp>(op);
    if (!hasFragments(gemm)) {
      if (level == LayoutLevel::Free)
        inferFma(gemm, state);
      return;
    }
    bool prescribesShared =
        gemm.getInstructionAttr().prescribesSharedLayout();
    for (auto [operand, role] : getRoles(gemm)) {
      Value buffer = operand->get();
      if (level == LayoutLevel::Strict && state.isFragment(buffer))
        state.propose(buffer, getFragment(gemm, role, state), op, level);
      LayoutLevel sharedLevel =
          prescribesShared ? LayoutLevel::Strict : LayoutLevel::Common;
      if (level == sharedLevel && state.isShared(buffer))
        state.propose(buffer, getShared(buffer, state), op, level);
    }
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto gemm = cast<GemmOp>(op);
    if (!hasFragments(gemm))
      return;
    bool prescribesShared =
        gemm.getInstructionAttr().prescribesSharedLayout();
    for (auto [operand, role] : getRoles(gemm)) {
      Value buffer = operand->get();
      if (state.isShared(buffer) && !prescribesShared)
        continue;
      Result<Layout> layout = state.isShared(buffer)
                                  ? getShared(buffer, state)
                                  : getFragment(gemm, role, state);
      if (layout)
        requirements.push_back({buffer, *layout, LayoutRequirement::Exact});
    }
  }

private:
  /// How many instructions share out K: both operands in registers have it in
  /// one order, that of the first whose layout is known.
  static int64_t getSteps(GemmOp gemm, const LayoutState &state) {
    const ::tile::target::Target &target = state.getTarget();
    for (auto [tile, role] : {std::pair(gemm.getA(), MatrixOperand::A),
                              std::pair(gemm.getB(), MatrixOperand::B)})
      if (std::optional<Layout> known = state.get(tile);
          known && state.isFragment(tile))
        return getStepsOfLayout(gemm, role, *known, target,
                                state.getThreads().warps);
    return getStepsOfConversion(gemm, target);
  }
  static Result<Layout> getFragment(GemmOp gemm, MatrixOperand role,
                                    const LayoutState &state) {
    int64_t steps = role == MatrixOperand::C ? 1 : getSteps(gemm, state);
    return getGemmFragment(gemm, role, state.getTarget(),
                           state.getThreads().warps, steps);
  }
  static Result<Layout> getShared(Value buffer, const LayoutState &state) {
    return getSwizzledTile(buffer, *state.getTarget().getGPU());
  }
  static void inferFma(GemmOp gemm, LayoutState &state) {
    MmaAttr attr = gemm.getInstructionAttr();
    Value c = gemm.getC();
    std::vector<int64_t> shape = getShapeOf(c);
    Threads threads = state.getThreads();
    int64_t vector =
        vectorWidth(shape, threads, getWidestVector(c, state));
    Spread parts = outerProduct(shape, vector, threads, attr.getWarpsM(),
                                attr.getWarpsN());
    state.propose(c, spread(shape, parts, threads, /*replicate=*/true), gemm,
                  LayoutLevel::Free);
  }
};

struct SparseGemmLayoutModel
    : TileLayoutOpInterface::ExternalModel<SparseGemmLayoutModel,
                                           SparseGemmOp> {
  bool hasManyTemporaries(Operation *) const { return true; }

  void getPlacements(Operation *op,
                     SmallVectorImpl<OperandPlacement> &placements) const {
    auto gemm = cast<SparseGemmOp>(op);
    placements.push_back({&gemm.getCMutable(), MemorySpace::Fragment});
    for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getMetadataMutable(),
                               &gemm.getBMutable()})
      placements.push_back({operand, MemorySpace::Shared});
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto gemm = cast<SparseGemmOp>(op);
    if (level == LayoutLevel::Strict && state.isFragment(gemm.getC()))
      state.propose(gemm.getC(), getAccumulator(gemm, state), op, level);
    if (level == (prescribesShared(gemm) ? LayoutLevel::Strict
                                         : LayoutLevel::Common))
      for (Value operand : {gemm.getA(), gemm.getB()})
        if (state.isShared(operand))
          state.propose(operand,
                        getSwizzledTile(operand, *state.getTarget().getGPU()),
                        op, level);
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto gemm = cast<SparseGemmOp>(op);
    if (Result<Layout> layout = getAccumulator(gemm, state))
      requirements.push_back({gemm.getC(), *layout, LayoutRequirement::Exact});
    if (prescribesShared(gemm))
      for (Value operand : {gemm.getA(), gemm.getB()})
        if (Result<Layout> layout =
                getSwizzledTile(operand, *state.getTarget().getGPU()))
          requirements.push_back(
              {operand, *layout, LayoutRequirement::Exact});
  }

private:
  static bool prescribesShared(SparseGemmOp gemm) {
    MmaAttr attr = gemm.getInstructionAttr();
    return attr && attr.prescribesSharedLayout();
  }
  static Result<Layout> getAccumulator(SparseGemmOp gemm,
                                       const LayoutState &state) {
    return getSparseAccumulator(gemm, state.getTarget(),
                                state.getThreads().warps);
  }
};

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

struct ReduceLayoutModel
    : TileLayoutOpInterface::ExternalModel<ReduceLayoutModel, ReduceOp> {
  /// A row of the table has a column for each warp at most, and one to spread
  /// the rows over the banks.
  int64_t getScratchBytes(Operation *op, const LayoutState &state) const {
    auto reduce = cast<ReduceOp>(op);
    std::vector<int64_t> shape = getShapeOf(reduce.getSource());
    int64_t rows = 1;
    for (auto [dim, extent] : llvm::enumerate(shape))
      rows *= int64_t(dim) == int64_t(reduce.getDim()) ? 1 : extent;
    int64_t columns = 1;
    std::optional<Layout> source = state.get(reduce.getSource());
    if (source && staysInThreads(reduce, *source, state))
      return 0;
    if (source)
      for (const Digit &digit : source->dims()[reduce.getDim()].digits)
        if (digit.axis == Axis::Warp)
          columns *= digit.extent;
    return getExchangeBytes(reduce.getSource(), rows * (columns | 1));
  }

  void getPlacements(Operation *op,
                     SmallVectorImpl<OperandPlacement> &placements) const {
    auto reduce = cast<ReduceOp>(op);
    placements.push_back({&reduce.getSourceMutable(), MemorySpace::Fragment});
    placements.push_back({&reduce.getTargetMutable(), MemorySpace::Fragment});
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto reduce = cast<ReduceOp>(op);
    std::optional<Layout> source = state.get(reduce.getSource());
    if (level == LayoutLevel::Common && source)
      state.propose(reduce.getTarget(), getTarget(reduce, *source), op, level);
    if (level == LayoutLevel::Free && !source)
      state.propose(reduce.getSource(), getSource(reduce, state), op, level);
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto reduce = cast<ReduceOp>(op);
    std::optional<Layout> source = state.get(reduce.getSource());
    if (!source || !state.isFragment(reduce.getSource()) ||
        !state.isFragment(reduce.getTarget()))
      return;
    if (Result<Layout> target = getTarget(reduce, *source))
      requirements.push_back(
          {reduce.getTarget(), *target, LayoutRequirement::Exact});
  }

private:
  /// Whether each thread has all that it adds up, and holds the result.
  static bool staysInThreads(ReduceOp reduce, const Layout &source,
                             const LayoutState &state) {
    std::optional<Layout> target = state.get(reduce.getTarget());
    Result<Layout> result = getTarget(reduce, source);
    return target && result &&
           llvm::all_of(source.dims()[reduce.getDim()].digits,
                        [](const Digit &digit) { return digit.axis == Axis::Reg; }) &&
           containsInRegisters(*result, *target);
  }

  static Result<Layout> getTarget(ReduceOp reduce, const Layout &source) {
    int dim = static_cast<int>(reduce.getDim());
    Result<Layout> target = reduceDim(source, dim);
    auto type = cast<MemRefType>(reduce.getTarget().getType());
    bool keepsDim = target && target->rank() < type.getRank();
    return keepsDim ? insertDim(*target, dim) : target;
  }
  /// A layout under which the target stays where it is, if there is one.
  static Result<Layout> getSource(ReduceOp reduce, LayoutState &state) {
    int dim = static_cast<int>(reduce.getDim());
    std::vector<int64_t> shape = getShapeOf(reduce.getSource());
    bool isLast = dim + 1 == static_cast<int>(shape.size());
    int64_t widest = isLast ? getWidestInMemory(reduce.getSource(), state)
                            : getWidestVector(reduce.getSource(), state);
    Result<Layout> free =
        ::getCoalescedLayout(reduce.getSource(), widest, state, dim);
    std::optional<Layout> target = state.get(reduce.getTarget());
    if (!target || !free)
      return free;
    auto fits = [&](const Result<Layout> &source) {
      Result<Layout> result = source ? getTarget(reduce, *source) : source;
      if (!result)
        return false;
      Result<bool> same = equivalent(*result, *target);
      return same && *same;
    };
    if (fits(free))
      return free;
    if (target->rank() == static_cast<int>(shape.size())) {
      Result<Part> row = slice(*target, dim, 0);
      if (!row)
        return free;
      target = row->layout;
    }
    int64_t vector =
        isLast ? vectorWidth(shape, state.getThreads(), widest) : 1;
    Result<Layout> along = unreduceDim(*target, dim, shape[dim], vector);
    return fits(along) ? along : free;
  }
};

struct ScanLayoutModel
    : TileLayoutOpInterface::ExternalModel<ScanLayoutModel, ScanOp> {
  bool hasManyTemporaries(Operation *) const { return true; }

  int64_t getScratchBytes(Operation *op, const LayoutState &state) const {
    auto scan = cast<ScanOp>(op);
    Value source = scan.getSource(), target = scan.getTarget();
    std::optional<Layout> layout =
        state.isFragment(source)   ? state.get(source)
        : state.isFragment(target) ? state.get(target)
                                   : spreadForScan(getShapeOf(source),
                                                   scan.getDim(),
                                                   state.getThreads());
    if (!layout)
      return 0;
    return getExchangeBytes(
        source, scanTotals(*layout, scan.getDim(), state.getThreads()).cells);
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto scan = cast<ScanOp>(op);
    auto same = [](const Layout &layout) { return Result<Layout>(layout); };
    if (level == LayoutLevel::Common)
      shareLayout(scan.getSource(), scan.getTarget(), op, state, same, same);
    if (level == LayoutLevel::Free)
      for (Value buffer : {scan.getSource(), scan.getTarget()})
        if (state.isFragment(buffer) && !state.has(buffer))
          state.propose(buffer,
                        getCoalescedLayout(buffer, state, scan.getDim()), op,
                        level);
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto scan = cast<ScanOp>(op);
    if (!state.isFragment(scan.getSource()) ||
        !state.isFragment(scan.getTarget()))
      return;
    if (std::optional<Layout> source = state.get(scan.getSource()))
      requirements.push_back(
          {scan.getTarget(), *source, LayoutRequirement::Exact});
  }
};

/// Any layout does: elements go through shared memory.
struct TopKLayoutModel
    : TileLayoutOpInterface::ExternalModel<TopKLayoutModel, TopKOp> {
  bool hasManyTemporaries(Operation *) const { return true; }

  int64_t getScratchBytes(Operation *op, const LayoutState &state) const {
    return TopKPlan(cast<TopKOp>(op),
                    state.getTarget().getGPU()->sharedBytesPerBlock)
        .getScratchBytes();
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto topk = cast<TopKOp>(op);
    if (level == LayoutLevel::Free)
      for (Value buffer :
           {topk.getSource(), topk.getValues(), topk.getIndices()})
        if (state.isFragment(buffer) && !state.has(buffer))
          state.propose(buffer, getCoalescedLayout(buffer, state), op, level);
  }
};

template <typename OpType>
struct VoteModel
    : TileLayoutOpInterface::ExternalModel<VoteModel<OpType>, OpType> {
  void getPlacements(Operation *op,
                     SmallVectorImpl<OperandPlacement> &placements) const {
    placements.push_back({&op->getOpOperand(0), MemorySpace::Fragment});
  }
  void inferLayouts(Operation *, LayoutLevel, LayoutState &) const {}
  /// One word.
  int64_t getScratchBytes(Operation *op, const LayoutState &) const {
    return getExchangeBytes(op->getOperand(0), 1);
  }
};

/// The first thread updates an element for the block and tells the old value.
struct AtomicLayoutModel
    : TileLayoutOpInterface::ExternalModel<AtomicLayoutModel, AtomicOp> {
  void inferLayouts(Operation *, LayoutLevel, LayoutState &) const {}
  int64_t getScratchBytes(Operation *op, const LayoutState &) const {
    Value old = cast<AtomicOp>(op).getOld();
    return old && !op->getParentOfType<ParallelOp>()
               ? getElementBits(old.getType()) / 8
               : 0;
  }
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

struct CopyLayoutModel
    : TileLayoutOpInterface::ExternalModel<CopyLayoutModel, CopyOp> {
  int64_t getScratchBytes(Operation *op, const LayoutState &state) const {
    auto copy = cast<CopyOp>(op);
    return getMoveBytes(copy.getSource(), copy.getTarget(), state,
                        [&](const Layout &layout) {
                          return reshape(layout, getShapeOf(copy.getTarget()));
                        });
  }

  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto copy = cast<CopyOp>(op);
    BufferRegion source = copy.getSourceRegion();
    BufferRegion target = copy.getTargetRegion();
    if (level != LayoutLevel::Common || !isWhole(source) || !isWhole(target))
      return;
    // Shapes may differ in unit dimensions.
    shareLayout(
        copy.getSource(), copy.getTarget(), op, state,
        [&](const Layout &layout) {
          return reshape(layout, getShapeOf(copy.getTarget()));
        },
        [&](const Layout &layout) {
          return reshape(layout, getShapeOf(copy.getSource()));
        });
  }
};

struct TransposeLayoutModel
    : TileLayoutOpInterface::ExternalModel<TransposeLayoutModel, TransposeOp> {
  static Result<Layout> swap(const Layout &layout) {
    return permute(layout, {1, 0});
  }
  int64_t getScratchBytes(Operation *op, const LayoutState &state) const {
    auto transpose = cast<TransposeOp>(op);
    return getMoveBytes(transpose.getSource(), transpose.getTarget(), state,
                        swap);
  }
  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto transpose = cast<TransposeOp>(op);
    Value source = transpose.getSource(), target = transpose.getTarget();
    if (level == LayoutLevel::Common)
      shareLayout(source, target, op, state, swap, swap);
    // Rows go in, columns come out.
    if (level == LayoutLevel::Free && state.isShared(source) && !state.has(source))
      state.propose(
          source,
          transposableTile(getShapeOf(source), getElementBits(source),
                           state.getTarget().getGPU()->vectorBytes),
          op, level);
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto transpose = cast<TransposeOp>(op);
    Value source = transpose.getSource(), target = transpose.getTarget();
    if (!state.isFragment(source) || !state.isFragment(target))
      return;
    std::optional<Layout> known = state.get(source);
    if (!known)
      return;
    if (Result<Layout> swapped = swap(*known))
      requirements.push_back({target, *swapped, LayoutRequirement::Exact});
  }
};
} // namespace

void mlir::tile::registerLayoutModels(DialectRegistry &registry) {
  registerViewLayoutModels(registry);
  registry.addExtension(+[](MLIRContext *context, TileDialect *) {
    GemmOp::attachInterface<GemmLayoutModel>(*context);
    SparseGemmOp::attachInterface<SparseGemmLayoutModel>(*context);
    ReduceOp::attachInterface<ReduceLayoutModel>(*context);
    ScanOp::attachInterface<ScanLayoutModel>(*context);
    TopKOp::attachInterface<TopKLayoutModel>(*context);
    AnyOfOp::attachInterface<VoteModel<AnyOfOp>>(*context);
    AllOfOp::attachInterface<VoteModel<AllOfOp>>(*context);
    AtomicOp::attachInterface<AtomicLayoutModel>(*context);
    CopyOp::attachInterface<CopyLayoutModel>(*context);
    TransposeOp::attachInterface<TransposeLayoutModel>(*context);
    attachParallelLayoutModel(*context);
  });
}
