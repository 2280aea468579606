//===- Translations.cpp - all that tile-translate translates --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Emit/Ascend.h"
#include "Tile/Emit/CPU.h"
#include "Tile/Emit/NVPTX.h"
#include "Tile/InitAll.h"

using namespace mlir;

void tile::registerAllTranslations() {
  registerAscendTranslations();
  registerCPUTranslations();
  registerGPUTranslations();
}
