//===- SelectGather.cpp - the instruction of a gather ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;

/// Bytes of an asynchronous copy that divide the rows of the tile; 0 if none
/// do.
static int64_t getAsyncBytes(GatherOp gather, const Target &target) {
  RowCopy copy = RowCopy::get(gather);
  int64_t bits = getElementBits(copy.tile);
  if (copy.dim + 1 == copy.global.sizes.size() || bits < 8)
    return 0;
  int64_t row = copy.global.sizes.back() * bits / 8, most = 0;
  for (const CopyRow &instruction : target.copies)
    for (int64_t bytes : {4, 8, 16})
      if (instruction.family == CopyFamily::CpAsync && bytes > most &&
          row % bytes == 0 &&
          llvm::is_contained(
              findCopies(target, Space::Global, Space::Shared, bytes),
              &instruction))
        most = bytes;
  return most;
}

/// The bytes of the asynchronous copies that may load the rows; 0 if none may.
static int64_t getPipelinedBytes(GatherOp gather, const Target &target) {
  auto loop = dyn_cast<PipelinedOp>(gather->getParentOp());
  return loop && loop.getStages() >= 2 &&
                 getMemorySpace(gather.getTarget()) == MemorySpace::Shared
             ? getAsyncBytes(gather, target)
             : 0;
}

bool mlir::tile::isPipelinedGather(Operation *op, const Target &target) {
  auto gather = dyn_cast<GatherOp>(op);
  return gather && getPipelinedBytes(gather, target) > 0;
}

void mlir::tile::selectGather(Operation *op, const Target &target) {
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather || gather.getInstructionAttr())
    return;
  int64_t bytes = getPipelinedBytes(gather, target);
  if (bytes == 0)
    return;
  gather.setInstructionAttr(
      TransferAttr::get(op->getContext(), Instruction::CpAsync, bytes));
  remark::passed(op->getLoc(), remark::RemarkOpts::name("CopyInstruction")
                                   .category("tile-select-instructions"))
      << "cp_async of " + std::to_string(bytes) + " bytes";
}
