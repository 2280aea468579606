//===- ElementConversion.h - element by element on matrices -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Copies, fills and conversions of matrices in UB, for element types that the
// chip has no instruction for, too.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_ELEMENTCONVERSION_H
#define TILE_LIB_CONVERSION_TILETOASCEND_ELEMENTCONVERSION_H

#include "KernelLowering.h"

namespace mlir::tile::ascend {

/// The element type that the vector unit computes in for `element`.
Type getComputeType(const KernelLowering &l, StringRef instruction,
                    Type element);
inline bool supports(const KernelLowering &l, StringRef instruction,
                     Type element) {
  return getComputeType(l, instruction, element) == element;
}

/// Converts element by element, in as many steps as the chip needs. Integers
/// that become narrower wrap, unless all of them are known to fit.
LogicalResult createCast(KernelLowering &l, Operation *op, Value target,
                         Value source, bool fits = false);
/// The low bits of integers, as signed numbers.
Value createWrap(KernelLowering &l, Location loc, Value matrix, unsigned bits);
/// One value for all elements. Numbers of a type that has no instruction for it
/// are those of another one, converted.
LogicalResult createFill(KernelLowering &l, Operation *op, Value matrix,
                         Value value);
/// Copies a matrix of the same shape, converting the elements.
LogicalResult createCopy(KernelLowering &l, Operation *op, Value target,
                         Value source);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_ELEMENTCONVERSION_H
