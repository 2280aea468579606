//===- Steps.cpp - iterations of a thread in lockstep ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "Models.h"

#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Conversion/Common.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// The coordinates of steps; steps that share one have the same value.
class Coordinates {
public:
  Coordinates(Location loc, const ThreadMap &map, KernelLowering &l)
      : loc(loc), map(map), l(l), known(map.rank()) {}

  SmallVector<Value> get(ArrayRef<int64_t> part) {
    SmallVector<Value> found;
    for (auto [dim, value] :
         llvm::enumerate(map.getCoordinates(l.builder(), loc, part))) {
      Value &iv = known[dim][part[dim]];
      if (!iv)
        iv = make(part[dim], value);
      found.push_back(iv);
    }
    return found;
  }
  /// Behind a branch, values of before it are of no use.
  void forget() {
    for (auto &values : known)
      values.clear();
  }

private:
  Value make(int64_t part, Value value) {
    Value iv = l.toIndex(loc, value);
    if (!getConstantIntValue(iv))
      l.getState<ParallelScope>().registerParts[iv] = part;
    return iv;
  }

  Location loc;
  const ThreadMap &map;
  KernelLowering &l;
  SmallVector<llvm::SmallDenseMap<int64_t, Value>> known;
};

//===----------------------------------------------------------------------===//
// Lockstep
//===----------------------------------------------------------------------===//

class Lockstep {
public:
  Lockstep(OpBuilder &b, MutableArrayRef<IRMapping> steps)
      : b(b), steps(steps) {}

  /// Clones the ops of a block; the outermost ones become part of `clones`.
  void clone(Block &block, SmallVectorImpl<Operation *> *clones);

private:
  bool isSame(Operation *op, const IRMapping &x, const IRMapping &y) const {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return x.lookupOrDefault(operand) == y.lookupOrDefault(operand);
    });
  }
  void cloneEach(Operation &op, SmallVectorImpl<Operation *> *clones);
  void clonePair(Operation &op, IRMapping &first, IRMapping &second);
  Operation *cloneBranch(scf::IfOp op);
  void cloneBranchBlock(Block &from, Block &to);

  OpBuilder &b;
  MutableArrayRef<IRMapping> steps;
};
} // namespace

void Lockstep::clone(Block &block, SmallVectorImpl<Operation *> *clones) {
  for (Operation &op : block) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch) {
      if (!isa<scf::YieldOp>(op))
        cloneEach(op, clones);
      continue;
    }
    for (size_t first = 0, end = 0; first < steps.size(); first = end) {
      while (end < steps.size() && isSame(&op, steps[first], steps[end]))
        ++end;
      Lockstep part(b, steps.slice(first, end - first));
      Operation *joint = part.cloneBranch(branch);
      if (clones)
        clones->push_back(joint);
    }
  }
}

/// Whether there are instructions that do such a conversion for two numbers.
static bool convertsPairs(Operation &op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return false;
  Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  return isa<FloatType>(from) && isa<FloatType>(to) &&
         (from.getIntOrFloatBitWidth() == 8 ||
          (from.isF32() && to.getIntOrFloatBitWidth() <= 16));
}

/// A conversion of two steps at once.
void Lockstep::clonePair(Operation &op, IRMapping &first, IRMapping &second) {
  Location loc = op.getLoc();
  Value from = op.getOperand(0);
  Value pair = vector::FromElementsOp::create(
      b, loc, VectorType::get(2, from.getType()),
      ValueRange{first.lookupOrDefault(from), second.lookupOrDefault(from)});
  Operation *copy = b.clone(op);
  copy->setOperand(0, pair);
  Value result = copy->getResult(0);
  result.setType(VectorType::get(2, result.getType()));
  first.map(op.getResult(0),
            vector::ExtractOp::create(b, loc, result, ArrayRef<int64_t>{0}));
  second.map(op.getResult(0),
             vector::ExtractOp::create(b, loc, result, ArrayRef<int64_t>{1}));
}

void Lockstep::cloneEach(Operation &op, SmallVectorImpl<Operation *> *clones) {
  bool pairs = convertsPairs(op);
  bool isRepeatable = op.getNumRegions() == 0 &&
                      (isMemoryEffectFree(&op) || isa<memref::LoadOp>(op));
  for (size_t i = 0; i < steps.size(); ++i) {
    const IRMapping *same =
        isRepeatable ? llvm::find_if(steps.take_front(i),
                                     [&](const IRMapping &earlier) {
                                       return isSame(&op, earlier, steps[i]);
                                     })
                     : &steps[i];
    if (same != &steps[i]) {
      for (Value result : op.getResults())
        steps[i].map(result, same->lookup(result));
      continue;
    }
    if (pairs && i + 1 < steps.size() && !isSame(&op, steps[i], steps[i + 1])) {
      clonePair(op, steps[i], steps[i + 1]);
      ++i;
      continue;
    }
    Operation *copy = b.clone(op, steps[i]);
    if (clones)
      clones->push_back(copy);
  }
}

/// One branch with the results of all steps.
Operation *Lockstep::cloneBranch(scf::IfOp op) {
  SmallVector<Type> types;
  for (size_t i = 0; i < steps.size(); ++i)
    llvm::append_range(types, op.getResultTypes());
  bool hasElse = !op.getElseRegion().empty();
  auto joint = scf::IfOp::create(
      b, op.getLoc(), types, steps[0].lookupOrDefault(op.getCondition()), hasElse);
  cloneBranchBlock(*op.thenBlock(), *joint.thenBlock());
  if (hasElse)
    cloneBranchBlock(*op.elseBlock(), *joint.elseBlock());
  unsigned number = 0;
  for (IRMapping &step : steps)
    for (Value result : op.getResults())
      step.map(result, joint.getResult(number++));
  return joint;
}

void Lockstep::cloneBranchBlock(Block &from, Block &to) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&to);
  clone(from, nullptr);
  SmallVector<Value> yielded;
  for (IRMapping &step : steps)
    for (Value value : from.getTerminator()->getOperands())
      yielded.push_back(step.lookupOrDefault(value));
  if (!yielded.empty())
    scf::YieldOp::create(b, from.getTerminator()->getLoc(), yielded);
}

//===----------------------------------------------------------------------===//
// How many
//===----------------------------------------------------------------------===//

/// Whether iterations may take this op of theirs together.
static bool staysInLockstep(Operation *op) {
  auto atomic = dyn_cast<AtomicOp>(op);
  if (atomic && atomic.getOld() && !atomic.getOld().use_empty())
    return false;
  // A place of the thread, which its iterations use one after the other.
  bool isPrivate = llvm::any_of(op->getOperands(), [](Value operand) {
    return isa<MemRefType>(operand.getType()) &&
           getMemorySpace(operand) == MemorySpace::Local;
  });
  return !isPrivate &&
         (isa<memref::LoadOp, memref::StoreOp, AtomicOp, scf::IfOp,
              scf::YieldOp>(op) ||
          (op->getNumRegions() == 0 && isMemoryEffectFree(op)));
}

/// Whether `op` updates the element behind the one that the op before it
/// updates.
static bool continuesUpdates(Operation *op) {
  auto next = dyn_cast<AtomicOp>(op);
  auto atomic = dyn_cast_or_null<AtomicOp>(op->getPrevNode());
  if (!next || !atomic || next.isTileForm() ||
      next.getTarget() != atomic.getTarget() ||
      next.getTargetMap() != atomic.getTargetMap() ||
      (next.getTargetMap() && !next.getTargetMap()->isIdentity()) ||
      next.getTargetIndices().empty() || atomic.isTileForm())
    return false;
  SymbolicExprs exprs(op->getContext(), [](Operation *) {
    return SymbolicExprs::Identity::Operation;
  });
  return llvm::equal(next.getTargetIndices().drop_back(),
                     atomic.getTargetIndices().drop_back()) &&
         exprs.getDifference(exprs.get(next.getTargetIndices().back()),
                             exprs.get(atomic.getTargetIndices().back())) == 1;
}

/// How many steps of a thread may be one vector in memory. Those that touch
/// registers alone gain where they share branches or are converted in pairs. An
/// iteration that updates neighbours is one instruction by itself.
static int64_t countTogether(ParallelOp loop, KernelLowering &l) {
  int64_t bits = 0;
  bool gains = false;
  WalkResult result = loop.getBody().walk([&](Operation *op) {
    if (!staysInLockstep(op) || continuesUpdates(op))
      return WalkResult::interrupt();
    gains |= isa<scf::IfOp>(op) || convertsPairs(*op);
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType())) {
        gains |= getMemorySpace(type) != MemorySpace::Fragment;
        bits = std::max(bits, getElementBits(type.getElementType()));
      }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || !gains || bits == 0)
    return 1;
  return std::max<int64_t>(1, 8 * l.getGPU().vectorBytes / bits);
}

void simt::emitSteps(ParallelOp loop, const ThreadMap &map, KernelLowering &l,
                     SmallVectorImpl<Operation *> &clones, int64_t first,
                     std::optional<int64_t> last) {
  OpBuilder &b = l.builder();
  Location loc = loop.getLoc();
  Block &body = loop.getBody().front();
  int64_t end = last.value_or(map.numRegisters());
  Coordinates coordinates(loc, map, l);
  SmallVector<IRMapping> steps;
  auto flush = [&] {
    Lockstep(b, steps).clone(body, &clones);
    steps.clear();
  };
  int64_t together = countTogether(loop, l);
  // Neighbours exist together where rows end with a whole run of them.
  int64_t run = std::min(together, map.getRun());
  while ((map.rank() > 0 && map.getShape().back() % run != 0) ||
         (first | end) % run != 0)
    run /= 2;
  for (int64_t reg = first; reg < end; reg += run) {
    auto part = map.getRegisterPart(reg);
    if (!part)
      continue;
    Value exists = map.getExistence(b, loc, *part);
    if (exists)
      flush();
    l.inIf(loc, exists, [&] {
      if (exists)
        coordinates.forget();
      for (int64_t i = 0; i < run; ++i)
        steps.emplace_back().map(
            body.getArguments(),
            coordinates.get(*map.getRegisterPart(reg + i)));
      if (exists || int64_t(steps.size()) >= together)
        flush();
    });
    if (exists)
      coordinates.forget();
  }
  flush();
}

void simt::emitStepsInLoop(ParallelOp loop, const ThreadMap &map,
                           KernelLowering &l,
                           SmallVectorImpl<Operation *> &clones) {
  OpBuilder &b = l.builder();
  Location loc = loop.getLoc();
  Block &body = loop.getBody().front();
  int64_t run = std::min(countTogether(loop, l), map.getRun());
  while (map.getShape().back() % run != 0)
    run /= 2;
  l.forEachRegister(loc, map.numRegisters() / run, [&](Value number) {
    Value reg = b.createOrFold<arith::MulIOp>(loc, number, l.i32(loc, run));
    ThreadMap::Element first = map.getElement(b, loc, reg);
    l.inIf(loc, first.exists, [&] {
      SmallVector<Value> ivs;
      for (Value coordinate : first.coordinates)
        ivs.push_back(l.toIndex(loc, coordinate));
      Value last = ivs.back();
      SmallVector<IRMapping> steps(run);
      for (auto [i, step] : llvm::enumerate(steps)) {
        ivs.back() = b.createOrFold<arith::AddIOp>(loc, last,
                                                   constantIndex(b, loc, i));
        step.map(body.getArguments(), ivs);
      }
      Lockstep(b, steps).clone(body, &clones);
    });
  });
}

//===----------------------------------------------------------------------===//
// Serial loops
//===----------------------------------------------------------------------===//

// The ops that a serial loop may become in lockstep, and one after the other in
// all iterations of a thread.
static constexpr int64_t kMaxLockstepOps = 256, kMaxUnrolledOps = 4096;
// Of vectors that the iterations of one loop have under way.
static constexpr int64_t kMaxVectors = 8;

/// Whether iterations of a serial loop may be in lockstep, and may be vectors
/// in memory then. Nothing is read that another iteration writes, and one op
/// writes to each buffer, so that the last value stays the last. Arguments may
/// be one memory.
static bool gainsInLockstep(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> read, written, varying{loop.getInductionVar()};
  bool gains = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return varying.contains(value); }))
      varying.insert_range(op.getResults());
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!load && !store) {
      if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
        return false;
      continue;
    }
    Value buffer = load ? load.getMemRef() : store.getMemRef();
    MemorySpace space = getMemorySpace(buffer);
    buffer = space == MemorySpace::Global ? Value() : getBaseBuffer(buffer);
    if (load)
      read.insert(buffer);
    else if (!written.insert(buffer).second)
      return false;
    ValueRange indices = load ? load.getIndices() : store.getIndices();
    gains |= (space == MemorySpace::Global || space == MemorySpace::Shared) &&
             !indices.empty() && varying.contains(indices.back());
  }
  return gains && llvm::none_of(written, [&](Value buffer) {
           return read.contains(buffer);
         });
}

/// Whether iterations use different elements of what a thread keeps: written
/// out, these are registers.
static bool indexesRegisters(scf::ForOp loop) {
  llvm::SmallDenseSet<Value> varying{loop.getInductionVar()};
  return loop.getBody()
      ->walk<WalkOrder::PreOrder>([&](Operation *op) {
        auto varies = [&](Value value) { return varying.contains(value); };
        if (llvm::any_of(op->getOperands(), varies))
          varying.insert_range(op->getResults());
        auto load = dyn_cast<memref::LoadOp>(op);
        auto store = dyn_cast<memref::StoreOp>(op);
        if (!load && !store)
          return WalkResult::advance();
        Value buffer = load ? load.getMemRef() : store.getMemRef();
        ValueRange indices = load ? load.getIndices() : store.getIndices();
        return getMemorySpace(buffer) == MemorySpace::Local &&
                       llvm::any_of(indices, varies)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The iterations of a loop that may be written out: one by one, or in
/// lockstep.
static int64_t countUnrolled(scf::ForOp loop, bool inLockstep, int64_t steps,
                             KernelLowering &l) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  if (loop.getNumResults() != 0 || !count || count->ult(2) ||
      !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getStep()))
    return 0;
  int64_t ops = 0, bits = 8;
  loop.getBody()->walk([&](Operation *op) {
    ++ops;
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        bits = std::max(bits, getElementBits(type.getElementType()));
  });
  int64_t most = kMaxUnrolledOps / (ops * steps);
  if (inLockstep)
    most = std::min(kMaxVectors * 8 * l.getGPU().vectorBytes / bits,
                    kMaxLockstepOps / ops);
  return count->ule(most) ? count->getZExtValue() : 0;
}

void simt::unrollSerialLoops(ParallelOp parallel, int64_t steps,
                             KernelLowering &l) {
  // Inner loops first.
  SmallVector<scf::ForOp> loops;
  parallel.getBody().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  OpBuilder &b = l.builder();
  OpBuilder::InsertionGuard guard(b);
  for (scf::ForOp loop : loops) {
    bool inLockstep = gainsInLockstep(loop);
    int64_t count = inLockstep || indexesRegisters(loop)
                        ? countUnrolled(loop, inLockstep, steps, l)
                        : 0;
    if (count == 0)
      continue;
    b.setInsertionPoint(loop);
    int64_t first = *getConstantIntValue(loop.getLowerBound()),
            step = *getConstantIntValue(loop.getStep());
    SmallVector<IRMapping> iterations(count);
    Type type = loop.getInductionVar().getType();
    for (auto [i, iteration] : llvm::enumerate(iterations))
      iteration.map(loop.getInductionVar(),
                    arith::ConstantOp::create(
                        b, loop.getLoc(),
                        b.getIntegerAttr(type, first + int64_t(i) * step)));
    if (inLockstep)
      Lockstep(b, iterations).clone(*loop.getBody(), nullptr);
    else
      for (IRMapping &iteration : iterations)
        for (Operation &op : loop.getBody()->without_terminator())
          b.clone(op, iteration);
    loop.erase();
  }
}
