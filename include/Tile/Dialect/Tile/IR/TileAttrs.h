//===- TileAttrs.h - attributes as layouts and targets ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From attributes and types to the plain C++ libraries and back. Apart from
// Tile.h, because beside `namespace tile` of those libraries the name `tile` is
// ambiguous in code that uses namespace mlir: write mlir::tile there.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEATTRS_H
#define TILE_DIALECT_TILE_IR_TILEATTRS_H

#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Layout/Layout.h"
#include "Tile/Target/Target.h"

namespace mlir::tile {

/// The layout in its canonical form; it lives as long as the context.
const ::tile::layout::Layout &getTileLayout(LayoutAttr attr);

/// Null, with an error, if the layout has no canonical form within bounds.
LayoutAttr getLayoutAttr(function_ref<InFlightDiagnostic()> emitError,
                         MLIRContext *context,
                         const ::tile::layout::Layout &layout);

const ::tile::target::Target &getTarget(TargetAttr attr);

/// The element type of the tables, none if they have no such type. Signless
/// integers are signed there.
std::optional<::tile::target::ElementType> getElementType(Type type);

/// Fragments and buffers of one thread lie in registers.
::tile::target::Space getTargetSpace(MemorySpace space);

/// The family of the instruction tables, none for `fma` and copies.
std::optional<::tile::target::MmaFamily> getMmaFamily(Instruction instruction);
Instruction getInstruction(::tile::target::MmaFamily family);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_TILEATTRS_H
