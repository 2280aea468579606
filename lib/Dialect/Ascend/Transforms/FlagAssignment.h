//===- FlagAssignment.h - flags become those of the chip --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_FLAGASSIGNMENT_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_FLAGASSIGNMENT_H

#include "HappensBefore.h"

#include "Tile/Dialect/Ascend/Transforms/Flags.h"

namespace mlir::tile::ascend {

/// Takes away each group of flags, and each barrier, without which everything
/// is still in order; flags between the cores first. A trial has no remark.
void pruneSync(KernelOp kernel, Region &code, HappensBefore &order,
               bool isTrial = false);

/// Gives each group of flags the lowest id below `count` of which no other
/// group is set, or not known to be taken, where the group is set. Where there
/// is none, two groups become one, or `orderClash` has a wait come before a
/// set, or a barrier of all pipes takes the place of a group. Two groups next
/// to each other lose little as one; the result is what else had no ids. A
/// trial ends there, and remarks nothing.
std::optional<PipePair>
assignFlags(Region &code, HappensBefore &order, int64_t count,
            function_ref<bool(const FlagClash &)> orderClash, bool isTrial);

/// Gives flags between the cores whose number is not below `count` an id that
/// is free, or else one that the other core alone counts: each core has its
/// own counter of an id.
LogicalResult assignCrossFlags(Region &code, int64_t count, bool isTrial);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_FLAGASSIGNMENT_H
