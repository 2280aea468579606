//===- ExpandIndexed.cpp - rows by a list, positions of extrema -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/Passes.h"
#include "Tile/Transforms/Windows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDINDEXEDPASS
#include "Tile/Transforms/IndexedPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Entry `row` of the list, or -1 behind the end of a global one, which
/// `loaded` may have as a tile.
static Value readEntry(OpBuilder &b, Operation *op, const RowCopy &copy,
                       Value loaded, Value row) {
  Location loc = op->getLoc();
  const BufferRegion &list = copy.list;
  unsigned rank = list.sizes.size();
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Value index = affine::AffineApplyOp::create(b, loc, getOffset(list, dim),
                                                list.operands);
    if (dim + 1 == rank)
      index = arith::AddIOp::create(b, loc, index, row);
    indices.push_back(index);
  }
  Value inside;
  if (getMemorySpace(list.buffer) == MemorySpace::Global)
    for (OpenBounds open : findOpenBounds(op, list)) {
      // One unsigned comparison for both ends.
      Value extent = memref::DimOp::create(b, loc, list.buffer, open.dim);
      Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          indices[open.dim], extent);
      inside = inside ? arith::AndIOp::create(b, loc, inside, below) : below;
    }
  auto read = [&](OpBuilder &b) -> Value {
    if (loaded)
      return memref::LoadOp::create(b, loc, loaded, row);
    return memref::LoadOp::create(b, loc, list.buffer, indices);
  };
  if (!inside)
    return read(b);
  Type type = list.getType().getElementType();
  auto guarded = scf::IfOp::create(
      b, loc, inside,
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, read(b));
      },
      [&](OpBuilder &b, Location loc) {
        Value none = arith::ConstantIntOp::create(b, loc, type, -1);
        scf::YieldOp::create(b, loc, none);
      });
  return guarded.getResult(0);
}

/// Where the row is in the global buffer; -1: nowhere.
static Value getPosition(OpBuilder &b, Operation *op, const RowCopy &copy,
                         Value loaded, Value row) {
  Location loc = op->getLoc();
  Value entry = readEntry(b, op, copy, loaded, row);
  entry = arith::IndexCastOp::create(b, loc, b.getIndexType(), entry);
  AffineMap offset = getOffset(copy.global, copy.dim);
  if (offset.isConstant() && offset.getConstantResults()[0] == 0)
    return entry;
  Value isNamed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                        entry, constantIndex(b, loc, 0));
  Value first =
      affine::AffineApplyOp::create(b, loc, offset, copy.global.operands);
  return arith::SelectOp::create(b, loc, isNamed,
                                 arith::AddIOp::create(b, loc, entry, first),
                                 constantIndex(b, loc, -1));
}

/// The region with one row, at `position` in dimension `dim`.
static BufferRegion takeRow(BufferRegion region, unsigned dim, Value position) {
  unsigned rank = region.sizes.size(), inputs = region.operands.size();
  MLIRContext *context = position.getContext();
  SmallVector<AffineExpr> offsets(rank, getAffineConstantExpr(0, context));
  unsigned numDims = inputs;
  if (region.map) {
    numDims = region.map.getNumDims();
    llvm::copy(region.map.getResults(), offsets.begin());
  }
  // Dimensions come before symbols.
  offsets[dim] = getAffineDimExpr(numDims, context);
  unsigned symbols = region.map ? region.map.getNumSymbols() : 0;
  region.map = AffineMap::get(numDims + 1, symbols, offsets, context);
  region.operands.insert(region.operands.begin() + numDims, position);
  region.sizes[dim] = 1;
  return region;
}

/// The dimension of the tile that counts rows; none if there is one row.
static std::optional<unsigned> getRowDim(const RowCopy &copy) {
  std::optional<unsigned> matched = copy.getTileDim();
  if (!matched)
    return std::nullopt;
  auto type = cast<MemRefType>(copy.tile.getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (extent != 1 && (*matched)-- == 0)
      return dim;
  return std::nullopt;
}

static AffineMapAttr getMap(const BufferRegion &region) {
  return region.map ? AffineMapAttr::get(region.map) : AffineMapAttr();
}

static void createCopy(OpBuilder &b, Location loc, const BufferRegion &from,
                       const BufferRegion &to) {
  CopyOp::create(b, loc, from.buffer, from.operands, to.buffer, to.operands,
                 getMap(from), b.getDenseI64ArrayAttr(from.sizes), getMap(to),
                 b.getDenseI64ArrayAttr(to.sizes), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
}

/// Whether there is a row at `position`.
static Value isRow(OpBuilder &b, Location loc, const RowCopy &copy,
                   Value position) {
  Value extent = memref::DimOp::create(b, loc, copy.global.buffer, copy.dim);
  Value isBehind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         position, constantIndex(b, loc, 0));
  Value isBefore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         position, extent);
  return arith::AndIOp::create(b, loc, isBehind, isBefore);
}

/// The tile is full of what stands for rows that are not there.
static void fillTile(OpBuilder &b, Operation *op, const RowCopy &copy) {
  Location loc = op->getLoc();
  auto kernel = op->getParentOfType<KernelOp>();
  Value value;
  for (auto hint : kernel.getBody().getOps<PaddingValueOp>())
    if (hint.getBuffer() == copy.global.buffer)
      value = hint.getValue();
  Operation *constant = value ? value.getDefiningOp() : nullptr;
  if (!value)
    value = arith::ConstantOp::create(
        b, loc,
        b.getZeroAttr(cast<MemRefType>(copy.tile.getType()).getElementType()));
  else if (constant && kernel->isAncestor(constant))
    value = b.clone(*constant)->getResult(0);
  FillOp::create(b, loc, copy.tile, value);
}

/// Of a gather into a tile that is filled, only a row that is there.
static void copyRow(OpBuilder &b, Operation *op, const RowCopy &copy,
                    Value loaded, Value row, bool isFilled) {
  Value position = getPosition(b, op, copy, loaded, row);
  if (isFilled) {
    auto guard = scf::IfOp::create(b, op->getLoc(),
                                   isRow(b, op->getLoc(), copy, position));
    b.setInsertionPoint(guard.thenYield());
  }
  BufferRegion global = takeRow(copy.global, copy.dim, position);
  BufferRegion tile = getWholeRegion(copy.tile);
  if (std::optional<unsigned> dim = getRowDim(copy))
    tile = takeRow(tile, *dim, row);
  const BufferRegion &from = copy.isGather ? global : tile;
  const BufferRegion &to = copy.isGather ? tile : global;
  createCopy(b, op->getLoc(), from, to);
}

namespace {
/// Writes rows by a list as loops over rows.
class RowExpander {
public:
  explicit RowExpander(bool loadsLists) : loadsLists(loadsLists) {}
  void expand(Operation *op, const RowCopy &copy);

private:
  Value getLoaded(OpBuilder &b, Operation *op, const RowCopy &copy);

  bool loadsLists;
  Operation *last = nullptr; // the loop for which `loaded` has `list`
  BufferRegion list;
  Value loaded;
};
} // namespace

/// The list as a tile, unless it is one or its entries are wider than those of
/// tiles; that of the op before, if it is the same list.
Value RowExpander::getLoaded(OpBuilder &b, Operation *op, const RowCopy &copy) {
  if (!loadsLists || getMemorySpace(copy.list.buffer) != MemorySpace::Global ||
      !copy.list.getType().getElementType().isInteger(32))
    return {};
  Operation *before = op->getPrevNode();
  while (before && before != last &&
         (isMemoryEffectFree(before) || isa<AllocOp>(before)))
    before = before->getPrevNode();
  if (before && before == last && list.buffer == copy.list.buffer &&
      list.map == copy.list.map && list.operands == copy.list.operands &&
      list.sizes == copy.list.sizes)
    return loaded;
  list = copy.list;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      &op->getParentOfType<KernelOp>().getBody().front());
  auto type = MemRefType::get(
      {list.sizes.back()}, list.getType().getElementType(), AffineMap(),
      MemorySpaceAttr::get(b.getContext(), MemorySpace::Shared));
  loaded = AllocOp::create(b, op->getLoc(), type, LayoutAttr(), IntegerAttr());
  b.setInsertionPoint(op);
  createCopy(b, op->getLoc(), list, getWholeRegion(loaded));
  return loaded;
}

void RowExpander::expand(Operation *op, const RowCopy &copy) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value first = constantIndex(b, loc, 0);
  if (copy.getNumRows() == 1) {
    copyRow(b, op, copy, /*loaded=*/Value(), first, /*isFilled=*/false);
  } else {
    // Outside of kernels there are no tiles to hold a list.
    bool isInKernel = op->getParentOfType<KernelOp>() != nullptr;
    Value entries = isInKernel ? getLoaded(b, op, copy) : Value();
    bool isFilled = isInKernel && loadsLists && copy.isGather;
    if (isFilled)
      fillTile(b, op, copy);
    auto loop = scf::ForOp::create(b, loc, first,
                                   constantIndex(b, loc, copy.getNumRows()),
                                   constantIndex(b, loc, 1));
    last = loop;
    b.setInsertionPointToStart(loop.getBody());
    copyRow(b, op, copy, entries, loop.getInductionVar(), isFilled);
  }
  op->erase();
}

//===----------------------------------------------------------------------===//
// Loops over elements
//===----------------------------------------------------------------------===//

using Body = function_ref<void(OpBuilder &, ValueRange)>;

static void createParallel(OpBuilder &b, Location loc,
                           ArrayRef<int64_t> extents, Body body) {
  auto loop = ParallelOp::create(b, loc, ValueRange(), extents, IntegerAttr(),
                                 LayoutAttr());
  OpBuilder inner(b.getContext());
  Block *block = inner.createBlock(
      &loop.getBody(), {}, SmallVector<Type>(extents.size(), b.getIndexType()),
      SmallVector<Location>(extents.size(), loc));
  body(inner, block->getArguments());
}

static void expandWindows(Im2ColOp op) {
  if (succeeded(createWindowCopy(op)))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value first[2];
  for (unsigned i : {0u, 1u})
    first[i] = affine::AffineApplyOp::create(
        b, loc, op.getImageMap().getSubMap({i}), op.getImageIndices());
  auto type = cast<MemRefType>(op.getTarget().getType());
  createParallel(b, loc, type.getShape(), [&](OpBuilder &b, ValueRange at) {
    Value p = arith::AddIOp::create(b, loc, first[0], at[0]);
    Value q = arith::AddIOp::create(b, loc, first[1], at[1]);
    memref::StoreOp::create(b, loc, readWindow(b, loc, op, p, q),
                            op.getTarget(), at);
  });
  op.erase();
}

//===----------------------------------------------------------------------===//
// Positions of extrema
//===----------------------------------------------------------------------===//

namespace {
class ArgReduceExpander {
public:
  explicit ArgReduceExpander(ArgReduceOp op)
      : op(op), b(op), loc(op.getLoc()), source(op.getSource()),
        dim(op.getDim()) {}
  void run();

private:
  MemRefType typeOf(Value tile) { return cast<MemRefType>(tile.getType()); }
  Value createTile(ArrayRef<int64_t> shape, Type element);
  void forEach(ArrayRef<int64_t> extents, Body body) {
    createParallel(b, loc, extents, body);
  }
  void reduce(ReduceKind kind, Value from, Value to, bool isUnsigned);
  Value numberEqual(Value extrema);
  Value isNaN(OpBuilder &b, Value value);
  Value isBetter(OpBuilder &b, Value value, Value old);

  ArgReduceOp op;
  OpBuilder b;
  Location loc;
  Value source;
  int64_t dim;
};
} // namespace

Value ArgReduceExpander::createTile(ArrayRef<int64_t> shape, Type element) {
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment);
  return AllocOp::create(
      b, loc,
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
      LayoutAttr(), IntegerAttr());
}

void ArgReduceExpander::reduce(ReduceKind kind, Value from, Value to,
                               bool isUnsigned) {
  ReduceOp::create(b, loc, kind, from, to, dim, /*combine=*/false,
                   /*propagate_nan=*/false, isUnsigned);
}

/// Null for integers.
Value ArgReduceExpander::isNaN(OpBuilder &b, Value value) {
  if (!isa<FloatType>(value.getType()))
    return {};
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, value);
}

/// Whether `value` comes before `old`, which is never NaN where `value` is a
/// number.
Value ArgReduceExpander::isBetter(OpBuilder &b, Value value, Value old) {
  bool isMax = op.getKind() == ReduceKind::Max;
  if (isa<FloatType>(value.getType())) {
    using P = arith::CmpFPredicate;
    Value better =
        arith::CmpFOp::create(b, loc, isMax ? P::OGT : P::OLT, value, old);
    Value isNumber = arith::CmpFOp::create(b, loc, P::OEQ, value, value);
    Value isFirst = arith::AndIOp::create(b, loc, isNumber, isNaN(b, old));
    return arith::OrIOp::create(b, loc, better, isFirst);
  }
  using P = arith::CmpIPredicate;
  P predicate = op.getIsUnsigned() ? (isMax ? P::ugt : P::ult)
                                   : (isMax ? P::sgt : P::slt);
  return arith::CmpIOp::create(b, loc, predicate, value, old);
}

/// The index of each element that equals its extremum; a large number for the
/// others.
Value ArgReduceExpander::numberEqual(Value extrema) {
  ArrayRef<int64_t> shape = typeOf(source).getShape();
  Value numbers = createTile(shape, b.getI32Type());
  forEach(shape, [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> rest(at);
    rest.erase(rest.begin() + dim);
    Value value = memref::LoadOp::create(b, loc, source, at);
    Value best = memref::LoadOp::create(b, loc, extrema, rest);
    Value equal;
    if (Value none = isNaN(b, value)) {
      equal =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value, best);
      none = arith::AndIOp::create(b, loc, none, isNaN(b, best));
      equal = arith::OrIOp::create(b, loc, equal, none);
    } else {
      equal =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, best);
    }
    Value index = arith::IndexCastOp::create(b, loc, b.getI32Type(), at[dim]);
    Value large = arith::ConstantIntOp::create(
        b, loc, std::numeric_limits<int32_t>::max(), 32);
    memref::StoreOp::create(
        b, loc, arith::SelectOp::create(b, loc, equal, index, large), numbers,
        at);
  });
  return numbers;
}

void ArgReduceExpander::run() {
  MemRefType type = typeOf(source);
  // Of a vector, the row of a matrix: every target reduces that.
  if (type.getRank() == 1) {
    Type matrix =
        MemRefType(MemRefType::Builder(type).setShape({1, type.getDimSize(0)}));
    source = ReshapeOp::create(b, loc, matrix, source);
    dim = 1;
  }
  ArrayRef<int64_t> shape = typeOf(op.getValues()).getShape();
  Value extrema = createTile(shape, type.getElementType());
  Value lowest = createTile(shape, b.getI32Type());
  reduce(op.getKind(), source, extrema, op.getIsUnsigned());
  reduce(ReduceKind::Min, numberEqual(extrema), lowest, /*isUnsigned=*/false);
  Value base = op.getBase();
  if (base)
    base = arith::IndexCastOp::create(b, loc, b.getI32Type(), base);
  forEach(shape, [&](OpBuilder &b, ValueRange at) {
    Value value = memref::LoadOp::create(b, loc, extrema, at);
    Value index = memref::LoadOp::create(b, loc, lowest, at);
    if (base)
      index = arith::AddIOp::create(b, loc, index, base);
    if (op.getCombine()) {
      Value old = memref::LoadOp::create(b, loc, op.getValues(), at);
      Value oldIndex = memref::LoadOp::create(b, loc, op.getIndices(), at);
      Value better = isBetter(b, value, old);
      value = arith::SelectOp::create(b, loc, better, value, old);
      index = arith::SelectOp::create(b, loc, better, index, oldIndex);
    }
    memref::StoreOp::create(b, loc, value, op.getValues(), at);
    memref::StoreOp::create(b, loc, index, op.getIndices(), at);
  });
  op.erase();
}

namespace {
struct ExpandIndexedPass
    : mlir::tile::impl::ExpandIndexedPassBase<ExpandIndexedPass> {
  using ExpandIndexedPassBase::ExpandIndexedPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](ArgReduceOp op) { ArgReduceExpander(op).run(); });
    if (windows)
      getOperation()->walk(expandWindows);
    if (!rows)
      return;
    RowExpander expander(lists);
    getOperation()->walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        expander.expand(op, RowCopy::get(gather));
      else if (auto scatter = dyn_cast<ScatterOp>(op))
        expander.expand(op, RowCopy::get(scatter));
    });
  }
};
} // namespace
