//===- Reducers.h - accumulators that iterations share ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_REDUCERS_H
#define TILE_LIB_IMPORT_TILELANG_REDUCERS_H

#include "Importer.h"

namespace mlir::tile::tilelang {

/// "sum", "max", "bitand", …
std::optional<ReduceKind> getReduceKind(StringRef name);

void initializeReducer(Importer &importer, Node call);
void updateReducerCall(Importer &importer, Node call);
void finalizeReducer(Importer &importer, Node call);

/// Of loops with more terms than registers hold: each iteration sums up a few
/// neighbours, and the reduction combines the sums.
void joinTerms(Operation *root);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_REDUCERS_H
