//===- Notes.h - what was asked for and is not had --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_NOTES_H
#define TILE_DRIVER_NOTES_H

namespace mlir {
class MLIRContext;

namespace tile {

/// Prints a line on stderr for each pipeline, asynchronous copy and matrix
/// instruction that a compilation in this context does not get, once for each
/// reason: "note: gemm.mlir:12: no pipeline: …". These are remarks that are
/// missed; a context that shows remarks has no need of them.
void enableNotes(MLIRContext &context);

} // namespace tile
} // namespace mlir

#endif // TILE_DRIVER_NOTES_H
