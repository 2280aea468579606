//===- DrawTest.cpp - Tables and pictures ---------------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Draw.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

static size_t count(const std::string &text, const std::string &part) {
  size_t result = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++result;
  return result;
}

TEST(Draw, Table) {
  EXPECT_EQ(*drawTable(parsed("[2: 2 reg*2][4: 2 lane, 2 reg]")),
            "  |    0    1    2    3\n"
            "--+--------------------\n"
            "0 | T0:0 T0:1 T1:0 T1:1\n"
            "1 | T0:2 T0:3 T1:2 T1:3\n");
  EXPECT_EQ(*drawTable(parsed("[3: 3 offset*4]")), "  | 0 1 2\n"
                                                   "--+------\n"
                                                   "0 | 0 4 8\n");
  EXPECT_EQ(*drawTable(parsed("[]")), "  | 0\n--+--\n0 | 0\n");
  EXPECT_EQ(*drawTable(parsed("[2: 2 warp][2: 2 lane][1] rep(2 block)")),
            "(0, :, :)\n"
            "  |        0\n"
            "--+---------\n"
            "0 | B0W0T0x2\n"
            "1 | B0W0T1x2\n"
            "\n"
            "(1, :, :)\n"
            "  |        0\n"
            "--+---------\n"
            "0 | B0W1T0x2\n"
            "1 | B0W1T1x2\n");
}

TEST(Draw, Svg) {
  SvgOptions options;
  options.marks = {true, false, false, true, false, false};
  std::string svg = *drawSvg(parsed("[2: 2 lane][3: 3 reg]"), options);
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "<rect"), 6u);
  EXPECT_EQ(count(svg, "stroke=\"red\""), 2u);
  EXPECT_EQ(count(svg, ">T1:2</text>"), 1u);
  // Two threads, two colours.
  std::set<std::string> fills;
  for (size_t at = svg.find("fill=\""); at != std::string::npos;
       at = svg.find("fill=\"", at + 1))
    fills.insert(svg.substr(at, svg.find(')', at) - at));
  EXPECT_EQ(fills.size(), 2u);
  options.marks.pop_back();
  EXPECT_EQ(drawSvg(parsed("[2: 2 lane][3: 3 reg]"), options).reason(),
            "expected 6 marks, got 5");
  EXPECT_FALSE(drawSvg(parsed("[]"), {{}, 0}));
}

TEST(Draw, TooLarge) {
  Layout layout = parsed("[1024: 1024 offset*1024][1024: 1024 offset]");
  EXPECT_EQ(drawTable(layout).reason(),
            "expected at most 65536 elements to draw, got 1048576");
  EXPECT_FALSE(drawSvg(layout));
}
