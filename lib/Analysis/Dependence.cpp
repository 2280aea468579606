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

/// What both paths know; what a path does not execute is not in its way.
static void intersect(OrderState::Executions &own,
                      OrderState::Executions others,
                      const OrderState::Executions &ownOnly,
                      const OrderState::Executions &otherOnly) {
  own |= otherOnly;
  own &= others |= ownOnly;
}

void OrderState::meet(const OrderState &other, const Executions &ownOnly,
                      const Executions &otherOnly) {
  for (auto [queue, met] : llvm::zip(queues, other.queues)) {
    intersect(queue.complete, met.complete, ownOnly, otherOnly);
    queue.issued |= met.issued;
  }
  for (auto &[flag, executions] : flags)
    if (auto at = other.flags.find(flag); at != other.flags.end())
      intersect(executions, at->second, ownOnly, otherOnly);
}

//===----------------------------------------------------------------------===//
// Cores of a block
//===----------------------------------------------------------------------===//

BlockOrder::Outcome BlockOrder::apply(unsigned core, const SyncEvent &event,
                                      const SyncModel &model) {
  OrderState &order = cores[core];
  switch (event.kind) {
  case SyncEvent::Kind::Barrier:
    order.barrier(event.to);
    return Outcome::Done;
  case SyncEvent::Kind::SetFlag:
    return order.setFlag({*event.from, *event.to, event.number},
                         order.getHistory(*event.from))
               ? Outcome::Done
               : Outcome::AlreadySet;
  case SyncEvent::Kind::WaitFlag:
    return order.waitFlag({*event.from, *event.to, event.number})
               ? Outcome::Done
               : Outcome::NotSet;
  case SyncEvent::Kind::SetCrossFlag: {
    auto &flag = crossFlags[1 - core][event.number];
    flag.push_back(order.getHistory(*event.from));
    return int64_t(flag.size()) <= model.getMostCrossFlags()
               ? Outcome::Done
               : Outcome::SetTooOften;
  }
  case SyncEvent::Kind::WaitCrossFlag: {
    auto &flag = crossFlags[core][event.number];
    if (flag.empty())
      return Outcome::Waits;
    order.wait(event.to, flag.front());
    flag.pop_front();
    return Outcome::Done;
  }
  case SyncEvent::Kind::CommitGroup:
  case SyncEvent::Kind::WaitGroups:
    break;
  }
  llvm_unreachable("groups are of threads");
}

bool BlockOrder::hasSameFlags(const BlockOrder &other) const {
  auto isSame = [](const auto &flags, const auto &others) {
    return llvm::all_of(flags, [&](const auto &flag) {
      auto at = others.find(flag.first);
      return flag.second.size() == (at == others.end() ? 0 : at->second.size());
    });
  };
  for (unsigned core : {0, 1})
    if (!cores[core].hasSameFlags(other.cores[core]) ||
        !isSame(crossFlags[core], other.crossFlags[core]) ||
        !isSame(other.crossFlags[core], crossFlags[core]))
      return false;
  return true;
}

void BlockOrder::meet(const BlockOrder &other,
                      const OrderState::Executions &ownOnly,
                      const OrderState::Executions &otherOnly) {
  for (unsigned core : {0, 1}) {
    cores[core].meet(other.cores[core], ownOnly, otherOnly);
    for (auto &[number, sets] : crossFlags[core])
      if (!sets.empty())
        for (auto [own, met] :
             llvm::zip(sets, other.crossFlags[core].at(number)))
          intersect(own, met, ownOnly, otherOnly);
  }
}

void BlockOrder::skip(const OrderState::Executions &executions) {
  for (OrderState &order : cores)
    order.skip(executions);
}
