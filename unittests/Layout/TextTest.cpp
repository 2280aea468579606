//===- TextTest.cpp - The text form ---------------------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

TEST(Text, PrintsWhatItParsed) {
  for (const char *text :
       {"[]", "[1]", "[1][1]", "[] rep(2 lane)", "[12: 3 lane, 4 reg]",
        "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]", "[5: 3 warp, 2 none]",
        "[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)",
        "[4: 4 block][2: 2 device*3] rep(2 lane*2, 2 lane)"})
    EXPECT_EQ(parsed(text).str(), text);
}

TEST(Text, SpacesAndDefaults) {
  EXPECT_EQ(parsed("\n [ 4:4lane*1 ] rep ( 2 reg ) swizzle(1,2,3)\t").str(),
            "[4: 4 lane] rep(2 reg) swizzle(1, 2, 3)");
  EXPECT_EQ(parsed("[4: 4 offset*0]").str(), "[4: 4 none]");
}

TEST(Text, ErrorsNameTheColumn) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "column 1: expected '[', got the end"},
      {"  x", "column 3: expected '[', got 'x'"},
      {"[", "column 2: expected a number, got the end"},
      {"[4", "column 3: expected ']', got the end"},
      {"[4: 4 lane", "column 11: expected ']', got the end"},
      {"[4: 4 line]", "column 7: expected an axis (reg, lane, warp, block, "
                      "device, offset or none), got 'line'"},
      {"[4: lane]", "column 5: expected a number, got 'lane'"},
      {"[4: 4 lane*]", "column 12: expected a number, got ']'"},
      {"[4: 4 lane,]", "column 12: expected a number, got ']'"},
      {"[4: 4 lane] rep", "column 16: expected '(', got the end"},
      {"[4: 4 lane] rep(2 reg", "column 22: expected ')', got the end"},
      {"[4: 4 lane] swizzle(1, 2)", "column 25: expected ',', got ')'"},
      {"[4: 4 lane] swizzle(1, 2, 99)",
       "column 27: expected a number up to 48, got 99"},
      {"[4: 4 lane] more", "column 13: expected the end of the layout, got "
                           "'more'"},
      {"[99999999999999999999]",
       "column 2: expected a number up to 281474976710656, got a larger one"},
      {"[4: 2 lane]", "column 1: expected the digits of dimension 0 to cover "
                      "4, got 2"},
      {"[][4: 4 lane]", "column 3: expected the end of the layout, got '['"},
      {"[-4]", "column 2: expected a number, got '-'"},
  };
  for (const auto &[text, reason] : cases) {
    Result<Layout> layout = Layout::parse(text);
    EXPECT_FALSE(layout) << text;
    EXPECT_EQ(layout.reason(), reason) << text;
  }
}

TEST(Text, RandomRoundTrip) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> shape = random.shape(4, 12);
    Layout layout = random.injective(
        shape, {Axis::Reg, Axis::Lane, Axis::Warp, Axis::Block, Axis::Device},
        false, random.upTo(3));
    if (round % 3 == 0)
      layout =
          *Layout::get(random.any(shape, kMemory).dims(), {}, random.swizzle());
    EXPECT_EQ(parsed(layout.str()), layout);
  }
}

/// Whatever comes in, the parser answers; and what it accepts, it can repeat.
TEST(Text, Fuzz) {
  Random random(8);
  const std::vector<std::string> pieces = {
      "[",   "]",       "(",    ")",     ",",      ":",      "*",
      " ",   "0",       "1",    "2",     "3",      "12",     "281474976710657",
      "reg", "lane",    "warp", "block", "device", "offset", "none",
      "rep", "swizzle", "x",    "-",     "\n",     "\x80",   "<"};
  const std::string seed =
      "[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg] rep(2 warp) swizzle(1, 2, 3)";
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    if (round % 2) {
      text = seed;
      for (int64_t edits = 1 + random.upTo(3); edits > 0; --edits) {
        size_t where = random.upTo(text.size());
        size_t erased = std::min<size_t>(random.upTo(4), text.size() - where);
        text.replace(where, erased, random.oneOf(pieces));
      }
    } else {
      for (int64_t length = random.upTo(12); length > 0; --length)
        text += random.oneOf(pieces);
    }
    if (round % 7 == 0 && !text.empty())
      text[random.upTo(text.size() - 1)] = static_cast<char>(random.upTo(255));
    Result<Layout> layout = Layout::parse(text);
    if (!layout) {
      ASSERT_EQ(layout.reason().rfind("column ", 0), 0u) << text;
      continue;
    }
    ++accepted;
    Result<Layout> again = Layout::parse(layout->str());
    ASSERT_TRUE(again) << text;
    ASSERT_EQ(*again, *layout) << text;
  }
  EXPECT_GT(accepted, 200);
}
