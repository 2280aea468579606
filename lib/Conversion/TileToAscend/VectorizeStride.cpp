//===- VectorizeStride.cpp - elements of tiles that are apart
//----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Loads gather elements by a table of offsets, one for each lane. Stores gather
// the other way round: for each element of a row of the tile, the lane that
// writes it, and what no lane writes is kept by a mask.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// Rows that follow one another: a matrix with what lies between its rows.
static Value getWhole(Value matrix) {
  auto view = matrix.getDefiningOp<memref::SubViewOp>();
  return view ? view.getSource() : matrix;
}

static int64_t getPitch(Value matrix) {
  return getMatrix(cast<MemRefType>(matrix.getType()))->pitch;
}

/// Whether all that an index depends on, beside variables of the loop, is
/// computed by ops of constants: it can be moved to the beginning.
static bool isFunction(Value value, Block &body) {
  if (auto arg = dyn_cast<BlockArgument>(value))
    return arg.getOwner() == &body;
  Operation *def = value.getDefiningOp();
  return def->getNumRegions() == 0 && isMemoryEffectFree(def) &&
         llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isFunction(operand, body); });
}

/// 32-bit numbers, one for each lane, made once by the scalar unit.
Value Vectorizer::createTable(int64_t count, function_ref<Value(Value)> get) {
  Value table =
      l.buffers.createMatrix(loc(), std::nullopt, count, b.getI32Type());
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointAfter(table.getDefiningOp());
  auto loop = scf::ForOp::create(b, loc(), l.constantIndex(loc(), 0),
                                 l.constantIndex(loc(), count),
                                 l.constantIndex(loc(), 1));
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Value entry = arith::IndexCastOp::create(b, loc(), b.getI32Type(), get(lane));
  memref::StoreOp::create(b, loc(), entry, table, lane);
  return table;
}

/// Offsets of the elements that lanes read, if they are the sum of one part for
/// the lane and one for the row.
std::optional<Vectorizer::Lanes>
Vectorizer::getLanes(Value buffer, Value matrix, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Block &body = parallel.getBody().front();
  Shape shape = getDependence(indices);
  if (guard || shape == Shape::Scalar)
    return std::nullopt;
  Lanes lanes;
  lanes.alongRows = shape == Shape::Column;
  lanes.count = lanes.alongRows ? *rows : columns;
  int64_t bytes =
      cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  int64_t stride = 1, step = 0;
  Linear rest; // what is not of a lane
  rest.coefficients.assign(body.getNumArguments(), 0);
  SmallVector<std::pair<Value, int64_t>> functions;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (std::optional<Linear> index = linear.get(indices[dim])) {
      step += stride * getStep(index, lanes.alongRows);
      rest = linear.sum(loc(), rest, linear.scaled(loc(), *index, stride));
    } else {
      Shape own = getDependence(indices[dim]);
      if (!isFunction(indices[dim], body) ||
          own != (lanes.alongRows ? Shape::Column
                  : rows          ? Shape::Row
                                  : Shape::Full))
        return std::nullopt;
      functions.push_back({indices[dim], stride});
    }
    stride = stride == 1 ? getPitch(getWhole(matrix))
                         : stride * type.getDimSize(dim);
  }
  if (!lanes.alongRows && rows)
    lanes.rowBytes = bytes * getStep(rest, true);
  if (rest.uniform || rest.constant)
    lanes.uniform = linear.getUniform(loc(), rest);
  if (functions.empty()) {
    Type word = b.getI32Type();
    lanes.table =
        l.buffers.createMatrix(loc(), std::nullopt, lanes.count, word);
    Value places = l.buffers.createIndexSequence(loc(), lanes.count);
    ScalarOp::create(b, loc(), ScalarKind::Muls, lanes.table, places,
                     l.constantOf(loc(), word, double(step * bytes)));
    return lanes;
  }
  unsigned laneDim = lanes.alongRows ? dims[dims.size() - 2] : dims.back();
  lanes.table = createTable(lanes.count, [&](Value lane) {
    Iteration at;
    at.known[body.getArgument(laneDim)] = lane;
    Value sum =
        arith::MulIOp::create(b, loc(), lane, l.constantIndex(loc(), step));
    for (auto [index, factor] : functions)
      sum = arith::AddIOp::create(
          b, loc(), sum,
          arith::MulIOp::create(b, loc(), *evaluate(at, index),
                                l.constantIndex(loc(), factor)));
    return arith::MulIOp::create(b, loc(), sum, l.constantIndex(loc(), bytes))
        .getResult();
  });
  return lanes;
}

/// A load by `Gather`; false if it has another form.
FailureOr<bool> Vectorizer::loadLanes(memref::LoadOp load) {
  Value matrix = l.buffers.getMatrixOf(load, load.getMemRef());
  Type element = getHeldType(load.getType());
  if (!matrix)
    return failure();
  if (!supports(l, "Gather", element))
    return false;
  if (element != load.getType()) {
    Value wide = l.buffers.createLike(loc(), matrix, element);
    if (failed(createCast(l, load, wide, matrix)))
      return failure();
    matrix = wide;
  }
  std::optional<Lanes> lanes =
      getLanes(load.getMemRef(), matrix, load.getIndices());
  if (!lanes)
    return false;
  Type word = b.getI32Type();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value source = getWhole(matrix);
  Value first; // of all rows, in bytes
  if (lanes->uniform)
    first = arith::MulIOp::create(b, loc(), lanes->uniform,
                                  l.constantIndex(loc(), bytes));
  auto shift = [&](Value offset) -> Value {
    Value moved =
        l.buffers.createMatrix(loc(), std::nullopt, lanes->count, word);
    ScalarOp::create(b, loc(), ScalarKind::Adds, moved, lanes->table,
                     arith::IndexCastOp::create(b, loc(), word, offset));
    return moved;
  };
  bool byRows = lanes->rowBytes != 0;
  Shape shape = getShape(byRows || lanes->alongRows, !lanes->alongRows);
  Operand result{shape, createTemp(shape, element), Value()};
  operands[load.getResult()] = result;
  if (!byRows) {
    GatherOp::create(b, loc(), result.matrix, source,
                     first ? shift(first) : lanes->table);
    return true;
  }
  // Where a row of the loop is one of the tile, offsets are those in a row.
  std::optional<Place> place = getPlace(load.getMemRef(), load.getIndices());
  bool isRow = !first && lanes->rowBytes == getPitch(source) * bytes &&
               (!place || (place->row && getStep(place->row, false) == 0));
  return succeeded(forEach(shape, /*byRows=*/true, [&](Iteration &at) {
    Value from = source, offsets = lanes->table;
    if (isRow) {
      from = l.buffers.createRow(loc(), source, at.row);
    } else {
      Value offset = arith::MulIOp::create(
          b, loc(), at.row, l.constantIndex(loc(), lanes->rowBytes));
      offsets = shift(
          first ? arith::AddIOp::create(b, loc(), offset, first).getResult()
                : offset);
    }
    GatherOp::create(b, loc(), getRow(at, result.matrix), from, offsets);
    return success();
  }));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Bits of a matrix whose rows have `width` elements, of which those at `step`
/// from `offset` on are written.
Value Vectorizer::createPattern(int64_t height, int64_t width, int64_t offset,
                                int64_t step) {
  Type byte = b.getI8Type();
  Value bits =
      l.buffers.createMatrix(loc(), std::nullopt, height * width / 8, byte);
  SmallVector<int64_t> pattern(width / 8, 0);
  for (int64_t lane = 0; lane < columns; ++lane) {
    int64_t place = offset + lane * step;
    pattern[place / 8] |= int64_t(1) << place % 8;
  }
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointAfter(bits.getDefiningOp());
  auto loop = scf::ForOp::create(b, loc(), l.constantIndex(loc(), 0),
                                 l.constantIndex(loc(), height * width / 8),
                                 l.constantIndex(loc(), width / 8));
  b.setInsertionPointToStart(loop.getBody());
  for (auto [i, value] : llvm::enumerate(pattern)) {
    Value at = arith::AddIOp::create(b, loc(), loop.getInductionVar(),
                                     l.constantIndex(loc(), i));
    memref::StoreOp::create(
        b, loc(), l.constantOf(loc(), byte, double(int8_t(value))), bits, at);
  }
  return bits;
}

/// A store of lanes that are apart, at places that are known; false if it has
/// another form.
FailureOr<bool> Vectorizer::storeLanes(memref::StoreOp store) {
  Value matrix = l.buffers.getMatrixOf(store, store.getMemRef());
  if (!matrix)
    return failure();
  std::optional<Place> place = getPlace(store.getMemRef(), store.getIndices());
  Type stored = store.getValue().getType(), held = getHeldType(stored);
  Type compute =
      isa<IntegerType>(held) ? held : getComputeType(l, "Select", held);
  if (guard || !place || !place->column || place->column->uniform ||
      !supports(l, "Gather", compute) || compute.getIntOrFloatBitWidth() > 32)
    return false;
  auto &[row, column] = *place;
  auto mtype = cast<MemRefType>(matrix.getType());
  int64_t step = getStep(column, false), offset = column->constant;
  int64_t width = mtype.getShape().back(), end = offset + (columns - 1) * step;
  bool isPlain = step != 0 && !getStep(column, true) && !getStep(row, false) &&
                 getStep(row, true) == (rows ? 1 : 0);
  if (!isPlain || std::min(offset, end) < 0 || std::max(offset, end) >= width)
    return false;
  FailureOr<Operand> value = getHeld(store.getValue());
  if (succeeded(value))
    value = convert(*value, held, compute);
  FailureOr<Value> lanes = failed(value)
                               ? FailureOr<Value>()
                               : materialize(*value, Shape::Full, compute);
  if (failed(lanes))
    return failure();
  // Which lane an element of a row takes.
  int64_t bytes = compute.getIntOrFloatBitWidth() / 8;
  int64_t unit = l.spec.repeatBytes / bytes;
  int64_t height = rows.value_or(1), whole = llvm::alignTo(width, unit);
  Value inverse =
      l.buffers.createMatrix(loc(), std::nullopt, width, b.getI32Type());
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointAfter(inverse.getDefiningOp());
    DuplicateOp::create(b, loc(), inverse,
                        l.constantOf(loc(), b.getI32Type(), 0));
    auto loop = scf::ForOp::create(b, loc(), l.constantIndex(loc(), 0),
                                   l.constantIndex(loc(), columns),
                                   l.constantIndex(loc(), 1));
    b.setInsertionPointToStart(loop.getBody());
    Value lane = loop.getInductionVar();
    Value at = arith::AddIOp::create(
        b, loc(),
        arith::MulIOp::create(b, loc(), lane, l.constantIndex(loc(), step)),
        l.constantIndex(loc(), offset));
    Value entry = arith::IndexCastOp::create(
        b, loc(), b.getI32Type(),
        arith::MulIOp::create(b, loc(), lane, l.constantIndex(loc(), bytes)));
    memref::StoreOp::create(b, loc(), entry, inverse, at);
  }
  return mergeLanes(store, *place, matrix, *lanes, inverse, height, whole,
                    compute);
}

/// The rows that are written: gathered lanes where the pattern says so, and
/// what was there elsewhere.
FailureOr<bool> Vectorizer::mergeLanes(memref::StoreOp store,
                                       const Place &place, Value matrix,
                                       Value lanes, Value inverse,
                                       int64_t height, int64_t whole,
                                       Type compute) {
  OpFoldResult zero = b.getIndexAttr(0);
  auto mtype = cast<MemRefType>(matrix.getType());
  int64_t width = mtype.getShape().back();
  OpFoldResult firstRow =
      place.row ? OpFoldResult(linear.getUniform(loc(), *place.row)) : zero;
  Value target =
      l.buffers.createPart(loc(), matrix, firstRow, zero, height, width);
  if (!rows && mtype.getRank() == 2)
    target = l.buffers.createRow(loc(), target, l.constantIndex(loc(), 0));
  auto getInner = [&](Value padded) {
    return l.buffers.createPart(loc(), padded, zero, zero, height, width);
  };
  auto make = [&]() {
    Value all = l.buffers.createMatrix(loc(), rows, whole, compute);
    if (whole != width)
      DuplicateOp::create(b, loc(), all, l.constantOf(loc(), compute, 0));
    return all;
  };
  Value gathered = make();
  if (failed(forEach(Shape::Full, /*byRows=*/true, [&](Iteration &at) {
        GatherOp::create(b, loc(), getRow(at, getInner(gathered)),
                         getRow(at, lanes), inverse);
        return success();
      })))
    return failure();
  Value bits = createPattern(height, whole, place.column->constant,
                             getStep(place.column, false));
  bool isDirect = whole == width && compute == mtype.getElementType() &&
                  getMatrix(cast<MemRefType>(target.getType()))->isContiguous();
  Value old = target;
  if (!isDirect) {
    old = make();
    if (failed(createCopy(l, store, getInner(old), target)))
      return failure();
  }
  SelectOp::create(b, loc(), old, bits, gathered, old);
  if (isDirect)
    return true;
  Value result = getInner(old);
  bool isSame = compute == mtype.getElementType();
  if (failed(isSame ? createCopy(l, store, target, result)
                    : createCast(l, store, target, result, /*fits=*/true)))
    return failure();
  return true;
}
