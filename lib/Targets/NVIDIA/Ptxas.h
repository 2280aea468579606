//===- Ptxas.h - NVIDIA's assembler -----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_NVIDIA_PTXAS_H
#define TILE_LIB_TARGETS_NVIDIA_PTXAS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mlir::tile::ptxas {

/// Resources of a kernel.
struct Resources {
  int64_t registers = 0;
  int64_t spillStores = 0, spillLoads = 0, stack = 0; ///< in bytes
};

/// The messages of a run.
struct Report {
  llvm::StringMap<Resources> kernels;
  /// Lines about lost performance: wgmma serialised, setmaxnreg ignored …
  std::vector<std::string> perfWarnings;
};

/// The program: `given`, or the first of TILE_PTXAS, the PATH and
/// /usr/local/cuda/bin. Empty where there is none; an error, at `loc`, where
/// one is given that cannot be run.
FailureOr<std::string> find(Location loc, StringRef given);

/// The program that a run takes where none is given; empty if there is none.
std::string findInstalled();

/// Assembles PTX: kernels in parallel, where the context is for several threads
/// and the program can. Errors are reported at `loc` with what the program says.
LogicalResult assemble(Location loc, StringRef program, StringRef arch,
                       unsigned optLevel, StringRef ptx, std::string &cubin,
                       Report &report);

/// Reads what `ptxas -v` prints.
Report parse(StringRef text);

} // namespace mlir::tile::ptxas

#endif // TILE_LIB_TARGETS_NVIDIA_PTXAS_H
