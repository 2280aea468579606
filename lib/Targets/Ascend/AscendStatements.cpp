//===- AscendStatements.cpp - the statements of a kernel ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendStatements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <optional>
#include <tuple>

using namespace llvm;
using namespace mlir::tile::ascend;

bool Statement::operator==(const Statement &statement) const {
  auto getAll = [](const Statement &s) {
    return std::tie(s.kind, s.text, s.type, s.names, s.values, s.body, s.other);
  };
  return getAll(*this) == getAll(statement);
}

void Kernel::addVariable(StringRef type, StringRef name) {
  auto [at, isNew] = types.try_emplace(name, type);
  if (!isNew && at->second != type)
    ambiguous.insert(name);
  if (isNew)
    splits.clear();
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool isNumber(StringRef word) {
  return !word.empty() && all_of(word, isDigit);
}

static bool isWord(char c) { return isAlnum(c) || c == '_' || c == '.'; }

/// Words, and characters between them. An element of an array is one word.
static std::vector<Token> splitWords(StringRef text, const Kernel &kernel) {
  std::vector<Token> tokens;
  unsigned braces = 0, angles = 0;
  bool isMember = false;
  while (!text.empty()) {
    StringRef word = text.take_while(isWord);
    if (!word.empty() && !isDigit(word.front()))
      word = word.take_while([](char c) { return c != '.'; });
    if (word.empty())
      word = text.take_front(1);
    bool isVariable = !isMember && kernel.types.contains(word);
    if (isVariable && kernel.arrays.contains(word))
      word = text.take_front(text.find(']') + 1);
    braces += word == "{";
    // Types have no space in front of their arguments.
    angles += word == "<" && !tokens.empty() && isWord(tokens.back().text[0]);
    // "uint16_t(4)": a cast to what the braces take.
    bool isCast = tokens.size() > 1 && tokens.back().text == "(" &&
                  StringRef(tokens[tokens.size() - 2].text).ends_with("_t");
    tokens.push_back({isNumber(word) ? Token::Number
                      : isVariable   ? Token::Variable
                                     : Token::Text,
                      word.str(), (braces > 0 && !isCast) || angles > 0});
    braces -= word == "}" && braces > 0;
    angles -= word == ">" && angles > 0;
    isMember = word == "." || word == ":";
    text = text.drop_front(word.size());
  }
  return tokens;
}

namespace {
/// Puts a number at the end of sums, and an index behind tensors, so that both
/// have the same form in each step.
class NumberAdder {
public:
  NumberAdder(const Kernel &kernel) : kernel(kernel) {}
  void add(ArrayRef<Token> part);
  std::vector<Token> take() { return std::move(tokens); }

private:
  bool isLinear(ArrayRef<Token> part) const;
  void addSum(ArrayRef<Token> part);
  size_t addBrackets(ArrayRef<Token> part, size_t open);
  void push(const Token &token);

  const Kernel &kernel;
  std::vector<Token> tokens;
};
} // namespace

static bool is(const Token &token, StringRef text) {
  return token.kind == Token::Text && token.text == text;
}

static size_t findClose(ArrayRef<Token> part, size_t open) {
  unsigned depth = 0;
  for (size_t i = open; i < part.size(); ++i) {
    bool isOpen = is(part[i], "(") || is(part[i], "[") || is(part[i], "{");
    bool isClose = is(part[i], ")") || is(part[i], "]") || is(part[i], "}");
    depth += isOpen;
    if (isClose && --depth == 0)
      return i;
  }
  return part.size();
}

/// Texts in a row are one.
void NumberAdder::push(const Token &token) {
  bool isText = token.kind == Token::Text;
  if (isText && !tokens.empty() && tokens.back().kind == Token::Text)
    tokens.back().text += token.text;
  else
    tokens.push_back(token);
}

bool NumberAdder::isLinear(ArrayRef<Token> part) const {
  return any_of(part,
                [](const Token &t) { return t.kind == Token::Variable; }) &&
         all_of(part, [&](const Token &token) {
           return token.kind == Token::Variable
                      ? kernel.getType(token.text) == "int64_t"
                      : token.kind == Token::Number ||
                            StringRef(" +-*()").contains(token.text);
         });
}

void NumberAdder::addSum(ArrayRef<Token> part) {
  while (is(part.front(), "(") && findClose(part, 0) + 1 == part.size())
    part = part.drop_front().drop_back();
  Token sum{Token::Sum, "0"};
  size_t count = part.size();
  if (count > 4 && part.back().kind == Token::Number &&
      (is(part[count - 3], "+") || is(part[count - 3], "-"))) {
    sum.text = (is(part[count - 3], "-") ? "-" : "") + part.back().text;
    part = part.drop_back(4);
  }
  for_each(part, [&](const Token &token) { push(token); });
  push(sum);
}

/// From an opening bracket on; the token behind the closing one.
size_t NumberAdder::addBrackets(ArrayRef<Token> part, size_t open) {
  size_t close = findClose(part, open), begin = open + 1;
  push(part[open]);
  unsigned depth = 0;
  for (size_t i = begin; i <= close; ++i) {
    if (i < close) {
      depth += is(part[i], "(") || is(part[i], "[") || is(part[i], "{");
      depth -= is(part[i], ")") || is(part[i], "]") || is(part[i], "}");
      if (depth > 0 || !is(part[i], ","))
        continue;
    }
    bool isNext = begin < i && is(part[begin], " ");
    if (isNext)
      push(part[begin]);
    add(part.slice(begin + isNext, i - begin - isNext));
    if (i < part.size())
      push(part[i]);
    begin = i + 1;
  }
  return close + 1;
}

void NumberAdder::add(ArrayRef<Token> part) {
  if (!part.empty() && isLinear(part))
    return addSum(part);
  // The two sides of a comparison.
  unsigned depth = 0;
  std::optional<size_t> comparison;
  bool isComparison = true;
  for (auto [i, token] : enumerate(part)) {
    depth += is(token, "(") || is(token, "[") || is(token, "{");
    depth -= is(token, ")") || is(token, "]") || is(token, "}");
    bool isWide = i > 0 && i + 1 < part.size() && is(part[i - 1], " ");
    if (depth > 0 || !isWide || token.kind != Token::Text)
      continue;
    if ((token.text == "<" || token.text == ">") && !comparison)
      comparison = i;
    else if (!StringRef("+-* =").contains(token.text))
      isComparison = false;
  }
  if (comparison && isComparison) {
    size_t behind = *comparison + (is(part[*comparison + 1], "=") ? 2 : 1);
    add(part.take_front(*comparison - 1));
    for (size_t i = *comparison - 1; i <= behind && i < part.size(); ++i)
      push(part[i]);
    if (behind + 1 < part.size())
      add(part.drop_front(behind + 1));
    return;
  }
  for (size_t i = 0; i < part.size();) {
    const Token &token = part[i];
    bool isIndexed = i + 1 < part.size() && is(part[i + 1], "[");
    if (token.kind == Token::Variable && isTensor(kernel.getType(token.text))) {
      push(token);
      ++i;
      bool isNumbered = isIndexed && i + 2 < part.size() &&
                        part[i + 1].kind == Token::Number &&
                        is(part[i + 2], "]");
      push({Token::Index, isNumbered ? part[i + 1].text : "0"});
      i += isNumbered ? 3 : 0;
    } else if (is(token, "(") || is(token, "[") || is(token, "{")) {
      i = addBrackets(part, i);
    } else {
      push(part[i++]);
    }
  }
}

static const std::vector<Token> &split(StringRef text, const Kernel &kernel) {
  auto [known, isNew] = kernel.splits.try_emplace(text);
  if (isNew) {
    NumberAdder adder(kernel);
    adder.add(splitWords(text, kernel));
    known->second = adder.take();
  }
  return known->second;
}

static std::string mapText(const std::vector<Token> &tokens, TokenMap map) {
  std::string text;
  for (const Token &token : tokens) {
    std::string mapped = map(token);
    StringRef word = token.kind == Token::Text ? token.text : mapped;
    if (token.kind == Token::Sum) {
      if (word == "0")
        continue;
      text += " + ";
    }
    if (token.kind == Token::Index) {
      if (word != "0")
        text += ("[" + word + "]").str();
      continue;
    }
    // "a + -4" is "a - 4".
    if (StringRef(text).ends_with("+ ") && word.consume_front("-"))
      text.replace(text.size() - 2, 2, "- ");
    text += word;
  }
  return text;
}

/// The type of what a statement declares or assigns, as it is written.
static std::string getTypeText(const Statement &statement) {
  return statement.kind == Statement::Constant ? "const " + statement.type
                                               : statement.type;
}

/// The kind and the type of a statement are text.
static Token getMark(const Statement &statement) {
  return {Token::Text,
          std::to_string(statement.kind) + " " + getTypeText(statement)};
}

/// What a call of a function is given.
static Token getArgument(const std::string &value) {
  StringRef digits = value;
  digits.consume_front("-");
  return {isNumber(digits) ? Token::Number : Token::Variable, value};
}

// Where values, blocks and statements begin and end.
static constexpr StringLiteral kMarks[] = {", ", "{", "} {", "}\n"};

/// The head of a loop has several parts.
static std::vector<Token> splitStatement(const Statement &statement,
                                         const Kernel &kernel) {
  return statement.kind == Statement::Loop ? splitWords(statement.text, kernel)
                                           : split(statement.text, kernel);
}

void mlir::tile::ascend::mapTokens(Statements &statements, const Kernel &kernel,
                                   TokenMap map) {
  for (Statement &statement : statements) {
    map(getMark(statement));
    for (std::string &name : statement.names)
      name = map({Token::Variable, name});
    statement.text = mapText(splitStatement(statement, kernel), map);
    for (std::string &value : statement.values) {
      map({Token::Text, kMarks[0].str()});
      value = statement.kind == Statement::Call
                  ? map(getArgument(value))
                  : mapText(split(value, kernel), map);
    }
    map({Token::Text, kMarks[1].str()});
    mapTokens(statement.body, kernel, map);
    map({Token::Text, kMarks[2].str()});
    mapTokens(statement.other, kernel, map);
    map({Token::Text, kMarks[3].str()});
  }
}

void mlir::tile::ascend::visitTokens(const Statements &statements,
                                     const Kernel &kernel,
                                     function_ref<void(const Token &)> visit) {
  for (const Statement &statement : statements) {
    visit(getMark(statement));
    for (const std::string &name : statement.names)
      visit({Token::Variable, name});
    if (statement.kind == Statement::Loop)
      for_each(splitWords(statement.text, kernel), visit);
    else
      for_each(split(statement.text, kernel), visit);
    for (const std::string &value : statement.values) {
      visit({Token::Text, kMarks[0].str()});
      if (statement.kind == Statement::Call)
        visit(getArgument(value));
      else
        for_each(split(value, kernel), visit);
    }
    visit({Token::Text, kMarks[1].str()});
    visitTokens(statement.body, kernel, visit);
    visit({Token::Text, kMarks[2].str()});
    visitTokens(statement.other, kernel, visit);
    visit({Token::Text, kMarks[3].str()});
  }
}

std::vector<Token> mlir::tile::ascend::getTokens(const Statements &statements,
                                                 const Kernel &kernel) {
  std::vector<Token> tokens;
  visitTokens(statements, kernel,
              [&](const Token &token) { tokens.push_back(token); });
  return tokens;
}

SmallVector<StringRef>
mlir::tile::ascend::getIndexVariables(StringRef element) {
  SmallVector<StringRef> words, variables;
  SplitString(element.split('[').second, words, " ()%*+-]");
  copy_if(words, std::back_inserter(variables),
          [](StringRef word) { return !isDigit(word.front()); });
  return variables;
}

StringSet<> mlir::tile::ascend::getVariables(const Statements &statements,
                                             const Kernel &kernel) {
  StringSet<> variables;
  visitTokens(statements, kernel, [&](const Token &token) {
    if (token.kind != Token::Variable)
      return;
    variables.insert(token.text);
    for (StringRef word : getIndexVariables(token.text))
      variables.insert(word);
  });
  return variables;
}

void mlir::tile::ascend::collectNames(const Statements &list,
                                      StringSet<> &names) {
  for (const Statement &statement : list) {
    names.insert_range(statement.names);
    collectNames(statement.body, names);
    collectNames(statement.other, names);
  }
}

void mlir::tile::ascend::walkLists(Statements &statements,
                                   function_ref<void(Statements &)> visit) {
  for (Statement &statement : statements)
    for (Statements *list : {&statement.body, &statement.other})
      walkLists(*list, visit);
  visit(statements);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

// What a line has at most, where it has a comma to break at.
static constexpr size_t kColumns = 128;

/// The comma to break at: of those behind a quarter of the columns, the
/// last one in the fewest brackets.
static size_t findBreak(StringRef line, size_t columns) {
  size_t best = StringRef::npos;
  int depth = 0, least = std::numeric_limits<int>::max();
  for (size_t i = 0; i + 1 < std::min(columns, line.size()); ++i) {
    // "<<<blocks, stream>>>" are brackets too.
    StringRef rest = line.substr(i);
    depth += StringRef("([{").contains(line[i]) || rest.starts_with("<<<");
    depth -= StringRef(")]}").contains(line[i]) || rest.starts_with(">>>");
    if (rest.starts_with(", ") && i > columns / 4 && depth <= least) {
      best = i;
      least = depth;
    }
  }
  return best;
}

void mlir::tile::ascend::printLine(const Twine &text, unsigned depth,
                                   raw_ostream &os) {
  std::string line = (std::string(2 * depth, ' ') + text).str(),
              indent(2 * depth + 4, ' ');
  StringRef rest = line;
  for (size_t columns = kColumns; rest.size() > columns;
       columns = kColumns - indent.size()) {
    size_t at = findBreak(rest, columns);
    if (at == StringRef::npos)
      break;
    os << rest.take_front(at + 1) << "\n" << indent;
    rest = rest.drop_front(at + 2);
  }
  os << rest << "\n";
}

static std::string formatStatement(const Statement &statement) {
  StringRef text = statement.text;
  std::string name = statement.names.empty() ? "" : statement.names[0];
  switch (statement.kind) {
  case Statement::Plain:
  case Statement::Signal:
  case Statement::Barrier:
    return text.str();
  case Statement::Set:
    return "SetFlag<HardEvent::" + statement.type + ">(" + statement.values[0] +
           ")";
  case Statement::Wait:
    return "WaitFlag<HardEvent::" + statement.type + ">(" +
           statement.values[0] + ")";
  case Statement::HandOver:
    return "HAND_OVER(" + statement.type + ", " + statement.values[0] + ")";
  case Statement::Call:
    return (text + "(" + join(statement.values, ", ") + ")").str();
  case Statement::Constant:
    return (getTypeText(statement) + " " + name + " = " + text).str();
  case Statement::Declared:
    return statement.type + " " + name;
  case Statement::Assigned:
    return (name + " = " + text).str();
  case Statement::Tensors:
  case Statement::Members: {
    SmallVector<std::string> tensors;
    bool isMember = statement.kind == Statement::Members;
    for (auto [tensor, value] : zip_equal(statement.names, statement.values))
      tensors.push_back(value.front() == '{'
                            ? tensor + "[" +
                                  std::to_string(StringRef(value).count('{')) +
                                  "]{" + value + "}"
                            : tensor + (isMember ? "{" : "(") + value +
                                  (isMember ? "}" : ")"));
    return statement.type + " " + join(tensors, ", ");
  }
  case Statement::Loop:
    return ("for (" + text + ")").str();
  case Statement::Branch:
    return ("if (" + text + ")").str();
  case Statement::Section:
    return ("if " + text).str();
  case Statement::Braces:
    return "";
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether a side of a loop or branch needs no braces.
static bool isSingle(const Statements &list) {
  return list.size() == 1 && !list[0].isBlock();
}

/// With its semicolon.
static std::string finishStatement(StringRef text, StringRef comment) {
  return (text + ";" + (comment.empty() ? "" : " // ") + comment).str();
}

static bool fits(const Twine &text, unsigned depth) {
  return 2 * depth + text.str().size() <= kColumns;
}

/// What separates a statement from the one before it, in one line; nothing if
/// they have one each.
static std::optional<StringRef> getSeparator(const Statement &before,
                                             const Statement &statement) {
  bool isAlike = before.kind == statement.kind;
  if (!before.comment.empty() || before.isBlock() || statement.isBlock())
    return std::nullopt;
  if (isAlike && statement.kind == Statement::Constant &&
      before.type == statement.type)
    return StringRef(", ");
  // What an instruction signals stands behind it, and what one waits for in
  // front of it.
  bool isCall =
           before.kind == Statement::Plain || before.kind == Statement::Call,
       waits = statement.kind == Statement::Wait ||
               (statement.kind == Statement::Signal && statement.type.empty());
  bool isRow = (before.isSync() && statement.isSync()) ||
               (isCall && statement.isSync() && !waits) ||
               (isAlike && statement.kind == Statement::Assigned);
  return isRow ? std::optional<StringRef>("; ") : std::nullopt;
}

namespace {
class StatementPrinter {
public:
  explicit StatementPrinter(raw_ostream &os) : os(os) {}
  void print(const Statements &statements, unsigned depth);

private:
  void print(std::string line, const Statement &first, unsigned depth);
  void printBlock(const Statement &block, StringRef head,
                  const Statements &body, bool hasBraces, unsigned depth);
  size_t printRow(const Statements &statements, size_t at, unsigned depth);

  raw_ostream &os;
  unsigned lastLine = 0;
};
} // namespace

/// A line, whose first statement is of a line of the source.
void StatementPrinter::print(std::string line, const Statement &first,
                             unsigned depth) {
  std::string comment =
      (StringRef(line).contains("; // ") ? ", line " : " // line ") +
      std::to_string(first.line);
  bool isTensor =
      first.kind == Statement::Tensors || first.kind == Statement::Members;
  if (first.line != 0 && first.line != lastLine && !isTensor &&
      fits(line + comment, depth)) {
    line += comment;
    lastLine = first.line;
  }
  printLine(line, depth, os);
}

/// A loop, or a side of a branch.
void StatementPrinter::printBlock(const Statement &block, StringRef head,
                                  const Statements &body, bool hasBraces,
                                  unsigned depth) {
  if (hasBraces) {
    print((head + (head.empty() ? "{" : " {")).str(), block, depth);
    return print(body, depth + 1);
  }
  std::string line =
      (head + " " + finishStatement(formatStatement(body[0]), body[0].comment))
          .str();
  if (!body[0].isBlock() && fits(line, depth))
    return print(line, block, depth);
  print(head.str(), block, depth);
  print(body, depth + 1);
}

/// Statements in one line, from one on; the last one of them.
size_t StatementPrinter::printRow(const Statements &statements, size_t at,
                                  unsigned depth) {
  std::string line = formatStatement(statements[at]);
  size_t last = at;
  for (; last + 1 < statements.size(); ++last) {
    const Statement &next = statements[last + 1];
    auto separator = getSeparator(statements[last], next);
    std::string text = formatStatement(next);
    if (separator == StringRef(", "))
      text = StringRef(text).drop_front(getTypeText(next).size() + 1);
    if (!separator || !fits(line + *separator + text + ";", depth))
      break;
    line += (*separator + text).str();
  }
  print(finishStatement(line, statements[last].comment), statements[at], depth);
  return last;
}

void StatementPrinter::print(const Statements &statements, unsigned depth) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const Statement &block = statements[i];
    if (!block.isBlock()) {
      i = printRow(statements, i, depth);
      continue;
    }
    // "else if" is one line.
    bool isChain = block.other.size() == 1 &&
                   block.other[0].kind == Statement::Branch &&
                   block.other[0].other.empty();
    bool hasElse = !block.other.empty(),
         isNest = block.kind == Statement::Loop && block.body.size() == 1 &&
                  block.body[0].kind == Statement::Loop,
         hasBraces = block.kind == Statement::Braces ||
                     !(isSingle(block.body) || isNest) ||
                     (isChain ? !isSingle(block.other[0].body)
                              : hasElse && !isSingle(block.other));
    printBlock(block, formatStatement(block), block.body, hasBraces, depth);
    std::string other = hasBraces ? "} else" : "else";
    if (isChain)
      printBlock(block, other + " " + formatStatement(block.other[0]),
                 block.other[0].body, hasBraces, depth);
    else if (hasElse)
      printBlock(block, other, block.other, hasBraces, depth);
    if (hasBraces)
      printLine("}", depth, os);
  }
}

void mlir::tile::ascend::printStatements(const Statements &statements,
                                         unsigned depth, raw_ostream &os) {
  StatementPrinter(os).print(statements, depth);
}
