//===- CoalescedLayoutTest.cpp - neighbours hold neighbouring runs --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;
using mlir::tile::simt::getCoalescedLayout;
using mlir::tile::simt::ThreadGroup;

namespace {

ThreadGroup groupOf(int64_t lanes, int64_t warps) {
  ThreadGroup group;
  group.lanes = lanes;
  group.warps = warps;
  return group;
}

/// Every element has one place within the group; runs lie in one thread.
void expectPartition(const std::vector<int64_t> &shape, int64_t run,
                     const ThreadGroup &group) {
  Layout layout = getCoalescedLayout(shape, run, group);
  SCOPED_TRACE(layout.str());
  ASSERT_EQ(layout.shape(), shape);
  EXPECT_EQ(layout.numCopies(), 1);
  std::set<Position> places;
  forEachCoord(shape, [&](const Coord &coord) {
    Position at = meaning(layout, coord);
    EXPECT_TRUE(places.insert(at).second) << coordStr(coord);
    EXPECT_LT(at[Axis::Lane], group.lanes);
    EXPECT_LT(at[Axis::Warp], group.warps);
    Coord first = coord;
    int64_t within = first.back() % run;
    first.back() -= within;
    Position begin = meaning(layout, first);
    EXPECT_EQ(begin[Axis::Reg] % run, 0);
    begin[Axis::Reg] += within;
    EXPECT_EQ(at, begin) << coordStr(coord);
    return !testing::Test::HasFailure();
  });
}

TEST(CoalescedLayout, TextOfExamples) {
  EXPECT_EQ(getCoalescedLayout({256}, 1, groupOf(32, 4)),
            parsed("[256: 2 reg, 4 warp, 32 lane]"));
  EXPECT_EQ(getCoalescedLayout({64, 64}, 4, groupOf(32, 4)),
            parsed("[64: 8 reg*4, 4 warp, 2 lane*16][64: 16 lane, 4 reg]"));
  EXPECT_EQ(getCoalescedLayout({229}, 1, groupOf(32, 4)),
            parsed("[229: 2 reg, 4 warp, 32 lane]"));
}

TEST(CoalescedLayout, OddExtentsAndFewElements) {
  for (int64_t extent : {1, 2, 3, 31, 33, 127, 229, 1000})
    for (int64_t warps : {1, 3, 4})
      expectPartition({extent}, 1, groupOf(32, warps));
  expectPartition({7, 229}, 1, groupOf(32, 4));
  expectPartition({229, 8}, 8, groupOf(32, 4));
  expectPartition({3, 5, 12}, 4, groupOf(32, 4));
  expectPartition({64, 32}, 4, groupOf(1, 1));
}

TEST(CoalescedLayout, RandomShapes) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape = random.shape(3, 40);
    if (shape.empty())
      continue;
    int64_t run = random.oneOf<int64_t>({1, 2, 4, 8});
    while (shape.back() % run != 0)
      run /= 2;
    expectPartition(shape, run,
                    groupOf(random.oneOf<int64_t>({1, 32, 64}),
                            random.oneOf<int64_t>({1, 2, 3, 4, 6, 8})));
  }
}

} // namespace
