//===- CallPrinter.h - calls of Ascend C as text ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_CALLPRINTER_H
#define TILE_DIALECT_ASCEND_IR_CALLPRINTER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tile::ascend {

/// What an op prints its call through (`ApiCallOpInterface`). Numbers that are
/// known at run time alone are affine expressions of variables of the program.
class CallPrinter {
public:
  virtual ~CallPrinter() = default;

  /// Begins a statement.
  virtual raw_ostream &line() = 0;
  /// The tensor of a buffer or view, from its first element on.
  virtual std::string getTensor(Value buffer) = 0;
  /// The same, from a later element in the order of the memory on.
  virtual std::string getTensorAt(Value buffer, int64_t element) = 0;
  /// A scalar in the type of elements.
  virtual std::string getScalar(Value value, Type element) = 0;
  virtual std::string getType(Type type) = 0;
  /// A name that nothing has yet.
  virtual std::string makeName(StringRef hint) = 0;

  /// Rows, columns and the elements from one row to the next, of a view of one
  /// or two dimensions.
  struct Rows {
    AffineExpr rows, columns, pitch;
  };
  virtual Rows getRows(Value buffer) = 0;
  /// An index.
  virtual AffineExpr getNumber(Value value) = 0;
  virtual std::string format(AffineExpr expr) = 0;
};

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_IR_CALLPRINTER_H
