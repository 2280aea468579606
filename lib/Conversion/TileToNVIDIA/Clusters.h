//===- Clusters.h - clusters of NVIDIA GPUs -*- C++ -* -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_CLUSTERS_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_CLUSTERS_H

#include "Tile/Conversion/TileToSIMT/ClusterTarget.h"

namespace mlir::tile::nvidia {

class NVIDIAClusterTarget : public simt::ClusterTarget {
public:
  bool supports(const ::tile::target::Target &chip) const override;
  void barrier(simt::KernelLowering &l, Location loc) const override;
  void arriveFirst(simt::KernelLowering &l, Location loc) const override;
  void wait(simt::KernelLowering &l, Location loc) const override;
  Value getRank(simt::KernelLowering &l, Location loc) const override;
  void storeAsync(simt::KernelLowering &l, Location loc, Value value,
                  Value address, Value barrier, Value block) const override;
  void arrive(simt::KernelLowering &l, Location loc, Value barrier,
              Value block) const override;
  Value getPlace(simt::KernelLowering &l, Location loc, Value address,
                 Value block) const override;
  void arriveAfterCopies(simt::KernelLowering &l, Location loc,
                         Value barrier) const override;
};

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_CLUSTERS_H
