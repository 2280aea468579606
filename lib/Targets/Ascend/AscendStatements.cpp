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
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool isNumber(StringRef word) {
  return !word.empty() && all_of(word, isDigit);
}

static std::vector<Token> split(StringRef text, const Kernel &kernel) {
  std::vector<Token> tokens;
  unsigned braces = 0;
  bool isMember = false;
  while (!text.empty()) {
    StringRef word = text.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    if (!word.empty() && !isDigit(word.front()))
      word = word.take_while([](char c) { return c != '.'; });
    if (word.empty())
      word = text.take_front(1);
    bool isVariable = kernel.types.contains(word) && !isMember;
    braces += word == "{";
    // "uint16_t(4)": a cast to what the braces take.
    bool isCast = tokens.size() > 1 && tokens.back().text == "(" &&
                  StringRef(tokens[tokens.size() - 2].text).ends_with("_t");
    tokens.push_back({isNumber(word) ? Token::Number
                      : isVariable   ? Token::Variable
                                     : Token::Text,
                      word.str(), braces > 0 && !isCast});
    braces -= word == "}" && braces > 0;
    isMember = word == "." || word == ":";
    text = text.drop_front(word.size());
  }
  return tokens;
}

/// Sums of variables and multiples have a number at their end, so that the
/// index of an iteration has the same form in each step.
static void addNumber(std::vector<Token> &tokens) {
  bool isLinear = all_of(tokens, [](const Token &token) {
    return token.kind != Token::Text ||
           (token.text.size() == 1 &&
            StringRef(" +-*()").contains(token.text[0]));
  });
  if (!isLinear)
    return;
  Token sum{Token::Sum, "0"};
  size_t count = tokens.size();
  if (count > 4 && tokens[count - 1].kind == Token::Number &&
      StringRef("+-").contains(tokens[count - 3].text)) {
    sum.text = (tokens[count - 3].text == "-" ? "-" : "") + tokens.back().text;
    tokens.resize(count - 4);
  }
  tokens.push_back(sum);
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

static void mapStatement(Statement &statement, const Kernel &kernel,
                         TokenMap map) {
  auto mark = [&](StringRef text) { map({Token::Text, text.str()}); };
  mark(std::to_string(statement.kind) + " " + getTypeText(statement));
  for (std::string &name : statement.names)
    name = map({Token::Variable, name});
  std::vector<Token> tokens = split(statement.text, kernel);
  if (statement.kind == Statement::Constant && statement.type == "int64_t")
    addNumber(tokens);
  statement.text = mapText(tokens, map);
  for (std::string &value : statement.values) {
    mark(", ");
    StringRef digits = value;
    digits.consume_front("-");
    bool isArgument = statement.kind == Statement::Call;
    value =
        !isArgument
            ? mapText(split(value, kernel), map)
            : map({isNumber(digits) ? Token::Number : Token::Variable, value});
  }
  mark("{");
  mapTokens(statement.body, kernel, map);
  mark("} {");
  mapTokens(statement.other, kernel, map);
  mark("}\n");
}

void mlir::tile::ascend::mapTokens(Statements &statements, const Kernel &kernel,
                                   TokenMap map) {
  for (Statement &statement : statements)
    mapStatement(statement, kernel, map);
}

std::vector<Token> mlir::tile::ascend::getTokens(const Statements &statements,
                                                 const Kernel &kernel) {
  std::vector<Token> tokens;
  Statements copy = statements;
  mapTokens(copy, kernel, [&](const Token &token) {
    tokens.push_back(token);
    return token.text;
  });
  return tokens;
}

StringSet<> mlir::tile::ascend::getVariables(const Statements &statements,
                                             const Kernel &kernel) {
  StringSet<> variables;
  for (const Token &token : getTokens(statements, kernel))
    if (token.kind == Token::Variable)
      variables.insert(token.text);
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
    depth += StringRef("([{").contains(line[i]);
    depth -= StringRef(")]}").contains(line[i]);
    if (line.substr(i).starts_with(", ") && i > columns / 4 && depth <= least) {
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
  case Statement::Flag:
  case Statement::Signal:
  case Statement::Barrier:
    return text.str();
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
      tensors.push_back(tensor + (isMember ? "{" : "(") + value +
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
       waits = StringRef(statement.text).contains("WaitFlag<");
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
  if (fits(line, depth))
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
    bool hasElse = !block.other.empty(),
         hasBraces = block.kind == Statement::Braces || !isSingle(block.body) ||
                     (hasElse && !isSingle(block.other));
    printBlock(block, formatStatement(block), block.body, hasBraces, depth);
    if (hasElse)
      printBlock(block, hasBraces ? "} else" : "else", block.other, hasBraces,
                 depth);
    if (hasBraces)
      printLine("}", depth, os);
  }
}

void mlir::tile::ascend::printStatements(const Statements &statements,
                                         unsigned depth, raw_ostream &os) {
  StatementPrinter(os).print(statements, depth);
}
