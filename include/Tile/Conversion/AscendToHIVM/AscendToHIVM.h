//===- AscendToHIVM.h - from Ascend instructions to HIVM --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_ASCENDTOHIVM_ASCENDTOHIVM_H
#define TILE_CONVERSION_ASCENDTOHIVM_ASCENDTOHIVM_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tile {

/// Converts the kernels of a module, which run on one kind of core each, to
/// functions of HIVM, the dialect of AscendNPU-IR, that have the names that
/// `getName` gives. Printed, the module is what that project reads. Null, with
/// an error, for an op that HIVM does not support.
OwningOpRef<ModuleOp>
convertAscendToHIVM(ModuleOp module,
                    function_ref<std::string(KernelOp)> getName);

} // namespace mlir::tile

#endif // TILE_CONVERSION_ASCENDTOHIVM_ASCENDTOHIVM_H
