//===- AscendTarget.cpp - kernels for Ascend NPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendBackend.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"
#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/Ascend/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tile;

namespace mlir::tile {
void registerAscendTarget();
} // namespace mlir::tile

std::vector<std::string> AscendBackend::getChips() const {
  std::vector<std::string> chips;
  for (const ::tile::target::Target &record : ::tile::target::targets())
    if (record.getAscend())
      chips.push_back(record.name.str());
  return chips;
}

bool AscendBackend::hasChip(StringRef chip) const {
  const ::tile::target::Target *record = ::tile::target::lookupTarget(chip);
  return record && record->getAscend();
}

void AscendBackend::buildPipeline(OpPassManager &pm, ModuleOp,
                                  const CompileOptions &) const {
  buildTileToAscendPipeline(pm);
}

LogicalResult
AscendBackend::lowerForChip(ModuleOp module,
                            const CompileOptions &options) const {
  if (!options.chip.empty() && failed(setAscendChip(module, options.chip)))
    return failure();
  return lower(module, *this, options);
}

void mlir::tile::registerAscendTarget() {
  registerBackend(createAscendModelBackend());
}
