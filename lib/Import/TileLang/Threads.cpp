//===- Threads.cpp - statements by the number of a thread -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLang runs every statement on all threads; ours outside of tile.parallel
// happen once. So neighbouring statements that name a thread become one
// tile.parallel over the threads, up to the next tile op or barrier. What a
// thread keeps in a local buffer from one such run to the next is a row of a
// tile.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Votes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

namespace {
/// Finds what may differ between threads, as far as it spreads.
class ThreadAnalysis {
public:
  explicit ThreadAnalysis(ThreadUse &use) : use(use) {}

  void run(Node body);

private:
  void findCoordinates(Node body);
  void findOwn(Node body);
  bool isPrivate(Node buffer) const;
  void mark(Node variable);
  void spreadFrom(Node statement, bool divergent);
  void countRuns(ArrayRef<Node> statements, unsigned loops);
  void enterRun(Node statement, unsigned loops);
  void findUniform(Node statement, bool inParallel);

  ThreadUse &use;
  bool changed = false;
  unsigned runNumber = 0;
  /// Fragments that single threads alone use. Those that differ between threads
  /// are local buffers.
  llvm::DenseSet<unsigned> own;
  llvm::DenseMap<unsigned, unsigned> runOf, loopsOf;
  llvm::DenseSet<unsigned> steering, perIteration;
  llvm::DenseMap<unsigned, Node> binds;
};
} // namespace

static bool isLocal(Node buffer) {
  StringRef scope =
      buffer.get("data").get("type_annotation").getString("storage_scope");
  return scope == "local" || scope == "local.var";
}

/// Whether a copy or fill is one of a thread: of its local memory, or at a
/// place that depends on the thread.
static bool isOfThread(Node call, const ThreadUse &use) {
  if (getCallee(call) != "copy" && getCallee(call) != "fill")
    return false;
  bool local = anyNode(call, [](Node node) {
    return node.is("Buffer") && isLocal(node);
  });
  return local || mentions(call, use.dependent);
}

bool tilelang::isCollective(Node statement, const ThreadUse &use) {
  return anyNode(statement, [&](Node node) {
    if (node.is("For"))
      return node.getInteger("kind") == kParallelLoop;
    if (node.is("AttrStmt"))
      return node.getString("attr_key").contains_insensitive("warp_special");
    if (!node.is("Call") || isThreadNumber(node))
      return false;
    if (isVote(node))
      return true;
    StringRef full = node.get("op").asString(), name = getCallee(node);
    if (name == "ptx_cp_async")
      return false;
    if (full.starts_with("tl.tileop."))
      return !isOfThread(node, use);
    return name.contains("sync") || name.contains("shfl") ||
           name.contains("barrier") || name.contains("allreduce") ||
           name.contains("warp") || name.contains("elect");
  });
}

bool tilelang::mentions(Node root, const llvm::DenseSet<unsigned> &ids) {
  return !ids.empty() && anyNode(root, [&](Node node) {
    return (node.isAny("Var", "Buffer") && ids.contains(node.getId())) ||
           isVote(node) || isThreadNumber(node);
  });
}

static bool isShared(Node buffer) {
  return buffer.get("data")
      .get("type_annotation")
      .getString("storage_scope")
      .starts_with("shared");
}

bool tilelang::isSame(Node a, Node b) {
  if (a == b)
    return true;
  if (!a || !b || a.getKind() != b.getKind() || a.isAny("Var", "Buffer") ||
      getCallee(a) != getCallee(b))
    return false;
  if (a.is("IntImm"))
    return a.asInteger() == b.asInteger();
  NodeList left = a.getChildren(), right = b.getChildren();
  return !left.empty() && left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return isSame(std::get<0>(pair), std::get<1>(pair));
         });
}

namespace {
/// The shared memory that statements touch.
class Footprint {
public:
  void add(Node statement);
  bool conflictsWith(const Footprint &other) const {
    return overlap(written, other.read) || overlap(written, other.written) ||
           overlap(read, other.written);
  }

private:
  /// Parts of buffers: loads and stores of elements, or calls for the whole.
  using Accesses = SmallVector<std::pair<unsigned, Node>>;

  /// What a thread keeps in an element of its own is no business of others.
  static bool overlap(const Accesses &a, const Accesses &b) {
    return llvm::any_of(a, [&](auto &left) {
      return llvm::any_of(b, [&](auto &right) {
        return left.first == right.first &&
               !isSameElement(left.second, right.second);
      });
    });
  }
  static bool isSameElement(Node a, Node b) {
    NodeList left = a.getElementsOf("indices"), right = b.getElementsOf("indices");
    return !a.is("Call") && !b.is("Call") && a.get("buffer") == b.get("buffer") &&
           left.size() == right.size() &&
           llvm::all_of(llvm::zip(left, right), [](auto pair) {
             return isSame(std::get<0>(pair), std::get<1>(pair));
           });
  }

  Accesses read, written;
};
} // namespace

void Footprint::add(Node statement) {
  (void)anyNode(statement, [&](Node node) {
    Node buffer = node.get("buffer");
    if (node.isAny("BufferLoad", "BufferStore") && isShared(buffer))
      (node.is("BufferStore") ? written : read)
          .emplace_back(buffer.get("data").getId(), node);
    // Atomics and copies write what their operands name.
    if (node.is("Call") && (getCallee(node).starts_with("atomic") ||
                            getCallee(node) == "ptx_cp_async" ||
                            node.get("op").asString().starts_with("tl.tileop")))
      for (Node arg : node.getElementsOf("args"))
        (void)anyNode(arg, [&](Node part) {
          if (part.is("BufferLoad") && isShared(part.get("buffer")))
            written.emplace_back(part.get("buffer").get("data").getId(), node);
          return false;
        });
    return false;
  });
}

/// The statements and conditions that a loop or branch holds, in their order.
static void collectLeaves(Node statement, SmallVector<Node> &leaves) {
  SmallVector<Node> list;
  flatten(statement, list);
  for (Node s : list) {
    bool isLeaf = true;
    for (StringRef part : {"min", "extent", "condition"})
      if (Node expression = s.get(part))
        leaves.push_back(expression);
    for (StringRef part : {"then_case", "else_case", "body", "block"})
      if (Node child = s.get(part)) {
        collectLeaves(child, leaves);
        isLeaf = false;
      }
    if (isLeaf)
      leaves.push_back(s);
  }
}

static bool needsOthers(Node statement) {
  SmallVector<Node> leaves;
  collectLeaves(statement, leaves);
  Footprint before;
  for (Node leaf : leaves) {
    Footprint footprint;
    footprint.add(leaf);
    if (footprint.conflictsWith(before))
      return true;
    before.add(leaf);
  }
  return false;
}

bool tilelang::isThreadCode(Node s, const ThreadUse &use) {
  if (s.isAny("SBlockRealize", "BlockRealize", "SBlock", "AttrStmt",
              "AllocBuffer", "DeclBuffer", "LetStmt") ||
      !mentions(s, use.dependent) || isCollective(s, use) ||
      getCallee(s.get("value")) == "launch_thread_idx")
    return false;
  for (StringRef part : {"condition", "min", "extent"})
    if (mentions(s.get(part), use.dependent))
      return true;
  return !s.isAny("For", "While", "IfThenElse") || !needsOthers(s);
}

/// A definition that has the same value wherever it stands.
static bool isRepeatable(Node bind) {
  static const llvm::StringSet<> pure = {
      "if_then_else", "bitwise_and", "bitwise_or", "bitwise_xor",
      "bitwise_not",  "shift_left",  "shift_right"};
  return bind.is("Bind") && !anyNode(bind.get("value"), [](Node node) {
    return node.is("BufferLoad") ||
           (node.is("Call") && !isThreadNumber(node) &&
            !pure.contains(getCallee(node)));
  });
}

void tilelang::splitRuns(ArrayRef<Node> statements, const ThreadUse &use,
                         function_ref<void(ArrayRef<Node>)> visitRun,
                         function_ref<void(Node)> visitOther) {
  SmallVector<Node> run;
  Footprint before;
  auto flush = [&] {
    if (!run.empty())
      visitRun(run);
    run.clear();
    before = Footprint();
  };
  for (Node s : statements) {
    // A definition that every use may repeat parts nothing, nor does one that
    // may stand in front of the run.
    if (!isRepeatable(s) && !isThreadCode(s, use))
      flush();
    if (!isThreadCode(s, use) || isThreadLet(s, use)) {
      visitOther(s);
      continue;
    }
    Footprint footprint;
    footprint.add(s);
    if (footprint.conflictsWith(before))
      flush();
    run.push_back(s);
    before.add(s);
  }
  flush();
}

std::optional<int64_t> tilelang::evaluateInteger(
    Node e, function_ref<std::optional<int64_t>(Node)> getVar) {
  if (e.is("IntImm"))
    return e.asInteger();
  if (e.is("Var") || isThreadNumber(e))
    return getVar(e);
  if (e.is("Cast"))
    return evaluateInteger(e.get("value"), getVar);
  if (e.is("Not")) {
    std::optional<int64_t> a = evaluateInteger(e.get("a"), getVar);
    return a ? std::optional<int64_t>(!*a) : std::nullopt;
  }
  Node first = e.get("a"), second = e.get("b");
  StringRef name = e.getKind();
  if (NodeList args = e.getElementsOf("args"); e.is("Call") && args.size() == 2) {
    first = args[0];
    second = args[1];
    name = getCallee(e);
  }
  if (!first || !second)
    return std::nullopt;
  std::optional<int64_t> a = evaluateInteger(first, getVar);
  std::optional<int64_t> b = evaluateInteger(second, getVar);
  // What is counted is small; other numbers are none of ours.
  constexpr int64_t limit = int64_t(1) << 31;
  if (!a || !b || std::abs(*a) > limit || std::abs(*b) > limit)
    return std::nullopt;
  if (*b > 0 && (name == "FloorDiv" || (name == "Div" && *a >= 0)))
    return llvm::divideFloorSigned(*a, *b);
  if (*b > 0 && (name == "FloorMod" || (name == "Mod" && *a >= 0)))
    return llvm::mod(*a, uint64_t(*b));
  return llvm::StringSwitch<std::optional<int64_t>>(name)
      .Case("Add", *a + *b)
      .Case("Sub", *a - *b)
      .Case("Mul", *a * *b)
      .Case("Min", std::min(*a, *b))
      .Case("Max", std::max(*a, *b))
      .Case("EQ", *a == *b)
      .Case("NE", *a != *b)
      .Case("LT", *a < *b)
      .Case("LE", *a <= *b)
      .Case("GT", *a > *b)
      .Case("GE", *a >= *b)
      .Case("And", *a && *b)
      .Case("Or", *a || *b)
      .Case("bitwise_and", *a & *b)
      .Case("bitwise_or", *a | *b)
      .Case("bitwise_xor", *a ^ *b)
      .Default(std::nullopt);
}

/// What a call for the number of a lane, or the like, gives a thread.
static std::optional<int64_t> evaluateThreadNumber(Node call, int64_t thread,
                                                   int64_t count) {
  int64_t sizes[] = {0, 0};
  for (auto [size, arg] : llvm::zip(sizes, call.getElementsOf("args"))) {
    std::optional<int64_t> number = arg.asInteger();
    if (!number || *number < 0)
      return std::nullopt;
    size = *number;
  }
  StringRef name = getCallee(call);
  if (name == "tl_shuffle_elect")
    return thread % (sizes[0] ? sizes[0] : count) == 0;
  int64_t warp = sizes[0] ? sizes[0] : kWarpSize;
  if (name == "get_lane_idx")
    return thread % warp;
  if (name == "get_warp_group_idx")
    warp *= sizes[1] ? sizes[1] : 4;
  return thread / warp;
}

/// An integer for each thread in the order of their numbers; nothing if it
/// depends on more.
static std::optional<SmallVector<int64_t>>
evaluateForThreads(Node expression, const ThreadUse &use,
                   const llvm::DenseMap<unsigned, Node> &lets) {
  ArrayRef<int64_t> extents = use.extents;
  int64_t total = extents[0] * extents[1] * extents[2];
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < total; ++i) {
    int64_t thread[] = {i % extents[0], i / extents[0] % extents[1],
                        i / extents[0] / extents[1]};
    std::function<std::optional<int64_t>(Node)> getVar =
        [&](Node var) -> std::optional<int64_t> {
      if (std::optional<unsigned> dim = use.getDim(var))
        return thread[*dim];
      if (isThreadNumber(var))
        return evaluateThreadNumber(var, i, total);
      Node value = lets.lookup(var.getId());
      return value ? evaluateInteger(value, getVar) : std::nullopt;
    };
    std::optional<int64_t> value = evaluateInteger(expression, getVar);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<int64_t>
tilelang::countThreads(Node condition, const ThreadUse &use,
                       const llvm::DenseMap<unsigned, Node> &lets) {
  auto values = evaluateForThreads(condition, use, lets);
  if (!values)
    return std::nullopt;
  return llvm::count_if(*values, [](int64_t value) { return value != 0; });
}

/// Whether threads whose numbers one function maps alike have one value.
static bool areEqual(ArrayRef<int64_t> values,
                     function_ref<int64_t(int64_t)> getGroup) {
  std::map<int64_t, int64_t> valueOf;
  for (auto [i, value] : llvm::enumerate(values))
    if (valueOf.try_emplace(getGroup(i), value).first->second != value)
      return false;
  return true;
}

bool tilelang::isUniformInWarps(Node condition, const ThreadUse &use,
                                const llvm::DenseMap<unsigned, Node> &lets) {
  auto values = evaluateForThreads(condition, use, lets);
  return values && areEqual(*values, [](int64_t i) { return i / kWarpSize; });
}

bool tilelang::isUniformInGroups(Node condition, const ThreadUse &use,
                                 const llvm::DenseMap<unsigned, Node> &lets,
                                 unsigned dim, int64_t size) {
  auto values = evaluateForThreads(condition, use, lets);
  int64_t stride = 1, extent = use.extents[dim];
  for (unsigned i = 0; i < dim; ++i)
    stride *= use.extents[i];
  return values && areEqual(*values, [&](int64_t i) {
    int64_t number = i / stride % extent;
    return i - number * stride + number / size * int64_t(values->size());
  });
}

bool tilelang::isThreadLet(Node bind, const ThreadUse &use) {
  return isRepeatable(bind) && use.dependent.contains(bind.get("var").getId());
}

void tilelang::flatten(Node statement, SmallVector<Node> &list) {
  if (!statement.is("SeqStmt")) {
    list.push_back(statement);
    return;
  }
  for (Node child : statement.getElementsOf("seq"))
    flatten(child, list);
}

void ThreadAnalysis::findCoordinates(Node body) {
  SmallVector<int64_t> ofLoops(3, 1);
  bool hasLoops = false;
  (void)anyNode(body, [&](Node node) {
    if (node.is("Bind") &&
        getCallee(node.get("value")) == "launch_thread_idx") {
      NodeList args = node.get("value").getElementsOf("args");
      int64_t dim = args.empty() ? 0 : args[0].asInteger().value_or(0);
      use.coordinates.emplace_back(node.get("var"),
                                   std::clamp<int64_t>(dim, 0, 2));
    }
    StringRef tag = node.get("thread_binding").getString("thread_tag");
    if (node.is("For") && node.getInteger("kind") == kThreadBinding &&
        tag.consume_front("threadIdx.") && !tag.empty()) {
      unsigned dim = std::min(2, std::max(0, tag[0] - 'x'));
      use.coordinates.emplace_back(node.get("loop_var"), dim);
      ofLoops[dim] = node.get("extent").asInteger().value_or(0);
      hasLoops = true;
    }
    if (node.is("SBlock") && use.extents.empty())
      for (Node extent : node.get("annotations")
                             .lookup("tl.launch_threads")
                             .getElements())
        use.extents.push_back(extent.asInteger().value_or(0));
    if (node.is("SBlock"))
      for (Node buffer : node.getElementsOf("alloc_buffers"))
        loopsOf.try_emplace(buffer.getId(), 0);
    return false;
  });
  // What T.Kernel has for a number that is not given.
  if (use.extents.empty() && !hasLoops)
    use.extents = {128};
  else if (use.extents.empty())
    use.extents = ofLoops;
  use.extents.resize(3, 1);
}

std::optional<unsigned> ThreadUse::getDim(Node var) const {
  for (auto [coordinate, dim] : coordinates)
    if (coordinate == var)
      return dim;
  return std::nullopt;
}

bool ThreadUse::isZero(Node expression) const {
  std::optional<unsigned> dim = getDim(expression);
  return dim && *dim < extents.size() && extents[*dim] == 1;
}

void ThreadAnalysis::findOwn(Node body) {
  llvm::DenseSet<unsigned> stored, common;
  llvm::DenseMap<unsigned, unsigned> bufferOf;
  (void)anyNode(body, [&](Node node) {
    bool isCommon =
        (node.is("For") && node.getInteger("kind") == kParallelLoop) ||
        (node.is("Call") && node.get("op").asString().starts_with("tl."));
    if (isCommon)
      (void)anyNode(node, [&](Node inner) {
        if (inner.is("Buffer"))
          common.insert(inner.getId());
        return false;
      });
    // Another buffer of the same memory is a view.
    if (node.is("Buffer")) {
      unsigned id = node.getId();
      auto [it, isNew] = bufferOf.try_emplace(node.get("data").getId(), id);
      if (it->second != id)
        for (unsigned view : {id, it->second})
          common.insert(view);
    }
    Node buffer = node.is("BufferStore") ? node.get("buffer") : Node();
    if (buffer && buffer.get("data").get("type_annotation").getString(
                      "storage_scope") == "local.fragment")
      stored.insert(buffer.getId());
    return false;
  });
  for (unsigned buffer : stored)
    if (!common.contains(buffer))
      own.insert(buffer);
}

bool ThreadAnalysis::isPrivate(Node buffer) const {
  return isLocal(buffer) || own.contains(buffer.getId());
}

void ThreadAnalysis::mark(Node variable) {
  changed |= use.dependent.insert(variable.getId()).second;
}

void ThreadAnalysis::spreadFrom(Node s, bool divergent) {
  SmallVector<Node> list;
  flatten(s, list);
  if (list.size() != 1 || list.front() != s) {
    for (Node child : list)
      spreadFrom(child, divergent);
    return;
  }
  auto depends = [&](Node node) {
    return divergent || mentions(node, use.dependent);
  };
  if (s.is("Bind")) {
    if (depends(s.get("value")))
      mark(s.get("var"));
  } else if (s.is("BufferStore")) {
    if (isPrivate(s.get("buffer")) && depends(s))
      mark(s.get("buffer"));
  } else if (s.is("Evaluate")) {
    if (depends(s))
      (void)anyNode(s, [&](Node node) {
        if (node.is("Buffer") && isLocal(node))
          mark(node);
        return false;
      });
  } else if (s.is("For")) {
    bool inner = depends(s.get("extent")) || mentions(s.get("min"), use.dependent);
    if (inner)
      mark(s.get("loop_var"));
    spreadFrom(s.get("body"), inner);
  } else if (s.isAny("IfThenElse", "While")) {
    // Partitions of warps are as uniform as the block within.
    bool inner = depends(s.get("condition")) && !isCollective(s, use);
    for (StringRef part : {"then_case", "else_case", "body"})
      if (Node child = s.get(part))
        spreadFrom(child, inner);
  } else {
    for (StringRef part : {"body", "block"})
      if (Node child = s.get(part))
        spreadFrom(child, divergent);
  }
}

/// Whether the statement, or the first in it that names the buffer, is a loop
/// or a store that writes all of it and reads nothing of it.
static bool overwrites(Node s, Node buffer) {
  auto isNamed = [&](Node node) {
    return anyNode(node, [&](Node inner) { return inner == buffer; });
  };
  SmallVector<Node> extents = buffer.getElementsOf("shape");
  if (s.is("BufferStore")) {
    SmallVector<Node> indices = s.getElementsOf("indices");
    return s.get("buffer") == buffer && indices.size() == 1 &&
           indices[0].asInteger() == 0 && extents[0].asInteger() == 1 &&
           !isNamed(s.get("value"));
  }
  if (!s.is("For"))
    return false;
  SmallVector<Node> list;
  flatten(s.get("body"), list);
  Node first = *llvm::find_if(list, isNamed);
  if (first.is("BufferStore") && extents.size() == 1 &&
      first.get("buffer") == buffer && !isNamed(first.get("value"))) {
    SmallVector<Node> indices = first.getElementsOf("indices");
    if (indices.size() == 1 && indices[0] == s.get("loop_var") &&
        s.get("min").asInteger() == 0 && s.get("extent").asInteger() &&
        s.get("extent").asInteger() == extents[0].asInteger())
      return true;
  }
  // Of a loop that runs at least once.
  return s.get("min").asInteger() == 0 &&
         s.get("extent").asInteger().value_or(0) > 0 &&
         overwrites(first, buffer);
}

void ThreadAnalysis::enterRun(Node statement, unsigned loops) {
  (void)anyNode(statement, [&](Node node) {
    if (!node.is("Buffer") || !isPrivate(node) ||
        !use.dependent.contains(node.getId()))
      return false;
    auto [it, isNew] = runOf.try_emplace(node.getId(), runNumber);
    bool isKept = isNew && loops > loopsOf.lookup(node.getId()) &&
                  !overwrites(statement, node);
    if (it->second != runNumber || isKept)
      use.spread.insert(node.getId());
    return false;
  });
}

void ThreadAnalysis::countRuns(ArrayRef<Node> statements, unsigned loops) {
  auto visitOther = [&](Node s) {
    if (s.is("SBlock"))
      for (Node buffer : s.getElementsOf("alloc_buffers"))
        loopsOf[buffer.getId()] = loops;
    if (s.is("AllocBuffer"))
      loopsOf[s.get("buffer").getId()] = loops;
    // Other statements see what threads keep only as rows of a tile.
    if (!s.get("body") && !s.get("block") && !s.get("then_case") &&
        !isThreadLet(s, use)) {
      ++runNumber;
      enterRun(s, loops);
    }
    for (StringRef part : {"then_case", "else_case", "body", "block"})
      if (Node child = s.get(part)) {
        SmallVector<Node> list;
        flatten(child, list);
        ++runNumber;
        countRuns(list, loops + s.isAny("For", "While"));
      }
    ++runNumber;
  };
  splitRuns(
      statements, use,
      [&](ArrayRef<Node> run) {
        ++runNumber;
        for (Node s : run)
          enterRun(s, loops);
      },
      visitOther);
}

/// Scalars that only the block writes, and that decide where it goes.
void ThreadAnalysis::findUniform(Node s, bool inParallel) {
  auto steer = [&](Node condition) {
    SmallVector<Node> work{condition};
    while (!work.empty())
      (void)anyNode(work.pop_back_val(), [&](Node node) {
        if (node.is("Buffer") && isLocal(node))
          steering.insert(node.getId());
        if (Node value = node.is("Var") ? binds.lookup(node.getId()) : Node()) {
          binds.erase(node.getId());
          work.push_back(value);
        }
        return false;
      });
  };
  if (s.is("Bind"))
    binds[s.get("var").getId()] = s.get("value");
  if (!inParallel && s.isAny("For", "While", "IfThenElse"))
    for (StringRef part : {"min", "extent", "condition"})
      steer(s.get(part));
  if (inParallel && s.is("BufferStore"))
    perIteration.insert(s.get("buffer").getId());
  inParallel |= s.is("For") && s.getInteger("kind") == kParallelLoop;
  for (StringRef part : {"then_case", "else_case", "body", "block"})
    if (Node child = s.get(part))
      findUniform(child, inParallel);
  for (Node child : s.getElementsOf("seq"))
    findUniform(child, inParallel);
}

void ThreadAnalysis::run(Node body) {
  findCoordinates(body);
  findOwn(body);
  for (auto [var, dim] : use.coordinates)
    if (!use.isZero(var))
      use.dependent.insert(var.getId());
  do {
    changed = false;
    spreadFrom(body, /*divergent=*/false);
  } while (changed);
  SmallVector<Node> list;
  flatten(body, list);
  countRuns(list, 0);
  findUniform(body, /*inParallel=*/false);
  for (unsigned buffer : steering)
    if (!use.dependent.contains(buffer) && !perIteration.contains(buffer))
      use.uniform.insert(buffer);
}

static bool isGridBarrier(Node s) {
  return s.is("Evaluate") && getCallee(s.get("value")) == "sync_grid";
}

Node tilelang::findGridList(Node body) {
  SmallVector<Node> list;
  flatten(body, list);
  if (llvm::any_of(list, isGridBarrier))
    return body;
  // Loops and branches are no places for it.
  for (Node s : list)
    if (s.isAny("SBlockRealize", "BlockRealize", "AttrStmt", "LetStmt"))
      if (Node found = findGridList(s.get("block") ? s.get("block").get("body")
                                                   : s.get("body")))
        return found;
  return {};
}

SmallVector<Node> tilelang::getGridPart(ArrayRef<Node> list, unsigned part) {
  SmallVector<Node> found;
  unsigned at = 0;
  for (Node s : list) {
    if (isGridBarrier(s))
      ++at;
    else if (at == part || (at < part && s.is("Bind")))
      found.push_back(s);
  }
  return found;
}

bool tilelang::keepsTiles(ArrayRef<Node> list) {
  llvm::DenseMap<unsigned, unsigned> partOf;
  unsigned part = 0;
  return llvm::any_of(list, [&](Node s) {
    part += isGridBarrier(s);
    return anyNode(s, [&](Node node) {
      return node.is("Buffer") && !node.get("data")
                                       .get("type_annotation")
                                       .getString("storage_scope")
                                       .empty() &&
             node.get("data").get("type_annotation").getString(
                 "storage_scope") != "global" &&
             partOf.try_emplace(node.get("data").getId(), part)
                     .first->second != part;
    });
  });
}

ThreadUse tilelang::analyzeThreads(Node body) {
  ThreadUse use;
  ThreadAnalysis(use).run(body);
  return use;
}
