//===- AscendState.cpp - functions that share variables -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with functions is a structure, as kernels that people write are:
// its arguments, tensors and what it computes once are members, so that
// functions take what differs between their calls alone.
//
//===----------------------------------------------------------------------===//

#include "AscendText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <vector>

using namespace llvm;
using namespace mlir::tile::ascend;

namespace {
class StateWriter {
public:
  StateWriter(StringRef text, StringRef name) : name(name) {
    while (text.starts_with("static ")) {
      StringRef whole = text.take_front(text.find("\n}\n\n") + 4);
      functions.push_back(whole.drop_back(1));
      text = text.drop_front(whole.size());
    }
    std::tie(head, body) = text.split('\n');
    std::tie(body, rest) = body.split("\n}\n");
  }

  bool hasFunctions() const { return !functions.empty(); }
  std::string write();

private:
  void addWords(StringRef text, StringSet<> &words) const;
  void readBody();
  void readLine(StringRef line, bool isInLoop);
  std::string getArguments() const;

  StringRef name;
  SmallVector<StringRef> functions;
  StringRef head, body, rest; // of the kernel, and what is behind it
  StringSet<> used;           // in functions
  std::string prologue, run;  // statements of the kernel
  std::string globals, tensors; // declarations
  std::vector<std::string> addresses; // of the former
  std::map<std::string, std::vector<std::string>> numbers, arguments; // by type
};
} // namespace

void StateWriter::addWords(StringRef text, StringSet<> &words) const {
  while (!text.empty()) {
    StringRef word = takeName(text);
    if (!word.empty())
      words.insert(word);
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
}

/// A declaration of a member, or a statement.
void StateWriter::readLine(StringRef line, bool isInLoop) {
  auto declaration = readDeclaration(line);
  if (!declaration || isInLoop || declaration->isLoop) {
    run += ("  " + line + "\n").str();
    return;
  }
  if (StringRef(declaration->type).starts_with("Global")) {
    // Of what the kernel is given; GM_ADDR, a macro, has one name at a time.
    globals += ("  " + line.ltrim(' ').split(' ').first + " " +
                join(declaration->names, ", ") + ";\n")
                   .str();
    for (StringRef variable : declaration->names) {
      StringRef address = line.split((" " + variable + "(").str()).second;
      addresses.push_back(takeName(address).str());
    }
    return;
  }
  if (declaration->isTensor()) {
    // Members are initialised in braces.
    std::string member = line.ltrim(' ').str();
    for (char &c : member)
      c = c == '(' ? '{' : c == ')' ? '}' : c;
    tensors += "  " + member + "\n";
    return;
  }
  StringRef variable = declaration->names.front();
  if (!declaration->isConstant || !used.contains(variable)) {
    run += ("  " + line + "\n").str();
    return;
  }
  numbers[declaration->type].push_back(variable.str());
  run += std::string(getIndent(line) + 2, ' ') + variable.str() +
         line.drop_front(line.find(" = ")).str() + "\n";
}

void StateWriter::readBody() {
  SmallVector<StringRef> lines;
  body.split(lines, '\n');
  size_t loop = StringRef::npos; // the spaces before the outermost one
  for (StringRef line : lines) {
    StringRef text = line.ltrim(' ');
    if (text.starts_with("KERNEL_TASK_TYPE_DEFAULT") ||
        text.starts_with("InitSocState")) {
      prologue += (line + "\n").str();
      continue;
    }
    if (loop != StringRef::npos && getIndent(line) <= loop)
      loop = StringRef::npos;
    if (loop == StringRef::npos && text.starts_with("for ("))
      loop = getIndent(line);
    readLine(line, loop != StringRef::npos);
  }
}

std::string StateWriter::getArguments() const {
  std::vector<std::string> all = addresses;
  for (const auto &[type, names] : arguments)
    append_range(all, names);
  return join(all, ", ");
}

std::string StateWriter::write() {
  for (StringRef function : functions)
    addWords(function, used);
  readBody();
  StringSet<> words = used;
  addWords(run, words);
  for (auto [type, argument] :
       readParameters(head.split('(').second.rsplit(')').first))
    if (words.contains(argument))
      arguments[type.str()].push_back(argument.str());
  std::string state = (name + "_state").str();
  std::string text = "struct " + state + " {\n" + globals;
  for (const auto &[type, names] : arguments)
    text += "  " + type + " " + join(names, ", ") + ";\n";
  text += tensors;
  for (const auto &[type, names] : numbers)
    text += "  " + type + " " + join(names, ", ") + ";\n";
  for (StringRef function : functions) {
    function.consume_front("static ");
    SmallVector<StringRef> lines;
    function.rtrim('\n').split(lines, '\n');
    text += "\n";
    for (StringRef line : lines)
      text += ("  " + line + "\n").str();
  }
  text += "\n  __aicore__ inline void run() {\n" + run + "  }\n};\n\n";
  text += head.str() + "\n" + prologue + "  " + state + "{" + getArguments() +
          "}.run();\n}\n" + rest.str();
  // "NAME_part0" is its function "part0".
  std::string prefix = (name + "_part").str();
  for (size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
    text.erase(at, name.size() + 1);
  return text;
}

std::string mlir::tile::ascend::shareVariables(StringRef text,
                                               StringRef name) {
  StateWriter writer(text, name);
  return writer.hasFunctions() ? writer.write() : text.str();
}
