//===- FourBits.h - elements of 4 bits on AMD GPUs --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_GPUTOROCDL_FOURBITS_H
#define TILE_LIB_CONVERSION_GPUTOROCDL_FOURBITS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tile {

/// Takes vectors of integers of 4 bits apart in registers: LLVM's back end would
/// take them through memory.
void populateFourBits(RewritePatternSet &patterns);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_GPUTOROCDL_FOURBITS_H
