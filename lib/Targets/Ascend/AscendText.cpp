//===- AscendText.cpp - shorter forms of the same statements --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendStatements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <optional>

using namespace llvm;
using namespace mlir::tile::ascend;

//===----------------------------------------------------------------------===//
// Calls in a row
//===----------------------------------------------------------------------===//

// Flags share lines.
static constexpr size_t kFewestFlags = 5;

/// The parts of a call: words, and characters between them.
static SmallVector<StringRef> splitCall(StringRef text) {
  SmallVector<StringRef> parts;
  while (!text.empty()) {
    size_t size = text.find_if_not(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    parts.push_back(text.take_front(std::max<size_t>(size, 1)));
    text = text.drop_front(parts.back().size());
  }
  return parts;
}

static bool isCall(const Statement &statement) {
  StringRef text = statement.text;
  return statement.kind == Statement::Flag ||
         statement.kind == Statement::Signal ||
         (statement.kind == Statement::Plain && text.ends_with(")") &&
          !text.contains(" = "));
}

namespace {
/// A call whose numbers grow by the same with each repetition.
struct CallSequence {
  SmallVector<StringRef> parts;                     // of the second call
  SmallVector<std::pair<int64_t, int64_t>> numbers; // first value, step
  size_t count = 1;

  bool start(const Statement &one, const Statement &two);
  bool goesOn(StringRef text) const;
  std::string format(StringRef variable) const;
};
} // namespace

static std::optional<int64_t> getNumber(StringRef part) {
  int64_t value;
  if (part.empty() || !isDigit(part[0]) || part.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

/// Element 0 of a tensor has no index. Braces take no number of another width.
bool CallSequence::start(const Statement &one, const Statement &two) {
  if (!isCall(one) || !isCall(two) || one.kind != two.kind)
    return false;
  SmallVector<StringRef> before = splitCall(one.text);
  parts = splitCall(two.text);
  bool isFlag = two.kind == Statement::Flag;
  size_t at = 0;
  unsigned braces = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    braces += parts[i] == "{";
    std::optional<int64_t> own = getNumber(parts[i]);
    bool isIndex = own && i > 0 &&
                   (parts[i - 1] == "[" || (isFlag && parts[i - 1] == "("));
    StringRef other = at < before.size() ? before[at] : "";
    bool lacks =
        other != "[" || at + 1 == before.size() || !getNumber(before[at + 1]);
    if (parts[i] == "[" && lacks && i + 2 < parts.size() &&
        getNumber(parts[i + 1]) && parts[i + 2] == "]") {
      numbers.resize(i + 3);
      numbers[i + 1] = {0, *getNumber(parts[i + 1])};
      i += 2;
      continue;
    }
    ++at;
    if (parts[i] == other)
      continue;
    std::optional<int64_t> value = getNumber(other);
    if (!isIndex || !value || braces)
      return false;
    numbers.resize(i + 1);
    numbers[i] = {*value, *own - *value};
  }
  numbers.resize(parts.size());
  bool isAlike = llvm::all_of(
      numbers, [](const auto &number) { return number.second == 0; });
  return at == before.size() && (one.isSync() || !isAlike);
}

bool CallSequence::goesOn(StringRef text) const {
  SmallVector<StringRef> others = splitCall(text);
  return others.size() == parts.size() &&
         llvm::all_of(llvm::seq<size_t>(0, parts.size()), [&](size_t i) {
           auto [value, step] = numbers[i];
           return step == 0
                      ? others[i] == parts[i]
                      : getNumber(others[i]) == value + step * int64_t(count);
         });
}

std::string CallSequence::format(StringRef variable) const {
  std::string text;
  for (auto [part, number] : llvm::zip(parts, numbers)) {
    auto [value, step] = number;
    if (step == 0) {
      text += part;
      continue;
    }
    if (value != 0)
      text += std::to_string(value) + " + ";
    text += variable;
    if (step != 1)
      text += " * " + std::to_string(step);
  }
  return text;
}

/// Nothing lies between them, so that their order is up to the text: by pipes,
/// then by their number.
static void sortFlags(Statements &list) {
  auto getKey = [](const Statement &flag) {
    auto [event, number] = StringRef(flag.text).split('(');
    return std::pair(event, getNumber(number.take_while(isDigit)).value_or(0));
  };
  // All of a row set, or all wait.
  auto isAlike = [](const Statement &a, const Statement &c) {
    return a.kind == Statement::Flag && c.kind == Statement::Flag &&
           a.text[0] == c.text[0];
  };
  for (size_t begin = 0, end; begin < list.size(); begin = end) {
    for (end = begin + 1; end < list.size() && isAlike(list[begin], list[end]);)
      ++end;
    std::stable_sort(list.begin() + begin, list.begin() + end,
                     [&](const Statement &a, const Statement &c) {
                       return getKey(a) < getKey(c);
                     });
  }
}

static void rollList(Statements &list, size_t fewest) {
  sortFlags(list);
  Statements rolled;
  for (size_t i = 0; i < list.size();) {
    CallSequence calls;
    if (i + 1 < list.size() && calls.start(list[i], list[i + 1]))
      for (calls.count = 2; i + calls.count < list.size() &&
                            list[i + calls.count].kind == list[i].kind &&
                            calls.goesOn(list[i + calls.count].text);)
        ++calls.count;
    if (calls.count < (list[i].isSync() ? kFewestFlags : fewest)) {
      rolled.push_back(std::move(list[i++]));
      continue;
    }
    Statement loop, call = list[i];
    call.text = calls.format("c");
    loop.kind = Statement::Loop;
    loop.names = {"c"};
    loop.text =
        "int64_t c = 0; c < " + std::to_string(calls.count) + "; c += 1";
    loop.body.push_back(std::move(call));
    rolled.push_back(std::move(loop));
    i += calls.count;
  }
  list = std::move(rolled);
}

void mlir::tile::ascend::rollCalls(Statements &statements, size_t fewest) {
  walkLists(statements, [&](Statements &list) { rollList(list, fewest); });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Behind the last constant of the same type, if nothing between them declares
/// or changes what it is computed of.
static void gatherConstant(Statements &list, size_t at, const Kernel &kernel) {
  StringSet<> used = getVariables({list[at]}, kernel);
  for (size_t i = at; i-- > 0;) {
    const Statement &before = list[i];
    if (before.kind == Statement::Constant && before.type == list[at].type) {
      std::rotate(list.begin() + i + 1, list.begin() + at,
                  list.begin() + at + 1);
      return;
    }
    StringSet<> declared;
    collectNames({before}, declared);
    if (llvm::any_of(declared, [&](const auto &name) {
          return used.contains(name.getKey());
        }))
      return;
  }
}

void mlir::tile::ascend::gatherConstants(Statements &statements,
                                         const Kernel &kernel) {
  walkLists(statements, [&](Statements &list) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].kind == Statement::Constant && list[i].isPure)
        gatherConstant(list, i, kernel);
  });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

void mlir::tile::ascend::dropCasts(Statements &statements) {
  static const Regex cast("uint(8|16|32)_t\\(([0-9]+)\\)");
  walkLists(statements, [](Statements &list) {
    for (Statement &statement : list)
      for (SmallVector<StringRef> groups; cast.match(statement.text, &groups);)
        statement.text = cast.sub("\\2", statement.text);
  });
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// A condition reads variables that keep their value, so that it may stand
/// behind the statements of both sides.
void mlir::tile::ascend::shareBranches(Statements &statements) {
  walkLists(statements, [](Statements &list) {
    Statements shared;
    for (Statement &branch : list) {
      Statements &both = branch.other, &body = branch.body;
      bool isShared = branch.kind == Statement::Branch && !both.empty() &&
                      both.size() < body.size() &&
                      std::equal(both.begin(), both.end(), body.begin());
      if (isShared) {
        body.erase(body.begin(), body.begin() + both.size());
        llvm::append_range(shared, both);
        both.clear();
      }
      shared.push_back(std::move(branch));
    }
    list = std::move(shared);
  });
}
