//===- PassTarget.cpp - the chip that a pass works for --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/PassTarget.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

using namespace mlir;
using namespace mlir::tile;

const ::tile::target::Target *mlir::tile::getPassTarget(Operation *op,
                                                        StringRef option) {
  const ::tile::target::Target *target = nullptr;
  if (!option.empty()) {
    target = ::tile::target::lookupTarget(option);
    if (!target) {
      op->emitError() << ::tile::target::describeUnknownTarget(option);
      return nullptr;
    }
  }
  for (Operation *scope = op; scope && !target; scope = scope->getParentOp())
    if (auto attr = scope->getAttrOfType<TargetAttr>("tile.target"))
      target = &getTarget(attr);
  if (!target) {
    op->emitError("expected a target; give the pass the option 'target' or the "
                  "module the attribute 'tile.target'");
    return nullptr;
  }
  if (target->getGPU())
    return target;
  op->emitError() << "expected a GPU as target, got '" << target->name << "'";
  return nullptr;
}
