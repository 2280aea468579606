//===- AMDTest.cpp - barriers and arithmetic of AMD GPUs ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMDWave.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace amdtest;

static uint32_t toWord(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static float toFloat(uint32_t word) {
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/// What one lane gets.
static uint32_t evaluate(const char *name, Words operands,
                         const char *chip = "gfx942") {
  Wave wave;
  wave.chip = chip;
  wave.name = std::string("llvm.amdgcn.") + name;
  wave.operands.resize(operands.size());
  wave.isActive = [](unsigned lane) { return lane == 0; };
  auto results = wave.run([&](unsigned) { return operands; });
  EXPECT_EQ(wave.report, "");
  return results[0].empty() ? 0 : results[0][0];
}

//===----------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------===//

TEST(AMD, ImplicitArguments) {
  Program program("gfx942");
  uint32_t site = program.add("llvm.amdgcn.implicitarg.ptr", {{64}}, {});
  uint32_t size = program.add("llvm.amdgcn.wavefrontsize", {{}}, {});
  std::string report = program.run(96, [&](unsigned) {
    Words address = Program::call(site, {}, 2);
    auto *words = reinterpret_cast<uint32_t *>(
        uintptr_t(address[0] | uint64_t(address[1]) << 32));
    auto *halves = reinterpret_cast<uint16_t *>(words + 3);
    EXPECT_EQ(words[0], 1u);
    EXPECT_EQ(words[2], 1u);
    EXPECT_EQ(halves[0], 96);
    EXPECT_EQ(halves[1], 1);
    EXPECT_EQ(Program::call(size, {})[0], 64u);
  });
  EXPECT_EQ(report, "");
}

TEST(AMD, Blocks) {
  Program program("gfx942");
  uint32_t x = program.add("llvm.amdgcn.workgroup.id.x", {{}}, {});
  uint32_t y = program.add("llvm.amdgcn.workgroup.id.y", {{}}, {});
  unsigned seen[3] = {};
  std::string report = program.run(
      64,
      [&](unsigned) {
        ++seen[Program::call(x, {})[0]];
        EXPECT_EQ(Program::call(y, {})[0], 0u);
      },
      0, 1, 3);
  EXPECT_EQ(report, "");
  for (unsigned count : seen)
    EXPECT_EQ(count, 64u);
}

/// What steers the order of instructions changes nothing; sleep lets others
/// run.
TEST(AMD, Hints) {
  Program program("gfx942");
  for (const char *name :
       {"s.setprio", "s.nop", "s.sleep", "sched.barrier", "iglp.opt"})
    program.add(std::string("llvm.amdgcn.") + name, {}, {{}});
  uint32_t last = program.add("llvm.amdgcn.wave.barrier", {}, {});
  std::string report = program.run(64, [&](unsigned) {
    for (uint32_t site = 1; site < last; ++site)
      Program::call(site, {0}, 0);
    Program::call(last, {}, 0);
  });
  EXPECT_EQ(report, "");
}

TEST(AMD, Stops) {
  Program program("gfx942");
  uint32_t trap = program.add("llvm.trap", {}, {});
  std::string report =
      program.run(64, [&](unsigned) { Program::call(trap, {}, 0); });
  EXPECT_NE(report.find("the kernel has stopped itself"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(AMD, Barrier) {
  Program program("gfx942");
  uint32_t barrier = program.add("llvm.amdgcn.s.barrier", {}, {});
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<int> round(256);
    std::string report = program.run(
        256,
        [&](unsigned thread) {
          for (int i = 0; i < 3; ++i) {
            ++round[thread];
            Program::call(barrier, {}, 0);
            for (int other : round)
              ASSERT_EQ(other, i + 1);
            Program::call(barrier, {}, 0);
          }
        },
        0, seed);
    EXPECT_EQ(report, "");
  }
}

// The barrier orders no memory without a fence on both sides.
TEST(AMD, BarrierWithoutFence) {
  Program program("gfx942");
  uint32_t barrier = program.add("llvm.amdgcn.s.barrier", {}, {});
  uint32_t fence = program.addFence();
  uint32_t store = program.addMemory("store"), load = program.addMemory("load");
  for (bool release : {false, true})
    for (bool acquire : {false, true}) {
      std::string report = program.run(
          128,
          [&](unsigned thread) {
            uint64_t shared = tile_simt_shared();
            tile_simt_store(shared + thread * 4, 4, 4, 0, store, &thread);
            if (release)
              tile_simt_fence(TILE_SIMT_RELEASE, fence);
            Program::call(barrier, {}, 0);
            if (acquire)
              tile_simt_fence(TILE_SIMT_ACQUIRE, fence);
            tile_simt_load(shared + (thread ^ 64) * 4, 4, 4, 0, load);
          },
          512);
      EXPECT_EQ(report.empty(), release && acquire) << report;
    }
}

// Waves that have ended are not waited for.
TEST(AMD, BarrierOfRest) {
  Program program("gfx942");
  uint32_t barrier = program.add("llvm.amdgcn.s.barrier", {}, {});
  int passed = 0;
  std::string report = program.run(128, [&](unsigned thread) {
    if (thread >= 64)
      return;
    Program::call(barrier, {}, 0);
    ++passed;
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(passed, 64);
}

TEST(AMD, BarrierOfPartOfWave) {
  Program program("gfx942");
  uint32_t first = program.add("llvm.amdgcn.s.barrier", {}, {});
  uint32_t second = program.add("llvm.amdgcn.s.barrier", {}, {});
  std::string report = program.run(128, [&](unsigned thread) {
    Program::call(thread < 32 ? first : second, {}, 0);
  });
  EXPECT_NE(report.find("expected all lanes of wave 0 at one barrier, but "
                        "others are at that of test:1:1"),
            std::string::npos)
      << report;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST(AMD, Functions) {
  auto of = [](const char *name, float x) {
    return toFloat(evaluate(name, {toWord(x)}));
  };
  EXPECT_EQ(of("exp2.f32", 3.5f), exp2f(3.5f));
  EXPECT_EQ(of("log.f32", 8), 3);
  EXPECT_EQ(of("rcp.f32", 3), 1 / 3.0f);
  EXPECT_EQ(of("rcp.f32", 0), INFINITY);
  EXPECT_EQ(of("rsq.f32", 4), 0.5f);
  EXPECT_EQ(of("sqrt.f32", 2), sqrtf(2));
  EXPECT_EQ(of("sin.f32", 0.25f), 1); // in turns
  EXPECT_EQ(of("cos.f32", 0.5f), -1);
  EXPECT_EQ(of("fract.f32", -0.25f), 0.75f);
  // Subnormal numbers are zero.
  EXPECT_EQ(of("exp2.f32", -130), 0);
  EXPECT_EQ(of("log.f32", 0x1p-130f), -INFINITY);
  EXPECT_EQ(of("rcp.f32", 0x1p127f), 0);
}

TEST(AMD, Med3) {
  auto med3 = [](float a, float b, float c) {
    return toFloat(evaluate("fmed3.f32", {toWord(a), toWord(b), toWord(c)}));
  };
  EXPECT_EQ(med3(1, 2, 3), 2);
  EXPECT_EQ(med3(3, 1, 2), 2);
  EXPECT_EQ(med3(2, 3, 1), 2);
  EXPECT_EQ(med3(5, 5, 1), 5);
  EXPECT_EQ(med3(NAN, 2, 1), 1);
}

TEST(AMD, Perm) {
  uint32_t high = 0x8877f655, low = 0x44b322a1;
  EXPECT_EQ(evaluate("perm", {high, low, 0x03020100}), low);
  EXPECT_EQ(evaluate("perm", {high, low, 0x07060504}), high);
  EXPECT_EQ(evaluate("perm", {high, low, 0x0c0d0405}), 0x00ff55f6u);
  // Signs of the halves.
  EXPECT_EQ(evaluate("perm", {high, low, 0x0b0a0908}), 0xffff0000u);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {
/// An 8-bit float by its definition: largest is the highest code of a number.
struct Float8 {
  const char *chip, *name;
  int mantissa, bias, largest;
  bool fnuz, infinities;

  double decode(int code) const {
    int magnitude = code & 0x7f;
    if (fnuz && code == 0x80)
      return NAN;
    if (magnitude > largest)
      return infinities && magnitude == largest + 1
                 ? (code & 0x80 ? -INFINITY : INFINITY)
                 : NAN;
    int exponent = magnitude >> mantissa;
    double fraction =
        (magnitude & ((1 << mantissa) - 1)) / double(1 << mantissa);
    double value = exponent ? std::ldexp(1 + fraction, exponent - bias)
                            : std::ldexp(fraction, 1 - bias);
    return code & 0x80 ? -value : value;
  }
};

const Float8 kinds[] = {{"gfx942", "fp8", 3, 8, 0x7f, true, false},
                        {"gfx942", "bf8", 2, 16, 0x7f, true, false},
                        {"gfx950", "fp8", 3, 7, 0x7e, false, false},
                        {"gfx950", "bf8", 2, 15, 0x7b, false, true}};
} // namespace

static void expectSame(double got, double expected, int code) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got)) << code;
  else
    EXPECT_EQ(got, expected) << code;
}

TEST(AMD, FromFloat8) {
  for (const Float8 &kind : kinds) {
    SCOPED_TRACE(std::string(kind.chip) + " " + kind.name);
    std::string one = std::string("cvt.f32.") + kind.name;
    for (int code = 0; code < 256; ++code)
      expectSame(
          toFloat(evaluate(one.c_str(),
                           {uint32_t(code) << code % 4 * 8, uint32_t(code % 4)},
                           kind.chip)),
          kind.decode(code), code);
    Wave wave;
    wave.chip = kind.chip;
    wave.name = std::string("llvm.amdgcn.cvt.pk.f32.") + kind.name;
    wave.result = {64};
    wave.operands = {{}, {1}};
    auto results = wave.run([](unsigned lane) {
      return Words{0x48443c40, lane % 2};
    });
    EXPECT_EQ(toFloat(results[0][0]), kind.decode(0x40));
    EXPECT_EQ(toFloat(results[0][1]), kind.decode(0x3c));
    EXPECT_EQ(toFloat(results[1][0]), kind.decode(0x44));
    EXPECT_EQ(toFloat(results[1][1]), kind.decode(0x48));
  }
}

// Of two neighbours, the nearer one, or the even one.
TEST(AMD, ToFloat8) {
  for (const Float8 &kind : kinds) {
    SCOPED_TRACE(std::string(kind.chip) + " " + kind.name);
    std::string name = std::string("cvt.pk.") + kind.name + ".f32";
    auto convert = [&](double value) {
      return int(
          evaluate(name.c_str(),
                   {toWord(float(value)), toWord(float(-value)), 0x12345678, 0},
                   kind.chip));
    };
    for (int code = 0; code < kind.largest; ++code) {
      double low = kind.decode(code), high = kind.decode(code + 1);
      double middle = (low + high) / 2, little = (high - low) / 16;
      int negative = kind.fnuz && code == 0 ? 0 : code | 0x80;
      EXPECT_EQ(convert(low), 0x12340000 | negative << 8 | code);
      EXPECT_EQ(convert(middle - little) & 0xff, code);
      EXPECT_EQ(convert(middle + little) & 0xff, code + 1);
      EXPECT_EQ(convert(middle) & 0xff, code % 2 ? code + 1 : code);
    }
    for (double large : {1e6, double(INFINITY), double(NAN)}) {
      double back = kind.decode(convert(large) & 0xff);
      expectSame(back, kind.infinities && large > 0 ? INFINITY : NAN, 0);
    }
  }
  // The upper half.
  EXPECT_EQ(evaluate("cvt.pk.fp8.f32", {toWord(1), toWord(2), 0x12345678, 1},
                     "gfx950"),
            0x40385678u);
}

// 2^32 times the distance to the lower neighbour, less one, rounds down.
TEST(AMD, Stochastic) {
  for (const Float8 &kind : kinds) {
    std::string name = std::string("cvt.sr.") + kind.name + ".f32";
    for (int code : {0, 3, 0x30, 0x41}) {
      double low = kind.decode(code), high = kind.decode(code + 1);
      float value = float(low + (high - low) * 0.25);
      auto convert = [&](uint32_t random) {
        return evaluate(name.c_str(), {toWord(value), random, 0xffffffff, 2},
                        kind.chip);
      };
      EXPECT_EQ(convert(0), 0xff00ffffu | uint32_t(code) << 16);
      EXPECT_EQ(convert(0xbfffffff), 0xff00ffffu | uint32_t(code) << 16);
      EXPECT_EQ(convert(0xc0000000), 0xff00ffffu | uint32_t(code + 1) << 16);
    }
  }
}

TEST(AMD, Pkrtz) {
  EXPECT_EQ(evaluate("cvt.pkrtz", {toWord(1.0009f), toWord(-2.0f)}),
            0xc0003c00u);
  EXPECT_EQ(evaluate("cvt.pkrtz", {toWord(1e6f), toWord(INFINITY)}),
            0x7c007bffu);
  EXPECT_EQ(evaluate("cvt.pkrtz", {toWord(0x1.8p-24f), toWord(-0x1p-25f)}),
            0x80000001u);
}
