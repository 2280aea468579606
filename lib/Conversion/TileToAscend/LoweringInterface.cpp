//===- LoweringInterface.cpp - the models of all ops ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweringInterface.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

#include "Tile/Conversion/TileToAscend/AscendLoweringInterface.cpp.inc"

OpOperand *mlir::tile::ascend::getAccumulator(Operation *op) {
  auto model = dyn_cast<AscendLoweringOpInterface>(op);
  if (!model)
    return nullptr;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) &&
        model.getOperandMemory(operand) == tl::MemorySpace::L0C)
      return &operand;
  return nullptr;
}

void mlir::tile::ascend::attachModels(MLIRContext *context) {
  context->loadDialect<tl::TileDialect, memref::MemRefDialect>();
#define TILE_MODELS(family) attach##family##Models(context);
#include "TileToAscendModels.inc"
}
