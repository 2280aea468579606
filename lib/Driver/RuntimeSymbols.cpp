//===- RuntimeSymbols.cpp - the runtime's functions for a JIT -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/RuntimeSymbols.h"

using namespace mlir;

llvm::StringMap<void *> &tile::getRuntimeSymbols() {
  static llvm::StringMap<void *> symbols;
  return symbols;
}
