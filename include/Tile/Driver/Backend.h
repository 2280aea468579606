//===- Backend.h - makes code for one kind of device ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_BACKEND_H
#define TILE_DRIVER_BACKEND_H

#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;

namespace tile {

/// What every back end is told. Empty texts stand for its defaults.
struct CompileOptions {
  std::string chip;
  std::string features; ///< "+a,-b", on top of the chip's own
  unsigned optLevel = 3;
  bool threads = true;           ///< a CPU spreads the grid over threads
  bool checkAssumptions = false; ///< test what tile.assume states
  /// The functions to compile; empty: all public ones with kernels.
  std::vector<std::string> functions;
  /// Kinds of artefacts that are wished for beside the image.
  std::vector<std::string> emit;
};

/// Bytes that a back end has made: "object", "cubin", "ptx", "llvmir" ...
struct Artifact {
  std::string kind;
  std::string bytes;
};

/// One launch. A function with several kernels may become several of them, in
/// the order in which they are launched.
struct CompiledKernel {
  std::string function; ///< of the source
  std::string metadata; ///< docs/LaunchMetadata.md
  /// The first is the image that the runtime loads.
  std::vector<Artifact> artifacts;
};

/// Bytes for tile_rt_kernel_load; what they refer to lives as long as this.
class LoadedImage {
public:
  virtual ~LoadedImage();
  virtual StringRef getBytes() const = 0;
};

/// A kind of device, by the name that launch metadata have for it. Back ends
/// are constant, and called from several threads at once with modules of
/// different contexts.
class Backend {
public:
  virtual ~Backend();

  virtual StringRef getName() const = 0;
  /// The chips that it makes code for, as far as they can be listed.
  virtual std::vector<std::string> getChips() const = 0;
  virtual bool hasChip(StringRef chip) const = 0;
  /// Kinds of artefacts, that of the image first.
  virtual std::vector<std::string> getKinds() const = 0;
  /// Names the tools and the machine that the code depends on beside the
  /// module and the options.
  virtual std::string getFingerprint(const CompileOptions &options) const = 0;

  /// Changes the module. Failures have been reported as diagnostics.
  virtual LogicalResult compile(ModuleOp module, const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const = 0;

  /// By default the bytes of the first artefact.
  virtual std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                            std::string &error) const;
};

/// Adds a back end, whose name must be new. It lives as long as the process.
void registerBackend(std::unique_ptr<Backend> backend);

/// Adds all back ends of this build; safe to call again.
void registerAllBackends();

/// In order of registration.
std::vector<const Backend *> getBackends();

/// Finds what `target` names: a back end ("cpu"), a chip of one ("sm_90a"), or
/// both ("cpu:x86-64-v3"). Sets `chip`, which is empty where none is named.
/// Null, with the names that there are in `error`, if there is none.
const Backend *lookupBackend(StringRef target, std::string &chip,
                             std::string &error);

/// The functions of a module that `options` ask for. Errors are reported.
FailureOr<std::vector<std::string>>
getKernelFunctions(ModuleOp module, const CompileOptions &options);

/// Removes all functions but these and what they need.
LogicalResult keepFunctions(ModuleOp module, ArrayRef<std::string> names);

/// A CPU of this machine's architecture.
std::unique_ptr<Backend> createCPUBackend();

/// The Ascend model; needs the C++ compiler of this machine.
std::unique_ptr<Backend> createAscendModelBackend();

/// NVIDIA's GPUs: cubins, or PTX where there is no assembler.
std::unique_ptr<Backend> createCUDABackend();

} // namespace tile
} // namespace mlir

#endif // TILE_DRIVER_BACKEND_H
