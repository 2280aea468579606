//===- Tool.h - external tools ----------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_TOOL_H
#define TILE_DRIVER_TOOL_H

#include "Tile/Driver/TemporaryFolder.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::tile::tool {

/// The program of that kind ("the assembler") that is given, or that the
/// environment variable names; empty where neither is. An error, at `loc`, if
/// it cannot be run.
FailureOr<std::string> findGiven(Location loc, StringRef kind, StringRef given,
                                 const char *variable);

/// A file in a folder of its own, which goes away with the object. Whoever is
/// given the path makes it.
struct TemporaryFile {
  LogicalResult create(Location loc, StringRef suffix);
  LogicalResult write(Location loc, StringRef text) const;
  FailureOr<std::string> read() const;

  TemporaryFolder folder;
  std::string path;
};

/// Runs a program, whose first argument is its path, under the limit of
/// TILE_TOOL_SECONDS; the file `log` gets what it prints. What went wrong, to
/// stand behind its name; empty where it ended with 0.
std::string execute(ArrayRef<StringRef> arguments, StringRef log);

/// What a message shows of what a program has printed.
std::string quote(StringRef text);

/// The object file that a program should have written ("cubin").
FailureOr<std::string> readObject(Location loc, const TemporaryFile &output,
                                  StringRef program, StringRef kind);

/// Runs a program whose first argument is its path; `text` is what it prints.
/// An error, with that, if it does not end with 0. It calls the file `input` by
/// `name`, since the file will be gone.
LogicalResult run(Location loc, ArrayRef<StringRef> arguments,
                  const TemporaryFile &input, StringRef name,
                  std::string &text);

} // namespace mlir::tile::tool

#endif // TILE_DRIVER_TOOL_H
