//===- LoopExits.h - loops that are left early ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_LOOPEXITS_H
#define TILE_LIB_IMPORT_TILELANG_LOOPEXITS_H

#include "Importer.h"

#include "llvm/Support/SaveAndRestore.h"

namespace mlir::tile::tilelang {

/// How the loop at hand is left, by `break`, and its iterations, by `continue`.
/// While there is one, `breakFlag` is that of this loop, where it needs one.
struct LoopExits {
  LoopExits(Importer &importer, Node loop);

  /// At the beginning of an iteration: the one before may have been left.
  void beginIteration();

  bool leaves, skips; ///< what the flag is for

private:
  Importer &importer;
  Node loop;
  llvm::SaveAndRestore<Value> flag;
  llvm::SaveAndRestore<bool> bySkips;
};

/// Whether a statement leaves the loop that it is in, or the iteration.
bool breaks(Node statement);

/// Whether it is an `if` that has nothing to do with either but for a
/// `continue` at its end: the rest of the iteration is its other branch.
bool isSkip(Node statement);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_LOOPEXITS_H
