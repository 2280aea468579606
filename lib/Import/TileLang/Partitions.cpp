//===- Partitions.cpp - groups of warps that wait for one another ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partitions.h"
#include "Threads.h"

#include "llvm/ADT/BitVector.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

namespace {
/// How often each barrier was completed, and who has arrived since.
struct BarrierState {
  int64_t phase = 0, arrived = 0;
};
using Barriers = std::map<std::pair<unsigned, int64_t>, BarrierState>;

enum class Outcome { Done, Blocked, Failed };

/// What is left of a partition.
struct Stream {
  SmallVector<Condition> partition;
  std::vector<Step> items;
  size_t next = 0;
};

class Scheduler {
public:
  Scheduler(const ThreadUse &use, Scheduling &result)
      : use(use), result(result) {}

  void run(Node body);

private:
  void readCounts(Node body);
  bool touchesBarriers(Node statement);
  bool namesThreads(Node expression);
  std::optional<int64_t> evaluate(Node expression);
  std::optional<bool> decide(ArrayRef<Condition> conditions);
  int64_t countThreads(ArrayRef<Condition> conditions);
  Outcome fail(Node at, const Twine &reason);

  Outcome execute(Node statement, SmallVector<Condition> &path);
  Outcome executeCall(Node call, ArrayRef<Condition> path);
  Outcome executeIf(Node branch, SmallVector<Condition> &path);
  Outcome executeFor(Node loop, function_ref<Outcome()> body);
  void setVariables(const Step &joint);
  Outcome executeSteps(ArrayRef<Step> steps);
  Outcome executeList(Node list, SmallVector<Condition> &path);

  bool isPartition(Node branch);
  void addStream(Node branch, SmallVector<Condition> path,
                 std::vector<Stream> &streams);
  void addItems(Node statement, ArrayRef<Condition> guards, Stream &stream);
  bool open(Stream &stream);
  bool advance(Stream &stream, std::vector<Step> &steps);
  Outcome build(std::vector<Stream> streams, std::vector<Step> &steps);
  Outcome join(std::vector<Stream> &streams, std::vector<Step> &steps);

  const ThreadUse &use;
  Scheduling &result;
  Barriers barriers;
  llvm::DenseMap<unsigned, SmallVector<int64_t>> counts; ///< by data variable
  llvm::DenseMap<unsigned, int64_t> values;
  llvm::DenseMap<unsigned, Node> binds;
  llvm::DenseMap<unsigned, bool> touches;
  std::map<std::vector<std::pair<unsigned, bool>>, int64_t> threadCounts;
  unsigned budget = 1u << 20;
  bool failed = false;
};
} // namespace

static bool isWait(Node call) {
  return getCallee(call) == "mbarrier_wait_parity";
}

static bool isArrival(Node call) {
  StringRef name = getCallee(call);
  return name == "ptx_arrive_barrier" || name == "ptx_cp_async_barrier_noinc" ||
         name == "ptx_arrive_barrier_expect_tx";
}

Outcome Scheduler::fail(Node at, const Twine &reason) {
  if (!failed) {
    result.failedAt = at;
    result.reason = reason.str();
  }
  failed = true;
  return Outcome::Failed;
}

void Scheduler::readCounts(Node body) {
  (void)anyNode(body, [&](Node node) {
    if (node.is("SBlock") || node.is("Block"))
      for (auto [data, numbers] :
           node.get("annotations").lookup("barrier_init").getEntries())
        for (Node number : numbers.getElements())
          counts[data.getId()].push_back(number.asInteger().value_or(0));
    return false;
  });
}

bool Scheduler::touchesBarriers(Node statement) {
  auto [it, isNew] = touches.try_emplace(statement.getId(), false);
  if (isNew) {
    bool found = anyNode(statement, [](Node node) {
      return node.is("Call") && (isWait(node) || isArrival(node));
    });
    touches[statement.getId()] = found;
    return found;
  }
  return it->second;
}

bool Scheduler::namesThreads(Node expression) {
  return anyNode(expression, [&](Node node) {
    return use.getDim(node) || (node.is("Var") && binds.count(node.getId()) &&
                                namesThreads(binds.lookup(node.getId())));
  });
}

std::optional<int64_t> Scheduler::evaluate(Node expression) {
  return evaluateInteger(expression, [&](Node var) -> std::optional<int64_t> {
    if (auto found = values.find(var.getId()); found != values.end())
      return found->second;
    if (Node value = binds.lookup(var.getId()))
      return evaluate(value);
    return std::nullopt;
  });
}

/// Of conditions that are the same for all threads.
std::optional<bool> Scheduler::decide(ArrayRef<Condition> conditions) {
  for (auto [condition, holds] : conditions) {
    std::optional<int64_t> value = evaluate(condition);
    if (!value)
      return std::nullopt;
    if ((*value != 0) != holds)
      return false;
  }
  return true;
}

/// For how many threads conditions hold; -1 if they depend on more.
int64_t Scheduler::countThreads(ArrayRef<Condition> conditions) {
  std::vector<std::pair<unsigned, bool>> key;
  for (auto [condition, holds] : conditions)
    key.emplace_back(condition.getId(), holds);
  auto [it, isNew] = threadCounts.try_emplace(key, -1);
  if (!isNew)
    return it->second;
  int64_t count = 0;
  SmallVector<int64_t> thread(3, 0);
  int64_t total = use.extents[0] * use.extents[1] * use.extents[2];
  for (int64_t i = 0; i < total; ++i) {
    thread = {i % use.extents[0], i / use.extents[0] % use.extents[1],
              i / use.extents[0] / use.extents[1]};
    std::function<std::optional<int64_t>(Node)> getVar =
        [&](Node var) -> std::optional<int64_t> {
      if (std::optional<unsigned> dim = use.getDim(var))
        return thread[*dim];
      if (Node value = binds.lookup(var.getId()))
        return evaluateInteger(value, getVar);
      return std::nullopt;
    };
    bool all = true;
    for (auto [condition, holds] : conditions) {
      std::optional<int64_t> value = evaluateInteger(condition, getVar);
      if (!value)
        return threadCounts[key] = -1;
      all &= (*value != 0) == holds;
    }
    count += all;
  }
  return threadCounts[key] = count;
}

//===----------------------------------------------------------------------===//
// What statements do at barriers
//===----------------------------------------------------------------------===//

Outcome Scheduler::executeCall(Node call, ArrayRef<Condition> path) {
  if (!isWait(call) && !isArrival(call))
    return Outcome::Done;
  NodeList args = call.getElementsOf("args");
  Node barrier = args.empty() ? Node() : args.front();
  NodeList indices = barrier.getElementsOf("indices");
  std::optional<int64_t> index =
      indices.size() == 1 ? evaluate(indices.front()) : std::nullopt;
  unsigned data = barrier.get("buffer").get("data").getId();
  auto known = counts.find(data);
  if (!barrier.is("BufferLoad") || !index || known == counts.end() ||
      *index < 0 || *index >= int64_t(known->second.size()))
    return fail(call, "a barrier that is not an element of T.alloc_barrier at "
                      "a constant place");
  BarrierState &state = barriers[{data, *index}];
  if (isWait(call)) {
    std::optional<int64_t> parity =
        args.size() > 1 ? evaluate(args[1]) : std::nullopt;
    if (!parity)
      return fail(call, "a parity that depends on data");
    // A wait for the parity of the phase before the first one succeeds.
    return (state.phase & 1) != (*parity & 1) ? Outcome::Done
                                              : Outcome::Blocked;
  }
  int64_t threads = countThreads(path);
  if (threads < 0)
    return fail(call, "an arrival of threads that depends on data");
  state.arrived += threads;
  int64_t expected = known->second[*index];
  if (state.arrived > expected || expected < 1)
    return fail(call, "a barrier of " + Twine(expected) + " threads at which " +
                          Twine(state.arrived) + " arrive");
  if (state.arrived == expected)
    state = {state.phase + 1, 0};
  return Outcome::Done;
}

Outcome Scheduler::executeIf(Node branch, SmallVector<Condition> &path) {
  Node condition = branch.get("condition");
  std::optional<int64_t> value = evaluate(condition);
  size_t depth = path.size();
  for (auto [part, holds] : {std::pair(branch.get("then_case"), true),
                             std::pair(branch.get("else_case"), false)}) {
    if (!part || (value && (*value != 0) != holds))
      continue;
    if (!value) {
      path.push_back({condition, holds});
      if (countThreads(path) < 0)
        return fail(branch, "a branch around a barrier that depends on data");
    }
    Outcome outcome = countThreads(path) ? execute(part, path) : Outcome::Done;
    path.resize(depth);
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

Outcome Scheduler::executeFor(Node loop, function_ref<Outcome()> body) {
  std::optional<int64_t> first = evaluate(loop.get("min"));
  std::optional<int64_t> extent = evaluate(loop.get("extent"));
  if (!first || !extent)
    return fail(loop, "a loop around a barrier whose count is not constant");
  unsigned var = loop.get("loop_var").getId();
  for (int64_t i = 0; i < *extent; ++i) {
    values[var] = *first + i;
    if (Outcome outcome = body(); outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

Outcome Scheduler::execute(Node s, SmallVector<Condition> &path) {
  if (budget == 0 || failed)
    return fail(s, "more than a million steps between barriers");
  --budget;
  if (s.is("Bind"))
    binds[s.get("var").getId()] = s.get("value");
  if (!touchesBarriers(s))
    return Outcome::Done;
  if (s.is("Evaluate"))
    return executeCall(s.get("value"), path);
  if (s.is("IfThenElse"))
    return executeIf(s, path);
  if (s.is("For"))
    return executeFor(s, [&] { return executeList(s.get("body"), path); });
  if (s.is("SeqStmt"))
    return executeList(s, path);
  Node inner = s.get("block") ? s.get("block").get("body") : s.get("body");
  if (s.is("While") || !inner)
    return fail(s, "a barrier in a statement of another kind");
  return executeList(inner, path);
}

/// Loops that are one count together.
void Scheduler::setVariables(const Step &joint) {
  int64_t value = values[joint.loops.front().get("loop_var").getId()];
  for (Node loop : joint.loops)
    values[loop.get("loop_var").getId()] = value;
}

Outcome Scheduler::executeSteps(ArrayRef<Step> steps) {
  for (const Step &step : steps) {
    Outcome outcome;
    if (step.statement) {
      std::optional<bool> holds = decide(step.guards);
      if (!holds)
        return fail(step.statement, "a branch that depends on data");
      SmallVector<Condition> path = step.partition;
      outcome = *holds ? execute(step.statement, path) : Outcome::Done;
    } else {
      outcome = executeFor(step.loops.front(), [&] {
        setVariables(step);
        return executeSteps(step.body);
      });
    }
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

bool Scheduler::isPartition(Node s) {
  return s.is("IfThenElse") && namesThreads(s.get("condition")) &&
         tilelang::countThreads(s.get("condition"), use) &&
         isCollective(s, use);
}

/// Takes a statement apart as far as it is a list.
void Scheduler::addItems(Node statement, ArrayRef<Condition> guards,
                         Stream &stream) {
  SmallVector<Node> list;
  flatten(statement, list);
  for (Node s : list) {
    if (s.is("AttrStmt") && touchesBarriers(s)) {
      addItems(s.get("body"), guards, stream);
      continue;
    }
    Step step;
    step.partition = stream.partition;
    // Others may need what is defined in a branch.
    if (!s.is("Bind"))
      step.guards.assign(guards.begin(), guards.end());
    step.statement = s;
    stream.items.push_back(step);
  }
}

void Scheduler::addStream(Node branch, SmallVector<Condition> path,
                          std::vector<Stream> &streams) {
  for (auto [part, holds] : {std::pair(branch.get("then_case"), true),
                             std::pair(branch.get("else_case"), false)}) {
    if (!part)
      continue;
    SmallVector<Condition> inner = path;
    inner.push_back({branch.get("condition"), holds});
    SmallVector<Node> list;
    flatten(part, list);
    if (!holds && list.size() == 1 && isPartition(list.front())) {
      addStream(list.front(), inner, streams);
      continue;
    }
    int64_t size = countThreads(inner);
    if (size == 0)
      continue;
    Stream *same = nullptr;
    for (Stream &stream : streams) {
      SmallVector<Condition> both = stream.partition;
      both.append(inner);
      int64_t common = countThreads(both);
      if (common == size && size == countThreads(stream.partition))
        same = &stream;
      else if (common != 0)
        fail(branch, "partitions that share threads");
    }
    if (!same) {
      streams.emplace_back();
      same = &streams.back();
      same->partition = inner;
    }
    addItems(part, {}, *same);
  }
}

/// Replaces a branch that waits within by its statements.
bool Scheduler::open(Stream &stream) {
  Step item = stream.items[stream.next];
  Node s = item.statement;
  if (!s.is("IfThenElse") || !evaluate(s.get("condition")))
    return false;
  Stream inner;
  inner.partition = stream.partition;
  for (auto [part, holds] : {std::pair(s.get("then_case"), true),
                             std::pair(s.get("else_case"), false)}) {
    SmallVector<Condition> guards = item.guards;
    guards.push_back({s.get("condition"), holds});
    if (part)
      addItems(part, guards, inner);
  }
  auto at = stream.items.begin() + stream.next;
  at = stream.items.erase(at);
  stream.items.insert(at, inner.items.begin(), inner.items.end());
  return true;
}

/// Goes on until the partition waits. Whether it did anything.
bool Scheduler::advance(Stream &stream, std::vector<Step> &steps) {
  bool progress = false;
  while (stream.next < stream.items.size() && !failed) {
    Barriers before = barriers;
    const Step &item = stream.items[stream.next];
    if (executeSteps(item) == Outcome::Done) {
      steps.push_back(item);
      ++stream.next;
      progress = true;
      continue;
    }
    barriers = std::move(before);
    if (failed || !open(stream))
      break;
  }
  return progress;
}

/// Makes one loop of those at which partitions stand.
Outcome Scheduler::join(std::vector<Stream> &streams,
                        std::vector<Step> &steps) {
  Step joint;
  std::vector<Stream> bodies;
  SmallVector<Stream *> joined;
  for (Stream &stream : streams) {
    if (stream.next == stream.items.size())
      continue;
    const Step &item = stream.items[stream.next];
    Node loop = item.statement;
    if (!loop.is("For") || !item.guards.empty())
      continue;
    if (!joint.loops.empty() &&
        (evaluate(loop.get("extent")) !=
             evaluate(joint.loops.front().get("extent")) ||
         evaluate(loop.get("min")) != evaluate(joint.loops.front().get("min"))))
      continue;
    joint.loops.push_back(loop);
    joined.push_back(&stream);
    Stream body;
    body.partition = stream.partition;
    addItems(loop.get("body"), {}, body);
    bodies.push_back(body);
  }
  if (joined.size() < 2)
    return Outcome::Blocked;
  Barriers before = barriers;
  for (int attempt = 0; attempt < 4; ++attempt) {
    barriers = before;
    bool isNew = false;
    Outcome outcome = executeFor(joint.loops.front(), [&] {
      setVariables(joint);
      Barriers start = barriers;
      Outcome known =
          joint.body.empty() ? Outcome::Blocked : executeSteps(joint.body);
      if (known != Outcome::Blocked)
        return known;
      // Another order: all iterations are tried with it.
      isNew |= !joint.body.empty();
      barriers = std::move(start);
      joint.body.clear();
      return build(bodies, joint.body);
    });
    if (outcome != Outcome::Done)
      return outcome;
    if (isNew)
      continue;
    steps.push_back(joint);
    for (Stream *stream : joined)
      ++stream->next;
    return Outcome::Done;
  }
  return Outcome::Blocked;
}

Outcome Scheduler::build(std::vector<Stream> streams,
                         std::vector<Step> &steps) {
  while (!failed) {
    bool progress = false, left = false;
    for (Stream &stream : streams) {
      progress |= advance(stream, steps);
      left |= stream.next < stream.items.size();
    }
    if (!left)
      return Outcome::Done;
    if (progress)
      continue;
    if (Outcome outcome = join(streams, steps); outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Failed;
}

/// A list that all threads run; its partitions are scheduled where they are
/// met first.
Outcome Scheduler::executeList(Node list, SmallVector<Condition> &path) {
  SmallVector<Node> statements;
  flatten(list, statements);
  for (size_t i = 0; i < statements.size(); ++i) {
    Node s = statements[i];
    if (!path.empty() || !isPartition(s)) {
      if (Outcome outcome = execute(s, path); outcome != Outcome::Done)
        return outcome;
      continue;
    }
    Schedule &schedule = result.schedules[s.getId()];
    if (schedule.steps.empty()) {
      std::vector<Stream> streams;
      schedule.count = 0;
      for (size_t j = i; j < statements.size() && isPartition(statements[j]);
           ++j, ++schedule.count)
        addStream(statements[j], {}, streams);
      Outcome outcome = build(streams, schedule.steps);
      if (outcome == Outcome::Blocked)
        return fail(s, "partitions of which each waits for the other one");
      if (outcome != Outcome::Done)
        return outcome;
    } else if (executeSteps(schedule.steps) != Outcome::Done) {
      return fail(s, "partitions that take turns in another order in later "
                     "iterations");
    }
    i += schedule.count - 1;
  }
  return Outcome::Done;
}

void Scheduler::run(Node body) {
  result.waits = anyNode(body, [&](Node node) {
    return node.is("IfThenElse") && namesThreads(node.get("condition")) &&
           touchesBarriers(node);
  });
  if (!result.waits)
    return;
  readCounts(body);
  SmallVector<Condition> path;
  if (executeList(body, path) == Outcome::Blocked)
    fail(body, "a wait that nothing ends");
}

Scheduling tilelang::schedulePartitions(Node body, const ThreadUse &use) {
  Scheduling result;
  Scheduler(use, result).run(body);
  return result;
}
