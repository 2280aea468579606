//===- Operands.h - operands of ops on tiles --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_OPERANDS_H
#define TILE_LIB_IMPORT_TILELANG_OPERANDS_H

#include "Importer.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

namespace mlir::tile::tilelang {

/// A tile of its own for an operand that is a part of a buffer.
struct Operand {
  MemRefType getType() const { return cast<MemRefType>(tile.getType()); }

  Value tile;
  /// The part that the tile stands for, if it is a copy.
  std::optional<BufferRegion> part;
};

/// The operand without the unit dimensions that exceed `rank`: the buffer, a
/// reshape of it, or a copy of the part, filled if `reads`. What is in global
/// memory is copied to a tile in `space`.
std::optional<Operand> getOperand(Importer &importer, Node call, Node arg,
                                  size_t rank, bool reads,
                                  MemorySpace space = MemorySpace::Shared);

/// Takes the results of an op back to the part that its operand stands for.
void writeBack(Importer &importer, Node call, const Operand &operand);

void copy(Importer &importer, Node call, const BufferRegion &from,
          const BufferRegion &to);

/// A tile of this shape and element type.
Value makeTile(Importer &importer, Node at, ArrayRef<int64_t> shape,
               Type element, MemorySpace space);

/// Converts one of two operands of floats of different types to a type that
/// holds the values of both.
void widen(Importer &importer, Node call, Operand &a, Operand &b);

/// How warps share the work of a gemm, from TileLang's number.
WarpPolicy getPolicy(Importer &importer, Node policy);

/// The map of a region as an attribute, none for a whole buffer.
std::pair<AffineMapAttr, DenseI64ArrayAttr>
getAttributes(Importer &importer, const BufferRegion &region);

inline DataType getDataType(const Part &part) {
  return DataType(part.buffer.getString("dtype"));
}

/// T.gemm_sp (Sparse.cpp).
void translateSparseGemm(Importer &importer, Node call);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_OPERANDS_H
