//===- Translations.cpp - all that tile-translate translates --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/Ascend/Ascend.h"
#include "Tile/Targets/CPU/CPU.h"
#include "Tile/InitAll.h"

using namespace mlir;

namespace mlir::tile {
void registerGPUTranslations();
} // namespace mlir::tile

void tile::registerAllTranslations() {
  registerAscendTranslations();
  registerCPUTranslations();
  registerGPUTranslations();
}
