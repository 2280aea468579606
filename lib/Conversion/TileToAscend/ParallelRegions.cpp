//===- ParallelRegions.cpp - branches and loops outside of loops ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Iterations of a `tile.parallel` are independent, so that all of them may do
// the first half of the body before any does the second: a branch or a loop
// inside becomes one outside, with a `tile.parallel` in each of its regions.
//
//===----------------------------------------------------------------------===//

#include "ParallelParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

namespace {
/// Divides one loop at the branches and loops of its body.
class ParallelSplitter {
public:
  explicit ParallelSplitter(tl::ParallelOp op)
      : b(op), op(op), loc(op.getLoc()) {}
  /// Appends the loops without branches that take its place.
  LogicalResult run(SmallVectorImpl<tl::ParallelOp> &done);

private:
  void findKept();
  bool isRecomputed(Value value);
  Value createTile(Type element);
  void openPiece();
  void store(Value value, Value tile);
  Value load(Value tile, Type type);
  Value get(Value value);
  void clone(Operation &inner);
  LogicalResult splitLoop(scf::ForOp loop);
  LogicalResult splitBranch(scf::IfOp branch);
  /// A loop with the ops of a region, from whose results `tiles` are stored.
  tl::ParallelOp createInner(Block &body, IRMapping mapping,
                             ArrayRef<Value> tiles);

  OpBuilder b;
  tl::ParallelOp op;
  Location loc;
  tl::ParallelOp piece; // being filled
  IRMapping mapping;    // of values of the body to those of the piece
  DenseSet<Value> kept;
  DenseMap<Value, Value> tiles; // of values that later pieces use
  SmallVector<tl::ParallelOp> inner;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values between pieces
//===----------------------------------------------------------------------===//

/// Indices are functions of the iteration variables: they are computed again,
/// divisions too, which happen in each iteration anyway.
bool ParallelSplitter::isRecomputed(Value value) {
  Operation *def = value.getDefiningOp();
  return def && value.getType().isIndex() && def->getNumRegions() == 0 &&
         isMemoryEffectFree(def);
}

/// The values that another piece uses than the one that computes them.
void ParallelSplitter::findKept() {
  Block &body = op.getBody().front();
  DenseMap<Operation *, unsigned> pieces;
  unsigned number = 0;
  for (Operation &inner : body) {
    bool divides = inner.getNumRegions() != 0;
    number += divides;
    pieces[&inner] = number;
    number += divides;
  }
  DenseMap<Value, DenseSet<unsigned>> uses; // beside those that the IR has
  for (Operation &inner : llvm::reverse(body))
    for (Value result : inner.getResults()) {
      DenseSet<unsigned> all = uses.lookup(result);
      for (Operation *user : result.getUsers())
        all.insert(pieces.lookup(body.findAncestorOpInBlock(*user)));
      all.erase(pieces.lookup(&inner));
      if (all.empty() || inner.getNumRegions() != 0)
        continue;
      if (!isRecomputed(result))
        kept.insert(result);
      else
        for (Value operand : inner.getOperands())
          uses[operand].insert(all.begin(), all.end());
    }
}

/// Whether a tile can hold the value.
static LogicalResult verifyKept(Operation *op, Value value) {
  if (value.getType().isIntOrFloat())
    return success();
  return op->emitError()
         << "on Ascend, a value of type " << value.getType()
         << " cannot pass a branch or a loop of 'tile.parallel'; use i32";
}

/// Conditions are kept as 1 and 0 in f32.
static Type getKeptType(Type type) {
  return type.isInteger(1) ? Type(Float32Type::get(type.getContext())) : type;
}

Value ParallelSplitter::createTile(Type element) {
  OpBuilder::InsertionGuard guard(b);
  auto kernel = op->getParentOfType<tl::KernelOp>();
  b.setInsertionPointToStart(&kernel.getBody().front());
  return createScratch(b, loc, op.getStaticExtents(), getKeptType(element));
}

void ParallelSplitter::openPiece() {
  if (piece)
    return;
  piece = createParallel(b, loc, op.getStaticExtents(), op);
  mapping.clear();
  mapping.map(op.getBody().getArguments(), piece.getBody().getArguments());
}

void ParallelSplitter::store(Value value, Value tile) {
  OpBuilder at = OpBuilder::atBlockEnd(&piece.getBody().front());
  if (value.getType().isInteger(1))
    value = arith::UIToFPOp::create(at, loc, at.getF32Type(), value);
  memref::StoreOp::create(at, loc, value, tile,
                          ValueRange(piece.getBody().getArguments()));
}

Value ParallelSplitter::load(Value tile, Type type) {
  OpBuilder at = OpBuilder::atBlockEnd(&piece.getBody().front());
  Value value = memref::LoadOp::create(
      at, loc, tile, ValueRange(piece.getBody().getArguments()));
  if (!type.isInteger(1))
    return value;
  Value zero =
      arith::ConstantOp::create(at, loc, at.getZeroAttr(value.getType()));
  return arith::CmpFOp::create(at, loc, arith::CmpFPredicate::UNE, value, zero);
}

/// A value of the body in the piece that is open.
Value ParallelSplitter::get(Value value) {
  if (!op.getBody().isAncestor(value.getParentRegion()))
    return value;
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Value result;
  if (Value tile = tiles.lookup(value)) {
    result = load(tile, value.getType());
  } else {
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      get(operand);
    OpBuilder at = OpBuilder::atBlockEnd(&piece.getBody().front());
    at.clone(*def, mapping);
    return mapping.lookup(value);
  }
  mapping.map(value, result);
  return result;
}

void ParallelSplitter::clone(Operation &inner) {
  openPiece();
  for (Value operand : inner.getOperands())
    get(operand);
  OpBuilder at = OpBuilder::atBlockEnd(&piece.getBody().front());
  at.clone(inner, mapping);
  for (Value result : inner.getResults())
    if (kept.contains(result)) {
      Value tile = createTile(result.getType());
      tiles[result] = tile;
      store(mapping.lookup(result), tile);
    }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

tl::ParallelOp ParallelSplitter::createInner(Block &body, IRMapping outer,
                                             ArrayRef<Value> targets) {
  openPiece();
  tl::ParallelOp result = piece;
  for (auto [from, to] : outer.getValueMap())
    mapping.map(from, to);
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(*body.getParent(), above);
  for (Value value : above)
    get(value);
  OpBuilder at = OpBuilder::atBlockEnd(&piece.getBody().front());
  for (Operation &inner : body.without_terminator())
    at.clone(inner, mapping);
  // All of them are read before any is written.
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(get(value));
  for (auto [value, tile] : llvm::zip_equal(yielded, targets))
    store(value, tile);
  piece = nullptr;
  inner.push_back(result);
  return result;
}

LogicalResult ParallelSplitter::splitLoop(scf::ForOp loop) {
  SmallVector<Value> carried;
  for (Value init : loop.getInitArgs()) {
    if (failed(verifyKept(loop, init)))
      return failure();
    openPiece();
    Value tile = createTile(init.getType());
    store(get(init), tile);
    carried.push_back(tile);
  }
  piece = nullptr;
  auto outer = scf::ForOp::create(b, loc, loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(outer.getBody());
    for (auto [arg, tile] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      tiles[arg] = tile;
    openPiece();
    IRMapping own;
    own.map(loop.getInductionVar(), outer.getInductionVar());
    for (BlockArgument arg : loop.getRegionIterArgs())
      own.map(arg, load(tiles.lookup(arg), arg.getType()));
    createInner(*loop.getBody(), own, carried);
  }
  for (auto [result, tile] : llvm::zip_equal(loop.getResults(), carried))
    tiles[result] = tile;
  return success();
}

LogicalResult ParallelSplitter::splitBranch(scf::IfOp branch) {
  SmallVector<Value> results;
  for (Value result : branch.getResults()) {
    if (failed(verifyKept(branch, result)))
      return failure();
    results.push_back(createTile(result.getType()));
    tiles[result] = results.back();
  }
  piece = nullptr;
  assert(!op.getBody().isAncestor(branch.getCondition().getParentRegion()) &&
         "conditions are uniform, see needsSerialLoops");
  bool hasElse = branch.elseBlock();
  auto outer = scf::IfOp::create(b, loc, branch.getCondition(), hasElse);
  OpBuilder::InsertionGuard guard(b);
  for (bool isThen : {true, false}) {
    if (!isThen && !hasElse)
      continue;
    b.setInsertionPointToStart(isThen ? outer.thenBlock() : outer.elseBlock());
    createInner(isThen ? *branch.thenBlock() : *branch.elseBlock(), IRMapping(),
                results);
  }
  return success();
}

LogicalResult ParallelSplitter::run(SmallVectorImpl<tl::ParallelOp> &done) {
  Block &body = op.getBody().front();
  if (llvm::none_of(body, [](Operation &inner) {
        return isa<scf::ForOp, scf::IfOp>(inner);
      })) {
    done.push_back(op);
    return success();
  }
  findKept();
  for (Value value : kept)
    if (failed(verifyKept(value.getDefiningOp(), value)))
      return failure();
  SmallVector<tl::ParallelOp> own;
  for (Operation &inner : body) {
    LogicalResult result = success();
    if (auto loop = dyn_cast<scf::ForOp>(inner))
      result = splitLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(inner))
      result = splitBranch(branch);
    else if (inner.getNumRegions() == 0)
      clone(inner);
    else
      result = inner.emitError() << "on Ascend, '" << inner.getName()
                                 << "' in 'tile.parallel' cannot be vectorised";
    if (failed(result))
      return failure();
    if (piece && (own.empty() || own.back() != piece))
      own.push_back(piece);
  }
  op.erase();
  llvm::append_range(done, own);
  for (tl::ParallelOp next : inner) {
    hoistUniform(next);
    if (failed(ParallelSplitter(next).run(done)))
      return failure();
  }
  return success();
}

LogicalResult
mlir::tile::ascend::splitRegions(tl::ParallelOp op,
                                 SmallVectorImpl<tl::ParallelOp> &done) {
  return ParallelSplitter(op).run(done);
}
