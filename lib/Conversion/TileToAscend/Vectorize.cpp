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

/// Whether there is one iteration.
bool Vectorizer::isSingle() {
  return llvm::all_of(parallel.getStaticExtents(),
                      [](int64_t extent) { return extent == 1; });
}

Vectorizer::Shape Vectorizer::getShape(bool usesRow, bool usesColumn) const {
  if (!rows)
    return usesColumn ? Shape::Full : Shape::Scalar;
  if (usesRow && usesColumn)
    return Shape::Full;
  return usesRow ? Shape::Column : usesColumn ? Shape::Row : Shape::Scalar;
}

Value Vectorizer::createTemp(Shape shape, Type element) {
  if (shape == Shape::Column)
    return l.buffers.createMatrix(loc(), std::nullopt, *rows, element);
  if (shape == Shape::Row || !rows)
    return l.buffers.createMatrix(loc(), std::nullopt, columns, element);
  return l.buffers.createMatrix(loc(), rows, columns, element);
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
    blocks = l.buffers.createMatrix(
        loc(), llvm::alignTo(type.getDimSize(0), unit), perBlock, element);
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
  if (getComputeType(l, "Max", element) != element)
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

static bool storesTo(Operation *op, Value buffer) {
  auto store = dyn_cast<memref::StoreOp>(op);
  return store &&
         tl::getBaseBuffer(store.getMemRef()) == tl::getBaseBuffer(buffer);
}

/// Whether a store to `buffer` stands between a load and the last use of what
/// it read.
static bool isOverwritten(memref::LoadOp load) {
  bool stored = false;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    bool uses = llvm::is_contained(op->getOperands(), load.getResult());
    if (stored && uses)
      return true;
    stored |= storesTo(op, load.getMemRef());
  }
  return false;
}

LogicalResult Vectorizer::vectorizeLoad(memref::LoadOp load) {
  Type element = getHeldType(load.getType());
  bool isGlobal = tl::getMemorySpace(load.getMemRef()) == MemorySpace::Global;
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return emitError() << "elements of type " << element
                       << " have no vector form";
  std::optional<unsigned> gathered = findGather(load);
  if (gathered && !guard && element == load.getType())
    return vectorizeGather(load, *gathered);
  if (getDependence(load.getIndices()) == Shape::Scalar &&
      !(isGlobal && isSingle()))
    return loadUniform(load);
  if (isGlobal) {
    auto part = getGlobalPart(load.getMemRef(), load.getIndices());
    if (!part)
      return loadElements(load);
    Operand operand;
    operand.shape = part->second;
    operand.matrix = createTemp(operand.shape, element);
    operands[load.getResult()] = operand;
    return createLoad(l, current, operand.matrix, part->first);
  }
  auto found = getTilePart(load.getMemRef(), load.getIndices());
  if (failed(found))
    return failure();
  if (!*found) {
    FailureOr<bool> done = loadLanes(load);
    if (failed(done) || *done)
      return success(succeeded(done));
    return loadElements(load);
  }
  Operand part = **found;
  if (isOverwritten(load) || element != load.getType()) {
    Value temp = createTemp(part.shape, element);
    if (failed(createCopy(l, current, temp, part.matrix)))
      return failure();
    part.matrix = temp;
  }
  operands[load.getResult()] = part;
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

/// Iterations that differ in a variable that no index has write one element.
LogicalResult Vectorizer::verifyApart(memref::StoreOp store) {
  Shape shape = getDependence(store.getIndices());
  if (shape == Shape::Full || isSingle())
    return success();
  if (shape == Shape::Scalar)
    return emitError() << "all iterations write one element";
  return emitError() << "iterations that differ in one variable write one "
                        "element";
}

LogicalResult Vectorizer::vectorizeStore(memref::StoreOp store) {
  FailureOr<Operand> value = getHeld(store.getValue());
  if (failed(value) || failed(verifyApart(store)))
    return failure();
  Type element = getHeldType(store.getValue().getType());
  if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global) {
    auto part = getGlobalPart(store.getMemRef(), store.getIndices());
    if (!part || guard)
      return storeElements(store);
    FailureOr<Value> matrix = materialize(*value, part->second, element);
    return failed(matrix) ? failure()
                          : createStore(l, current, part->first, *matrix);
  }
  auto found = getTilePart(store.getMemRef(), store.getIndices());
  if (failed(found))
    return failure();
  if (!*found) {
    FailureOr<bool> done = storeLanes(store);
    if (failed(done) || *done)
      return success(succeeded(done));
    return storeElements(store);
  }
  columnBlocks.clear();
  Operand part = **found;
  Type stored = store.getValue().getType();
  if (guard) {
    Operand old = part;
    if (stored != element) {
      old.matrix = createTemp(part.shape, element);
      if (failed(createCopy(l, current, old.matrix, part.matrix)))
        return failure();
    }
    value = select(guard, *value, old, element);
    if (failed(value))
      return failure();
  } else if (value->shape == Shape::Scalar) {
    Value scalar = linear.hoist(store.getValue());
    return createFill(l, current, part.matrix, scalar ? scalar : value->scalar);
  }
  FailureOr<Value> matrix = materialize(*value, part.shape, element);
  if (failed(matrix))
    return failure();
  if (element != stored)
    return createCast(l, current, part.matrix, *matrix, /*fits=*/true);
  // The value would change with the tile.
  bool stays = llvm::none_of(
      llvm::make_range(std::next(store->getIterator()),
                       store->getBlock()->end()),
      [&](Operation &op) { return storesTo(&op, store.getMemRef()); });
  if (!stays || !retarget(*matrix, part.matrix))
    CopyUbOp::create(b, loc(), part.matrix, *matrix);
  else
    operands[store.getValue()].matrix = part.matrix;
  return success();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

InFlightDiagnostic Vectorizer::emitNoForm(Value value) {
  Operation *def = value.getDefiningOp();
  return emitError() << "the value of '"
                     << (def ? def->getName().getStringRef()
                             : StringRef("an iteration variable"))
                     << "' has no vector form";
}

FailureOr<Vectorizer::Operand> Vectorizer::getOperand(Value value) {
  auto known = operands.find(value);
  if (known != operands.end())
    return known->second;
  if (Value before = linear.hoist(value)) {
    Operand operand;
    operand.scalar = before;
    return operand;
  }
  return emitNoForm(value);
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
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      isIndex(op->getResult(0).getType()))
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

LogicalResult mlir::tile::ascend::vectorize(KernelLowering &l,
                                            tl::ParallelOp op) {
  return Vectorizer(l, op).run();
}
