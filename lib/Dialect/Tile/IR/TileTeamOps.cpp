//===- TileTeamOps.cpp - programs of teams --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/BytecodeProperties.h"
#include "Tile/Dialect/Tile/IR/Consumers.h"
#include "Tile/Dialect/Tile/IR/TeamOps.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_OP_CLASSES
#include "Tile/Dialect/Tile/IR/TileTeamOps.cpp.inc"
#include "Tile/Dialect/Tile/IR/TileTeamOpsBytecode.cpp.inc"

// tile.team C1
LogicalResult TeamOp::verify() {
  auto partitions = dyn_cast_or_null<WarpSpecializeOp>((*this)->getParentOp());
  if (!partitions || &partitions.getConsumer() != (*this)->getParentRegion())
    return emitOpError(
        "expected to be directly in the consumer of a 'tile.warp_specialize'");
  int64_t teams = getPrograms(partitions).size();
  if (getConsumers(partitions) != teams)
    return emitOpError() << "expected '" << kConsumersAttrName << " = " << teams
                         << "' on the 'tile.warp_specialize' of " << teams
                         << " teams, got " << getConsumers(partitions);
  for (Operation &op : partitions.getConsumer().front()) {
    if (isa<TeamOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      continue;
    InFlightDiagnostic diag = emitOpError()
                              << "expected a consumer of teams to hold nothing "
                                 "else, got '"
                              << op.getName() << "'";
    diag.attachNote(op.getLoc()) << "it is here";
    return diag;
  }
  return success();
}
