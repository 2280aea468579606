//===- Constants.h - constant buffers ---------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_CONSTANTS_H
#define TILE_DIALECT_TILE_IR_CONSTANTS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <optional>
#include <string>

namespace mlir::tile {

/// A constant is text in what an assembler or a compiler reads, several
/// characters a byte.
constexpr int64_t kMaxConstantBytes = int64_t(4) << 20;

/// The data of a constant buffer, elements of whole bytes in a row; none where
/// it is not constant, or the attribute keeps them in a way that is not known.
std::optional<std::string> getConstantBytes(memref::GetGlobalOp constant);

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_CONSTANTS_H
