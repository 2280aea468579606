//===- ExpressionTest.cpp - values of expressions -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Expression.h"

#include "gtest/gtest.h"

using namespace tile::cost;

static int64_t evaluate(ExprKind kind, int64_t a, int64_t b) {
  ExprGraph graph;
  Expr x = graph.symbol("x"), y = graph.symbol("y");
  Expr result = graph.make(kind, x, y);
  std::vector<int64_t> values;
  graph.evaluate({a, b}, {}, values);
  return values[result];
}

TEST(Expression, DivisionsRoundAsInAffineMaps) {
  EXPECT_EQ(evaluate(ExprKind::FloorDiv, 7, 2), 3);
  EXPECT_EQ(evaluate(ExprKind::FloorDiv, -7, 2), -4);
  EXPECT_EQ(evaluate(ExprKind::CeilDiv, 7, 2), 4);
  EXPECT_EQ(evaluate(ExprKind::CeilDiv, -7, 2), -3);
  EXPECT_EQ(evaluate(ExprKind::Modulo, -7, 4), 1);
  EXPECT_EQ(evaluate(ExprKind::Mean, 3, 6), 4);
  EXPECT_EQ(evaluate(ExprKind::Mean, 3, 5), 4);
}

TEST(Expression, NothingOverflowsOrDividesByZero) {
  int64_t most = INT64_MAX, least = INT64_MIN;
  EXPECT_EQ(evaluate(ExprKind::Add, most, 1), most);
  EXPECT_EQ(evaluate(ExprKind::Add, least, -1), least);
  EXPECT_EQ(evaluate(ExprKind::Subtract, least, 1), least);
  EXPECT_EQ(evaluate(ExprKind::Multiply, most, -2), least);
  EXPECT_EQ(evaluate(ExprKind::Multiply, least, least), most);
  for (ExprKind kind :
       {ExprKind::FloorDiv, ExprKind::CeilDiv, ExprKind::Modulo}) {
    EXPECT_EQ(evaluate(kind, 7, 0), 0);
    EXPECT_EQ(evaluate(kind, least, -1), 0);
  }
}

TEST(Expression, EqualExpressionsAreOneNode) {
  ExprGraph graph;
  Expr x = graph.symbol("x"), two = graph.constant(2);
  EXPECT_EQ(graph.make(ExprKind::Multiply, x, two),
            graph.make(ExprKind::Multiply, graph.symbol("x"), graph.constant(2)));
  EXPECT_EQ(graph.getSymbols().size(), 1u);
}

TEST(Expression, PlacesAreKnown) {
  ExprGraph graph;
  Expr sum = graph.make(ExprKind::Add, graph.place(0), graph.place(2));
  Expr chosen = graph.make(ExprKind::Select, graph.symbol("x"), sum,
                           graph.place(1));
  EXPECT_EQ(graph.getPlaces(sum), 5);
  EXPECT_EQ(graph.getPlaces(chosen), 7);
  std::vector<int64_t> values;
  graph.evaluate({1}, {10, 20, 30}, values);
  EXPECT_EQ(values[chosen], 40);
  graph.evaluate({0}, {10, 20, 30}, values);
  EXPECT_EQ(values[chosen], 20);
}
