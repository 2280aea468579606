//===- EstimateTest.cpp - closed forms and monotony of estimates ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Space.h"

#include "gtest/gtest.h"

using namespace tile::cost;
namespace target = tile::target;

namespace {
/// Copies rows of 1024 f32 to registers and back, one for each block; `x` is the
/// number of rows.
struct CopyProgram {
  CopyProgram() {
    ExprGraph &e = program.exprs;
    Expr zero = e.constant(0);
    (void)zero;
    Expr rows = e.symbol("rows"), row = e.constant(1024), one = e.constant(1);
    Kernel &kernel = program.kernels.emplace_back();
    kernel.function = "copy";
    kernel.grid = {rows};
    kernel.threads = e.constant(128);
    kernel.buffers.resize(3);
    kernel.buffers[0] = {Level::Global, 32, {rows, row}};
    kernel.buffers[1] = {Level::Register, 32, {row}};
    kernel.buffers[2] = {Level::Global, 32, {rows, row}};
    for (int from : {0, 1}) {
      Step &step = kernel.steps.emplace_back();
      step.kind = Step::Copy;
      step.count = row;
      step.from = from;
      step.to = from + 1;
      step.dims = {{rows, one}, {row, row}};
      step.places = 1;
    }
  }

  KernelEstimate estimate(int64_t rows, const target::Rates &rates) {
    Estimator estimator(program, *target::lookupTarget("sm_90a"), rates);
    return estimator.estimate({rows}).kernels.front();
  }

  Program program;
};
} // namespace

static target::Rates getRates() { return *target::lookupRates("sm_90a"); }

TEST(Estimate, EveryRatedChipIsAChip) {
  for (llvm::StringRef chip :
       {"sm_80", "sm_90a", "gfx942", "910B", "950", "avx512", "neon"}) {
    ASSERT_TRUE(target::lookupTarget(chip)) << chip.str();
    const target::Rates *rates = target::lookupRates(chip);
    ASSERT_TRUE(rates) << chip.str();
    EXPECT_GT(rates->mhz, 0u);
    EXPECT_GT(rates->cacheBytes, rates->dramBytes);
  }
  EXPECT_EQ(target::lookupMatrixRate("sm_90a", "wgmma", 16), 4096);
  EXPECT_EQ(target::lookupMatrixRate("sm_90a", "mfma", 16), 0);
}

TEST(Estimate, MemoryBindsALargeCopy) {
  CopyProgram copy;
  target::Rates rates = getRates();
  KernelEstimate large = copy.estimate(1 << 20, rates);
  EXPECT_EQ(large.binding, Resource::Dram);
  EXPECT_EQ(large.dramBytes, 8192.0 * (1 << 20));
  double bytes = large.dramBytes / (double(rates.dramBytes) * rates.mhz * 1e6);
  EXPECT_NEAR(large.busy[unsigned(Resource::Dram)], bytes, bytes * 1e-9);
  EXPECT_GE(large.seconds, bytes);
  EXPECT_LE(large.seconds, 1.3 * bytes);
}

TEST(Estimate, NothingTakesALaunch) {
  CopyProgram copy;
  target::Rates rates = getRates();
  EXPECT_DOUBLE_EQ(copy.estimate(0, rates).seconds, rates.launchNs * 1e-9);
}

// Full units, and one block more: a wave more.
TEST(Estimate, WavesAreQuantised) {
  CopyProgram copy;
  target::Rates rates = getRates();
  KernelEstimate one = copy.estimate(1, rates);
  int64_t room = one.units * one.resident;
  EXPECT_EQ(copy.estimate(room, rates).tail, 0);
  EXPECT_EQ(copy.estimate(room + 1, rates).tail, 1);
  EXPECT_DOUBLE_EQ(copy.estimate(room, rates).waves, 1);
  EXPECT_GT(copy.estimate(room + 1, rates).seconds,
            copy.estimate(room, rates).seconds);
}

TEST(Estimate, FasterChipsAreNotSlower) {
  CopyProgram copy;
  for (auto field : {&target::Rates::dramBytes, &target::Rates::cacheBytes,
                     &target::Rates::unitCacheBytes, &target::Rates::mhz,
                     &target::Rates::lanes, &target::Rates::cacheSize})
    for (int64_t rows : {1, 100, 5000, 1 << 18}) {
      target::Rates rates = getRates();
      double before = copy.estimate(rows, rates).seconds;
      rates.*field *= 2;
      EXPECT_LE(copy.estimate(rows, rates).seconds, before * (1 + 1e-12));
    }
}

TEST(Estimate, MoreWorkTakesLonger) {
  CopyProgram copy;
  double before = 0;
  for (int64_t rows : {1, 1 << 10, 1 << 14, 1 << 18}) {
    double now = copy.estimate(rows, getRates()).seconds;
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(Space, KeepsWhatMeetsTheRequirements) {
  CopyProgram copy;
  ExprGraph &e = copy.program.exprs;
  copy.program.parameters = {{"@a", 1, {1, 2, 3}}, {"@b", 10, {10, 20}},
                             {"@unused", 5, {5, 6}}};
  Expr a = e.symbol("@a"), b = e.symbol("@b");
  copy.program.requirements = {
      {e.make(ExprKind::Less, e.make(ExprKind::Multiply, a, b), e.constant(40)),
       "small"}};
  target::Rates rates = getRates();
  Space space = rank(copy.program, *target::lookupTarget("sm_90a"), rates,
                     {1000, 0, 0});
  EXPECT_EQ(space.total, 6);
  EXPECT_EQ(space.unmet, 2); // 2 * 20 and 3 * 20
  ASSERT_EQ(space.ranked.size(), 4u);
  EXPECT_TRUE(space.ranked[0].isDefault);
  EXPECT_EQ(formatBindings(copy.program, space.ranked[0]), "a=1 b=10 unused=5");
}
