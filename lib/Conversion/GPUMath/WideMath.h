//===- WideMath.h - functions computed in f64 -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_GPUMATH_WIDEMATH_H
#define TILE_LIB_CONVERSION_GPUMATH_WIDEMATH_H

namespace mlir {
class RewritePatternSet;

namespace tile {

/// Functions on f32, but exp, exp2, erf and erfc, within 0.51 ulp of the exact
/// result, and exponentials, logarithms and tanh of f64 within 3 ulp, with the
/// special values of C.
void populateWideMathPatterns(RewritePatternSet &patterns);

} // namespace tile
} // namespace mlir

#endif // TILE_LIB_CONVERSION_GPUMATH_WIDEMATH_H
