//===- Steps.h - iterations of a thread in lockstep -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_STEPS_H
#define TILE_LIB_CONVERSION_TILETOSIMT_STEPS_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"
#include "Tile/Conversion/TileToSIMT/ThreadMap.h"

namespace mlir::tile::simt {

/// Writes out the iterations that the registers of a thread stand for. Those
/// that may be one vector in memory are in lockstep: iterations run in any
/// order, and accesses of neighbours, with no other op between, become vectors.
/// What they have in common is there once, and branches that they take together
/// are one. With `last`, those of the registers from `first` to before `last`.
void emitSteps(ParallelOp loop, const ThreadMap &map, KernelLowering &l,
               SmallVectorImpl<Operation *> &clones, int64_t first = 0,
               std::optional<int64_t> last = std::nullopt);
/// The same as a loop, for bodies that use no registers.
void emitStepsInLoop(ParallelOp loop, const ThreadMap &map, KernelLowering &l,
                     SmallVectorImpl<Operation *> &clones);
/// Writes out the short serial loops of iterations whose own iterations may be
/// vectors in memory: these are in lockstep, too. So are written out those that
/// index what a thread keeps, one iteration after the other: it is in registers.
/// A thread has `steps` iterations of `parallel`.
void unrollSerialLoops(ParallelOp parallel, int64_t steps, KernelLowering &l);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_STEPS_H
