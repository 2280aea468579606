//===- CodeObject.h - linking and reading AMD code objects ------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_AMD_CODEOBJECT_H
#define TILE_LIB_TARGETS_AMD_CODEOBJECT_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace mlir::tile::codeobject {

/// Resources of a kernel.
struct Resources {
  int64_t vectorRegisters = 0; ///< of a lane, accumulators among them
  int64_t accumulators = 0;    ///< AGPRs
  int64_t scalarRegisters = 0; ///< of a wave
  int64_t vectorSpills = 0, scalarSpills = 0; ///< registers
  int64_t scratch = 0;                        ///< bytes of a lane
};

/// LLVM's linker for ELF: `given`, or the first of TILE_LLD, that of this
/// version of LLVM, and any on the PATH. An error, at `loc`, where there is
/// none.
FailureOr<std::string> findLinker(Location loc, StringRef given);

/// The linker that is taken where none is given; empty if there is none.
std::string findInstalledLinker();

/// Makes the shared object that a driver loads.
LogicalResult link(Location loc, StringRef program, StringRef object,
                   std::string &hsaco);

/// The resources of its kernels, which the notes of an object tell.
FailureOr<llvm::StringMap<Resources>> readResources(Location loc,
                                                    StringRef object);

} // namespace mlir::tile::codeobject

#endif // TILE_LIB_TARGETS_AMD_CODEOBJECT_H
