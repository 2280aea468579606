//===- InlineCalls.h - what host code launches ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_INLINECALLS_H
#define TILE_TRANSFORMS_INLINECALLS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile {

/// Whether a function has kernels, or calls one that has.
bool launchesKernels(FunctionOpInterface function);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_INLINECALLS_H
