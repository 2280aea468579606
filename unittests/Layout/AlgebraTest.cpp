//===- AlgebraTest.cpp - Every operation against its equation -------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Algebra.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

/// Where each element of the result is to be found in the operand.
using Source = std::function<Coord(const Coord &)>;

/// Checks result.at(c) = layout.at(source(c)), copies included.
static void expectReads(const Layout &result, const std::vector<int64_t> &shape,
                        const Layout &layout, const Source &source) {
  ASSERT_EQ(result.shape(), shape) << result;
  for (const Coord &coord : allCoords(shape))
    ASSERT_EQ(allMeanings(result, coord), allMeanings(layout, source(coord)))
        << result << " from " << layout << " at " << coordStr(coord);
}

/// Whether a function of coordinates is a layout at all: what an operation that
/// claims to be complete may refuse.
static bool isLayout(const std::vector<int64_t> &shape, const Layout &layout,
                     const Source &source) {
  return bool(Layout::fromFunction(shape, [&](const Coord &coord) {
    return meaning(layout, source(coord));
  }));
}

static int64_t indexOf(const std::vector<int64_t> &shape, const Coord &coord) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + coord[d];
  return index;
}

static Coord coordOf(const std::vector<int64_t> &shape, int64_t index) {
  return allCoords(shape)[index];
}

static Layout anyOf(Random &random, const std::vector<int64_t> &shape) {
  switch (random.upTo(3)) {
  case 0:
    return random.any(shape, kThreadsAndRegs);
  case 1:
    return random.injective(shape, kThreadsAndRegs, true, random.upTo(2));
  case 2:
    return random.injective(shape, kThreadsAndRegs, false, random.upTo(2));
  default:
    return *Layout::get(random.injective(shape, kMemory).dims(), {},
                        random.swizzle());
  }
}

//===----------------------------------------------------------------------===//
// Coordinate space
//===----------------------------------------------------------------------===//

TEST(Algebra, Permute) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    Layout layout = anyOf(random, {1 + random.upTo(4), 1 + random.upTo(5), 3});
    Result<Layout> result = permute(layout, {2, 0, 1});
    ASSERT_TRUE(result);
    expectReads(*result, {3, layout.extent(0), layout.extent(1)}, layout,
                [](const Coord &c) {
                  return Coord{c[1], c[2], c[0]};
                });
  }
  EXPECT_EQ(permute(parsed("[2: 2 reg][1]"), {0, 0}).reason(),
            "expected a permutation of 2 dimensions, got (0, 0)");
  EXPECT_FALSE(permute(parsed("[2: 2 reg][1]"), {0}));
  EXPECT_FALSE(permute(parsed("[2: 2 reg][1]"), {0, 2}));
}

TEST(Algebra, ReshapeIsCompleteAndExact) {
  Random random(12);
  const std::vector<std::vector<int64_t>> shapes = {
      {24},      {1, 24},    {24, 1},      {2, 12},     {12, 2},   {3, 8},
      {8, 3},    {4, 6},     {6, 4},       {2, 3, 4},   {4, 3, 2}, {3, 2, 4},
      {2, 2, 6}, {2, 1, 12}, {2, 2, 2, 3}, {3, 2, 2, 2}};
  int done = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> from = random.oneOf(shapes), to = random.oneOf(shapes);
    Layout layout = anyOf(random, from);
    if (!layout.swizzle().isIdentity())
      layout = *withSwizzle(layout, {});
    Source source = [&](const Coord &c) {
      return coordOf(from, indexOf(to, c));
    };
    Result<Layout> result = reshape(layout, to);
    ++(result ? done : refused);
    if (result)
      expectReads(*result, to, layout, source);
    else
      ASSERT_FALSE(isLayout(to, layout, source))
          << layout << " to " << coordStr(to) << ": " << result.reason();
  }
  EXPECT_GT(done, 500);
  EXPECT_GT(refused, 500);
}

TEST(Algebra, ReshapeReasons) {
  EXPECT_EQ(reshape(parsed("[12: 2 lane, 6 reg]"), {3, 4}).reason(),
            "dimension 1: expected a digit boundary 4 elements into the digit "
            "'6 reg*1', got none");
  EXPECT_EQ(reshape(parsed("[12: 12 reg]"), {3, 5}).reason(),
            "expected a shape of 12 elements, got 15");
  EXPECT_EQ(reshape(parsed("[2: 2 warp][5: 3 lane, 2 reg]"), {10}).reason(),
            "expected the digits of dimension 1 to cover exactly 5, got 6");
  EXPECT_FALSE(reshape(parsed("[12: 12 reg]"), {-12, -1}));
  EXPECT_EQ(*reshape(parsed("[64: 64 offset*64][64: 64 offset] swizzle(3,3,3)"),
                     {2, 32, 64}),
            parsed("[2: 2 offset*2048][32: 32 offset*64][64: 64 offset] "
                   "swizzle(3, 3, 3)"));
}

/// Where bit `bit` of the row-major order lies.
static int64_t addressOfBit(const Layout &layout, int64_t bits, int64_t bit) {
  Coord coord(layout.rank(), 0);
  int64_t rest = bit / bits;
  for (int d = layout.rank(); d-- > 0; rest /= layout.extent(d))
    coord[d] = rest % layout.extent(d);
  return layout.at(coord)[Axis::Offset] * bits + bit % bits;
}

TEST(Algebra, ReinterpretIsExact) {
  Random random(31);
  const std::vector<std::vector<int64_t>> shapes = {
      {64}, {4, 16}, {16, 4}, {2, 4, 8}, {8, 8}, {2, 2, 16}};
  const std::vector<int64_t> widths = {4, 8, 16, 32, 64};
  int done = 0, refused = 0, swizzles = 0;
  for (int round = 0; round < 3000; ++round) {
    int64_t from = random.oneOf(widths), to = random.oneOf(widths);
    Layout layout = random.injective(random.oneOf(shapes), kMemory, true, 0,
                                     random.upTo(3) == 0);
    if (random.upTo(1))
      layout = *withSwizzle(layout, random.swizzle());
    std::vector<int64_t> shape = random.oneOf(shapes);
    if (from >= to)
      shape.back() *= from / to;
    else if (shape.back() % (to / from) == 0)
      shape.back() /= to / from;
    else
      continue;
    Result<Layout> result = reinterpret(layout, from, to, shape);
    ++(result ? done : refused);
    if (!result)
      continue;
    swizzles += !result->swizzle().isIdentity();
    ASSERT_EQ(result->shape(), shape);
    for (int64_t bit = 0; bit < 64 * from; ++bit)
      ASSERT_EQ(addressOfBit(*result, to, bit),
                addressOfBit(layout, from, bit))
          << layout << " of " << from << " as " << *result << " of " << to;
  }
  EXPECT_GT(done, 500);
  EXPECT_GT(swizzles, 200);
  EXPECT_GT(refused, 200);
}

TEST(Algebra, ReinterpretReasons) {
  Layout swizzled = parsed("[4: 4 offset*4][4: 4 offset] swizzle(1, 1, 2)");
  EXPECT_EQ(*reinterpret(swizzled, 8, 4, {4, 8})->canonical(),
            parsed("[4: 4 offset*8][8: 8 offset] swizzle(1, 2, 2)"));
  EXPECT_EQ(*reinterpret(*reinterpret(swizzled, 8, 4, {4, 8}), 4, 8, {4, 4})
                 ->canonical(),
            swizzled);
  EXPECT_EQ(reinterpret(swizzled, 8, 32, {4, 1}).reason(),
            "expected a swizzle that moves 4 neighbours together, got one from "
            "bit 1 on");
  EXPECT_EQ(
      reinterpret(parsed("[4: 4 offset][4: 4 offset*4]"), 8, 16, {4, 2}).reason(),
      "expected 2 neighbours that become one element at consecutive offsets, "
      "got number 1 at 4 behind the first");
  EXPECT_EQ(reinterpret(parsed("[4: 4 offset*5][4: 4 offset]"), 8, 16, {4, 2})
                .reason(),
            "expected strides that are multiples of 2, got 5");
  EXPECT_EQ(reinterpret(swizzled, 8, 24, {4, 4}).reason(),
            "expected bits of elements whose ratio is a power of two up to "
            "1024, got 8 and 24");
  EXPECT_EQ(reinterpret(parsed("[4: 4 lane]"), 8, 4, {8}).reason(),
            "expected a layout of memory, got '[4: 4 lane]'");
  EXPECT_FALSE(reinterpret(swizzled, 8, 0, {4, 4}));
}

TEST(Algebra, InsertAndBroadcast) {
  Layout layout = parsed("[6: 3 lane, 2 reg] rep(2 warp)");
  Layout inserted = *insertDim(layout, 1);
  expectReads(inserted, {6, 1}, layout,
              [](const Coord &c) { return Coord{c[0]}; });
  expectReads(*broadcast(inserted, 1, 5), {6, 5}, layout,
              [](const Coord &c) { return Coord{c[0]}; });
  EXPECT_EQ(broadcast(layout, 0, 5).reason(),
            "expected dimension 0 to have extent 1, got 6");
  EXPECT_FALSE(broadcast(inserted, 1, 0));
  EXPECT_FALSE(insertDim(layout, 2));
  EXPECT_FALSE(insertDim(layout, -1));
}

TEST(Algebra, Divide) {
  Random random(13);
  int done = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<int64_t> shape = {12, 6},
                         tile = {random.oneOf<int64_t>({1, 2, 3, 4, 6, 12}),
                                 random.oneOf<int64_t>({1, 2, 3, 6})};
    Layout layout = anyOf(random, shape);
    Source source = [&](const Coord &c) {
      return Coord{c[0] * tile[0] + c[2], c[1] * tile[1] + c[3]};
    };
    std::vector<int64_t> to = {12 / tile[0], 6 / tile[1], tile[0], tile[1]};
    Result<Layout> result = divide(layout, tile);
    if (result) {
      ++done;
      expectReads(*result, to, layout, source);
    } else if (layout.swizzle().isIdentity()) {
      ASSERT_FALSE(isLayout(to, layout, source)) << layout;
    }
  }
  EXPECT_GT(done, 300);
  EXPECT_EQ(divide(parsed("[12: 12 reg]"), {5}).reason(),
            "expected a tile that divides the extent 12 of dimension 0, got 5");
  EXPECT_FALSE(divide(parsed("[12: 12 reg]"), {0}));
  EXPECT_FALSE(divide(parsed("[12: 12 reg]"), {}));
}

//===----------------------------------------------------------------------===//
// Compose
//===----------------------------------------------------------------------===//

TEST(Algebra, ComposeIsCompleteAndExact) {
  Random random(14);
  const std::vector<std::vector<int64_t>> outers = {
      {60}, {5, 12}, {12, 5}, {4, 3, 5}, {64}, {8, 8}, {7, 9}};
  int done = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Layout outer = anyOf(random, random.oneOf(outers));
    std::vector<int64_t> shape = random.shape(3, 5);
    Layout inner = round % 2 ? random.any(shape, kMemory)
                             : random.injective(shape, kMemory);
    if (round % 5 == 0)
      inner = *withSwizzle(inner, random.swizzle());
    int64_t reach = 0;
    for (const Coord &coord : allCoords(shape))
      reach = std::max(reach, meaning(inner, coord)[Axis::Offset]);
    if (inner.axisSize(Axis::Offset) > outer.numElements()) {
      ASSERT_FALSE(compose(outer, inner));
      continue;
    }
    ASSERT_LT(reach, outer.numElements());
    Source source = [&](const Coord &c) {
      return coordOf(outer.shape(), meaning(inner, c)[Axis::Offset]);
    };
    Result<Layout> result = compose(outer, inner);
    ++(result ? done : refused);
    if (result)
      expectReads(*result, shape, outer, source);
    else
      ASSERT_FALSE(isLayout(shape, outer, source)) << outer << " o " << inner;
  }
  EXPECT_GT(done, 500);
  EXPECT_GT(refused, 100);
}

TEST(Algebra, ComposeByHand) {
  // A loop over the transpose of a fragment.
  EXPECT_EQ(*compose(parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]"),
                     parsed("[8: 8 offset][16: 16 offset*8]")),
            parsed("[8: 4 lane, 2 reg][16: 2 reg*2, 8 lane*4]"));
  // A vector read by every row of a matrix.
  EXPECT_EQ(*compose(parsed("[8: 8 lane]"), parsed("[4: 4 none][8: 8 offset]")),
            parsed("[4: 4 none][8: 8 lane]"));
  // Every third element crosses the rows of 4: two digits are found.
  EXPECT_EQ(
      *compose(parsed("[4: 4 lane][4: 4 reg]"), parsed("[4: 4 offset*4]")),
      parsed("[4: 4 lane]"));
  EXPECT_EQ(compose(parsed("[8: 8 lane]"), parsed("[9: 9 offset]")).reason(),
            "expected inner offsets below 8, got 8");
  EXPECT_EQ(compose(parsed("[8: 8 lane]"), parsed("[4: 4 lane]")).reason(),
            "expected an inner layout on offset alone, got '[4: 4 lane]'");
  EXPECT_EQ(
      compose(parsed("[8: 8 lane]"), parsed("[2: 2 offset] rep(2 offset*4)"))
          .reason(),
      "expected an inner layout without replication, got 2 copies");
  EXPECT_FALSE(
      compose(parsed("[4: 4 lane][4: 4 reg]"), parsed("[5: 5 offset*3]")));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Checks that the part is the region of `layout` that `source` says.
static void expectPart(const Part &part, const Layout &layout,
                       const Source &source) {
  Layout plain = *withSwizzle(layout, {});
  for (const Coord &coord : allCoords(part.layout.shape())) {
    Position sum = part.base + meaning(*withSwizzle(part.layout, {}), coord);
    ASSERT_EQ(sum, meaning(plain, source(coord)))
        << layout << " at " << coordStr(coord);
  }
  EXPECT_EQ(part.layout.swizzle(), layout.swizzle());
  EXPECT_EQ(part.layout.copies(), layout.copies());
}

TEST(Algebra, Slice) {
  Random random(15);
  for (int round = 0; round < 300; ++round) {
    Layout layout = anyOf(random, {5, 6, 4});
    int64_t index = random.upTo(5);
    Result<Part> part = slice(layout, 1, index);
    ASSERT_TRUE(part);
    expectPart(*part, layout, [&](const Coord &c) {
      return Coord{c[0], index, c[1]};
    });
  }
  EXPECT_EQ(slice(parsed("[4: 4 reg]"), 0, 4).reason(),
            "expected an index below 4 in dimension 0, got 4");
  EXPECT_FALSE(slice(parsed("[4: 4 reg]"), 1, 0));
  EXPECT_FALSE(slice(parsed("[4: 4 reg]"), 0, -1));
}

TEST(Algebra, SubtileIsCompleteAndExact) {
  Random random(16);
  int done = 0, refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> shape = {12, 10};
    Layout layout = anyOf(random, shape);
    std::vector<int64_t> offset = {random.upTo(11), random.upTo(9)};
    std::vector<int64_t> size = {1 + random.upTo(11 - offset[0]),
                                 1 + random.upTo(9 - offset[1])};
    Source source = [&](const Coord &c) {
      return Coord{offset[0] + c[0], offset[1] + c[1]};
    };
    Result<Part> part = subtile(layout, offset, size);
    ++(part ? done : refused);
    if (part) {
      EXPECT_EQ(part->layout.shape(), size);
      expectPart(*part, layout, source);
      continue;
    }
    // A part keeps the swizzle of the whole, so that of digits alone counts.
    Layout plain = *withSwizzle(layout, {});
    auto digits = Layout::fromFunction(size, [&](const Coord &c) {
      Position position = meaning(plain, source(c));
      Position base = meaning(plain, offset);
      for (int a = 0; a < kNumAxes; ++a)
        position[static_cast<Axis>(a)] -= base[static_cast<Axis>(a)];
      return position;
    });
    ASSERT_FALSE(digits && digits->swizzle().isIdentity())
        << layout << ": " << part.reason() << "; " << size[0] << "x"
        << size[1] << " at " << offset[0] << ", " << offset[1];
  }
  EXPECT_GT(done, 300);
  EXPECT_GT(refused, 300);
  EXPECT_EQ(subtile(parsed("[4: 4 reg]"), {3}, {2}).reason(),
            "expected a region inside the extent 4 of dimension 0, got 2 "
            "elements at 3");
  EXPECT_FALSE(subtile(parsed("[4: 4 reg]"), {0}, {0}));
  EXPECT_FALSE(subtile(parsed("[4: 4 reg]"), {-1}, {1}));
  EXPECT_FALSE(subtile(parsed("[4: 4 reg]"), {INT64_MAX}, {2}));
  EXPECT_FALSE(subtile(parsed("[4: 4 reg]"), {}, {}));
}

//===----------------------------------------------------------------------===//
// Product, replicate, reduce, compact
//===----------------------------------------------------------------------===//

TEST(Algebra, Product) {
  Random random(17);
  int done = 0;
  for (int round = 0; round < 500; ++round) {
    Layout inner = anyOf(random, {1 + random.upTo(5), 1 + random.upTo(5)});
    Layout outer = random.any({1 + random.upTo(3), 1 + random.upTo(3)},
                              {Axis::Reg, Axis::Warp, Axis::Offset});
    Result<Layout> result = product(inner, outer);
    if (!result)
      continue;
    ++done;
    std::array<int64_t, kNumAxes> size;
    for (int a = 0; a < kNumAxes; ++a)
      size[a] = inner.axisSize(static_cast<Axis>(a));
    for (const Coord &o : allCoords(outer.shape())) {
      for (const Coord &i : allCoords(inner.shape())) {
        Position scaled = meaning(outer, o);
        for (int a = 0; a < kNumAxes; ++a)
          scaled[static_cast<Axis>(a)] *= size[a];
        Coord c = {o[0] * inner.extent(0) + i[0],
                   o[1] * inner.extent(1) + i[1]};
        ASSERT_EQ(meaning(*result, c), scaled + meaning(inner, i))
            << inner << " x " << outer;
      }
    }
  }
  EXPECT_GT(done, 200);
}

TEST(Algebra, ProductByHand) {
  // The accumulator of 2 x 2 warps, each with 2 x 4 of the mma's tiles.
  Layout mma = parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]");
  Layout warp = *product(mma, parsed("[2: 2 reg*4][4: 4 reg]"));
  Layout block = *product(warp, parsed("[2: 2 warp*2][2: 2 warp]"));
  EXPECT_EQ(block, parsed("[64: 2 warp*2, 2 reg*16, 2 reg*2, 8 lane*4]"
                          "[64: 2 warp, 4 reg*4, 4 lane, 2 reg]"));
  EXPECT_TRUE(*block.isBijective());
  // Copies of the outer layout step over those of the inner.
  EXPECT_EQ(*product(parsed("[2: 2 lane] rep(2 lane*2)"),
                     parsed("[3: 3 lane] rep(2 lane*3)")),
            parsed("[6: 3 lane*4, 2 lane] rep(2 lane*12, 2 lane*2)"));
  EXPECT_EQ(
      product(parsed("[5: 3 lane, 2 reg]"), parsed("[2: 2 warp]")).reason(),
      "expected the digits of inner dimension 0 to cover exactly 5, got 6");
  EXPECT_EQ(*product(parsed("[4: 4 offset] swizzle(1, 0, 1)"),
                     parsed("[2: 2 offset]")),
            parsed("[8: 2 offset*4, 4 offset] swizzle(1, 0, 1)"));
  EXPECT_EQ(
      product(parsed("[6: 6 offset] swizzle(1, 0, 1)"), parsed("[2: 2 offset]"))
          .reason(),
      "expected an inner size that is a multiple of the swizzle period "
      "4, got 6");
  EXPECT_FALSE(product(mma, parsed("[2: 2 reg]")));
  EXPECT_FALSE(product(parsed("[2: 2 offset]"),
                       parsed("[4: 4 offset] swizzle(1, 0, 1)")));
  Layout large = parsed("[16777216: 16777216 offset]");
  EXPECT_FALSE(product(*product(large, large), large));
}

TEST(Algebra, Replicate) {
  EXPECT_EQ(*replicate(parsed("[4: 4 lane]"), 2, Axis::Warp, 3),
            parsed("[4: 4 lane] rep(2 warp*3)"));
  EXPECT_FALSE(replicate(parsed("[4: 4 lane] rep(2 warp)"), 2, Axis::Warp, 1));
  EXPECT_FALSE(replicate(parsed("[4: 4 lane]"), -1, Axis::Warp, 1));
}

TEST(Algebra, ReduceByHand) {
  EXPECT_EQ(*reduceDim(parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]"), 1),
            parsed("[16: 2 reg, 8 lane*4] rep(4 lane)"));
  EXPECT_EQ(*reduceDim(parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]"), 0),
            parsed("[8: 4 lane, 2 reg] rep(8 lane*4)"));
}

/// A thread holds a sum exactly if it held one of its terms, and the registers
/// that are left keep their order without gaps.
TEST(Algebra, ReduceByEnumeration) {
  Random random(18);
  for (int round = 0; round < 500; ++round) {
    Layout layout = random.injective({6, 4}, kThreadsAndRegs, true,
                                     random.upTo(1), round % 2);
    Result<Layout> result = reduceDim(layout, 1);
    ASSERT_TRUE(result) << layout << ": " << result.reason();
    auto threadOf = [](Position p) {
      p[Axis::Reg] = 0;
      return p;
    };
    std::set<int64_t> regs, oldRegs;
    std::map<int64_t, int64_t> renumbered;
    for (int64_t c = 0; c < 6; ++c) {
      PositionSet expected, got;
      for (int64_t k = 0; k < 4; ++k) {
        for (const Position &p : allMeanings(layout, {c, k}))
          expected.insert(threadOf(p));
      }
      for (const Position &p : allMeanings(*result, {c}))
        got.insert(threadOf(p));
      ASSERT_EQ(got, expected) << layout << " -> " << *result;
      for (int64_t copy = 0; copy < result->numCopies(); ++copy)
        regs.insert(meaning(*result, {c}, copy)[Axis::Reg]);
      int64_t oldReg = meaning(layout, {c, 0})[Axis::Reg];
      int64_t newReg = meaning(*result, {c})[Axis::Reg];
      ASSERT_EQ(renumbered.emplace(oldReg, newReg).first->second, newReg);
    }
    int64_t last = -1;
    for (const auto &[oldReg, newReg] : renumbered) {
      ASSERT_LT(last, newReg) << layout << " -> " << *result;
      last = newReg;
    }
    ASSERT_EQ(static_cast<int64_t>(regs.size()), *regs.rbegin() + 1)
        << layout << " -> " << *result;
  }
  EXPECT_FALSE(reduceDim(parsed("[4: 4 lane]"), 1));
  EXPECT_EQ(
      reduceDim(parsed("[2: 2 reg][2: 2 lane][1] rep(2 lane)"), 1).reason(),
      "expected a replication stride above 1 on lane, got 1");
}

TEST(Algebra, Compact) {
  EXPECT_EQ(*compact(parsed("[2: 2 reg*12][3: 3 reg*2]"), Axis::Reg),
            parsed("[2: 2 reg*3][3: 3 reg]"));
  EXPECT_EQ(compact(parsed("[2: 2 reg*3][3: 3 reg*2]"), Axis::Reg).reason(),
            "expected a stride above 4 on reg, got 3");
  EXPECT_FALSE(compact(parsed("[8: 8 offset] swizzle(1, 0, 2)"), Axis::Offset));
}

//===----------------------------------------------------------------------===//
// Invert
//===----------------------------------------------------------------------===//

TEST(Algebra, InvertByEnumeration) {
  Random random(19);
  int done = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> shape = random.shape(3, 8);
    bool memory = round % 2;
    Layout layout =
        random.injective(shape, memory ? kMemory : kThreadsAndRegs,
                         round % 4 != 0, memory ? 0 : random.upTo(2), false);
    if (memory && round % 3 == 0)
      layout = *withSwizzle(layout, random.swizzle());
    Result<Inverse> inverse = invert(layout);
    if (!inverse)
      continue;
    ++done;
    // Every position of the box is hit, and leads back to the element.
    std::set<Coord> seen;
    for (const Coord &coord : allCoords(shape)) {
      for (const Position &position : allMeanings(layout, coord)) {
        Coord where;
        for (Axis axis : inverse->axes)
          where.push_back(position[axis]);
        seen.insert(where);
        ASSERT_EQ(meaning(inverse->layout, where)[Axis::Offset],
                  indexOf(shape, coord))
            << layout << " inverse " << inverse->layout;
      }
    }
    ASSERT_EQ(static_cast<int64_t>(seen.size()), inverse->layout.numElements());
  }
  EXPECT_GT(done, 1000);
}

TEST(Algebra, InvertByHand) {
  Result<Inverse> inverse =
      invert(parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]"));
  ASSERT_TRUE(inverse);
  EXPECT_EQ(inverse->axes, (std::vector<Axis>{Axis::Lane, Axis::Reg}));
  EXPECT_EQ(inverse->layout,
            parsed("[32: 32 offset*2][4: 2 offset*64, 2 offset]"));
  // A swizzle of whole rows is its own inverse.
  Layout swizzled = parsed("[8: 8 offset*8][8: 8 offset] swizzle(3, 0, 3)");
  EXPECT_EQ(invert(swizzled)->layout,
            parsed("[64: 64 offset] swizzle(3, 0, 3)"));
  // Replicated lanes hold the same element.
  EXPECT_EQ(invert(parsed("[4: 4 lane*2] rep(2 lane)"))->layout,
            parsed("[8: 4 offset, 2 none]"));
  EXPECT_EQ(invert(parsed("[2: 2 reg*2]")).reason(),
            "expected a bijective layout, got '[2: 2 reg*2]'");
  EXPECT_FALSE(invert(parsed("[2: 2 none]")));
}
