//===- DistributeTest.cpp - Tiles over threads and banks ------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Distribute.h"

#include "Tile/Layout/Access.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Layout/MmaLayouts.h"

#include "TestLayouts.h"

#include <map>
#include <set>

using namespace tile::layout;
using namespace tile::layout::test;

namespace {

Layout valueOf(const Result<Layout> &layout) {
  EXPECT_TRUE(layout) << layout.reason();
  return layout ? *layout : Layout();
}

/// All elements that each (warp, lane, register) holds, by enumeration.
std::map<std::vector<int64_t>, std::vector<Coord>>
holders(const Layout &layout) {
  std::map<std::vector<int64_t>, std::vector<Coord>> result;
  for (const Coord &coord : allCoords(layout.shape())) {
    for (const Position &p : allMeanings(layout, coord))
      result[{p[Axis::Warp], p[Axis::Lane], p[Axis::Reg]}].push_back(coord);
  }
  return result;
}

TEST(Spread, TextOfAnExample) {
  EXPECT_EQ(valueOf(spread({16, 256}, {4, {1, 32}, {4, 1}}, {32, 4}, true)),
            parsed("[16: 4 reg*8, 4 warp][256: 2 reg*4, 32 lane, 4 reg]"));
  EXPECT_EQ(valueOf(spread({16, 256}, coalesced({16, 256}, 4, {32, 4}), {32, 4},
                           true)),
            parsed("[16: 4 reg*8, 4 warp][256: 2 reg*4, 32 lane, 4 reg]"));
}

TEST(Partition, VectorsThenLanesThenWarps) {
  EXPECT_EQ(partition({1, 8192}, 8, {32, 4}),
            parsed("[1][8192: 8 reg*8, 4 warp, 32 lane, 8 reg]"));
  EXPECT_EQ(partition({2, 1024}, 8, {32, 2}),
            parsed("[2: 2 reg*16][1024: 2 reg*8, 2 warp, 32 lane, 8 reg]"));
  // Rows shorter than a warp's vectors share it.
  EXPECT_EQ(partition({16, 64}, 8, {32, 4}),
            parsed("[16: 4 warp, 4 lane*8][64: 8 lane, 8 reg]"));
}

TEST(Spread, EveryElementHasAPlaceOfItsOwn) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    std::vector<int64_t> shape = random.shape(3, 40);
    if (shape.empty())
      shape = {229};
    Threads threads{random.oneOf<int64_t>({4, 8, 32}),
                    random.oneOf<int64_t>({1, 2, 3, 4, 6, 8})};
    int64_t vector = vectorWidth(shape, threads, 8);
    EXPECT_EQ(shape.back() % vector, 0);
    int within = static_cast<int>(random.upTo(shape.size())) - 1;
    Spread parts = coalesced(shape, vector, threads, within);
    bool replicate = random.upTo(1) != 0;
    Layout layout = valueOf(spread(shape, parts, threads, replicate));
    EXPECT_EQ(layout.shape(), shape);
    EXPECT_LE(layout.axisSize(Axis::Lane), threads.lanes) << layout;
    EXPECT_LE(layout.axisSize(Axis::Warp), threads.warps) << layout;
    if (!replicate)
      EXPECT_EQ(layout.numCopies(), 1) << layout;
    for (const auto &[place, elements] : holders(layout))
      EXPECT_EQ(elements.size(), 1u) << layout;
    // Vectors: register r of a thread next to register r + 1.
    for (const Coord &coord : allCoords(shape)) {
      if (coord.back() % vector == vector - 1)
        continue;
      Coord next = coord;
      ++next.back();
      Position step;
      step[Axis::Reg] = 1;
      EXPECT_EQ(meaning(layout, coord) + step, meaning(layout, next)) << layout;
    }
  }
}

TEST(Spread, CopiesReachEveryWholeThread) {
  // 5 of 8 lanes have an element; the other three of each group have none.
  Layout layout =
      valueOf(spread({5}, coalesced({5}, 1, {32, 4}), {32, 4}, true));
  EXPECT_EQ(layout, parsed("[5: 5 lane] rep(4 warp, 4 lane*8)"));
  // All threads where powers of two are left.
  layout = valueOf(spread({16}, coalesced({16}, 1, {32, 4}), {32, 4}, true));
  EXPECT_EQ(holders(layout).size(), 128u);
}

TEST(Spread, ReductionsStayInsideOfWarps) {
  Layout rows = valueOf(
      spread({4, 4096}, coalesced({4, 4096}, 4, {32, 8}, 1), {32, 8}, true));
  EXPECT_EQ(rows.str(),
            "[4: 4 warp*2][4096: 16 reg*4, 2 warp, 32 lane, 4 reg]");
  Layout columns = valueOf(
      spread({64, 1024}, coalesced({64, 1024}, 4, {32, 4}, 0), {32, 4}, true));
  for (const Digit &digit : columns.dims()[0].digits)
    EXPECT_NE(digit.axis, Axis::Warp) << columns;
}

TEST(Spread, Misuse) {
  EXPECT_EQ(spread({16}, {1, {64}, {1}}, {32, 4}, true).reason(),
            "expected parts that divide 32 lanes, got 64");
  EXPECT_EQ(spread({16}, {1, {4}, {3}}, {32, 4}, true).reason(),
            "expected parts that divide 4 warps, got 3");
  EXPECT_EQ(spread({16, 2}, {1, {4}, {1}}, {32, 4}, true).reason(),
            "expected lanes and warps for 2 dimensions, got 1 and 1");
}

TEST(UnreduceDim, IsReducedAgain) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> shape = {1 + random.upTo(40), 1 + random.upTo(70)};
    Threads threads{32, random.oneOf<int64_t>({1, 2, 4, 6})};
    int64_t vector = vectorWidth(shape, threads, 4);
    Layout wide = valueOf(
        spread(shape, coalesced(shape, vector, threads), threads, true));
    Layout row = valueOf(reduceDim(wide, 1));
    Layout along = valueOf(unreduceDim(row, 1, shape[1], vector));
    EXPECT_EQ(along.shape(), shape);
    for (const auto &[place, elements] : holders(along))
      EXPECT_EQ(elements.size(), 1u) << along;
    // Whoever has an element of a row has the row's result.
    Layout owner = valueOf(broadcast(valueOf(insertDim(row, 1)), 1, shape[1]));
    EXPECT_TRUE(contains(owner, along, kThreadAxes)) << row << " " << along;
  }
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

/// What the header says, element by element: the warp that has it and where it
/// is in that warp's part.
void checkTiling(const Layout &fragment, MatrixOperand operand, int64_t rows,
                 int64_t columns, WarpGrid grid, int64_t warps) {
  Layout tile =
      valueOf(tileFragment(fragment, operand, {rows, columns}, grid, warps));
  ASSERT_EQ(tile.shape(), (std::vector<int64_t>{rows, columns}));
  int64_t group = fragment.axisSize(Axis::Warp);
  int64_t regs = fragment.axisSize(Axis::Reg);
  int64_t f0 = fragment.extent(0), f1 = fragment.extent(1);
  int64_t partM = operand == MatrixOperand::B ? 1 : grid.warpsM / group;
  int64_t partN = operand == MatrixOperand::A ? 1 : grid.warpsN;
  int64_t ownRows = rows / partM, ownColumns = columns / partN;
  for (const Coord &coord : allCoords({rows, columns})) {
    int64_t r = coord[0] % ownRows, c = coord[1] % ownColumns;
    int64_t block = r / f0 * (ownColumns / f1) + c / f1;
    PositionSet expected;
    for (const Position &inner :
         allMeanings(fragment, {coord[0] % f0, coord[1] % f1})) {
      for (int64_t warp = 0; warp < warps; warp += group) {
        int64_t index = warp % (grid.warpsM * grid.warpsN);
        bool ownsRow = operand == MatrixOperand::B ||
                       index % grid.warpsM / group == coord[0] / ownRows;
        bool ownsColumn = operand == MatrixOperand::A ||
                          index / grid.warpsM == coord[1] / ownColumns;
        if (!ownsRow || !ownsColumn)
          continue;
        Position p = inner;
        p[Axis::Warp] += warp;
        p[Axis::Reg] += block * regs;
        expected.insert(p);
      }
    }
    EXPECT_EQ(allMeanings(tile, coord), expected) << tile << coordStr(coord);
  }
  // Every element of the operand is held, and no register holds two.
  for (const auto &[place, elements] : holders(tile))
    EXPECT_EQ(elements.size(), 1u) << tile;
}

TEST(TileFragment, WarpInstructionsByEnumeration) {
  const MmaLayout &mma = *findMmaLayout("mma.m16n8k16.b16");
  for (WarpGrid grid : {WarpGrid{1, 1}, {2, 2}, {4, 1}, {1, 4}, {2, 1}}) {
    for (int64_t warps : {4, 8}) {
      checkTiling(parsed(mma.c), MatrixOperand::C, 64, 64, grid, warps);
      checkTiling(parsed(mma.a), MatrixOperand::A, 64, 32, grid, warps);
      checkTiling(parsed(mma.b), MatrixOperand::B, 32, 64, grid, warps);
    }
  }
  // Three warps, 48 rows.
  checkTiling(parsed(mma.c), MatrixOperand::C, 48, 24, {3, 1}, 3);
  checkTiling(parsed(mma.c), MatrixOperand::C, 48, 24, {1, 3}, 6);
  for (const MmaLayout &other : mmaLayouts())
    checkTiling(parsed(other.c), MatrixOperand::C, 2 * other.m, 4 * other.n,
                {2, 2}, 4);
}

TEST(TileFragment, WarpgroupsByEnumeration) {
  for (int64_t n : {8, 64, 96}) {
    Layout c = valueOf(wgmmaAccumulator(n));
    checkTiling(c, MatrixOperand::C, 64, 2 * n, {4, 1}, 4);
    checkTiling(c, MatrixOperand::C, 128, n, {8, 1}, 8);
    checkTiling(c, MatrixOperand::C, 256, n, {8, 1}, 8);
    checkTiling(c, MatrixOperand::C, 128, 2 * n, {4, 2}, 8);
    checkTiling(c, MatrixOperand::C, 64, n, {4, 1}, 12);
  }
  Layout a = valueOf(wgmmaInputA(16));
  checkTiling(a, MatrixOperand::A, 128, 64, {8, 1}, 8);
  checkTiling(a, MatrixOperand::A, 128, 64, {4, 2}, 8);
}

TEST(TileFragment, ScoresAreTheNextOperand) {
  // Attention: the accumulator of Q K' is the operand A of P V, register by
  // register.
  Layout scores = valueOf(tileFragment(valueOf(wgmmaAccumulator(64)),
                                       MatrixOperand::C, {128, 64}, {8, 1}, 8));
  Layout weights = valueOf(tileFragment(
      valueOf(wgmmaInputA(16)), MatrixOperand::A, {128, 64}, {8, 1}, 8));
  EXPECT_TRUE(*equivalent(scores, weights)) << scores << " " << weights;
}

TEST(TileFragment, WarpsBeyondTheGridHaveNothing) {
  Layout c = parsed(findMmaLayout("mma.m16n8k16.b16")->c);
  Layout tiled =
      valueOf(tileFragment(c, MatrixOperand::C, {48, 8}, {3, 1}, 4));
  EXPECT_EQ(tiled.axisSize(Axis::Warp), 3);
  EXPECT_TRUE(tiled.copies().empty());
}

TEST(TileFragment, Misuse) {
  Layout c = parsed(findMmaLayout("mma.m16n8k16.b16")->c);
  EXPECT_EQ(tileFragment(c, MatrixOperand::C, {40, 8}, {1, 1}, 4).reason(),
            "expected an extent that is a multiple of 16 x 1 warps, got 40");
  EXPECT_EQ(tileFragment(c, MatrixOperand::C, {80, 8}, {5, 1}, 4).reason(),
            "expected a grid of at most 4 warps, got 5 x 1");
  EXPECT_EQ(
      tileFragment(*wgmmaAccumulator(8), MatrixOperand::C, {64, 8}, {2, 1}, 4)
          .reason(),
      "expected the warps along M to be a multiple of 4, got 2");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(SwizzledTile, TextOfExamples) {
  EXPECT_EQ(valueOf(swizzledTile({128, 64}, 16)).str(),
            "[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)");
  EXPECT_EQ(
      valueOf(swizzledTile({64, 256}, 16)).str(),
      "[64: 64 offset*64][256: 4 offset*4096, 64 offset] swizzle(3, 3, 3)");
}

TEST(SwizzledTile, IsWhatTmaWrites) {
  for (int64_t bits : {8, 16, 32, 64}) {
    for (int64_t bytes : {32, 64, 96, 128, 192, 256, 512}) {
      int64_t columns = bytes * 8 / bits;
      Layout tile = valueOf(swizzledTile({64, columns}, bits));
      EXPECT_TRUE(*tile.isBijective()) << tile;
      Result<TmaBox> box = matchTmaBox(tile, bits);
      ASSERT_TRUE(box) << tile << ": " << box.reason();
      EXPECT_EQ(swizzleBytes(box->swizzle), swizzleSpan(columns, bits));
      EXPECT_EQ(box->box.back() * bits / 8, swizzleSpan(columns, bits));
    }
  }
}

TEST(SwizzledTile, RowMajorWhereNoSpanFits) {
  for (int64_t columns : {1, 3, 8, 20, 24})
    EXPECT_EQ(valueOf(swizzledTile({16, columns}, 16)),
              valueOf(Layout::rowMajor({16, columns})));
  EXPECT_EQ(valueOf(swizzledTile({16, 256}, 4)),
            valueOf(Layout::rowMajor({16, 256})));
  EXPECT_EQ(valueOf(swizzledTile({256}, 16)), valueOf(Layout::rowMajor({256})));
}

TEST(SwizzledTile, MatricesAreReadWithoutConflicts) {
  // ldmatrix: 8 rows of 16 bytes at a time.
  for (int64_t columns : {16, 32, 64, 128}) {
    Layout tile = valueOf(swizzledTile({64, columns}, 16));
    for (int64_t row = 0; row < 64; row += 8) {
      for (int64_t column = 0; column < columns; column += 8) {
        std::vector<int64_t> addresses;
        for (int64_t lane = 0; lane < 8; ++lane)
          addresses.push_back(
              2 * meaning(tile, {row + lane, column})[Axis::Offset]);
        Result<BankReport> report =
            countBankConflicts(addresses, 16, {32, 4, 128});
        ASSERT_TRUE(report) << report.reason();
        EXPECT_EQ(report->conflicts(), 0) << tile;
      }
    }
  }
}

TEST(SwizzledTile, RowsAreReadWithoutConflicts) {
  // MFMA: a lane reads 16 bytes of its own row, 16 or 32 rows side by side, of
  // as many neighbouring columns as there are lanes left.
  for (int64_t banks : {32, 64}) {
    for (int64_t rows : {16, 32}) {
      for (int64_t columns : {16, 32, 64, 128, 256}) {
        Layout tile = valueOf(swizzledTile({64, columns}, 16, banks * 4));
        EXPECT_TRUE(*tile.isBijective()) << tile;
        int64_t lanes = std::min<int64_t>(64, columns / 8 * rows);
        std::vector<int64_t> addresses;
        for (int64_t lane = 0; lane < lanes; ++lane)
          addresses.push_back(
              2 * meaning(tile, {lane % rows, lane / rows * 8})[Axis::Offset]);
        Result<BankReport> report =
            countBankConflicts(addresses, 16, {banks, 4, banks * 4});
        ASSERT_TRUE(report) << report.reason();
        EXPECT_EQ(report->conflicts(), 0) << tile << ", " << banks << " banks";
      }
    }
  }
}

TEST(SwizzledTile, RefusesOtherRowsOfBanks) {
  for (int64_t bytes : {0, -128, 64, 192})
    EXPECT_FALSE(swizzledTile({64, 64}, 16, bytes));
}

/// Elements of a column that one access of a warp takes lie in different banks.
TEST(TransposableTile, ColumnsAreFreeOfConflicts) {
  Layout tile = valueOf(transposableTile({64, 64}, 16, 16));
  EXPECT_EQ(tile.str(), "[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 6)");
  for (int64_t step = 0; step < 8; ++step) {
    // Eight lanes walk down eight rows each, four columns beside each other.
    std::map<int64_t, std::set<int64_t>> words; // of each bank
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t offset =
          meaning(tile, {8 * (lane % 8) + step, lane / 8})[Axis::Offset];
      words[offset / 2 % 32].insert(offset / 2);
    }
    for (const auto &bank : words)
      EXPECT_EQ(bank.second.size(), 1u);
  }
  for (int64_t bits : {8, 16, 32, 64})
    EXPECT_TRUE(*valueOf(transposableTile({64, 128}, bits, 16)).isInjective());
}

TEST(TransposableTile, RowMajorWhereTheNumbersDoNotFit) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{48, 64}, {64, 48}, {4, 64}, {64, 8}, {64}})
    EXPECT_EQ(valueOf(transposableTile(shape, 16, 16)),
              valueOf(Layout::rowMajor(shape)));
}

TEST(ScanTotals, CellsOfWarps) {
  auto totals = [](const char *text, int dim) {
    return scanTotals(*Layout::parse(text), dim, {32, 4});
  };
  // Within a warp: nothing.
  EXPECT_EQ(totals("[4: 4 warp][128: 32 lane, 4 reg]", 1).cells, 0);
  // One total a warp for each of the two outer registers.
  ScanTotals rows = totals("[1024: 2 reg*4, 4 warp, 32 lane, 4 reg]", 0);
  EXPECT_EQ(rows.columns, 1);
  EXPECT_EQ(rows.cells, 2 * 4);
  // Lanes along the other dimension have totals of their own.
  ScanTotals columns = totals("[16: 4 warp, 4 reg][32: 32 lane]", 0);
  EXPECT_EQ(columns.columns, 32);
  EXPECT_EQ(columns.cells, 4 * 32);
}

TEST(Stack, TilesFollowEachOther) {
  Layout tile = valueOf(swizzledTile({64, 64}, 16));
  Layout stacked = valueOf(stack(tile, 3));
  EXPECT_EQ(stacked.str(), "[3: 3 offset*4096][64: 64 offset*64]"
                           "[64: 64 offset] swizzle(3, 3, 3)");
  for (const Coord &coord : allCoords({3, 64, 64}))
    EXPECT_EQ(meaning(stacked, coord)[Axis::Offset],
              coord[0] * 4096 +
                  meaning(tile, {coord[1], coord[2]})[Axis::Offset]);
}

} // namespace
