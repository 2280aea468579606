//===- AsyncCopy.h - asynchronous copies of threads -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rows of a chip stand behind `#tile.transfer<cp_async>`.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_ASYNCCOPY_H
#define TILE_TRANSFORMS_ASYNCCOPY_H

#include "Tile/Target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::tile {

/// The lanes of a warp write side by side to shared memory, each what it has
/// read at an address. (Those with a range need the descriptor of a buffer.)
inline bool isLinearCopy(const ::tile::target::CopyRow &row) {
  return row.family == ::tile::target::CopyFamily::DirectToLDS &&
         !row.boundsChecked;
}

/// From global to shared memory, past the registers of the thread.
inline bool isAsyncCopy(const ::tile::target::CopyRow &row) {
  return row.family == ::tile::target::CopyFamily::CpAsync || isLinearCopy(row);
}

inline bool hasAsyncCopies(const ::tile::target::Target &target) {
  return llvm::any_of(target.copies, isAsyncCopy);
}

/// Whether they are as wide as copies through registers, and so the better ones
/// wherever they are possible.
inline bool hasWideAsyncCopies(const ::tile::target::Target &target) {
  return llvm::any_of(target.copies, [&](const ::tile::target::CopyRow &row) {
    return isAsyncCopy(row) && row.moves(target.getGPU()->vectorBytes);
  });
}

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_ASYNCCOPY_H
