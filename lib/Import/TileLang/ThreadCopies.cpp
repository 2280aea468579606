//===- ThreadCopies.cpp - copies by single threads ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCopies.h"

#include "GuardedRows.h"

#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
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
using namespace mlir::tile::tilelang;

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
  memref::StoreOp store;
  SmallVector<Place> source, target;
  /// Of a row that an entry of a list names: the entry, where it is, and the
  /// dimension of the source whose place is the number of the entry.
  memref::LoadOp entry;
  SmallVector<Place> list;
  unsigned dim = 0;
  /// The conditions on entries under which it is copied.
  SmallVector<Value> guards;

  /// Whether what is stored is computed from the entry that is loaded.
  bool isComputed() { return store.getValue() != load.getResult(); }
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
  bool findEntry(Element &element);
  bool findSources(Element &element);
  unsigned getGroup(Element &element);
  bool areListsInside();
  BufferRegion getRegion(Value buffer, ArrayRef<Place> places,
                         ArrayRef<int64_t> begin, ArrayRef<int64_t> sizes);
  void emitCopy(OpBuilder &b, Location loc, const BufferRegion &source,
                const BufferRegion &target);
  void emitGather(OpBuilder &b, const Group &group);
  void emitComputed(OpBuilder &b, const Group &group);
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
  SmallVector<Value> guards;
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

/// Whether one index of the source is an entry of a list, whose number takes
/// its place then.
bool ThreadCopies::findEntry(Element &element) {
  for (auto [i, index] : llvm::enumerate(element.load.getIndices())) {
    auto entry = getListEntry(index, loop);
    if (!entry)
      continue;
    std::optional<SmallVector<Place>> list = getPlaces(entry.getIndices());
    if (element.entry || !list || list->empty())
      return false;
    // All but the last one are the same for all entries.
    for (Place &place : MutableArrayRef(*list).drop_back()) {
      if (!isa<AffineConstantExpr>(place.counted))
        return false;
      place.outer = place.outer + place.counted;
      place.counted = getAffineConstantExpr(0, loop.getContext());
    }
    element.entry = entry;
    element.dim = i;
    element.list = *list;
  }
  return true;
}

bool ThreadCopies::findSources(Element &element) {
  SmallVector<Value> indices(element.load.getIndices());
  if (!findEntry(element))
    return false;
  // Any place will do for the entry, whose own one follows.
  if (element.entry)
    indices[element.dim] = loop.getBody().getArgument(0);
  std::optional<SmallVector<Place>> source = getPlaces(indices);
  if (!source)
    return false;
  element.source = *source;
  if (element.entry)
    element.source[element.dim] = element.list.back();
  return true;
}

unsigned ThreadCopies::getGroup(Element &element) {
  auto haveOneOuter = [](ArrayRef<Place> a, ArrayRef<Place> b) {
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip(a, b), [](auto pair) {
             return std::get<0>(pair).outer == std::get<1>(pair).outer;
           });
  };
  unsigned group = 0;
  for (; group < groups.size(); ++group) {
    Element &other = groups[group].element;
    if (other.load.getMemref() == element.load.getMemref() &&
        other.store.getMemref() == element.store.getMemref() &&
        !other.isComputed() && !element.isComputed() &&
        bool(other.entry) == bool(element.entry) &&
        (!other.entry ||
         other.entry.getMemref() == element.entry.getMemref()) &&
        other.dim == element.dim && other.guards == element.guards &&
        haveOneOuter(other.source, element.source) &&
        haveOneOuter(other.target, element.target) &&
        haveOneOuter(other.list, element.list))
      return group;
  }
  groups.emplace_back().element = element;
  return group;
}

/// A store of what was loaded from global memory, or was computed from an entry
/// that was; null if it is another one.
Element *ThreadCopies::getElement(memref::StoreOp store) {
  auto [it, isNew] = elements.try_emplace(store);
  if (!isNew)
    return it->second && it->second->guards == guards ? &*it->second : nullptr;
  Element element;
  element.store = store;
  element.guards = guards;
  element.load = store.getValue().getDefiningOp<memref::LoadOp>();
  bool isComputed = !element.load;
  if (isComputed)
    element.load = findComputedFrom(store.getValue(), loop);
  if (!element.load ||
      (isComputed ? !guards.empty()
                  : element.load->getBlock() != store->getBlock() ||
                        !element.load->hasOneUse()) ||
      getMemorySpace(element.load.getMemref()) != MemorySpace::Global ||
      getMemorySpace(store.getMemref()) != MemorySpace::Shared ||
      !store.getMemref().getDefiningOp<AllocOp>())
    return nullptr;
  auto target = getPlaces(store.getIndices());
  if (!target || !findSources(element) ||
      (element.entry ? isComputed : !guards.empty()))
    return nullptr;
  element.target = *target;
  groupOf[store] = getGroup(element);
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
      if (branch.getNumResults() != 0)
        return false;
      if (!holds) {
        if (!isRowGuard(branch.getCondition(), loop) || branch.elseBlock())
          return false;
        guards.push_back(branch.getCondition());
        bool isKnown = count(*branch.thenBlock());
        guards.pop_back();
        if (!isKnown)
          return false;
        continue;
      }
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
  auto getTarget = [](Group &group) {
    return group.element.store.getMemref();
  };
  for (auto [i, a] : llvm::enumerate(groups)) {
    ArrayRef<int64_t> shape = cast<MemRefType>(getTarget(a).getType()).getShape();
    for (auto [d, place] : llvm::enumerate(a.element.target))
      if (auto outer = dyn_cast<AffineConstantExpr>(place.outer)) {
        int64_t begin = outer.getValue() + a.targetBegin[d];
        if (begin < 0 || begin + a.targetSizes[d] > shape[d])
          return false;
      }
    for (Group &b : MutableArrayRef<Group>(groups).drop_front(i + 1)) {
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
  bool isComputed = false, isByList = false;
  for (Group &group : groups) {
    numElements += group.element.isComputed() ? 0 : group.targets.size();
    isComputed |= group.element.isComputed();
    isByList |= bool(group.element.entry);
  }
  // What is computed is what the threads note of entries that they go by.
  return numElements > size_t(total) && (!isComputed || isByList) &&
         llvm::all_of(groups, [](Group &group) { return group.isRegion(); }) &&
         areApart() && areListsInside();
}

/// Entries past the end of a list name no row of a gather; here they would be 0.
/// Rows that are not copied keep what the tile held, which nobody may know: all
/// that is ever written to it are these rows, and none at first. In a loop they
/// are those of an earlier iteration, so that the program has to note which
/// rows it copies.
bool ThreadCopies::areListsInside() {
  for (Group &group : groups) {
    Element &element = group.element;
    if (element.isComputed() || !element.entry)
      continue;
    SmallVector<int64_t> begin(element.list.size(), 0);
    SmallVector<int64_t> sizes(element.list.size(), 1);
    begin.back() = group.sourceBegin[element.dim];
    sizes.back() = group.sourceSizes[element.dim];
    BufferRegion region =
        getRegion(element.entry.getMemref(), element.list, begin, sizes);
    for (OpenBounds open : findOpenBounds(loop, region))
      if (open.lower || open.upper)
        return false;
    if (element.guards.empty())
      continue;
    for (Operation *user : element.store.getMemref().getUsers()) {
      auto copy = dyn_cast<CopyOp>(user);
      bool isRead = isa<memref::LoadOp>(user) ||
                    (copy && copy.getTarget() != element.store.getMemref());
      if (!isRead && !loop->isAncestor(user))
        return false;
    }
    if (!canGuardRows(element.guards, loop))
      return false;
    bool isRepeated = loop->getParentOp() != loop->getParentOfType<KernelOp>();
    bool isNoted = llvm::any_of(groups, [&](Group &other) {
      return other.element.isComputed() &&
             other.element.load.getMemref() == element.entry.getMemref() &&
             saysWhichRows(other.element.store.getValue(), element.guards,
                           loop);
    });
    if (isRepeated && !isNoted)
      return false;
  }
  return true;
}

/// What the loop counts is in no expression any more.
BufferRegion ThreadCopies::getRegion(Value buffer, ArrayRef<Place> places,
                                     ArrayRef<int64_t> begin,
                                     ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> exprs;
  for (auto [place, first] : llvm::zip(places, begin))
    exprs.push_back(place.outer + first);
  BufferRegion region = {
      buffer, AffineMap::get(values.size(), 0, exprs, loop.getContext()),
      values, llvm::to_vector(sizes)};
  affine::canonicalizeMapAndOperands(&region.map, &region.operands);
  return region;
}

void ThreadCopies::emitCopy(OpBuilder &b, Location loc,
                            const BufferRegion &source,
                            const BufferRegion &target) {
  bool isAll = mlir::tile::isWhole(target);
  CopyOp::create(
      b, loc, source.buffer, source.operands, target.buffer, target.operands,
      source.map ? AffineMapAttr::get(source.map) : AffineMapAttr(),
      source.map ? b.getDenseI64ArrayAttr(source.sizes) : DenseI64ArrayAttr(),
      isAll ? AffineMapAttr() : AffineMapAttr::get(target.map),
      isAll ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(target.sizes),
      /*is_unsigned=*/false, /*saturate=*/false, InstructionAttr(),
      IntegerAttr(), TransferAttr(), /*signal=*/Value());
}

/// Gathers the rows to a tile of their own, which is copied.
void ThreadCopies::emitGather(OpBuilder &b, const Group &group) {
  Element element = group.element;
  Location loc = element.load.getLoc();
  auto alloc = element.store.getMemref().getDefiningOp<AllocOp>();
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  SmallVector<int64_t> shape;
  for (int64_t size : group.targetSizes)
    if (size != 1)
      shape.push_back(size);
  OpBuilder atAlloc(alloc);
  Value rows = AllocOp::create(
      atAlloc, alloc.getLoc(),
      MemRefType::get(shape, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      LayoutAttr(), IntegerAttr());
  SmallVector<int64_t> begin(group.sourceBegin);
  SmallVector<int64_t> listBegin(element.list.size(), 0);
  listBegin.back() = begin[element.dim];
  SmallVector<Place> places = element.source;
  places[element.dim].outer = b.getAffineConstantExpr(0);
  begin[element.dim] = 0;
  Value source = guardRows(element.load.getMemref(), element.dim,
                           element.guards, loop);
  BufferRegion from = getRegion(source, places, begin, group.sourceSizes);
  BufferRegion list =
      getRegion(element.entry.getMemref(), element.list, listBegin,
                SmallVector<int64_t>(element.list.size(), 1));
  GatherOp::create(b, loc, source, from.operands, list.buffer, list.operands,
                   rows, /*signal=*/Value(), from.map,
                   b.getDenseI64ArrayAttr(from.sizes), list.map, element.dim,
                   TransferAttr());
  BufferRegion whole;
  whole.buffer = rows;
  emitCopy(b, loc, whole,
           getRegion(element.store.getMemref(), element.target,
                     group.targetBegin, group.targetSizes));
}

/// A loop over the entries.
void ThreadCopies::emitComputed(OpBuilder &b, const Group &group) {
  OpBuilder::InsertionGuard guard(b);
  Element element = group.element;
  Location loc = element.store.getLoc();
  SmallVector<unsigned> from = getMatchedDims(group.sourceSizes);
  SmallVector<unsigned> to = getMatchedDims(group.targetSizes);
  SmallVector<int64_t> extents;
  for (unsigned dim : to)
    extents.push_back(group.targetSizes[dim]);
  auto made = ParallelOp::create(b, loc, ValueRange(), extents, IntegerAttr(),
                                 LayoutAttr());
  Block &body = made.getBody().emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    body.addArgument(b.getIndexType(), loc);
  b.setInsertionPointToStart(&body);
  auto getIndices = [&](ArrayRef<Place> places, ArrayRef<int64_t> begin,
                        ArrayRef<unsigned> dims) {
    SmallVector<Value> indices;
    for (auto [i, place] : llvm::enumerate(places)) {
      AffineExpr expr = place.outer + begin[i];
      SmallVector<Value> operands(values);
      if (auto *at = llvm::find(dims, i); at != dims.end()) {
        expr = expr + b.getAffineDimExpr(operands.size());
        operands.push_back(body.getArgument(at - dims.begin()));
      }
      indices.push_back(getValueOrCreateConstantIndexOp(
          b, loc,
          affine::makeComposedFoldedAffineApply(
              b, loc, AffineMap::get(operands.size(), 0, expr),
              getAsOpFoldResult(operands))));
    }
    return indices;
  };
  Value entry = memref::LoadOp::create(
      b, element.load.getLoc(), element.load.getMemref(),
      getIndices(element.source, group.sourceBegin, from));
  Value value = cloneComputed(b, element.store.getValue(), element.load, entry);
  memref::StoreOp::create(b, loc, value, element.store.getMemref(),
                          getIndices(element.target, group.targetBegin, to));
}

void ThreadCopies::replace() {
  OpBuilder b(loop);
  for (const Group &group : groups) {
    Element element = group.element;
    if (element.isComputed())
      emitComputed(b, group);
    else if (element.entry)
      emitGather(b, group);
    else
      emitCopy(b, element.load.getLoc(),
               getRegion(element.load.getMemref(), element.source,
                         group.sourceBegin, group.sourceSizes),
               getRegion(element.store.getMemref(), element.target,
                         group.targetBegin, group.targetSizes));
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
      forwardLocals(loop);
      ThreadCopies copies(loop);
      if (!copies.match())
        continue;
      numCopying = std::max(numCopying, copies.countCopying());
      copies.replace();
    }
    leaveOutProducers(kernel, numCopying);
  });
}
