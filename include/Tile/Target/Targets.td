//===- Targets.td - all chips ------------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_TARGETS
#define TILE_TARGET_TARGETS

include "Tile/Target/NVIDIA.td"
include "Tile/Target/AMD.td"
include "Tile/Target/RDNA.td"
include "Tile/Target/Ascend.td"
include "Tile/Target/CPU.td"

#endif // TILE_TARGET_TARGETS
