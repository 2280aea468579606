//===- Memory.h - sizes of memories -----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_TRANSFORMS_MEMORY_H
#define TILE_DIALECT_ASCEND_TRANSFORMS_MEMORY_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile::ascend {

/// A memory in which `ascend-plan-memory` does not find a place for each buffer
/// of the kernel; nothing if all fit.
std::optional<MemorySpace> findFullMemory(KernelOp kernel);

/// Whether no iteration of the loop reads what another one, or what came before
/// the loop, left in the buffer.
bool isRenewed(Value buffer, Operation *loop);

/// Whether only `loop` touches the buffer, and each iteration renews it.
bool isPrivate(Value buffer, Operation *loop);

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_TRANSFORMS_MEMORY_H
