//===- Dependence.cpp - order of instructions -----------------------------===//
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

unsigned OrderState::getIndex(unsigned core, Flag flag) {
  auto [from, to, number] = flag;
  constexpr unsigned engines = ::tile::target::kNumEngines;
  unsigned pair = (core * engines + unsigned(from)) * engines + unsigned(to);
  return number < kChipFlags
             ? pair * kChipFlags + unsigned(number)
             : 2 * engines * engines * kChipFlags + unsigned(number);
}

void OrderState::Known::join(const Known &other) {
  complete |= other.complete;
  untaken &= other.untaken;
  for (auto [own, others] : llvm::zip(sets, other.sets))
    own = std::min(own, others);
}

OrderState::Known OrderState::getHistory(Engine engine) const {
  Known history = get(engine);
  history.complete |= get(engine).issued;
  return history;
}

bool OrderState::isTaken(Engine engine, unsigned index) const {
  const llvm::BitVector &untaken = get(engine).untaken;
  return index >= untaken.size() || !untaken.test(index);
}

void OrderState::wait(std::optional<Engine> engine, const Known &known) {
  if (engine && *engine != issuer)
    return get(*engine).join(known);
  // What the issuer waits for, all do.
  for (Queue &queue : queues)
    queue.join(known);
}

void OrderState::barrier(std::optional<Engine> engine) {
  if (engine) {
    get(*engine).complete |= get(*engine).issued;
    return;
  }
  Known all = queues.front();
  for (Queue &queue : queues) {
    all.join(queue);
    all.complete |= queue.issued;
  }
  for (Queue &queue : queues)
    queue.join(all);
}

bool OrderState::setFlag(Flag flag, Known known) {
  return flags.try_emplace(flag, std::move(known)).second;
}

bool OrderState::waitFlag(Flag flag) {
  auto at = flags.find(flag);
  if (at == flags.end())
    return false;
  wait(std::get<1>(flag), at->second);
  flags.erase(at);
  return true;
}

static void setBit(llvm::BitVector &bits, unsigned index) {
  if (bits.size() <= index)
    bits.resize(index + 1);
  bits.set(index);
}

void OrderState::take(unsigned index, std::optional<Engine> target) {
  bool isAll = target == issuer;
  for (auto [number, queue] : llvm::enumerate(queues)) {
    if (!isAll && target != Engine(unsigned(issuer) + number))
      setBit(queue.untaken, index);
    else if (index < queue.untaken.size())
      queue.untaken.reset(index);
  }
  for (auto &[flag, known] : flags)
    setBit(known.untaken, index);
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

static void learnOf(OrderState::Known &own, const OrderState::Known &other,
                    OrderState::Executions executions) {
  own.complete |= executions &= other.complete;
}

void OrderState::learn(const OrderState &other, const Executions &executions) {
  for (auto [own, others] : llvm::zip(queues, other.queues))
    learnOf(own, others, executions);
  for (auto &[flag, known] : flags)
    if (auto at = other.flags.find(flag); at != other.flags.end())
      learnOf(known, at->second, executions);
}

/// What both paths know; what a path does not execute is not in its way.
static void intersect(OrderState::Known &own, const OrderState::Known &others,
                      const OrderState::Executions &ownOnly,
                      const OrderState::Executions &otherOnly) {
  OrderState::Executions complete = others.complete;
  own.complete |= otherOnly;
  own.complete &= complete |= ownOnly;
  own.untaken |= others.untaken;
  for (auto [mine, other] : llvm::zip(own.sets, others.sets))
    mine = std::max(mine, other);
}

void OrderState::meet(const OrderState &other, const Executions &ownOnly,
                      const Executions &otherOnly) {
  for (auto [queue, met] : llvm::zip(queues, other.queues)) {
    intersect(queue, met, ownOnly, otherOnly);
    queue.issued |= met.issued;
  }
  for (auto &[flag, known] : flags)
    if (auto at = other.flags.find(flag); at != other.flags.end())
      intersect(known, at->second, ownOnly, otherOnly);
}

static void countOne(OrderState::Known &known, unsigned index) {
  if (known.sets[index] < OrderState::kManySets)
    ++known.sets[index];
}

void OrderState::countSet(unsigned crossIndex) {
  for (Queue &queue : queues)
    countOne(queue, crossIndex);
  for (auto &[flag, known] : flags)
    countOne(known, crossIndex);
}

static void zipSets(OrderState::Known &own, const OrderState::Known &other,
                    OrderState::SetsPair body) {
  for (auto [sets, others] : llvm::zip(own.sets, other.sets))
    body(sets, others);
}

void OrderState::forEachSets(const OrderState &other, SetsPair body) {
  for (auto [own, others] : llvm::zip(queues, other.queues))
    zipSets(own, others, body);
  for (auto &[flag, known] : flags)
    if (auto at = other.flags.find(flag); at != other.flags.end())
      zipSets(known, at->second, body);
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
  case SyncEvent::Kind::SetFlag: {
    OrderState::Flag flag(*event.from, *event.to, event.number);
    if (!order.setFlag(flag, order.getHistory(*event.from)))
      return Outcome::AlreadySet;
    return order.isTaken(*event.from, OrderState::getIndex(core, flag))
               ? Outcome::Done
               : Outcome::MayBeSet;
  }
  case SyncEvent::Kind::WaitFlag: {
    OrderState::Flag flag(*event.from, *event.to, event.number);
    if (!order.waitFlag(flag))
      return Outcome::NotSet;
    take(core, flag);
    return Outcome::Done;
  }
  case SyncEvent::Kind::SetCrossFlag: {
    auto &flag = crossFlags[1 - core][event.number];
    unsigned index = OrderState::getCrossIndex(1 - core, event.number);
    for (OrderState &each : cores)
      each.countSet(index);
    for (auto &flags : crossFlags)
      for (auto &[number, sets] : flags)
        for (OrderState::Known &known : sets)
          countOne(known, index);
    flag.push_back(order.getHistory(*event.from));
    return int64_t(flag.size()) <= model.getMostCrossFlags()
               ? Outcome::Done
               : Outcome::SetTooOften;
  }
  case SyncEvent::Kind::WaitCrossFlag: {
    auto &flag = crossFlags[core][event.number];
    if (flag.empty())
      return Outcome::Waits;
    OrderState::Known known = std::move(flag.front());
    flag.pop_front();
    uint8_t &sets = known.sets[OrderState::getCrossIndex(core, event.number)];
    sets = std::min<size_t>(sets, flag.size());
    order.wait(event.to, known);
    return Outcome::Done;
  }
  case SyncEvent::Kind::CommitGroup:
  case SyncEvent::Kind::WaitGroups:
    break;
  }
  llvm_unreachable("groups are of threads");
}

void BlockOrder::take(unsigned core, OrderState::Flag flag) {
  unsigned index = OrderState::getIndex(core, flag);
  cores[core].take(index, std::get<1>(flag));
  cores[1 - core].take(index, std::nullopt);
  for (auto &flags : crossFlags)
    for (auto &[number, sets] : flags)
      for (OrderState::Known &known : sets)
        setBit(known.untaken, index);
}

unsigned BlockOrder::getMostSets(unsigned core, const SyncEvent &event) const {
  const auto &flag = crossFlags[1 - core].at(event.number);
  return flag.back().sets[OrderState::getCrossIndex(1 - core, event.number)];
}

void BlockOrder::forEachSets(const BlockOrder &other,
                             OrderState::SetsPair body) {
  for (unsigned core : {0, 1}) {
    cores[core].forEachSets(other.cores[core], body);
    for (auto &[number, sets] : crossFlags[core])
      if (auto at = other.crossFlags[core].find(number);
          at != other.crossFlags[core].end())
        for (auto [own, others] : llvm::zip(sets, at->second))
          zipSets(own, others, body);
  }
}

bool BlockOrder::widenSets(const BlockOrder &earlier) {
  bool grows = false;
  forEachSets(earlier, [&](uint8_t &own, uint8_t before) {
    if (own <= before)
      return;
    own = OrderState::kManySets;
    grows = true;
  });
  return grows;
}

void BlockOrder::raiseSets(const BlockOrder &other) {
  forEachSets(
      other, [](uint8_t &own, uint8_t others) { own = std::max(own, others); });
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

void BlockOrder::learn(const BlockOrder &other,
                       const OrderState::Executions &executions) {
  for (unsigned core : {0, 1}) {
    cores[core].learn(other.cores[core], executions);
    for (auto &[number, sets] : crossFlags[core])
      if (auto at = other.crossFlags[core].find(number);
          at != other.crossFlags[core].end())
        for (auto [own, others] : llvm::zip(sets, at->second))
          learnOf(own, others, executions);
  }
}

void BlockOrder::skip(const OrderState::Executions &executions) {
  for (OrderState &order : cores)
    order.skip(executions);
}
