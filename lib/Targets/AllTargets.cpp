//===- AllTargets.cpp - the targets of this build -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/InitAll.h"

#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/CostModel/Passes.h"
#include "Tile/Dialect/RenamedNames.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Dialect/World/Transforms/Passes.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Transforms/ClusterPasses.h"
#include "Tile/Transforms/GemmPasses.h"
#include "Tile/Transforms/IndexedPasses.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/InitAllPasses.h"

using namespace mlir;

namespace mlir::tile {
#define TILE_TARGET(name) void register##name##Target();
#include "Tile/Targets/Targets.def"
#undef TILE_TARGET
} // namespace mlir::tile

void tile::registerAllTargets() {
  static const bool once = [] {
#define TILE_TARGET(name) register##name##Target();
#include "Tile/Targets/Targets.def"
#undef TILE_TARGET
    return true;
  }();
  (void)once;
}

void tile::registerTileDialects(DialectRegistry &registry) {
  registerAllTargets();
  registry.insert<TileDialect, world::WorldDialect>();
  registerLayoutModels(registry);
  for (const Backend *backend : getBackends())
    backend->registerDialects(registry);
}

void tile::registerAllDialects(DialectRegistry &registry) {
  registerAllTargets();
  registerDialects(registry);
}

/// So that a pipeline with a name of an earlier version says today's.
static void registerRenamedPass(tile::RenamedKind kind, StringRef old,
                                StringRef now) {
  if (kind != tile::RenamedKind::PASS)
    return;
  registerPassPipeline(
      old, ("renamed: '" + now + "'").str(),
      [old, now](OpPassManager &, StringRef,
                 function_ref<LogicalResult(const Twine &)> fail) {
        return fail("'" + old + "' is now '" + now + "'");
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

static void registerRenamedPasses() {
#define TILE_RENAMED(KIND, OLD, NEW)                                           \
  registerRenamedPass(tile::RenamedKind::KIND, OLD, NEW);
#include "Tile/Dialect/RenamedNames.def"
}

void tile::registerTilePasses() {
  registerAllTargets();
  registerTileTransformsPasses();
  world::registerWorldPasses();
  registerTileIndexedPasses();
  registerTileClusterPasses();
  registerTileGemmPasses();
  registerTileConversionPasses();
  registerLinalgToTile();
  registerTileCostModelPasses();
  for (const Backend *backend : getBackends())
    backend->registerPasses();
  registerRenamedPasses();
}

void tile::registerAllPasses() {
  mlir::registerAllPasses();
  registerTilePasses();
}

void tile::registerAllTranslations() {
  registerAllTargets();
  for (const Backend *backend : getBackends())
    backend->registerTranslations();
}
