//===- AscendStatements.h - the statements of a kernel ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are written as lists of statements, which passes make shorter, and
// printed once.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDSTATEMENTS_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDSTATEMENTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::tile::ascend {

/// What functions are called after.
enum Work : unsigned { Loads = 1, Multiplies = 2, Computes = 4, Stores = 8 };

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  enum Kind {
    Plain,    // TEXT: calls, and what they need
    Set,      // sets the flag VALUE of the pipes TYPE
    Wait,     // waits for it
    HandOver, // both
    Signal,   // TEXT: a flag between cores, that the pipe TYPE sets
    Barrier,  // TEXT: of a pipe
    Call,     // TEXT(VALUES), of a function of the kernel
    Constant, // const TYPE NAME = TEXT
    Tensors,  // TYPE NAME(VALUE), ...
    Members,  // TYPE NAME{VALUE}, ...
    Declared, // TYPE NAME, to which an assignment gives a value
    Assigned, // NAME = TEXT
    Loop,     // of the variable NAME, TEXT is between the parentheses
    Branch,   // TEXT is the condition
    Section,  // TEXT is the macro that tells cores apart
    Braces,   // a block of the host
  };
  Kind kind = Plain;
  std::string text, type, comment;
  std::vector<std::string> names, values;
  unsigned line = 0;      // of the source, if it is known
  unsigned work = 0;      // what it does, of `Work`
  bool isPure = false;    // it may stand earlier, behind what it names
  Statements body, other; // of a block, and of the other side of a branch

  bool isBlock() const { return kind >= Loop; }
  bool isSync() const { return kind >= Set && kind <= Barrier; }
  bool isPureConstant() const { return kind == Constant && isPure; }
  bool isFlag() const { return kind == Set || kind == Wait; }
  bool operator==(const Statement &statement) const;
};

/// A part of a statement. Those that differ in variables and numbers alone may
/// be calls of one function.
struct Token {
  enum Kind {
    Variable,
    Number,
    Sum,   // a number that is added at last
    Index, // the number of an element of a tensor
    Text
  } kind;
  std::string text;
  bool isFixed = false; // a number of the width that stands there
};

/// The type and the name of a parameter.
struct Parameter {
  std::string type, name;
};

/// A function of a kernel, or the kernel.
struct KernelFunction {
  std::string name;
  std::vector<Parameter> parameters;
  Statements body;
};

struct Kernel {
  Statements prologue; // in front of all others
  KernelFunction entry;
  std::vector<KernelFunction> functions; // each behind those that it calls
  llvm::StringMap<std::string> types;    // of variables
  llvm::StringSet<> ambiguous;           // variables of several types
  llvm::StringSet<> functionNames;
  llvm::StringSet<> arrays; // of tensors
  /// What texts were split into, with these variables.
  mutable llvm::StringMap<std::vector<Token>> splits;

  void addVariable(llvm::StringRef type, llvm::StringRef name);
  /// Whether functions use variables of the kernel.
  bool hasMembers() const;
  /// Of a variable, or of an element of an array.
  std::string getType(llvm::StringRef variable) const {
    return types.lookup(variable.split('[').first);
  }
};

/// What loops of calls and of rounds count with. They have one name in all of
/// them.
constexpr llvm::StringLiteral kCall = "c", kRound = "step";

inline bool isTensor(llvm::StringRef type) {
  return type.starts_with("LocalTensor") || type.starts_with("Global");
}

/// Puts what `map` returns in the place of each token, in order. Where blocks
/// begin and end are tokens of text, which stay.
using TokenMap = llvm::function_ref<std::string(const Token &)>;
void mapTokens(Statements &statements, const Kernel &kernel, TokenMap map);
/// The tokens in the same order.
void visitTokens(const Statements &statements, const Kernel &kernel,
                 llvm::function_ref<void(const Token &)> visit);
std::vector<Token> getTokens(const Statements &statements,
                             const Kernel &kernel);
/// What the index of an element of an array is computed of.
llvm::SmallVector<llvm::StringRef> getIndexVariables(llvm::StringRef element);
/// Of all kinds, those of indices too.
llvm::StringSet<> getVariables(const Statements &statements,
                               const Kernel &kernel);
/// What statements declare or assign.
void collectNames(const Statements &statements, llvm::StringSet<> &names);
/// Calls `visit` for all lists of statements in a list, inner ones first.
void walkLists(Statements &statements,
               llvm::function_ref<void(Statements &)> visit);

/// As several lines where it has more columns than a reader's screen.
void printLine(const llvm::Twine &text, unsigned depth, llvm::raw_ostream &os);
/// Lines of the source are comments where they change and there is room.
void printStatements(const Statements &statements, unsigned depth,
                     llvm::raw_ostream &os);
/// Of what stands in a function.
size_t countLines(Statements statements);
void printFunction(const KernelFunction &function, unsigned depth,
                   llvm::raw_ostream &os);
/// A kernel whose functions use its variables is a structure.
void printKernel(Kernel &kernel, llvm::raw_ostream &os);

/// Constants stand behind others of their type, which they share a declaration
/// with.
void gatherConstants(Statements &statements, const Kernel &kernel);
/// Numbers are of the type of what they initialise without a cast, and need no
/// name of what they are parameters of.
void dropCasts(Statements &statements);
/// Flags between which nothing lies are in the order of their numbers, and one
/// that is waited for at once is handed over.
void orderFlags(Statements &statements);
/// Statements that are repeated with other numbers and tensors become loops:
/// so many calls in a row, and rounds of several statements. Whether tensors
/// may become arrays.
void rollLoops(Kernel &kernel, Statements &statements, size_t fewestCalls,
               bool hasArrays);
/// Constants that nothing uses go.
void dropUnused(Kernel &kernel);
/// Branches whose second side is the beginning of the first one come behind it.
void shareBranches(Statements &statements, const Kernel &kernel);
/// Which functions come first: those of most statements, or those that save
/// most lines. No order is the best one of all kernels.
enum class FunctionOrder { Statements, Lines };
/// Statements in a row that differ in variables and numbers alone become calls
/// of functions.
void outlineRepeated(Kernel &kernel, FunctionOrder order);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDSTATEMENTS_H
