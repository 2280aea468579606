//===- PackedCodes.h - elements of 4 bits in the order of lanes -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of 4 bits are often packed in the order in which the lanes of a
// tensor instruction take them, and a loop undoes that order by the index at
// which it reads. Where each lane's elements fill words, it reads whole vectors
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_PACKEDCODES_H
#define TILE_LIB_CONVERSION_TILETOSIMT_PACKEDCODES_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// Lowers a loop that does nothing but convert elements of 4 bits from shared
/// memory to a fragment, if the elements of each thread are vectors there, in
/// any order; else returns false.
bool emitPackedCodes(ParallelOp loop, const ::tile::layout::Layout &layout,
                     KernelLowering &l);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_PACKEDCODES_H
