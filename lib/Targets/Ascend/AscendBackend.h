//===- AscendBackend.h - back ends for Ascend NPUs -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TARGETS_ASCEND_ASCENDBACKEND_H
#define TILE_LIB_TARGETS_ASCEND_ASCENDBACKEND_H

#include "Tile/Driver/Backend.h"

namespace mlir::tile {

/// NPUs and their simulator: the chips and the pipeline.
class AscendBackend : public Backend {
public:
  std::vector<std::string> getChips() const override;
  bool hasChip(StringRef chip) const override;
  void buildPipeline(OpPassManager &pm, ModuleOp module,
                     const CompileOptions &options) const override;
};

/// The simulator.
std::unique_ptr<Backend> createAscendModelBackend();

} // namespace mlir::tile

#endif // TILE_LIB_TARGETS_ASCEND_ASCENDBACKEND_H
