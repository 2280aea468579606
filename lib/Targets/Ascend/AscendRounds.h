//===- AscendRounds.h - one round of several --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds of statements that differ in numbers and tensors are one: numbers are
// computed of the counter of a loop, and tensors are elements of arrays. Flags
// that not all rounds have stand behind a condition, and constants of which
// each round has its own are computed in the loop.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDROUNDS_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDROUNDS_H

#include "AscendStatements.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <optional>

namespace mlir::tile::ascend {

/// Statements of one round.
using Sequence = std::vector<const Statement *>;
/// What stands in the same place of several rounds.
using Texts = std::vector<std::string>;
using Rounds = std::vector<unsigned>;

/// Tensors that become elements of one name.
struct Array {
  std::string name;
  Texts tensors;
};

/// Makes one round of several. Its numbers are those of all rounds.
class RoundMerger {
public:
  RoundMerger(Kernel &kernel, const llvm::StringMap<Statement> &constants,
              llvm::StringRef counter, unsigned count)
      : kernel(kernel), constants(constants), counter(counter), count(count),
        locals(count) {}

  std::optional<Statements> merge(const std::vector<Sequence> &rounds);
  /// Tensors that become arrays.
  llvm::ArrayRef<Array> getArrays() const { return arrays; }

private:
  bool mergeLists(const std::vector<Sequence> &lists, const Rounds &rounds,
                  Statements &merged);
  bool mergeStatement(const std::vector<const Statement *> &heads,
                      const Rounds &rounds, Statement &merged);
  std::optional<std::string> unify(const std::vector<std::vector<Token>> &rows,
                                   size_t at, const Rounds &rounds);
  std::optional<std::string> unifyVariables(const Texts &texts,
                                            const Rounds &rounds);
  std::optional<std::string> unifyTensors(const Texts &texts,
                                          const Rounds &rounds);
  std::optional<std::string> unifyConstants(const Texts &texts,
                                            const Rounds &rounds);
  std::string makeName(llvm::StringRef stem);
  Statement getDefinition(const std::string &name) const;
  std::optional<std::string> fit(llvm::ArrayRef<int64_t> values,
                                 const Rounds &rounds) const;
  std::optional<std::string> getCondition(const Rounds &some,
                                          const Rounds &all) const;

  Kernel &kernel;
  const llvm::StringMap<Statement> &constants; // by name
  std::string counter;
  unsigned count;
  std::vector<llvm::StringMap<std::string>>
      locals; // to those of the first round
  std::vector<Array> arrays;
  Statements computed; // at the beginning of a round
  std::map<Texts, std::string> known;
  llvm::StringSet<> names; // that are new
  bool isOutside = false;  // of the rounds, where a constant is computed
};

/// "x * FACTOR + FIRST".
std::string formatLinear(const std::string &x, int64_t factor, int64_t first);
/// A statement without those in it, and without what rounds may differ in.
std::string getHeadShape(const Statement &statement, const Kernel &kernel);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDROUNDS_H
