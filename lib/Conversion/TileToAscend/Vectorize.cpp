//===- Vectorize.cpp - tile.parallel to vector instructions ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Each value of the body becomes a matrix in UB with one element for each
// iteration; what does not depend on all iteration variables stays a row, a
// column or a scalar. Loops around the last two dimensions stay loops.
//
//===----------------------------------------------------------------------===//

#include "Vectorizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

Vectorizer::Vectorizer(KernelLowering &lowering, tl::ParallelOp parallel)
    : l(lowering), b(lowering.b), parallel(parallel),
      linear(lowering.b, parallel) {
  for (auto [i, extent] : llvm::enumerate(parallel.getStaticExtents()))
    if (extent != 1)
      dims.push_back(i);
  if (dims.empty())
    dims.push_back(0);
  columns = parallel.getStaticExtents()[dims.back()];
  if (dims.size() > 1)
    rows = parallel.getStaticExtents()[dims[dims.size() - 2]];
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Vectorizer::Shape Vectorizer::getShape(bool usesRow, bool usesColumn) const {
  if (!rows)
    return usesColumn ? Shape::Full : Shape::Scalar;
  if (usesRow && usesColumn)
    return Shape::Full;
  return usesRow ? Shape::Column : usesColumn ? Shape::Row : Shape::Scalar;
}

Value Vectorizer::createTemp(Shape shape, Type element) {
  if (shape == Shape::Column)
    return l.createMatrix(loc(), std::nullopt, *rows, element);
  if (shape == Shape::Row || !rows)
    return l.createMatrix(loc(), std::nullopt, columns, element);
  return l.createMatrix(loc(), rows, columns, element);
}

Vectorizer::Shape Vectorizer::join(Shape a, Shape c) {
  if (a == Shape::Scalar || a == c)
    return c;
  return c == Shape::Scalar ? a : Shape::Full;
}

/// The operand as the second or first one of a binary instruction whose target
/// has another shape.
std::pair<Value, Broadcast> Vectorizer::getSide(const Operand &operand,
                                                Shape shape) {
  if (operand.shape == shape)
    return {operand.matrix, Broadcast::None};
  if (operand.shape == Shape::Row)
    return {operand.matrix, Broadcast::Row};
  Value &blocks = columnBlocks[operand.matrix];
  if (!blocks) {
    auto type = cast<MemRefType>(operand.matrix.getType());
    Type element = type.getElementType();
    int64_t perBlock =
        l.spec.blockBytes / (element.getIntOrFloatBitWidth() / 8);
    int64_t unit = l.spec.repeatBytes / l.spec.blockBytes;
    blocks = l.createMatrix(loc(), llvm::alignTo(type.getDimSize(0), unit),
                            perBlock, element);
    BrcbOp::create(b, loc(), blocks, operand.matrix);
  }
  return {blocks, Broadcast::Column};
}

/// The operand spread out to a shape.
FailureOr<Value> Vectorizer::materialize(const Operand &operand, Shape shape,
                                         Type element) {
  if (operand.shape == Shape::Scalar) {
    Value temp = createTemp(shape, element);
    DuplicateOp::create(b, loc(), temp, operand.scalar);
    return temp;
  }
  if (operand.shape == shape)
    return operand.matrix;
  // The maximum of a value with itself is the value.
  Value temp = createTemp(shape, element);
  auto [side, broadcast] = getSide(operand, shape);
  if (l.getComputeType("Max", element) != element)
    return emitError() << "cannot repeat elements of type " << element
                       << " along a dimension";
  BinaryOp::create(b, loc(), BinaryKind::Max, temp, side, side, broadcast,
                   broadcast);
  return temp;
}

InFlightDiagnostic Vectorizer::emitError() {
  return current->emitError("on Ascend, ");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The part of a tile that the iterations access, and its shape.
FailureOr<Vectorizer::Operand> Vectorizer::getTilePart(Value buffer,
                                                       ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Value matrix = l.getMatrixOf(current, buffer);
  if (!matrix)
    return failure();
  // Positions in the matrix: row and column.
  std::optional<Linear> row, column;
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    std::optional<Linear> index = linear.get(indices[dim]);
    if (!index)
      return emitError() << "index " << dim
                         << " is no linear function of the iteration "
                            "variables; a gather has no lowering";
    if (!column) {
      column = index;
      continue;
    }
    row = row ? linear.sum(loc(), *row, linear.scaled(loc(), *index, stride))
              : *index;
    stride *= type.getDimSize(dim);
  }
  auto mtype = cast<MemRefType>(matrix.getType());
  if (!column) {
    // A tile of one element: its value is a scalar of the scalar unit.
    return emitError() << "a tile of one element cannot be read or written in "
                          "'tile.parallel'; use a scalar";
  }
  unsigned last = dims.back();
  std::optional<unsigned> outer;
  if (rows)
    outer = dims[dims.size() - 2];
  auto uses = [&](const std::optional<Linear> &index,
                  std::optional<unsigned> dim) -> int64_t {
    return index && dim ? index->coefficients[*dim] : 0;
  };
  int64_t columnLast = uses(column, last), columnOuter = uses(column, outer),
          rowLast = uses(row, last), rowOuter = uses(row, outer);
  auto isUnit = [](int64_t c) { return c == 0 || c == 1; };
  if (!isUnit(columnLast) || !isUnit(columnOuter) || !isUnit(rowLast) ||
      !isUnit(rowOuter))
    return emitError() << "a stride in an index has no vector instruction";
  bool asColumn = columnOuter && !columnLast && !row;
  bool plain = !columnOuter && !rowLast;
  if (!asColumn && !plain)
    return emitError() << "a transposed access has no vector instruction; use "
                          "'tile.transpose'";
  int64_t partRows = rowOuter ? *rows : 1;
  int64_t partColumns = asColumn ? *rows : columnLast ? columns : 1;
  if (partColumns == 1 && !asColumn && mtype.getDimSize(mtype.getRank() - 1) != 1)
    return emitError() << "one column of a tile cannot be taken by a vector "
                          "instruction";
  OpFoldResult zero = b.getIndexAttr(0);
  auto getOffset = [&](const std::optional<Linear> &index) -> OpFoldResult {
    if (!index)
      return zero;
    if (!index->uniform)
      return b.getIndexAttr(index->constant);
    return linear.getUniform(loc(), *index);
  };
  Value part = l.createPart(loc(), matrix, getOffset(row), getOffset(column),
                            partRows, partColumns);
  Shape shape = asColumn ? Shape::Column
                         : getShape(rowOuter != 0, columnLast != 0);
  auto ptype = cast<MemRefType>(part.getType());
  // One row of a matrix is a vector.
  if (ptype.getRank() == 2 && (shape == Shape::Row || !rows)) {
    auto reduced = memref::SubViewOp::inferRankReducedResultType(
        {partColumns}, ptype, ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{1, partColumns}, ArrayRef<int64_t>{1, 1});
    OpFoldResult one = b.getIndexAttr(1);
    part = memref::SubViewOp::create(
        b, loc(), cast<MemRefType>(reduced), part, {zero, zero},
        {one, b.getIndexAttr(partColumns)}, {one, one});
  }
  Operand operand;
  operand.shape = shape;
  operand.matrix = part;
  return operand;
}

/// The region of GM that the iterations access, and its shape.
FailureOr<std::pair<GlobalRegion, Vectorizer::Shape>>
Vectorizer::getGlobalPart(Value buffer, ValueRange indices) {
  GlobalRegion region;
  region.buffer = buffer;
  SmallVector<unsigned> used;
  for (auto [dim, value] : llvm::enumerate(indices)) {
    std::optional<Linear> index = linear.get(value);
    if (!index)
      return emitError() << "index " << dim
                         << " of a global buffer is no linear function of the "
                            "iteration variables; a gather has no lowering";
    int64_t size = 1;
    for (unsigned i : dims) {
      int64_t coefficient = index->coefficients[i];
      if (coefficient == 0 || parallel.getStaticExtents()[i] == 1)
        continue;
      bool inOrder = used.empty() || used.back() < i;
      if (coefficient != 1 || size != 1 || !inOrder)
        return emitError() << "index " << dim
                           << " of a global buffer is not an iteration "
                              "variable of stride 1 in the order of the loops";
      size = parallel.getStaticExtents()[i];
      used.push_back(i);
    }
    region.offsets.push_back(linear.getUniform(loc(), *index));
    region.sizes.push_back(size);
  }
  bool usesColumn = llvm::is_contained(used, dims.back());
  bool usesRow = rows && llvm::is_contained(used, dims[dims.size() - 2]);
  return std::pair(region, getShape(usesRow, usesColumn));
}

/// Whether a store to `buffer` stands between a load and the last use of what it
/// read.
static bool isOverwritten(memref::LoadOp load) {
  Value base = tl::getBaseBuffer(load.getMemRef());
  bool stored = false;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    bool uses = llvm::is_contained(op->getOperands(), load.getResult());
    if (stored && uses)
      return true;
    auto store = dyn_cast<memref::StoreOp>(op);
    stored |= store && tl::getBaseBuffer(store.getMemRef()) == base;
  }
  return false;
}

LogicalResult Vectorizer::vectorizeLoad(memref::LoadOp load) {
  Type element = load.getType();
  if (std::optional<unsigned> dim = findGather(load))
    return vectorizeGather(load, *dim);
  if (tl::getMemorySpace(load.getMemRef()) == MemorySpace::Global) {
    auto part = getGlobalPart(load.getMemRef(), load.getIndices());
    if (failed(part))
      return failure();
    if (part->second == Shape::Scalar)
      return emitError() << "a global buffer is read at one place by all "
                            "iterations; read it before the loop";
    Operand operand;
    operand.shape = part->second;
    operand.matrix = createTemp(operand.shape, element);
    operands[load.getResult()] = operand;
    return l.createLoad(current, operand.matrix, part->first);
  }
  FailureOr<Operand> part = getTilePart(load.getMemRef(), load.getIndices());
  if (failed(part))
    return failure();
  if (isOverwritten(load)) {
    Value temp = createTemp(part->shape, element);
    CopyUbOp::create(b, loc(), temp, part->matrix);
    part->matrix = temp;
  }
  operands[load.getResult()] = *part;
  return success();
}

/// The instruction that made a temporary may write to the buffer at once, if
/// nothing in between touches the buffer.
bool Vectorizer::retarget(Value temp, Value buffer) {
  auto alloc = tl::getBaseBuffer(temp).getDefiningOp<tl::AllocOp>();
  if (!temps.contains(temp) || !alloc || temp.getType() != buffer.getType())
    return false;
  Operation *writer = nullptr;
  Value base = tl::getBaseBuffer(buffer);
  for (Operation &op : llvm::reverse(llvm::make_range(
           b.getInsertionBlock()->begin(), b.getInsertionPoint()))) {
    if (!isa<InstructionOpInterface>(op))
      continue;
    if (op.getOperand(0) == temp) {
      writer = &op;
      break;
    }
    for (Value operand : op.getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          tl::getBaseBuffer(operand) == base)
        return false;
  }
  if (!writer || !llvm::hasSingleElement(temp.getUses()))
    return false;
  // An operand that is repeated is no place for the result.
  if (auto binary = dyn_cast<BinaryOp>(writer))
    for (Value side : {binary.getLhs(), binary.getRhs()})
      if (side.getType() != buffer.getType() && tl::getBaseBuffer(side) == base)
        return false;
  Operation *view = buffer.getDefiningOp();
  if (view && view->getBlock() == writer->getBlock() &&
      writer->isBeforeInBlock(view)) {
    if (view->getNumOperands() != 1 || buffer == base ||
        view->getOperand(0) != base)
      return false;
    view->moveBefore(writer);
  }
  writer->setOperand(0, buffer);
  return true;
}

LogicalResult Vectorizer::vectorizeStore(memref::StoreOp store) {
  FailureOr<Operand> value = getOperand(store.getValue());
  if (failed(value))
    return failure();
  Type element = store.getValue().getType();
  if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global) {
    auto part = getGlobalPart(store.getMemRef(), store.getIndices());
    if (failed(part))
      return failure();
    if (part->second == Shape::Scalar)
      return emitError() << "all iterations write one element";
    FailureOr<Value> matrix = materialize(*value, part->second, element);
    return failed(matrix) ? failure()
                          : l.createStore(current, part->first, *matrix);
  }
  FailureOr<Operand> part = getTilePart(store.getMemRef(), store.getIndices());
  if (failed(part))
    return failure();
  columnBlocks.clear();
  if (value->shape == Shape::Scalar) {
    DuplicateOp::create(b, loc(), part->matrix, value->scalar);
    return success();
  }
  FailureOr<Value> matrix = materialize(*value, part->shape, element);
  if (failed(matrix))
    return failure();
  if (!retarget(*matrix, part->matrix))
    CopyUbOp::create(b, loc(), part->matrix, *matrix);
  else
    operands[store.getValue()].matrix = part->matrix;
  return success();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

FailureOr<Vectorizer::Operand> Vectorizer::getOperand(Value value) {
  auto known = operands.find(value);
  if (known != operands.end())
    return known->second;
  if (Value before = linear.hoist(value)) {
    Operand operand;
    operand.scalar = before;
    return operand;
  }
  return emitError() << "the value of '"
                     << (value.getDefiningOp()
                             ? value.getDefiningOp()->getName().getStringRef()
                             : StringRef("an iteration variable"))
                     << "' has no vector form";
}

LogicalResult Vectorizer::vectorize(Operation *op) {
  current = op;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return vectorizeLoad(load);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return vectorizeStore(store);
  if (isa<tl::AssumeOp>(op))
    return success();
  // Indices are looked at where they are used.
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (op->getNumResults() == 1 && isIndex(op->getResult(0).getType()))
    return success();
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      linear.hoist(op->getResult(0)))
    return success();
  return vectorizeCompute(op);
}

LogicalResult Vectorizer::run() {
  Location at = parallel.getLoc();
  if (llvm::is_contained(parallel.getStaticExtents(), ShapedType::kDynamic))
    return parallel.emitError("on Ascend, the extents of 'tile.parallel' are "
                              "static; guard the tail instead");
  if (llvm::is_contained(parallel.getStaticExtents(), 0))
    return success();
  b.setInsertionPoint(parallel);
  // Outer dimensions are loops around vector code.
  Block &body = parallel.getBody().front();
  while (dims.size() > 2) {
    unsigned dim = dims.front();
    dims.erase(dims.begin());
    auto loop = scf::ForOp::create(
        b, at, l.constantIndex(at, 0),
        l.constantIndex(at, parallel.getStaticExtents()[dim]),
        l.constantIndex(at, 1));
    body.getArgument(dim).replaceAllUsesWith(loop.getInductionVar());
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  for (auto [i, extent] : llvm::enumerate(parallel.getStaticExtents()))
    if (extent == 1 && !llvm::is_contained(dims, unsigned(i)))
      body.getArgument(i).replaceAllUsesWith(l.constantIndex(at, 0));
  for (Operation &op : body)
    if (failed(vectorize(&op)))
      return failure();
  return success();
}

LogicalResult KernelLowering::lowerParallel(tl::ParallelOp op) {
  return Vectorizer(*this, op).run();
}
