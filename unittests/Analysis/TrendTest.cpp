//===- TrendTest.cpp - how one value changes with another -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Trend.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The trends of what a function of %x and %n returns, along %x.
struct TileTrend : ::testing::Test {
  TileTrend() {
    context.loadDialect<arith::ArithDialect, affine::AffineDialect,
                        func::FuncDialect>();
  }
  std::vector<Trend> get(StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%x: index, %n: index) -> (index, index, index) {" +
         body + "}")
            .str(),
        &context);
    EXPECT_TRUE(module);
    Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    std::vector<Trend> trends;
    for (Value value : block.getTerminator()->getOperands())
      trends.push_back(getTrend(value, block.getArgument(0)));
    return trends;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(TileTrend, MapsKeepTheSignOfTheirFactors) {
  EXPECT_EQ(get(R"(
    %a = affine.apply affine_map<(x) -> ((x * 128 + 128) ceildiv 64)>(%x)
    %b = affine.apply affine_map<(x)[n] -> (n - x * 2)>(%x)[%n]
    %c = affine.apply affine_map<(x) -> (x mod 4)>(%x)
    return %a, %b, %c : index, index, index)"),
            (std::vector{Trend::Growing, Trend::Shrinking, Trend::Varies}));
}

TEST_F(TileTrend, BoundsKeepIt) {
  EXPECT_EQ(get(R"(
    %a = affine.min affine_map<(x)[n] -> (x + 1, n)>(%x)[%n]
    %b = arith.minui %x, %n : index
    %c = affine.max affine_map<(x)[n] -> (n - x, x)>(%x)[%n]
    return %a, %b, %c : index, index, index)"),
            (std::vector{Trend::Growing, Trend::Growing, Trend::Varies}));
}

TEST_F(TileTrend, OpsOfTheSameKindAgreeWithMaps) {
  EXPECT_EQ(get(R"(
    %c2 = arith.constant 2 : index
    %c-2 = arith.constant -2 : index
    %a = arith.subi %n, %x : index
    %b = arith.muli %a, %c-2 : index
    %c = arith.muli %x, %n : index
    return %a, %b, %c : index, index, index)"),
            (std::vector{Trend::Shrinking, Trend::Growing, Trend::Varies}));
}

TEST_F(TileTrend, WhatIsComputedFromOtherValuesIsConstant) {
  EXPECT_EQ(get(R"(
    %c8 = arith.constant 8 : index
    %a = arith.remui %n, %c8 : index
    %b = arith.remui %x, %c8 : index
    %c = arith.subi %x, %x : index
    return %a, %b, %c : index, index, index)"),
            (std::vector{Trend::Constant, Trend::Varies, Trend::Varies}));
}
