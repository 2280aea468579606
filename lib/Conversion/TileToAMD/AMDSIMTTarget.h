//===- AMDSIMTTarget.h - instructions of AMD GPUs --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOAMD_AMDSIMTTARGET_H
#define TILE_LIB_CONVERSION_TILETOAMD_AMDSIMTTARGET_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::amd {

class AMDSIMTTarget : public simt::SIMTTarget {
public:
  using KernelLowering = simt::KernelLowering;

  bool supports(const ::tile::target::Target &chip) const override;
  void loadDialects(MLIRContext *context) const override;
  StringRef getRuntime() const override { return "hip"; }

  unsigned getPrivateAddressSpace() const override;
  /// Memory of a thread would have to be set up for all waves.
  bool stagesInPrivateMemory() const override { return false; }
  Value makeOpaque(KernelLowering &l, Location loc, Value index) const override;

  // AsyncCopies.cpp; `to` is the place of the first lane of the wave.
  void copyAsync(KernelLowering &l, Location loc, Value to, Value from,
                 int64_t bytes) const override;
  void commitAsyncCopies(KernelLowering &l, Location loc) const override;
  void waitForAsyncCopies(KernelLowering &l, Location loc,
                          int64_t pending) const override;
  void finishKernel(KernelLowering &l, Location loc) const override;

  LogicalResult emitMma(KernelLowering &l, GemmOp op) const override;
};

LogicalResult emitWaveMma(GemmOp op, simt::KernelLowering &l);

} // namespace mlir::tile::amd

#endif // TILE_LIB_CONVERSION_TILETOAMD_AMDSIMTTARGET_H
