//===- DeferSums.cpp - sums of which threads keep their parts -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that adds up rows, as attention does with its weights, needs the sums
// of warps that share rows only when it has ended: each thread adds up what it
// holds, and factors of rows are factors of the parts. In each iteration that
// saves an exchange through shared memory, between two barriers.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Layout/Algebra.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::layout;

namespace {
/// A loop over rows that multiplies their sums.
struct Scale {
  memref::LoadOp load;
  arith::MulFOp product;
  memref::StoreOp store;
  Value factor;
  llvm::SetVector<Operation *> slice; // what computes the factor in the loop
  ParallelOp getLoop() { return store->getParentOfType<ParallelOp>(); }
};

class SumDeferrer {
public:
  explicit SumDeferrer(AllocOp alloc) : alloc(alloc), sum(alloc.getBuffer()) {}

  /// Whether all that the program does with the sums can be done with parts.
  bool plan();
  void run();

private:
  bool addUser(Operation *user);
  bool addScale(memref::StoreOp store);
  bool planParts();
  bool planOrder();
  AllocOp createTile(const Layout &layout);
  void addUp(ReduceOp reduce);
  void multiply(Scale &scale);
  void complete();

  AllocOp alloc;
  Value sum;
  SmallVector<FillOp> fills;
  SmallVector<ReduceOp> reductions;
  SmallVector<Scale> scales;
  SmallVector<Operation *> others; // that need the sums, as what reads them
  Operation *end = nullptr;        // the first of these
  /// The columns of a row in parts, of which a thread has all or one.
  SmallVector<int64_t> extents;
  SmallVector<bool> isOwn;
  std::optional<Layout> source, parts;
  AllocOp partial;
};
} // namespace

static std::optional<Layout> getLayout(Value tile) {
  auto alloc = tile.getDefiningOp<AllocOp>();
  if (!alloc || !alloc.getLayoutAttr() ||
      getMemorySpace(tile) != MemorySpace::Fragment)
    return std::nullopt;
  return getTileLayout(alloc.getLayoutAttr());
}

/// What the loop has written to the element that it reads, else the value.
static Value forward(Value value, ParallelOp loop) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  for (auto store : loop.getBody().front().getOps<memref::StoreOp>())
    if (load && load->getBlock() == store->getBlock() &&
        store->isBeforeInBlock(load) && store.getMemref() == load.getMemref() &&
        store.getIndices() == load.getIndices())
      value = store.getValue();
  return value;
}

/// A product of what the loop read there with a factor that it reads nowhere
/// that it writes to.
bool SumDeferrer::addScale(memref::StoreOp store) {
  auto loop = dyn_cast<ParallelOp>(store->getParentOp());
  auto product = store.getValue().getDefiningOp<arith::MulFOp>();
  if (!loop || !product || !product->hasOneUse() ||
      !llvm::equal(store.getIndices(), loop.getBody().getArguments()) ||
      loop.getStaticExtents() != ArrayRef(alloc.getType().getShape()))
    return false;
  for (bool first : {true, false}) {
    Value own = first ? product.getLhs() : product.getRhs();
    Value factor =
        forward(first ? product.getRhs() : product.getLhs(), loop);
    auto load = own.getDefiningOp<memref::LoadOp>();
    if (!load || load.getMemref() != sum || !load->hasOneUse() ||
        load->getBlock() != store->getBlock() ||
        load.getIndices() != store.getIndices())
      continue;
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
    if (failed(getBackwardSlice(factor, &slice, options)))
      return false;
    bool isFree = llvm::all_of(slice, [&](Operation *op) {
      auto read = dyn_cast<memref::LoadOp>(op);
      if (!read)
        return isMemoryEffectFree(op) && op->getNumRegions() == 0;
      return getMemorySpace(read.getMemref()) == MemorySpace::Fragment &&
             read.getMemref() != sum &&
             llvm::none_of(loop.getBody().front().getOps<memref::StoreOp>(),
                           [&](memref::StoreOp other) {
                             return other.getMemref() == read.getMemref() &&
                                    other->isBeforeInBlock(read);
                           });
    });
    if (!isFree)
      return false;
    scales.push_back({load, product, store, factor, std::move(slice)});
    return true;
  }
  return false;
}

bool SumDeferrer::addUser(Operation *user) {
  if (auto fill = dyn_cast<FillOp>(user)) {
    fills.push_back(fill);
    return matchPattern(fill.getValue(), m_PosZeroFloat());
  }
  if (auto reduce = dyn_cast<ReduceOp>(user); reduce && reduce.getTarget() == sum) {
    reductions.push_back(reduce);
    auto from = cast<MemRefType>(reduce.getSource().getType());
    return reduce.getKind() == ReduceKind::Sum && reduce.getCombine() &&
           from.getRank() == 2 && reduce.getDim() == 1 &&
           from.getElementType() == alloc.getType().getElementType();
  }
  if (auto store = dyn_cast<memref::StoreOp>(user); store && addScale(store))
    return true;
  others.push_back(user);
  return isa<memref::LoadOp, memref::StoreOp, CopyOp, ReduceOp>(user);
}

/// The layout of what threads add up for themselves.
bool SumDeferrer::planParts() {
  for (ReduceOp reduce : reductions) {
    std::optional<Layout> layout = getLayout(reduce.getSource());
    if (!layout || (source && *layout != *source))
      return false;
    source = layout;
  }
  const Dim &columns = source->dims()[1];
  int64_t product = 1;
  bool crossesWarps = false;
  for (const Digit &digit : columns.digits) {
    bool own = digit.axis == Axis::Reg;
    crossesWarps |= digit.axis == Axis::Warp && digit.extent > 1;
    product *= digit.extent;
    if (!isOwn.empty() && isOwn.back() == own) {
      extents.back() *= digit.extent;
    } else {
      extents.push_back(digit.extent);
      isOwn.push_back(own);
    }
  }
  // Within a warp, an exchange is a few shuffles.
  if (!crossesWarps || product != columns.extent ||
      !llvm::is_contained(isOwn, true))
    return false;
  std::vector<int64_t> shape = {source->dims()[0].extent};
  llvm::append_range(shape, extents);
  Result<Layout> layout = reshape(*source, shape);
  for (int i = isOwn.size(); layout && i > 0; --i)
    if (isOwn[i - 1])
      layout = reduceDim(*layout, i);
  if (!layout)
    return false;
  parts = *layout;
  return true;
}

/// Whether a block begins with zeros, and uses the sums behind the last loop
/// that adds to them.
bool SumDeferrer::planOrder() {
  Block *block = fills.front()->getBlock();
  auto find = [&](Operation *op) { return block->findAncestorOpInBlock(*op); };
  Operation *last = fills.front();
  bool isInLoop = false;
  auto addWriter = [&](Operation *op) {
    Operation *here = find(op);
    if (!here || !fills.front()->isBeforeInBlock(here))
      return false;
    if (last->isBeforeInBlock(here))
      last = here;
    return true;
  };
  for (ReduceOp reduce : reductions) {
    if (!addWriter(reduce))
      return false;
    isInLoop |= isa<LoopLikeOpInterface>(find(reduce));
  }
  for (Scale &scale : scales)
    if (!addWriter(scale.store))
      return false;
  for (Operation *other : others) {
    Operation *here = find(other);
    bool isScale = llvm::any_of(scales, [&](Scale &scale) {
      return scale.load.getOperation() == other;
    });
    if (isScale)
      continue;
    if (!here || !last->isBeforeInBlock(here))
      return false;
    if (!end || here->isBeforeInBlock(end))
      end = here;
  }
  return isInLoop && end;
}

bool SumDeferrer::plan() {
  auto type = alloc.getType();
  if (getMemorySpace(sum) != MemorySpace::Fragment || type.getRank() != 1 ||
      !isa<Float32Type, Float64Type>(type.getElementType()) ||
      !alloc.getLayoutAttr())
    return false;
  for (Operation *user : sum.getUsers())
    if (!addUser(user))
      return false;
  return fills.size() == 1 && !reductions.empty() && planParts() &&
         planOrder();
}

AllocOp SumDeferrer::createTile(const Layout &layout) {
  OpBuilder b(alloc);
  SmallVector<int64_t> shape;
  for (const Dim &dim : layout.dims())
    shape.push_back(dim.extent);
  MemRefType type = MemRefType::Builder(alloc.getType()).setShape(shape);
  LayoutAttr attr = mlir::tile::getLayoutAttr(
      [&] { return alloc.emitError(); }, alloc.getContext(), layout);
  return AllocOp::create(b, alloc.getLoc(), type, attr, IntegerAttr());
}

/// Adds up the columns that each thread has.
void SumDeferrer::addUp(ReduceOp reduce) {
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  SmallVector<int64_t> shape = {source->dims()[0].extent};
  llvm::append_range(shape, extents);
  auto from = cast<MemRefType>(reduce.getSource().getType());
  Value value = reduce.getSource();
  if (extents.size() > 1) {
    MemRefType view = MemRefType::Builder(from).setShape(shape);
    value = ReshapeOp::create(b, loc, view, value);
  }
  Layout layout = *reshape(*source, {shape.begin(), shape.end()});
  // The largest first, so that fewer registers hold the others.
  SmallVector<int> dims;
  for (auto [i, own] : llvm::enumerate(isOwn))
    if (own)
      dims.push_back(i + 1);
  llvm::stable_sort(dims, [&](int x, int y) {
    return extents[x - 1] > extents[y - 1];
  });
  for (size_t i = 0; i < dims.size(); ++i) {
    bool isLast = i + 1 == dims.size();
    int dim = dims[i];
    layout = *reduceDim(layout, dim);
    Value to = isLast ? partial.getBuffer() : createTile(layout).getBuffer();
    ReduceOp::create(b, loc, ReduceKind::Sum, value, to, dim,
                     /*combine=*/isLast, /*propagate_nan=*/false,
                     /*is_unsigned=*/false);
    value = to;
    for (int &other : dims)
      other -= other > dim;
  }
  reduce.erase();
}

/// Multiplies the parts in a loop of their own, before the other one may write
/// what the factor depends on.
void SumDeferrer::multiply(Scale &scale) {
  ParallelOp loop = scale.getLoop();
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto own = ParallelOp::create(b, loc, ValueRange(),
                                partial.getType().getShape(), IntegerAttr(),
                                partial.getLayoutAttr());
  SmallVector<Type> types(partial.getType().getRank(), b.getIndexType());
  SmallVector<Location> locs(types.size(), loc);
  Block *body = b.createBlock(&own.getBody(), {}, types, locs);
  IRMapping map;
  map.map(loop.getBody().getArgument(0), body->getArgument(0));
  for (Operation *op : scale.slice)
    b.clone(*op, map);
  Value part = memref::LoadOp::create(b, loc, partial, body->getArguments());
  auto product = cast<arith::MulFOp>(b.clone(*scale.product, map));
  product.getLhsMutable().assign(part);
  product.getRhsMutable().assign(map.lookupOrDefault(scale.factor));
  memref::StoreOp::create(b, loc, product, partial, body->getArguments());
  Value other = scale.product.getLhs() == scale.load
                    ? scale.product.getRhs()
                    : scale.product.getLhs();
  scale.store.erase();
  scale.product.erase();
  scale.load.erase();
  if (Operation *read = other.getDefiningOp(); read && isOpTriviallyDead(read))
    read->erase();
  if (loop.getBody().front().getOps<memref::StoreOp>().empty())
    loop.erase();
}

/// The sums, in front of what uses them.
void SumDeferrer::complete() {
  OpBuilder b(end);
  Location loc = alloc.getLoc();
  Value value = partial.getBuffer();
  auto type = partial.getType();
  if (type.getRank() > 2) {
    int64_t rows = type.getDimSize(0);
    MemRefType view =
        MemRefType::Builder(type).setShape({rows, type.getNumElements() / rows});
    value = ReshapeOp::create(b, loc, view, value);
  }
  ReduceOp::create(b, loc, ReduceKind::Sum, value, sum, 1, /*combine=*/false,
                   /*propagate_nan=*/false, /*is_unsigned=*/false);
}

void SumDeferrer::run() {
  partial = createTile(*parts);
  fills.front().getBufferMutable().assign(partial.getBuffer());
  for (ReduceOp reduce : reductions)
    addUp(reduce);
  for (Scale &scale : scales)
    multiply(scale);
  complete();
  remark::passed(alloc.getLoc(), remark::RemarkOpts::name("DeferredSums")
                                     .category(kScheduleCategory))
      << remark::reason("warps that share rows add them up behind the loop")
      << remark::metric("reductions", reductions.size());
}

void mlir::tile::deferSums(KernelOp kernel) {
  SmallVector<AllocOp> allocs;
  kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
  for (AllocOp alloc : allocs) {
    SumDeferrer deferrer(alloc);
    if (deferrer.plan())
      deferrer.run();
  }
}
