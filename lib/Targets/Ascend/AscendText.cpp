//===- AscendText.cpp - shorter forms of the same statements --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendStatements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

#include <tuple>

using namespace llvm;
using namespace mlir::tile::ascend;

//===----------------------------------------------------------------------===//
// Flags in a row
//===----------------------------------------------------------------------===//

/// A wait of one pipe may stand in front of what others signal. That of the
/// scalar unit holds all.
static bool mayPass(const Statement &wait, const Statement &before) {
  StringRef waiting = StringRef(wait.type).split('_').second;
  if (waiting == "S" || before.kind == Statement::Barrier ||
      (before.kind == Statement::Signal && before.type.empty()))
    return false;
  return before.kind == Statement::Wait ||
         StringRef(before.type).split('_').first != waiting;
}

/// A flag whose wait may stand behind it at once.
static void handOver(Statements &list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind != Statement::Set)
      continue;
    size_t at = i + 1;
    auto isWait = [&](const Statement &other) {
      return other.kind == Statement::Wait && other.type == list[i].type &&
             other.values == list[i].values;
    };
    while (at < list.size() && list[at].isSync() && !isWait(list[at]))
      ++at;
    if (at == list.size() || !isWait(list[at]) ||
        !std::all_of(
            list.begin() + i + 1, list.begin() + at,
            [&](const Statement &before) { return mayPass(list[at], before); }))
      continue;
    list.erase(list.begin() + at);
    list[i].kind = Statement::HandOver;
  }
}

/// Nothing lies between them, so that their order is up to the text: by pipes,
/// then by their number.
static void sortFlags(Statements &list) {
  // All of a row set, or all wait.
  auto isAlike = [](const Statement &a, const Statement &c) {
    return a.isFlag() && a.kind == c.kind;
  };
  auto getKey = [](const Statement &flag) {
    return std::tie(flag.type, flag.values);
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

/// Constants stand in front of the flags that they are between.
static void gatherFlags(Statements &list) {
  auto isEither = [](const Statement &statement) {
    return statement.isSync() || statement.isPureConstant();
  };
  for (auto begin = list.begin(); begin != list.end();) {
    begin = std::find_if(begin, list.end(), isEither);
    auto end = std::find_if_not(begin, list.end(), isEither);
    std::stable_partition(begin, end, [](const Statement &statement) {
      return !statement.isSync();
    });
    begin = end;
  }
}

void mlir::tile::ascend::orderFlags(Statements &statements) {
  walkLists(statements, [](Statements &list) {
    gatherFlags(list);
    handOver(list);
    sortFlags(list);
  });
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
      if (list[i].isPureConstant())
        gatherConstant(list, i, kernel);
  });
}

void mlir::tile::ascend::dropUnused(Kernel &kernel) {
  for (bool isChanged = true; isChanged;) {
    StringMap<unsigned> uses;
    SmallVector<Statements *> bodies{&kernel.entry.body};
    for (KernelFunction &function : kernel.functions)
      bodies.push_back(&function.body);
    for (const Statements *body : bodies)
      visitTokens(*body, kernel, [&](const Token &token) {
        if (token.kind == Token::Variable)
          ++uses[token.text];
      });
    isChanged = false;
    for (Statements *body : bodies)
      walkLists(*body, [&](Statements &list) {
        size_t before = list.size();
        // Its declaration is one of the uses.
        llvm::erase_if(list, [&](const Statement &statement) {
          return statement.isPureConstant() &&
                 uses.lookup(statement.names[0]) == 1;
        });
        isChanged |= list.size() != before;
      });
  }
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

void mlir::tile::ascend::dropCasts(Statements &statements) {
  static const Regex cast("uint(8|16|32)_t\\(([0-9]+)\\)"),
      numbers("DataCopyExtParams\\(([0-9, ]+)\\)");
  walkLists(statements, [](Statements &list) {
    for (Statement &statement : list) {
      for (SmallVector<StringRef> groups; cast.match(statement.text, &groups);)
        statement.text = cast.sub("\\2", statement.text);
      if (numbers.match(statement.text))
        statement.text = numbers.sub("{\\1}", statement.text);
    }
  });
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Whether statements are the same but for the names that they declare.
static bool isSame(const Statements &list, const Statements &other,
                   const Kernel &kernel) {
  std::vector<Token> tokens = getTokens(list, kernel),
                     others = getTokens(other, kernel);
  StringSet<> own;
  collectNames(list, own);
  StringMap<std::string> names;
  return llvm::equal(tokens, others, [&](const Token &a, const Token &c) {
    bool isOwn = a.kind == Token::Variable && own.contains(a.text);
    return a.kind == c.kind &&
           (isOwn ? names.try_emplace(a.text, c.text).first->second : a.text) ==
               c.text;
  });
}

/// A condition reads variables that keep their value, so that it may stand
/// behind the statements of both sides.
void mlir::tile::ascend::shareBranches(Statements &statements,
                                       const Kernel &kernel) {
  walkLists(statements, [&](Statements &list) {
    Statements shared;
    for (Statement &branch : list) {
      Statements &both = branch.other, &body = branch.body;
      bool isShared =
          branch.kind == Statement::Branch && !both.empty() &&
          both.size() < body.size() &&
          isSame({body.begin(), body.begin() + both.size()}, both, kernel);
      if (isShared) {
        std::move(body.begin(), body.begin() + both.size(),
                  std::back_inserter(shared));
        body.erase(body.begin(), body.begin() + both.size());
        both.clear();
      }
      shared.push_back(std::move(branch));
    }
    list = std::move(shared);
  });
}
