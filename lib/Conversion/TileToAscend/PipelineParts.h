//===- PipelineParts.h - parts of pipelined loops ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_PIPELINEPARTS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_PIPELINEPARTS_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile::ascend {

/// Ops of a loop's body that run for some iterations before the next part does:
/// all of one core, or of both where they cannot be taken apart. Scalars belong
/// to each part that uses them.
struct LoopPart {
  std::optional<Core> core;
  SmallVector<Operation *> ops;
  /// The copy of a tile of the other core from GM, and nothing else.
  bool isCopy = false;
};

/// A buffer that an op, or one inside of it, touches.
struct PartTouch {
  Value base;
  Pipe pipe;
  bool writes;
};
SmallVector<PartTouch> getTouches(Operation *op);
/// Those of a part, and of the code of the body that it has its values from.
SmallVector<PartTouch> getTouches(const LoopPart &part);

/// Flags of an exchange of tiles that the compiler made.
bool isTransferFlag(Operation *op);
int64_t getTransferNumber(Operation *op);
/// The buffer in GM of such an exchange.
bool isWorkspace(Value buffer);

/// Why the iterations of a loop are not taken apart; nothing if they may be.
std::optional<StringRef> findObstacle(scf::ForOp loop);

/// The parts of the body, in their order. Each may run for iterations before
/// the next one begins, if buffers of the loop that parts share have a copy for
/// each iteration.
SmallVector<LoopPart> getLoopParts(scf::ForOp loop);

/// The parts with the copies of tiles of the other core as parts of their own.
SmallVector<LoopPart> separateCopies(ArrayRef<LoopPart> parts);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_PIPELINEPARTS_H
