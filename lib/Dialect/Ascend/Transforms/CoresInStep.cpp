//===- CoresInStep.cpp - the order of two cores, loop by loop -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of a kernel without a count of iterations. What a core gets from
// a flag of the other one does not depend on how far either has run: a flag is
// set by one core, and its sets are taken in their order.
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

HappensBefore::HappensBefore(SectionOp cube, SectionOp vector)
    : code(*cube->getParentRegion()), core(Core::Cube),
      isJoint(true), countsSets(true),
      sections{&cube.getBody(), &vector.getBody()},
      model(getSpec(cube)), state(AscendSyncModel::getStart()),
      scalars(cube.getContext()) {}

/// Whether the op, or one in it, waits for the other core or signals to it.
static bool meetsOther(Operation *op) {
  auto result = op->walk([](Operation *inner) {
    return isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Runs a core up to where it waits for the other one, or to a loop or branch
/// that does. Whether it has come any further.
bool HappensBefore::runUntilHeld(unsigned of, Block &block,
                                 Block::iterator &at) {
  Block::iterator before = at;
  for (core = Core(of); at != block.end() && !failed(); ++at) {
    Operation *op = &*at;
    if (op->getNumRegions() != 0 && meetsOther(op))
      break;
    if (auto wait = dyn_cast<CrossCoreWaitFlagOp>(op)) {
      const auto &flags = state.getCrossFlags(of);
      auto flag = flags.find(int64_t(wait.getId()));
      if (flag == flags.end() || flag->second.empty())
        break;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      runLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      runBranch(branch);
    else
      runOp(op);
  }
  return at != before;
}

void HappensBefore::runInStep(Blocks blocks) {
  std::array<Block::iterator, 2> at{blocks[0]->begin(), blocks[1]->begin()};
  auto isAtEnd = [&](unsigned of) { return at[of] == blocks[of]->end(); };
  while (!failed()) {
    bool moves = runUntilHeld(0, *blocks[0], at[0]);
    moves |= !failed() && runUntilHeld(1, *blocks[1], at[1]);
    if (moves)
      continue;
    if (isAtEnd(0) && isAtEnd(1))
      return;
    isUndecided = isAtEnd(0) || isAtEnd(1);
    if (!failed())
      runInStep(&*at[0]++, &*at[1]++);
  }
}

void HappensBefore::runInStep(Operation *cube, Operation *vector) {
  auto isSame = [&](Value a, Value c) {
    return scalars.getDifference(scalars.get(a), scalars.get(c)) == 0;
  };
  auto loop = dyn_cast<scf::ForOp>(cube), other = dyn_cast<scf::ForOp>(vector);
  if (loop && other && isSame(loop.getLowerBound(), other.getLowerBound()) &&
      isSame(loop.getUpperBound(), other.getUpperBound()) &&
      isSame(loop.getStep(), other.getStep()))
    return runLoopsInStep(loop, other);
  auto branch = dyn_cast<scf::IfOp>(cube), also = dyn_cast<scf::IfOp>(vector);
  if (branch && also && isSame(branch.getCondition(), also.getCondition()))
    return runBranchesInStep(branch, also);
  isUndecided = true;
}

/// The variables of the two loops are the same in the same iteration; of two
/// different ones nothing is known.
void HappensBefore::bindIterations(scf::ForOp cube, scf::ForOp vector) {
  for (scf::ForOp loop : {cube, vector}) {
    scalars.bind(loop.getInductionVar());
    for (Value carried : loop.getRegionIterArgs())
      scalars.bind(carried);
  }
  if (!repetition.loop)
    scalars.bind(vector.getInductionVar(), scalars.get(cube.getInductionVar()));
}

/// As runLoop().
void HappensBefore::runLoopsInStep(scf::ForOp cube, scf::ForOp vector) {
  partners[cube] = vector;
  partners[vector] = cube;
  BlockOrder before = state;
  unsigned begin = executed;
  if (!repetition.loop)
    begins[cube] = begins[vector] = begin;
  bindIterations(cube, vector);
  runInStep(Blocks{cube.getBody(), vector.getBody()});
  if (getTrips(cube).repeats && !repetition.loop && !failed()) {
    BlockOrder once = state;
    repetition = {cube, begin, executed, vector};
    repeat(once, [&] {
      bindIterations(cube, vector);
      runInStep(Blocks{cube.getBody(), vector.getBody()});
    });
    if (!failed())
      checkSameFlags(once, cube);
    once.raiseSets(state);
    state = std::move(once);
  }
  if (!getTrips(cube).runs && !failed())
    meet(before, begin, begin, executed, cube);
}

/// As runBranch().
void HappensBefore::runBranchesInStep(scf::IfOp cube, scf::IfOp vector) {
  if (isAssumed(cube))
    return runInStep(Blocks{cube.thenBlock(), vector.thenBlock()});
  BlockOrder before = state;
  unsigned begin = executed;
  runInStep(Blocks{cube.thenBlock(), vector.thenBlock()});
  if (failed())
    return;
  BlockOrder taken = std::move(state);
  unsigned middle = executed;
  state = std::move(before);
  Executions others(middle);
  state.skip(others.set(begin, middle));
  Block none;
  auto getElse = [&](scf::IfOp branch) {
    return branch.elseBlock() ? branch.elseBlock() : &none;
  };
  runInStep(Blocks{getElse(cube), getElse(vector)});
  if (!failed())
    meet(taken, begin, middle, executed, cube);
}
