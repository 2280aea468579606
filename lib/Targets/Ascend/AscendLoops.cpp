//===- AscendLoops.cpp - repeated statements become loops -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds of statements that follow one another are a loop. The steps of a loop
// with several iterations in flight are such rounds.
//
//===----------------------------------------------------------------------===//

#include "AscendRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace mlir::tile::ascend;

// Flags share lines.
static constexpr size_t kFewestFlags = 5;
// What a loop of rounds has to save, in lines.
static constexpr size_t kFewestSaved = 2;

namespace {
class LoopRoller {
public:
  LoopRoller(Kernel &kernel, size_t fewestCalls, bool hasArrays)
      : kernel(kernel), fewestCalls(fewestCalls), hasArrays(hasArrays) {}
  void run(Statements &statements);

private:
  /// Statements other than constants; those among them that are no flags, and
  /// their shapes.
  struct Items {
    std::vector<size_t> places;  // in the list
    std::vector<size_t> anchors; // in the places
    std::vector<size_t> shapes;
  };
  /// Rounds of `length` anchors, from one on.
  struct Candidate {
    size_t first, length, count;
  };
  /// A loop in the place of statements of a list, and the lines that it saves.
  struct Rolled {
    Statement loop;
    size_t from, to, saved;
    std::vector<Array> arrays;
  };
  std::string getShape(const Statement &statement) const;
  Items getItems(const Statements &list);
  std::vector<Candidate> findCandidates(const Items &items) const;
  bool roll(Statements &list, const Items &items, const Candidate &rounds);
  std::optional<Rolled> merge(const Statements &list, const Items &items,
                              const Candidate &rounds, size_t head,
                              size_t tail) const;
  void rollGuard(Statement &branch);
  void addConstants(const Statements &list);
  void rollGuards(Statements &list);
  bool declare(ArrayRef<Array> arrays, Statements &loop);
  void rollFlags(Statements &list);

  Kernel &kernel;
  size_t fewestCalls;
  bool hasArrays;
  StringMap<Statement> constants;
  StringMap<size_t> shapes;
};
} // namespace

static Statement makeLoop(StringRef counter, size_t count) {
  Statement loop;
  loop.kind = Statement::Loop;
  loop.names = {counter.str()};
  loop.text = ("int64_t " + counter + " = 0; " + counter + " < " +
               Twine(count) + "; " + counter + " += 1")
                  .str();
  return loop;
}

static bool isGuard(const Statement &statement) {
  return statement.kind == Statement::Branch && statement.other.empty();
}

/// What rounds compute.
void LoopRoller::addConstants(const Statements &list) {
  for (const Statement &statement : list)
    if (statement.isPureConstant()) {
      kernel.addVariable(statement.type, statement.names[0]);
      constants[statement.names[0]] = statement;
    }
}

/// Without flags, which rounds need not have in common.
std::string LoopRoller::getShape(const Statement &statement) const {
  std::string shape = getHeadShape(statement, kernel);
  for (const Statements *list : {&statement.body, &statement.other}) {
    for (const Statement &inner : *list)
      if (!inner.isSync())
        shape += getShape(inner);
    shape += "|";
  }
  return shape;
}

LoopRoller::Items LoopRoller::getItems(const Statements &list) {
  Items items;
  StringSet<> own; // what is declared here, and is not computed anew
  for (auto [place, statement] : enumerate(list)) {
    bool isOwn =
        any_of(getVariables({statement}, kernel),
               [&](const auto &one) { return own.contains(one.getKey()); });
    if (statement.isPureConstant() && !isOwn)
      continue;
    if (!statement.isBlock())
      own.insert_range(statement.names);
    items.places.push_back(place);
    if (statement.isSync())
      continue;
    items.anchors.push_back(items.places.size() - 1);
    items.shapes.push_back(
        shapes.try_emplace(getShape(statement), shapes.size()).first->second);
  }
  return items;
}

/// Those that leave the fewest statements come first.
std::vector<LoopRoller::Candidate>
LoopRoller::findCandidates(const Items &items) const {
  std::vector<Candidate> candidates;
  size_t size = items.shapes.size();
  for (size_t length = 1; length <= size / 2; ++length)
    for (size_t first = 0, same; first + 2 * length <= size;
         first += same < length ? 1 : same - length + 1) {
      for (same = 0;
           first + same + length < size &&
           items.shapes[first + same] == items.shapes[first + same + length];)
        ++same;
      // Each round may begin at several anchors.
      for (size_t shift = 0; shift + length <= same; ++shift)
        for (size_t count = (same - shift) / length + 1; count > 1; --count)
          candidates.push_back({first + shift, length, count});
    }
  auto getKey = [](const Candidate &one) {
    return std::tuple((one.count - 1) * one.length, -int64_t(one.length));
  };
  llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &c) {
    return getKey(a) > getKey(c);
  });
  return candidates;
}

/// One declaration each, in the place of those of its tensors, which have to
/// stand together, and whose uses in the kernel and the loop become elements.
bool LoopRoller::declare(ArrayRef<Array> arrays, Statements &loop) {
  StringMap<std::string> elements;
  std::vector<Statement *> places;
  for (const Array &array : arrays) {
    Statement *place = nullptr;
    walkLists(kernel.entry.body, [&](Statements &list) {
      for (Statement &statement : list)
        if (statement.kind == Statement::Tensors &&
            all_of(array.tensors, [&](const std::string &tensor) {
              return is_contained(statement.names, tensor);
            }))
          place = &statement;
    });
    if (!place)
      return false;
    places.push_back(place);
  }
  for (auto [array, place] : zip_equal(arrays, places)) {
    std::vector<std::string> values;
    for (auto [i, tensor] : enumerate(array.tensors)) {
      elements[tensor] = array.name + "[" + std::to_string(i) + "]";
      auto name = find(place->names, tensor);
      auto value = place->values.begin() + (name - place->names.begin());
      values.push_back("{" + *value + "}");
      if (i == 0) {
        *name = array.name;
        continue;
      }
      place->names.erase(name);
      place->values.erase(value);
    }
    auto value = place->values.begin() +
                 (find(place->names, array.name) - place->names.begin());
    *value = join(values, ", ");
    kernel.addVariable(kernel.getType(array.tensors[0]), array.name);
  }
  for (const Array &array : arrays)
    kernel.arrays.insert(array.name);
  kernel.splits.clear();
  // All rounds may have one of them in common.
  for (Statements *list : {&kernel.entry.body, &loop})
    mapTokens(*list, kernel, [&](const Token &token) {
      auto element = elements.find(token.text);
      return token.kind == Token::Variable && element != elements.end()
                 ? element->second
                 : token.text;
    });
  return true;
}

/// Rounds with so many flags in front of their first anchor, of which the last
/// one has so many behind its last anchor.
std::optional<LoopRoller::Rolled>
LoopRoller::merge(const Statements &list, const Items &items,
                  const Candidate &rounds, size_t head, size_t tail) const {
  auto getAnchor = [&](size_t i) { return items.anchors[rounds.first + i]; };
  size_t last = getAnchor(rounds.length * rounds.count - 1),
         next = rounds.first + rounds.length * rounds.count,
         end = std::min(last + 1 + tail, next < items.anchors.size()
                                             ? items.anchors[next]
                                             : items.places.size());
  std::vector<Sequence> sequences(rounds.count);
  for (size_t k = 0; k < rounds.count; ++k) {
    size_t begin = getAnchor(k * rounds.length) - head,
           stop = k + 1 == rounds.count
                      ? end
                      : getAnchor((k + 1) * rounds.length) - head;
    for (size_t i = begin; i < stop; ++i)
      sequences[k].push_back(&list[items.places[i]]);
  }
  Rolled rolled;
  rolled.from = items.places[getAnchor(0) - head];
  rolled.to = items.places[end - 1] + 1;
  Statements region(list.begin() + rolled.from, list.begin() + rolled.to);
  bool isCall = rounds.length == 1 && sequences[0].size() == 1 &&
                sequences[0][0]->kind == Statement::Plain;
  StringRef counter = isCall ? kCall : kRound;
  if ((isCall &&
       (rounds.count < fewestCalls || *sequences[0][0] == *sequences[1][0])) ||
      getVariables(region, kernel).contains(counter))
    return std::nullopt;
  RoundMerger merger(kernel, constants, counter, rounds.count);
  std::optional<Statements> merged = merger.merge(sequences);
  if (!merged || ((isCall || !hasArrays) && !merger.getArrays().empty()))
    return std::nullopt;
  rolled.arrays = merger.getArrays();
  rolled.loop = makeLoop(counter, rounds.count);
  rolled.loop.body = std::move(*merged);
  size_t before = countLines(region), behind = countLines({rolled.loop});
  if (!isCall && before < behind + kFewestSaved)
    return std::nullopt;
  rolled.saved = before > behind ? before - behind : 0;
  // Nothing behind them uses what they declare.
  StringSet<> used =
      getVariables(Statements(list.begin() + rolled.to, list.end()), kernel);
  for (const Sequence &sequence : sequences)
    for (const Statement *statement : sequence)
      if (!statement->isBlock() &&
          any_of(statement->names,
                 [&](const std::string &name) { return used.contains(name); }))
        return std::nullopt;
  return rolled;
}

/// Of the places where rounds may begin and end, those that save most lines.
bool LoopRoller::roll(Statements &list, const Items &items,
                      const Candidate &rounds) {
  // Flags in front of the first anchor, and between rounds.
  size_t first = items.anchors[rounds.first];
  size_t head =
      rounds.first == 0 ? first : first - items.anchors[rounds.first - 1] - 1;
  size_t most = 0, last = 0;
  for (size_t k = 1; k < rounds.count; ++k) {
    size_t anchor = rounds.first + k * rounds.length;
    last = items.anchors[anchor] - items.anchors[anchor - 1] - 1;
    head = std::min(head, last);
    most = std::max(most, last);
  }
  std::optional<Rolled> best;
  for (size_t some = head + 1; some-- > 0;)
    for (size_t between : SmallVector<size_t, 2>{most, last}) {
      auto rolled = merge(list, items, rounds, some, between - some);
      if (rolled && (!best || rolled->saved > best->saved))
        best = std::move(rolled);
      if (most == last)
        break;
    }
  if (!best || !declare(best->arrays, best->loop.body))
    return false;
  addConstants(best->loop.body);
  auto begin = list.begin() + best->from, end = list.begin() + best->to;
  Statements rest;
  std::move(list.begin(), begin, std::back_inserter(rest));
  for (size_t i = best->from; i < best->to; ++i)
    if (!is_contained(items.places, i))
      rest.push_back(std::move(list[i]));
  rest.push_back(std::move(best->loop));
  std::move(end, list.end(), std::back_inserter(rest));
  list = std::move(rest);
  return true;
}

/// Branches of which each has the next one at its end are a loop with their
/// condition.
void LoopRoller::rollGuard(Statement &branch) {
  Statements guarded;
  StringSet<> own;
  for (const Statement *round = &branch; round;) {
    Statement &copy = guarded.emplace_back(*round);
    bool hasNext = !round->body.empty() && isGuard(round->body.back());
    round = hasNext ? &round->body.back() : nullptr;
    if (hasNext)
      copy.body.pop_back();
    llvm::erase_if(copy.body, [&](const Statement &statement) {
      if (statement.isPureConstant())
        own.insert(statement.names[0]);
      return statement.isPureConstant();
    });
  }
  if (guarded.size() < 2 || getVariables(guarded, kernel).contains(kRound))
    return;
  std::vector<Sequence> sequences;
  for (const Statement &round : guarded)
    sequences.push_back({&round});
  RoundMerger merger(kernel, constants, kRound, guarded.size());
  std::optional<Statements> merged = merger.merge(sequences);
  if (!merged || (!hasArrays && !merger.getArrays().empty()))
    return;
  Statement loop = makeLoop(kRound, guarded.size()), round = merged->back();
  merged->pop_back();
  loop.text = "int64_t step = 0; step < " + std::to_string(guarded.size()) +
              " && " + round.text + "; step += 1";
  for (const Statement &constant : *merged)
    own.insert(constant.names[0]);
  Statement head;
  head.text = loop.text;
  auto usesOwn = [&](const Statements &list) {
    return any_of(getVariables(list, kernel), [&](const auto &name) {
      return own.contains(name.getKey());
    });
  };
  if (usesOwn({head}) || usesOwn(round.body))
    return;
  append_range(*merged, std::move(round.body));
  loop.body = std::move(*merged);
  if (countLines({branch}) < countLines({loop}) + kFewestSaved ||
      !declare(merger.getArrays(), loop.body))
    return;
  addConstants(loop.body);
  branch = std::move(loop);
}

void LoopRoller::rollGuards(Statements &list) {
  for (Statement &statement : list)
    if (isGuard(statement))
      rollGuard(statement);
}

/// As many flags whose numbers follow one another.
void LoopRoller::rollFlags(Statements &list) {
  Statements rolled;
  for (size_t i = 0, count; i < list.size(); i += count) {
    const Statement &first = list[i];
    int64_t number = 0;
    count = 1;
    bool isFlag =
        first.isFlag() && !StringRef(first.values[0]).getAsInteger(10, number);
    while (isFlag && i + count < list.size() &&
           list[i + count].kind == first.kind &&
           list[i + count].type == first.type &&
           list[i + count].values[0] == std::to_string(number + count))
      ++count;
    if (count < kFewestFlags) {
      count = 1;
      rolled.push_back(first);
      continue;
    }
    Statement &loop = rolled.emplace_back(makeLoop(kCall, count));
    loop.body.push_back(first);
    loop.body[0].values = {formatLinear(kCall.str(), 1, number)};
  }
  list = std::move(rolled);
}

/// Those of most rounds come first: others find their arrays.
void LoopRoller::run(Statements &statements) {
  walkLists(statements, [&](Statements &list) {
    addConstants(list);
    rollFlags(list);
  });
  for (size_t fewestRounds : {3, 2})
    walkLists(statements, [&](Statements &list) {
      rollGuards(list);
      for (bool isChanged = true; isChanged;) {
        Items items = getItems(list);
        isChanged = any_of(findCandidates(items), [&](const Candidate &rounds) {
          return rounds.count >= fewestRounds && roll(list, items, rounds);
        });
      }
    });
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// Of what is not negative, "i < n" is the same as "inside(i, n)", which is
/// what other rounds have.
class ConditionWriter {
public:
  explicit ConditionWriter(Statements &statements);
  void spread();
  void fold();

private:
  void mapConditions(function_ref<void(std::string &)> map);

  Statements &statements;
  StringSet<> positive; // counters of loops from 0
};
} // namespace

ConditionWriter::ConditionWriter(Statements &statements)
    : statements(statements) {
  walkLists(statements, [&](Statements &list) {
    for (const Statement &loop : list)
      if (loop.kind == Statement::Loop &&
          StringRef(loop.text).starts_with("int64_t " + loop.names[0] +
                                           " = 0;"))
        positive.insert(loop.names[0]);
  });
}

void ConditionWriter::mapConditions(function_ref<void(std::string &)> map) {
  walkLists(statements, [&](Statements &list) {
    for (Statement &statement : list)
      if (statement.kind == Statement::Branch ||
          (statement.isPureConstant() && statement.type == "bool"))
        map(statement.text);
  });
}

void ConditionWriter::spread() {
  static const Regex less(
      "^\\(?([a-z][a-z0-9_]*)( \\+ [0-9]+)?\\)? < ([a-z][a-z0-9_]*)$");
  mapConditions([&](std::string &text) {
    SmallVector<StringRef> groups;
    if (less.match(text, &groups) && positive.contains(groups[1]))
      text = ("inside(" + groups[1] + groups[2] + ", " + groups[3] + ")").str();
  });
}

void ConditionWriter::fold() {
  static const Regex inside(
      "^inside\\(([a-z][a-z0-9_]*)( \\+ step( \\* [0-9]+)?)?"
      "( \\+ [0-9]+)?, ([a-z][a-z0-9_]*)\\)$");
  mapConditions([&](std::string &text) {
    SmallVector<StringRef> groups;
    if (inside.match(text, &groups) && positive.contains(groups[1]))
      text = (groups[1] + groups[2] + groups[4] + " < " + groups[5]).str();
  });
}

void mlir::tile::ascend::rollLoops(Kernel &kernel, Statements &statements,
                                   size_t fewestCalls, bool hasArrays) {
  ConditionWriter conditions(statements);
  conditions.spread();
  LoopRoller(kernel, fewestCalls, hasArrays).run(statements);
  conditions.fold();
}
