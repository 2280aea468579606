//===- VectorMasks.h - bits of comparisons ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_VECTORMASKS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_VECTORMASKS_H

#include "VectorBuilder.h"

namespace mlir::tile::ascend {

/// The bits of a comparison, or of its contrary.
struct VectorMask {
  VectorShape shape;
  Value bits;
  bool isInverted = false;
};

/// Compares a vector with another one of its shape, or with a scalar.
VectorMask createMask(VectorBuilder &v, CompareMode mode,
                      const VectorOperand &source, Value bound);
/// `yes` or `no`, by the bits of a mask; both have its shape.
Value choose(VectorBuilder &v, const VectorMask &mask, Value yes, Value no);

/// 1 where the mask is true, and 0 elsewhere.
VectorOperand getFlags(VectorBuilder &v, const VectorMask &mask, Type element);
/// The mask of elements of f32 that are 1.
VectorMask getFlagMask(VectorBuilder &v, const VectorOperand &flags);
/// The mask, repeated for a shape of more elements.
FailureOr<VectorMask> spreadMask(VectorBuilder &v, const VectorMask &mask,
                                 VectorShape shape);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_VECTORMASKS_H
