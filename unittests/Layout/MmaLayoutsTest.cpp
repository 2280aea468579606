//===- MmaLayoutsTest.cpp - Fragments against the vendors' formulas -------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/MmaLayouts.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

namespace {
/// (lane, element of the thread) to (row, column), as the manuals write it.
using Formula = std::function<Coord(int64_t lane, int64_t i)>;

struct Operands {
  Formula a, b, c;
};
} // namespace

/// Every lane and register of the fragment holds what the formula says; the
/// counts say that nothing else is held.
static void expectFormula(const Layout &layout, int64_t lanes, int64_t rows,
                          int64_t columns, int64_t copies,
                          const Formula &formula, std::string_view name) {
  ASSERT_EQ(layout.shape(), (std::vector<int64_t>{rows, columns})) << name;
  ASSERT_EQ(layout.axisSize(Axis::Lane), lanes) << name;
  ASSERT_EQ(layout.numCopies(), copies) << name;
  int64_t perLane = rows * columns * copies / lanes;
  ASSERT_EQ(layout.axisSize(Axis::Reg), perLane) << name;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t i = 0; i < perLane; ++i) {
      Position where;
      where[Axis::Lane] = lane;
      where[Axis::Reg] = i;
      ASSERT_TRUE(allMeanings(layout, formula(lane, i)).count(where))
          << name << " lane " << lane << " element " << i;
    }
  }
  EXPECT_TRUE(*layout.isBijective()) << name;
}

//===----------------------------------------------------------------------===//
// NVIDIA: the PTX manual writes g = lane >> 2 (groupID) and t = lane % 4
// (threadID_in_group), and gives row and column of a_i, b_i and c_i.
//===----------------------------------------------------------------------===//

static int64_t g(int64_t lane) { return lane >> 2; }
static int64_t t(int64_t lane) { return lane % 4; }

static Coord ptxC(int64_t lane, int64_t i) {
  return {i < 2 ? g(lane) : g(lane) + 8, t(lane) * 2 + (i & 1)};
}

using Formulas = std::map<std::string_view, Operands>;

static void addPtxFloats(Formulas &f) {
  f["mma.m16n8k8.b16"] = {
      [](int64_t l, int64_t i) {
        return Coord{i < 2 ? g(l) : g(l) + 8, t(l) * 2 + (i & 1)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 2 + i, g(l)};
      },
      ptxC};
  f["mma.m16n8k16.b16"] = {
      [](int64_t l, int64_t i) {
        bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
        return Coord{upper ? g(l) : g(l) + 8,
                     t(l) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 2 + (i & 1) + (i >= 2 ? 8 : 0), g(l)};
      },
      ptxC};
  f["mma.m16n8k4.tf32"] = {[](int64_t l, int64_t i) {
                             return Coord{i == 0 ? g(l) : g(l) + 8, t(l)};
                           },
                           [](int64_t l, int64_t) {
                             return Coord{t(l), g(l)};
                           },
                           ptxC};
  f["mma.m16n8k8.tf32"] = {[](int64_t l, int64_t i) {
                             return Coord{i == 0 || i == 2 ? g(l) : g(l) + 8,
                                          i < 2 ? t(l) : t(l) + 4};
                           },
                           [](int64_t l, int64_t i) {
                             return Coord{i == 0 ? t(l) : t(l) + 4, g(l)};
                           },
                           ptxC};
}

static void addPtxIntegers(Formulas &f) {
  f["mma.m16n8k16.b8"] = {
      [](int64_t l, int64_t i) {
        return Coord{i < 4 ? g(l) : g(l) + 8, t(l) * 4 + (i & 3)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 4 + i, g(l)};
      },
      ptxC};
  f["mma.m16n8k32.b8"] = {
      [](int64_t l, int64_t i) {
        bool upper = i < 4 || (8 <= i && i < 12);
        return Coord{upper ? g(l) : g(l) + 8,
                     t(l) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 4 + (i & 3) + (i < 4 ? 0 : 16), g(l)};
      },
      ptxC};
  f["mma.m16n8k32.b4"] = {
      [](int64_t l, int64_t i) {
        return Coord{i < 8 ? g(l) : g(l) + 8, t(l) * 8 + (i & 7)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 8 + (i & 7), g(l)};
      },
      ptxC};
  f["mma.m16n8k64.b4"] = {
      [](int64_t l, int64_t i) {
        bool upper = i < 8 || (16 <= i && i < 24);
        return Coord{upper ? g(l) : g(l) + 8,
                     t(l) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
      },
      [](int64_t l, int64_t i) {
        return Coord{t(l) * 8 + (i & 7) + (i < 8 ? 0 : 32), g(l)};
      },
      ptxC};
}

static void addPtxDoubles(Formulas &f) {
  f["mma.m8n8k4.f64"] = {[](int64_t l, int64_t) {
                           return Coord{g(l), t(l)};
                         },
                         [](int64_t l, int64_t) {
                           return Coord{t(l), g(l)};
                         },
                         [](int64_t l, int64_t i) {
                           return Coord{g(l), t(l) * 2 + (i & 1)};
                         }};
  // The larger f64 shapes: rows g and g + 8 alternate, columns step by 4.
  Formula a64 = [](int64_t l, int64_t i) {
    return Coord{i % 2 == 0 ? g(l) : g(l) + 8, t(l) + 4 * (i / 2)};
  };
  Formula b64 = [](int64_t l, int64_t i) { return Coord{t(l) + 4 * i, g(l)}; };
  f["mma.m16n8k4.f64"] = {a64, b64, ptxC};
  f["mma.m16n8k8.f64"] = {a64, b64, ptxC};
  f["mma.m16n8k16.f64"] = {a64, b64, ptxC};
}

static Formulas ptxFormulas() {
  Formulas f;
  addPtxFloats(f);
  addPtxIntegers(f);
  addPtxDoubles(f);
  return f;
}

//===----------------------------------------------------------------------===//
// AMD: the matrix instruction calculator gives i, j and k by lane, register and
// bits of the register.
//===----------------------------------------------------------------------===//

/// A[i][k] with `side` rows, and B[k][j] the same way round: `span` elements of
/// k in a lane, then the next group of lanes.
static Operands amdInputs(int64_t side, int64_t span) {
  Formula a = [=](int64_t lane, int64_t i) {
    return Coord{lane % side, span * (lane / side) + i};
  };
  Formula b = [=](int64_t lane, int64_t i) {
    return Coord{span * (lane / side) + i, lane % side};
  };
  Formula c16 = [](int64_t lane, int64_t gpr) {
    return Coord{4 * (lane / 16) + gpr % 4, lane % 16};
  };
  Formula c32 = [](int64_t lane, int64_t gpr) {
    return Coord{(8 * (gpr / 4)) % 32 + 4 * (lane / 32) + gpr % 4, lane % 32};
  };
  return {a, b, side == 16 ? c16 : c32};
}

static std::map<std::string_view, Operands> amdFormulas() {
  std::map<std::string_view, Operands> f;
  f["mfma.16x16x16.b16"] = amdInputs(16, 4);
  f["mfma.32x32x8.b16"] = amdInputs(32, 4);
  f["mfma.16x16x16.b8"] = amdInputs(16, 4);
  f["mfma.32x32x8.b8"] = amdInputs(32, 4);
  f["mfma.16x16x32.b16"] = amdInputs(16, 8);
  f["mfma.32x32x16.b16"] = amdInputs(32, 8);
  f["mfma.16x16x4.f32"] = amdInputs(16, 1);
  f["mfma.32x32x2.f32"] = amdInputs(32, 1);
  f["mfma.16x16x8.xf32"] = amdInputs(16, 2);
  f["mfma.32x32x4.xf32"] = amdInputs(32, 2);
  f["mfma.16x16x32.b8"] = amdInputs(16, 8);
  f["mfma.32x32x16.b8"] = amdInputs(32, 8);
  f["mfma.16x16x64.b8"] = amdInputs(16, 16);
  f["mfma.32x32x32.b8"] = amdInputs(32, 16);
  // Two runs of 16 bytes, half of K apart.
  for (int64_t side : {16, 32}) {
    auto depth = [=](int64_t lane, int64_t i) {
      return 1024 / side * (i / 16) + 16 * (lane / side) + i % 16;
    };
    f[side == 16 ? "mfma.16x16x128.f8" : "mfma.32x32x64.f8"] = {
        [=](int64_t lane, int64_t i) {
          return Coord{lane % side, depth(lane, i)};
        },
        [=](int64_t lane, int64_t i) {
          return Coord{depth(lane, i), lane % side};
        },
        amdInputs(side, 1).c};
  }
  f["mfma.16x16x4.f64"] = amdInputs(16, 1);
  f["mfma.16x16x4.f64"].c = [](int64_t lane, int64_t i) {
    return Coord{4 * i + lane / 16, lane % 16};
  };
  Formula c11 = [](int64_t lane, int64_t gpr) {
    return Coord{2 * gpr + lane / 16, lane % 16};
  };
  Formula c12 = [](int64_t lane, int64_t gpr) {
    return Coord{8 * (lane / 16) + gpr, lane % 16};
  };
  Operands gfx11 = {[](int64_t lane, int64_t i) {
                      return Coord{lane % 16, i};
                    },
                    [](int64_t lane, int64_t i) {
                      return Coord{i, lane % 16};
                    },
                    c11};
  f["wmma.gfx11.16x16x16.b16"] = gfx11;
  f["wmma.gfx11.16x16x16.b8"] = gfx11;
  auto k12 = [](int64_t lane, int64_t i) {
    int64_t gpr = i / 2, half = i % 2;
    return 8 * (gpr / 2) + 4 * (lane / 16) + 2 * (gpr % 2) + half;
  };
  f["wmma.gfx12.16x16x16.b16"] = {[=](int64_t lane, int64_t i) {
                                    return Coord{lane % 16, k12(lane, i)};
                                  },
                                  [=](int64_t lane, int64_t i) {
                                    return Coord{k12(lane, i), lane % 16};
                                  },
                                  c12};
  auto k8 = [](int64_t lane, int64_t i) {
    int64_t gpr = i / 4, byte = i % 4;
    return 8 * (lane / 16) + 4 * gpr + byte;
  };
  f["wmma.gfx12.16x16x16.b8"] = {[=](int64_t lane, int64_t i) {
                                   return Coord{lane % 16, k8(lane, i)};
                                 },
                                 [=](int64_t lane, int64_t i) {
                                   return Coord{k8(lane, i), lane % 16};
                                 },
                                 c12};
  return f;
}

TEST(MmaLayouts, EveryRowMatchesItsManual) {
  std::map<std::string_view, Operands> formulas = ptxFormulas();
  formulas.merge(amdFormulas());
  std::set<std::string_view> names;
  for (const MmaLayout &mma : mmaLayouts()) {
    EXPECT_TRUE(names.insert(mma.name).second) << mma.name << " twice";
    ASSERT_TRUE(formulas.count(mma.name)) << "no formula for " << mma.name;
    const Operands &f = formulas[mma.name];
    int64_t copies = mma.name.substr(0, 10) == "wmma.gfx11" ? 2 : 1;
    expectFormula(parsed(mma.a), mma.lanes, mma.m, mma.k, copies, f.a,
                  mma.name);
    expectFormula(parsed(mma.b), mma.lanes, mma.k, mma.n, copies, f.b,
                  mma.name);
    expectFormula(parsed(mma.c), mma.lanes, mma.m, mma.n, 1, f.c, mma.name);
    EXPECT_EQ(findMmaLayout(mma.name), &mma);
    EXPECT_EQ(parsed(mma.a).str(), mma.a);
  }
  EXPECT_EQ(names.size(), formulas.size());
  EXPECT_EQ(findMmaLayout("mma.m1n1k1"), nullptr);
}

TEST(MmaLayouts, Names) {
  EXPECT_EQ(parseLayoutOrOperand("mma.m16n8k16.b16:b")->str(),
            "[16: 2 reg*2, 4 lane, 2 reg][8: 8 lane*4]");
  EXPECT_EQ(parseLayoutOrOperand("[4: 4 lane]")->str(), "[4: 4 lane]");
  EXPECT_EQ(parseLayoutOrOperand("mma.m16n8k16.b16:d").reason(),
            "expected operand a, b or c, got 'd'");
  EXPECT_FALSE(parseLayoutOrOperand("mma.m16n8k16.b16"));
  EXPECT_FALSE(parseLayoutOrOperand(""));
}

//===----------------------------------------------------------------------===//
// wgmma and tensor memory
//===----------------------------------------------------------------------===//

TEST(MmaLayouts, WgmmaAccumulator) {
  for (int64_t n = 8; n <= 256; n += 8) {
    Layout layout = *wgmmaAccumulator(n);
    EXPECT_TRUE(*layout.isBijective());
    for (int64_t thread = 0; thread < 128; ++thread) {
      int64_t warp = thread / 32, lane = thread % 32;
      for (int64_t i = 0; i < n / 2; ++i) {
        // d_i of the manual: row (warp % 4) * 16 + g, + 8 for odd pairs.
        int64_t row = warp * 16 + g(lane) + 8 * (i / 2 % 2);
        int64_t column = i / 4 * 8 + t(lane) * 2 + (i & 1);
        Position where;
        where[Axis::Warp] = warp;
        where[Axis::Lane] = lane;
        where[Axis::Reg] = i;
        ASSERT_EQ(meaning(layout, {row, column}), where);
      }
    }
  }
  EXPECT_FALSE(wgmmaAccumulator(0));
  EXPECT_FALSE(wgmmaAccumulator(12));
  EXPECT_EQ(wgmmaAccumulator(264).reason(),
            "expected N a multiple of 8 from 8 to 256, got 264");
}

/// Each warp holds the A operand of the mma of the same K in its 16 rows.
TEST(MmaLayouts, WgmmaInputA) {
  const std::pair<int, const char *> widths[] = {{8, "mma.m16n8k32.b8"},
                                                 {16, "mma.m16n8k16.b16"},
                                                 {32, "mma.m16n8k8.tf32"}};
  auto formulas = ptxFormulas();
  for (const auto &[bits, name] : widths) {
    Layout layout = *wgmmaInputA(bits);
    EXPECT_TRUE(*layout.isBijective());
    ASSERT_EQ(layout.shape(), (std::vector<int64_t>{64, 256 / bits}));
    for (int64_t warp = 0; warp < 4; ++warp) {
      for (int64_t lane = 0; lane < 32; ++lane) {
        for (int64_t i = 0; i < 4 * 32 / bits; ++i) {
          Coord coord = formulas[name].a(lane, i);
          Position where;
          where[Axis::Warp] = warp;
          where[Axis::Lane] = lane;
          where[Axis::Reg] = i;
          ASSERT_EQ(meaning(layout, {warp * 16 + coord[0], coord[1]}), where);
        }
      }
    }
  }
  EXPECT_FALSE(wgmmaInputA(64));
}

TEST(MmaLayouts, TensorMemory) {
  for (int64_t n : {8, 24, 256, 512}) {
    Layout address = *tmemAccumulator(n), registers = *tmemLoad32x32b(n);
    EXPECT_TRUE(*registers.isBijective());
    for (int64_t row = 0; row < 128; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        // Lane in the upper half of the address, column in the lower.
        ASSERT_EQ(meaning(address, {row, column})[Axis::Offset],
                  (row << 16) | column);
        Position where;
        where[Axis::Warp] = row / 32;
        where[Axis::Lane] = row % 32;
        where[Axis::Reg] = column;
        ASSERT_EQ(meaning(registers, {row, column}), where);
      }
    }
  }
  EXPECT_FALSE(tmemAccumulator(0));
  EXPECT_FALSE(tmemLoad32x32b(513));
}
