//===- ParseModule.h - modules with the names of arguments ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_PARSEMODULE_H
#define TILE_DRIVER_PARSEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm

namespace mlir::tile {

/// Reads a file, or the standard input if the path is "-". Pipes and devices
/// may have no end: more than 256 MiB of them is an error.
std::unique_ptr<llvm::MemoryBuffer> openInput(llvm::StringRef path,
                                              std::string *error);

/// How deep braces may nest in text: parsers go down with them, on the stack.
inline constexpr int64_t kMostBraces = 1024;

/// Whether braces of text, but for those in strings, comments and statements,
/// nest deeper, in one of the parts between markers if there is one.
bool nestsTooDeep(const llvm::MemoryBuffer &text, llvm::StringRef marker = "");

/// Parses text or bytecode. The names that a text has for arguments of functions
/// and regions, and for results, become their locations (NameLoc); launch
/// metadata, and so the messages of the runtime, and emitted text use them.
OwningOpRef<ModuleOp> parseModule(const llvm::SourceMgr &sources,
                                  MLIRContext *context);

} // namespace mlir::tile

#endif // TILE_DRIVER_PARSEMODULE_H
