//===- Tuning.h - values of parameters that were found ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The record of a tuner (tile-tune): which values parameters have on a chip for
// which sizes. docs/tuning.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_TUNING_H
#define TILE_COSTMODEL_TUNING_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::tile {

/// Numbers by name.
using NamedNumbers = std::map<std::string, int64_t>;

/// "M=64 N=32" with numbers of at least 0, each name once.
std::optional<NamedNumbers> parseNamedNumbers(StringRef text);
std::string formatNamedNumbers(const NamedNumbers &numbers);

/// What was found for sizes.
struct TuningEntry {
  std::string function;
  std::string sourceHash;
  /// From and to, both included.
  std::map<std::string, std::pair<int64_t, int64_t>> sizes;
  NamedNumbers parameters;
  double seconds = 0;
  double defaultSeconds = 0;
  bool measured = false; ///< or estimated
};

struct TuningRecord {
  std::string chip;
  std::vector<TuningEntry> entries;

  /// Replaces the entry of the same function and sizes.
  void add(TuningEntry entry);
  std::string write() const;
};

/// Nothing, with the reason in `error`, where the file is no such record.
std::optional<TuningRecord> readTuningRecord(StringRef path,
                                             std::string &error);

/// Of a function, its parameters and what it calls; the same wherever they
/// stand, and whatever cases it is run on.
std::string hashSource(ModuleOp module, StringRef function);

/// Binds the parameters of the module as the record of the file says for the
/// function and the sizes. A record that is not one, of another chip or of
/// another version of the function is an error; sizes that it does not have are
/// a remark. An empty `chip` is that of the module.
LogicalResult applyTuning(ModuleOp module, StringRef path, StringRef chip,
                          StringRef function, StringRef sizes);

} // namespace mlir::tile

#endif // TILE_COSTMODEL_TUNING_H
