//===- Ranks.h - NVIDIA GPUs as ranks ---------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_RANKS_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_RANKS_H

#include "Tile/Conversion/TileToSIMT/RankTarget.h"

namespace mlir::tile::nvidia {

class NVIDIARankTarget : public simt::RankTarget {
public:
  bool supports(const ::tile::target::Target &chip) const override;
  void add(simt::KernelLowering &l, Location loc, Value address, Value value,
           bool isRelease) const override;
  Value readNanoseconds(simt::KernelLowering &l, Location loc) const override;
};

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_RANKS_H
