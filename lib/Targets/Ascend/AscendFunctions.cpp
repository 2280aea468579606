//===- AscendFunctions.cpp - repeated blocks become functions -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a loop with several iterations in flight differ in their
// buffers, flags and indices alone: what stands behind their guards is one
// function, with a call for each of them.
//
//===----------------------------------------------------------------------===//

#include "AscendFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <vector>

using namespace llvm;

// A call and its function take more lines than they save in smaller blocks.
static constexpr size_t kFewestLines = 6;

namespace {
struct Token {
  enum Kind { Variable, Number, Text } kind;
  std::string text;
  bool inBraces;
};

/// The lines [begin, end) behind a guard, whose line is the one before.
struct Guarded {
  size_t begin, end;
  SmallVector<Token> tokens;
  StringSet<> locals;
};

class FunctionFinder {
public:
  FunctionFinder(StringRef kernel, StringRef name) : name(name) {
    kernel.split(lines, '\n');
  }
  std::string run();

private:
  void collectTypes();
  void addType(StringRef type, StringRef variable);
  std::optional<size_t> findEnd(size_t guard) const;
  Guarded readBlock(size_t begin, size_t end) const;
  SmallVector<Token> split(StringRef line) const;
  static std::string getShape(const Guarded &block);
  bool outline(ArrayRef<Guarded> blocks);

  StringRef name;
  SmallVector<StringRef> lines;
  StringMap<std::string> types; // of variables
  StringSet<> several;          // that are declared in different types
  std::string functions;
  std::map<size_t, std::pair<size_t, std::string>> calls; // for lines
  unsigned count = 0;
};
} // namespace

static size_t getIndent(StringRef line) {
  return line.size() - line.ltrim(' ').size();
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
         !line.contains("Flag<") && !line.contains("PipeBarrier<");
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
    bool isIndex = own && i > 0 && parts[i - 1] == "[";
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
    text += variable.str() + " * " + std::to_string(step);
  }
  return text;
}

/// Calls in a row that differ in the numbers of elements become a loop.
static std::string rollCalls(StringRef kernel) {
  SmallVector<StringRef> lines;
  kernel.split(lines, '\n');
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
// Variables
//===----------------------------------------------------------------------===//

void FunctionFinder::addType(StringRef type, StringRef variable) {
  auto [at, isNew] = types.try_emplace(variable, type);
  if (!isNew && at->second != type)
    several.insert(variable);
}

static StringRef takeName(StringRef text) {
  return text.take_while([](char c) { return isAlnum(c) || c == '_'; });
}

/// "TYPE NAME": of declarations, loops and the kernel's parameters.
void FunctionFinder::collectTypes() {
  for (StringRef line : lines) {
    StringRef rest = line.ltrim(' ');
    if (rest.consume_front("extern \"C\" __global__")) {
      StringRef parameters = rest.split('(').second.rsplit(')').first;
      SmallVector<StringRef> each;
      parameters.split(each, ", ");
      for (StringRef parameter : each)
        addType(parameter.split(' ').first, parameter.split(' ').second);
      continue;
    }
    rest.consume_front("for (");
    rest.consume_front("const ");
    for (StringRef type :
         {"int64_t", "int32_t", "int16_t", "int8_t", "float", "half",
          "bfloat16_t", "bool", "LocalTensor", "GlobalTensor"}) {
      StringRef after = rest;
      if (!after.consume_front(type))
        continue;
      std::string whole = type.str();
      if (after.consume_front("<")) {
        auto [element, other] = after.split('>');
        whole += ("<" + element + ">").str();
        after = other;
      }
      if (after.consume_front(" ") && !takeName(after).empty())
        addType(whole, takeName(after));
    }
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The line that closes the block of a guard.
std::optional<size_t> FunctionFinder::findEnd(size_t guard) const {
  StringRef text = lines[guard].ltrim(' ');
  if (!text.starts_with("if (") || !text.ends_with("{"))
    return std::nullopt;
  size_t indent = getIndent(lines[guard]);
  for (size_t end = guard + 1; end < lines.size(); ++end)
    if (getIndent(lines[end]) <= indent)
      return end;
  return std::nullopt;
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
      word = line.take_front(line.drop_front().find_first_not_of("0123456789") + 1);
    bool isInteger = llvm::all_of(word.drop_front(isNegative), isDigit);
    Token::Kind kind = isInteger                             ? Token::Number
                       : types.contains(word) && !isMember ? Token::Variable
                                                             : Token::Text;
    braces += word == "{";
    tokens.push_back({kind, word.str(), braces > 0});
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

Guarded FunctionFinder::readBlock(size_t begin, size_t end) const {
  Guarded block{begin, end, {}, {}};
  size_t indent = getIndent(lines[begin]);
  for (size_t i = begin; i < end; ++i) {
    StringRef line = lines[i].drop_front(std::min(indent, lines[i].size()));
    bool opens = line.ends_with("{");
    std::string text = addNumber(opens ? line.drop_back() : line);
    SmallVector<Token> tokens = split(text);
    for (auto [at, token] : llvm::enumerate(tokens)) {
      // A declaration: behind a type and a space.
      bool isDeclared =
          at > 1 && tokens[at - 1].text == " " &&
          (StringRef(tokens[at - 2].text).ends_with("_t") ||
           tokens[at - 2].text == ">" ||
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
std::string FunctionFinder::getShape(const Guarded &block) {
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
  StringSet<> names;

  /// The name of the parameter that has these arguments.
  std::string get(std::vector<std::string> arguments, StringRef type) {
    auto known = llvm::find_if(parameters, [&](const Parameter &parameter) {
      return parameter.arguments == arguments;
    });
    if (known != parameters.end())
      return known->name;
    bool isNumber = arguments[0][0] == '-' || isDigit(arguments[0][0]);
    std::string stem = isNumber ? "n" : arguments[0], name = stem;
    for (unsigned i = 1; !names.insert(name).second; ++i)
      name = stem + (isNumber ? "" : "_") + std::to_string(i);
    parameters.push_back({name, type.str(), std::move(arguments)});
    return name;
  }
};
} // namespace

/// Writes the function of some blocks and their calls; false if they differ in
/// what cannot be a parameter.
bool FunctionFinder::outline(ArrayRef<Guarded> blocks) {
  Signature signature;
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
        (first.kind == Token::Number && llvm::all_equal(arguments))) {
      body += first.text;
      continue;
    }
    // Braces take no number of another width.
    if (first.kind == Token::Number && first.inBraces)
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

std::string FunctionFinder::run() {
  collectTypes();
  StringMap<size_t> shapes;
  std::vector<std::vector<Guarded>> alike;
  for (size_t guard = 0; guard + 1 < lines.size(); ++guard)
    if (std::optional<size_t> end = findEnd(guard);
        end && *end - guard > kFewestLines) {
      Guarded block = readBlock(guard + 1, *end);
      auto [at, isNew] = shapes.try_emplace(getShape(block), alike.size());
      if (isNew)
        alike.emplace_back();
      alike[at->second].push_back(std::move(block));
    }
  // The outermost ones stand first.
  SmallVector<std::pair<size_t, size_t>> taken;
  for (std::vector<Guarded> &blocks : alike) {
    llvm::erase_if(blocks, [&](const Guarded &block) {
      return llvm::any_of(taken, [&](auto range) {
        return range.first < block.end && block.begin < range.second;
      });
    });
    if (blocks.size() < 2 || !outline(blocks))
      continue;
    for (const Guarded &block : blocks)
      taken.emplace_back(block.begin, block.end);
  }
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

std::string mlir::tile::ascend::outlineRepeatedBlocks(StringRef kernel,
                                                      StringRef name) {
  std::string text = rollCalls(kernel);
  return FunctionFinder(text, name).run();
}
