//===- LanguageServer.h - the language server for .mlir files ---*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The server of MLIR, between whose messages and the editor's a layer adds what
// MLIR has no hook for: the reference of an op or attribute that is pointed at,
// attributes to complete, and what `tile-verify-semantics` says.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LANGUAGESERVER_LANGUAGESERVER_H
#define TILE_LANGUAGESERVER_LANGUAGESERVER_H

namespace mlir {
class DialectRegistry;

namespace tile {

/// Serves the editor at the standard streams until it leaves; the exit code.
/// The options are those of MlirLspServerMain.
int runLanguageServer(int argc, char **argv, DialectRegistry &registry);

} // namespace tile
} // namespace mlir

#endif // TILE_LANGUAGESERVER_LANGUAGESERVER_H
