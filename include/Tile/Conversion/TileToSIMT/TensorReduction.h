//===- TensorReduction.h - copies that combine ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_TENSORREDUCTION_H
#define TILE_CONVERSION_TILETOSIMT_TENSORREDUCTION_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tile::simt {

/// Of a tensor store that stands for `tile.atomic` while that is lowered: the
/// kind of the update.
inline constexpr llvm::StringLiteral kReductionAttrName = "reduction";

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_TENSORREDUCTION_H
