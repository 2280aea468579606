//===- Version.h - the version of the project in its tools ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_VERSION_H
#define TILE_DRIVER_VERSION_H

namespace mlir::tile {

/// Lets '--version' of a tool print its name, the version of the project and
/// that of LLVM. `tool` has to live as long as the process.
void setToolName(const char *tool);

} // namespace mlir::tile

#endif // TILE_DRIVER_VERSION_H
