//===- Expression.h - numbers that depend on others ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents, trip counts and conditions of a program, as far as they are computed
// from parameters, sizes and places in the grid. All expressions of a program
// are one graph, whose nodes come after their operands: to have all values for
// a configuration is one pass over a vector.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_EXPRESSION_H
#define TILE_COSTMODEL_EXPRESSION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tile::cost {

/// A node of a graph.
using Expr = int32_t;

enum class ExprKind : uint8_t {
  Constant,
  Symbol,   ///< a value from outside
  Place,    ///< where a block is along a dimension of the grid
  Mean,     ///< of what a loop counts: half of the sum of two bounds
  Add,
  Subtract,
  Multiply,
  FloorDiv, ///< divisions by what is not positive are 0, and so is Modulo
  CeilDiv,
  Modulo,
  Min,
  Max,
  Equal, ///< comparisons are 0 or 1
  NotEqual,
  Less,
  LessEqual,
  Select, ///< the second where the first is not 0, or the third
};

class ExprGraph {
public:
  Expr constant(int64_t value);
  /// The symbol of that name, one for each name.
  Expr symbol(llvm::StringRef name);
  Expr place(unsigned dim);
  Expr make(ExprKind kind, Expr a, Expr b, Expr c = 0);

  llvm::ArrayRef<std::string> getSymbols() const { return symbols; }
  /// The dimensions of the grid that the value depends on, one bit each.
  uint8_t getPlaces(Expr expr) const { return nodes[expr].places; }
  /// The symbols that it depends on; false if there are others.
  bool dependsOnlyOn(Expr expr, llvm::ArrayRef<std::string> names) const;

  /// All values, with those of symbols and places given. Numbers saturate.
  void evaluate(llvm::ArrayRef<int64_t> symbols, llvm::ArrayRef<int64_t> places,
                std::vector<int64_t> &values) const;

private:
  struct Node {
    ExprKind kind;
    uint8_t places;
    Expr a, b, c;
    int64_t value;
  };

  Expr add(Node node);

  std::vector<Node> nodes;
  std::vector<std::string> symbols;
  llvm::DenseMap<std::tuple<int, Expr, Expr, Expr, int64_t>, Expr> known;
};

} // namespace tile::cost

#endif // TILE_COSTMODEL_EXPRESSION_H
