//===- OpaqueThreads.h - threads that LLVM knows nothing of ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For branches that are seldom taken: what is computed from these numbers is
// computed in the branch. Coordinates that the code around has, too, would stay
// in registers up to there.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_OPAQUETHREADS_H
#define TILE_LIB_CONVERSION_TILETOSIMT_OPAQUETHREADS_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"
#include "Tile/Conversion/TileToSIMT/ThreadMap.h"

namespace mlir::tile::simt {

/// The threads that execute the code, with a lane and a warp of which LLVM
/// knows the bits only; the same threads where the target has no such form.
ThreadGroup makeThreadsOpaque(KernelLowering &l, Location loc);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_OPAQUETHREADS_H
