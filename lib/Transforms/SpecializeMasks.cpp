//===- SpecializeMasks.cpp - tiles that a mask leaves as they are ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPECIALIZEMASKSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kCategory = "tile-specialize-masks";

//===----------------------------------------------------------------------===//
// Bounds over a tile
//===----------------------------------------------------------------------===//

namespace {
/// slope * t + base, with the variable t of a pipelined loop.
struct Linear {
  int64_t slope;
  Value base;
};

/// Bounds of integers over all iterations of a parallel loop, computed in front
/// of `scope`: the loop itself, or the pipelined loop around it, in whose
/// variable they are linear then.
class TileBounds {
public:
  TileBounds(ParallelOp loop, Operation *scope)
      : b(scope), loop(loop), scope(scope), loc(loop.getLoc()) {}

  bool isOutside(Value value) {
    return !scope->isAncestor(value.getParentRegion()->getParentOp());
  }
  /// The upper bound of the value or the lower one; none if it is not
  /// understood.
  std::optional<Linear> getBound(Value value, bool upper);
  Value getConstant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  template <typename OpTy>
  Value create(Value left, Value right) {
    return left && right ? b.createOrFold<OpTy>(loc, left, right) : Value();
  }
  std::optional<Linear> add(std::optional<Linear> left,
                            std::optional<Linear> right, int64_t sign = 1);

  OpBuilder b;

private:
  std::optional<Linear> getBound(AffineExpr expr, AffineMap map,
                                 ValueRange operands, bool upper);
  std::optional<Linear> scale(std::optional<Linear> value, int64_t factor);

  ParallelOp loop;
  Operation *scope;
  Location loc;
};
} // namespace

std::optional<Linear> TileBounds::add(std::optional<Linear> left,
                                      std::optional<Linear> right,
                                      int64_t sign) {
  if (!left || !right)
    return std::nullopt;
  Value base = sign > 0 ? create<arith::AddIOp>(left->base, right->base)
                        : create<arith::SubIOp>(left->base, right->base);
  return Linear{left->slope + sign * right->slope, base};
}

std::optional<Linear> TileBounds::scale(std::optional<Linear> value,
                                        int64_t factor) {
  if (!value)
    return std::nullopt;
  Value by = getConstant(value->base.getType(), factor);
  return Linear{value->slope * factor, create<arith::MulIOp>(value->base, by)};
}

std::optional<Linear> TileBounds::getBound(AffineExpr expr, AffineMap map,
                                           ValueRange operands, bool upper) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Linear{0, getConstant(b.getIndexType(), constant.getValue())};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getBound(operands[dim.getPosition()], upper);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getBound(operands[map.getNumDims() + symbol.getPosition()], upper);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto get = [&](AffineExpr part, bool side) {
    return getBound(part, map, operands, side);
  };
  if (expr.getKind() == AffineExprKind::Add)
    return add(get(binary.getLHS(), upper), get(binary.getRHS(), upper));
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!factor || expr.getKind() == AffineExprKind::Mod)
    return std::nullopt;
  int64_t number = factor.getValue();
  std::optional<Linear> left =
      get(binary.getLHS(), upper == (number >= 0));
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(left, number);
  if (!left || left->slope != 0)
    return std::nullopt;
  Value by = getConstant(b.getIndexType(), number);
  return Linear{0, expr.getKind() == AffineExprKind::FloorDiv
                       ? create<arith::FloorDivSIOp>(left->base, by)
                       : create<arith::CeilDivSIOp>(left->base, by)};
}

std::optional<Linear> TileBounds::getBound(Value value, bool upper) {
  if (isOutside(value))
    return Linear{0, value};
  Operation *op = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner()->getParentOp() == scope && isa<PipelinedOp>(scope))
      return Linear{1, getConstant(value.getType(), 0)};
    if (arg.getOwner()->getParentOp() != loop)
      return std::nullopt;
    int64_t extent = loop.getStaticExtents()[arg.getArgNumber()];
    return Linear{0, getConstant(value.getType(), upper ? extent - 1 : 0)};
  }
  if (Attribute constant; matchPattern(value, m_Constant(&constant)))
    return Linear{0,
                  arith::ConstantOp::create(b, loc, cast<TypedAttr>(constant))};
  auto get = [&](unsigned i, bool side) {
    return getBound(op->getOperand(i), side);
  };
  using Result = std::optional<Linear>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getAffineMap();
        return getBound(map.getResult(0), map, apply.getOperands(), upper);
      })
      .Case([&](arith::AddIOp) { return add(get(0, upper), get(1, upper)); })
      .Case([&](arith::SubIOp) {
        return add(get(0, upper), get(1, !upper), /*sign=*/-1);
      })
      .Case([&](arith::MulIOp) -> Result {
        std::optional<int64_t> factor = getConstantIntValue(op->getOperand(1));
        if (!factor)
          return std::nullopt;
        return scale(get(0, upper == (*factor >= 0)), *factor);
      })
      .Case([&](arith::IndexCastOp) -> Result {
        Result source = get(0, upper);
        if (source)
          source->base = b.createOrFold<arith::IndexCastOp>(
              loc, value.getType(), source->base);
        return source;
      })
      .Case([&](memref::DimOp dim) -> Result {
        std::optional<int64_t> number = dim.getConstantIndex();
        if (!number || !isOutside(dim.getSource()))
          return std::nullopt;
        return Linear{0, b.createOrFold<memref::DimOp>(loc, dim.getSource(),
                                                       *number)};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The comparison that holds where `compare` is `wanted`; none for those that
/// are no order.
static std::optional<arith::CmpIPredicate> getOrder(arith::CmpIOp compare,
                                                    bool wanted) {
  using P = arith::CmpIPredicate;
  P predicate = wanted ? compare.getPredicate()
                       : arith::invertPredicate(compare.getPredicate());
  if (predicate == P::eq || predicate == P::ne)
    return std::nullopt;
  return predicate;
}

static bool isLess(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::slt, P::sle, P::ult, P::ule}, predicate);
}

static bool isStrict(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::slt, P::sgt, P::ult, P::ugt}, predicate);
}

static bool isSigned(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  return llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate);
}

//===----------------------------------------------------------------------===//
// Conditions that hold for a whole tile
//===----------------------------------------------------------------------===//

/// A condition that implies that the comparison is `wanted` in all iterations.
static Value implyCompare(TileBounds &bounds, arith::CmpIOp compare,
                          bool wanted) {
  using P = arith::CmpIPredicate;
  std::optional<P> predicate = getOrder(compare, wanted);
  if (!predicate)
    return {};
  std::optional<Linear> left =
      bounds.getBound(compare.getLhs(), isLess(*predicate));
  std::optional<Linear> right =
      bounds.getBound(compare.getRhs(), !isLess(*predicate));
  if (!left || !right)
    return {};
  Location loc = compare.getLoc();
  Value holds = bounds.b.createOrFold<arith::CmpIOp>(loc, *predicate,
                                                     left->base, right->base);
  if (isSigned(*predicate))
    return holds;
  // The bounds are those of signed numbers.
  Value zero = bounds.getConstant(left->base.getType(), 0);
  for (Value side : {compare.getLhs(), compare.getRhs()}) {
    Value least = bounds.getBound(side, /*upper=*/false)->base;
    Value positive =
        bounds.b.createOrFold<arith::CmpIOp>(loc, P::sge, least, zero);
    holds = bounds.create<arith::AndIOp>(holds, positive);
  }
  return holds;
}

/// A condition that implies that `condition` is `wanted` in all iterations;
/// null if there is none.
static Value imply(TileBounds &bounds, Value condition, bool wanted) {
  if (bounds.isOutside(condition)) {
    Value isTrue = bounds.getConstant(condition.getType(), 1);
    return wanted ? condition : bounds.create<arith::XOrIOp>(condition, isTrue);
  }
  Operation *op = condition.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    return implyCompare(bounds, compare, wanted);
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
    return {};
  Value left = imply(bounds, op->getOperand(0), wanted);
  Value right = imply(bounds, op->getOperand(1), wanted);
  if (isa<arith::AndIOp>(op) == wanted)
    return bounds.create<arith::AndIOp>(left, right);
  // One of the two is enough.
  return left && right ? bounds.create<arith::OrIOp>(left, right)
                       : (left ? left : right);
}

//===----------------------------------------------------------------------===//
// Iterations that no mask crosses
//===----------------------------------------------------------------------===//

namespace {
/// The iterations [first, end) of a pipelined loop; null: no limit.
struct Limits {
  Value first, end;
};
} // namespace

static bool isNeverNegative(Value value) {
  using Bounds = ValueBoundsConstraintSet;
  return Bounds::compare({value}, Bounds::GE,
                         {Builder(value.getContext()).getIndexAttr(0)});
}

/// Whether a comparison of signed numbers gives the same.
static bool comparesAsSigned(arith::CmpIOp compare) {
  return isSigned(compare.getPredicate()) ||
         (isNeverNegative(compare.getLhs()) &&
          isNeverNegative(compare.getRhs()));
}

/// Limits them to those in which the condition is `wanted` for the whole tile.
static LogicalResult limit(TileBounds &bounds, Value condition, bool wanted,
                           Limits &limits) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op) &&
      isa<arith::AndIOp>(op) == wanted)
    return failure(failed(limit(bounds, op->getOperand(0), wanted, limits)) ||
                   failed(limit(bounds, op->getOperand(1), wanted, limits)));
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return failure();
  std::optional<arith::CmpIPredicate> predicate = getOrder(compare, wanted);
  if (!predicate || !comparesAsSigned(compare))
    return failure();
  // slope * t + base <= 0
  bool less = isLess(*predicate);
  std::optional<Linear> left = bounds.getBound(compare.getLhs(), less);
  std::optional<Linear> right = bounds.getBound(compare.getRhs(), !less);
  std::optional<Linear> difference =
      less ? bounds.add(left, right, -1) : bounds.add(right, left, -1);
  if (!difference || difference->slope == 0)
    return failure();
  Type index = bounds.b.getIndexType();
  Value one = bounds.getConstant(index, 1), base = difference->base;
  if (isStrict(*predicate))
    base = bounds.create<arith::AddIOp>(base, one);
  Value slope = bounds.getConstant(index, std::abs(difference->slope));
  if (difference->slope < 0) {
    Value first = bounds.create<arith::CeilDivSIOp>(base, slope);
    limits.first = limits.first
                       ? bounds.create<arith::MaxSIOp>(limits.first, first)
                       : first;
    return success();
  }
  Value negated = bounds.create<arith::SubIOp>(bounds.getConstant(index, 0), base);
  Value end = bounds.create<arith::AddIOp>(
      bounds.create<arith::FloorDivSIOp>(negated, slope), one);
  limits.end =
      limits.end ? bounds.create<arith::MinSIOp>(limits.end, end) : end;
  return success();
}

//===----------------------------------------------------------------------===//
// Loops without their masks
//===----------------------------------------------------------------------===//

/// The value of its condition for which a select yields what was computed, not
/// a value that is the same for all elements.
static bool getInterior(arith::SelectOp select, ParallelOp loop) {
  Value kept = select.getTrueValue();
  return loop->isAncestor(kept.getParentRegion()->getParentOp()) &&
         !matchPattern(kept, m_Constant());
}

/// Stores to where their value was loaded from do nothing.
static void eraseIdentities(Block &body) {
  for (auto store : llvm::make_early_inc_range(body.getOps<memref::StoreOp>())) {
    auto load = store.getValue().getDefiningOp<memref::LoadOp>();
    auto writes = llvm::count_if(body.getOps<memref::StoreOp>(), [&](auto other) {
      return other.getMemref() == store.getMemref();
    });
    if (load && load->getBlock() == &body && writes == 1 &&
        load.getMemref() == store.getMemref() &&
        llvm::equal(load.getIndices(), store.getIndices()))
      store.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static bool onlyLoadsAndStores(Block &body) {
  return llvm::all_of(body, [](Operation &op) {
    return isa<memref::LoadOp, memref::StoreOp>(op) || isMemoryEffectFree(&op);
  });
}

namespace {
/// A select, or a guard of global memory, and the value of its condition in the
/// interior of a tensor.
struct Mask {
  Operation *op;
  Value condition;
  bool inside;
};
} // namespace

/// Whether the branch only keeps an access of global memory in bounds.
static bool isGuard(scf::IfOp branch) {
  auto isAccess = [](Operation &op) {
    return isa<memref::LoadOp, memref::StoreOp>(op) &&
           llvm::any_of(op.getOperands(), [](Value operand) {
             return isa<MemRefType>(operand.getType()) &&
                    getMemorySpace(operand) == MemorySpace::Global;
           });
  };
  auto &inside = *branch.thenBlock();
  return llvm::any_of(inside, isAccess) &&
         llvm::all_of(inside.without_terminator(),
                      [&](Operation &op) {
                        return isAccess(op) || isMemoryEffectFree(&op);
                      }) &&
         (!branch.elseBlock() || branch.elseBlock()->without_terminator().empty());
}

/// What may be masks of a loop.
static SmallVector<Mask> getMasks(ParallelOp loop) {
  SmallVector<Mask> masks;
  if (ShapedType::isDynamicShape(loop.getStaticExtents()))
    return masks;
  for (Operation &op : loop.getBody().front()) {
    if (auto select = dyn_cast<arith::SelectOp>(op);
        select && select.getCondition().getType().isInteger(1))
      masks.push_back({&op, select.getCondition(), getInterior(select, loop)});
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && isGuard(branch))
      masks.push_back({&op, branch.getCondition(), true});
  }
  return masks;
}

/// Replaces the mask's copy in an interior by what it yields there.
static void resolve(Operation *copy, bool inside) {
  if (auto select = dyn_cast<arith::SelectOp>(copy)) {
    select.replaceAllUsesWith(inside ? select.getTrueValue()
                                     : select.getFalseValue());
    return select.erase();
  }
  auto branch = cast<scf::IfOp>(copy);
  Block &block = *branch.thenBlock();
  branch->replaceAllUsesWith(block.getTerminator()->getOperands());
  block.getTerminator()->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(),
                                             block.getOperations());
  branch.erase();
}

/// Returns the loop for tiles inside of the masks; null if nothing is left.
static ParallelOp createInterior(ParallelOp loop, ArrayRef<Mask> masks,
                                 OpBuilder &b) {
  IRMapping copies;
  auto interior = cast<ParallelOp>(b.clone(*loop, copies));
  Block &body = interior.getBody().front();
  for (const Mask &mask : masks)
    resolve(copies.lookup(mask.op), mask.inside);
  if (onlyLoadsAndStores(body))
    eraseIdentities(body);
  if (!body.empty())
    return interior;
  interior.erase();
  return {};
}

static remark::RemarkOpts getRemark() {
  return remark::RemarkOpts::name("Mask").category(kCategory);
}

/// Puts a branch around those masks of a loop of which something is known.
static void branch(ParallelOp loop) {
  OpBuilder b(loop);
  TileBounds bounds(loop, loop);
  Location loc = loop.getLoc();
  Value isTrue = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value inside = isTrue;
  SmallVector<Mask> masks;
  for (const Mask &mask : getMasks(loop)) {
    Value known = imply(bounds, mask.condition, mask.inside);
    if (!known || matchPattern(known, m_Zero())) {
      if (!known)
        remark::missed(mask.op->getLoc(), getRemark()) << remark::reason(
            "nothing is known of its condition for a whole tile");
      continue;
    }
    inside = b.createOrFold<arith::AndIOp>(loc, inside, known);
    masks.push_back(mask);
  }
  if (masks.empty() || matchPattern(inside, m_Zero()))
    return;
  remark::passed(loc, getRemark())
      << remark::reason("only tiles that it crosses are masked");
  if (matchPattern(inside, m_One())) {
    createInterior(loop, masks, b);
    loop.erase();
    return;
  }
  // The interior goes to the else branch, since it is often empty.
  Value crosses = arith::XOrIOp::create(b, loc, inside, isTrue);
  auto branch = scf::IfOp::create(b, loc, crosses, /*withElseRegion=*/true);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  if (!createInterior(loop, masks, otherwise))
    branch.getElseRegion().getBlocks().clear();
  loop->moveBefore(branch.thenBlock()->getTerminator());
}

/// Whether the stages of the loop's copies run on through consecutive loops.
static bool hasTensorCopies(PipelinedOp loop) {
  bool hasAny = false, hasOthers = false;
  for (auto copy : loop.getBody().getOps<CopyOp>()) {
    if (getMemorySpace(copy.getSource()) != MemorySpace::Global)
      continue;
    TransferAttr choice = copy.getInstructionAttr();
    bool isTensorCopy = choice && choice.usesTensorMap();
    (isTensorCopy ? hasAny : hasOthers) = true;
  }
  return hasAny && !hasOthers && loop.getStages() > 1;
}

/// Clones the loop with other bounds.
static PipelinedOp cloneLoop(OpBuilder &b, PipelinedOp loop, Value from,
                             Value to) {
  auto part = cast<PipelinedOp>(b.clone(*loop));
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(
      getAsOpFoldResult(ValueRange{from, to}), dynamic, fixed);
  fixed.push_back(1);
  part.getDynamicBoundsMutable().assign(dynamic);
  part.setStaticBounds(fixed);
  return part;
}

/// Splits the loop into the iterations that no mask crosses, without masks,
/// and those before and behind.
static LogicalResult split(PipelinedOp loop, ArrayRef<ParallelOp> masked) {
  SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
  if (getConstantIntValue(bounds[2]) != 1 || loop.getOrder() ||
      !hasTensorCopies(loop))
    return failure();
  Limits limits;
  DenseSet<ParallelOp> open;
  for (ParallelOp parallel : masked) {
    if (parallel->getParentOp() != loop)
      return failure();
    SmallVector<Mask> masks = getMasks(parallel);
    TileBounds tile(parallel, loop), here(parallel, parallel);
    // A loop that has nothing to do with the bounds of tiles stays as it is.
    if (llvm::none_of(masks, [&](const Mask &mask) {
          return imply(here, mask.condition, mask.inside);
        })) {
      open.insert(parallel);
      continue;
    }
    for (const Mask &mask : masks)
      if (failed(limit(tile, mask.condition, mask.inside, limits)))
        return failure();
  }
  if (!limits.first && !limits.end)
    return failure();
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = getValueOrCreateConstantIndexOp(b, loc, bounds[0]);
  Value upper = getValueOrCreateConstantIndexOp(b, loc, bounds[1]);
  // [lower, first) is masked, [first, end) is not, [end, upper) is masked.
  Value first = lower, end = upper;
  if (limits.first)
    first = b.createOrFold<arith::MinSIOp>(
        loc, b.createOrFold<arith::MaxSIOp>(loc, limits.first, lower), upper);
  if (limits.end)
    end = b.createOrFold<arith::MaxSIOp>(
        loc, b.createOrFold<arith::MinSIOp>(loc, limits.end, upper), first);
  if (limits.first)
    cloneLoop(b, loop, lower, first);
  PipelinedOp interior = cloneLoop(b, loop, first, end);
  for (auto [original, copy] :
       llvm::zip_equal(loop.getBody().getOps<ParallelOp>(),
                       interior.getBody().getOps<ParallelOp>()))
    if (open.contains(original))
      open.insert(copy);
  if (limits.end)
    cloneLoop(b, loop, end, upper);
  for (auto parallel :
       llvm::make_early_inc_range(interior.getBody().getOps<ParallelOp>())) {
    SmallVector<Mask> masks = getMasks(parallel);
    if (masks.empty() || open.contains(parallel))
      continue;
    OpBuilder inner(parallel);
    createInterior(parallel, masks, inner);
    parallel.erase();
  }
  remark::passed(loc, getRemark())
      << remark::reason("only iterations that it crosses are masked")
      << remark::metric("loops", 1 + !!limits.first + !!limits.end);
  loop.erase();
  return success();
}

namespace {
struct SpecializeMasksPass
    : mlir::tile::impl::SpecializeMasksPassBase<SpecializeMasksPass> {
  void runOnOperation() override {
    llvm::MapVector<PipelinedOp, SmallVector<ParallelOp>> loops;
    SmallVector<ParallelOp> others;
    getOperation()->walk([&](ParallelOp parallel) {
      SmallVector<Mask> masks = getMasks(parallel);
      auto loop = parallel->getParentOfType<PipelinedOp>();
      if (loop && !masks.empty())
        loops[loop].push_back(parallel);
      // Of what runs once, only accesses that may be those of vectors pay for
      // a second copy of the loop.
      else if (llvm::any_of(masks, [](const Mask &mask) {
                 return isa<scf::IfOp>(mask.op);
               }))
        others.push_back(parallel);
    });
    for (auto &[loop, masked] : loops)
      if (failed(split(loop, masked)))
        llvm::for_each(masked, branch);
    llvm::for_each(others, branch);
  }
};
} // namespace
