//===- Runs.h - accesses of neighbouring elements ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterations of a thread in lockstep access single elements, one right behind
// the other. Where these are neighbours in memory, one instruction does it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_RUNS_H
#define TILE_LIB_CONVERSION_TILETOSIMT_RUNS_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::simt {

/// Of an op that accesses one element: where; none for another op, or for one
/// that does not do the same as the first one of its run.
using IndicesOf = function_ref<std::optional<SmallVector<Value>>(Operation *)>;

/// The accesses of a run of neighbours that begins with `op`, of at most `most`
/// elements: their number is a power of two, of which the place of the first
/// one is known to be a multiple.
SmallVector<Operation *> findRun(Operation *op, const Buffer &buffer,
                                 int64_t most, IndicesOf getIndices);

/// How many elements of a buffer one load or store of a thread may have.
int64_t getVectorRun(KernelLowering &l, const Buffer &buffer);

/// Notes that the first op of a run has lowered the others; asks for it once.
void setDone(KernelLowering &l, ArrayRef<Operation *> run);
bool takeDone(KernelLowering &l, Operation *op);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_RUNS_H
