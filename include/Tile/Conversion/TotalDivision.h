//===- TotalDivision.h - divisions without undefined behaviour --*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TOTALDIVISION_H
#define TILE_CONVERSION_TOTALDIVISION_H

#include "mlir/IR/Operation.h"

namespace mlir::tile {

/// Lets integer divisions and remainders in bodies of `tile.parallel` divide by
/// 1 where LLVM says that anything may happen: by 0, and of the smallest number
/// by -1. Elements past the end of a buffer are 0, and LLVM would conclude from
/// a division by them that nobody is there, and drop the guards of stores.
void makeDivisionsTotal(Operation *root);

} // namespace mlir::tile

#endif // TILE_CONVERSION_TOTALDIVISION_H
