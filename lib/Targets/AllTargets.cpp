//===- AllTargets.cpp - the targets of this build -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"

using namespace mlir;

void tile::registerAllBackends() {
  static const bool once = (registerBackend(createCPUBackend()),
                            registerBackend(createCUDABackend()),
                            registerBackend(createAscendModelBackend()), true);
  (void)once;
}
