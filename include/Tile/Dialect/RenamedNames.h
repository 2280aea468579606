//===- RenamedNames.h - errors for names of earlier versions ----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_RENAMEDNAMES_H
#define TILE_DIALECT_RENAMEDNAMES_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::tile {

enum class RenamedKind { OP, TYPE, CLAUSE, ATTRIBUTE, PASS };

/// Today's name of what `old`, with the dialect's name in front, was called in
/// an earlier version; empty if nothing had that name.
inline StringRef lookupRenamed(RenamedKind kind, StringRef old) {
#define TILE_RENAMED(KIND, OLD, NEW)                                           \
  if (kind == RenamedKind::KIND && old == OLD)                                 \
    return NEW;
#include "Tile/Dialect/RenamedNames.def"
  return {};
}

/// Parses no op: reports today's name of one that had another name.
inline ParseResult reportRenamedOp(OpAsmParser &parser,
                                   OperationState &result) {
  StringRef old = result.name.getStringRef();
  return parser.emitError(parser.getNameLoc())
         << "'" << old << "' is now '" << lookupRenamed(RenamedKind::OP, old)
         << "'";
}

/// What a dialect returns for an op that it does not have.
inline std::optional<Dialect::ParseOpHook> getRenamedOpHook(StringRef name) {
  if (lookupRenamed(RenamedKind::OP, name).empty())
    return std::nullopt;
  return Dialect::ParseOpHook(reportRenamedOp);
}

} // namespace mlir::tile

#endif // TILE_DIALECT_RENAMEDNAMES_H
