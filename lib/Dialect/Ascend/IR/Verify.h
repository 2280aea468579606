//===- Verify.h - helpers of verifiers --------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_IR_VERIFY_H
#define TILE_LIB_DIALECT_ASCEND_IR_VERIFY_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"

namespace mlir::tile::ascend {

/// An operand and what messages call it.
struct Role {
  Value buffer;
  StringRef name;

  MemRefType getType() const { return cast<MemRefType>(buffer.getType()); }
};

LogicalResult expectSpace(Operation *op, Role role, MemorySpace space);
LogicalResult expectRank(Operation *op, Role role, int64_t least, int64_t most);
/// One or two dimensions, innermost stride 1, rows at whole blocks of 32 bytes.
LogicalResult expectRows(Operation *op, Role role);
/// Rows as above that are whole blocks themselves, of two dimensions.
LogicalResult expectBlocks(Operation *op, Role role);
/// The chip has a path between two memories of its cores.
LogicalResult expectPath(Operation *op, MemorySpace from, MemorySpace to);
LogicalResult expectSameElement(Operation *op, Role a, Role b);
LogicalResult expectElementType(Operation *op, Type value, Type element,
                                StringRef what);
/// Static extents of `inner` are not above those of `outer`.
LogicalResult expectWithin(Operation *op, Role inner, Role outer);
LogicalResult expectShape(Operation *op, Role role, ArrayRef<int64_t> shape);
/// `role` is not a view.
LogicalResult expectWhole(Operation *op, Role role);
/// A buffer of the cube, or whole blocks of its columns.
LogicalResult expectColumns(Operation *op, Role role);
/// Stores to GM can add elements of the type.
LogicalResult expectAtomic(Operation *op, Type element, ReduceKind kind);
/// The vector unit has the instruction for the element type.
LogicalResult expectInstruction(Operation *op, StringRef name, Type element);
/// The bytes of an element are one of `widths`.
LogicalResult expectWidth(Operation *op, Type element, ArrayRef<int64_t> widths,
                          StringRef text);

/// Elements of one byte are filled with 0 alone.
LogicalResult expectZeroBytes(Operation *op, Value value);

/// "f16, f32".
std::string formatTypes(ArrayRef<::tile::target::ElementType> types);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_IR_VERIFY_H
