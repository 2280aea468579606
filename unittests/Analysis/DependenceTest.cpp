//===- DependenceTest.cpp - order along a path ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Dependence.h"

#include "gtest/gtest.h"

using namespace mlir::tile;
using ::tile::target::Engine;

namespace {
/// An Ascend core that has issued execution 0 to MTE2 and 1 to V.
struct TileOrderState : ::testing::Test {
  TileOrderState() : state(Engine::S, Engine::FIX) {
    state.issue(Engine::MTE2, 0);
    state.issue(Engine::V, 1);
  }
  bool isComplete(Engine engine, unsigned execution) {
    const OrderState::Executions &complete = state.getComplete(engine);
    return execution < complete.size() && complete.test(execution);
  }
  static OrderState::Known know(unsigned execution) {
    return {set(execution), {}};
  }
  static OrderState::Executions set(unsigned execution) {
    OrderState::Executions executions(execution + 1);
    executions.set(execution);
    return executions;
  }

  OrderState state;
};
} // namespace

TEST_F(TileOrderState, NothingOrdersTwoEngines) {
  EXPECT_FALSE(isComplete(Engine::V, 0));
  EXPECT_FALSE(isComplete(Engine::MTE2, 0));
}

TEST_F(TileOrderState, FlagsOrderTheirTarget) {
  OrderState::Flag flag(Engine::MTE2, Engine::V, 0);
  ASSERT_TRUE(state.setFlag(flag, state.getHistory(Engine::MTE2)));
  EXPECT_FALSE(state.setFlag(flag, {})) << "it is set";
  ASSERT_TRUE(state.waitFlag(flag));
  EXPECT_FALSE(state.waitFlag(flag)) << "it is cleared";
  EXPECT_TRUE(isComplete(Engine::V, 0));
  EXPECT_FALSE(isComplete(Engine::MTE3, 0));
}

TEST_F(TileOrderState, FlagsAreTransitive) {
  OrderState::Flag first(Engine::MTE2, Engine::V, 0),
      second(Engine::V, Engine::MTE3, 0);
  state.setFlag(first, state.getHistory(Engine::MTE2));
  state.waitFlag(first);
  state.setFlag(second, state.getHistory(Engine::V));
  state.waitFlag(second);
  EXPECT_TRUE(isComplete(Engine::MTE3, 0));
  EXPECT_TRUE(isComplete(Engine::MTE3, 1));
}

TEST_F(TileOrderState, WhatTheIssuerWaitsForAllDo) {
  OrderState::Flag flag(Engine::V, Engine::S, 0);
  state.setFlag(flag, state.getHistory(Engine::V));
  state.waitFlag(flag);
  EXPECT_TRUE(isComplete(Engine::FIX, 1));
  EXPECT_FALSE(isComplete(Engine::FIX, 0));
}

TEST_F(TileOrderState, BarriersOfOneEngineAndOfAll) {
  state.barrier(Engine::V);
  EXPECT_TRUE(isComplete(Engine::V, 1));
  EXPECT_FALSE(isComplete(Engine::V, 0));
  state.barrier(std::nullopt);
  EXPECT_TRUE(isComplete(Engine::V, 0));
  EXPECT_TRUE(isComplete(Engine::M, 1));
}

TEST_F(TileOrderState, PathsMeet) {
  // One path orders both and executes 2; the other orders 1 and executes 3.
  OrderState other = state;
  state.barrier(std::nullopt);
  state.issue(Engine::V, 2);
  other.wait(Engine::M, know(1));
  other.issue(Engine::V, 3);
  other.wait(Engine::M, know(3));
  state.meet(other, set(2), set(3));
  EXPECT_TRUE(isComplete(Engine::M, 1));
  EXPECT_FALSE(isComplete(Engine::M, 0));
  EXPECT_FALSE(isComplete(Engine::M, 2)) << "its own path does not order it";
  EXPECT_TRUE(isComplete(Engine::M, 3)) << "the own path has none";
}

TEST_F(TileOrderState, PathsMayDifferInFlags) {
  OrderState other = state;
  EXPECT_TRUE(state.hasSameFlags(other));
  state.setFlag({Engine::V, Engine::M, 0}, {});
  EXPECT_FALSE(state.hasSameFlags(other));
  other.setFlag({Engine::V, Engine::M, 1}, {});
  EXPECT_FALSE(state.hasSameFlags(other));
}

TEST_F(TileOrderState, AFlagIsSetWhereItIsKnownToBeTaken) {
  OrderState::Flag there(Engine::MTE2, Engine::V, 0),
      back(Engine::V, Engine::MTE2, 0);
  unsigned index = OrderState::getIndex(0, there);
  EXPECT_TRUE(state.isTaken(Engine::MTE2, index)) << "it was never set";
  state.setFlag(back, state.getHistory(Engine::V));
  state.take(index, Engine::V);
  EXPECT_TRUE(state.isTaken(Engine::V, index));
  EXPECT_FALSE(state.isTaken(Engine::MTE2, index));
  state.waitFlag(back);
  EXPECT_FALSE(state.isTaken(Engine::MTE2, index)) << "set before the wait";
  state.setFlag(back, state.getHistory(Engine::V));
  state.waitFlag(back);
  EXPECT_TRUE(state.isTaken(Engine::MTE2, index));
  EXPECT_FALSE(state.isTaken(Engine::MTE3, index));
  state.barrier(std::nullopt);
  EXPECT_TRUE(state.isTaken(Engine::MTE3, index));
}

TEST_F(TileOrderState, AFlagTakenOnOnePathMayNotBe) {
  unsigned index = OrderState::getIndex(0, {Engine::MTE2, Engine::V, 0});
  OrderState other = state;
  other.take(index, Engine::V);
  state.meet(other, {}, {});
  EXPECT_FALSE(state.isTaken(Engine::MTE2, index));
  EXPECT_TRUE(state.isTaken(Engine::V, index));
}
