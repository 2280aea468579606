//===- VectorStrided.cpp - elements of tiles that are no neighbours -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Loads gather elements by a table of offsets, one for each lane. Stores gather
// the other way round: for each element of a row of the tile, the lane that
// writes it; a mask keeps the elements that no lane writes.
//
//===----------------------------------------------------------------------===//

#include "VectorElements.h"
#include "VectorIndices.h"
#include "VectorIntegers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;

namespace {
/// Where the elements are that lanes read: the sum of a part of the lane, one
/// of the row, and one of all.
struct Lanes {
  bool alongRows; // one lane for each row, not for each column
  int64_t count;
  int64_t rowBytes = 0; // from one row to the next one
  Value uniform;        // in elements
  Value table;          // bytes for each lane
};
} // namespace

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
  if (!body.getParentOp()->isAncestor(def))
    return matchPattern(def, m_Constant());
  return def->getNumRegions() == 0 && isMemoryEffectFree(def) &&
         llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isFunction(operand, body); });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// 32-bit numbers, one for each lane, made once by the scalar unit.
static Value createTable(Vectorizer &v, int64_t count,
                         function_ref<Value(Value)> get) {
  Value table =
      v.l.buffers.createMatrix(v.loc(), std::nullopt, count, v.b.getI32Type());
  OpBuilder::InsertionGuard insertion(v.b);
  v.b.setInsertionPointAfter(table.getDefiningOp());
  auto loop = scf::ForOp::create(v.b, v.loc(), v.l.constantIndex(v.loc(), 0),
                                 v.l.constantIndex(v.loc(), count),
                                 v.l.constantIndex(v.loc(), 1));
  v.b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Value entry =
      arith::IndexCastOp::create(v.b, v.loc(), v.b.getI32Type(), get(lane));
  memref::StoreOp::create(v.b, v.loc(), entry, table, lane);
  return table;
}

/// Offsets of the elements that lanes read, if they are the sum of one part for
/// the lane and one for the row.
static std::optional<Lanes> getStridedLanes(Vectorizer &v, Value buffer, Value matrix,
                                     ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Block &body = v.parallel.getBody().front();
  VectorShape shape = getDependence(v, indices);
  if (shape == VectorShape::Scalar)
    return std::nullopt;
  Lanes lanes;
  lanes.alongRows = shape == VectorShape::Column;
  lanes.count = lanes.alongRows ? *v.rows : v.columns;
  int64_t bytes =
      cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  int64_t stride = 1, step = 0;
  Linear rest; // what is not of a lane
  rest.coefficients.assign(body.getNumArguments(), 0);
  SmallVector<std::pair<Value, int64_t>> functions;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (std::optional<Linear> index = v.linear.get(indices[dim])) {
      step += stride * getStep(v, index, lanes.alongRows);
      rest =
          v.linear.sum(v.loc(), rest, v.linear.scaled(v.loc(), *index, stride));
    } else {
      VectorShape own = getDependence(v, indices[dim]);
      if (!isFunction(indices[dim], body) ||
          own != (lanes.alongRows ? VectorShape::Column
                  : v.rows        ? VectorShape::Row
                                  : VectorShape::Full))
        return std::nullopt;
      functions.push_back({indices[dim], stride});
    }
    stride = stride == 1 ? getPitch(getWhole(matrix))
                         : stride * type.getDimSize(dim);
  }
  if (!lanes.alongRows && v.rows)
    lanes.rowBytes = bytes * getStep(v, rest, true);
  if (rest.uniform || rest.constant)
    lanes.uniform = v.linear.getUniform(v.loc(), rest);
  if (functions.empty()) {
    Type word = v.b.getI32Type();
    lanes.table =
        v.l.buffers.createMatrix(v.loc(), std::nullopt, lanes.count, word);
    Value places = v.l.buffers.createIndexSequence(v.loc(), lanes.count);
    ScalarOp::create(v.b, v.loc(), ScalarKind::Muls, lanes.table, places,
                     v.l.constantOf(v.loc(), word, double(step * bytes)));
    return lanes;
  }
  unsigned laneDim =
      lanes.alongRows ? v.dims[v.dims.size() - 2] : v.dims.back();
  lanes.table = createTable(v, lanes.count, [&](Value lane) {
    Iteration at;
    at.known[body.getArgument(laneDim)] = lane;
    Value sum = arith::MulIOp::create(v.b, v.loc(), lane,
                                      v.l.constantIndex(v.loc(), step));
    for (auto [index, factor] : functions)
      sum = arith::AddIOp::create(
          v.b, v.loc(), sum,
          arith::MulIOp::create(v.b, v.loc(), *evaluate(v, at, index),
                                v.l.constantIndex(v.loc(), factor)));
    return arith::MulIOp::create(v.b, v.loc(), sum,
                                 v.l.constantIndex(v.loc(), bytes))
        .getResult();
  });
  return lanes;
}

/// A load by `Gather`; false if the indices are not of known steps.
FailureOr<bool> mlir::tile::ascend::loadLanes(Vectorizer &v,
                                              memref::LoadOp load) {
  Value matrix = v.l.buffers.getMatrixOf(load, load.getMemRef());
  Type element = getHeldType(v, load.getType());
  if (!matrix)
    return failure();
  if (!supports(v.l, "Gather", element))
    return false;
  if (element != load.getType()) {
    Value wide = v.l.buffers.createLike(v.loc(), matrix, element);
    if (failed(createCast(v.l, load, wide, matrix)))
      return failure();
    matrix = wide;
  }
  std::optional<Lanes> lanes =
      getStridedLanes(v, load.getMemRef(), matrix, load.getIndices());
  if (!lanes)
    return false;
  Type word = v.b.getI32Type();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value source = getWhole(matrix);
  Value first; // of all v.rows, in bytes
  if (lanes->uniform)
    first = arith::MulIOp::create(v.b, v.loc(), lanes->uniform,
                                  v.l.constantIndex(v.loc(), bytes));
  auto shift = [&](Value offset) -> Value {
    Value moved =
        v.l.buffers.createMatrix(v.loc(), std::nullopt, lanes->count, word);
    ScalarOp::create(v.b, v.loc(), ScalarKind::Adds, moved, lanes->table,
                     arith::IndexCastOp::create(v.b, v.loc(), word, offset));
    return moved;
  };
  bool byRows = lanes->rowBytes != 0;
  VectorShape shape = v.getShape(byRows || lanes->alongRows, !lanes->alongRows);
  VectorOperand result{shape, v.createTemp(shape, element), Value()};
  v.operands[load.getResult()] = result;
  if (!byRows) {
    GatherOp::create(v.b, v.loc(), result.matrix, source,
                     first ? shift(first) : lanes->table);
    return true;
  }
  // Where a row of the loop is one of the tile, offsets are those in a row.
  std::optional<TilePlace> place =
      getPlace(v, load.getMemRef(), load.getIndices());
  bool isRow = !first && lanes->rowBytes == getPitch(source) * bytes &&
               (!place || (place->row && getStep(v, place->row, false) == 0));
  return succeeded(forEach(v, shape, /*byRows=*/true, [&](Iteration &at) {
    Value from = source, offsets = lanes->table;
    if (isRow) {
      from = v.l.buffers.createRow(v.loc(), source, at.row);
    } else {
      Value offset = arith::MulIOp::create(
          v.b, v.loc(), at.row, v.l.constantIndex(v.loc(), lanes->rowBytes));
      offsets = shift(
          first ? arith::AddIOp::create(v.b, v.loc(), offset, first).getResult()
                : offset);
    }
    GatherOp::create(v.b, v.loc(), getRow(v, at, result.matrix), from, offsets);
    return success();
  }));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Bits of a matrix whose rows have `width` elements, of which those at `step`
/// from `offset` on are written.
static Value createPattern(Vectorizer &v, int64_t height, int64_t width,
                           int64_t offset, int64_t step) {
  Type byte = v.b.getI8Type();
  Value bits =
      v.l.buffers.createMatrix(v.loc(), std::nullopt, height * width / 8, byte);
  SmallVector<int64_t> pattern(width / 8, 0);
  for (int64_t lane = 0; lane < v.columns; ++lane) {
    int64_t place = offset + lane * step;
    pattern[place / 8] |= int64_t(1) << place % 8;
  }
  OpBuilder::InsertionGuard insertion(v.b);
  v.b.setInsertionPointAfter(bits.getDefiningOp());
  auto loop = scf::ForOp::create(v.b, v.loc(), v.l.constantIndex(v.loc(), 0),
                                 v.l.constantIndex(v.loc(), height * width / 8),
                                 v.l.constantIndex(v.loc(), width / 8));
  v.b.setInsertionPointToStart(loop.getBody());
  for (auto [i, value] : llvm::enumerate(pattern)) {
    Value at = arith::AddIOp::create(v.b, v.loc(), loop.getInductionVar(),
                                     v.l.constantIndex(v.loc(), i));
    memref::StoreOp::create(
        v.b, v.loc(), v.l.constantOf(v.loc(), byte, double(int8_t(value))),
        bits, at);
  }
  return bits;
}

/// The rows that are written: gathered lanes where the pattern says so, and
/// what was there elsewhere.
static FailureOr<bool> mergeLanes(Vectorizer &v, memref::StoreOp store,
                                  const TilePlace &place, Value matrix,
                                  Value lanes, Value inverse, int64_t height,
                                  int64_t whole, Type compute) {
  OpFoldResult zero = v.b.getIndexAttr(0);
  auto mtype = cast<MemRefType>(matrix.getType());
  int64_t width = mtype.getShape().back();
  OpFoldResult firstRow =
      place.row ? OpFoldResult(v.linear.getUniform(v.loc(), *place.row)) : zero;
  Value target =
      v.l.buffers.createPart(v.loc(), matrix, firstRow, zero, height, width);
  if (!v.rows && mtype.getRank() == 2)
    target =
        v.l.buffers.createRow(v.loc(), target, v.l.constantIndex(v.loc(), 0));
  auto getInner = [&](Value padded) {
    return v.l.buffers.createPart(v.loc(), padded, zero, zero, height, width);
  };
  auto make = [&]() {
    Value all = v.l.buffers.createMatrix(v.loc(), v.rows, whole, compute);
    if (whole != width)
      DuplicateOp::create(v.b, v.loc(), all,
                          v.l.constantOf(v.loc(), compute, 0));
    return all;
  };
  Value gathered = make();
  if (failed(forEach(v, VectorShape::Full, /*byRows=*/true, [&](Iteration &at) {
        GatherOp::create(v.b, v.loc(), getRow(v, at, getInner(gathered)),
                         getRow(v, at, lanes), inverse);
        return success();
      })))
    return failure();
  Value bits = createPattern(v, height, whole, place.column->constant,
                             getStep(v, place.column, false));
  bool isDirect = whole == width && compute == mtype.getElementType() &&
                  getMatrix(cast<MemRefType>(target.getType()))->isContiguous();
  Value old = target;
  if (!isDirect) {
    old = make();
    if (failed(createCopy(v.l, store, getInner(old), target)))
      return failure();
  }
  SelectOp::create(v.b, v.loc(), old, bits, gathered, old);
  if (isDirect)
    return true;
  Value result = getInner(old);
  bool isSame = compute == mtype.getElementType();
  if (failed(isSame ? createCopy(v.l, store, target, result)
                    : createCast(v.l, store, target, result, /*fits=*/true)))
    return failure();
  return true;
}

/// A store of lanes that are not neighbours, at constant places; false if the
/// places are others.
FailureOr<bool> mlir::tile::ascend::storeLanes(Vectorizer &v,
                                               memref::StoreOp store) {
  Value matrix = v.l.buffers.getMatrixOf(store, store.getMemRef());
  if (!matrix)
    return failure();
  std::optional<TilePlace> place =
      getPlace(v, store.getMemRef(), store.getIndices());
  Type stored = store.getValue().getType(), held = getHeldType(v, stored);
  Type compute =
      isa<IntegerType>(held) ? held : getComputeType(v.l, "Select", held);
  if (!place || !place->column || place->column->uniform ||
      !supports(v.l, "Gather", compute) || compute.getIntOrFloatBitWidth() > 32)
    return false;
  auto &[row, column] = *place;
  auto mtype = cast<MemRefType>(matrix.getType());
  int64_t step = getStep(v, column, false), offset = column->constant;
  int64_t width = mtype.getShape().back(),
          end = offset + (v.columns - 1) * step;
  bool isPlain = step != 0 && !getStep(v, column, true) &&
                 !getStep(v, row, false) &&
                 getStep(v, row, true) == (v.rows ? 1 : 0);
  if (!isPlain || std::min(offset, end) < 0 || std::max(offset, end) >= width)
    return false;
  FailureOr<VectorOperand> value = v.getHeld(store.getValue());
  if (succeeded(value))
    value = v.convert(*value, held, compute);
  FailureOr<Value> lanes =
      failed(value) ? FailureOr<Value>()
                    : v.materialize(*value, VectorShape::Full, compute);
  if (failed(lanes))
    return failure();
  // Which lane an element of a row takes.
  int64_t bytes = compute.getIntOrFloatBitWidth() / 8;
  int64_t unit = v.l.spec.repeatBytes / bytes;
  int64_t height = v.rows.value_or(1), whole = llvm::alignTo(width, unit);
  Value inverse =
      v.l.buffers.createMatrix(v.loc(), std::nullopt, width, v.b.getI32Type());
  {
    OpBuilder::InsertionGuard insertion(v.b);
    v.b.setInsertionPointAfter(inverse.getDefiningOp());
    DuplicateOp::create(v.b, v.loc(), inverse,
                        v.l.constantOf(v.loc(), v.b.getI32Type(), 0));
    auto loop = scf::ForOp::create(v.b, v.loc(), v.l.constantIndex(v.loc(), 0),
                                   v.l.constantIndex(v.loc(), v.columns),
                                   v.l.constantIndex(v.loc(), 1));
    v.b.setInsertionPointToStart(loop.getBody());
    Value lane = loop.getInductionVar();
    Value at = arith::AddIOp::create(
        v.b, v.loc(),
        arith::MulIOp::create(v.b, v.loc(), lane,
                              v.l.constantIndex(v.loc(), step)),
        v.l.constantIndex(v.loc(), offset));
    Value entry = arith::IndexCastOp::create(
        v.b, v.loc(), v.b.getI32Type(),
        arith::MulIOp::create(v.b, v.loc(), lane,
                              v.l.constantIndex(v.loc(), bytes)));
    memref::StoreOp::create(v.b, v.loc(), entry, inverse, at);
  }
  return mergeLanes(v, store, *place, matrix, *lanes, inverse, height, whole,
                    compute);
}
