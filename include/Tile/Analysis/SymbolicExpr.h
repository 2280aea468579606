//===- SymbolicExpr.h - scalars as affine expressions -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which affine expression of its operands an integer op computes, and
// expressions of whole chains of such ops over symbols.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_SYMBOLICEXPR_H
#define TILE_ANALYSIS_SYMBOLICEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"

#include <map>

namespace mlir::tile {

/// Whether an expression is small enough to compute with. Chains of ops share
/// parts, which MLIR's functions visit once for each use.
bool isTractable(AffineExpr expr);

/// The expression of an operand; null if it has none.
using OperandExprs = function_ref<AffineExpr(Value)>;

/// The results of a map of operands; null for those that use an operand without
/// expression.
SmallVector<AffineExpr> composeExprs(AffineMap map, ValueRange operands,
                                     OperandExprs get);

/// The result of an integer op as an expression of its operands; null if it is
/// none, or one of too many terms. Divisions that round towards zero, and
/// unsigned ones, are such expressions where `isNonNegative` holds of what is
/// divided.
AffineExpr getScalarExpr(Operation *op, OperandExprs get,
                         function_ref<bool(AffineExpr)> isNonNegative);

/// What the result of a minimum or maximum is one of; expressions may be null.
struct Extreme {
  SmallVector<AffineExpr> of;
  bool isMax, isUnsigned;
};
std::optional<Extreme> getExtreme(Operation *op, OperandExprs get);

/// Scalars as expressions over symbols. A symbol stands for an argument or for
/// the result of an op that is not affine; the same computation in another
/// place is the same symbol. Numbers are taken not to be negative.
class SymbolicExprs {
public:
  /// Which results of an op that is not affine are the same symbol: those of
  /// the same op on the same operands in any place, those of this op, or none.
  enum class Identity { Computation, Operation, None };

  SymbolicExprs(MLIRContext *context,
                std::function<Identity(Operation *)> getIdentity)
      : context(context), getIdentity(std::move(getIdentity)) {}

  AffineExpr get(Value value);
  AffineExpr get(OpFoldResult value);
  AffineExpr getConstant(int64_t value) {
    return getAffineConstantExpr(value, context);
  }
  /// The same symbol for the same key.
  AffineExpr getSymbol(ArrayRef<const void *> key);
  /// From here on, the value is the expression; a new symbol if it is null.
  void bind(Value value, AffineExpr expr = {});
  /// From here on, `term` has the value in all expressions.
  void assign(AffineExpr term, int64_t value);
  void unassign(AffineExpr term);
  /// Forgets what is bound. The visits that follow have the symbols of those
  /// before.
  void restart();

  AffineExpr simplify(AffineExpr expr) const;
  /// Whether two expressions differ by a number, and by which.
  std::optional<int64_t> getDifference(AffineExpr a, AffineExpr b) const;

private:
  AffineExpr compute(Value value);
  AffineExpr computeOpaque(Value value);
  AffineExpr computeExtreme(Value value, ArrayRef<AffineExpr> exprs,
                            bool isLeast);
  AffineExpr getFreshSymbol(Value value);

  MLIRContext *context;
  std::function<Identity(Operation *)> getIdentity;
  unsigned numSymbols = 0;
  std::map<std::vector<const void *>, AffineExpr> symbols;
  DenseMap<Value, unsigned> visits;
  DenseMap<Value, AffineExpr> known, bound;
  DenseMap<AffineExpr, AffineExpr> assigned;
};

} // namespace mlir::tile

#endif // TILE_ANALYSIS_SYMBOLICEXPR_H
