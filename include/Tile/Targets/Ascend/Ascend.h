//===- Ascend.h - Ascend C --------------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_ASCEND_ASCEND_H
#define TILE_TARGETS_ASCEND_ASCEND_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;

namespace tile {

/// Writes the kernels of a lowered module: one function each, in the basic API.
/// Comments say which lines of the source they are of.
LogicalResult emitAscendC(ModuleOp module, raw_ostream &os);

/// The same where locations are not those of the source.
LogicalResult emitAscendCWithoutLines(ModuleOp module, raw_ostream &os);

/// Writes the functions around them in C, for the model: `tile_host_NAME` takes
/// pointers to its arguments, for a memref a pointer to a pointer to its
/// descriptor.
LogicalResult emitAscendHost(ModuleOp module, raw_ostream &os);

/// The same for a device, by libraries that the functions load when they are
/// called; they take a stream too, and where an error is to be written.
LogicalResult emitAscendDeviceHost(ModuleOp module, raw_ostream &os);

/// Writes a shell script that builds the kernels with the vendor's compiler.
LogicalResult emitAscendBuild(ModuleOp module, raw_ostream &os);

/// Writes kernels that run on one kind of core as text of AscendNPU-IR.
LogicalResult emitAscendHIVM(ModuleOp module, raw_ostream &os);

/// Adds --mlir-to-ascendc, --mlir-to-ascend-host, --mlir-to-ascend-build and
/// --mlir-to-hivm to a translation tool.
void registerAscendTranslations();

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_ASCEND_ASCEND_H
