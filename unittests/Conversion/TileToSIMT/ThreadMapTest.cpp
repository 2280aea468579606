//===- ThreadMapTest.cpp - elements of a thread ---------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitted code is run by the folder: lane and warp are constants, so that
// each value that ThreadMap gives is one too.
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;
using mlir::Value;
using mlir::tile::simt::ThreadGroup;
using mlir::tile::simt::ThreadMap;

namespace {

/// (lane, warp, register) -> element, by the definition of a layout.
using Places = std::map<std::array<int64_t, 3>, Coord>;

Places enumerate(const Layout &layout) {
  Places places;
  for (const Coord &coord : allCoords(layout.shape()))
    for (const Position &p : allMeanings(layout, coord))
      places[{p[Axis::Lane], p[Axis::Warp], p[Axis::Reg]}] = coord;
  return places;
}

Coord coordOf(llvm::ArrayRef<int64_t> coord) {
  return {coord.begin(), coord.end()};
}

class ThreadMapTest : public testing::Test {
protected:
  ThreadMapTest() : b(&context), loc(b.getUnknownLoc()) {
    context.loadDialect<mlir::arith::ArithDialect>();
  }

  Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, loc, value, 32);
  }

  /// What a value of constants is; a null condition is true.
  static int64_t valueOf(Value value) {
    if (!value)
      return 1;
    auto known = mlir::getConstantIntValue(value);
    EXPECT_TRUE(known) << "expected a constant";
    return known.value_or(-1);
  }

  void expectElements(const Layout &layout, int64_t lanes, int64_t warps);
  void expectCode(const Layout &layout, int64_t lanes, int64_t warps);

  void expectMap(const char *text, int64_t lanes, int64_t warps) {
    SCOPED_TRACE(text);
    expectElements(parsed(text), lanes, warps);
    expectCode(parsed(text), lanes, warps);
  }

  mlir::MLIRContext context;
  mlir::OpBuilder b;
  mlir::Location loc;
};

void ThreadMapTest::expectElements(const Layout &layout, int64_t lanes,
                                   int64_t warps) {
  ThreadGroup group;
  group.lanes = lanes;
  group.warps = warps;
  ThreadMap map(layout, group);
  Places places = enumerate(layout), found;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t reg = 0; reg < map.numRegisters(); ++reg)
        if (auto element = map.getElement(lane, warp, reg))
          found[{lane, warp, reg}] = coordOf(*element);
  EXPECT_EQ(found, places);
  int64_t all = lanes * warps * map.numRegisters();
  EXPECT_EQ(map.isExact(), int64_t(places.size()) == all);
}

void ThreadMapTest::expectCode(const Layout &layout, int64_t lanes,
                               int64_t warps) {
  Places places = enumerate(layout);
  std::map<Coord, int> owners;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t warp = 0; warp < warps; ++warp) {
      mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
      b.setInsertionPointToStart(module->getBody());
      ThreadGroup group;
      group.lanes = lanes;
      group.warps = warps;
      group.lane = constant(lane);
      group.warp = constant(warp);
      ThreadMap map(layout, group);
      map.materialize(b, loc);
      for (int64_t reg = 0; reg < map.numRegisters(); ++reg) {
        auto part = map.getRegisterPart(reg);
        if (!part)
          continue;
        auto place = places.find({lane, warp, reg});
        bool exists = valueOf(map.getExistence(b, loc, *part)) != 0;
        ASSERT_EQ(exists, place != places.end())
            << "lane " << lane << ", warp " << warp << ", reg " << reg;
        if (!exists)
          continue;
        EXPECT_NE(valueOf(map.getThreadGuard()), 0);
        Coord at;
        for (Value coordinate : map.getCoordinates(b, loc, *part))
          at.push_back(valueOf(coordinate));
        ASSERT_EQ(at, place->second);
        owners[at] += valueOf(map.getFirstCopy()) != 0;
      }
    }
  // One thread writes each element.
  EXPECT_EQ(int64_t(owners.size()), layout.numElements());
  for (const auto &[coord, count] : owners)
    EXPECT_EQ(count, 1) << coordStr(coord);
}

TEST_F(ThreadMapTest, ExactPartitions) {
  expectMap("[256: 2 reg, 4 warp, 32 lane]", 32, 4);
  expectMap("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]", 32, 1);
  expectMap("[64: 4 warp, 2 reg*2, 8 lane*4][16: 2 reg*4, 4 lane, 2 reg]", 32,
            4);
}

TEST_F(ThreadMapTest, ExtentsThatNothingDivides) {
  expectMap("[229: 2 reg, 4 warp, 32 lane]", 32, 4);
  expectMap("[229: 4 warp, 29 lane, 2 reg]", 32, 4);
  expectMap("[5: 3 lane, 2 reg]", 32, 1);
  expectMap("[7: 7 reg][33: 2 warp, 32 lane]", 32, 4);
}

TEST_F(ThreadMapTest, LanesAndWarpsWithoutElements) {
  expectMap("[64: 2 warp, 32 lane]", 32, 4);
  expectMap("[8: 8 lane*4]", 32, 2);
  expectMap("[1]", 32, 4);
  expectMap("[6: 3 warp, 2 reg]", 32, 4);
  expectMap("[6: 2 lane*8, 3 lane]", 32, 1);
}

TEST_F(ThreadMapTest, Copies) {
  expectMap("[4: 4 lane*2] rep(2 lane)", 8, 1);
  expectMap("[32: 32 lane] rep(4 warp)", 32, 4);
  expectMap("[16: 2 reg, 8 lane*4] rep(4 lane, 4 warp)", 32, 4);
  expectMap("[8: 8 lane] rep(2 reg)", 32, 1);
  expectMap("[229: 29 reg, 8 lane*4] rep(4 lane, 2 warp)", 32, 4);
}

TEST_F(ThreadMapTest, StridesThatDoNotDivideEachOther) {
  expectMap("[2: 2 lane*16][3: 3 lane] rep(3 lane*3)", 32, 1);
  expectMap("[64: 8 reg, 4 warp, 2 lane*16][7: 3 reg*8, 3 lane] rep(3 lane*3)",
            32, 4);
  expectMap("[2: 2 lane*7][2: 2 lane*3]", 32, 1);
  expectMap("[2: 2 reg*7][2: 2 reg*3]", 32, 1);
}

TEST_F(ThreadMapTest, RegistersThatHoldNothing) {
  expectMap("[4: 2 reg*4, 2 reg]", 32, 1);
  expectMap("[8: 2 reg*3, 4 lane]", 32, 1);
}

TEST_F(ThreadMapTest, CoalescedLayouts) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<int64_t> shape = random.shape(3, 20);
    if (shape.empty())
      continue;
    ThreadGroup group;
    group.lanes = 8;
    group.warps = random.oneOf<int64_t>({1, 3, 4});
    Layout layout = mlir::tile::simt::getCoalescedLayout(shape, 1, group);
    SCOPED_TRACE(layout.str());
    expectElements(layout, group.lanes, group.warps);
    expectCode(layout, group.lanes, group.warps);
  }
}

} // namespace
