//===- Scalars.h - scalar code on symbols -----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SCALARS_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SCALARS_H

#include "Tile/Analysis/SymbolicExpr.h"

namespace mlir::tile::ascend {

/// The scalars of a kernel, of which those that decide which path is taken get
/// numbers, one combination after another.
class Scalars : public SymbolicExprs {
public:
  explicit Scalars(MLIRContext *context);

  /// A number for each term of the expression, if it has any, so that it is
  /// about as many times `step` as any number below `count`. Nothing where a
  /// term had none yet: what was computed before is void.
  std::optional<int64_t> decide(AffineExpr expr, int64_t count,
                                int64_t step = 1);
  bool isVoid() const { return voided; }
  /// Begins again with the same choices.
  void restart();
  /// The next combination of choices; false when there is none.
  bool next();

private:
  struct Choice {
    AffineExpr term;
    SmallVector<int64_t> values; // one after another
    size_t at = 0;
  };

  SmallVector<Choice> choices;
  DenseSet<AffineExpr> chosen;
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
