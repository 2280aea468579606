//===- AMDLaneTest.cpp - exchanges between lanes on AMD GPUs --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMDWave.h"

#include "gtest/gtest.h"

using namespace amdtest;

namespace {

constexpr int OLD = -1; ///< the lane keeps what it had
constexpr int ZERO = -2;

uint32_t getValue(unsigned lane) { return 1000 + lane; }
uint32_t getOld(unsigned lane) { return 5000 + lane; }

/// Expects each active lane to have the value of lane `source(lane)`.
void expectSources(Wave wave, std::function<Words(unsigned)> operands,
                   std::function<int(int)> source) {
  wave.name = "llvm.amdgcn." + wave.name;
  auto results = wave.run(operands);
  ASSERT_EQ(wave.report, "") << wave.name;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    if (!wave.isActive(lane))
      continue;
    int from = source(int(lane));
    EXPECT_EQ(results[lane][0], from == OLD    ? getOld(lane)
                                : from == ZERO ? 0
                                               : getValue(unsigned(from)))
        << wave.name << " in lane " << lane;
  }
}

Wave makeWave(const char *name, unsigned operands, const char *chip = "gfx942",
              unsigned lanes = 64) {
  Wave wave;
  wave.chip = chip;
  wave.name = name;
  wave.operands.resize(operands);
  wave.lanes = lanes;
  return wave;
}

void expectDpp(Wave wave, uint32_t control, std::function<int(int)> source,
               bool bound = false, uint32_t rows = 15, uint32_t banks = 15) {
  wave.name = "update.dpp.i32";
  wave.operands.resize(6);
  SCOPED_TRACE(control);
  expectSources(
      wave,
      [&](unsigned lane) {
        return Words{getOld(lane), getValue(lane), control, rows, banks, bound};
      },
      source);
}

} // namespace

TEST(AMDLane, DppPermutations) {
  Wave wave;
  // A permutation of four: lane i reads what bits 2i and 2i + 1 say.
  expectDpp(wave, 0b00'01'10'11, [](int l) { return l / 4 * 4 + 3 - l % 4; });
  expectDpp(wave, 0b10'11'00'01, [](int l) { return l ^ 1; });
  expectDpp(wave, 0x140, [](int l) { return l / 16 * 16 + 15 - l % 16; });
  expectDpp(wave, 0x141, [](int l) { return l / 8 * 8 + 7 - l % 8; });
  for (int step = 0; step < 16; ++step) {
    if (step)
      expectDpp(wave, 0x120 + step,
                [=](int l) { return l / 16 * 16 + (l % 16 + 16 - step) % 16; });
    expectDpp(wave, 0x150 + step, [=](int l) { return l / 16 * 16 + step; });
    expectDpp(wave, 0x160 + step, [=](int l) { return l ^ step; });
  }
}

TEST(AMDLane, DppShifts) {
  Wave wave;
  for (int step = 1; step < 16; ++step)
    for (bool bound : {false, true}) {
      int none = bound ? ZERO : OLD;
      expectDpp(
          wave, 0x100 + step,
          [=](int l) { return l % 16 + step < 16 ? l + step : none; }, bound);
      expectDpp(
          wave, 0x110 + step,
          [=](int l) { return l % 16 >= step ? l - step : none; }, bound);
    }
  expectDpp(wave, 0x130, [](int l) { return l < 63 ? l + 1 : OLD; });
  expectDpp(wave, 0x134, [](int l) { return (l + 1) % 64; });
  expectDpp(wave, 0x138, [](int l) { return l > 0 ? l - 1 : OLD; });
  expectDpp(wave, 0x13c, [](int l) { return (l + 63) % 64; });
  expectDpp(wave, 0x142, [](int l) { return l >= 16 ? l / 16 * 16 - 1 : OLD; });
  expectDpp(wave, 0x143, [](int l) { return l >= 32 ? 31 : OLD; });
}

TEST(AMDLane, DppMasks) {
  Wave wave;
  expectDpp(
      wave, 0x140,
      [](int l) {
        return l / 16 % 2 && l % 16 < 8 ? l / 16 * 16 + 15 - l % 16 : OLD;
      },
      true, 0b1010, 0b0011);
  // Lanes that branches keep away have nothing to read.
  wave.isActive = [](unsigned lane) { return lane % 3 != 0; };
  expectDpp(wave, 0b10'11'00'01,
            [](int l) { return (l ^ 1) % 3 ? l ^ 1 : OLD; });
  expectDpp(
      wave, 0b10'11'00'01, [](int l) { return (l ^ 1) % 3 ? l ^ 1 : ZERO; },
      true);
}

TEST(AMDLane, Swizzle) {
  auto expect = [](uint32_t pattern, std::function<int(int)> source) {
    expectSources(
        makeWave("ds.swizzle", 2),
        [=](unsigned lane) {
          return Words{getValue(lane), pattern};
        },
        source);
  };
  for (int step : {1, 2, 4, 8, 16, 31})
    expect(uint32_t(step << 10 | 0x1f), [=](int l) { return l ^ step; });
  // Lane 5 of each group of eight to all of it: an AND and an OR.
  expect(0b00000'00101'11000, [](int l) { return l / 8 * 8 + 5; });
  expect(0x8000 | 0b00'01'10'11, [](int l) { return l / 4 * 4 + 3 - l % 4; });
  // Rotations of 32 lanes, to lower and to higher ones.
  expect(0xc000 | 3 << 5, [](int l) { return l / 32 * 32 + (l + 3) % 32; });
  expect(0xc400 | 3 << 5, [](int l) { return l / 32 * 32 + (l + 29) % 32; });
  // Of groups of eight.
  expect(0xc000 | 3 << 5 | 0b11000,
         [](int l) { return l / 8 * 8 + (l + 3) % 8; });
}

TEST(AMDLane, Permute) {
  auto target = [](unsigned lane) { return (lane * 5 + 3) % 64; };
  expectSources(
      makeWave("ds.bpermute", 2),
      [&](unsigned lane) {
        return Words{target(lane) * 4, getValue(lane)};
      },
      [&](int l) { return int(target(unsigned(l))); });
  // Addresses wrap around.
  expectSources(
      makeWave("ds.bpermute", 2),
      [](unsigned lane) {
        return Words{(lane + 64) * 4, getValue(lane)};
      },
      [](int l) { return l; });
  Wave odd = makeWave("ds.bpermute", 2);
  odd.isActive = [](unsigned lane) { return lane % 2 == 1; };
  expectSources(
      odd,
      [](unsigned lane) {
        return Words{(lane == 1 ? 0 : lane) * 4, getValue(lane)};
      },
      [](int l) { return l == 1 ? ZERO : l; });
  expectSources(
      makeWave("ds.permute", 2),
      [&](unsigned lane) {
        return Words{target(lane) * 4, getValue(lane)};
      },
      [&](int l) {
        unsigned from = 0;
        while (target(from) != unsigned(l))
          ++from;
        return int(from);
      });
  // The last one wins; nobody writes to the others.
  expectSources(
      makeWave("ds.permute", 2),
      [](unsigned lane) {
        return Words{lane / 8 * 4, getValue(lane)};
      },
      [](int l) { return l < 8 ? l * 8 + 7 : ZERO; });
}

TEST(AMDLane, OneLane) {
  Wave wave = makeWave("readfirstlane.i32", 1);
  wave.isActive = [](unsigned lane) { return lane >= 7; };
  expectSources(
      wave, [](unsigned lane) { return Words{getValue(lane)}; },
      [](int) { return 7; });
  wave = makeWave("readlane.i32", 2);
  expectSources(
      wave,
      [](unsigned lane) {
        return Words{getValue(lane), 42};
      },
      [](int) { return 42; });
  wave.name = "llvm.amdgcn.readlane.i32";
  wave.run([](unsigned lane) { return Words{1, lane == 9 ? 3u : 2u}; });
  EXPECT_NE(
      wave.report.find("expected all lanes to name the same lane, got 2 and 3"),
      std::string::npos)
      << wave.report;
  wave.isActive = [](unsigned lane) { return lane != 2; };
  wave.run([](unsigned) { return Words{1, 2}; });
  EXPECT_NE(wave.report.find("expected lane 2, which is read, to be active"),
            std::string::npos)
      << wave.report;
  expectSources(
      makeWave("writelane.i32", 3),
      [](unsigned lane) {
        return Words{getValue(42), 42, getOld(lane)};
      },
      [](int l) { return l == 42 ? 42 : OLD; });
}

TEST(AMDLane, Masks) {
  for (unsigned lanes : {32u, 64u}) {
    Wave wave;
    wave.chip = lanes == 32 ? "gfx1100" : "gfx942";
    wave.lanes = lanes;
    wave.name =
        lanes == 32 ? "llvm.amdgcn.ballot.i32" : "llvm.amdgcn.ballot.i64";
    wave.result = {lanes};
    wave.operands = {{1}};
    wave.isActive = [](unsigned lane) { return lane != 4; };
    auto results = wave.run([](unsigned lane) { return Words{lane % 4 == 0}; });
    ASSERT_EQ(wave.report, "");
    EXPECT_EQ(results[1][0], 0x11111101u);
    if (lanes == 64)
      EXPECT_EQ(results[1][1], 0x11111111u);
  }
  // Both together count the lanes below.
  for (bool high : {false, true}) {
    Wave wave =
        makeWave(high ? "llvm.amdgcn.mbcnt.hi" : "llvm.amdgcn.mbcnt.lo", 2);
    auto results = wave.run([](unsigned) { return Words{0xf0f0f0f0, 100}; });
    ASSERT_EQ(wave.report, "");
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned count = 100;
      for (unsigned other = high ? 32 : 0;
           other < std::min(lane, high ? 64u : 32u); ++other)
        count += other % 8 >= 4;
      EXPECT_EQ(results[lane][0], count) << lane;
    }
  }
}

TEST(AMDLane, Rows) {
  // Selects of four bits: the lanes of a row backwards.
  auto operands = [](bool bound) {
    return [=](unsigned lane) {
      return Words{getOld(lane), getValue(lane), 0x89abcdef, 0x01234567, 0,
                   bound};
    };
  };
  expectSources(makeWave("permlane16.i32", 6, "gfx1100", 32), operands(false),
                [](int l) { return l / 16 * 16 + 15 - l % 16; });
  expectSources(makeWave("permlanex16.i32", 6, "gfx1100", 32), operands(false),
                [](int l) { return (l / 16 ^ 1) * 16 + 15 - l % 16; });
  for (bool bound : {false, true}) {
    Wave wave = makeWave("permlane16.i32", 6, "gfx1100", 32);
    wave.isActive = [](unsigned lane) { return lane != 15; };
    expectSources(wave, operands(bound), [=](int l) {
      return l == 0 ? (bound ? ZERO : OLD) : l / 16 * 16 + 15 - l % 16;
    });
  }
  expectSources(
      makeWave("permlane64.i32", 1, "gfx1100"),
      [](unsigned lane) { return Words{getValue(lane)}; },
      [](int l) { return l ^ 32; });
}

TEST(AMDLane, Swap) {
  for (unsigned step : {16u, 32u}) {
    Wave wave;
    wave.chip = "gfx950";
    wave.name = "llvm.amdgcn.permlane" + std::to_string(step) + ".swap";
    wave.result = {32, 2};
    wave.operands = {{}, {}, {1}, {1}};
    auto results = wave.run([](unsigned lane) {
      return Words{lane, 100 + lane, 0, 0};
    });
    ASSERT_EQ(wave.report, "");
    // Two registers; the upper part of the first changes places with the lower
    // part of the second.
    std::vector<unsigned> first, second;
    for (unsigned lane = 0; lane < 64; ++lane) {
      first.push_back(lane);
      second.push_back(100 + lane);
    }
    for (unsigned lane = 0; lane < 64; ++lane)
      if (lane & step)
        std::swap(first[lane], second[lane - step]);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(results[lane], (Words{first[lane], second[lane]})) << lane;
  }
}

TEST(AMDLane, Unknown) {
  Wave wave = makeWave("llvm.amdgcn.s.nonsense", 0);
  wave.run([](unsigned) { return Words(); });
  EXPECT_EQ(wave.report, "test:1:1: the SIMT model does not know the "
                         "instruction llvm.amdgcn.s.nonsense");
  wave = makeWave("llvm.amdgcn.ds.swizzle", 2);
  wave.run([](unsigned) { return Words{0, 0xe000}; });
  EXPECT_NE(wave.report.find("the model has no ds_swizzle of pattern 0xe000"),
            std::string::npos)
      << wave.report;
  wave = makeWave("llvm.amdgcn.update.dpp.i32", 6);
  wave.run([](unsigned) { return Words{0, 0, 0x145, 15, 15, 0}; });
  EXPECT_NE(wave.report.find("the model has no DPP control 0x145"),
            std::string::npos)
      << wave.report;
}
