//===- ThreadCopies.cpp - copies by single threads ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCopies.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

// How many elements, and other steps, are counted through for a loop.
static constexpr int64_t kMostSteps = 1 << 21;
// Producers are whole warpgroups, and so are those that are left.
static constexpr int64_t kGroupOfThreads = 128;

namespace {
/// An index: what the loop counts, plus what is known outside of it.
struct Place {
  AffineExpr counted, outer;
};

/// One of the copies in the body.
struct Element {
  memref::LoadOp load;
  SmallVector<Place> source, target;
};

/// Elements of two buffers that the same values outside of the loop displace.
struct Group {
  Element element;
  SmallVector<SmallVector<int64_t>> sources, targets;
  /// What the elements are together.
  SmallVector<int64_t> sourceBegin, targetBegin, sourceSizes, targetSizes;

  bool isRegion();
};

class ThreadCopies {
public:
  explicit ThreadCopies(ParallelOp loop) : loop(loop) {}

  bool match();
  void replace();
  int64_t countCopying() const { return copying.count(); }

private:
  AffineExpr getExpr(Value value);
  bool divide(AffineExpr expr, int64_t factor, Place &place);
  std::optional<SmallVector<Place>> getPlaces(ValueRange indices);
  Element *getElement(memref::StoreOp store);
  std::optional<int64_t> evaluate(AffineExpr expr);
  std::optional<int64_t> evaluateCondition(Value value);
  bool count(Block &block);
  bool countFor(scf::ForOp inner);
  bool countElement(memref::StoreOp store);
  bool areApart();

  ParallelOp loop;
  /// Dimensions of the expressions, and the numbers of those in the loop.
  SmallVector<Value> values;
  SmallVector<std::optional<int64_t>> numbers;
  llvm::DenseMap<Value, unsigned> dims;
  llvm::DenseMap<Value, AffineExpr> exprs;
  llvm::DenseMap<Operation *, std::optional<Element>> elements;
  std::vector<Group> groups;
  llvm::DenseMap<Operation *, unsigned> groupOf;
  llvm::BitVector copying;
  int64_t thread = 0, steps = 0;
};
} // namespace

/// An index as an expression of values outside, and of what the loop counts.
AffineExpr ThreadCopies::getExpr(Value value) {
  if (AffineExpr known = exprs.lookup(value))
    return known;
  MLIRContext *context = loop.getContext();
  AffineExpr made;
  Operation *op = value.getDefiningOp();
  if (std::optional<int64_t> number = getConstantIntValue(value)) {
    made = getAffineConstantExpr(*number, context);
  } else if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(getExpr(operand));
    if (llvm::is_contained(operands, AffineExpr()))
      return {};
    unsigned numDims = apply.getAffineMap().getNumDims();
    made = apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
        ArrayRef(operands).take_front(numDims),
        ArrayRef(operands).drop_front(numDims));
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
             value.getType().isIndex()) {
    AffineExpr a = getExpr(op->getOperand(0)), b = getExpr(op->getOperand(1));
    if (!a || !b)
      return {};
    made = isa<arith::AddIOp>(op) ? a + b : a - b;
  } else if (!loop->isAncestor(value.getParentBlock()->getParentOp()) ||
             dims.contains(value)) {
    auto [it, isNew] = dims.try_emplace(value, values.size());
    if (isNew) {
      values.push_back(value);
      numbers.push_back(std::nullopt);
    }
    made = getAffineDimExpr(it->second, context);
  } else {
    return {};
  }
  return exprs[value] = made;
}

/// Adds `expr * factor` to what is counted or to what is outside; false where
/// one term depends on both.
bool ThreadCopies::divide(AffineExpr expr, int64_t factor, Place &place) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return divide(binary.getLHS(), factor, place) &&
           divide(binary.getRHS(), factor, place);
  if (binary && binary.getKind() == AffineExprKind::Mul)
    if (auto by = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return divide(binary.getLHS(), factor * by.getValue(), place);
  bool isCounted = false, isOuter = false;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      (loop->isAncestor(
           values[dim.getPosition()].getParentBlock()->getParentOp())
           ? isCounted
           : isOuter) = true;
  });
  if (isCounted && isOuter)
    return false;
  (isOuter ? place.outer : place.counted) =
      (isOuter ? place.outer : place.counted) + expr * factor;
  return true;
}

std::optional<SmallVector<Place>> ThreadCopies::getPlaces(ValueRange indices) {
  SmallVector<Place> places;
  AffineExpr zero = getAffineConstantExpr(0, loop.getContext());
  for (Value index : indices) {
    AffineExpr expr = getExpr(index);
    Place &place = places.emplace_back(Place{zero, zero});
    if (!expr || !divide(expr, 1, place))
      return std::nullopt;
  }
  return places;
}

/// A store of what was loaded from global memory; null if it is another one.
Element *ThreadCopies::getElement(memref::StoreOp store) {
  auto [it, isNew] = elements.try_emplace(store);
  if (!isNew)
    return it->second ? &*it->second : nullptr;
  auto load = store.getValue().getDefiningOp<memref::LoadOp>();
  if (!load || load->getBlock() != store->getBlock() ||
      !load->hasOneUse() ||
      getMemorySpace(load.getMemref()) != MemorySpace::Global ||
      getMemorySpace(store.getMemref()) != MemorySpace::Shared ||
      !store.getMemref().getDefiningOp<AllocOp>())
    return nullptr;
  auto source = getPlaces(load.getIndices());
  auto target = getPlaces(store.getIndices());
  if (!source || !target)
    return nullptr;
  auto outerOf = [](ArrayRef<Place> places) {
    return llvm::map_range(places, [](const Place &p) { return p.outer; });
  };
  Element element = {load, *source, *target};
  unsigned group = 0;
  for (; group < groups.size(); ++group) {
    Element &other = groups[group].element;
    auto otherStore = cast<memref::StoreOp>(*other.load->user_begin());
    if (other.load.getMemref() == load.getMemref() &&
        otherStore.getMemref() == store.getMemref() &&
        llvm::equal(outerOf(other.source), outerOf(*source)) &&
        llvm::equal(outerOf(other.target), outerOf(*target)))
      break;
  }
  if (group == groups.size())
    groups.emplace_back().element = element;
  groupOf[store] = group;
  elements[store] = element;
  return &*elements[store];
}

std::optional<int64_t> ThreadCopies::evaluate(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return numbers[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> a = evaluate(binary.getLHS());
  std::optional<int64_t> b = evaluate(binary.getRHS());
  if (!a || !b)
    return std::nullopt;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return *a + *b;
  case AffineExprKind::Mul:
    return *a * *b;
  case AffineExprKind::Mod:
    return *b > 0 ? std::optional(llvm::mod(*a, uint64_t(*b))) : std::nullopt;
  case AffineExprKind::FloorDiv:
    return *b > 0 ? std::optional(llvm::divideFloorSigned(*a, *b))
                  : std::nullopt;
  case AffineExprKind::CeilDiv:
    return *b > 0 ? std::optional(llvm::divideCeilSigned(*a, *b))
                  : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> ThreadCopies::evaluateCondition(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant != 0;
  Operation *op = value.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op)) {
    AffineExpr left = getExpr(compare.getLhs());
    AffineExpr right = getExpr(compare.getRhs());
    std::optional<int64_t> a = left ? evaluate(left) : std::nullopt;
    std::optional<int64_t> b = right ? evaluate(right) : std::nullopt;
    // Numbers of threads and iterations are not negative as unsigned ones.
    if (!a || !b || !compare.getLhs().getType().isIndex())
      return std::nullopt;
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, *a, true),
                                    APInt(64, *b, true));
  }
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return std::nullopt;
  std::optional<int64_t> a = evaluateCondition(op->getOperand(0));
  std::optional<int64_t> b = evaluateCondition(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  return isa<arith::AndIOp>(op) ? *a & *b
         : isa<arith::OrIOp>(op) ? *a | *b
                                 : *a ^ *b;
}

bool ThreadCopies::countFor(scf::ForOp inner) {
  std::optional<int64_t> from = getConstantIntValue(inner.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(inner.getUpperBound());
  std::optional<int64_t> by = getConstantIntValue(inner.getStep());
  if (!from || !to || !by || *by < 1 || inner.getNumResults() != 0)
    return false;
  unsigned dim = dims.try_emplace(inner.getInductionVar(), values.size())
                     .first->second;
  if (dim == values.size()) {
    values.push_back(inner.getInductionVar());
    numbers.push_back(std::nullopt);
  }
  for (int64_t i = *from; i < *to; i += *by) {
    numbers[dim] = i;
    if (!count(*inner.getBody()))
      return false;
  }
  return true;
}

bool ThreadCopies::countElement(memref::StoreOp store) {
  Element *element = getElement(store);
  if (!element)
    return false;
  auto evaluateAll = [&](ArrayRef<Place> places,
                         SmallVector<SmallVector<int64_t>> &list) {
    SmallVector<int64_t> &numbersOf = list.emplace_back();
    for (const Place &place : places) {
      std::optional<int64_t> number = evaluate(place.counted);
      if (!number)
        return false;
      numbersOf.push_back(*number);
    }
    return true;
  };
  copying.set(thread);
  Group &group = groups[groupOf[store]];
  return evaluateAll(element->source, group.sources) &&
         evaluateAll(element->target, group.targets);
}

/// What one thread does; false at anything but copies.
bool ThreadCopies::count(Block &block) {
  for (Operation &op : block) {
    if (++steps > kMostSteps)
      return false;
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (!countElement(store))
        return false;
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      if (!countFor(inner))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<int64_t> holds = evaluateCondition(branch.getCondition());
      if (!holds || branch.getNumResults() != 0)
        return false;
      Block *taken = *holds ? branch.thenBlock() : branch.elseBlock();
      if (taken && !count(*taken))
        return false;
    } else if (!isa<memref::LoadOp>(op) && (!isMemoryEffectFree(&op) ||
                                            op.getNumRegions() != 0)) {
      return false;
    }
  }
  return true;
}

static void findBounds(ArrayRef<SmallVector<int64_t>> places,
                       SmallVector<int64_t> &begin,
                       SmallVector<int64_t> &sizes) {
  begin = places.front();
  SmallVector<int64_t> end = begin;
  for (const SmallVector<int64_t> &place : places)
    for (auto [i, number] : llvm::enumerate(place)) {
      begin[i] = std::min(begin[i], number);
      end[i] = std::max(end[i], number);
    }
  for (auto [first, last] : llvm::zip(begin, end))
    sizes.push_back(last - first + 1);
}

static SmallVector<unsigned> getMatchedDims(ArrayRef<int64_t> sizes) {
  SmallVector<unsigned> dims;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1)
      dims.push_back(i);
  return dims;
}

/// Whether the elements are all of a region of the target, and each comes from
/// its place in a region of the source.
bool Group::isRegion() {
  if (targets.empty())
    return false;
  findBounds(sources, sourceBegin, sourceSizes);
  findBounds(targets, targetBegin, targetSizes);
  SmallVector<unsigned> from = getMatchedDims(sourceSizes);
  SmallVector<unsigned> to = getMatchedDims(targetSizes);
  int64_t size = 1;
  for (int64_t extent : targetSizes)
    if (llvm::MulOverflow(size, extent, size) || size > kMostSteps)
      return false;
  if (from.size() != to.size())
    return false;
  llvm::BitVector seen(size);
  for (auto [source, target] : llvm::zip(sources, targets)) {
    int64_t number = 0;
    for (auto [i, begin] : llvm::enumerate(targetBegin))
      number = number * targetSizes[i] + target[i] - begin;
    seen.set(number);
    for (auto [s, t] : llvm::zip(from, to))
      if (source[s] - sourceBegin[s] != target[t] - targetBegin[t])
        return false;
  }
  return seen.all() && llvm::all_of(llvm::zip(from, to), [&](auto pair) {
           return sourceSizes[std::get<0>(pair)] ==
                  targetSizes[std::get<1>(pair)];
         });
}

/// Whether no element is written by two groups, and all are inside of their
/// tiles.
bool ThreadCopies::areApart() {
  auto getTarget = [](const Group &group) {
    memref::LoadOp load = group.element.load;
    return cast<memref::StoreOp>(*load->user_begin()).getMemref();
  };
  for (auto [i, a] : llvm::enumerate(groups)) {
    ArrayRef<int64_t> shape = cast<MemRefType>(getTarget(a).getType()).getShape();
    for (auto [d, place] : llvm::enumerate(a.element.target))
      if (auto outer = dyn_cast<AffineConstantExpr>(place.outer)) {
        int64_t begin = outer.getValue() + a.targetBegin[d];
        if (begin < 0 || begin + a.targetSizes[d] > shape[d])
          return false;
      }
    for (const Group &b : ArrayRef<Group>(groups).drop_front(i + 1)) {
      if (getTarget(a) != getTarget(b))
        continue;
      bool apart = false;
      for (auto [d, left] : llvm::enumerate(a.element.target))
        apart |= left.outer == b.element.target[d].outer &&
                 (a.targetBegin[d] + a.targetSizes[d] <= b.targetBegin[d] ||
                  b.targetBegin[d] + b.targetSizes[d] <= a.targetBegin[d]);
      if (!apart)
        return false;
    }
  }
  return true;
}

bool ThreadCopies::match() {
  if (!loop.getDynamicExtents().empty())
    return false;
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  int64_t total = ShapedType::getNumElements(extents);
  if (total > kMostSteps)
    return false;
  copying.resize(total);
  for (Value argument : loop.getBody().getArguments()) {
    dims[argument] = values.size();
    values.push_back(argument);
    numbers.push_back(0);
  }
  for (thread = 0; thread < total; ++thread) {
    int64_t rest = thread;
    for (unsigned dim = extents.size(); dim-- > 0; rest /= extents[dim])
      numbers[dim] = rest % extents[dim];
    if (!count(loop.getBody().front()))
      return false;
  }
  // One element an iteration is no code of threads, but T.Parallel.
  size_t numElements = 0;
  for (const Group &group : groups)
    numElements += group.targets.size();
  return numElements > size_t(total) &&
         llvm::all_of(groups, [](Group &group) { return group.isRegion(); }) &&
         areApart();
}

void ThreadCopies::replace() {
  OpBuilder b(loop);
  auto getRegion = [&](Value buffer, ArrayRef<Place> places,
                       ArrayRef<int64_t> begin, ArrayRef<int64_t> sizes) {
    SmallVector<AffineExpr> exprs;
    for (auto [place, first] : llvm::zip(places, begin))
      exprs.push_back(place.outer + first);
    // What the loop counts is in no expression any more.
    BufferRegion region = {
        buffer, AffineMap::get(values.size(), 0, exprs, loop.getContext()),
        values, llvm::to_vector(sizes)};
    affine::canonicalizeMapAndOperands(&region.map, &region.operands);
    return region;
  };
  for (const Group &group : groups) {
    memref::LoadOp load = group.element.load;
    auto store = cast<memref::StoreOp>(*load->user_begin());
    BufferRegion source = getRegion(load.getMemref(), group.element.source,
                                    group.sourceBegin, group.sourceSizes);
    BufferRegion target = getRegion(store.getMemref(), group.element.target,
                                    group.targetBegin, group.targetSizes);
    bool isAll = tile::isWhole(target);
    CopyOp::create(b, load.getLoc(), source.buffer, source.operands,
                   target.buffer, target.operands,
                   AffineMapAttr::get(source.map),
                   b.getDenseI64ArrayAttr(source.sizes),
                   isAll ? AffineMapAttr() : AffineMapAttr::get(target.map),
                   isAll ? DenseI64ArrayAttr()
                         : b.getDenseI64ArrayAttr(target.sizes),
                   /*is_unsigned=*/false,
                   /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                   TransferAttr(), /*signal=*/Value());
  }
  remark::passed(loop.getLoc(), remark::RemarkOpts::name("ThreadCopies")
                                    .category("tile-import")
                                    .function(""))
      << remark::metric("copies", groups.size())
      << remark::metric("threads", countCopying());
  loop.erase();
}

/// The threads that copied are the compiler's own, if others have work.
static void leaveOutProducers(KernelOp kernel, int64_t numCopying) {
  int64_t left = int64_t(kernel.getThreads()) - numCopying;
  bool isNeeded = false;
  kernel.walk([&](ParallelOp loop) {
    isNeeded |= loop.getDynamicExtents().empty() &&
                ShapedType::getNumElements(loop.getStaticExtents()) ==
                    int64_t(kernel.getThreads());
  });
  if (!isNeeded && numCopying > 0 && left > 0 && left % kGroupOfThreads == 0)
    kernel.setThreads(left);
}

void tilelang::raiseThreadCopies(func::FuncOp function) {
  function.walk([](KernelOp kernel) {
    SmallVector<ParallelOp> loops;
    kernel.walk([&](ParallelOp loop) { loops.push_back(loop); });
    int64_t numCopying = 0;
    for (ParallelOp loop : loops) {
      ThreadCopies copies(loop);
      if (!copies.match())
        continue;
      numCopying = std::max(numCopying, copies.countCopying());
      copies.replace();
    }
    leaveOutProducers(kernel, numCopying);
  });
}
