//===- SemanticChecks.h - diagnostics beyond those of verifiers -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_LANGUAGESERVER_SEMANTICCHECKS_H
#define TILE_LIB_LANGUAGESERVER_SEMANTICCHECKS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/LSP/Protocol.h"

namespace mlir {
class DialectRegistry;

namespace tile {

/// The line that separates programs of one file.
constexpr StringLiteral kSeparator = "// -----";

/// What `tile-verify-semantics` says about the programs of a file, at the
/// default parameters. A program with other errors is passed by.
std::vector<llvm::lsp::Diagnostic>
checkSemantics(StringRef text, const llvm::lsp::URIForFile &uri,
               const DialectRegistry &registry);

} // namespace tile
} // namespace mlir

#endif // TILE_LIB_LANGUAGESERVER_SEMANTICCHECKS_H
