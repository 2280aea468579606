//===- Ascend.h - Ascend C --------------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_EMIT_ASCEND_H
#define TILE_EMIT_ASCEND_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class ModuleOp;

namespace tile {

/// Runs the Ascend pipeline. The module changes in place.
LogicalResult lowerToAscend(ModuleOp module);

/// Writes the kernels of a lowered module: one function each, in the basic API.
LogicalResult emitAscendC(ModuleOp module, raw_ostream &os);

/// Writes the functions around them in C: `tile_host_NAME` takes pointers to its
/// arguments, for a memref a pointer to a pointer to its descriptor.
LogicalResult emitAscendHost(ModuleOp module, raw_ostream &os);

/// Adds --mlir-to-ascendc and --mlir-to-ascend-host to a translation tool.
void registerAscendTranslations();

} // namespace tile
} // namespace mlir

#endif // TILE_EMIT_ASCEND_H
