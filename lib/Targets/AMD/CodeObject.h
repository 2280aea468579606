//===- CodeObject.h - linking and reading AMD code objects ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_AMD_CODEOBJECT_H
#define TILE_LIB_TARGETS_AMD_CODEOBJECT_H

#include "Tile/Targets/AMD/AMDGPU.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::tile::codeobject {

/// LLVM's linker for ELF: `given`, or the first of TILE_LLD, that of this
/// version of LLVM, and any on the PATH. An error, at `loc`, where there is
/// none.
FailureOr<std::string> findLinker(Location loc, StringRef given);

/// Makes the shared object that a driver loads.
LogicalResult link(Location loc, StringRef program, StringRef object,
                   std::string &hsaco);

/// What the notes of an object say about its kernels.
FailureOr<llvm::StringMap<AMDGPUResources>> readResources(Location loc,
                                                          StringRef object);

} // namespace mlir::tile::codeobject

#endif // TILE_LIB_TARGETS_AMD_CODEOBJECT_H
