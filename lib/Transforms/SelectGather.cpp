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

void mlir::tile::selectGather(Operation *op, const Target &target) {
  auto gather = dyn_cast<GatherOp>(op);
  auto loop = dyn_cast_or_null<PipelinedOp>(op->getParentOp());
  if (!gather || gather.getInstructionAttr() || !loop || loop.getStages() < 2 ||
      getMemorySpace(gather.getTarget()) != MemorySpace::Shared)
    return;
  int64_t bytes = getAsyncBytes(gather, target);
  if (bytes == 0)
    return;
  gather.setInstructionAttr(
      TransferAttr::get(op->getContext(), Instruction::CpAsync, bytes));
  remark::passed(op->getLoc(), remark::RemarkOpts::name("CopyInstruction")
                                   .category("tile-select-instructions"))
      << "cp_async of " + std::to_string(bytes) + " bytes";
}
