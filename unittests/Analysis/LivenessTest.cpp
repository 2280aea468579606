//===- LivenessTest.cpp - live ranges and their packing -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Liveness.h"

#include "gtest/gtest.h"

using namespace mlir::tile;

namespace {
Placement make(int64_t bytes, LiveRange range, int64_t offset = -1) {
  return {nullptr, bytes, /*align=*/32, range, offset};
}
} // namespace

TEST(TileLiveRange, OverlapsIncludeBothEnds) {
  LiveRange range{2, 5};
  EXPECT_TRUE(range.overlaps({5, 9}));
  EXPECT_TRUE(range.overlaps({0, 2}));
  EXPECT_TRUE(range.overlaps({3, 4}));
  EXPECT_FALSE(range.overlaps({6, 9}));
}

TEST(TilePlacement, DisjointRangesShareBytes) {
  Placement first = make(64, {0, 3}, 0), second = make(64, {4, 9});
  placeLowest(second, {&first});
  EXPECT_EQ(second.offset, 0);
}

TEST(TilePlacement, OverlappingRangesAreAligned) {
  Placement first = make(40, {0, 4}, 0), second = make(64, {4, 9});
  placeLowest(second, {&first});
  EXPECT_EQ(second.offset, 64);
}

TEST(TilePlacement, GapsAreFilledInTheOrderOfOffsets) {
  Placement high = make(64, {0, 9}, 128), low = make(64, {0, 9}, 0);
  Placement fits = make(64, {0, 9}), large = make(65, {0, 9});
  placeLowest(fits, {&high, &low});
  placeLowest(large, {&high, &low});
  EXPECT_EQ(fits.offset, 64);
  EXPECT_EQ(large.offset, 192);
}
