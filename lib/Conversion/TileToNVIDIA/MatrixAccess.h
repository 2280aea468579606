//===- MatrixAccess.h - ldmatrix and stmatrix -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment that lies in a shared tile so that eight lanes' words make rows of
// 16 bytes is moved by instructions of up to four such matrices. Each lane then
// supplies the address of one row: the rows are a small tile of their own, and
// the addresses are those of a copy of it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_MATRIXACCESS_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_MATRIXACCESS_H

#include "Tile/Conversion/TileToSIMT/MemoryRegion.h"

#include "Tile/Layout/Access.h"

namespace mlir::tile::nvidia {

using namespace simt;

/// How the words of a fragment's registers move; all warps take part.
struct MatrixTile {
  ::tile::layout::MatrixAccess access;
  int64_t elementsPerWord;

  int64_t numWords() const { return access.rows.extent(1); }
};

/// Whether instructions of the target move a fragment of this layout between
/// registers and a shared tile of that layout, or why not.
::tile::layout::Result<MatrixTile>
matchMatrixTile(const ::tile::layout::Layout &registers,
                const ::tile::layout::Layout &memory, Type element,
                bool isStore, KernelLowering &l);

/// Emits the moves of one fragment, at the builder.
class MatrixMover {
public:
  MatrixMover(KernelLowering &l, Location loc, const MatrixTile &tile,
              Type element, Value base);

  /// A word (i32) of the fragment; its neighbours come with it.
  Value load(int64_t word);
  void store(ArrayRef<Value> words);

private:
  Value getAddress(int64_t group);

  KernelLowering &l;
  Location loc;
  MatrixTile tile;
  Buffer rows;
  ThreadMap map;
  std::optional<MemoryRegion> region;
  DenseMap<int64_t, Value> words;
};

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_MATRIXACCESS_H
