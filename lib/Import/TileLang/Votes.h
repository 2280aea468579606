//===- Votes.h - what threads tell one another ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_VOTES_H
#define TILE_LIB_IMPORT_TILELANG_VOTES_H

#include "Importer.h"

namespace mlir::tile::tilelang {

/// A call that tells each thread what others of its warp or block have.
bool isVote(Node call);

/// A call for the number of the thread's lane, warp or group of warps, or
/// whether it is the first of its group.
bool isThreadNumber(Node call);

/// Whether a definition, a store or a call holds a vote.
bool holdsVote(Node statement);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_VOTES_H
