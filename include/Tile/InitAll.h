//===- InitAll.h - registration of dialects and passes ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_INITALL_H
#define TILE_INITALL_H

namespace mlir {
class DialectRegistry;
namespace tile {

/// The targets of this build; safe to call again. The functions below do so
/// first, and treat targets that others have registered like them.
void registerAllTargets();

/// The tile dialects alone.
void registerTileDialects(DialectRegistry &registry);

/// The tile dialects, all upstream dialects, and the extensions that passes,
/// translation to LLVM IR and execution need.
void registerAllDialects(DialectRegistry &registry);

/// The passes and pipelines of the project.
void registerTilePasses();

/// The same, and all upstream passes.
void registerAllPasses();

/// The translations of the targets, for tools like mlir-translate.
void registerAllTranslations();

} // namespace tile
} // namespace mlir

#endif // TILE_INITALL_H
