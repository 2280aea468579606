//===- AscendText.cpp - shorter forms of the same statements --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <optional>

using namespace llvm;
using namespace mlir::tile::ascend;

size_t mlir::tile::ascend::getIndent(StringRef line) {
  return line.size() - line.ltrim(' ').size();
}

StringRef mlir::tile::ascend::takeName(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || c == '_'; });
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

SmallVector<std::pair<StringRef, StringRef>>
mlir::tile::ascend::readParameters(StringRef list) {
  SmallVector<std::pair<StringRef, StringRef>> parameters;
  SmallVector<StringRef> each;
  list.split(each, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef parameter : each) {
    auto [type, name] = parameter.rsplit(' ');
    name.consume_front("&");
    parameters.emplace_back(type, name);
  }
  return parameters;
}

std::optional<Declaration>
mlir::tile::ascend::readDeclaration(StringRef line) {
  Declaration result;
  StringRef rest = line.ltrim(' ');
  result.isLoop = rest.consume_front("for (");
  result.isConstant = rest.consume_front("const ");
  for (StringRef type :
       {"int64_t", "int32_t", "int16_t", "int8_t", "float", "half",
        "bfloat16_t", "bool", "LocalTensor", "Global"}) {
    StringRef after = rest;
    if (!after.consume_front(type))
      continue;
    result.type = type == "Global" ? "GlobalTensor" : type.str();
    if (after.consume_front("<")) {
      auto [element, other] = after.split('>');
      result.type += ("<" + element + ">").str();
      after = other;
    }
    if (!after.consume_front(" "))
      continue;
    // Several tensors: "NAME(ARGUMENTS), NAME(ARGUMENTS)", or names alone.
    for (StringRef name; !(name = takeName(after)).empty();) {
      result.names.push_back(name);
      after = after.drop_front(name.size());
      if (after.starts_with("("))
        after = after.split(')').second;
      if (!after.consume_front(", "))
        break;
    }
    return result;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Calls in a row
//===----------------------------------------------------------------------===//

// As many calls are a loop.
static constexpr size_t kFewestCalls = 3;

/// The parts of a call: words, and characters between them.
static SmallVector<StringRef> splitCall(StringRef line) {
  SmallVector<StringRef> parts;
  while (!line.empty()) {
    size_t size = line.find_if_not(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    parts.push_back(line.take_front(std::max<size_t>(size, 1)));
    line = line.drop_front(parts.back().size());
  }
  return parts;
}

static bool isCall(StringRef line) {
  return line.ends_with(");") && !line.contains(" = ") &&
         !line.contains("PipeBarrier<");
}

/// Whether a line sets, or waits for, a flag within a core.
static bool isFlag(StringRef line, StringRef call) {
  return line.ltrim(' ').starts_with(call);
}

namespace {
/// A call whose numbers grow by the same with each repetition.
struct CallSequence {
  SmallVector<StringRef> parts;            // of the second call
  SmallVector<std::pair<int64_t, int64_t>> numbers; // first value, step
  size_t count = 1;

  bool start(StringRef first, StringRef second);
  bool goesOn(StringRef line) const;
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
bool CallSequence::start(StringRef first, StringRef second) {
  SmallVector<StringRef> before = splitCall(first);
  parts = splitCall(second);
  size_t at = 0;
  unsigned braces = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    braces += parts[i] == "{";
    std::optional<int64_t> own = getNumber(parts[i]);
    bool isIndex = own && i > 0 &&
                   (parts[i - 1] == "[" ||
                    (parts[i - 1] == "(" && parts[i + 1] == ")" &&
                     (isFlag(second, "SetFlag<") ||
                      isFlag(second, "WaitFlag<"))));
    StringRef other = at < before.size() ? before[at] : "";
    bool lacks = other != "[" || at + 1 == before.size() ||
                 !getNumber(before[at + 1]);
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
  return at == before.size();
}

bool CallSequence::goesOn(StringRef line) const {
  SmallVector<StringRef> others = splitCall(line);
  return others.size() == parts.size() &&
         llvm::all_of(llvm::seq<size_t>(0, parts.size()), [&](size_t i) {
           auto [value, step] = numbers[i];
           return step == 0 ? others[i] == parts[i]
                            : getNumber(others[i]) ==
                                  value + step * int64_t(count);
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
static void sortFlags(MutableArrayRef<StringRef> lines) {
  auto getKey = [](StringRef line) {
    auto [event, number] = line.split('(');
    return std::pair(event, getNumber(number.take_while(isDigit)).value_or(0));
  };
  for (StringRef call : {"SetFlag<", "WaitFlag<"})
    for (size_t i = 0; i < lines.size(); ++i) {
      size_t begin = i;
      while (i < lines.size() && isFlag(lines[i], call))
        ++i;
      llvm::stable_sort(lines.slice(begin, i - begin),
                        [&](StringRef a, StringRef c) {
                          return getKey(a) < getKey(c);
                        });
    }
}

std::string mlir::tile::ascend::rollCalls(StringRef kernel) {
  SmallVector<StringRef> lines;
  kernel.split(lines, '\n');
  sortFlags(lines);
  std::string text;
  for (size_t i = 0; i < lines.size();) {
    CallSequence calls;
    if (i + 1 < lines.size() && isCall(lines[i]) && isCall(lines[i + 1]) &&
        calls.start(lines[i], lines[i + 1]))
      for (calls.count = 2; i + calls.count < lines.size() &&
                            calls.goesOn(lines[i + calls.count]);)
        ++calls.count;
    if (calls.count < kFewestCalls) {
      text += lines[i].str();
      text += ++i == lines.size() ? "" : "\n";
      continue;
    }
    std::string indent(getIndent(lines[i]), ' ');
    text += indent + "for (int64_t c = 0; c < " + std::to_string(calls.count) +
            "; c += 1) {\n  " + calls.format("c") + "\n" + indent + "}\n";
    i += calls.count;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Braces, lines
//===----------------------------------------------------------------------===//

std::string mlir::tile::ascend::dropBraces(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  // The one statement behind a line, and nothing else, is in its braces.
  auto holdsOne = [&](size_t i) {
    return i + 2 < lines.size() && lines[i].ends_with(" {") &&
           getIndent(lines[i + 1]) == getIndent(lines[i]) + 2 &&
           !lines[i + 1].ends_with("{") &&
           getIndent(lines[i + 2]) == getIndent(lines[i]) &&
           lines[i + 2].ltrim(' ').starts_with("}");
  };
  std::string shorter;
  auto add = [&](const Twine &line) { shorter += (line + "\n").str(); };
  for (size_t i = 0; i < lines.size();) {
    StringRef head = lines[i].ltrim(' ');
    bool isBranch = head.starts_with("if ");
    bool drops = (isBranch || head.starts_with("for (")) && holdsOne(i);
    bool hasElse = drops && lines[i + 2].ends_with("} else {");
    if (!drops || (hasElse && !holdsOne(i + 2))) {
      shorter += lines[i].str();
      shorter += ++i == lines.size() ? "" : "\n";
      continue;
    }
    add(lines[i].drop_back(2));
    add(lines[i + 1]);
    i += 2;
    if (hasElse) {
      add(lines[i].take_front(getIndent(lines[i])) + "else");
      add(lines[i + 1]);
      i += 2;
    }
    ++i;
  }
  return shorter;
}

// What a line has at most, where it has a comma to break at.
static constexpr size_t kColumns = 128;

/// Behind the lines of a block that begins behind a line.
static size_t findBlockEnd(ArrayRef<StringRef> lines, size_t head) {
  size_t i = head + 1;
  while (i < lines.size() &&
         (lines[i].empty() || getIndent(lines[i]) > getIndent(lines[head])))
    ++i;
  return i;
}

std::string mlir::tile::ascend::shareBranches(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  std::string shared;
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef head = lines[i].ltrim(' ');
    size_t other = findBlockEnd(lines, i);
    bool isBranch = head.starts_with("if (") && head.ends_with("{") &&
                    other < lines.size() &&
                    lines[other].ltrim(' ') == "} else {";
    size_t end = isBranch ? findBlockEnd(lines, other) : i;
    // Constants alone are compared, so that the condition may stand behind.
    ArrayRef<StringRef> all(lines), both;
    if (isBranch && !head.contains("GetValue"))
      both = all.slice(other + 1, end - other - 1);
    if (both.empty() || both.size() >= other - i - 1 ||
        both != all.slice(i + 1, both.size())) {
      shared += (lines[i] + (i + 1 == lines.size() ? "" : "\n")).str();
      continue;
    }
    for (StringRef line : both)
      shared += (line.drop_front(2) + "\n").str();
    shared += (lines[i] + "\n").str();
    for (StringRef line : all.slice(i + 1 + both.size(),
                                    other - i - 1 - both.size()))
      shared += (line + "\n").str();
    shared += (lines[end] + "\n").str();
    i = end;
  }
  return shared;
}

/// The comma to break at: of those behind a quarter of the columns, the
/// last one in the fewest brackets.
static size_t findBreak(StringRef line, size_t columns) {
  size_t best = StringRef::npos;
  int depth = 0, least = std::numeric_limits<int>::max();
  for (size_t i = 0; i + 1 < std::min(columns, line.size()); ++i) {
    depth += StringRef("([{").contains(line[i]);
    depth -= StringRef(")]}").contains(line[i]);
    if (line.substr(i).starts_with(", ") && i > columns / 4 &&
        depth <= least) {
      best = i;
      least = depth;
    }
  }
  return best;
}

std::string mlir::tile::ascend::wrapLines(StringRef text) {
  std::string wrapped;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [i, line] : enumerate(lines)) {
    std::string indent(getIndent(line) + 4, ' ');
    StringRef rest = line;
    for (size_t columns = kColumns; rest.size() > columns;
         columns = kColumns - indent.size()) {
      size_t at = findBreak(rest, columns);
      if (at == StringRef::npos)
        break;
      wrapped += (rest.take_front(at + 1) + "\n" + indent).str();
      rest = rest.drop_front(at + 2);
    }
    wrapped += rest.str() + (i + 1 == lines.size() ? "" : "\n");
  }
  return wrapped;
}
