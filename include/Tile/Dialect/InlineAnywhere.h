//===- InlineAnywhere.h - inlining of all ops -------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_INLINEANYWHERE_H
#define TILE_DIALECT_INLINEANYWHERE_H

#include "mlir/Transforms/InliningUtils.h"

namespace mlir::tile {

/// Functions with the dialect's ops may be inlined, and functions may be inlined
/// into its regions.
struct InlineAnywhereInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace mlir::tile

#endif // TILE_DIALECT_INLINEANYWHERE_H
