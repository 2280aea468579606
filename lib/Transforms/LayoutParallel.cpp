//===- LayoutParallel.cpp - layouts of parallel loops ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iterations of a tile.parallel are a tile too: its layout says which
// thread runs which iteration at which step. A loop and a fragment whose
// elements the iterations name determine each other.
//
//===----------------------------------------------------------------------===//

#include "LayoutModels.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The dimension of `loop` whose variable `expr` is; -1 for the constant 0.
static std::optional<int> matchIndex(ParallelOp loop, AffineMap map,
                                     AffineExpr expr, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0 ? std::optional<int>(-1) : std::nullopt;
  Value value;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    value = operands[dim.getPosition()];
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    value = operands[map.getNumDims() + symbol.getPosition()];
  if (value && matchPattern(value, m_Zero()))
    return -1;
  auto variable = dyn_cast_or_null<BlockArgument>(value);
  if (!variable || variable.getOwner() != &loop.getBody().front())
    return std::nullopt;
  return variable.getArgNumber();
}

std::optional<FragmentAccess> mlir::tile::matchFragmentAccess(ParallelOp loop,
                                                              Operation *op) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)) || accesses.size() != 1 ||
      !isSingleElement(accesses[0].region))
    return std::nullopt;
  const BufferRegion &region = accesses[0].region;
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  ArrayRef<int64_t> shape = region.getType().getShape();
  AffineMap map = region.map;
  SmallVector<Value> operands = region.operands;
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  FragmentAccess access{op,
                        region.buffer,
                        {},
                        accesses[0].kind != AccessKind::Write,
                        accesses[0].kind != AccessKind::Read};
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape)) {
    std::optional<int> dim = matchIndex(loop, map, expr, operands);
    if (!dim || (*dim >= 0 && llvm::is_contained(access.dims, *dim)))
      return std::nullopt;
    // Also excludes dynamic extents of the loop.
    if (extent != (*dim < 0 ? 1 : extents[*dim]))
      return std::nullopt;
    access.dims.push_back(*dim);
  }
  return access;
}

SmallVector<FragmentAccess>
mlir::tile::getFragmentAccesses(ParallelOp loop, const LayoutState &state) {
  SmallVector<FragmentAccess> found;
  loop.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses)
      if (state.isFragment(access.region.buffer))
        if (std::optional<FragmentAccess> match = matchFragmentAccess(loop, op))
          found.push_back(*match);
  });
  return found;
}

bool mlir::tile::updatesMemory(ParallelOp loop) {
  DenseSet<Value> read, written;
  bool usesOld = false;
  loop.getBody().walk([&](Operation *op) {
    auto atomic = dyn_cast<AtomicOp>(op);
    usesOld |= atomic && atomic.getOld() && !atomic.getOld().use_empty();
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses) {
      MemorySpace space = getMemorySpace(access.region.buffer);
      if (space != MemorySpace::Global && space != MemorySpace::Shared)
        continue;
      Value base = getBaseBuffer(access.region.buffer);
      (access.kind == AccessKind::Read ? read : written).insert(base);
    }
  });
  return usesOld || llvm::any_of(read, [&](Value buffer) {
           return written.contains(buffer);
         });
}

/// The loop's dimensions that the access names, ascending.
static SmallVector<int> getNamedDims(const FragmentAccess &access) {
  SmallVector<int> named;
  llvm::copy_if(access.dims, std::back_inserter(named),
                [](int dim) { return dim >= 0; });
  llvm::sort(named);
  return named;
}

Result<Layout> mlir::tile::getLayoutInLoop(const FragmentAccess &access,
                                           ParallelOp loop,
                                           const Layout &fragment) {
  Result<Layout> layout = fragment;
  std::vector<int> dims;
  for (int d = access.dims.size(); layout && d-- > 0;) {
    if (access.dims[d] >= 0) {
      dims.insert(dims.begin(), access.dims[d]);
      continue;
    }
    Result<Part> rest = slice(*layout, d, 0);
    layout = rest ? Result<Layout>(rest->layout) : rest.failure();
  }
  std::vector<int> order;
  for (int dim : getNamedDims(access))
    order.push_back(llvm::find(dims, dim) - dims.begin());
  if (layout)
    layout = permute(*layout, order);
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  for (int d = 0, e = extents.size(); layout && d < e; ++d) {
    if (llvm::is_contained(dims, d))
      continue;
    layout = insertDim(*layout, d);
    if (layout)
      layout = broadcast(*layout, d, extents[d]);
  }
  return layout;
}

Result<Layout> mlir::tile::getLayoutFromLoop(const FragmentAccess &access,
                                             const Layout &loop) {
  SmallVector<int> named = getNamedDims(access);
  Result<Layout> layout = loop;
  for (int d = loop.rank(); layout && d-- > 0;)
    if (!llvm::is_contained(named, d))
      layout = reduceDim(*layout, d);
  std::vector<int> order;
  for (int dim : access.dims)
    if (dim >= 0)
      order.push_back(llvm::find(named, dim) - named.begin());
  if (layout)
    layout = permute(*layout, order);
  for (int d = 0, e = access.dims.size(); layout && d < e; ++d)
    if (access.dims[d] < 0)
      layout = insertDim(*layout, d);
  return layout;
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Whether different iterations name different elements.
static bool isFull(const FragmentAccess &access, ParallelOp loop) {
  SmallVector<int> named = getNamedDims(access);
  for (auto [d, extent] : llvm::enumerate(loop.getStaticExtents()))
    if (extent != 1 && !llvm::is_contained(named, d))
      return false;
  return true;
}

/// By how many elements an index of memory grows from one innermost iteration
/// to the next; none if it does not, or not by one number.
static std::optional<int64_t> getStride(const BufferRegion &region,
                                        Value innermost, SymbolicExprs &exprs) {
  if (region.sizes.empty())
    return 0;
  AffineMap map = getOffset(region, region.sizes.size() - 1);
  SmallVector<AffineExpr> operands;
  for (Value operand : region.operands)
    operands.push_back(exprs.get(operand));
  ArrayRef<AffineExpr> all = operands;
  AffineExpr place = map.getResult(0).replaceDimsAndSymbols(
      all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  AffineExpr variable = exprs.get(innermost);
  return exprs.getDifference(place.replace(variable, variable + 1), place);
}

/// The widest element that neighbouring iterations have of their own, in bits.
static int64_t getWidestElement(ParallelOp loop) {
  Value innermost = loop.getBody().getArguments().back();
  SymbolicExprs exprs(loop.getContext(), [](Operation *) {
    return SymbolicExprs::Identity::Operation;
  });
  int64_t widest = 8;
  loop.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses)
      if (getStride(access.region, innermost, exprs) != 0)
        widest = std::max(widest, getElementBits(access.region.buffer));
  });
  return widest;
}

/// The least number of elements by which neighbouring iterations are apart in
/// memory: what lies between belongs to one of them.
static int64_t getLeastStride(ParallelOp loop) {
  Value innermost = loop.getBody().getArguments().back();
  SymbolicExprs exprs(loop.getContext(), [](Operation *) {
    return SymbolicExprs::Identity::Operation;
  });
  std::optional<int64_t> least;
  loop.getBody().walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses) {
      MemorySpace space = getMemorySpace(access.region.buffer);
      if (access.region.sizes.empty() ||
          (space != MemorySpace::Global && space != MemorySpace::Shared))
        continue;
      int64_t stride =
          std::abs(getStride(access.region, innermost, exprs).value_or(1));
      if (stride != 0)
        least = std::min(least.value_or(stride), stride);
    }
  });
  return least.value_or(1);
}

namespace {
struct ParallelLayoutModel
    : TileLayoutOpInterface::ExternalModel<ParallelLayoutModel, ParallelOp> {
  void inferLayouts(Operation *op, LayoutLevel level,
                    LayoutState &state) const {
    auto loop = cast<ParallelOp>(op);
    if (!loop.getDynamicExtents().empty() || level == LayoutLevel::Strict)
      return;
    SmallVector<FragmentAccess> accesses = getFragmentAccesses(loop, state);
    if (!state.getLoop(loop)) {
      if (level == LayoutLevel::Common)
        followFragment(loop, accesses, state);
      if (level == LayoutLevel::Default)
        if (std::optional<Layout> layout = choose(loop, accesses, state))
          state.setLoop(loop, *layout);
    }
    std::optional<Layout> layout = state.getLoop(loop);
    if (!layout)
      return;
    for (const FragmentAccess &access : accesses)
      if (!state.has(access.buffer))
        state.propose(access.buffer, getLayoutFromLoop(access, *layout), op,
                      level);
  }

  void getRequirements(Operation *op, const LayoutState &state,
                       SmallVectorImpl<LayoutRequirement> &requirements) const {
    auto loop = cast<ParallelOp>(op);
    std::optional<Layout> layout = state.getLoop(loop);
    if (!layout)
      return;
    for (const FragmentAccess &access : getFragmentAccesses(loop, state))
      if (Result<Layout> needed = getLayoutFromLoop(access, *layout))
        requirements.push_back({access.buffer, *needed,
                                access.writes ? LayoutRequirement::Writers
                                              : LayoutRequirement::Readers});
  }

private:
  /// Each iteration goes where its element is: a written fragment before one
  /// that is read.
  static void followFragment(ParallelOp loop, ArrayRef<FragmentAccess> accesses,
                             LayoutState &state) {
    for (bool writes : {true, false})
      for (const FragmentAccess &access : accesses) {
        std::optional<Layout> known = state.get(access.buffer);
        if (!known || access.writes != writes || !isFull(access, loop))
          continue;
        Result<Layout> layout = getLayoutInLoop(access, loop, *known);
        if (layout && (layout->numCopies() == 1 || !updatesMemory(loop)))
          return state.setLoop(loop, *layout);
      }
  }

  /// Nothing for a loop that never runs.
  static std::optional<Layout> choose(ParallelOp loop,
                                      ArrayRef<FragmentAccess> accesses,
                                      LayoutState &state) {
    ArrayRef<int64_t> extents = loop.getStaticExtents();
    std::vector<int64_t> shape(extents.begin(), extents.end());
    Threads threads = state.getThreads();
    int64_t limit = getVectorLimit(getWidestElement(loop),
                                   *state.getTarget().getGPU());
    limit = std::max<int64_t>(1, limit / getLeastStride(loop));
    int64_t vector =
        loop.getCoalescedWidth().value_or(vectorWidth(shape, threads, limit));
    // Copies of an iteration are for fragments, which have a value everywhere.
    bool runsOnce = updatesMemory(loop);
    Result<Layout> free =
        spread(shape, coalesced(shape, vector, threads), threads,
               /*replicate=*/!accesses.empty() && !runsOnce);
    if (!free)
      return std::nullopt;
    auto fits = [&](const Layout &layout) {
      return llvm::all_of(accesses, [&](const FragmentAccess &access) {
        std::optional<Layout> known = state.get(access.buffer);
        if (!known)
          return true;
        Result<Layout> seen = getLayoutInLoop(access, loop, *known);
        return seen && containsInRegisters(*seen, layout);
      });
    };
    if (fits(*free))
      return *free;
    for (const FragmentAccess &access : accesses)
      if (std::optional<Layout> known = state.get(access.buffer)) {
        Result<Layout> along = spreadAlong(access, loop, *known, vector);
        if (along && fits(*along) && (along->numCopies() == 1 || !runsOnce))
          return *along;
      }
    return *free;
  }

  /// A loop of more dimensions than the fragment: they go over the threads that
  /// hold copies.
  static Result<Layout> spreadAlong(const FragmentAccess &access,
                                    ParallelOp loop, const Layout &fragment,
                                    int64_t vector) {
    FragmentAccess inner = access;
    Result<Layout> layout = getLayoutInLoop(inner, loop, fragment);
    ArrayRef<int64_t> extents = loop.getStaticExtents();
    SmallVector<int> named = getNamedDims(access);
    for (int d = extents.size(); layout && d-- > 0;) {
      if (llvm::is_contained(named, d))
        continue;
      Result<Part> without = slice(*layout, d, 0);
      if (!without)
        return without.failure();
      bool isLast = d + 1 == static_cast<int>(extents.size());
      layout = unreduceDim(without->layout, d, extents[d], isLast ? vector : 1);
    }
    return layout;
  }
};
} // namespace

void mlir::tile::attachParallelLayoutModel(MLIRContext &context) {
  ParallelOp::attachInterface<ParallelLayoutModel>(context);
}
