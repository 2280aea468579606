//===- Backend.h - code for one kind of device ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a library with classes of this interface, which it registers. All
// tools, the C API and the C files of kernels know targets by it alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_BACKEND_H
#define TILE_DRIVER_BACKEND_H

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;

namespace tile {

/// Options of all back ends. Empty strings stand for their defaults.
struct CompileOptions {
  std::string chip;
  std::string features; ///< "+a,-b", on top of the chip's own
  unsigned optLevel = 3;
  bool threads = true;           ///< a CPU spreads the grid over threads
  bool checkAssumptions = false; ///< test tile.assume
  bool poisonTiles = false;      ///< a CPU fills new buffers with NaN or -1
  /// Code of kernels with versions is left to `compileForm`, unless there are
  /// kinds in `emit`.
  bool lazyVersions = false;
  /// The functions to compile; empty: all public ones with kernels.
  std::vector<std::string> functions;
  /// Kinds of artefacts that are wanted in addition to the image.
  std::vector<std::string> emit;
};

/// Bytes of a kind: "object", "cubin", "ptx", "llvmir" ... Every back end can
/// make "mlir", the lowered module.
struct Artifact {
  std::string kind;
  std::string bytes;
};

/// A form of a kernel, itself or one of its versions, without code.
struct KernelForm {
  std::string kernel; ///< its symbol
  std::string module; ///< with that kernel alone, as bytecode
};

/// One launch. A function with several kernels may become several of them, in
/// the order in which they are launched.
struct CompiledKernel {
  std::string function; ///< of the source
  std::string metadata; ///< docs/LaunchMetadata.md
  /// The first is the image that the runtime loads.
  std::vector<Artifact> artifacts;
  /// In place of artefacts: the kernel, then its versions as in the metadata.
  std::vector<KernelForm> forms;

  const Artifact *find(StringRef kind) const;
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
  virtual bool hasChip(StringRef chip) const;
  /// The chip to compile for so that a device of that name runs the code with
  /// all its instructions ("sm_90a" for "sm_90"); empty if there is none.
  virtual std::string findChip(StringRef device) const;
  /// Kinds of artefacts, that of the image first.
  virtual std::vector<std::string> getKinds() const = 0;
  /// Names the tools and the machine that the code depends on in addition to
  /// the module and the options.
  virtual std::string getFingerprint(const CompileOptions &options) const = 0;

  /// Additions to a process: dialects and external models; passes and
  /// pipelines; translations. By default none.
  virtual void registerDialects(DialectRegistry &registry) const;
  virtual void registerPasses() const;
  virtual void registerTranslations() const;

  /// The passes from tile ops, or from the level that `module` is at, to the
  /// level that code is generated from. The IR is verified behind each.
  virtual void buildPipeline(OpPassManager &pm, ModuleOp module,
                             const CompileOptions &options) const = 0;
  /// Those behind them, which know nothing of tiles and see many ops: the IR is
  /// verified behind the last. By default none.
  virtual void buildCodePipeline(OpPassManager &pm,
                                 const CompileOptions &options) const;

  /// Changes the module. Failures have been reported as diagnostics.
  virtual LogicalResult compile(ModuleOp module, const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const = 0;

  /// Makes the code of the module of a form. By default there are no forms.
  virtual LogicalResult compileForm(ModuleOp module,
                                    const CompileOptions &options,
                                    std::vector<Artifact> &artifacts) const;

  /// By default the bytes of the first artefact.
  virtual std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                            std::string &error) const;
};

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

/// Adds a back end, whose name must be new. It lives as long as the process.
void registerBackend(std::unique_ptr<Backend> backend);

/// Loads a shared library that registers back ends when its function
/// `tileRegisterTarget` is called. False with the reason in `error`.
bool loadTarget(StringRef path, std::string &error);

/// In order of registration.
std::vector<const Backend *> getBackends();

/// Finds what `target` names: a back end ("cpu"), a chip of one ("sm_90a"), or
/// both ("cpu:x86-64-v3"). Sets `chip`, which is empty where none is named.
/// Null, with the known names in `error`, if there is none.
const Backend *lookupBackend(StringRef target, std::string &chip,
                             std::string &error);

/// Upstream's dialects and extensions, the tile dialect, those of all back
/// ends, and the translations to LLVM IR.
void registerDialects(DialectRegistry &registry);

//===----------------------------------------------------------------------===//
// Steps of a compilation
//===----------------------------------------------------------------------===//

/// The functions of a module that `options` ask for. Errors are reported.
FailureOr<std::vector<std::string>>
getKernelFunctions(ModuleOp module, const CompileOptions &options);

/// A copy of the module with these functions, those that they need, and what is
/// no function. No function of it has a reference.
OwningOpRef<ModuleOp> cloneFunctions(ModuleOp module,
                                     ArrayRef<std::string> names);

/// Removes all functions but these and those that they need.
LogicalResult keepFunctions(ModuleOp module, ArrayRef<std::string> names);

/// Calls `compile` for each function that the options ask for, with a copy of
/// the module that has it alone and those that it needs.
LogicalResult compileFunctions(
    ModuleOp module, const CompileOptions &options,
    function_ref<LogicalResult(ModuleOp copy, StringRef name)> compile);

/// Gives parameters of the module values, "BM=64" each, which go before older
/// ones. Errors are reported.
LogicalResult addBindings(ModuleOp module, ArrayRef<std::string> bindings);

/// Adds the option --param to a tool. `lower` gives the values to the module.
void registerParameterCLOptions();

/// Gives the module the values of parameters that the tool was given, and runs
/// the passes that `build` adds.
LogicalResult
runPipeline(ModuleOp module,
            function_ref<void(OpPassManager &pm)> build);

/// Runs the back end's pipelines.
LogicalResult lower(ModuleOp module, const Backend &backend,
                    const CompileOptions &options);

/// Appends the artefact "mlir" where the options ask for it.
void addModuleText(ModuleOp module, const CompileOptions &options,
                   CompiledKernel &kernel);

/// A file in a fingerprint: its place, size and age. Empty where there is none.
std::string describeFile(StringRef path);

} // namespace tile
} // namespace mlir

#endif // TILE_DRIVER_BACKEND_H
