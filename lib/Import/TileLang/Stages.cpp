//===- Stages.cpp - loops over the stages of buffers ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

// As many as tile.pipelined has.
static constexpr int64_t kMostStages = 16;

namespace {
/// What one of the inner loops does to a buffer.
struct BufferUse {
  bool isWritten = false;
  /// The dimensions in which all of its accesses are at the stage alone.
  SmallVector<bool> atStage;
};

/// A loop whose body is a list of loops over the stages.
class StageLoops {
public:
  explicit StageLoops(scf::ForOp outer) : outer(outer) {}

  bool match();
  void replace();

private:
  bool matchBounds();
  bool findUses(LoopLikeOpInterface loop);
  bool mayJoin();
  bool isStaged(AllocOp alloc);
  void join();
  Value flatten();
  void joinDigits(Operation *loop, Value iteration);
  void contract(AllocOp alloc);

  scf::ForOp outer;
  SmallVector<LoopLikeOpInterface> inner;
  int64_t numStages = 0;
  /// Of each inner loop, by buffer; all of global memory is one: null.
  SmallVector<llvm::MapVector<Value, BufferUse>> uses;
  SmallVector<AllocOp> staged;
  /// The loop that is left, and its stage.
  Operation *joined = nullptr;
  Value stage;
};
} // namespace

static Block &getBody(LoopLikeOpInterface loop) {
  return loop.getLoopRegions().front()->front();
}

static bool isConstant(std::optional<OpFoldResult> bound, int64_t value) {
  return bound && getConstantIntValue(*bound) == value;
}

/// Nothing but loops over the stages, which are the same for all of them.
bool StageLoops::matchBounds() {
  if (outer.getNumResults() != 0 ||
      getConstantIntValue(outer.getLowerBound()) != 0 ||
      getConstantIntValue(outer.getStep()) != 1)
    return false;
  for (Operation &op : outer.getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
      continue;
    auto pipelined = dyn_cast<PipelinedOp>(op);
    if (!isa<scf::ForOp, PipelinedOp>(op) || op.getNumResults() != 0 ||
        (pipelined && pipelined.getOrder()))
      return false;
    auto loop = cast<LoopLikeOpInterface>(op);
    std::optional<OpFoldResult> end = loop.getSingleUpperBound();
    std::optional<int64_t> count =
        end ? getConstantIntValue(*end) : std::nullopt;
    if (!isConstant(loop.getSingleLowerBound(), 0) ||
        !isConstant(loop.getSingleStep(), 1) || !count || *count < 2 ||
        *count > kMostStages || (!inner.empty() && *count != numStages))
      return false;
    numStages = *count;
    inner.push_back(loop);
  }
  return !inner.empty();
}

/// The dimensions in which a region is one element at the stage.
static SmallVector<bool> getStageDims(BufferRegion region, Value stage) {
  SmallVector<bool> dims(region.sizes.size(), false);
  if (!region.map)
    return dims;
  affine::fullyComposeAffineMapAndOperands(&region.map, &region.operands);
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  for (auto [i, expr] : llvm::enumerate(region.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    dims[i] = dim && region.sizes[i] == 1 &&
              region.operands[dim.getPosition()] == stage;
  }
  return dims;
}

bool StageLoops::findUses(LoopLikeOpInterface loop) {
  auto &found = uses.emplace_back();
  Value iteration = *loop.getSingleInductionVar();
  WalkResult result = getBody(loop).walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return WalkResult::interrupt();
    if (isa<AllocOp>(op))
      return WalkResult::advance();
    // What has an effect that no access tells keeps its place.
    if (accesses.empty() && op->getNumRegions() == 0 &&
        !isMemoryEffectFree(op))
      return WalkResult::interrupt();
    for (const Access &access : accesses) {
      Value buffer = getBaseBuffer(access.region.buffer);
      bool isGlobal = getMemorySpace(buffer) == MemorySpace::Global;
      SmallVector<bool> dims =
          isGlobal || buffer != access.region.buffer
              ? SmallVector<bool>()
              : getStageDims(access.region, iteration);
      auto [it, isNew] = found.try_emplace(isGlobal ? Value() : buffer);
      BufferUse &use = it->second;
      use.isWritten |= access.kind != AccessKind::Read;
      if (isNew)
        use.atStage = dims;
      use.atStage.resize(std::min(use.atStage.size(), dims.size()));
      for (auto [all, here] : llvm::zip(use.atStage, dims))
        all &= here;
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether the loops may take turns: what two of them share, and one writes,
/// they touch at their stage alone.
bool StageLoops::mayJoin() {
  for (auto [i, first] : llvm::enumerate(uses))
    for (auto &second : ArrayRef(uses).drop_front(i + 1))
      for (auto &[buffer, use] : first) {
        auto other = second.find(buffer);
        if (other == second.end() ||
            (!use.isWritten && !other->second.isWritten))
          continue;
        auto pairs = llvm::zip(use.atStage, other->second.atStage);
        if (llvm::none_of(pairs, [](auto pair) {
              return std::get<0>(pair) && std::get<1>(pair);
            }))
          return false;
      }
  return true;
}

/// Whether a copy writes all of a stage.
static bool isCopyOfStage(CopyOp copy, AllocOp alloc) {
  return copy && copy.getTarget() == alloc.getBuffer() &&
         copy.getSource() != alloc.getBuffer() &&
         ArrayRef(copy.getTargetRegion().sizes).drop_front() ==
             alloc.getType().getShape().drop_front() &&
         copy.getTargetMap() &&
         llvm::all_of(copy.getTargetMap()->getResults().drop_front(),
                      [](AffineExpr expr) {
                        return expr ==
                               getAffineConstantExpr(0, expr.getContext());
                      });
}

/// Whether each iteration writes one element of a stage, and all do all of it.
static bool isLoopOverStage(ParallelOp loop, AllocOp alloc) {
  if (!loop || !loop.getDynamicExtents().empty() ||
      loop.getStaticExtents() != alloc.getType().getShape().drop_front())
    return false;
  bool isAll = false;
  for (Operation *user : alloc->getUsers()) {
    if (!loop->isAncestor(user))
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || store->getParentOp() != loop)
      return false;
    isAll |= llvm::equal(store.getIndices().drop_front(),
                         loop.getBody().getArguments());
  }
  return isAll;
}

/// Whether nothing of the buffer lives on from one iteration to another: it is
/// at its stage everywhere, and its first use overwrites all of that.
bool StageLoops::isStaged(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (type.getRank() < 2 || type.getDimSize(0) != numStages ||
      getMemorySpace(type) != MemorySpace::Shared || alloc.getLayoutAttr())
    return false;
  for (Operation *user : alloc->getUsers())
    if (!isa<CopyOp, memref::LoadOp, memref::StoreOp>(user) ||
        !outer->isProperAncestor(user))
      return false;
  bool isFirst = true;
  for (auto [loop, found] : llvm::zip(inner, uses)) {
    auto use = found.find(alloc.getBuffer());
    if (use == found.end())
      continue;
    if (use->second.atStage.empty() || !use->second.atStage.front())
      return false;
    if (!isFirst)
      continue;
    isFirst = false;
    Operation *first = nullptr;
    for (Operation *user : alloc->getUsers())
      if (Operation *place = getBody(loop).findAncestorOpInBlock(*user))
        if (!first || place->isBeforeInBlock(first))
          first = place;
    if (!isCopyOfStage(dyn_cast_or_null<CopyOp>(first), alloc) &&
        !isLoopOverStage(dyn_cast_or_null<ParallelOp>(first), alloc))
      return false;
  }
  return !isFirst;
}

bool StageLoops::match() {
  if (!outer->getParentOfType<KernelOp>() ||
      outer->getParentOfType<ParallelOp>() || !matchBounds() ||
      !llvm::all_of(inner, [&](LoopLikeOpInterface loop) { return findUses(loop); }) ||
      !mayJoin())
    return false;
  outer->getParentOfType<KernelOp>().walk([&](AllocOp alloc) {
    if (!outer->isAncestor(alloc) && isStaged(alloc))
      staged.push_back(alloc);
  });
  return !staged.empty();
}

/// One inner loop; what stands between them touches no memory.
void StageLoops::join() {
  LoopLikeOpInterface first = inner.front();
  SmallVector<Operation *> between;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode())
    if (!llvm::is_contained(inner, op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      between.push_back(op);
  for (Operation *op : between)
    op->moveBefore(first);
  for (LoopLikeOpInterface loop : inner)
    if (Block &body = getBody(loop); body.mightHaveTerminator())
      body.getTerminator()->erase();
  for (LoopLikeOpInterface loop : ArrayRef(inner).drop_front()) {
    loop.getSingleInductionVar()->replaceAllUsesWith(
        *first.getSingleInductionVar());
    Block &body = getBody(first);
    body.getOperations().splice(body.end(), getBody(loop).getOperations());
    loop.erase();
  }
}

/// Whether a loop over the statements of a block loads tiles.
static bool loadsTiles(Block &block) {
  auto loads = [](auto op) {
    return getMemorySpace(op.getSource()) == MemorySpace::Global &&
           getMemorySpace(op.getTarget()) == MemorySpace::Shared;
  };
  return llvm::any_of(block.getOps<CopyOp>(), loads) ||
         llvm::any_of(block.getOps<GatherOp>(), loads);
}

/// One loop over all; the number of its iteration.
Value StageLoops::flatten() {
  LoopLikeOpInterface loop = inner.front();
  OpBuilder b(outer);
  Location loc = outer.getLoc();
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult end = affine::makeComposedFoldedAffineApply(
      b, loc, d0 * numStages, {getAsOpFoldResult(outer.getUpperBound())});
  Block *body;
  if (loadsTiles(getBody(loop))) {
    SmallVector<OpFoldResult> bounds = {b.getIndexAttr(0), end,
                                        b.getIndexAttr(1)};
    SmallVector<Value> dynamic;
    SmallVector<int64_t> constants;
    dispatchIndexOpFoldResults(bounds, dynamic, constants);
    auto made = PipelinedOp::create(b, loc, dynamic, constants, numStages,
                                    nullptr, nullptr);
    OpBuilder::InsertionGuard guard(b);
    body = b.createBlock(&made.getBody());
    body->addArgument(b.getIndexType(), outer.getInductionVar().getLoc());
    joined = made;
  } else {
    auto made = scf::ForOp::create(
        b, loc, outer.getLowerBound(),
        getValueOrCreateConstantIndexOp(b, loc, end), outer.getStep());
    body = made.getBody();
    body->getArgument(0).setLoc(outer.getInductionVar().getLoc());
    body->getTerminator()->erase();
    joined = made;
  }
  Value iteration = body->getArgument(0);
  b.setInsertionPointToStart(body);
  Value turn = affine::AffineApplyOp::create(b, loc, d0.floorDiv(numStages),
                                             iteration);
  stage = affine::AffineApplyOp::create(b, loc, d0 % numStages, iteration);
  outer.getInductionVar().replaceAllUsesWith(turn);
  loop.getSingleInductionVar()->replaceAllUsesWith(stage);
  body->getOperations().splice(body->end(), outer.getBody()->getOperations(),
                               outer.getBody()->begin(), loop->getIterator());
  body->getOperations().splice(body->end(), getBody(loop).getOperations());
  if (isa<scf::ForOp>(joined)) {
    b.setInsertionPointToEnd(body);
    scf::YieldOp::create(b, loc);
  }
  outer.erase();
  return iteration;
}

/// The stage and its turn are digits of the iteration: a sum of both is the
/// iteration again.
static AffineExpr joinDigits(AffineExpr expr, unsigned dim, int64_t base) {
  SmallVector<std::pair<AffineExpr, int64_t>> terms;
  auto collect = [&](auto &self, AffineExpr part, int64_t factor) -> void {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (binary && binary.getKind() == AffineExprKind::Add) {
      self(self, binary.getLHS(), factor);
      return self(self, binary.getRHS(), factor);
    }
    if (binary && binary.getKind() == AffineExprKind::Mul)
      if (auto by = dyn_cast<AffineConstantExpr>(binary.getRHS()))
        return self(self, binary.getLHS(), factor * by.getValue());
    terms.emplace_back(part, factor);
  };
  collect(collect, expr, 1);
  AffineExpr iteration = getAffineDimExpr(dim, expr.getContext());
  int64_t high = 0, low = 0;
  for (auto [part, factor] : terms) {
    high += part == iteration.floorDiv(base) ? factor : 0;
    low += part == iteration % base ? factor : 0;
  }
  if (low == 0 || high != low * base)
    return expr;
  AffineExpr sum = iteration * low;
  for (auto [part, factor] : terms)
    if (part != iteration.floorDiv(base) && part != iteration % base)
      sum = sum + part * factor;
  return sum;
}

static AffineMap joinDigits(AffineMap map, SmallVector<Value> &operands,
                            Value iteration, int64_t base) {
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  unsigned place = llvm::find(operands, iteration) - operands.begin();
  if (place >= map.getNumDims())
    return map;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(joinDigits(expr, place, base));
  map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                       map.getContext());
  affine::canonicalizeMapAndOperands(&map, &operands);
  return map;
}

void StageLoops::joinDigits(Operation *loop, Value iteration) {
  loop->walk([&](Operation *op) {
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      SmallVector<Value> operands(apply.getMapOperands());
      AffineMap map =
          ::joinDigits(apply.getAffineMap(), operands, iteration, numStages);
      apply.setMap(map);
      apply.getMapOperandsMutable().assign(operands);
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      if (std::optional<AffineMap> map = copy.getSourceMap()) {
        SmallVector<Value> operands(copy.getSourceIndices());
        copy.setSourceMapAttr(AffineMapAttr::get(
            ::joinDigits(*map, operands, iteration, numStages)));
        copy.getSourceIndicesMutable().assign(operands);
      }
      if (std::optional<AffineMap> map = copy.getTargetMap()) {
        SmallVector<Value> operands(copy.getTargetIndices());
        copy.setTargetMapAttr(AffineMapAttr::get(
            ::joinDigits(*map, operands, iteration, numStages)));
        copy.getTargetIndicesMutable().assign(operands);
      }
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      SmallVector<Value> source(gather.getSourceIndices());
      gather.setSourceMapAttr(AffineMapAttr::get(::joinDigits(
          gather.getSourceMap(), source, iteration, numStages)));
      gather.getSourceIndicesMutable().assign(source);
      SmallVector<Value> list(gather.getListIndices());
      gather.setListMapAttr(AffineMapAttr::get(
          ::joinDigits(gather.getListMap(), list, iteration, numStages)));
      gather.getListIndicesMutable().assign(list);
    }
  });
}

/// The region without its first dimension; nothing for all of the tile.
static void dropStage(BufferRegion &region, MemRefType type) {
  region.map = region.map.dropResult(0);
  region.sizes.erase(region.sizes.begin());
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  bool isWhole =
      ArrayRef(region.sizes) == type.getShape() &&
      llvm::all_of(region.map.getResults(), [](AffineExpr expr) {
        return expr == getAffineConstantExpr(0, expr.getContext());
      });
  if (isWhole)
    region.map = AffineMap();
}

void StageLoops::contract(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  auto rest = MemRefType::get(type.getShape().drop_front(),
                              type.getElementType(),
                              MemRefLayoutAttrInterface(),
                              type.getMemorySpace());
  OpBuilder b(alloc);
  Value tile = AllocOp::create(b, alloc.getLoc(), rest, LayoutAttr(),
                               IntegerAttr());
  Value old = alloc.getBuffer();
  for (Operation *user : llvm::make_early_inc_range(old.getUsers())) {
    if (auto copy = dyn_cast<CopyOp>(user)) {
      bool isSource = copy.getSource() == old;
      BufferRegion region =
          isSource ? copy.getSourceRegion() : copy.getTargetRegion();
      dropStage(region, rest);
      auto map = region.map ? AffineMapAttr::get(region.map) : AffineMapAttr();
      auto sizes = region.map ? b.getDenseI64ArrayAttr(region.sizes)
                              : DenseI64ArrayAttr();
      ValueRange operands =
          region.map ? ValueRange(region.operands) : ValueRange();
      if (isSource) {
        copy.getSourceMutable().assign(tile);
        copy.getSourceIndicesMutable().assign(operands);
        map ? copy.setSourceMapAttr(map) : (void)copy.removeSourceMapAttr();
        sizes ? copy.setSourceSizesAttr(sizes)
              : (void)copy.removeSourceSizesAttr();
      } else {
        copy.getTargetMutable().assign(tile);
        copy.getTargetIndicesMutable().assign(operands);
        map ? copy.setTargetMapAttr(map) : (void)copy.removeTargetMapAttr();
        sizes ? copy.setTargetSizesAttr(sizes)
              : (void)copy.removeTargetSizesAttr();
      }
    } else if (auto load = dyn_cast<memref::LoadOp>(user)) {
      load.getMemrefMutable().assign(tile);
      load.getIndicesMutable().erase(0);
    } else {
      auto store = cast<memref::StoreOp>(user);
      store.getMemrefMutable().assign(tile);
      store.getIndicesMutable().erase(0);
    }
  }
  alloc.erase();
}

void StageLoops::replace() {
  remark::passed(outer.getLoc(), remark::RemarkOpts::name("StageLoops")
                                     .category("tile-import")
                                     .function(""))
      << remark::metric("loops", inner.size())
      << remark::metric("stages", numStages)
      << remark::metric("buffers", staged.size());
  join();
  Value iteration = flatten();
  for (AllocOp alloc : staged)
    contract(alloc);
  joinDigits(joined, iteration);
}

void tilelang::joinStages(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  // Inner loops come first; those of a loop that is replaced hold no others.
  llvm::DenseSet<Operation *> gone;
  for (scf::ForOp loop : loops) {
    if (gone.contains(loop))
      continue;
    StageLoops stages(loop);
    if (!stages.match())
      continue;
    gone.insert(loop);
    stages.replace();
  }
}
