//===- AscendRounds.cpp - one round of several ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <numeric>

using namespace llvm;
using namespace mlir::tile::ascend;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::string mlir::tile::ascend::formatLinear(const std::string &x,
                                             int64_t factor, int64_t first) {
  std::string text = x;
  if (std::abs(factor) != 1)
    text += " * " + std::to_string(std::abs(factor));
  if (factor < 0)
    return (first ? std::to_string(first) + " - " : "-") + text;
  if (first == 0)
    return text;
  return text + (first < 0 ? " - " : " + ") + std::to_string(std::abs(first));
}

/// As a number that grows with the counter, or one that it takes in turn.
std::optional<std::string> RoundMerger::fit(ArrayRef<int64_t> values,
                                            const Rounds &rounds) const {
  auto fits = [&](function_ref<int64_t(int64_t)> at) -> std::optional<int64_t> {
    // The factor is that of the first two rounds that differ.
    int64_t factor = 0;
    for (size_t i = 1; i < values.size() && factor == 0; ++i)
      if (int64_t step = at(rounds[i]) - at(rounds[0]))
        factor = (values[i] - values[0]) / step;
    for (auto [round, value] : zip_equal(rounds, values))
      if (value != values[0] + (at(round) - at(rounds[0])) * factor)
        return std::nullopt;
    return factor;
  };
  if (all_equal(values))
    return std::to_string(values[0]);
  if (auto factor = fits([](int64_t round) { return round; }))
    return formatLinear(counter, *factor, values[0] - *factor * rounds[0]);
  for (int64_t period = 2; period <= int64_t(count); ++period)
    for (int64_t shift = 0; shift < period; ++shift) {
      auto at = [&](int64_t round) { return (round + shift) % period; };
      std::optional<int64_t> factor = fits(at);
      if (!factor || *factor < 0)
        continue;
      std::string turn =
          (shift ? "(" + counter + " + " + std::to_string(shift) + ")"
                 : counter) +
          " % " + std::to_string(period);
      return formatLinear(turn, *factor, values[0] - *factor * at(rounds[0]));
    }
  return std::nullopt;
}

/// That some of the rounds are reached.
std::optional<std::string> RoundMerger::getCondition(const Rounds &some,
                                                     const Rounds &all) const {
  auto holds = [&](function_ref<bool(unsigned)> is) {
    return all_of(all, [&](unsigned round) {
      return is(round) == is_contained(some, round);
    });
  };
  using Relation = bool (*)(unsigned, unsigned);
  std::pair<StringRef, Relation> relations[] = {
      {" == ", [](unsigned round, unsigned n) { return round == n; }},
      {" < ", [](unsigned round, unsigned n) { return round < n; }},
      {" >= ", [](unsigned round, unsigned n) { return round >= n; }},
      {" % 2 == ", [](unsigned round, unsigned n) { return round % 2 == n; }},
      {" != ", [](unsigned round, unsigned n) { return round != n; }}};
  for (const auto &relation : relations)
    for (unsigned n : seq<unsigned>(0, count))
      if (holds([&](unsigned round) { return relation.second(round, n); }))
        return counter + relation.first.str() + std::to_string(n);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::string RoundMerger::makeName(StringRef stem) {
  std::string name;
  for (unsigned i = 0; name.empty() || kernel.types.contains(name) ||
                       !names.insert(name).second;
       ++i)
    name = (stem + (isDigit(stem.back()) ? "_" : "") + Twine(i)).str();
  return name;
}

/// As elements of one array.
std::optional<std::string> RoundMerger::unifyTensors(const Texts &texts,
                                                     const Rounds &rounds) {
  // "ks44[1]" is an element of an array that is there.
  SmallVector<int64_t> indices;
  std::string name = StringRef(texts[0]).split('[').first.str();
  if (kernel.arrays.contains(name)) {
    for (StringRef text : texts) {
      auto [array, index] = text.split('[');
      int64_t number;
      if (array != name || index.drop_back().getAsInteger(10, number))
        return std::nullopt;
      indices.push_back(number);
    }
  } else {
    auto getArray = [&](const std::string &text) {
      return find_if(arrays, [&](const Array &array) {
        return is_contained(array.tensors, text);
      });
    };
    auto array = arrays.end();
    for (const std::string &text : texts)
      if (array == arrays.end())
        array = getArray(text);
    if (array == arrays.end()) {
      StringRef stem = name;
      stem = stem.rtrim("0123456789").rtrim('_');
      arrays.push_back({makeName(stem), {}});
      array = std::prev(arrays.end());
    }
    for (const std::string &text : texts) {
      auto other = getArray(text);
      if (text.back() == ']' || (other != arrays.end() && other != array))
        return std::nullopt;
      if (other == arrays.end())
        array->tensors.push_back(text);
      indices.push_back(find(array->tensors, text) - array->tensors.begin());
    }
    name = array->name;
  }
  std::optional<std::string> index = fit(indices, rounds);
  if (!index)
    return std::nullopt;
  return name + "[" + *index + "]";
}

/// What a name stands for.
Statement RoundMerger::getDefinition(const std::string &name) const {
  Statement definition;
  definition.kind = Statement::Assigned;
  auto constant = constants.find(name);
  definition.text = constant == constants.end() ? name : constant->second.text;
  return definition;
}

/// As one constant of a round.
std::optional<std::string> RoundMerger::unifyConstants(const Texts &texts,
                                                       const Rounds &rounds) {
  Texts key = texts;
  for (unsigned round : rounds)
    key.push_back(std::to_string(round));
  if (auto found = known.find(key); found != known.end())
    return found->second;
  auto named = find_if(
      texts, [&](const std::string &text) { return constants.contains(text); });
  if (named == texts.end())
    return std::nullopt;
  SaveAndRestore outside(isOutside, true);
  std::vector<std::vector<Token>> rows;
  for (const std::string &text : texts) {
    rows.push_back(getTokens({getDefinition(text)}, kernel));
    if (rows.back().size() != rows[0].size())
      return std::nullopt;
  }
  Texts merged;
  for (size_t at = 0; at < rows[0].size(); ++at) {
    std::optional<std::string> text = unify(rows, at, rounds);
    if (!text)
      return std::nullopt;
    merged.push_back(*text);
  }
  size_t at = 0;
  Statements list{getDefinition(*named)};
  mapTokens(list, kernel, [&](const Token &) { return merged[at++]; });
  Statement &constant = computed.emplace_back(list[0]);
  constant.kind = Statement::Constant;
  constant.type = kernel.getType(*named);
  constant.isPure = true;
  constant.line = constants.lookup(*named).line;
  constant.names = {makeName("v")};
  return known[key] = constant.names[0];
}

std::optional<std::string> RoundMerger::unifyVariables(const Texts &texts,
                                                       const Rounds &rounds) {
  unsigned inside = 0;
  for (auto [round, text] : zip_equal(rounds, texts))
    inside += locals[round].contains(text);
  if (inside == 0 && all_equal(texts))
    return texts[0];
  // What a round declares is not there yet.
  if (inside != 0 && isOutside)
    return std::nullopt;
  std::string type = kernel.getType(texts[0]);
  if (any_of(texts, [&](const std::string &text) {
        return kernel.getType(text) != type || kernel.ambiguous.contains(text);
      }))
    return std::nullopt;
  if (inside == texts.size()) {
    Texts first;
    for (auto [round, text] : zip_equal(rounds, texts))
      first.push_back(locals[round].lookup(text));
    return all_equal(first) ? std::optional(first[0]) : std::nullopt;
  }
  if (inside != 0)
    return std::nullopt;
  return StringRef(type).starts_with("LocalTensor")
             ? unifyTensors(texts, rounds)
             : unifyConstants(texts, rounds);
}

std::optional<std::string>
RoundMerger::unify(const std::vector<std::vector<Token>> &rows, size_t at,
                   const Rounds &rounds) {
  const Token &first = rows[0][at];
  Texts texts;
  for (const std::vector<Token> &row : rows) {
    if (row[at].kind != first.kind)
      return std::nullopt;
    texts.push_back(row[at].text);
  }
  if (first.kind == Token::Variable)
    return unifyVariables(texts, rounds);
  if (all_equal(texts))
    return texts[0];
  // Calls in a row differ in elements of tensors alone.
  bool isElement = first.kind == Token::Index || first.kind == Token::Sum;
  if (first.kind == Token::Text || first.isFixed ||
      (counter == kCall && !isElement))
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const std::string &text : texts)
    if (StringRef(text).getAsInteger(10, values.emplace_back()))
      return std::nullopt;
  std::optional<std::string> text = fit(values, rounds);
  if (!text || first.kind != Token::Number || !StringRef(*text).contains(' '))
    return text;
  // As a factor.
  bool isWhole =
      (at == 0 || StringRef("([,\n").contains(
                      StringRef(rows[0][at - 1].text).rtrim(' ').back())) &&
      (at + 1 == rows[0].size() ||
       StringRef(")],{").contains(rows[0][at + 1].text.front()));
  return isWhole ? *text : "(" + *text + ")";
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The tokens of a statement without those in it.
static std::vector<Token> getHeadTokens(const Statement &statement,
                                        const Kernel &kernel) {
  Statement head = statement;
  head.body.clear();
  head.other.clear();
  return getTokens({head}, kernel);
}

std::string mlir::tile::ascend::getHeadShape(const Statement &statement,
                                             const Kernel &kernel) {
  std::string shape;
  for (const Token &token : getHeadTokens(statement, kernel))
    shape += token.kind == Token::Text       ? token.text
             : token.kind == Token::Variable ? "$"
                                             : "#";
  return shape;
}

bool RoundMerger::mergeStatement(const std::vector<const Statement *> &heads,
                                 const Rounds &rounds, Statement &merged) {
  merged = *heads[0];
  merged.body.clear();
  merged.other.clear();
  std::vector<std::vector<Token>> rows;
  for (auto [round, head] : zip_equal(rounds, heads)) {
    if (is_contained({Statement::Section, Statement::Tensors,
                      Statement::Declared, Statement::Assigned},
                     head->kind) ||
        head->names.size() != merged.names.size())
      return false;
    for (auto [name, first] : zip_equal(head->names, merged.names))
      locals[round].try_emplace(name, first);
    if (head->line != merged.line)
      merged.line = 0;
    rows.push_back(getHeadTokens(*head, kernel));
    if (rows.back().size() != rows[0].size())
      return false;
  }
  Texts texts;
  for (size_t at = 0; at < rows[0].size(); ++at) {
    std::optional<std::string> text = unify(rows, at, rounds);
    if (!text)
      return false;
    texts.push_back(*text);
  }
  size_t at = 0;
  Statements list{std::move(merged)};
  mapTokens(list, kernel, [&](const Token &) { return texts[at++]; });
  merged = std::move(list[0]);
  for (auto side : {&Statement::body, &Statement::other}) {
    std::vector<Sequence> lists(heads.size());
    for (auto [head, list] : zip_equal(heads, lists))
      for (const Statement &statement : head->*side)
        list.push_back(&statement);
    if (!mergeLists(lists, rounds, merged.*side))
      return false;
  }
  return true;
}

/// The rounds whose next statement is a flag that the others do not have here.
static std::vector<size_t>
findAlone(const std::vector<Sequence> &lists, const std::vector<size_t> &at,
          function_ref<std::string(const Statement &)> getShape) {
  for (size_t i = 0; i < lists.size(); ++i) {
    if (at[i] == lists[i].size() || !lists[i][at[i]]->isSync())
      continue;
    std::string shape = getShape(*lists[i][at[i]]);
    std::vector<size_t> alone;
    bool isElsewhere = false;
    for (size_t k = 0; k < lists.size(); ++k) {
      auto begin = lists[k].begin() + at[k];
      auto end = std::find_if_not(begin, lists[k].end(), [](auto *statement) {
        return statement->isSync();
      });
      auto same = std::find_if(begin, end, [&](auto *statement) {
        return getShape(*statement) == shape;
      });
      if (same == begin && same != end)
        alone.push_back(k);
      isElsewhere |= same != begin && same != end;
    }
    if (!isElsewhere)
      return alone;
  }
  return {};
}

bool RoundMerger::mergeLists(const std::vector<Sequence> &lists,
                             const Rounds &rounds, Statements &merged) {
  std::vector<size_t> at(lists.size(), 0);
  auto getShape = [&](const Statement &statement) {
    return getHeadShape(statement, kernel);
  };
  std::string condition;
  auto isEnd = [&](size_t i) { return at[i] == lists[i].size(); };
  while (!all_of(seq<size_t>(0, lists.size()), isEnd)) {
    bool isAlike = none_of(seq<size_t>(0, lists.size()), isEnd);
    for (size_t i = 1; i < lists.size() && isAlike; ++i)
      isAlike = getShape(*lists[i][at[i]]) == getShape(*lists[0][at[0]]);
    std::vector<size_t> some(lists.size());
    std::iota(some.begin(), some.end(), 0);
    if (!isAlike)
      some = findAlone(lists, at, getShape);
    if (some.empty())
      return false;
    Rounds reached;
    Sequence heads;
    for (size_t i : some) {
      reached.push_back(rounds[i]);
      heads.push_back(lists[i][at[i]++]);
    }
    Statement statement;
    if (!mergeStatement(heads, reached, statement))
      return false;
    if (isAlike) {
      merged.push_back(std::move(statement));
      condition.clear();
      continue;
    }
    std::optional<std::string> own = getCondition(reached, rounds);
    if (!own)
      return false;
    if (condition != *own) {
      merged.emplace_back().kind = Statement::Branch;
      condition = merged.back().text = *own;
    }
    merged.back().body.push_back(std::move(statement));
  }
  return true;
}

std::optional<Statements>
RoundMerger::merge(const std::vector<Sequence> &rounds) {
  Rounds all(count);
  std::iota(all.begin(), all.end(), 0);
  Statements body;
  if (!mergeLists(rounds, all, body))
    return std::nullopt;
  Statements round = std::move(computed);
  append_range(round, std::move(body));
  return round;
}
