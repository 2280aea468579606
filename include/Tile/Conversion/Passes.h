//===- Passes.h - conversions for all targets -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_PASSES_H
#define TILE_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace mlir {
class OpPassManager;
class RewritePatternSet;

namespace tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/Passes.h.inc"

/// Computes on small floats in f32. `native` says what is left to the machine.
void addSmallFloatPasses(OpPassManager &pm,
                         const ExpandSmallFloatsPassOptions &native = {});

/// Patterns that compute math.exp and math.exp2 on f32 by polynomials; see
/// `tile-expand-math`.
void populateExpandExponentialPatterns(RewritePatternSet &patterns,
                                       bool hasLdexp);

/// Patterns that turn math.isnan, isinf and isfinite into comparisons.
void populateExpandClassTestPatterns(RewritePatternSet &patterns);

/// Patterns that compute math.fpowi by math.powf, without losing whether the
/// exponent is odd, and math.ipowi by squares. Constant exponents of floats,
/// which may be products, are left alone unless `withConstants`.
void populateExpandIntegerPowerPatterns(RewritePatternSet &patterns,
                                        bool withConstants);

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/Passes.h.inc"

} // namespace tile
} // namespace mlir

#endif // TILE_CONVERSION_PASSES_H
