//===- AscendFunctions.cpp - repeated blocks become functions -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a loop with several iterations in flight differ in their
// buffers, flags and indices alone, and so do copies of tiles with a tail:
// statements in a row that repeat so are a function, with a call for each time.
//
//===----------------------------------------------------------------------===//

#include "AscendFunctions.h"
#include "AscendText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <numeric>
#include <optional>
#include <vector>

using namespace llvm;
using namespace mlir::tile::ascend;

// What a function has at least, and what it has to save, in lines.
static constexpr size_t kFewestLines = 4;
static constexpr size_t kFewestSaved = 2;
static constexpr size_t kMostStatements = 48;

namespace {
struct Token {
  enum Kind { Variable, Number, Text } kind;
  std::string text;
  bool inBraces; // as a number of the width that stands there
};

/// Statements in a row, the lines [begin, end), of a block that ends at `last`.
struct Statements {
  size_t begin, end, last;
  SmallVector<Token> tokens;
  StringSet<> locals;
};

/// One statement, and a number that it shares with those of its shape.
struct Statement {
  size_t begin, end, last;
  size_t shape;
};

class FunctionFinder {
public:
  FunctionFinder(StringRef kernel, StringRef name, unsigned count)
      : name(name), count(count) {
    kernel.split(lines, '\n');
  }
  /// The text with functions, if there are any.
  std::optional<std::string> run();
  unsigned getCount() const { return count; }

private:
  void collectTypes();
  void collectShared(size_t begin, size_t end);
  void addType(StringRef type, StringRef variable);
  size_t findEnd(size_t begin) const;
  void collectStatements(size_t begin, size_t end);
  bool mayMove(size_t begin, size_t end) const;
  Statements readBlock(const Statement &first, size_t end) const;
  SmallVector<Token> split(StringRef line) const;
  static std::string getShape(const Statements &block);
  bool hasOwnVariables(const Statements &block) const;
  bool isFunction(size_t first, size_t length) const;
  std::vector<std::vector<Statements>> findRepeated() const;
  bool outline(ArrayRef<Statements> blocks);

  StringRef name;
  SmallVector<StringRef> lines;
  StringMap<std::string> types; // of variables
  StringSet<> several;          // that are declared in different types
  StringSet<> shared; // of the kernel, with one value
  std::vector<Statement> statements; // of a block, in a row
  StringMap<size_t> shapes;
  std::string functions;
  std::map<size_t, std::pair<size_t, std::string>> calls; // for lines
  unsigned count;
};
} // namespace

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void FunctionFinder::addType(StringRef type, StringRef variable) {
  auto [at, isNew] = types.try_emplace(variable, type);
  if (!isNew && at->second != type)
    several.insert(variable);
}

/// Of declarations, loops and parameters.
void FunctionFinder::collectTypes() {
  for (StringRef line : lines) {
    bool isKernel = line.starts_with("extern \"C\" __global__");
    if (isKernel || line.starts_with("static __aicore__")) {
      StringRef list = line.split('(').second.rsplit(')').first;
      for (auto [type, variable] : readParameters(list)) {
        addType(type, variable);
        if (isKernel)
          shared.insert(variable);
      }
    } else if (auto declaration = readDeclaration(line)) {
      for (StringRef variable : declaration->names)
        addType(declaration->type, variable);
    }
  }
}

/// What the kernel computes once, outside of its loops: functions use it as it
/// is.
void FunctionFinder::collectShared(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (lines[i].ltrim(' ').starts_with("for (")) {
      i = findEnd(i) - 1;
      continue;
    }
    auto declaration = readDeclaration(lines[i]);
    if (declaration && (declaration->isConstant || declaration->isTensor()))
      for (StringRef variable : declaration->names)
        shared.insert(variable);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Behind the statement that begins with a line.
size_t FunctionFinder::findEnd(size_t begin) const {
  size_t indent = getIndent(lines[begin]), end = begin;
  while (lines[end].ends_with("{"))
    for (++end; end + 1 < lines.size() && getIndent(lines[end]) > indent;)
      ++end;
  return end + 1;
}

/// Declarations of tensors stay where they are, and so does what gives a value
/// to a variable from outside.
bool FunctionFinder::mayMove(size_t begin, size_t end) const {
  return llvm::all_of(llvm::seq(begin, end), [&](size_t i) {
    StringRef line = lines[i].ltrim(' ');
    StringRef variable = takeName(line);
    bool isAssigned = !variable.empty() &&
                      line.drop_front(variable.size()).starts_with(" = ");
    bool isDeclared = line.contains(' ') && !line.contains('(') &&
                      line.ends_with(";") && !line.contains(" = ");
    auto declaration = readDeclaration(line);
    return !line.contains("ASCEND_IS_") && !isAssigned && !isDeclared &&
           !(declaration && declaration->isTensor());
  });
}

/// Those of the lines of a block, and of the blocks in them.
void FunctionFinder::collectStatements(size_t begin, size_t end) {
  size_t first = statements.size();
  for (size_t i = begin, next; i < end; i = next) {
    next = std::min(findEnd(i), end);
    statements.push_back({i, next, end, 0});
  }
  size_t behind = statements.size();
  for (size_t i = first; i < behind; ++i) {
    Statement &statement = statements[i];
    std::string shape =
        mayMove(statement.begin, statement.end)
            ? getShape(readBlock(statement, statement.end))
            : "at line " + std::to_string(statement.begin);
    statement.shape = shapes.try_emplace(shape, shapes.size()).first->second;
  }
  for (size_t i = first; i < behind; ++i) {
    Statement statement = statements[i];
    size_t indent = getIndent(lines[statement.begin]);
    for (size_t at = statement.begin; at + 1 < statement.end;) {
      size_t inner = at + 1;
      for (at = inner; at < statement.end && getIndent(lines[at]) > indent;)
        ++at;
      collectStatements(inner, at);
    }
  }
}

SmallVector<Token> FunctionFinder::split(StringRef line) const {
  SmallVector<Token> tokens;
  unsigned braces = 0;
  bool isMember = false;
  while (!line.empty()) {
    StringRef word = line.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
    if (!word.empty() && !isDigit(word.front()))
      word = takeName(word);
    if (word.empty() || word.front() == '.')
      word = line.take_front(1);
    // "+ -4" of addNumber().
    bool isNegative = word == "-" && tokens.size() > 1 &&
                      tokens[tokens.size() - 2].text == "+";
    if (isNegative)
      word = line.take_front(1 + line.drop_front().take_while(isDigit).size());
    bool isInteger = llvm::all_of(word.drop_front(isNegative), isDigit);
    Token::Kind kind = isInteger                             ? Token::Number
                       : types.contains(word) && !isMember ? Token::Variable
                                                             : Token::Text;
    braces += word == "{";
    // "uint16_t(4)": a cast to what the braces take.
    bool isCast = tokens.size() > 1 && tokens.back().text == "(" &&
                  StringRef(tokens[tokens.size() - 2].text).ends_with("_t");
    tokens.push_back({kind, word.str(), braces > 0 && !isCast});
    braces -= word == "}" && braces > 0;
    isMember = word == "." || word == ":";
    line = line.drop_front(word.size());
  }
  return tokens;
}

/// A sum of variables and multiples whose last number is made explicit, so that
/// the index of an iteration has the same form in each step.
static std::string addNumber(StringRef line) {
  auto [left, right] = line.split(" = ");
  StringRef sum = right;
  if (!left.starts_with("const int64_t ") || !sum.consume_back(";") ||
      !llvm::all_of(sum, [](char c) {
        return isAlnum(c) || StringRef("_ +-*()").contains(c);
      }))
    return line.str();
  size_t last = sum.find_last_of("+-");
  StringRef number = last == StringRef::npos ? "" : sum.drop_front(last + 1);
  if (number.consume_front(" ") && !number.empty() &&
      llvm::all_of(number, isDigit)) {
    if (sum[last] == '+')
      return line.str();
    return (left + " = " + sum.take_front(last) + "+ -" + number + ";").str();
  }
  return (left + " = " + sum + " + 0;").str();
}

/// As it was before addNumber(), where the number is no parameter.
static std::string removeNumber(StringRef line) {
  if (line.consume_back(" + 0;"))
    return (line + ";").str();
  auto [left, right] = line.split(" + -");
  return right.empty() ? line.str() : (left + " - " + right).str();
}

Statements FunctionFinder::readBlock(const Statement &first,
                                     size_t end) const {
  size_t begin = first.begin;
  Statements block{begin, end, first.last, {}, {}};
  size_t indent = getIndent(lines[begin]);
  for (size_t i = begin; i < end; ++i) {
    StringRef line = lines[i].drop_front(std::min(indent, lines[i].size()));
    bool opens = line.ends_with("{");
    std::string text = addNumber(opens ? line.drop_back() : line);
    SmallVector<Token> tokens = split(text);
    for (auto [at, token] : llvm::enumerate(tokens)) {
      // A declaration: behind a type of scalars and a space. Tensors are not
      // declared in what moves.
      bool isDeclared =
          at > 1 && tokens[at - 1].text == " " &&
          (StringRef(tokens[at - 2].text).ends_with("_t") ||
           is_contained({"float", "half", "bool"},
                        StringRef(tokens[at - 2].text)));
      if (token.kind == Token::Variable && isDeclared)
        block.locals.insert(token.text);
    }
    llvm::append_range(block.tokens, tokens);
    block.tokens.push_back({Token::Text, opens ? "{\n" : "\n", false});
  }
  return block;
}

/// What two blocks have in common that may become one function.
std::string FunctionFinder::getShape(const Statements &block) {
  std::string shape;
  for (const Token &token : block.tokens)
    shape += token.kind == Token::Variable ? "$"
             : token.kind == Token::Number ? "#"
                                           : token.text;
  return shape;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// The parameters of a function.
struct Signature {
  struct Parameter {
    std::string name, type;
    std::vector<std::string> arguments; // of each call
  };
  std::vector<Parameter> parameters;
  const StringSet<> &shared;
  StringSet<> names;

  explicit Signature(const StringSet<> &shared) : shared(shared) {}

  /// What a parameter is called: its arguments' kind.
  static StringRef getStem(StringRef argument) {
    if (argument[0] == '-' || isDigit(argument[0]))
      return "n";
    if (argument.starts_with("gm"))
      return argument.contains('_') ? "extent" : "gm";
    if (argument.size() > 1 && argument[0] == 'l' && isDigit(argument[1]))
      return argument.take_front(argument[1] == '0' ? 3 : 2); // "l0a", "l1"
    return argument.take_while(isAlpha);
  }

  /// The name of the parameter that has these arguments.
  std::string get(std::vector<std::string> arguments, StringRef type) {
    auto known = llvm::find_if(parameters, [&](const Parameter &parameter) {
      return parameter.arguments == arguments;
    });
    if (known != parameters.end())
      return known->name;
    StringRef stem = getStem(arguments[0]);
    std::string name = stem.str();
    for (unsigned i = 1; shared.contains(name) || !names.insert(name).second;
         ++i)
      name = (stem + (stem == "n" ? "" : "_") + Twine(i)).str();
    parameters.push_back({name, type.str(), std::move(arguments)});
    return name;
  }
};
} // namespace

/// Writes the function of some blocks and their calls; false if they differ in
/// what cannot be a parameter.
bool FunctionFinder::outline(ArrayRef<Statements> blocks) {
  Signature signature(shared);
  SmallVector<StringMap<StringRef>> locals(blocks.size());
  for (const auto &local : blocks[0].locals)
    signature.names.insert(local.getKey());
  std::string body;
  for (size_t at = 0; at < blocks[0].tokens.size(); ++at) {
    const Token &first = blocks[0].tokens[at];
    if (first.kind == Token::Text) {
      body += first.text;
      continue;
    }
    std::vector<std::string> arguments;
    unsigned inside = 0;
    for (auto [i, block] : llvm::enumerate(blocks)) {
      StringRef text = block.tokens[at].text;
      arguments.push_back(text.str());
      if (!block.locals.contains(text))
        continue;
      ++inside;
      // A local variable is the same one of all blocks.
      auto [known, isNew] = locals[i].try_emplace(text, first.text);
      if (known->second != first.text)
        return false;
    }
    if (inside != 0 && inside != blocks.size())
      return false;
    if (inside != 0 ||
        (llvm::all_equal(arguments) &&
         (first.kind == Token::Number || shared.contains(first.text)))) {
      body += first.text;
      continue;
    }
    // Braces take no number of another width.
    bool isNumber = first.kind == Token::Number;
    if (isNumber && first.inBraces)
      return false;
    std::string type = "int64_t";
    if (first.kind == Token::Variable) {
      type = types.lookup(first.text);
      for (const std::string &argument : arguments)
        if (types.lookup(argument) != type || several.contains(argument))
          return false;
    }
    body += signature.get(arguments, type);
  }
  std::string own = (name + "_part" + Twine(count++)).str();
  functions += "static __aicore__ inline void " + own + "(";
  raw_string_ostream os(functions);
  interleaveComma(signature.parameters, os, [&](const auto &parameter) {
    bool isTensor = StringRef(parameter.type).contains("Tensor");
    os << parameter.type << (isTensor ? " &" : " ") << parameter.name;
  });
  os << ") {\n";
  SmallVector<StringRef> all;
  StringRef(body).rtrim('\n').split(all, '\n');
  for (StringRef line : all)
    os << "  " << removeNumber(line) << "\n";
  os << "}\n\n";
  for (auto [i, block] : llvm::enumerate(blocks)) {
    std::string call(getIndent(lines[block.begin]), ' ');
    raw_string_ostream at(call);
    at << own << "(";
    interleaveComma(
        signature.parameters, at,
        [&, i = i](const auto &parameter) { at << parameter.arguments[i]; });
    at << ");";
    calls[block.begin] = {block.end, call};
  }
  return true;
}

/// Whether nothing behind them uses a variable that they declare.
bool FunctionFinder::hasOwnVariables(const Statements &block) const {
  StringSet<> own;
  for (size_t i = block.begin; i < block.end; ++i) {
    StringRef left = lines[i].split(" = ").first;
    if (getIndent(left) == getIndent(lines[block.begin]) &&
        left.ltrim(' ').starts_with("const "))
      own.insert(left.rsplit(' ').second);
  }
  return llvm::none_of(llvm::seq(block.end, block.last), [&](size_t i) {
    return llvm::any_of(split(lines[i]), [&](const Token &token) {
      return own.contains(token.text);
    });
  });
}

static size_t countSaved(size_t times, size_t lines) {
  size_t without = times * lines, with = times + lines + 3;
  return without > with ? without - with : 0;
}

/// Whether statements are the body of a function.
bool FunctionFinder::isFunction(size_t first, size_t length) const {
  const Statement &begin = statements[first];
  return lines[begin.begin - 1].starts_with("static ") &&
         statements[first + length - 1].end == begin.last;
}

/// Statements in a row that stand in several places, those that save most
/// first.
std::vector<std::vector<Statements>> FunctionFinder::findRepeated() const {
  std::vector<std::pair<size_t, std::vector<Statements>>> found;
  // Those of a number of statements, by their shape.
  std::vector<size_t> open(statements.size());
  std::iota(open.begin(), open.end(), 0);
  std::vector<size_t> shape(statements.size(), 0);
  for (size_t length = 1; length <= kMostStatements && !open.empty();
       ++length) {
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> alike;
    for (size_t first : open) {
      size_t last = first + length - 1;
      if (last < statements.size() &&
          statements[last].last == statements[first].last)
        alike[{shape[first], statements[last].shape}].push_back(first);
    }
    open.clear();
    size_t number = 0;
    for (auto &[key, places] : alike) {
      ++number;
      if (places.size() < 2)
        continue;
      std::vector<Statements> apart;
      size_t taken = 0;
      for (size_t first : places) {
        shape[first] = number;
        open.push_back(first);
        size_t end = statements[first + length - 1].end;
        // Nor is all of a function another one.
        if (statements[first].begin < taken || isFunction(first, length))
          continue;
        taken = end;
        apart.push_back({statements[first].begin, end, statements[first].last,
                         {}, {}});
      }
      if (apart.empty())
        continue;
      size_t size = apart.front().end - apart.front().begin,
             saved = countSaved(apart.size(), size);
      if (size >= kFewestLines && saved >= kFewestSaved)
        found.emplace_back(saved, std::move(apart));
    }
    llvm::sort(open);
  }
  llvm::stable_sort(found, [](const auto &a, const auto &c) {
    return a.first > c.first;
  });
  std::vector<std::vector<Statements>> all;
  for (auto &[saved, blocks] : found)
    all.push_back(std::move(blocks));
  return all;
}

std::optional<std::string> FunctionFinder::run() {
  collectTypes();
  for (size_t i = 0; i < lines.size(); ++i)
    if (getIndent(lines[i]) == 0 && lines[i].contains("__aicore__") &&
        lines[i].ends_with("{")) {
      size_t end = findEnd(i) - 1;
      if (lines[i].starts_with("extern "))
        collectShared(i + 1, end);
      collectStatements(i + 1, end);
    }
  std::vector<std::pair<size_t, size_t>> taken;
  for (std::vector<Statements> &blocks : findRepeated()) {
    llvm::erase_if(blocks, [&](Statements &block) {
      bool overlaps = llvm::any_of(taken, [&](auto range) {
        return range.first < block.end && block.begin < range.second;
      });
      if (!overlaps)
        block = readBlock({block.begin, block.end, block.last, 0}, block.end);
      return overlaps || !hasOwnVariables(block);
    });
    if (blocks.size() < 2 ||
        countSaved(blocks.size(), blocks[0].end - blocks[0].begin) <
            kFewestSaved ||
        !outline(blocks))
      continue;
    for (const Statements &block : blocks)
      taken.emplace_back(block.begin, block.end);
  }
  if (taken.empty())
    return std::nullopt;
  std::string text = functions;
  for (size_t i = 0; i < lines.size(); ++i) {
    auto call = calls.find(i);
    bool isLast = i + 1 == lines.size();
    text += call == calls.end() ? lines[i].str() : call->second.second;
    text += isLast ? "" : "\n";
    if (call != calls.end())
      i = call->second.first - 1;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Functions with one call
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kFunctionHead = "static __aicore__ inline void ";

/// Calls `word` for each identifier of a text, which becomes what that returns.
static std::string mapWords(StringRef text,
                            function_ref<StringRef(StringRef)> word) {
  std::string mapped;
  while (!text.empty()) {
    StringRef part = text.take_while(
        [](char c) { return isAlnum(c) || c == '_'; });
    if (part.empty())
      mapped += text.take_front(1);
    else
      mapped += word(part);
    text = text.drop_front(std::max<size_t>(part.size(), 1));
  }
  return mapped;
}

static StringSet<> getWords(StringRef text) {
  StringSet<> words;
  mapWords(text, [&](StringRef word) {
    words.insert(word);
    return word;
  });
  return words;
}

/// The body of a function in the place of its call; nothing if a variable of
/// the body is one of the function around the call.
static std::optional<std::string> getInlined(StringRef function, StringRef call,
                                             StringRef around) {
  StringMap<StringRef> arguments;
  SmallVector<StringRef> parameters, given;
  function.split('(').second.split(')').first.split(parameters, ", ");
  call.split('(').second.rsplit(')').first.split(given, ", ");
  for (auto [parameter, argument] : llvm::zip(parameters, given))
    arguments[takeName(parameter.rsplit(' ').second.ltrim('&'))] = argument;
  StringRef body = function.split("{\n").second;
  body.consume_back("}\n\n");
  StringSet<> others = getWords(around), own;
  SmallVector<StringRef> all;
  body.split(all, '\n');
  for (StringRef line : all)
    if (auto declaration = readDeclaration(line))
      own.insert_range(declaration->names);
  bool isDisjoint = true;
  std::string text = mapWords(body, [&](StringRef word) {
    if (auto at = arguments.find(word); at != arguments.end())
      return at->second;
    isDisjoint &=
        !own.contains(word) || word == "c" || !others.contains(word);
    return word;
  });
  if (!isDisjoint || llvm::is_contained(given, "c"))
    return std::nullopt;
  for (size_t at; (at = text.find(" + -")) != std::string::npos;)
    text.replace(at, 4, " - ");
  std::string inlined, indent(getIndent(call) - 2, ' ');
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    inlined += indent + line.str() + "\n";
  return inlined;
}

/// Of functions whose other calls became those of functions around them, one
/// call is left: they go to its place.
static std::string inlineSingleCalls(std::string text) {
  for (size_t begin = 0; StringRef(text).substr(begin).starts_with("static ");) {
    StringRef all = text, rest = all.substr(begin);
    StringRef function = rest.take_front(rest.find("\n}\n\n") + 4);
    StringRef name = function.take_front(function.find('(') + 1);
    bool isOurs = name.consume_front(kFunctionHead);
    // Behind a newline and spaces, as its own head is not.
    size_t next = begin + function.size(), call = StringRef::npos, count = 0;
    for (size_t at = 0; (at = all.find(name, at)) != StringRef::npos; ++at)
      if (all[at - 1] == ' ' && !all.take_front(at).ends_with(kFunctionHead)) {
        call = at;
        ++count;
      }
    begin = next;
    if (!isOurs || count != 1)
      continue;
    size_t line = all.take_front(call).rfind('\n') + 1, end = all.find('\n', call) + 1;
    size_t around = all.take_front(call).rfind("\n}\n");
    around = around == StringRef::npos ? 0 : around + 3;
    auto inlined = getInlined(function, all.slice(line, end),
                              all.slice(around, all.find("\n}\n", call)));
    if (!inlined)
      continue;
    std::string own = function.str();
    text = (all.take_front(line) + *inlined + all.drop_front(end)).str();
    text.erase(text.find(own), own.size());
    begin = 0;
  }
  return text;
}

/// Each function behind those that it calls, of this round or another.
static std::string sortFunctions(StringRef text) {
  // Its name with the parenthesis, and all of it.
  SmallVector<std::pair<StringRef, StringRef>> functions;
  while (text.starts_with("static ")) {
    StringRef whole = text.take_front(text.find("\n}\n\n") + 4);
    StringRef head = whole.take_front(whole.find('(') + 1);
    functions.emplace_back(head.rsplit(' ').second, whole);
    text = text.drop_front(whole.size());
  }
  std::string sorted;
  while (!functions.empty()) {
    auto next = llvm::find_if(functions, [&](const auto &function) {
      return llvm::none_of(functions, [&](const auto &other) {
        return other.first != function.first &&
               function.second.contains(other.first);
      });
    });
    assert(next != functions.end() && "a function does not call itself");
    sorted += next->second;
    functions.erase(next);
  }
  return sorted + text.str();
}

std::string mlir::tile::ascend::outlineRepeatedBlocks(StringRef kernel,
                                                      StringRef name) {
  std::string text = rollCalls(kernel), before;
  for (unsigned count = 0; text != before;) {
    before = text;
    for (std::optional<std::string> shorter = text; shorter;) {
      text = std::move(*shorter);
      FunctionFinder finder(text, name, count);
      shorter = finder.run();
      count = finder.getCount();
    }
    // What went to the place of a call may be like what stands elsewhere.
    text = sortFunctions(inlineSingleCalls(text));
  }
  text = dropBraces(shareBranches(text));
  return wrapLines(shareVariables(text, name));
}
