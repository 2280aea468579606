//===- AscendCube.cpp - the cube's instructions as Ascend C text ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

using namespace mlir;
using namespace mlir::tile::ascend;

LogicalResult AscendWriter::writeCube(Operation *op) {
  return op->emitError() << "'" << op->getName()
                         << "' has no form in Ascend C";
}
