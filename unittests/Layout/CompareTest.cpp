//===- CompareTest.cpp - Containment and conversions ----------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Algebra.h"

#include "TestLayouts.h"

#include <map>
#include <optional>
#include <set>

using namespace tile::layout;
using namespace tile::layout::test;

/// The positions of an element on the axes of a set.
static PositionSet projected(const Layout &layout, const Coord &coord,
                             AxisSet axes) {
  PositionSet result;
  for (Position position : allMeanings(layout, coord)) {
    for (int a = 0; a < kNumAxes; ++a) {
      if (!(axes & (1u << a)))
        position[static_cast<Axis>(a)] = 0;
    }
    result.insert(position);
  }
  return result;
}

static bool containsByDefinition(const Layout &owner, const Layout &reader,
                                 AxisSet axes) {
  for (const Coord &coord : allCoords(owner.shape())) {
    PositionSet has = projected(owner, coord, axes);
    PositionSet needs = projected(reader, coord, axes);
    if (!std::includes(has.begin(), has.end(), needs.begin(), needs.end()))
      return false;
  }
  return true;
}

/// Pairs that are related often enough: the second is the first with some
/// digits moved between coordinates and copies.
static std::pair<Layout, Layout> relatedPair(Random &random) {
  std::vector<int64_t> shape = {1 + random.upTo(5), 1 + random.upTo(5)};
  Layout a = random.injective(shape, kThreadsAndRegs, false, random.upTo(2));
  switch (random.upTo(5)) {
  case 0:
    return {a, random.respelled(a)};
  case 4: { // all lanes hold all elements; how far do the readers reach?
    Layout none = *Layout::get({Dim{shape[0], {{shape[0], Axis::Reg, 0}}},
                                Dim{shape[1], {{shape[1], Axis::Reg, 0}}}},
                               {{2 + random.upTo(20), Axis::Lane, 1}});
    return {none, random.any(shape, {Axis::Lane, Axis::Reg})};
  }
  case 1: // fewer copies
    return {a, *Layout::get(a.dims(), {})};
  case 2: { // one of the copies instead of the first
    std::vector<Dim> dims = a.dims();
    Layout broadcast = *Layout::get(
        {Dim{shape[0], shape[0] > 1
                           ? std::vector<Digit>{{shape[0], Axis::Lane, 1}}
                           : std::vector<Digit>{}},
         dims[1]},
        {});
    Result<Layout> owner = Layout::get(
        {Dim{shape[0], shape[0] > 1
                           ? std::vector<Digit>{{shape[0], Axis::Reg, 50}}
                           : std::vector<Digit>{}},
         dims[1]},
        {{shape[0], Axis::Lane, 1}});
    return {owner ? *owner : a, broadcast};
  }
  case 3: { // other registers
    std::vector<Dim> dims = a.dims();
    for (Dim &dim : dims) {
      for (Digit &digit : dim.digits)
        digit.stride *= digit.axis == Axis::Reg ? 2 : 1;
    }
    return {a, *Layout::get(dims, {})};
  }
  default:
    return {a, random.injective(shape, kThreadsAndRegs, false, random.upTo(2))};
  }
}

TEST(Compare, ContainsIsItsDefinition) {
  Random random(21);
  int yes = 0, no = 0;
  const std::vector<AxisSet> sets = {kThreadAxes,         kRegisterAxes,
                                     axisBit(Axis::Warp), axisBit(Axis::Lane),
                                     axisBit(Axis::Reg),  0};
  for (int round = 0; round < 3000; ++round) {
    auto [a, b] = relatedPair(random);
    AxisSet axes = random.oneOf(sets);
    bool expected = containsByDefinition(a, b, axes);
    Status got = contains(a, b, axes);
    ++(expected ? yes : no);
    ASSERT_EQ(bool(got), expected) << a << " has " << b << ": " << got.reason();
  }
  EXPECT_GT(yes, 500);
  EXPECT_GT(no, 500);
}

/// Whether the registers of the reader say where the elements are in those of
/// the owner; nothing where two coordinates of registers have one number.
static std::optional<bool> followsFromRegisters(const Layout &owner,
                                                const Layout &reader) {
  std::map<int64_t, std::set<int64_t>> found;
  int64_t parts = 1;
  for (int d = 0; d < reader.rank(); ++d) {
    std::set<int64_t> own;
    for (int64_t c = 0; c < reader.extent(d); ++c) {
      Coord coord(reader.rank(), 0);
      coord[d] = c;
      own.insert(reader.sum(coord)[Axis::Reg]);
    }
    parts *= own.size();
  }
  for (const Coord &coord : allCoords(reader.shape()))
    found[reader.sum(coord)[Axis::Reg]].insert(owner.sum(coord)[Axis::Reg]);
  if (int64_t(found.size()) != parts)
    return std::nullopt;
  return std::all_of(found.begin(), found.end(), [](const auto &entry) {
    return entry.second.size() == 1;
  });
}

TEST(Compare, ContainsInRegisters) {
  Random random(23);
  int yes = 0, no = 0;
  for (int round = 0; round < 3000; ++round) {
    auto [a, b] = relatedPair(random);
    std::optional<bool> follows = followsFromRegisters(a, b);
    if (!follows || !containsByDefinition(a, b, kThreadAxes))
      continue;
    Status got = containsInRegisters(a, b);
    ++(*follows ? yes : no);
    ASSERT_EQ(bool(got), *follows) << a << " has " << b << ": " << got.reason();
  }
  EXPECT_GT(yes, 200);
  EXPECT_GT(no, 50);
  EXPECT_EQ(containsInRegisters(parsed("[4: 4 reg] rep(4 lane)"),
                                parsed("[4: 4 lane]"))
                .reason(),
            "expected elements (0) and (1) in one register of their threads, "
            "got reg 0 and reg 1");
  EXPECT_TRUE(containsInRegisters(parsed("[8: 4 lane, 2 reg*3]"),
                                  parsed("[8: 4 lane, 2 reg]")));
}

TEST(Compare, ContainsOffsets) {
  Random random(22);
  for (int round = 0; round < 1000; ++round) {
    Layout a = *withSwizzle(random.any({3, 4}, kMemory),
                            round % 2 ? Swizzle{} : random.swizzle());
    Layout b = round % 3 ? *withSwizzle(a, random.swizzle())
                         : random.any({3, 4}, kMemory);
    if (round % 5 == 0)
      b = random.respelled(a);
    ASSERT_EQ(bool(contains(a, b, axisBit(Axis::Offset))),
              containsByDefinition(a, b, axisBit(Axis::Offset)))
        << a << " has " << b;
  }
}

TEST(Compare, ContainsReasons) {
  Layout owner = parsed("[4: 4 lane][2: 2 reg]");
  Layout reader = parsed("[4: 2 lane*2, 2 none][2: 2 lane]");
  EXPECT_EQ(contains(owner, reader, kThreadAxes).reason(),
            "expected element (1, 0) at lane 0, got it at lane 1");
  EXPECT_EQ(contains(*replicate(owner, 2, Axis::Lane, 4), reader, kThreadAxes)
                .reason(),
            "expected element (1, 0) at lane 0, got it at lane 1 and 1 other "
            "places");
  EXPECT_EQ(contains(owner, parsed("[4: 4 lane]"), kThreadAxes).reason(),
            "expected layouts of one shape, got (4, 2) and (4)");
  // Each dimension alone stays among the copies, their sum does not.
  EXPECT_EQ(contains(parsed("[2: 2 none][2: 2 none] rep(2 lane*4)"),
                     parsed("[2: 2 lane*4][2: 2 lane*4]"), kThreadAxes)
                .reason(),
            "expected element (1, 1) at lane 8, got it at lane 0 and 1 other "
            "places");
  // The replication question: a row of sums, wanted by every lane of its row.
  Layout sums = *reduceDim(parsed("[8: 8 lane*4][8: 4 lane, 2 reg]"), 1);
  Layout loop = parsed("[8: 8 lane*4][4: 4 lane]");
  Layout read = *broadcast(*insertDim(sums, 1), 1, 4);
  EXPECT_TRUE(contains(read, loop, kThreadAxes));
}

TEST(Compare, Conversions) {
  const std::tuple<const char *, const char *, Conversion> cases[] = {
      {"[8: 4 lane, 2 reg]", "[8: 4 lane, 2 reg]", Conversion::Identity},
      {"[4: 4 lane] rep(2 lane*4)", "[4: 4 lane]", Conversion::Identity},
      {"[4: 4 lane] rep(2 lane*4)", "[4: 4 lane] rep(2 reg)",
       Conversion::RegisterPermute},
      {"[8: 4 lane, 2 reg]", "[8: 4 lane, 2 reg*3]",
       Conversion::RegisterPermute},
      {"[8: 4 lane, 2 reg]", "[8: 2 reg, 4 lane]", Conversion::WarpShuffle},
      {"[8: 2 warp, 4 lane]", "[8: 8 lane]", Conversion::SharedMemory},
      {"[8: 8 lane] rep(2 warp)", "[8: 2 warp, 4 lane]",
       Conversion::WarpShuffle},
      {"[8: 2 block, 4 lane]", "[8: 8 lane]", Conversion::ClusterMemory},
      {"[8: 2 device, 4 lane]", "[8: 8 lane]", Conversion::DeviceExchange},
  };
  for (const auto &[from, to, expected] : cases)
    EXPECT_EQ(*classifyConversion(parsed(from), parsed(to)), expected)
        << from << " to " << to << ": "
        << conversionName(*classifyConversion(parsed(from), parsed(to)));
  EXPECT_FALSE(
      classifyConversion(parsed("[8: 8 lane]"), parsed("[4: 4 lane]")));
  EXPECT_FALSE(
      classifyConversion(parsed("[8: 8 lane]"), parsed("[8: 8 offset]")));
}

/// By definition: every destination finds its element in its own register,
/// thread or warp.
TEST(Compare, ConversionsByEnumeration) {
  Random random(23);
  std::map<Conversion, int> seen;
  for (int round = 0; round < 2000; ++round) {
    auto [from, to] = relatedPair(random);
    Conversion expected = Conversion::SharedMemory;
    if (containsByDefinition(from, to, kRegisterAxes))
      expected = Conversion::Identity;
    else if (containsByDefinition(from, to, kThreadAxes))
      expected = Conversion::RegisterPermute;
    else if (containsByDefinition(from, to, axisBit(Axis::Warp)))
      expected = Conversion::WarpShuffle;
    ++seen[expected];
    ASSERT_EQ(*classifyConversion(from, to), expected) << from << " to " << to;
  }
  EXPECT_EQ(seen.size(), 4u);
}
