//===- Passes.h - from linalg on tensors to tile kernels --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_LINALGTOTILE_PASSES_H
#define TILE_CONVERSION_LINALGTOTILE_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Conversion/LinalgToTile/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Conversion/LinalgToTile/Passes.h.inc"

struct FromLinalgPipelineOptions
    : public PassPipelineOptions<FromLinalgPipelineOptions> {
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("round the f32 operands of matrix products to tf32"),
      llvm::cl::init(false)};
  Option<bool> approximate{
      *this, "approximate",
      llvm::cl::desc("allow fewer digits: in functions such as exp, in sums of "
                     "products, in divisions by constants"),
      llvm::cl::init(false)};
  Option<bool> workspaceArguments{
      *this, "workspace-arguments",
      llvm::cl::desc("make arguments of workspaces of static shape"),
      llvm::cl::init(false)};
};

/// From functions of linalg on tensors to host functions with kernels, which
/// take memrefs and write their results to memrefs.
void buildFromLinalgPipeline(OpPassManager &pm,
                             const FromLinalgPipelineOptions &options);

/// Whether a function with a body takes or returns tensors, so that the
/// pipeline has work to do.
bool hasTensorFunctions(ModuleOp module);

/// Runs the pipeline on a module with such functions.
LogicalResult convertTensorFunctions(ModuleOp module);

/// Registers the passes and `tile-from-linalg`.
void registerLinalgToTile();

} // namespace mlir::tile

#endif // TILE_CONVERSION_LINALGTOTILE_PASSES_H
