//===- SymbolicExprTest.cpp - scalars as affine expressions ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/SymbolicExpr.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Values that a function returns, as expressions over its arguments.
struct TileSymbolicExprs : ::testing::Test {
  TileSymbolicExprs()
      : exprs(&context, [](Operation *) {
          return SymbolicExprs::Identity::Computation;
        }) {
    context.loadDialect<arith::ArithDialect, affine::AffineDialect,
                        func::FuncDialect>();
  }
  OperandRange parse(StringRef body) {
    module = parseSourceString<ModuleOp>(body, &context);
    EXPECT_TRUE(module);
    return getBody().getTerminator()->getOperands();
  }
  Block &getBody() {
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SymbolicExprs exprs;
};
} // namespace

TEST_F(TileSymbolicExprs, OpsAndMapsOfTheSameValueAreEqual) {
  OperandRange values = parse(R"(
    func.func @f(%n: index) -> (index, index) {
      %c4 = arith.constant 4 : index
      %c3 = arith.constant 3 : index
      %p = arith.muli %n, %c4 : index
      %a = arith.addi %p, %c3 : index
      %b = affine.apply affine_map<(d0) -> (d0 * 4 + 3)>(%n)
      return %a, %b : index, index
    })");
  EXPECT_EQ(exprs.get(values[0]), exprs.get(values[1]));
}

TEST_F(TileSymbolicExprs, BoundsOfAPeeledLoopDifferByTheStep) {
  OperandRange values = parse(R"(
    func.func @f(%lower: index, %step: index) -> (index, index, index) {
      %next = arith.addi %lower, %step : index
      return %lower, %next, %step : index, index, index
    })");
  EXPECT_EQ(exprs.getDifference(exprs.get(values[1]) - exprs.get(values[0]),
                                exprs.get(values[2])),
            0);
  EXPECT_EQ(exprs.getDifference(exprs.get(values[1]), exprs.get(values[0])),
            std::nullopt);
}

TEST_F(TileSymbolicExprs, TheSameOpaqueComputationIsOneSymbol) {
  OperandRange values = parse(R"(
    func.func @f(%n: index, %m: index) -> (index, index, index) {
      %a = arith.xori %n, %m : index
      %b = arith.xori %n, %m : index
      %c = arith.xori %m, %n : index
      return %a, %b, %c : index, index, index
    })");
  EXPECT_EQ(exprs.get(values[0]), exprs.get(values[1]));
  EXPECT_NE(exprs.get(values[0]), exprs.get(values[2]));
}

TEST_F(TileSymbolicExprs, ExtremesAndComparisonsNeedANumberBetween) {
  OperandRange values = parse(R"(
    func.func @f(%n: index, %m: index) -> (index, index, i1) {
      %c1 = arith.constant 1 : index
      %next = arith.addi %n, %c1 : index
      %least = arith.minsi %n, %next : index
      %other = arith.minsi %n, %m : index
      %less = arith.cmpi slt, %n, %next : index
      return %least, %other, %less : index, index, i1
    })");
  Value n = getBody().getArgument(0);
  EXPECT_EQ(exprs.get(values[0]), exprs.get(n));
  EXPECT_TRUE(isa<AffineSymbolExpr>(exprs.get(values[1])));
  EXPECT_EQ(exprs.get(values[2]), exprs.getConstant(1));
}

TEST_F(TileSymbolicExprs, SignExtensionOfATruthValueIsNoCopy) {
  OperandRange values = parse(R"(
    func.func @f() -> (i32, i32) {
      %true = arith.constant true
      %signed = arith.extsi %true : i1 to i32
      %unsigned = arith.extui %true : i1 to i32
      return %signed, %unsigned : i32, i32
    })");
  EXPECT_NE(exprs.get(values[0]), exprs.getConstant(1));
  EXPECT_EQ(exprs.get(values[1]), exprs.getConstant(1));
}

TEST_F(TileSymbolicExprs, BoundValuesAreComputedAnew) {
  OperandRange values = parse(R"(
    func.func @f(%n: index) -> index {
      %c2 = arith.constant 2 : index
      %twice = arith.muli %n, %c2 : index
      return %twice : index
    })");
  Value n = getBody().getArgument(0);
  exprs.bind(n, exprs.getConstant(5));
  EXPECT_EQ(exprs.get(values[0]), exprs.getConstant(10));
  exprs.bind(n, exprs.getConstant(6));
  EXPECT_EQ(exprs.get(values[0]), exprs.getConstant(12));
}
