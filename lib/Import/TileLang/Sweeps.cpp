//===- Sweeps.cpp - loops over the parts of tiles -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A loop with a constant number of iterations, which returns nothing.
struct Sweep {
  LoopLikeOpInterface loop;
  Value iteration;
  int64_t lower = 0, step = 1, count = 0;

  static std::optional<Sweep> get(Operation *op);
};

/// What all iterations of a loop access, if an iteration accesses the part
/// behind that of the one before, and the dimension that it moves in, of those
/// that are not 1.
struct Swept {
  BufferRegion region;
  unsigned dim;
};
} // namespace

std::optional<Sweep> Sweep::get(Operation *op) {
  if (!isa<scf::ForOp, PipelinedOp>(op) || op->getNumResults() != 0)
    return std::nullopt;
  Sweep sweep;
  sweep.loop = cast<LoopLikeOpInterface>(op);
  auto iteration = sweep.loop.getSingleInductionVar();
  auto lower = sweep.loop.getSingleLowerBound();
  auto upper = sweep.loop.getSingleUpperBound();
  auto step = sweep.loop.getSingleStep();
  if (!iteration || !lower || !upper || !step)
    return std::nullopt;
  std::optional<int64_t> from = getConstantIntValue(*lower);
  std::optional<int64_t> to = getConstantIntValue(*upper);
  std::optional<int64_t> by = getConstantIntValue(*step);
  if (!from || !to || !by || *by < 1 || *to <= *from)
    return std::nullopt;
  sweep.iteration = *iteration;
  sweep.lower = *from;
  sweep.step = *by;
  sweep.count = llvm::divideCeil(*to - *from, *by);
  return sweep;
}

/// Whether a tile has all of the region.
static bool isInside(const BufferRegion &region) {
  if (getMemorySpace(region.buffer) == MemorySpace::Global)
    return true;
  ArrayRef<int64_t> shape = region.getType().getShape();
  for (auto [expr, size, extent] :
       llvm::zip(region.map.getResults(), region.sizes, shape)) {
    auto begin = dyn_cast<AffineConstantExpr>(expr);
    if (!begin || begin.getValue() < 0 || begin.getValue() + size > extent)
      return false;
  }
  return true;
}

static std::optional<Swept> getSwept(Sweep sweep, BufferRegion region) {
  if (!region.map || ShapedType::isDynamicShape(region.sizes) ||
      !sweep.loop.isDefinedOutsideOfLoop(region.buffer))
    return std::nullopt;
  affine::fullyComposeAffineMapAndOperands(&region.map, &region.operands);
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  auto *found = llvm::find(region.operands, sweep.iteration);
  unsigned place = found - region.operands.begin();
  if (place >= region.map.getNumDims() ||
      llvm::any_of(region.operands, [&](Value operand) {
        return operand != sweep.iteration &&
               !sweep.loop.isDefinedOutsideOfLoop(operand);
      }))
    return std::nullopt;
  AffineExpr number = getAffineDimExpr(place, region.map.getContext());
  SmallVector<AffineExpr> begin;
  std::optional<unsigned> moving;
  for (auto [i, expr] : llvm::enumerate(region.map.getResults())) {
    if (!expr.isFunctionOfDim(place)) {
      begin.push_back(expr);
      continue;
    }
    AffineExpr rest = simplifyAffineExpr(
        expr.replace(number, number * sweep.step + sweep.lower) -
            number * region.sizes[i],
        region.map.getNumDims(), region.map.getNumSymbols());
    if (moving || region.sizes[i] == 1 || rest.isFunctionOfDim(place))
      return std::nullopt;
    moving = i;
    begin.push_back(rest);
  }
  if (!moving)
    return std::nullopt;
  Swept swept;
  swept.dim = llvm::count_if(ArrayRef(region.sizes).take_front(*moving),
                             [](int64_t size) { return size != 1; });
  region.sizes[*moving] *= sweep.count;
  region.map = AffineMap::get(region.map.getNumDims(),
                              region.map.getNumSymbols(), begin,
                              region.map.getContext());
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  if (!isInside(region))
    return std::nullopt;
  swept.region = region;
  return swept;
}

/// A region that is all of its tile is said without offsets.
static bool isAllOfTile(const BufferRegion &region) {
  return ArrayRef(region.sizes) == region.getType().getShape() &&
         llvm::all_of(region.map.getResults(), [](AffineExpr expr) {
           auto begin = dyn_cast<AffineConstantExpr>(expr);
           return begin && begin.getValue() == 0;
         });
}

static void setRegions(CopyOp copy, const BufferRegion &source,
                       const BufferRegion &target) {
  copy.getSourceIndicesMutable().assign(source.operands);
  copy.setSourceMapAttr(AffineMapAttr::get(source.map));
  copy.getTargetIndicesMutable().assign(target.operands);
  copy.setTargetMapAttr(AffineMapAttr::get(target.map));
  Builder b(copy.getContext());
  copy.setSourceSizesAttr(b.getDenseI64ArrayAttr(source.sizes));
  copy.setTargetSizesAttr(b.getDenseI64ArrayAttr(target.sizes));
}

/// Puts the op, which does what all iterations do, in the place of the loop.
static void replaceLoop(Sweep sweep, Operation *op) {
  remark::passed(sweep.loop.getLoc(), remark::RemarkOpts::name("JoinedParts")
                                          .category("tile-import")
                                          .function(""))
      << op->getName().getStringRef().str()
      << remark::metric("parts", sweep.count);
  op->moveBefore(sweep.loop);
  sweep.loop.erase();
}

/// A body with nothing but a copy.
static void joinCopies(Sweep sweep) {
  Block *body = &sweep.loop.getLoopRegions().front()->front();
  auto copy = dyn_cast<CopyOp>(body->front());
  Operation *next = copy ? copy->getNextNode() : nullptr;
  if (!copy || (next && !next->hasTrait<OpTrait::IsTerminator>()))
    return;
  // Of two buffers in global memory, one may be the other.
  if (getBaseBuffer(copy.getSource()) == getBaseBuffer(copy.getTarget()) ||
      (getMemorySpace(copy.getSource()) == MemorySpace::Global &&
       getMemorySpace(copy.getTarget()) == MemorySpace::Global))
    return;
  std::optional<Swept> source = getSwept(sweep, copy.getSourceRegion());
  std::optional<Swept> target = getSwept(sweep, copy.getTargetRegion());
  if (!source || !target || source->dim != target->dim)
    return;
  setRegions(copy, source->region, target->region);
  replaceLoop(sweep, copy);
}

/// The shared tile whose parts, along `dim`, the copies to an operand read in
/// turn, if they are all of it.
static Value getSweptTile(Sweep sweep, Value operand, unsigned dim,
                          CopyOp &copy) {
  auto alloc = operand.getDefiningOp<AllocOp>();
  Block *body = &sweep.loop.getLoopRegions().front()->front();
  if (!alloc || alloc->getBlock() != body ||
      !llvm::hasNItems(operand.getUsers(), 2))
    return {};
  for (Operation *user : operand.getUsers())
    if (auto found = dyn_cast<CopyOp>(user))
      copy = found;
  if (!copy || copy->getBlock() != body || copy.getTarget() != operand ||
      copy.getTargetMap() || !copy.getSource().getDefiningOp<AllocOp>() ||
      getMemorySpace(copy.getSource()) != MemorySpace::Shared)
    return {};
  auto part = cast<MemRefType>(operand.getType());
  auto all = cast<MemRefType>(copy.getSource().getType());
  std::optional<Swept> swept = getSwept(sweep, copy.getSourceRegion());
  return swept && swept->dim == dim && isAllOfTile(swept->region) &&
                 part.getElementType() == all.getElementType() &&
                 all.getRank() == 2 && !llvm::is_contained(part.getShape(), 1)
             ? copy.getSource()
             : Value();
}

/// Whether a product overwrites the accumulator in the first iteration alone.
static bool isFirst(Sweep sweep, Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs() == sweep.iteration &&
         getConstantIntValue(compare.getRhs()) == sweep.lower;
}

/// A body with a product, its operands, and the condition to overwrite.
static void joinProducts(Sweep sweep) {
  Block *body = &sweep.loop.getLoopRegions().front()->front();
  auto products = body->getOps<GemmOp>();
  if (!llvm::hasSingleElement(products))
    return;
  GemmOp gemm = *products.begin();
  CopyOp copyA, copyB;
  Value a = getSweptTile(sweep, gemm.getA(), !gemm.getTransposeA(), copyA);
  Value b = getSweptTile(sweep, gemm.getB(), gemm.getTransposeB(), copyB);
  if (!a || !b || a == gemm.getC() || b == gemm.getC() ||
      (gemm.getClear() && sweep.count != 1) ||
      (gemm.getClearIf() && !isFirst(sweep, gemm.getClearIf())) ||
      !sweep.loop.isDefinedOutsideOfLoop(gemm.getC()))
    return;
  Operation *known[] = {gemm, copyA, copyB, gemm.getA().getDefiningOp(),
                        gemm.getB().getDefiningOp()};
  for (Operation &op : *body)
    if (!llvm::is_contained(known, &op) && !isMemoryEffectFree(&op))
      return;
  gemm.getAMutable().assign(a);
  gemm.getBMutable().assign(b);
  if (gemm.getClearIf()) {
    gemm.getClearIfMutable().clear();
    gemm.setClear(true);
  }
  replaceLoop(sweep, gemm);
}

void tilelang::joinSweeps(func::FuncOp function) {
  SmallVector<Sweep> sweeps;
  function.walk([&](Operation *op) {
    if (std::optional<Sweep> sweep = Sweep::get(op))
      sweeps.push_back(*sweep);
  });
  // Inner loops come first; a loop is erased by one of the two at the most.
  for (Sweep sweep : sweeps) {
    Block *body = &sweep.loop.getLoopRegions().front()->front();
    if (isa<CopyOp>(body->front()))
      joinCopies(sweep);
    else
      joinProducts(sweep);
  }
}
