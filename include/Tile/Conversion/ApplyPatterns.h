//===- ApplyPatterns.h - patterns on the ops that they name -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_APPLYPATTERNS_H
#define TILE_CONVERSION_APPLYPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tile {

/// Applies patterns to the ops below `root` whose names they are for, and to
/// what they make of these, until none matches. All other ops stay as they are:
/// upstream's driver would fold each of them, look for dead code and merge
/// blocks, which is most of its time where few ops match.
LogicalResult applyPatternsToNamed(Operation *root, RewritePatternSet patterns);

} // namespace mlir::tile

#endif // TILE_CONVERSION_APPLYPATTERNS_H
