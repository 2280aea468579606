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

#include "AscendStatements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;
using namespace mlir::tile::ascend;

namespace {
class StateWriter {
public:
  StateWriter(Kernel &kernel, raw_ostream &os) : kernel(kernel), os(os) {}
  void write();

private:
  using Names = std::map<std::string, std::vector<std::string>>; // by type
  void takeMembers(Statements &list);
  void printMembers(const Names &members);

  Kernel &kernel;
  raw_ostream &os;
  StringSet<> used;               // in functions
  Statements globals, tensors;    // declarations
  std::vector<std::string> given; // to the structure
  Names numbers, arguments;
};
} // namespace

/// Declarations outside of loops become those of members.
void StateWriter::takeMembers(Statements &list) {
  Statements rest;
  for (Statement &statement : list) {
    if (statement.kind == Statement::Tensors) {
      bool isGlobal = StringRef(statement.type).starts_with("Global");
      (isGlobal ? globals : tensors).push_back(std::move(statement));
      continue;
    }
    if (statement.kind == Statement::Constant &&
        used.contains(statement.names[0])) {
      numbers[statement.type].push_back(statement.names[0]);
      statement.kind = Statement::Assigned;
    }
    if (statement.kind != Statement::Loop) {
      takeMembers(statement.body);
      takeMembers(statement.other);
    }
    rest.push_back(std::move(statement));
  }
  list = std::move(rest);
}

void StateWriter::printMembers(const Names &members) {
  for (const auto &[type, names] : members)
    printLine(type + " " + join(names, ", ") + ";", 1, os);
}

static std::string formatParameters(ArrayRef<Parameter> parameters) {
  return join(map_range(parameters,
                        [](const Parameter &parameter) {
                          return parameter.type +
                                 (isTensor(parameter.type) ? " &" : " ") +
                                 parameter.name;
                        }),
              ", ");
}

void mlir::tile::ascend::printFunction(const KernelFunction &function,
                                       unsigned depth, raw_ostream &os) {
  printLine((depth == 0 ? "static " : "") + Twine("__aicore__ inline void ") +
                function.name + "(" + formatParameters(function.parameters) +
                ") {",
            depth, os);
  printStatements(function.body, depth + 1, os);
  printLine("}", depth, os);
}

void StateWriter::write() {
  for (const KernelFunction &function : kernel.functions)
    for (const auto &name : getVariables(function.body, kernel))
      used.insert(name.getKey());
  takeMembers(kernel.entry.body);
  StringSet<> words = getVariables(kernel.entry.body, kernel);
  for (const Parameter &parameter : kernel.entry.parameters)
    if (words.contains(parameter.name) || used.contains(parameter.name))
      arguments[parameter.type].push_back(parameter.name);
  std::string state = kernel.entry.name + "_state";
  os << "struct " << state << " {\n";
  // Of what the kernel is given; GM_ADDR, a macro, has one name at a time.
  for (Statement &statement : globals) {
    append_range(given, statement.values);
    printLine(statement.type + " " + join(statement.names, ", ") + ";", 1, os);
  }
  printMembers(arguments);
  for (Statement &statement : tensors)
    statement.kind = Statement::Members;
  printStatements(tensors, 1, os);
  printMembers(numbers);
  for (const KernelFunction &function : kernel.functions) {
    os << "\n";
    printFunction(function, 1, os);
  }
  os << "\n";
  printFunction({"run", {}, std::move(kernel.entry.body)}, 1, os);
  os << "};\n\n";
  for (const auto &[type, names] : arguments)
    append_range(given, names);
  Statement start;
  start.text = state + "{" + join(given, ", ") + "}.run()";
  kernel.entry.body = {start};
}

bool Kernel::hasMembers() const {
  return any_of(functions, [&](const KernelFunction &function) {
    StringSet<> own;
    collectNames(function.body, own);
    for (const Parameter &parameter : function.parameters)
      own.insert(parameter.name);
    return any_of(getVariables(function.body, *this), [&](const auto &name) {
      return !own.contains(name.getKey());
    });
  });
}

void mlir::tile::ascend::printKernel(Kernel &kernel, raw_ostream &os) {
  if (kernel.hasMembers())
    StateWriter(kernel, os).write();
  else
    for (const KernelFunction &function : kernel.functions) {
      printFunction(function, 0, os);
      os << "\n";
    }
  printLine("extern \"C\" __global__ __aicore__ void " + kernel.entry.name +
                "(" + formatParameters(kernel.entry.parameters) + ") {",
            0, os);
  printStatements(kernel.prologue, 1, os);
  printStatements(kernel.entry.body, 1, os);
  os << "}\n";
}
