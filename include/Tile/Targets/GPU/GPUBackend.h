//===- GPUBackend.h - back ends for the GPUs of a vendor --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_GPUBACKEND_H
#define TILE_TARGETS_GPU_GPUBACKEND_H

#include "Tile/Driver/Backend.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <functional>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::tile {

/// Options of device code. Empty strings stand for the defaults.
struct GPUCodeOptions {
  /// The chip; by default that of the module's `tile.target`, or one of the
  /// vendor's.
  std::string chip;
  /// The kind of the image; by default the best that this machine can make.
  std::string image;
  /// The program that makes the image of assembly: assembler or linker.
  std::string tool;
  /// Spilled registers, and losses of speed that the tool reports, are errors.
  bool strict = false;
  unsigned optLevel = 3;
  bool assembly = false; ///< is wanted in addition to the image
};

struct GPUKernel {
  std::string name;
  std::string metadata; ///< docs/LaunchMetadata.md; empty if it is unknown
};

/// The device code of one function.
struct GPUImage {
  std::string function; ///< of the source
  std::string chip;
  std::vector<GPUKernel> kernels;  ///< in order of launch
  std::vector<Artifact> artifacts; ///< the image first
};

/// All but the lower half of the pipeline and the generation of code.
class GPUBackend : public Backend {
public:
  GPUBackend(::tile::target::Vendor vendor, StringRef defaultChip)
      : vendor(vendor), defaultChip(defaultChip) {}

  std::vector<std::string> getChips() const override;
  void buildPipeline(OpPassManager &pm, ModuleOp module,
                     const CompileOptions &options) const override;
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override;
  LogicalResult compileForm(ModuleOp module, const CompileOptions &options,
                            std::vector<Artifact> &artifacts) const override;

  /// What `compile` does for any code of this GPU: chooses the functions, adds
  /// forms to `kernels` where the options want that, and has `compileRest` add
  /// what is left in the module.
  LogicalResult compileKernels(ModuleOp module, const CompileOptions &options,
                               std::vector<CompiledKernel> &kernels,
                               function_ref<LogicalResult()> compileRest) const;

  /// The LLVM module that code is generated from, of a gpu.module that the
  /// pipeline has lowered. Null after an error.
  virtual std::unique_ptr<llvm::Module>
  makeModule(gpu::GPUModuleOp module, unsigned optLevel,
             llvm::LLVMContext &context) const = 0;

  /// Lowers a module and makes the code of all of its gpu.modules.
  FailureOr<std::vector<GPUImage>>
  compileModule(ModuleOp module, const GPUCodeOptions &options) const;

protected:
  /// Makes code from a gpu.module that the pipeline has lowered.
  virtual FailureOr<GPUImage> emit(gpu::GPUModuleOp module,
                                   const GPUCodeOptions &options) const = 0;

private:
  void buildTilePipeline(OpPassManager &pm,
                         const CompileOptions &options) const;
  LogicalResult takeForms(ModuleOp module, const CompileOptions &options,
                          std::vector<CompiledKernel> &kernels) const;

  ::tile::target::Vendor vendor;
  StringRef defaultChip;
};

/// Adds --NAME to a translation tool: it writes the image of that kind. The
/// options that GPUs share come with the first; `setOptions` sets those of the
/// vendor.
void registerGPUTranslation(StringRef name, StringRef description,
                            const GPUBackend &backend, StringRef kind,
                            std::function<void(GPUCodeOptions &)> setOptions);

/// Adds --tile-to-gpu-metadata, which serves all vendors; for chips of `vendor`
/// it compiles to assembly of that kind.
void registerGPUMetadataTranslation(const GPUBackend &backend, StringRef kind);

} // namespace mlir::tile

#endif // TILE_TARGETS_GPU_GPUBACKEND_H
