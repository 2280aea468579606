//===- PassTarget.h - the chip that a pass works for ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_PASSTARGET_H
#define TILE_TRANSFORMS_PASSTARGET_H

#include "mlir/IR/Operation.h"

namespace tile::target {
struct Target;
} // namespace tile::target

namespace mlir::tile {

/// The GPU named by the pass option, or, where that is empty, by the attribute
/// `tile.target` of the closest op around `op`. Null, with an error at `op`, if
/// there is none or if it is no GPU.
const ::tile::target::Target *getPassTarget(Operation *op, StringRef option);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_PASSTARGET_H
