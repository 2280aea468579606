//===- ClusterTarget.h - GPUs with clusters of blocks -*- C++ -* ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels whose blocks share tiles, or whose threads copy for a pipeline,
// need of a vendor, beside its SIMTTarget.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_CLUSTERTARGET_H
#define TILE_CONVERSION_TILETOSIMT_CLUSTERTARGET_H

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"

namespace mlir::tile::simt {

class ClusterTarget {
public:
  virtual ~ClusterTarget() = default;

  virtual bool supports(const ::tile::target::Target &chip) const = 0;
  /// All threads of the blocks of a cluster synchronise.
  virtual void barrier(KernelLowering &l, Location loc) const = 0;
  /// The two halves of such a barrier. Nothing that was written before the
  /// first arrival of a kernel is seen behind the wait: all blocks run, no
  /// more.
  virtual void arriveFirst(KernelLowering &l, Location loc) const = 0;
  virtual void wait(KernelLowering &l, Location loc) const = 0;
  /// The number of the block in its cluster, an i32.
  virtual Value getRank(KernelLowering &l, Location loc) const = 0;
  /// Stores 4 or 8 bytes to the shared memory of the block with this number,
  /// and counts them at its transaction barrier; both addresses are in the own
  /// one. Behind a wait at that barrier, threads of that block see them.
  virtual void storeAsync(KernelLowering &l, Location loc, Value value,
                          Value address, Value barrier, Value block) const = 0;
  /// Arrives at this transaction barrier of the block with this number in the
  /// cluster, an i32.
  virtual void arrive(KernelLowering &l, Location loc, Value barrier,
                      Value block) const = 0;
  /// The place in the shared memory of the block with this number in the
  /// cluster that an address of the own block has.
  virtual Value getPlace(KernelLowering &l, Location loc, Value address,
                         Value block) const = 0;
  /// The thread arrives at a transaction barrier of its block when the
  /// asynchronous copies that it has started (CopyFamily::CpAsync) are complete.
  virtual void arriveAfterCopies(KernelLowering &l, Location loc,
                                 Value barrier) const = 0;
};

/// The vendors whose blocks share tiles.
class ClusterTargets : public DialectInterface::Base<ClusterTargets> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClusterTargets)

  ClusterTargets(Dialect *dialect) : Base(dialect) {}

  void add(std::unique_ptr<ClusterTarget> target) {
    targets.push_back(std::move(target));
  }
  /// Null: blocks of the chip share none.
  static const ClusterTarget *lookup(MLIRContext *context,
                                     const ::tile::target::Target &chip);
  /// Of the dialect, made when first asked for.
  static ClusterTargets &get(TileDialect *dialect);

private:
  SmallVector<std::unique_ptr<ClusterTarget>> targets;
};

template <typename TargetT>
void registerClusterTarget(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TileDialect *dialect) {
    ClusterTargets::get(dialect).add(std::make_unique<TargetT>());
  });
}

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_CLUSTERTARGET_H
