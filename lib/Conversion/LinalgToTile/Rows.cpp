//===- Rows.cpp - reductions over the same rows in one kernel -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "Products.h"

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
          .Case([&](arith::AndIOp) {
            r.kind = ReduceKind::And;
            return true;
          })
          .Case([&](arith::OrIOp) {
            r.kind = ReduceKind::Or;
            return true;
          })
          .Default(false);
  r.propagateNaN = isa<arith::MaximumFOp, arith::MinimumFOp>(combine);
  r.isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(combine);
  bool isLogical = r.kind == ReduceKind::And || r.kind == ReduceKind::Or;
  if (!known || r.value.getType().isIndex() ||
      (r.value.getType().isInteger() && !isLogical &&
       r.value.getType().getIntOrFloatBitWidth() < 8))
    return std::nullopt;
  return r;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

RowStages::Columns RowStages::getColumns(const RowGroup &group,
                                         linalg::LinalgOp op,
                                         ElementBuilder &elements,
                                         const Choice &width) {
  Columns columns;
  columns.sizes = elements.getLoopSizes(op);
  ArrayRef<OpFoldResult> sizes = columns.sizes;
  auto given = group.columns.find(op);
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (given != group.columns.end()
            ? llvm::is_contained(given->second, int(loop))
            : !llvm::is_contained(group.rows.find(op)->second, int(loop)))
      columns.loops.push_back(loop);
  for (unsigned loop : columns.loops)
    columns.shape.push_back(sizes[loop]);
  columns.volume = getVolume(elements.getHost(), op.getLoc(), columns.shape);
  std::optional<int64_t> number = getConstantIntValue(columns.volume);
  if (!group.products.empty()) {
    columns.width = width;
    columns.isSingle = !width.parameter && number && *number <= width.number;
    columns.isPartial = !width.divides(columns.volume);
    return columns;
  }
  columns.isSingle = number && *number >= 1 && *number <= 4096;
  columns.isPartial = !columns.isSingle;
  columns.width = columns.isSingle ? *number : int64_t(1024);
  return columns;
}

RowStages::RowStages(const RowGroup &group, ElementBuilder &elements,
                     ArrayRef<Value> rowOffsets, const Choice &rowTile,
                     bool tf32, const Choice &columnTile)
    : group(group), elements(elements), rowOffsets(rowOffsets),
      rowTile(rowTile), columnTile(columnTile), tf32(tf32),
      loc(group.last->getLoc()) {
  for (const Reduction &r : group.reductions)
    addColumns(r.op);
  addColumns(group.last);
}

void RowStages::setPlace(OpBuilder &b, Value row, Value column) {
  localRow = row;
  localColumn = column;
  rowIvs.assign(rowOffsets);
  if (!rowIvs.empty())
    rowIvs.back() = addIndex(b, loc, rowIvs.back(), OpFoldResult(row));
}

SmallVector<Value> RowStages::getIvs(OpBuilder &b, linalg::LinalgOp op,
                                     Value column) const {
  const Columns &columns = getColumns(op);
  SmallVector<Value> ivs(columns.sizes.size());
  for (auto [loop, iv] : llvm::zip(group.rows.find(op)->second, rowIvs))
    ivs[loop] = iv;
  if (!columns.loops.empty())
    for (auto [loop, iv] :
         llvm::zip(columns.loops, delinearize(b, loc, column, columns.shape)))
      ivs[loop] = iv;
  return ivs;
}

void RowStages::forTiles(OpBuilder &b, linalg::LinalgOp op,
                         function_ref<void(OpBuilder &, Value)> body) {
  const Columns &columns = getColumns(op);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (columns.isSingle) {
    prepare(b, op, zero);
    return body(b, zero);
  }
  auto loop = scf::ForOp::create(b, loc, zero, asValue(b, loc, columns.volume),
                                 columns.width.get(b, loc));
  OpBuilder inner(loop.getBody()->getTerminator());
  prepare(inner, op, loop.getInductionVar());
  body(inner, loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void RowStages::prepare(OpBuilder &b, linalg::LinalgOp reader, Value offset) {
  if (group.products.empty() || (getColumns(reader).isSingle && hasProducts))
    return;
  hasProducts = true;
  emitProducts(b, offset);
}

SmallVector<Value> RowStages::getOffsets(const Contraction &product,
                                         Value column) const {
  SmallVector<Value> offsets;
  // Its batch loops are rows, in an order of their own.
  ArrayRef<int> rows = group.rows.find(product.op)->second;
  for (unsigned loop : product.batch)
    offsets.push_back(rowOffsets[llvm::find(rows, int(loop)) - rows.begin()]);
  offsets.append({rowOffsets.back(), column});
  return offsets;
}

void RowStages::bindProduct(const Contraction &product, Value tile) {
  linalg::LinalgOp op = product.op;
  Type element = getElementTypeOrSelf(op->getResult(0));
  elements.bind(
      op->getResult(0), [=](OpBuilder &b, Location loc, ValueRange) -> Value {
        Value value = memref::LoadOp::create(b, loc, tile,
                                             ValueRange{localRow, localColumn});
        return isa<FloatType>(element) ? convertFloat(b, loc, value, element)
                                       : value;
      });
}

void RowStages::emitProducts(OpBuilder &b, Value offset) {
  for (const Contraction &product : group.products) {
    ProductEmitter emitter(product, elements, tf32);
    emitter.tileM = rowTile;
    emitter.tileN = getColumns(group.last).width;
    Value tile = createTile(b, loc, {emitter.tileM, emitter.tileN}, product.sum,
                            MemorySpace::Fragment);
    emitter.emit(b, getOffsets(product, offset), tile);
    bindProduct(product, tile);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What combines with any value to that value.
static TypedAttr getNeutral(const Reduction &r, Type type) {
  Builder b(type.getContext());
  if (r.kind == ReduceKind::Sum || r.kind == ReduceKind::Or)
    return b.getZeroAttr(type);
  bool isMax = r.kind == ReduceKind::Max;
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  if (r.kind == ReduceKind::And)
    return b.getIntegerAttr(type, APInt::getAllOnes(width));
  APInt value = r.isUnsigned ? (isMax ? APInt::getMinValue(width)
                                      : APInt::getMaxValue(width))
                : isMax      ? APInt::getSignedMinValue(width)
                             : APInt::getSignedMaxValue(width);
  return b.getIntegerAttr(type, value);
}

Type RowStages::getTileType(const Reduction &r) {
  Builder b(r.value.getContext());
  Type type = r.value.getType();
  if (type.isInteger(1))
    return b.getI32Type();
  if (isa<FloatType>(type) && isWidened(r.op) &&
      type.getIntOrFloatBitWidth() < 32)
    return b.getF32Type();
  return type;
}

/// An element as the type of a tile, or back.
static Value convertElement(OpBuilder &b, Location loc, Value value,
                            Type type) {
  if (isa<FloatType>(type))
    return convertFloat(b, loc, value, type);
  if (value.getType() == type)
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

/// Whether the result was filled with what changes nothing.
static bool isNeutral(const Reduction &r, Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs().front(), m_Constant(&value)))
    return false;
  auto real = dyn_cast<FloatAttr>(value);
  return real &&
         real.getValueAsDouble() ==
             cast<FloatAttr>(getNeutral(r, real.getType())).getValueAsDouble();
}

void RowStages::combineInit(OpBuilder &b, const Reduction &r, Value target) {
  linalg::LinalgOp op = r.op;
  if (isNeutral(r, op.getDpsInits().front()))
    return;
  createParallel(b, loc, {rowTile}, [&](OpBuilder &b, ValueRange local) {
    setPlace(b, local[0], Value());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    SmallVector<Value> ivs = getIvs(b, op, zero);
    Value sum = memref::LoadOp::create(b, loc, target, local[0]);
    Value init = convertElement(
        b, loc, elements.getOperand(b, op, *op.getDpsInitOperand(0), ivs),
        sum.getType());
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
void RowStages::keepOperand(const Reduction &r, Value tile) {
  linalg::LinalgOp op = r.op;
  auto argument = dyn_cast<BlockArgument>(r.value);
  if (!getColumns(op).isSingle || !argument ||
      argument.getOwner() != op.getBlock())
    return;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Operation *source = operand->get().getDefiningOp();
  if (!source || !isElementwise(source) ||
      getElementTypeOrSelf(tile) != getElementTypeOrSelf(operand->get()) ||
      elements.isBound(operand->get()))
    return;
  AffineMap map = op.getMatchingIndexingMap(operand);
  elements.bind(operand->get(),
                [=](OpBuilder &b, Location loc, ValueRange indices) -> Value {
                  if (!localColumn)
                    return {};
                  SmallVector<Value> here =
                      applyMap(b, loc, map, getIvs(b, op, localColumn));
                  for (auto [index, expected] : llvm::zip_equal(indices, here))
                    if (!isSameIndex(index, expected))
                      return {};
                  return memref::LoadOp::create(
                      b, loc, tile, ValueRange{localRow, localColumn});
                });
}

void RowStages::addColumns(linalg::LinalgOp op) {
  if (!columnsOf.contains(op))
    columnsOf[op] = getColumns(group, op, elements, columnTile);
}

Value RowStages::createTarget(OpBuilder &b, const Reduction &r) {
  Type type = getTileType(r);
  Value target = createTile(b, loc, {rowTile}, type, MemorySpace::Fragment);
  FillOp::create(b, loc, target,
                 arith::ConstantOp::create(b, loc, getNeutral(r, type)));
  return target;
}

void RowStages::combine(OpBuilder &b, const Reduction &r, Value tile,
                        Value target, Value offset) {
  linalg::LinalgOp op = r.op;
  const Columns &columns = getColumns(op);
  Type type = getTileType(r);
  createParallel(
      b, loc, {rowTile, columns.width}, [&](OpBuilder &b, ValueRange local) {
        setPlace(b, local[0], local[1]);
        Value column = columns.isSingle
                           ? local[1]
                           : addIndex(b, loc, offset, OpFoldResult(local[1]));
        IRMapping known;
        Value value = convertElement(b, loc,
                                     elements.getInBody(b, op, r.value,
                                                        getIvs(b, op, column),
                                                        known, isWidened(op)),
                                     type);
        if (columns.isPartial) {
          Value inside =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column,
                                    asValue(b, loc, columns.volume));
          Value neutral =
              arith::ConstantOp::create(b, loc, getNeutral(r, type));
          value = arith::SelectOp::create(b, loc, inside, value, neutral);
        }
        memref::StoreOp::create(b, loc, value, tile, local);
      });
  ReduceOp::create(b, loc, r.kind, tile, target, /*dim=*/1,
                   /*combine=*/!columns.isSingle, r.propagateNaN, r.isUnsigned);
}

void RowStages::bindReduction(const Reduction &r, Value target) {
  linalg::LinalgOp op = r.op;
  Type element = getElementTypeOrSelf(op->getResult(0));
  elements.bind(
      op->getResult(0), [=](OpBuilder &b, Location loc, ValueRange) -> Value {
        return convertElement(
            b, loc, memref::LoadOp::create(b, loc, target, localRow), element);
      });
}

void RowStages::emitReduction(OpBuilder &b, const Reduction &r) {
  linalg::LinalgOp op = r.op;
  const Columns &columns = getColumns(op);
  Type type = getTileType(r);
  Value target = columns.isSingle ? createTile(b, loc, {rowTile}, type,
                                               MemorySpace::Fragment)
                                  : createTarget(b, r);
  Value tile =
      createTile(b, loc, {rowTile, columns.width}, type, MemorySpace::Fragment);
  forTiles(b, op, [&](OpBuilder &b, Value offset) {
    combine(b, r, tile, target, offset);
  });
  combineInit(b, r, target);
  keepOperand(r, tile);
  bindReduction(r, target);
}

void RowStages::emitReductions(OpBuilder &b) {
  for (const Reduction &r : group.reductions)
    emitReduction(b, r);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// The elements of the tiles of a block: as many as registers hold, of 64 bits
/// half of them.
constexpr int64_t kTileElements = 8192;

/// Writes the kernel of a group that ends in a reduction or an element-wise op.
class RowEmitter {
public:
  RowEmitter(const RowGroup &group, const Chain &chain)
      : group(group), op(group.last), chain(chain), loc(op->getLoc()),
        root(chain.empty() ? op.getOperation() : chain.back()) {}
  void run();

private:
  void write(OpBuilder &b, Value row, Value localColumn, Value column);
  void store(OpBuilder &b, ArrayRef<Value> ivs);
  void storeTiles(OpBuilder &b);
  void storeRows(OpBuilder &b);

  const RowGroup &group;
  linalg::LinalgOp op;
  const Chain &chain;
  Location loc;
  Operation *root;
  int64_t rowTile = 1;
  std::optional<Outputs> outputs;
  SmallVector<Outputs> rowOutputs; ///< of what else the group stores
  ElementBuilder *elements = nullptr;
  RowStages *stages = nullptr;
};
} // namespace

void RowEmitter::store(OpBuilder &b, ArrayRef<Value> ivs) {
  Value last = op->getResult(0);
  SmallVector<Value> at =
      applyMap(b, loc, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), ivs);
  Value element = elements->get(b, loc, last, at);
  if (!chain.empty()) {
    elements->bind(last,
                   [=](OpBuilder &, Location, ValueRange) { return element; });
    at = followChain(*elements, b, loc, last, chain, at);
    element = elements->get(b, loc, root->getResult(0), at);
  }
  outputs->store(b, loc, 0, element, at);
}

/// Stores one element; a row beyond the last one is not stored as another.
void RowEmitter::write(OpBuilder &b, Value row, Value localColumn,
                       Value column) {
  OpBuilder::InsertionGuard guard(b);
  stages->setPlace(b, row, localColumn);
  if (Value index = stages->getRow(); index && !chain.empty()) {
    OpFoldResult size =
        stages->getColumns(op).sizes[group.rows.find(op)->second.back()];
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent || *extent % rowTile != 0) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           index, asValue(b, loc, size));
      auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
  }
  store(b, stages->getIvs(b, op, column));
}

void RowEmitter::storeTiles(OpBuilder &b) {
  const RowStages::Columns &columns = stages->getColumns(op);
  if (op.getNumReductionLoops() != 0 || columns.loops.empty()) {
    createParallel(b, loc, {rowTile}, [&](OpBuilder &b, ValueRange local) {
      write(b, local[0], Value(), arith::ConstantIndexOp::create(b, loc, 0));
    });
    return;
  }
  stages->forTiles(b, op, [&](OpBuilder &b, Value offset) {
    createParallel(
        b, loc, {rowTile, columns.width}, [&](OpBuilder &b, ValueRange local) {
          if (columns.isSingle)
            return write(b, local[0], local[1], local[1]);
          Value column = addIndex(b, loc, offset, OpFoldResult(local[1]));
          Value inside =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column,
                                    asValue(b, loc, columns.volume));
          auto branch = scf::IfOp::create(b, loc, inside, /*withElse=*/false);
          OpBuilder inner(branch.thenBlock()->getTerminator());
          write(inner, local[0], local[1], column);
        });
  });
}

/// Stores the results that have one element for each row.
void RowEmitter::storeRows(OpBuilder &b) {
  if (group.stored.empty())
    return;
  createParallel(b, loc, {rowTile}, [&](OpBuilder &b, ValueRange local) {
    stages->setPlace(b, local[0], Value());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [given, output] : llvm::zip_equal(group.stored, rowOutputs)) {
      linalg::LinalgOp stored = given;
      SmallVector<Value> at = applyMap(
          b, loc, stored.getMatchingIndexingMap(stored.getDpsInitOperand(0)),
          stages->getIvs(b, stored, zero));
      output.store(b, loc, 0, elements->get(b, loc, stored->getResult(0), at),
                   at);
    }
  });
}

void RowEmitter::run() {
  OpBuilder b(root);
  outputs.emplace(b, root);
  for (linalg::LinalgOp stored : group.stored)
    rowOutputs.emplace_back(b, stored);
  ElementBuilder builder(root);
  elements = &builder;
  int64_t widest = 1, elementsOfTile = kTileElements;
  SmallVector<OpFoldResult> sizes = builder.getLoopSizes(op), shape;
  for (const Reduction &r : group.reductions) {
    widest = std::max(widest,
                      RowStages::getColumns(group, r.op, builder).width.number);
    if (RowStages::getTileType(r).getIntOrFloatBitWidth() > 32)
      elementsOfTile = kTileElements / 2;
  }
  widest =
      std::max(widest, RowStages::getColumns(group, op, builder).width.number);
  for (int loop : group.rows.find(op)->second)
    shape.push_back(sizes[loop]);
  SmallVector<Choice> tile(shape.size(), 1);
  if (!shape.empty()) {
    std::optional<int64_t> extent = getConstantIntValue(shape.back());
    rowTile = std::clamp<int64_t>(
        llvm::bit_floor(uint64_t(elementsOfTile / widest)), 1, 32);
    if (extent)
      rowTile = std::clamp<int64_t>(rowTile, 1, std::max<int64_t>(*extent, 1));
    tile.back() = rowTile;
  }
  TiledKernel tiled = createTiledKernel(b, loc, shape, tile);
  builder.moveHost(tiled.kernel);
  RowStages rows(group, builder, tiled.offsets, rowTile, /*tf32=*/false);
  stages = &rows;
  for (linalg::LinalgOp stored : group.stored)
    rows.addColumns(stored);
  OpBuilder inner = OpBuilder::atBlockEnd(&tiled.kernel.getBody().front());
  rows.emitReductions(inner);
  storeRows(inner);
  storeTiles(inner);
  OpBuilder behind(root);
  outputs->finish(behind);
  for (Outputs &output : rowOutputs)
    output.finish(behind);
}

void tile::emitRows(const RowGroup &group, const Chain &chain) {
  RowEmitter(group, chain).run();
}
