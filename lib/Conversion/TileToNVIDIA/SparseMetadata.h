//===- SparseMetadata.h - metadata of mma.sp --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Matrix fragments for multiply-accumulate operation with sparse
// matrix A", the figures of the metadata operand. Of the four lanes 4g + q:
// - elements of 16 and 32 bits: the selector names the lanes 0 and 1, or 2 and
//   3. The first of them has the low 16 bits of rows g and g + 8 in its lower
//   and upper half, the second one their high 16 bits;
// - elements of 8 bits: lane 4g has the low 32 bits of row g, the next one
//   those of row g + 8, the other two the high 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_SPARSEMETADATA_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_SPARSEMETADATA_H

#include "WarpOperand.h"

#include <map>

namespace mlir::tile::nvidia {

/// The last operands of mma.sp.
struct SparsityOperand {
  Value metadata; // i32
  int64_t selector;
};

/// Reads metadata from shared memory. One register serves two instructions
/// along K where the selector tells them apart.
class MetadataReader {
public:
  /// `warpPart` is the first row of this warp; `steps` are instructions along K
  /// in one iteration.
  MetadataReader(const WarpProduct &product, const simt::Buffer &buffer,
                 bool transposed, int64_t steps, Value warpPart,
                 simt::KernelLowering &l);

  /// `k`, of stored elements, is null where there is one iteration only.
  void beginIteration(Value k);
  SparsityOperand read(int64_t m, int64_t step);

private:
  Value readChunk(int64_t row, int64_t chunk);
  Value readWord(Value row, Value column);

  const simt::Buffer &buffer;
  bool transposed;
  int64_t steps;
  simt::KernelLowering &l;
  Location loc;
  int64_t bitsPerElement; // of metadata, for a stored element
  int64_t chunkBits;      // that a lane has of a row
  int64_t bitsPerWord;    // of an element of the buffer
  Value firstRow, lane, firstWord;
  std::map<std::pair<int64_t, int64_t>, Value> known; // by row and chunk
};

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_SPARSEMETADATA_H
