// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Fill.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

/// The generator as published: a counter and a mixer.
struct SplitMix64 {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
};

TEST(Random, IsSplitMix64OfSplitMix64) {
  SplitMix64 zero{0};
  ASSERT_EQ(zero.next(), 0xE220A8397B1DCDAFu); // the published first number
  for (uint64_t seed : {0ull, 1ull, 0xFFFFFFFFFFFFFFFFull}) {
    SplitMix64 arguments{seed};
    for (uint64_t argument = 0; argument < 4; ++argument) {
      SplitMix64 elements{arguments.next()};
      for (uint64_t k = 0; k < 5; ++k)
        EXPECT_EQ(tile_rt_random(seed, argument, k), elements.next());
    }
  }
}

TEST(Random, UniformBounds) {
  EXPECT_EQ(tile_rt_random_uniform(0), 0);
  EXPECT_EQ(tile_rt_random_uniform(UINT64_MAX), 1 - 0x1p-53);
  EXPECT_EQ(tile_rt_random_uniform(1ull << 63), 0.5);
}

// Bits that all hosts must agree on.
TEST(Random, NormalsArePortable) {
  const double expected[] = {0x1.8ea67d0cc7558p-2, -0x1.78d9941bd2d15p-3,
                             0x1.b72b1294c072cp-2, -0x1.9204f6d55260fp+0};
  for (uint64_t k = 0; k < 4; ++k)
    EXPECT_EQ(tile_rt_random_normal(tile_rt_random(1, 2, k)), expected[k]);
  // The far tail takes the logarithm.
  EXPECT_EQ(tile_rt_random_normal(0), -0x1.06b48525582dap+3);
}

TEST(Random, NormalIsTheQuantileFunction) {
  EXPECT_NEAR(tile_rt_random_normal(1ull << 63), 0, 1e-15);
  SplitMix64 random{7};
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random.next() >> (i % 50); // far into the tail, too
    double p = (double(bits >> 12) + 0.5) * 0x1p-52;
    double x = tile_rt_random_normal(bits);
    double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    double density = std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    ASSERT_NEAR(back, p, 2e-9 * (std::fabs(x) + 1e-3) * density + 1e-15 * p)
        << x;
    EXPECT_EQ(tile_rt_random_normal(~bits), -x);
  }
}

struct Filled : TileRtTensor {
  Filled(TileRtDType dtype, std::vector<int64_t> shape, TileRtFill fill)
      : TileRtTensor() {
    TileRtError error;
    EXPECT_TRUE(tile_rt_tensor_alloc(this, dtype, int32_t(shape.size()),
                                     shape.data(), 0, &error));
    EXPECT_TRUE(tile_rt_fill(this, &fill, &error)) << error.message;
  }
  ~Filled() { tile_rt_tensor_free(this); }
  double operator[](int64_t k) const { return tile_rt_tensor_load(this, k); }
};

TileRtFill fillOf(TileRtFillKind kind, double low = 0, double high = 0) {
  TileRtFill fill = {};
  fill.kind = kind;
  fill.seed = 42;
  fill.low = low;
  fill.high = high;
  return fill;
}

TileRtFill integers(int64_t low, int64_t high) {
  TileRtFill fill = fillOf(TILE_RT_FILL_INTEGERS);
  fill.lowInteger = low;
  fill.highInteger = high;
  return fill;
}

TEST(Fill, Constants) {
  Filled zeros(TILE_RT_F16, {3}, fillOf(TILE_RT_FILL_ZEROS));
  Filled ones(TILE_RT_F8E4M3FN, {3}, fillOf(TILE_RT_FILL_ONES));
  Filled iota(TILE_RT_I4, {20}, fillOf(TILE_RT_FILL_IOTA));
  Filled poisonF(TILE_RT_BF16, {3}, fillOf(TILE_RT_FILL_POISON));
  Filled poisonI(TILE_RT_I32, {3}, fillOf(TILE_RT_FILL_POISON));
  EXPECT_EQ(zeros[2], 0);
  EXPECT_EQ(ones[2], 1);
  EXPECT_EQ(iota[7], 7);
  EXPECT_EQ(iota[8], -8);
  EXPECT_EQ(iota[17], 1);
  EXPECT_TRUE(std::isnan(poisonF[1]));
  EXPECT_EQ(static_cast<uint32_t *>(poisonI.data)[2], 0xA5A5A5A5u);
}

TEST(Fill, NormalMoments) {
  const int64_t n = 200000;
  Filled t(TILE_RT_F32, {n}, fillOf(TILE_RT_FILL_NORMAL));
  double sum = 0, squares = 0, beyond = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum += t[k];
    squares += t[k] * t[k];
    beyond += std::fabs(t[k]) > 1.959963985;
  }
  // Four standard deviations of each estimate.
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(beyond / n, 0.05, 4 * std::sqrt(0.05 * 0.95 / n));
}

TEST(Fill, UniformStaysInside) {
  Filled t(TILE_RT_F64, {100000}, fillOf(TILE_RT_FILL_UNIFORM, -3, 5));
  double sum = 0;
  for (int64_t k = 0; k < 100000; ++k) {
    ASSERT_GE(t[k], -3);
    ASSERT_LT(t[k], 5);
    sum += t[k];
  }
  EXPECT_NEAR(sum / 100000, 1, 4 * 8 / std::sqrt(12.0 * 100000));
}

TEST(Fill, IntegersReachBothBounds) {
  Filled t(TILE_RT_I8, {10000}, integers(-2, 2));
  int counts[5] = {};
  for (int64_t k = 0; k < 10000; ++k) {
    ASSERT_TRUE(t[k] >= -2 && t[k] <= 2);
    ++counts[int(t[k]) + 2];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 2000, 4 * 40);
  Filled whole(TILE_RT_I64, {4}, integers(INT64_MIN, INT64_MAX));
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(static_cast<uint64_t *>(whole.data)[k],
              tile_rt_random(42, 0, k) + (1ull << 63));
  Filled one(TILE_RT_F16, {4}, integers(7, 7));
  EXPECT_EQ(one[3], 7);
}

TEST(Fill, PermutationsHaveEachNumberOnce) {
  for (int64_t count : {1, 2, 3, 4, 5, 16, 17, 64, 1000, 65537}) {
    Filled t(TILE_RT_I32, {count}, fillOf(TILE_RT_FILL_PERMUTATION));
    std::vector<int> seen(size_t(count), 0);
    int64_t inPlace = 0;
    for (int64_t k = 0; k < count; ++k) {
      ASSERT_TRUE(t[k] >= 0 && t[k] < double(count));
      ++seen[size_t(t[k])];
      inPlace += t[k] == double(k);
    }
    EXPECT_EQ(seen, std::vector<int>(size_t(count), 1));
    // One stays in place on average.
    if (count >= 1000)
      EXPECT_LT(inPlace, 10);
  }
  TileRtFill other = fillOf(TILE_RT_FILL_PERMUTATION);
  Filled one(TILE_RT_I32, {1000}, other);
  other.argument = 1;
  Filled two(TILE_RT_I32, {1000}, other);
  EXPECT_NE(memcmp(one.data, two.data, 4000), 0);
}

TEST(Fill, OffsetsDoNotFall) {
  for (int64_t count : {1, 2, 3, 1001})
    for (int64_t last : {0, 1, 7, 100000}) {
      TileRtFill fill = integers(0, last);
      fill.kind = TILE_RT_FILL_OFFSETS;
      Filled t(TILE_RT_I64, {count}, fill);
      EXPECT_EQ(t[0], 0);
      for (int64_t k = 1; k < count; ++k)
        ASSERT_LE(t[k - 1], t[k]);
      if (count > 1)
        EXPECT_EQ(t[count - 1], double(last));
    }
  TileRtFill fill = integers(0, 100000);
  fill.kind = TILE_RT_FILL_OFFSETS;
  Filled t(TILE_RT_I32, {1001}, fill);
  double shortest = 1e9, longest = 0;
  for (int k = 1; k < 1001; ++k) {
    shortest = std::min(shortest, t[k] - t[k - 1]);
    longest = std::max(longest, t[k] - t[k - 1]);
  }
  EXPECT_LT(shortest, 20);
  EXPECT_GT(longest, 180);
  EXPECT_LE(longest, 201);
}

TEST(Fill, MasksAreOneWithTheProbability) {
  Filled t(TILE_RT_F16, {10000}, fillOf(TILE_RT_FILL_MASK, 0, 0.25));
  int ones = 0;
  for (int64_t k = 0; k < 10000; ++k) {
    ASSERT_TRUE(t[k] == 0 || t[k] == 1);
    ones += t[k] == 1;
  }
  EXPECT_NEAR(ones, 2500, 4 * 44);
  EXPECT_EQ(Filled(TILE_RT_I1, {1}, fillOf(TILE_RT_FILL_MASK, 0, 1))[0], 1);
  EXPECT_EQ(Filled(TILE_RT_I8, {1}, fillOf(TILE_RT_FILL_MASK, 0, 0))[0], 0);
}

TEST(Fill, ElementsDoNotDependOnShapeStridesOrThreads) {
  TileRtFill fill = fillOf(TILE_RT_FILL_NORMAL);
  Filled large(TILE_RT_F32, {300, 400}, fill); // in parallel
  Filled small(TILE_RT_F32, {10}, fill);
  for (int k = 0; k < 10; ++k)
    EXPECT_EQ(large[k], small[k]);
  float column[6];
  int64_t shape[] = {2, 3}, strides[] = {1, 2};
  TileRtTensor view;
  ASSERT_TRUE(tile_rt_tensor_view(&view, TILE_RT_F32, 2, shape, strides, column,
                                  nullptr));
  ASSERT_TRUE(tile_rt_fill(&view, &fill, nullptr));
  EXPECT_EQ(column[1], small[3]);
  EXPECT_EQ(column[2], small[1]);
  for (int64_t k = 0; k < 300 * 400; ++k)
    ASSERT_EQ(large[k],
              float(tile_rt_random_normal(tile_rt_random(42, 0, uint64_t(k)))));
}

TEST(Fill, SeedsAndArgumentsDiffer) {
  EXPECT_NE(tile_rt_random(1, 0, 0), tile_rt_random(2, 0, 0));
  EXPECT_NE(tile_rt_random(1, 0, 0), tile_rt_random(1, 1, 0));
  EXPECT_NE(tile_rt_random(1, 0, 0), tile_rt_random(1, 0, 1));
}

TEST(Fill, Errors) {
  Filled t(TILE_RT_F32, {2}, fillOf(TILE_RT_FILL_ZEROS));
  TileRtError error;
  TileRtFill bad = fillOf(TILE_RT_FILL_UNIFORM, 2, 1);
  EXPECT_FALSE(tile_rt_fill(&t, &bad, &error));
  EXPECT_STREQ(error.message,
               "fill: expected finite bounds in order, got 2 and 1");
  bad = fillOf(TILE_RT_FILL_UNIFORM, 0, INFINITY);
  EXPECT_FALSE(tile_rt_fill(&t, &bad, &error));
  bad = integers(3, -3);
  EXPECT_FALSE(tile_rt_fill(&t, &bad, &error));
  EXPECT_STREQ(error.message, "fill: expected bounds in order, got 3 and -3");
  bad = fillOf(TILE_RT_FILL_MASK, 0, 1.5);
  EXPECT_FALSE(tile_rt_fill(&t, &bad, &error));
  EXPECT_STREQ(error.message,
               "fill: expected a probability of 0 to 1, got 1.5");
  bad = integers(0, -1);
  bad.kind = TILE_RT_FILL_OFFSETS;
  EXPECT_FALSE(tile_rt_fill(&t, &bad, &error));
  EXPECT_STREQ(error.message,
               "fill: expected a last offset of at least 0, got -1");
  // What is empty needs no bounds.
  bad = integers(0, -1);
  Filled empty(TILE_RT_I32, {0}, bad);
  EXPECT_TRUE(tile_rt_fill(&empty, &bad, &error));
}

} // namespace
