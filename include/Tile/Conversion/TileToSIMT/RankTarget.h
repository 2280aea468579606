//===- RankTarget.h - GPUs that run several ranks ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels that signal to other devices need of a vendor, beside its
// SIMTTarget. Loads that acquire and stores that release are LLVM's own.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_RANKTARGET_H
#define TILE_CONVERSION_TILETOSIMT_RANKTARGET_H

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"

namespace mlir::tile::simt {

class RankTarget {
public:
  virtual ~RankTarget() = default;

  virtual bool supports(const ::tile::target::Target &chip) const = 0;
  /// Adds to an integer of 32 or 64 bits in memory of any device, at the scope of
  /// the system. With `isRelease`, what happened before is released.
  virtual void add(KernelLowering &l, Location loc, Value address, Value value,
                   bool isRelease) const = 0;
  /// An i64 that counts nanoseconds.
  virtual Value readNanoseconds(KernelLowering &l, Location loc) const = 0;
};

/// The vendors whose devices run ranks.
class RankTargets : public DialectInterface::Base<RankTargets> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RankTargets)

  RankTargets(Dialect *dialect) : Base(dialect) {}

  void add(std::unique_ptr<RankTarget> target) {
    targets.push_back(std::move(target));
  }
  /// Null: the chip runs one rank.
  static const RankTarget *lookup(MLIRContext *context,
                                  const ::tile::target::Target &chip);
  /// Of the dialect, made when first asked for.
  static RankTargets &get(TileDialect *dialect);

private:
  SmallVector<std::unique_ptr<RankTarget>> targets;
};

template <typename TargetT>
void registerRankTarget(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TileDialect *dialect) {
    RankTargets::get(dialect).add(std::make_unique<TargetT>());
  });
}

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_RANKTARGET_H
