//===- LayoutTest.cpp - Evaluation, injectivity, canonical form -----------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

static Position at(Axis axis, int64_t value) {
  Position result;
  result[axis] = value;
  return result;
}

//===----------------------------------------------------------------------===//
// The pictures of the essay
//===----------------------------------------------------------------------===//

TEST(Layout, EssayDigits) {
  Layout rows = parsed("[12: 3 lane, 4 reg]");
  Layout neighbours = parsed("[12: 3 reg, 4 lane]");
  for (int64_t c = 0; c < 12; ++c) {
    EXPECT_EQ(rows.at({c})[Axis::Lane], c / 4);
    EXPECT_EQ(rows.at({c})[Axis::Reg], c % 4);
    EXPECT_EQ(neighbours.at({c})[Axis::Lane], c % 4);
    EXPECT_EQ(neighbours.at({c})[Axis::Reg], c / 4);
  }
}

TEST(Layout, EssayCutShort) {
  Layout layout = parsed("[5: 3 lane, 2 reg]");
  EXPECT_EQ(layout.axisSize(Axis::Lane), 3);
  EXPECT_EQ(layout.at({4})[Axis::Lane], 2);
  Position hole;
  hole[Axis::Lane] = 2;
  hole[Axis::Reg] = 1;
  EXPECT_EQ(**layout.coordinateOf(at(Axis::Lane, 2)), Coord{4});
  EXPECT_FALSE(*layout.coordinateOf(hole));
}

TEST(Layout, EssayReplication) {
  Layout layout = parsed("[4: 4 lane*2] rep(2 lane)");
  for (int64_t lane = 0; lane < 8; ++lane)
    EXPECT_EQ(**layout.coordinateOf(at(Axis::Lane, lane)), Coord{lane / 2});
  EXPECT_TRUE(*layout.isBijective());
}

TEST(Layout, EssaySwizzle) {
  Layout layout = parsed("[4: 4 offset*4][4: 4 offset] swizzle(2, 0, 2)");
  const int64_t expected[4][4] = {
      {0, 1, 2, 3}, {5, 4, 7, 6}, {10, 11, 8, 9}, {15, 14, 13, 12}};
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t c = 0; c < 4; ++c)
      EXPECT_EQ(layout.at({r, c})[Axis::Offset], expected[r][c]);
  }
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

TEST(Layout, Rejects) {
  const std::pair<const char *, const char *> cases[] = {
      {"[8: 3 lane, 2 reg]", "cover 8, got 6"},
      {"[5: 4 lane, 2 reg]", "cover 5, got 8"},
      {"[2: 1 lane, 4 reg]", "cover 2, got 4"},
      {"[3]", "cover 3, got 1"},
      {"[0]", "expected a positive extent, got 0"},
      {"[4: 0 lane, 4 reg]", "expected a positive digit extent, got 0"},
      {"[1] rep(2 lane, 2 lane)", "stride above 1 on lane, got 1"},
      {"[1] rep(3 lane, 2 lane*2)", "stride above 2 on lane, got 2"},
      {"[1] rep(2 none)", "stride above 0 on reg, got 0"},
      {"[1] rep(2 offset) swizzle(1, 0, 1)", "no replication on offset"},
      {"[1] swizzle(2, 0, 1)", "0 < bits <= shift"},
      {"[1] swizzle(0, 1, 1)", "0 < bits <= shift"},
      {"[1] swizzle(20, 20, 20)", "a sum of at most 48"},
      {"[1] rep(1048577 lane)", "at most 1048576 copies"},
      {"[281474976710656: 281474976710656 lane*2]", "on lane, got more"},
      {"[16777217: 16777217 lane][16777217: 16777217 reg]", "elements"},
      {"[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]", "rank at most"},
  };
  for (const auto &[text, reason] : cases) {
    Result<Layout> layout = Layout::parse(text);
    EXPECT_FALSE(layout) << text;
    EXPECT_NE(layout.reason().find(reason), std::string::npos)
        << text << ": " << layout.reason();
  }
  EXPECT_FALSE(Layout::get({{4, {{4, Axis::Reg, -1}}}}));
  EXPECT_FALSE(Layout::get({{1, {{1, Axis::Reg, INT64_MAX}}}}));
  EXPECT_FALSE(Layout::get({{-4, {{4, Axis::Reg, 1}}}}));
  EXPECT_FALSE(Layout::get({{INT64_MAX, {{INT64_MAX, Axis::Reg, INT64_MAX}}}}));
  EXPECT_FALSE(Layout::get({}, {}, {-1, 0, 1}));
  EXPECT_FALSE(Layout::get({}, {}, {INT32_MAX, INT32_MAX, INT32_MAX}));
  EXPECT_FALSE(Layout::rowMajor({INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(Layout::rowMajor({3, -1}));
}

TEST(Layout, Scalar) {
  Layout scalar;
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.numElements(), 1);
  EXPECT_EQ(scalar.at({}), Position{});
  EXPECT_TRUE(*scalar.isBijective());
}

TEST(Layout, RowMajor) {
  Layout layout = *Layout::rowMajor({3, 1, 5});
  int64_t next = 0;
  for (const Coord &coord : allCoords({3, 1, 5}))
    EXPECT_EQ(layout.at(coord), at(Axis::Offset, next++));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static Layout anyLayout(Random &random) {
  std::vector<int64_t> shape = random.shape(3, 9);
  int kind = static_cast<int>(random.upTo(3));
  if (kind == 0)
    return random.any(shape, kThreadsAndRegs);
  if (kind == 1)
    return random.injective(shape, kThreadsAndRegs, false, random.upTo(2));
  Layout memory = kind == 2 ? random.any(shape, {Axis::Offset, Axis::Block})
                            : random.injective(shape, kMemory);
  return *Layout::get(memory.dims(), {}, random.swizzle());
}

TEST(Layout, EvaluatesLikeItsDefinition) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    Layout layout = anyLayout(random);
    for (const Coord &coord : allCoords(layout.shape())) {
      ASSERT_EQ(layout.at(coord), meaning(layout, coord)) << layout;
      std::vector<Position> all = layout.allAt(coord);
      ASSERT_EQ(PositionSet(all.begin(), all.end()),
                allMeanings(layout, coord));
      ASSERT_EQ(static_cast<int64_t>(all.size()), layout.numCopies());
    }
  }
}

TEST(Layout, AxisSizes) {
  Random random(2);
  for (int round = 0; round < 400; ++round) {
    Layout layout = anyLayout(random);
    std::array<int64_t, kNumAxes> last{};
    for (const PositionSet &positions : tableOf(layout)) {
      for (const Position &position : positions) {
        for (int a = 0; a < kNumAxes; ++a)
          last[a] = std::max(last[a], position[static_cast<Axis>(a)]);
      }
    }
    for (int a = 0; a < kNumAxes; ++a) {
      Axis axis = static_cast<Axis>(a);
      if (axis == Axis::Offset && !layout.swizzle().isIdentity())
        EXPECT_GE(layout.axisSize(axis), last[a] + 1) << layout;
      else
        EXPECT_EQ(layout.axisSize(axis), last[a] + 1) << layout;
      EXPECT_TRUE(last[a] == 0 || (layout.axes() & axisBit(axis))) << layout;
    }
  }
}

TEST(Layout, InverseEvaluation) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    Layout layout = anyLayout(random);
    std::map<Position, std::set<Coord>> holders;
    for (const Coord &coord : allCoords(layout.shape())) {
      for (const Position &position : allMeanings(layout, coord))
        holders[position].insert(coord);
    }
    // Positions that are taken, and random ones near them.
    PositionSet probes;
    for (const auto &[position, coords] : holders) {
      probes.insert(position);
      for (int a = 0; a < kNumAxes; ++a) {
        Position near = position;
        near[static_cast<Axis>(a)] += random.upTo(4) - 2;
        probes.insert(near);
      }
    }
    for (const Position &probe : probes) {
      Result<std::optional<Coord>> found = layout.coordinateOf(probe);
      ASSERT_TRUE(found) << found.reason();
      ASSERT_EQ(found->has_value(), holders.count(probe) > 0)
          << layout << " at " << probe;
      if (*found) {
        ASSERT_TRUE(holders[probe].count(**found)) << layout << " at " << probe;
      }
    }
  }
}

TEST(Layout, InverseEvaluationGivesUp) {
  // Even strides never make an odd sum; a search would take 2^40 steps.
  std::vector<Digit> digits;
  for (int64_t i = 0; i < 40; ++i)
    digits.push_back({2, Axis::Reg, 1000000 + 2 * (i * i % 41)});
  Layout layout = *Layout::get({{int64_t(1) << 40, digits}});
  EXPECT_FALSE(layout.coordinateOf(at(Axis::Reg, 20000001)));
}

TEST(Layout, InjectiveAndBijective) {
  Random random(4);
  int injectives = 0, bijectives = 0;
  for (int round = 0; round < 3000; ++round) {
    Layout layout = anyLayout(random);
    if (round % 3 == 0)
      layout = random.injective(random.shape(2, 6), {Axis::Offset, Axis::Lane},
                                round % 2, 0, false);
    if (round % 6 == 0)
      layout = *Layout::get(layout.dims(), {}, random.swizzle());
    std::map<Position, int> holders;
    for (const PositionSet &positions : tableOf(layout)) {
      for (const Position &position : positions)
        ++holders[position];
    }
    bool injective = true;
    std::array<int64_t, kNumAxes> last{};
    for (const auto &[position, count] : holders) {
      injective &= count == 1;
      for (int a = 0; a < kNumAxes; ++a)
        last[a] = std::max(last[a], position[static_cast<Axis>(a)]);
    }
    int64_t box = 1;
    for (int64_t value : last)
      box *= value + 1;
    bool bijective = injective && box == static_cast<int64_t>(holders.size());
    injectives += injective;
    bijectives += bijective;
    ASSERT_EQ(*layout.isInjective(), injective) << layout;
    ASSERT_EQ(*layout.isBijective(), bijective) << layout;
  }
  EXPECT_GT(injectives, 300);
  EXPECT_GT(bijectives, 100);
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

/// Collects layouts and checks that canonical forms are equal exactly when the
/// functions are.
class CanonicalCheck {
public:
  void add(const Layout &layout) {
    Table table = tableOf(layout);
    Result<Layout> canonical = layout.canonical();
    ASSERT_TRUE(canonical) << canonical.reason();
    ASSERT_EQ(tableOf(*canonical), table) << layout << " -> " << *canonical;
    std::string text = canonical->str();
    auto [byTable, isNew] = texts.emplace(table, text);
    ASSERT_EQ(byTable->second, text) << "two forms of " << layout;
    if (isNew) {
      ASSERT_TRUE(seen.insert(text).second) << "two functions as " << text;
    }
  }
  size_t functions() const { return texts.size(); }

private:
  std::map<Table, std::string> texts;
  std::set<std::string> seen;
};

/// Calls `visit` with every dimension of `extent` whose digits take their axis
/// and stride from the lists.
static void everyDim(int64_t extent, const std::vector<Axis> &axes,
                     const std::vector<int64_t> &strides,
                     const std::function<void(const Dim &)> &visit) {
  for (const std::vector<int64_t> &radix : radices(extent, false)) {
    std::vector<int64_t> choices(radix.size(), axes.size() * strides.size());
    for (const Coord &choice : allCoords(choices)) {
      Dim dim{extent, {}};
      for (size_t i = 0; i < radix.size(); ++i)
        dim.digits.push_back({radix[i], axes[choice[i] % axes.size()],
                              strides[choice[i] / axes.size()]});
      visit(dim);
    }
  }
}

TEST(Canonical, EveryDimension) {
  for (int64_t extent = 1; extent <= 9; ++extent) {
    CanonicalCheck check;
    everyDim(extent, {Axis::Reg, Axis::Lane}, {0, 1, 2, 3, 4},
             [&](const Dim &dim) { check.add(*Layout::get({dim})); });
  }
}

TEST(Canonical, EveryDimensionOfTwelve) {
  CanonicalCheck check;
  everyDim(12, {Axis::Lane}, {0, 1, 2, 3, 4, 6},
           [&](const Dim &dim) { check.add(*Layout::get({dim})); });
  EXPECT_GT(check.functions(), 300u);
}

TEST(Canonical, EverySwizzle) {
  std::vector<Swizzle> swizzles = {{}};
  for (int bits = 1; bits <= 2; ++bits) {
    for (int base = 0; base <= 2; ++base) {
      for (int shift = bits; shift <= 3; ++shift)
        swizzles.push_back({bits, base, shift});
    }
  }
  for (int64_t extent : {2, 3, 4, 5, 6, 8}) {
    CanonicalCheck check;
    everyDim(extent, {Axis::Offset}, {0, 1, 2, 3, 4, 6, 8, 24},
             [&](const Dim &dim) {
               for (const Swizzle &swizzle : swizzles)
                 check.add(*Layout::get({dim}, {}, swizzle));
             });
  }
  // Two dimensions, so that rows and columns meet in the XOR.
  CanonicalCheck check;
  for (int64_t row : {1, 2, 3, 4, 5, 8}) {
    for (int64_t column : {0, 1, 2, 4, 12}) {
      for (const Swizzle &swizzle : swizzles)
        check.add(*Layout::get(
            {{4, {{4, Axis::Offset, row}}}, {6, {{6, Axis::Offset, column}}}},
            {}, swizzle));
    }
  }
}

TEST(Canonical, EveryReplication) {
  // All lists of up to three digits on one axis that are accepted.
  std::vector<Digit> choices;
  for (int64_t extent = 1; extent <= 4; ++extent) {
    for (int64_t stride = 1; stride <= 8; ++stride)
      choices.push_back({extent, Axis::Lane, stride});
  }
  CanonicalCheck check;
  check.add(parsed("[2: 2 reg]"));
  for (const Digit &x : choices) {
    for (const Digit &y : choices) {
      for (const Digit &z : choices) {
        if (Result<Layout> layout =
                Layout::get({{2, {{2, Axis::Reg, 1}}}}, {x, y, z}))
          check.add(*layout);
      }
    }
  }
  EXPECT_GT(check.functions(), 100u);
}

TEST(Canonical, Respelling) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    Layout layout = anyLayout(random), other = random.respelled(layout);
    ASSERT_EQ(tableOf(layout), tableOf(other)) << layout << " and " << other;
    EXPECT_EQ(*layout.canonical(), *other.canonical())
        << layout << " and " << other;
    EXPECT_TRUE(*equivalent(layout, other));
    EXPECT_EQ(*layout.canonical()->canonical(), *layout.canonical());
  }
}

/// Powers of two, which swizzles see in part: the form is that of the table.
TEST(Canonical, AsByTable) {
  Random random(7);
  int swizzled = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Dim> dims;
    for (int d = 0; d < 2; ++d) {
      Dim dim{1, {}};
      for (int i = 0; i < 2; ++i) {
        int64_t extent = 1 + random.upTo(3) * (1 + random.upTo(3));
        dim.digits.push_back(
            {extent, Axis::Offset, int64_t(1) << random.upTo(9)});
        dim.extent *= extent;
      }
      dims.push_back(dim);
    }
    Result<Layout> layout = Layout::get(dims, {}, random.swizzle());
    ASSERT_TRUE(layout) << layout.reason();
    Result<Layout> table = Layout::fromFunction(
        layout->shape(), [&](const Coord &coord) { return layout->at(coord); });
    ASSERT_TRUE(table) << table.reason();
    ASSERT_EQ(*layout->canonical(), *table) << *layout;
    swizzled += !table->swizzle().isIdentity();
  }
  EXPECT_GT(swizzled, 100);
}

TEST(Canonical, EquivalentIsEquality) {
  Random random(6);
  int equal = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<int64_t> shape = {1 + random.upTo(3), 1 + random.upTo(3)};
    Layout a = random.any(shape, kMemory), b = random.any(shape, kMemory);
    a = *Layout::get(a.dims(), {}, random.swizzle());
    if (round % 2)
      b = *Layout::get(a.dims(), {}, random.swizzle());
    bool same = tableOf(a) == tableOf(b);
    equal += same;
    ASSERT_EQ(*equivalent(a, b), same) << a << " and " << b;
  }
  EXPECT_GT(equal, 100);
  EXPECT_FALSE(
      *equivalent(parsed("[6: 6 reg]"), parsed("[2: 2 reg*3][3: 3 reg]")));
}

TEST(Canonical, LargeTilesNeedNoEnumeration) {
  Layout a = parsed("[1099511627776: 1048576 offset*1048576, 1048576 offset]");
  Layout b = parsed("[1099511627776: 1099511627776 offset]");
  EXPECT_EQ(*a.canonical(), b);
  Layout swizzled = *Layout::get(a.dims(), {}, {3, 3, 3});
  EXPECT_TRUE(*equivalent(swizzled, *Layout::get(b.dims(), {}, {3, 3, 3})));
  // Rows far apart add up whatever the swizzle is; those in between do not.
  EXPECT_FALSE(*equivalent(swizzled, b));
  Layout odd = *Layout::get(
      {{int64_t(1) << 30, {{int64_t(1) << 30, Axis::Offset, 3}}}}, {},
      {3, 3, 3});
  EXPECT_FALSE(odd.canonical());
  EXPECT_NE(odd.canonical().reason().find("to enumerate, got"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// fromFunction
//===----------------------------------------------------------------------===//

/// Every function of four elements to offsets below 8 is found exactly when
/// some layout, out of all with small strides and swizzles, is that function.
TEST(FromFunction, FindsWhatThereIs) {
  std::set<Table> layouts;
  std::vector<int64_t> strides = {0, 1, 2, 3, 4, 5, 6, 7};
  everyDim(4, {Axis::Offset}, strides, [&](const Dim &dim) {
    layouts.insert(tableOf(*Layout::get({dim})));
    for (int bits = 1; bits <= 2; ++bits) {
      for (int base = 0; base <= 2; ++base) {
        for (int shift = bits; shift <= 2; ++shift)
          layouts.insert(tableOf(*Layout::get({dim}, {}, {bits, base, shift})));
      }
    }
  });
  for (const Coord &values : allCoords({8, 8, 8, 8})) {
    Table table;
    for (int64_t value : values)
      table.push_back({at(Axis::Offset, value)});
    Result<Layout> found = Layout::fromFunction(
        {4}, [&](const Coord &c) { return at(Axis::Offset, values[c[0]]); });
    ASSERT_EQ(bool(found), layouts.count(table) > 0) << coordStr(values);
    if (found) {
      ASSERT_EQ(tableOf(*found), table);
    }
  }
}

TEST(FromFunction, Reasons) {
  auto reason = [](std::vector<int64_t> shape, auto function) {
    return Layout::fromFunction(shape, function).reason();
  };
  EXPECT_EQ(reason({3}, [](const Coord &c) { return at(Axis::Reg, 1 + c[0]); }),
            "dimension 0: expected coordinate 0 at position 0, got reg 1");
  EXPECT_EQ(
      reason({4}, [](const Coord &c) { return at(Axis::Reg, c[0] * c[0]); }),
      "dimension 0: expected coordinate 3 at reg 5 (the sum of its "
      "digits), got reg 9");
  EXPECT_EQ(
      reason({2, 2}, [](const Coord &c) { return at(Axis::Reg, c[0] * c[1]); }),
      "expected element (1, 1) at position 0 (the sum over its "
      "dimensions), got reg 1");
  EXPECT_NE(reason({2048, 2048}, [](const Coord &) { return Position{}; })
                .find("at most 1048576 elements to enumerate, got 4194304"),
            std::string::npos);
}
