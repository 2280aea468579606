//===- DeviceCode.h - code from modules of device code ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is the same for the GPUs of all vendors, from tile ops to what LLVM
// writes.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_GPU_DEVICECODE_H
#define TILE_TARGETS_GPU_DEVICECODE_H

#include "Tile/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::tile::devicecode {

using Chip = ::tile::target::Target;

/// What LLVM must know of the GPUs of a vendor.
struct Backend {
  StringRef triple;
  StringRef product; ///< in messages: "PTX"
  std::optional<llvm::Reloc::Model> relocation;
  void (*initialise)();
};

/// Lowers tile ops to threads for the chip, the default one where it is empty,
/// and threads by the passes that `addThreads` adds. Code of threads says
/// itself what it is for.
LogicalResult lower(ModuleOp module, StringRef chip,
                    function_ref<void(OpPassManager &)> addThreads);

/// The function that the kernels of a module come from.
std::string getFunctionName(gpu::GPUModuleOp module);

/// Hands the kernels, which have the attribute `marker`, to `add`, with the
/// text for the runtime; it is empty where nothing is known of the launch.
LogicalResult forEachKernel(gpu::GPUModuleOp module, StringRef marker,
                            function_ref<void(StringRef, std::string)> add);

using Optimize =
    function_ref<LogicalResult(llvm::Module &, llvm::TargetMachine &)>;

/// Assembly, or an object file that has yet to be linked.
FailureOr<std::string> makeCode(gpu::GPUModuleOp module, const Chip &chip,
                                const Backend &backend,
                                llvm::CodeGenFileType type, Optimize optimize);

/// Runs the pipeline that `build` makes.
llvm::Error runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::PipelineTuningOptions tuning,
    function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build);

/// The images that `emit` makes of the modules of device code.
template <typename Image>
FailureOr<std::vector<Image>>
emitAll(ModuleOp module,
        function_ref<FailureOr<Image>(gpu::GPUModuleOp)> emit) {
  std::vector<Image> images;
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    FailureOr<Image> image = emit(device);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
  }
  if (images.empty())
    return module.emitError("holds no gpu.module to make code from");
  return images;
}

} // namespace mlir::tile::devicecode

namespace mlir::tile {

/// The text for the runtime that a kernel's `tile.launch` stands for.
FailureOr<std::string> getLaunchMetadata(Operation *kernel);

} // namespace mlir::tile

#endif // TILE_TARGETS_GPU_DEVICECODE_H
