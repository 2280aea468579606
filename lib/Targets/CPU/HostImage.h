//===- HostImage.h - object files in this process ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_CPU_HOSTIMAGE_H
#define TILE_LIB_TARGETS_CPU_HOSTIMAGE_H

#include "Tile/Driver/Backend.h"

namespace mlir::tile {

/// Links an object file into the process; the image is a TileRtHostImage of its
/// entry. Null with the reason in `error` if that fails.
std::unique_ptr<LoadedImage> loadHostImage(StringRef object, StringRef entry,
                                           std::string &error);

} // namespace mlir::tile

#endif // TILE_LIB_TARGETS_CPU_HOSTIMAGE_H
