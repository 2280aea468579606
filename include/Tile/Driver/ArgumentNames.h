//===- ArgumentNames.h - the names that a text has for arguments *- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_ARGUMENTNAMES_H
#define TILE_DRIVER_ARGUMENTNAMES_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class ModuleOp;

namespace tile {

/// Keeps the names that the text of a module has for the arguments of its
/// functions, which the module itself has not, as their locations (NameLoc).
/// Launch metadata and so the messages of the runtime use them.
void nameArguments(ModuleOp module, StringRef text);

} // namespace tile
} // namespace mlir

#endif // TILE_DRIVER_ARGUMENTNAMES_H
