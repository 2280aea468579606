//===- EmitCLauncher.h - the launcher of a kernel, in C ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_AOT_EMITCLAUNCHER_H
#define TILE_LIB_AOT_EMITCLAUNCHER_H

#include "mlir/Support/LLVM.h"

#include "TileRuntime/Metadata.h"

#include <string>
#include <vector>

namespace mlir::tile {

/// One launch for one chip.
struct CVariant {
  const TileRtMetadata *metadata;
  std::string chip;    ///< of identifiers: "cuda_sm_90a"
  std::string id;      ///< the same, with a number where there are several
  std::string image;   ///< of a GPU: the cubin or code object
  std::string imageID; ///< that of the launch whose image it is
  std::string symbol;  ///< of a CPU: the entry
  bool allocates = false; ///< of a CPU: whether it may lack memory
};

/// A kind of GPU: its functions in the file begin with its name, as
/// `cudaLaunch`, and its types and constants so: `CudaCode`, `kCudaDevices`.
struct CDevice {
  const char *name, *type;
  const char *dlpack; ///< its memory
  const char *code;   ///< the functions
  const char *workspace; ///< and of what has workspaces
};

/// Null for a CPU.
const CDevice *getCDevice(StringRef target);

/// The names that the arguments have in C: letters, digits and '_'.
std::vector<std::string> getCNames(const TileRtMetadata &metadata);

/// "float", "const TileRtDLTensor *" ...
std::string getCType(const TileRtArgumentInfo &argument);

/// "@scale: argument 0 (x)" as messages have it.
std::string getWho(const TileRtMetadata &metadata, int32_t argument);

/// Writes `static bool launch_ID(...)`: checks the arguments, computes what the
/// launch needs, and calls the code; that of a GPU only if `run` says so.
void writeLauncher(raw_ostream &os, const CVariant &variant);

/// The parameters of that function, and what a call passes for them.
std::string getParameterList(const TileRtMetadata &metadata);
std::string getArgumentList(const TileRtMetadata &metadata);

} // namespace mlir::tile

#endif // TILE_LIB_AOT_EMITCLAUNCHER_H
