//===- TileTarget.h - the target that an op is compiled for -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `tile.target` holds the target. `tile-set-target`, the first
// pass of every pipeline, writes it on the module; all other passes read it by
// the functions below and have no option of their own for it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILETARGET_H
#define TILE_DIALECT_TILE_IR_TILETARGET_H

#include "mlir/IR/Operation.h"

namespace tile::target {
struct Target;
} // namespace tile::target

namespace mlir::tile {
class ParamOp;

constexpr StringLiteral kTargetAttrName = "tile.target";

/// The target that the closest attribute names, on `op` or around it; null
/// without one.
const ::tile::target::Target *lookupTarget(Operation *op);

/// The same for a pass that needs it: null, with an error at `op`, if there is
/// none or if it is not of the family (see isInFamily).
const ::tile::target::Target *getTarget(Operation *op, StringRef family = "");

/// The default of a parameter on a target; null stands for any.
int64_t getDefault(ParamOp param, const ::tile::target::Target *target);

/// A family is "GPU" or the name of a vendor; the empty one has all targets.
bool isInFamily(const ::tile::target::Target &target, StringRef family);

/// Reports at `op` that a target is not of the family, and which ones are.
InFlightDiagnostic emitWrongFamily(Operation *op,
                                   const ::tile::target::Target &target,
                                   StringRef family);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_TILETARGET_H
