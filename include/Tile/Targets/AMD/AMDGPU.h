//===- AMDGPU.h - code objects for AMD GPUs ---------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_AMD_AMDGPU_H
#define TILE_TARGETS_AMD_AMDGPU_H

#include "Tile/Targets/GPU/GPUBackend.h"

namespace mlir::tile {

/// Makes assembly ("amdgcn") or a code object ("hsaco") from a gpu.module of
/// the LLVM and ROCDL dialects. The tool of the options is the linker, by
/// default the first of the environment variable TILE_LLD, that of this version
/// of LLVM, and any other on the PATH. Registers, spills and scratch memory,
/// which the code object tells, are announced as remarks of the category
/// "tile-emit-amdgpu".
FailureOr<GPUImage> emitAMDGPU(gpu::GPUModuleOp module,
                               const GPUCodeOptions &options);

/// The LLVM module that code is generated from. Null after an error.
std::unique_ptr<llvm::Module> makeAMDGPUModule(gpu::GPUModuleOp module,
                                               unsigned optLevel,
                                               llvm::LLVMContext &context);

/// Adds --tile-to-amdgcn and --tile-to-hsaco, and their options, to a
/// translation tool.
void registerAMDTranslations(const GPUBackend &backend);

} // namespace mlir::tile

#endif // TILE_TARGETS_AMD_AMDGPU_H
