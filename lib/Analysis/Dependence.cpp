//===- Dependence.cpp - what is complete when an instruction begins -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Dependence.h"

using namespace mlir;
using namespace mlir::tile;

void OrderState::issue(Engine engine, unsigned execution) {
  Executions &issued = get(engine).issued;
  issued.resize(std::max(issued.size(), execution + 1));
  issued.set(execution);
}

OrderState::Executions OrderState::getHistory(Engine engine) const {
  Executions history = get(engine).complete;
  return history |= get(engine).issued;
}

void OrderState::wait(std::optional<Engine> engine,
                      const Executions &executions) {
  if (engine && *engine != issuer) {
    get(*engine).complete |= executions;
    return;
  }
  // What the issuer waits for, all do.
  for (Queue &queue : queues)
    queue.complete |= executions;
}

void OrderState::barrier(std::optional<Engine> engine) {
  if (engine) {
    get(*engine).complete |= get(*engine).issued;
    return;
  }
  Executions all;
  for (Queue &queue : queues)
    all |= queue.issued;
  for (Queue &queue : queues)
    queue.complete |= all;
}

bool OrderState::setFlag(Flag flag, const Executions &executions) {
  return flags.try_emplace(flag, executions).second;
}

bool OrderState::waitFlag(Flag flag) {
  auto at = flags.find(flag);
  if (at == flags.end())
    return false;
  wait(std::get<1>(flag), at->second);
  flags.erase(at);
  return true;
}

bool OrderState::hasSameFlags(const OrderState &other) const {
  return flags.size() == other.flags.size() &&
         llvm::all_of(llvm::zip(flags, other.flags), [](auto pair) {
           return std::get<0>(pair).first == std::get<1>(pair).first;
         });
}

void OrderState::skip(const Executions &executions) {
  for (Queue &queue : queues)
    queue.complete |= executions;
}

void OrderState::meet(const OrderState &other, const Executions &ownOnly,
                      const Executions &otherOnly) {
  auto intersect = [&](Executions &own, Executions others) {
    own |= otherOnly;
    own &= others |= ownOnly;
  };
  for (auto [queue, met] : llvm::zip(queues, other.queues)) {
    intersect(queue.complete, met.complete);
    queue.issued |= met.issued;
  }
  for (auto &[flag, executions] : flags)
    if (auto at = other.flags.find(flag); at != other.flags.end())
      intersect(executions, at->second);
}
