//===- FlagAssignment.cpp - flags become those of the chip ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A colouring: groups of flags between the same pipes clash if one is set where
// the other one is set, or may be.
//
//===----------------------------------------------------------------------===//

#include "FlagAssignment.h"

#include "mlir/IR/Remarks.h"

#include <set>

using namespace mlir;
using namespace mlir::tile::ascend;
using mlir::tile::OrderState;

// Two groups this many ops apart lose little as one.
static constexpr unsigned kNear = 8;
static constexpr unsigned kMostOrders = 64;

namespace {
class FlagAssigner {
public:
  FlagAssigner(Region &code, HappensBefore &order, int64_t count,
               function_ref<bool(const FlagClash &)> orderClash, bool isTrial)
      : code(code), order(order), count(count), orderClash(orderClash),
        isTrial(isTrial) {}
  std::optional<PipePair> run();

private:
  struct Group {
    SmallVector<Operation *, 4> ops; // in the order of the text
    std::set<int64_t> clashing;      // groups and ids of the chip
    std::optional<int64_t> id;
  };
  void collect();
  bool choose(Group &group) const;
  void colour();
  bool verify();
  void makeRoom(int64_t number);
  bool mergeTwo(const Group &group, unsigned most);
  std::optional<unsigned> getDistance(const Group &a, const Group &c) const;
  void merge(Group &a, Group &c);
  bool orderOwn();
  bool orderSome(int64_t number);
  void replaceByBarriers(Group &group);

  Region &code;
  HappensBefore &order;
  int64_t count;
  function_ref<bool(const FlagClash &)> orderClash;
  bool isTrial;
  std::optional<PipePair> shortage;
  unsigned orders = 0;
  std::vector<FlagClash> clashes;
  // Those that only the ids of the chip show.
  std::vector<std::pair<int64_t, int64_t>> furtherClashes;
  std::map<int64_t, Group> groups; // by the number of their flag
  DenseMap<Operation *, unsigned> positions;
};
} // namespace

static int64_t getNumber(Operation *op) {
  if (auto set = dyn_cast<SetFlagOp>(op))
    return set.getId();
  return cast<WaitFlagOp>(op).getId();
}

static PipePair getPipes(Operation *op) {
  if (auto set = dyn_cast<SetFlagOp>(op))
    return {set.getSrc(), set.getDst()};
  auto wait = cast<WaitFlagOp>(op);
  return {wait.getSrc(), wait.getDst()};
}

void FlagAssigner::collect() {
  clashes = order.findClashes();
  groups.clear();
  positions.clear();
  code.walk<WalkOrder::PreOrder>([&](Operation *op) {
    positions[op] = positions.size();
    if (isa<SetFlagOp, WaitFlagOp>(op) &&
        getNumber(op) >= OrderState::kChipFlags)
      groups[getNumber(op)].ops.push_back(op);
  });
  for (const FlagClash &clash : clashes) {
    int64_t a = getNumber(clash.set), c = getNumber(clash.other);
    for (auto [own, other] : {std::pair(a, c), std::pair(c, a)})
      if (auto at = groups.find(own); at != groups.end())
        at->second.clashing.insert(other);
  }
  for (auto [a, c] : furtherClashes)
    for (auto [own, other] : {std::pair(a, c), std::pair(c, a)})
      if (auto at = groups.find(own); at != groups.end())
        at->second.clashing.insert(other);
}

/// The lowest id that is free.
bool FlagAssigner::choose(Group &group) const {
  llvm::SmallBitVector taken(OrderState::kChipFlags);
  for (int64_t other : group.clashing) {
    auto at = groups.find(other);
    if (at == groups.end())
      taken.set(other);
    else if (at->second.id)
      taken.set(*at->second.id);
  }
  int64_t id = taken.find_first_unset();
  if (id < 0 || id >= count)
    return false;
  group.id = id;
  return true;
}

/// How many ops lie between the flags of two groups; nothing if they cannot be
/// one: raised where the later one was, taken where the earlier one was.
std::optional<unsigned> FlagAssigner::getDistance(const Group &a,
                                                  const Group &c) const {
  if (a.ops.size() != c.ops.size())
    return std::nullopt;
  unsigned distance = 0, at = 0;
  for (auto [x, y] : llvm::zip(a.ops, c.ops)) {
    if (x->getName() != y->getName() || x->getBlock() != y->getBlock())
      return std::nullopt;
    // A pair of references: what it is of has names.
    unsigned atX = positions.lookup(x), atY = positions.lookup(y);
    auto [first, last] = std::minmax(atX, atY);
    unsigned merged = isa<SetFlagOp>(x) ? last : first;
    if (merged < at)
      return std::nullopt;
    at = merged;
    distance += last - first;
  }
  return distance;
}

void FlagAssigner::merge(Group &a, Group &c) {
  auto [from, to] = getPipes(a.ops.front());
  if (!isTrial)
    remark::missed(
        a.ops.front()->getLoc(),
        remark::RemarkOpts::name("MergedFlags").category("ascend-insert-sync"))
        << remark::reason("two flags are one: all event ids from {0} to {1} "
                          "are in use",
                          stringifyPipe(from), stringifyPipe(to));
  for (auto [own, other] : llvm::zip(a.ops, c.ops)) {
    bool isSet = isa<SetFlagOp>(own);
    if (isSet == (positions[own] < positions[other])) {
      if (isSet)
        own->moveAfter(other);
      else
        own->moveBefore(other);
    }
    other->erase();
  }
}

/// Of the group and those that it clashes with, the two that are nearest.
bool FlagAssigner::mergeTwo(const Group &group, unsigned most) {
  SmallVector<Group *> all{const_cast<Group *>(&group)};
  for (int64_t other : group.clashing)
    if (auto at = groups.find(other); at != groups.end())
      all.push_back(&at->second);
  std::optional<unsigned> least;
  std::pair<Group *, Group *> nearest;
  for (auto [i, a] : llvm::enumerate(all))
    for (Group *c : ArrayRef(all).drop_front(i + 1))
      if (auto distance = getDistance(*a, *c);
          distance && *distance <= most && (!least || *distance < *least)) {
        least = distance;
        nearest = {a, c};
      }
  if (least)
    merge(*nearest.first, *nearest.second);
  return least.has_value();
}

/// Two flags that became one may be set again before the wait is over, which other ids do not mend: the wait comes before.
bool FlagAssigner::orderOwn() {
  auto own = llvm::find_if(clashes, [](const FlagClash &clash) {
    return isa<WaitFlagOp>(clash.other) &&
           getNumber(clash.set) == getNumber(clash.other) &&
           getNumber(clash.set) >= OrderState::kChipFlags;
  });
  return own != clashes.end() && ++orders <= kMostOrders && orderClash(*own);
}

/// Has about half of the waits that may be still to come, come before.
bool FlagAssigner::orderSome(int64_t number) {
  SmallVector<const FlagClash *> open;
  for (const FlagClash &clash : clashes)
    if (getNumber(clash.set) == number && isa<WaitFlagOp>(clash.other))
      open.push_back(&clash);
  if (open.empty() || ++orders > kMostOrders)
    return false;
  llvm::sort(open, [&](const FlagClash *a, const FlagClash *c) {
    return std::pair(!a->loop, positions[a->other]) <
           std::pair(!c->loop, positions[c->other]);
  });
  return orderClash(*open[open.size() / 2]);
}

void FlagAssigner::replaceByBarriers(Group &group) {
  for (Operation *op : group.ops) {
    if (auto wait = dyn_cast<WaitFlagOp>(op)) {
      remark::missed(op->getLoc(), remark::RemarkOpts::name("FullBarrier")
                                       .category("ascend-insert-sync"))
          << remark::reason("all event ids from {0} to {1} are in use",
                            stringifyPipe(wait.getSrc()),
                            stringifyPipe(wait.getDst()));
      OpBuilder b(op);
      auto barrier = PipeBarrierOp::create(b, op->getLoc(), Pipe::All);
      barrier->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    }
    op->erase();
  }
}

void FlagAssigner::makeRoom(int64_t number) {
  Group &group = groups.at(number);
  if (mergeTwo(group, kNear))
    return;
  if (!shortage)
    shortage = getPipes(group.ops.front());
  if (!isTrial && !orderSome(number) && !mergeTwo(group, ~0u))
    replaceByBarriers(group);
}

static void setNumber(Operation *op, int64_t number) {
  if (auto set = dyn_cast<SetFlagOp>(op))
    set.setId(number);
  else
    cast<WaitFlagOp>(op).setId(number);
}

/// Whether the ids hold; what they show otherwise becomes a clash, and the
/// flags have their own numbers again.
bool FlagAssigner::verify() {
  order.run();
  std::optional<FlagProblem> problem = order.getProblem();
  if (!problem || !problem->other || furtherClashes.size() == kMostOrders)
    return true;
  DenseMap<Operation *, int64_t> numbers;
  for (auto &[number, group] : groups)
    for (Operation *op : group.ops)
      numbers[op] = number;
  auto a = numbers.find(problem->op), c = numbers.find(problem->other);
  // A flag that clashes with itself is nothing that another id mends.
  if (a == numbers.end() || c == numbers.end() || a->second == c->second)
    return true;
  furtherClashes.emplace_back(a->second, c->second);
  for (auto [op, number] : numbers)
    setNumber(op, number);
  return false;
}

std::optional<PipePair> FlagAssigner::run() {
  do
    colour();
  while (!(isTrial && shortage) && !verify());
  return shortage;
}

void FlagAssigner::colour() {
  auto assign = [&] {
    collect();
    if (orderOwn())
      return false;
    for (auto &[number, group] : groups)
      if (!choose(group)) {
        makeRoom(number);
        return false;
      }
    return true;
  };
  while (!assign())
    if (isTrial && shortage)
      return;
  for (auto &[number, group] : groups)
    for (Operation *op : group.ops)
      setNumber(op, *group.id);
}

std::optional<PipePair> mlir::tile::ascend::assignFlags(
    Region &code, HappensBefore &order, int64_t count,
    function_ref<bool(const FlagClash &)> orderClash, bool isTrial) {
  return FlagAssigner(code, order, count, orderClash, isTrial).run();
}

static void setCrossId(Operation *op, int64_t id) {
  if (auto set = dyn_cast<CrossCoreSetFlagOp>(op))
    set.setId(id);
  else
    cast<CrossCoreWaitFlagOp>(op).setId(id);
}

LogicalResult mlir::tile::ascend::assignCrossFlags(Region &code, int64_t count,
                                                   bool isTrial) {
  // By their number and the core that counts them.
  std::map<std::pair<int64_t, unsigned>, SmallVector<Operation *>> flags;
  code.walk([&](Operation *op) {
    unsigned core = unsigned(getCoreOf(op).value_or(Core::Cube));
    if (auto set = dyn_cast<CrossCoreSetFlagOp>(op))
      flags[{set.getId(), 1 - core}].push_back(op);
    if (auto wait = dyn_cast<CrossCoreWaitFlagOp>(op))
      flags[{wait.getId(), core}].push_back(op);
  });
  std::array<llvm::SmallBitVector, 2> taken;
  taken.fill(llvm::SmallBitVector(count + 1));
  for (auto &[flag, ops] : flags)
    if (flag.first < count)
      taken[flag.second].set(flag.first);
  for (auto &[flag, ops] : flags) {
    auto [number, core] = flag;
    if (number < count)
      continue;
    int64_t id = (taken[0] | taken[1]).find_first_unset();
    bool isShared = id == count;
    if (isShared)
      id = taken[core].find_first_unset();
    if (id == count)
      return ops.front()->emitError()
             << "all " << count << " ids of flags between the cores are in use";
    taken[core].set(id);
    for (Operation *op : ops)
      setCrossId(op, id);
    if (isShared && !isTrial)
      remark::passed(ops.front()->getLoc(),
                     remark::RemarkOpts::name("SharedCrossCoreId")
                         .category("ascend-insert-sync"))
          << remark::metric("id", id);
  }
  return success();
}
