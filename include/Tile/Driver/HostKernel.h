//===- HostKernel.h - a function as a kernel of the CPU device --*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The CPU device runs a whole function as a grid of one block; the loops in it
// are parallel. Its parameters are those of the lowered function: of a memref
// two pointers, an offset, the sizes and the strides.

#ifndef TILE_DRIVER_HOSTKERNEL_H
#define TILE_DRIVER_HOSTKERNEL_H

#include "Tile/Driver/Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::tile {

/// The launch metadata of a function, whose types are those of the source, for
/// a device of `target`.
FailureOr<std::string> describeHostKernel(FunctionOpInterface function,
                                          StringRef target, StringRef chip);

/// The name that the entry of a function has in the object.
std::string getHostEntryName(StringRef function);

/// Adds the entry, a TileRtHostBlock, which calls the lowered function.
LogicalResult addHostEntry(ModuleOp module, llvm::Module &llvmModule,
                           StringRef function);

} // namespace mlir::tile

#endif // TILE_DRIVER_HOSTKERNEL_H
