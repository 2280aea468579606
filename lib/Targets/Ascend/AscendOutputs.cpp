//===- AscendOutputs.cpp - the chip of a module, and its outputs ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult mlir::tile::setAscendChip(ModuleOp module, StringRef chip) {
  const ::tile::target::Target *record = ::tile::target::lookupTarget(chip);
  if (!record || !record->getAscend()) {
    SmallVector<StringRef> names;
    for (const ::tile::target::Target &target : ::tile::target::targets())
      if (target.getAscend()) {
        names.push_back(target.name);
        llvm::append_range(names, target.aliases);
      }
    return module.emitError() << "unknown Ascend chip '" << chip
                              << "'; expected one of "
                              << llvm::join(names, ", ");
  }
  module.walk([](Operation *op) { op->removeAttr("tile.target"); });
  module->setAttr("tile.target",
                  TargetAttr::get(module.getContext(), record->name.str()));
  return success();
}

LogicalResult mlir::tile::emitAscendC(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendKernels(module, os);
}

LogicalResult mlir::tile::emitAscendHost(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendHost(module, /*isDevice=*/false, os);
}

LogicalResult mlir::tile::emitAscendDeviceHost(ModuleOp module,
                                               raw_ostream &os) {
  return ascend::writeAscendHost(module, /*isDevice=*/true, os);
}

LogicalResult mlir::tile::emitAscendBuild(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendBuild(module, os);
}

LogicalResult mlir::tile::emitAscendHIVM(ModuleOp module, raw_ostream &os) {
  return ascend::writeAscendHIVM(module, os);
}
