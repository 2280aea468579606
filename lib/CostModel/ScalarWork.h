//===- ScalarWork.h - numbers and scalar code of programs -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_SCALARWORK_H
#define TILE_COSTMODEL_SCALARWORK_H

#include "Tile/CostModel/Kernel.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile {

/// Integers of a function as expressions over sizes, parameters and places.
class Numbers {
public:
  Numbers(FunctionOpInterface function, ::tile::cost::ExprGraph &exprs)
      : function(function), exprs(exprs) {}

  /// None where the value comes from data.
  std::optional<::tile::cost::Expr> find(Value value);
  std::optional<::tile::cost::Expr> find(OpFoldResult value);
  std::optional<::tile::cost::Expr> findExtent(Value buffer, int64_t dim);
  std::optional<::tile::cost::Expr> findStated(StringRef shape, int64_t dim);
  /// The dimensions of the grid that a value depends on; all where it comes
  /// from data.
  uint8_t findPlaces(Value value);

private:
  std::optional<::tile::cost::Expr> compute(Value value);
  std::optional<::tile::cost::Expr> computeArgument(BlockArgument argument);
  std::optional<::tile::cost::Expr> computeMap(AffineMap map, ValueRange operands,
                                               ::tile::cost::ExprKind combine);
  std::optional<::tile::cost::Expr> computeAffine(AffineExpr expr, AffineMap map,
                                                  ValueRange operands);
  std::optional<::tile::cost::Expr> computeMean(OpFoldResult lower,
                                                OpFoldResult upper);

  FunctionOpInterface function;
  ::tile::cost::ExprGraph &exprs;
  DenseMap<Value, std::optional<::tile::cost::Expr>> known;
};

/// What one iteration computes. Code that is the same for all iterations along
/// the last dimension is computed once for them, and not counted.
::tile::cost::ScalarWork countScalarWork(ParallelOp parallel);

} // namespace mlir::tile

#endif // TILE_COSTMODEL_SCALARWORK_H
