//===- AttrsTest.cpp - layouts and targets as attributes ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Layout;
using ::tile::target::ElementType;

namespace {
/// A context, and the last error in it.
struct TileAttrs : ::testing::Test {
  TileAttrs()
      : handler(&context, [&](Diagnostic &diag) { error = diag.str(); }) {
    context.loadDialect<TileDialect>();
  }
  InFlightDiagnostic emitError() {
    return mlir::emitError(UnknownLoc::get(&context));
  }

  MLIRContext context;
  std::string error;
  ScopedDiagnosticHandler handler;
};
} // namespace

TEST_F(TileAttrs, LayoutsAreEqualWhereTheirFunctionsAre) {
  auto get = [&](std::string_view text) {
    return getLayoutAttr([&] { return emitError(); }, &context,
                         *Layout::parse(text));
  };
  LayoutAttr lanes = get("[8: 8 lane]");
  EXPECT_EQ(lanes, get("[8: 2 lane*4, 4 lane]"));
  EXPECT_NE(lanes, get("[8: 8 reg]"));
  EXPECT_EQ(lanes.getText(), "[8: 8 lane]");
  EXPECT_EQ(getTileLayout(lanes).shape(), std::vector<int64_t>{8});
  EXPECT_EQ(&getTileLayout(lanes), &getTileLayout(get("[8: 2 lane*4, 4 lane]")));
  EXPECT_EQ(error, "");
}

TEST_F(TileAttrs, TextsBecomeCanonical) {
  auto parse = [&](StringRef text) {
    return dyn_cast_or_null<LayoutAttr>(parseAttribute(
        ("#tile.layout<" + text + ">").str(), &context));
  };
  LayoutAttr lanes = parse("[8: 2 lane*4, 4 lane]");
  EXPECT_EQ(lanes, parse("[8: 8 lane]"));
  EXPECT_EQ(lanes.getText(), "[8: 8 lane]");
  EXPECT_FALSE(parse("[8: 8 thread]"));
  EXPECT_TRUE(StringRef(error).contains("thread")) << error;
}

TEST_F(TileAttrs, Targets) {
  auto get = [&](StringRef chip) {
    return TargetAttr::getChecked([&] { return emitError(); }, &context, chip);
  };
  EXPECT_EQ(getTarget(get("sm_90a")).name, "sm_90a");
  EXPECT_EQ(getTarget(get("910C")).name, "910B");
  EXPECT_FALSE(get("sm_91"));
  EXPECT_TRUE(StringRef(error).starts_with("unknown target 'sm_91'")) << error;
}

TEST_F(TileAttrs, ElementTypes) {
  Builder builder(&context);
  EXPECT_EQ(getElementType(builder.getF16Type()), ElementType::F16);
  EXPECT_EQ(getElementType(builder.getI8Type()), ElementType::I8);
  EXPECT_EQ(getElementType(builder.getIntegerType(8, false)), ElementType::U8);
  EXPECT_EQ(getElementType(Float8E4M3FNType::get(&context)),
            ElementType::F8E4M3FN);
  EXPECT_EQ(getElementType(FloatTF32Type::get(&context)), ElementType::TF32);
  EXPECT_EQ(getElementType(builder.getIndexType()), std::nullopt);
  EXPECT_EQ(getElementType(builder.getI1Type()), std::nullopt);
}
