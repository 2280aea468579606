//===- Register.h - records of chips from other libraries -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_REGISTER_H
#define TILE_TARGET_REGISTER_H

#include "Tile/Target/Target.h"

namespace tile::target {

/// Adds the record of a chip, whose name must be new, to those of Targets.td.
/// What it refers to lives as long as the process. To be called before the first
/// module is read, as a library with a target is loaded.
void registerTarget(const Target &target);

} // namespace tile::target

#endif // TILE_TARGET_REGISTER_H
