//===- Passes.h - passes over the tile dialect ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass does is written in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_PASSES_H
#define TILE_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::tile {

#define GEN_PASS_DECL
#include "Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "Tile/Transforms/Passes.h.inc"

/// The option of the pipelines that need to know the target alone.
struct TargetPipelineOptions
    : public PassPipelineOptions<TargetPipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("the chip: a name of docs/targets.md; by default that of "
                     "the module, or one of the pipeline")};
};

/// What every pipeline begins with, whatever the target:
/// `tile-verify-dialects`, `tile-set-target`, `tile-inline-calls`,
/// `tile-bind-parameters`, `tile-verify-semantics`, `tile-legalize-accesses`.
void buildTileFrontEnd(OpPassManager &pm, const SetTargetPassOptions &target);

/// Attaches TileLayoutOpInterface (LayoutState.h) to the ops of the dialect.
void registerLayoutModels(DialectRegistry &registry);

} // namespace mlir::tile

#endif // TILE_TRANSFORMS_PASSES_H
