//===- FourBits.h - conversions of elements of 4 bits -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H
#define TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tile::nvidia {

/// Vectors of i4 and f4E2M1FN to f16 and bf16.
void populateFourBitPatterns(RewritePatternSet &patterns);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_GPUTONVVM_FOURBITS_H
