//===- EmitC.h - kernels as C files -----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel becomes a C file with its code for some chips, the checks of its
// arguments and a launcher, and a header. They need the C library, and the
// drivers of devices where there are any, found when they are first needed.

#ifndef TILE_AOT_EMITC_H
#define TILE_AOT_EMITC_H

#include "Tile/Driver/Backend.h"

namespace mlir::tile {

struct EmitCOptions {
  /// As lookupBackend takes them; of several for one kind of device, the first
  /// that fits the machine is used.
  std::vector<std::string> targets{"cpu:x86-64-v3"};
  std::string prefix = "tile_"; ///< of the function's name in C
  bool tvmFFI = false;          ///< export it by the convention of TVM-FFI
  unsigned optLevel = 3;
};

struct CFile {
  std::string name; ///< of the files, without extension
  std::string header, source;
};

/// Compiles the kernels of a module for each target and writes the files of
/// each. Failures have been reported as diagnostics.
FailureOr<std::vector<CFile>> emitC(ModuleOp module,
                                    const EmitCOptions &options);

/// Adds --mlir-to-c and --mlir-to-c-header, and the options they share, to a
/// translation tool.
void registerCTranslations();

} // namespace mlir::tile

#endif // TILE_AOT_EMITC_H
