//===- StaggerLoops.cpp - both cores at work on several iterations --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of the new loop runs each part for the iteration that is as far back
// as the part is behind the first one:
//
//   for step = 0 to trips + last:
//     cube    O(step - 4)  S(step)
//     vector  update(step - 7)  softmax(step - 3)
//
// Instructions of iterations that do not exist are guarded, flags between the
// cores are not: as many as a part is behind are set before the loop and waited
// for behind it. So the steps before the first iteration is through and those
// behind the last one are the same code as the others, for any trip count.
//
//===----------------------------------------------------------------------===//

#include "LoopRewriter.h"

#include "Tile/Dialect/Ascend/Transforms/Memory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// The parts that write, read and release what goes from core to core.
struct Exchange {
  unsigned writes = ~0u, reads = ~0u, releases = ~0u;
  Value buffer;
  SmallVector<Operation *, 4> flags; // in the loop
};

class LoopStaggerer : public LoopRewriter {
public:
  LoopStaggerer(scf::ForOp loop, int64_t unroll, PartDistances distances,
                const Singles &singles)
      : LoopRewriter(loop, singles), unroll(unroll), distances(distances) {}
  bool run() override;

private:
  bool findExchanges();
  void findOffsets();
  void orderStep();
  std::optional<int64_t> countVersions(ArrayRef<unsigned> touching);
  bool createAllVersions();
  bool isOfOnePart(const Exchange &exchange) const {
    return exchange.writes == exchange.reads &&
           exchange.reads == exchange.releases;
  }
  int64_t countBuffers(const Exchange &exchange) const;
  int64_t countFree(const Exchange &exchange) const;
  void createLoop();
  Value createGuard(Value first, int64_t later);
  void createTemporaries(const LoopPart &part, IRMapping &mapping);
  void createPart(unsigned number, int64_t step, Value first);
  void surroundByCredits();

  int64_t unroll;
  PartDistances distances;
  std::map<int64_t, Exchange> exchanges;
  SmallVector<int64_t> offsets;     // of parts, in iterations
  SmallVector<unsigned> order;      // of parts in a step
  SmallVector<unsigned> positions;  // in `order`
  llvm::SetVector<Value> temporary; // of one part, in one step
  scf::ForOp steps;
};
} // namespace

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

static bool isFull(Operation *flag) {
  int64_t full = 2 * getTransferNumber(flag);
  if (auto set = dyn_cast<CrossCoreSetFlagOp>(flag))
    return int64_t(set.getId()) == full;
  return int64_t(cast<CrossCoreWaitFlagOp>(flag).getId()) == full;
}

/// False if a flag is not where it is looked for.
bool LoopStaggerer::findExchanges() {
  for (auto [number, part] : llvm::enumerate(parts))
    for (Operation *op : part.ops) {
      if (!isTransferFlag(op))
        continue;
      Exchange &exchange = exchanges[getTransferNumber(op)];
      exchange.flags.push_back(op);
      bool isSet = isa<CrossCoreSetFlagOp>(op);
      if (isFull(op))
        (isSet ? exchange.writes : exchange.reads) = number;
      else if (isSet)
        exchange.releases = number;
      if (!isSet || !isFull(op))
        continue;
      for (const PartTouch &touch : getTouches(op->getPrevNode()))
        if (touch.writes)
          exchange.buffer = touch.base;
    }
  return llvm::all_of(exchanges, [](const auto &entry) {
    const Exchange &exchange = entry.second;
    return exchange.writes != ~0u && exchange.reads != ~0u &&
           exchange.releases != ~0u && exchange.flags.size() == 4 &&
           exchange.buffer;
  });
}

/// Each part as early as what it takes from earlier ones lets it.
void LoopStaggerer::findOffsets() {
  offsets.assign(parts.size(), 0);
  auto touched = findTouched();
  for (unsigned number = 0; number < parts.size(); ++number) {
    int64_t &offset = offsets[number];
    for (auto &[id, exchange] : exchanges)
      if (exchange.reads == number && exchange.writes != number)
        offset = std::max(offset, offsets[exchange.writes] +
                                      (parts[exchange.writes].core == Core::Cube
                                           ? distances.fromCube
                                           : distances.fromVector));
    for (auto &[buffer, touching] : touched) {
      if (!llvm::is_contained(touching, number))
        continue;
      for (unsigned other : touching) {
        if (other >= number)
          continue;
        bool isLoaded = parts[other].isCopy &&
                        parts[other].core == Core::Vector &&
                        parts[number].core == Core::Vector;
        offset = std::max(offset,
                          offsets[other] + (isLoaded ? distances.fromCopy : 0));
      }
    }
  }
}

/// Copies first, and then what is left of the oldest iteration: its buffers are
/// free for the youngest one. But where a wait holds a core, what takes no tile
/// of the other core comes before all that does, and copies of the cube core's
/// tiles are in the order in which a step writes these.
void LoopStaggerer::orderStep() {
  order = llvm::to_vector(llvm::seq<unsigned>(0, parts.size()));
  bool holdsCore = !getSpec(loop).crossWaitOnePipe;
  SmallVector<unsigned> written(parts.size(), 0); // positions of writers
  auto sort = [&] {
    auto getRank = [&](unsigned number) {
      bool isCopy = parts[number].isCopy;
      return std::tuple(holdsCore && offsets[number] != 0, !isCopy,
                        isCopy ? written[number] : 0, -offsets[number]);
    };
    llvm::stable_sort(
        order, [&](unsigned a, unsigned c) { return getRank(a) < getRank(c); });
    positions.resize(parts.size());
    for (auto [position, number] : llvm::enumerate(order))
      positions[number] = position;
  };
  sort();
  if (!holdsCore)
    return;
  for (auto &[id, exchange] : exchanges)
    if (parts[exchange.writes].core == Core::Cube)
      written[exchange.reads] = positions[exchange.writes];
  sort();
}

/// How many buffers there have to be so that an iteration finds its own one
/// free: from where one part of it begins to where the last one ends.
std::optional<int64_t>
LoopStaggerer::countVersions(ArrayRef<unsigned> touching) {
  auto at = [&](unsigned number) {
    return std::pair(offsets[number], positions[number]);
  };
  auto [first, last] = std::minmax_element(
      touching.begin(), touching.end(),
      [&](unsigned a, unsigned c) { return at(a) < at(c); });
  int64_t count = offsets[*last] - offsets[*first] +
                  (positions[*last] >= positions[*first] ? 1 : 0);
  count = llvm::PowerOf2Ceil(std::max<int64_t>(count, 1));
  if (count > unroll)
    return std::nullopt;
  return count;
}

bool LoopStaggerer::createAllVersions() {
  DenseSet<Value> gaining = findGaining();
  for (auto &[buffer, touching] : findTouched()) {
    if (auto workspace = buffer.getDefiningOp<memref::AllocOp>()) {
      if (!countVersions(touching))
        return false;
      workspaces[workspace] = unroll;
      continue;
    }
    if (!isPrivate(buffer, loop))
      continue;
    std::optional<int64_t> count = countVersions(touching);
    if (!count)
      return false;
    bool gains = gaining.contains(buffer);
    if (touching.size() > 1 || gains)
      createVersions(buffer, std::max<int64_t>(*count, gains ? 2 : 1));
    else
      temporary.insert(buffer);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

/// Whether there is an iteration that many steps later than the first one of
/// the body.
Value LoopStaggerer::createGuard(Value first, int64_t later) {
  Value iv = createVariable(first, later);
  Value guard = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv,
                                      loop.getUpperBound());
  if (later >= 0)
    return guard;
  Value isBegun = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, iv,
                                        loop.getLowerBound());
  return arith::AndIOp::create(b, loc, isBegun, guard);
}

/// A buffer that a part fills and uses is another one in another step: it may
/// be elsewhere.
void LoopStaggerer::createTemporaries(const LoopPart &part,
                                      IRMapping &mapping) {
  for (const PartTouch &touch : getTouches(part)) {
    if (!temporary.contains(touch.base) || mapping.contains(touch.base))
      continue;
    Operation *alloc = touch.base.getDefiningOp();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(alloc);
    mapping.map(touch.base, b.clone(*alloc)->getResult(0));
  }
}

/// A part in one step. Its flags between the cores are outside of the guard,
/// but for those of an exchange within the part. These are on its other side,
/// too, so that each buffer keeps its turn whatever is left out.
void LoopStaggerer::createPart(unsigned number, int64_t step, Value first) {
  const LoopPart &part = parts[number];
  int64_t iteration = step - offsets[number];
  auto isOutside = [&](Operation *op) {
    return isTransferFlag(op) &&
           !isOfOnePart(exchanges.at(getTransferNumber(op)));
  };
  for (Operation *op : part.ops)
    if (isOutside(op) && isa<CrossCoreWaitFlagOp>(op))
      b.clone(*op);
  auto isInTurns = [&](Operation *op) {
    return isTransferFlag(op) && !isOutside(op) &&
           countBuffers(exchanges.at(getTransferNumber(op))) > 1;
  };
  auto guard = scf::IfOp::create(b, loc, createGuard(first, iteration),
                                 llvm::any_of(part.ops, isInTurns));
  {
    OpBuilder::InsertionGuard insertion(b);
    if (guard.elseBlock())
      b.setInsertionPoint(guard.elseYield());
    for (Operation *op : llvm::make_filter_range(part.ops, isInTurns))
      b.clone(*op);
    b.setInsertionPoint(guard.thenYield());
    IRMapping mapping =
        mapIteration(createVariable(first, iteration), iteration);
    if (step > 0)
      createTemporaries(part, mapping);
    for (Operation *op : part.ops)
      if (!isOutside(op))
        clone(op, mapping, iteration);
  }
  for (Operation *op : part.ops)
    if (isOutside(op) && isa<CrossCoreSetFlagOp>(op))
      b.clone(*op);
}

void LoopStaggerer::createLoop() {
  b.setInsertionPoint(loop);
  int64_t last = *llvm::max_element(offsets);
  Value end = createVariable(loop.getUpperBound(), last);
  Value count = arith::ConstantIndexOp::create(b, loc, unroll);
  Value stride = arith::MulIOp::create(b, loc, loop.getStep(), count);
  if (auto step = getConstantIntValue(loop.getStep()))
    stride = arith::ConstantIndexOp::create(b, loc, *step * unroll);
  steps = scf::ForOp::create(b, loc, loop.getLowerBound(), end, stride);
  b.setInsertionPointToStart(steps.getBody());
  for (int64_t step = 0; step < unroll; ++step)
    for (unsigned number : order)
      createPart(number, step, steps.getInductionVar());
}

int64_t LoopStaggerer::countBuffers(const Exchange &exchange) const {
  if (auto workspace = exchange.buffer.getDefiningOp<memref::AllocOp>())
    return workspaces.lookup(workspace);
  auto at = versions.find(exchange.buffer);
  return at == versions.end() ? 1 : at->second.size();
}

/// The buffers that are free before the first step, in which the part that
/// releases them is behind already.
int64_t LoopStaggerer::countFree(const Exchange &exchange) const {
  return countBuffers(exchange) -
         (offsets[exchange.releases] - offsets[exchange.writes]);
}

/// What is set before the loop, and waited for behind it: a free flag for each
/// buffer that is free at the beginning, and a full one for each iteration that
/// the reader is behind.
void LoopStaggerer::surroundByCredits() {
  loop->getParentOfType<tl::KernelOp>().walk([&](Operation *op) {
    if (isTransferFlag(op) && exchanges.count(getTransferNumber(op)) &&
        !loop->isAncestor(op) && !steps->isAncestor(op))
      op->erase();
  });
  auto repeat = [&](Operation *flag, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      b.clone(*flag);
  };
  auto forEach = [&](bool isSet) {
    for (auto &[id, exchange] : exchanges)
      for (Operation *flag : exchange.flags)
        if (isa<CrossCoreSetFlagOp>(flag) == isSet)
          repeat(flag, isFull(flag)
                           ? offsets[exchange.reads] - offsets[exchange.writes]
                           : countFree(exchange));
  };
  b.setInsertionPoint(steps);
  forEach(/*isSet=*/true);
  b.setInsertionPointAfter(steps);
  forEach(/*isSet=*/false);
}

bool LoopStaggerer::run() {
  parts = separateCopies(getLoopParts(loop));
  if (parts.size() < 2 || !findExchanges())
    return false;
  findOffsets();
  orderStep();
  if (!createAllVersions())
    return false;
  for (auto &[id, exchange] : exchanges) {
    int64_t free = countFree(exchange);
    if (free < 0 || (free == 0 && positions[exchange.releases] >=
                                      positions[exchange.writes]))
      return false;
  }
  createLoop();
  surroundByCredits();
  loop.erase();
  return true;
}

std::unique_ptr<LoopRewriter>
mlir::tile::ascend::createStaggering(scf::ForOp loop, int64_t unroll,
                                     PartDistances distances,
                                     const Singles &singles) {
  return std::make_unique<LoopStaggerer>(loop, unroll, distances, singles);
}
