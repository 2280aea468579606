//===- Rows.cpp - reductions over the same rows in one kernel -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// Whether the value is computed from the result of the op.
static bool dependsOn(linalg::LinalgOp op, Value value, Value result) {
  if (value == result)
    return true;
  Operation *inner = value.getDefiningOp();
  return inner && inner->getBlock() == op.getBlock() &&
         llvm::any_of(inner->getOperands(), [&](Value operand) {
           return dependsOn(op, operand, result);
         });
}

std::optional<Reduction> tile::matchReduction(linalg::LinalgOp op) {
  std::string ignored;
  if (!hasElementForm(op, ignored) || op.getNumReductionLoops() == 0 ||
      op->getNumResults() != 1 || op.getNumDpsInits() != 1)
    return std::nullopt;
  Value result = op.getRegionOutputArgs().front();
  Operation *combine =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getBlock() != op.getBlock() ||
      combine->getNumOperands() != 2)
    return std::nullopt;
  Reduction r{op, {}, ReduceKind::Sum};
  unsigned at = combine->getOperand(0) == result ? 1 : 0;
  if (combine->getOperand(1 - at) != result)
    return std::nullopt;
  r.value = combine->getOperand(at);
  if (dependsOn(op, r.value, result))
    return std::nullopt;
  bool known =
      llvm::TypeSwitch<Operation *, bool>(combine)
          .Case<arith::AddFOp, arith::AddIOp>([](auto) { return true; })
          .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp,
                arith::MaxUIOp>([&](auto) {
            r.kind = ReduceKind::Max;
            return true;
          })
          .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp,
                arith::MinUIOp>([&](auto) {
            r.kind = ReduceKind::Min;
            return true;
          })
          .Default(false);
  r.propagateNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(combine);
  r.isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(combine);
  auto integer = dyn_cast<IntegerType>(r.value.getType());
  if (!known || (integer && integer.getWidth() < 8) ||
      r.value.getType().isIndex())
    return std::nullopt;
  return r;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {
/// Writes the kernel of one group.
class RowEmitter {
public:
  RowEmitter(const RowGroup &group, const Chain &chain)
      : group(group), chain(chain), loc(group.last->getLoc()),
        last(group.last->getResult(0)),
        root(chain.empty() ? last.getDefiningOp() : chain.back()) {}
  void run();

private:
  /// The loops of an op that are no rows, as one index.
  struct Columns {
    SmallVector<unsigned> loops;
    SmallVector<OpFoldResult> sizes; ///< of all loops
    SmallVector<OpFoldResult> shape;
    OpFoldResult volume;
    int64_t width; ///< of a tile
    bool isWhole;  ///< one tile is all of it
  };

  Columns getColumns(linalg::LinalgOp op, OpBuilder &host) const;
  SmallVector<Value> getIvs(OpBuilder &b, linalg::LinalgOp op,
                            const Columns &columns, Value column) const;
  TypedAttr getNeutral(const Reduction &r, Type type) const;
  void emitReduction(OpBuilder &b, const Reduction &r);
  void combineInit(OpBuilder &b, const Reduction &r, Value target);
  void keepOperand(const Reduction &r, const Columns &columns, Value tile);
  void storeRows(OpBuilder &b, Value tile);
  void storeElements(OpBuilder &b);
  void store(OpBuilder &b, ArrayRef<Value> ivs);
  /// Runs the body for tiles of columns, at an offset.
  void forTiles(OpBuilder &b, const Columns &columns,
                function_ref<void(OpBuilder &, Value)> body);

  const RowGroup &group;
  const Chain &chain;
  Location loc;
  Value last;
  Operation *root;
  std::optional<Outputs> outputs;
  SmallVector<Value> rowOffsets;
  int64_t rowTile = 1;
  ElementBuilder *elements = nullptr;
  DenseMap<Operation *, Columns> columnsOf;

  /// Where the element is that is being written: coordinates in the tiles.
  Value localRow, localColumn;
  /// Coordinates of the row.
  SmallVector<Value> rowIvs;
};
} // namespace

RowEmitter::Columns RowEmitter::getColumns(linalg::LinalgOp op,
                                           OpBuilder &host) const {
  Columns columns;
  ArrayRef<int> rows = group.rows.find(op)->second;
  for (auto [loop, range] :
       llvm::enumerate(op.createLoopRanges(host, loc))) {
    columns.sizes.push_back(range.size);
    if (llvm::is_contained(rows, int(loop)))
      continue;
    columns.loops.push_back(loop);
    columns.shape.push_back(range.size);
  }
  columns.volume = getVolume(host, loc, columns.shape);
  std::optional<int64_t> number = getConstantIntValue(columns.volume);
  columns.isWhole = number && *number >= 1 && *number <= 4096;
  columns.width = columns.isWhole ? *number : 1024;
  return columns;
}

SmallVector<Value> RowEmitter::getIvs(OpBuilder &b, linalg::LinalgOp op,
                                      const Columns &columns,
                                      Value column) const {
  SmallVector<Value> ivs(columns.sizes.size());
  for (auto [loop, iv] : llvm::zip(group.rows.find(op)->second, rowIvs))
    ivs[loop] = iv;
  if (!columns.loops.empty())
    for (auto [loop, iv] : llvm::zip(
             columns.loops, delinearize(b, loc, column, columns.shape)))
      ivs[loop] = iv;
  return ivs;
}

TypedAttr RowEmitter::getNeutral(const Reduction &r, Type type) const {
  Builder b(type.getContext());
  if (r.kind == ReduceKind::Sum)
    return b.getZeroAttr(type);
  bool isMax = r.kind == ReduceKind::Max;
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = r.isUnsigned ? (isMax ? APInt::getMinValue(width)
                                      : APInt::getMaxValue(width))
                : isMax      ? APInt::getSignedMinValue(width)
                             : APInt::getSignedMaxValue(width);
  return b.getIntegerAttr(type, value);
}

void RowEmitter::forTiles(OpBuilder &b, const Columns &columns,
                          function_ref<void(OpBuilder &, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (columns.isWhole)
    return body(b, zero);
  auto loop = scf::ForOp::create(
      b, loc, zero, asValue(b, loc, columns.volume),
      arith::ConstantIndexOp::create(b, loc, columns.width));
  OpBuilder inner(loop.getBody()->getTerminator());
  body(inner, loop.getInductionVar());
}

/// Sets where code for elements is, in a tile of rows and perhaps columns.
#define TILE_AT(row, column)                                                   \
  localRow = row;                                                              \
  localColumn = column;                                                        \
  rowIvs.assign(rowOffsets);                                                   \
  if (!rowIvs.empty())                                                         \
    rowIvs.back() = addIndex(b, loc, rowIvs.back(), OpFoldResult(localRow));

/// What the result was before is combined, too.
void RowEmitter::combineInit(OpBuilder &b, const Reduction &r, Value target) {
  linalg::LinalgOp op = r.op;
  const Columns &columns = columnsOf.find(op)->second;
  createParallel(b, loc, {rowTile}, [&](OpBuilder &b, ValueRange local) {
    TILE_AT(local[0], Value())
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    SmallVector<Value> ivs = getIvs(b, op, columns, zero);
    Value init = elements->getOperand(b, op, *op.getDpsInitOperand(0), ivs);
    Value sum = memref::LoadOp::create(b, loc, target, local[0]);
    if (isa<FloatType>(init.getType()))
      init = convertFloat(b, loc, init, sum.getType());
    Operation *combine =
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
    Operation *copy = b.clone(*combine);
    copy->setOperands({init, sum});
    copy->getResult(0).setType(sum.getType());
    memref::StoreOp::create(b, loc, copy->getResult(0), target, local[0]);
  });
}

/// Whether two indices are the same expression.
static bool isSameIndex(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return first && second && isPure(first) && first->getNumResults() == 1 &&
         OperationEquivalence::isEquivalentTo(
             first, second,
             [](Value x, Value y) { return success(isSameIndex(x, y)); },
             nullptr, OperationEquivalence::IgnoreLocations);
}

/// Where a tile has the elements of an operand, later ops read them there.
void RowEmitter::keepOperand(const Reduction &r, const Columns &columns,
                             Value tile) {
  linalg::LinalgOp op = r.op;
  auto argument = dyn_cast<BlockArgument>(r.value);
  if (!columns.isWhole || !argument || argument.getOwner() != op.getBlock())
    return;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Operation *source = operand->get().getDefiningOp();
  if (!source || !isElementwise(source) ||
      getElementTypeOrSelf(tile) != getElementTypeOrSelf(operand->get()) ||
      elements->isBound(operand->get()))
    return;
  AffineMap map = op.getMatchingIndexingMap(operand);
  elements->bind(operand->get(), [=](OpBuilder &b, Location loc,
                                           ValueRange indices) -> Value {
    if (!localColumn)
      return {};
    SmallVector<Value> here =
        applyMap(b, loc, map, getIvs(b, op, columns, localColumn));
    for (auto [index, expected] : llvm::zip_equal(indices, here))
      if (!isSameIndex(index, expected))
        return {};
    return memref::LoadOp::create(b, loc, tile,
                                  ValueRange{localRow, localColumn});
  });
}

void RowEmitter::emitReduction(OpBuilder &b, const Reduction &r) {
  linalg::LinalgOp op = r.op;
  const Columns &columns = columnsOf.find(op)->second;
  bool widened = isWidened(op);
  Type type = r.value.getType();
  if (widened && type.getIntOrFloatBitWidth() < 32)
    type = b.getF32Type();
  Value tile = createTile(b, loc, {rowTile, columns.width}, type,
                          MemorySpace::Fragment);
  Value target =
      createTile(b, loc, {rowTile}, type, MemorySpace::Fragment);
  if (!columns.isWhole)
    FillOp::create(b, loc, target,
                   arith::ConstantOp::create(b, loc, getNeutral(r, type)));
  forTiles(b, columns, [&](OpBuilder &b, Value offset) {
    createParallel(
        b, loc, {rowTile, columns.width}, [&](OpBuilder &b, ValueRange local) {
          Value column =
              columns.isWhole
                  ? local[1]
                  : addIndex(b, loc, offset, OpFoldResult(local[1]));
          TILE_AT(local[0], columns.isWhole ? column : Value())
          IRMapping known;
          Value value = elements->getInBody(
              b, op, r.value, getIvs(b, op, columns, column), known, widened);
          if (!columns.isWhole) {
            Value inside = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::ult, column,
                asValue(b, loc, columns.volume));
            Value neutral =
                arith::ConstantOp::create(b, loc, getNeutral(r, type));
            value = arith::SelectOp::create(b, loc, inside, value, neutral);
          }
          memref::StoreOp::create(b, loc, value, tile, local);
        });
    ReduceOp::create(b, loc, r.kind, tile, target, /*dim=*/1,
                     /*combine=*/!columns.isWhole, r.propagateNaN,
                     r.isUnsigned);
  });
  combineInit(b, r, target);
  keepOperand(r, columns, tile);
  Type element = getElementTypeOrSelf(op->getResult(0));
  elements->bind(op->getResult(0), [=](OpBuilder &b, Location loc,
                                             ValueRange) -> Value {
    Value value = memref::LoadOp::create(b, loc, target, localRow);
    return isa<FloatType>(element) ? convertFloat(b, loc, value, element)
                                   : value;
  });
}

void RowEmitter::store(OpBuilder &b, ArrayRef<Value> ivs) {
  linalg::LinalgOp op = group.last;
  SmallVector<Value> at = applyMap(
      b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), ivs);
  Value element = elements->get(b, loc, last, at);
  if (!chain.empty()) {
    elements->bind(last, [=](OpBuilder &, Location, ValueRange) {
      return element;
    });
    at = followChain(*elements, b, loc, last, chain, at);
    element = elements->get(b, loc, root->getResult(0), at);
  }
  outputs->store(b, loc, 0, element, at);
}

/// The last op, if it is no reduction, or what is to be stored of one.
void RowEmitter::storeElements(OpBuilder &b) {
  linalg::LinalgOp op = group.last;
  const Columns &columns = columnsOf.find(op)->second;
  bool isReduction = op.getNumReductionLoops() != 0;
  auto write = [&](OpBuilder &b, Value row, Value column, Value global) {
    TILE_AT(row, column)
    // Rows beyond the last one must not be stored as others.
    OpBuilder::InsertionGuard guard(b);
    std::optional<int64_t> extent;
    if (!rowIvs.empty()) {
      OpFoldResult size = columns.sizes[group.rows.find(op)->second.back()];
      extent = getConstantIntValue(size);
      if (!chain.empty() && (!extent || *extent % rowTile != 0)) {
        Value inside =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                  rowIvs.back(), asValue(b, loc, size));
        auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
        b.setInsertionPointToStart(branch.thenBlock());
      }
    }
    store(b, getIvs(b, op, columns, global));
  };
  if (isReduction || columns.loops.empty()) {
    createParallel(b, loc, {rowTile}, [&](OpBuilder &b, ValueRange local) {
      write(b, local[0], Value(), arith::ConstantIndexOp::create(b, loc, 0));
    });
    return;
  }
  forTiles(b, columns, [&](OpBuilder &b, Value offset) {
    createParallel(
        b, loc, {rowTile, columns.width}, [&](OpBuilder &b, ValueRange local) {
          if (columns.isWhole)
            return write(b, local[0], local[1], local[1]);
          Value column = addIndex(b, loc, offset, OpFoldResult(local[1]));
          Value inside = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, column,
              asValue(b, loc, columns.volume));
          auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
          OpBuilder inner(branch.thenBlock()->getTerminator());
          write(inner, local[0], Value(), column);
        });
  });
}

void RowEmitter::run() {
  OpBuilder b(root);
  outputs.emplace(b, root);
  int64_t widest = 1;
  for (const Reduction &r : group.reductions)
    columnsOf[r.op] = getColumns(r.op, b);
  if (!columnsOf.contains(group.last))
    columnsOf[group.last] = getColumns(group.last, b);
  for (const auto &entry : columnsOf)
    widest = std::max(widest, entry.second.width);

  const Columns &columns = columnsOf[group.last];
  SmallVector<OpFoldResult> shape;
  for (int loop : group.rows.find(group.last)->second)
    shape.push_back(columns.sizes[loop]);
  SmallVector<int64_t> tile(shape.size(), 1);
  if (!shape.empty()) {
    std::optional<int64_t> extent = getConstantIntValue(shape.back());
    rowTile = std::clamp<int64_t>(llvm::bit_floor(uint64_t(8192 / widest)), 1, 32);
    if (extent)
      rowTile = std::clamp<int64_t>(rowTile, 1, std::max<int64_t>(*extent, 1));
    tile.back() = rowTile;
  }
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  rowOffsets = tiled.offsets;
  ElementBuilder builder(tiled.kernel);
  elements = &builder;
  OpBuilder inner = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  for (const Reduction &r : group.reductions)
    emitReduction(inner, r);
  storeElements(inner);
  OpBuilder behind(root);
  outputs->finish(behind);
}

void tile::emitRows(const RowGroup &group, const Chain &chain) {
  RowEmitter(group, chain).run();
}
