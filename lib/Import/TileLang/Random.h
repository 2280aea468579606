//===- Random.h - random numbers --------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_RANDOM_H
#define TILE_LIB_IMPORT_TILELANG_RANDOM_H

#include "Importer.h"

namespace mlir::tile::tilelang {

/// T.rng_init: where the block's sequence of numbers begins.
void beginNumbers(Importer &importer, Node call);

/// T.rng_rand, and T.rng_rand_float of uniform numbers: the next number.
Value drawNumber(Importer &importer, Node call);

/// Translates a T.Parallel whose iterations draw equally many numbers, so that
/// each knows the place of its own. False, and nothing is done, for others.
bool drawInParallel(Importer &importer, Node loop);

/// Whether a branch of such a loop is always taken, and is none then.
bool isAlwaysTaken(Importer &importer, Node branch);

/// Whether something below draws numbers, which is done in order.
bool drawsNumbers(Node root);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_RANDOM_H
