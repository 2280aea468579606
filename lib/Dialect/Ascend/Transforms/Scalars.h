//===- Scalars.h - scalar code on symbols -----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SCALARS_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SCALARS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tile::ascend {

/// The scalars of a kernel as affine expressions over symbols. A symbol stands
/// for an argument, or for the result of an op that is not affine; the same
/// computation in another place is the same symbol.
///
/// What decides which path is taken gets numbers, one combination after
/// another.
class Scalars {
public:
  explicit Scalars(MLIRContext *context) : context(context) {}

  AffineExpr get(Value value);
  /// From here on, the value is the expression; a new symbol if it is null.
  void bind(Value value, AffineExpr expr = {});

  /// A number for each term of the expression, if it has any, so that it is
  /// about as many times `step` as any number below `count`. Nothing where a term
  /// had none yet: what was computed before is void.
  std::optional<int64_t> decide(AffineExpr expr, int64_t count,
                                int64_t step = 1);
  bool isVoid() const { return voided; }
  /// Begins again with the same choices.
  void restart();
  /// The next combination of choices; false when there is none.
  bool next();

  /// Whether two expressions differ by a number, and by which.
  std::optional<int64_t> getDifference(AffineExpr a, AffineExpr b) const;

private:
  struct Choice {
    AffineExpr term;
    SmallVector<int64_t> values; // in turns
    size_t at = 0;
  };

  AffineExpr compute(Value value);
  AffineExpr computeOpaque(Value value);
  AffineExpr computeExtreme(Value value, ArrayRef<AffineExpr> exprs,
                            bool isLeast);
  SmallVector<AffineExpr> computeMap(AffineMap map, ValueRange operands);
  AffineExpr getSymbol(StringRef key);
  AffineExpr getFreshSymbol(Value value);
  AffineExpr constant(int64_t value);
  AffineExpr simplify(AffineExpr expr) const;

  MLIRContext *context;
  unsigned numSymbols = 0;
  llvm::StringMap<AffineExpr> symbols;
  DenseMap<Value, unsigned> visits;
  DenseMap<Value, AffineExpr> known, bound;
  SmallVector<Choice> choices;
  DenseMap<AffineExpr, AffineExpr> chosen;
  bool voided = false;
};

/// Offset and size in each dimension of a buffer in GM; nothing if the region
/// is not known.
using GlobalPart = SmallVector<std::pair<AffineExpr, int64_t>, 2>;
/// The part that an instruction may touch through a view: no more than the
/// other side of a copy holds.
GlobalPart getGlobalPart(Operation *op, Value view, Scalars &scalars);
/// Whether two parts of a buffer share no element.
bool isApart(const GlobalPart &a, const GlobalPart &c, const Scalars &scalars);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SCALARS_H
