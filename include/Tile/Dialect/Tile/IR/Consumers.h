//===- Consumers.h - teams of threads that run a consumer -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_CONSUMERS_H
#define TILE_DIALECT_TILE_IR_CONSUMERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::tile {

/// Of a tile.warp_specialize: so many teams of the kernel's threads run the
/// consumer, and take the points of its tile.persistent in turns. Of a shared
/// buffer: each team has one, one behind the other.
constexpr llvm::StringLiteral kConsumersAttrName = "tile.consumers";

/// 1 without the attribute.
inline int64_t getConsumers(Operation *op) {
  auto attr = op->getAttrOfType<IntegerAttr>(kConsumersAttrName);
  return attr ? attr.getInt() : 1;
}

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_CONSUMERS_H
