//===- ProductTypes.h - element types of matrix products --------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_PRODUCTTYPES_H
#define TILE_LIB_DIALECT_TILE_IR_PRODUCTTYPES_H

#include "Tile/Dialect/Tile/IR/Tile.h"

namespace mlir::tile {

/// The accumulator types that a pair of operand types may have in `tile.gemm`;
/// empty if the pair is unsupported.
SmallVector<Type> getAccumulatorTypes(Type a, Type b);

/// The element types of a product whose accumulator is to be one of `legal`, and
/// the options that go with them. `pairs` names the operands that have any.
template <typename OpTy>
LogicalResult verifyProductTypes(OpTy op, ArrayRef<Type> legal,
                                 StringRef pairs) {
  auto elementOf = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
  Type a = elementOf(op.getA()), b = elementOf(op.getB()),
       c = elementOf(op.getC());
  if (legal.empty())
    return op.emitOpError() << "unsupported operand types " << a << " and " << b
                            << "; expected " << pairs;
  if (!llvm::is_contained(legal, c)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "unsupported element types " << a << ", " << b
                              << " -> " << c << "; expected ";
    llvm::interleave(legal, diag, " or ");
    return diag << " for 'c'";
  }
  if (op.getPrecision() == Precision::TF32 && !a.isF32())
    return op.emitOpError()
           << "expected f32 operands for 'precision(tf32)', got " << a;
  if ((op.getAUnsigned() || op.getBUnsigned()) && !isa<IntegerType>(a))
    return op.emitOpError()
           << "expected integers for 'a_unsigned' and 'b_unsigned', got " << a;
  return success();
}

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_PRODUCTTYPES_H
