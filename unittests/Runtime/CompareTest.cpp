// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Compare.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

const float inf = std::numeric_limits<float>::infinity();
const float nan_ = std::numeric_limits<float>::quiet_NaN();

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr TileRtDType value = TILE_RT_F32;
};
template <>
struct TypeOf<double> {
  static constexpr TileRtDType value = TILE_RT_F64;
};
template <>
struct TypeOf<int64_t> {
  static constexpr TileRtDType value = TILE_RT_I64;
};
template <>
struct TypeOf<uint64_t> {
  static constexpr TileRtDType value = TILE_RT_U64;
};

template <typename T>
TileRtTensor viewOf(std::vector<T> &data, std::vector<int64_t> shape = {}) {
  if (shape.empty())
    shape = {int64_t(data.size())};
  TileRtTensor tensor;
  EXPECT_TRUE(tile_rt_tensor_view(&tensor, TypeOf<T>::value,
                                  int32_t(shape.size()), shape.data(), nullptr,
                                  data.data(), nullptr));
  return tensor;
}

template <typename T, typename U>
bool compare(std::vector<T> got, std::vector<U> expected,
             TileRtTolerance tolerance = {}, TileRtComparison *result = nullptr,
             TileRtError *error = nullptr) {
  TileRtTensor a = viewOf(got), b = viewOf(expected);
  return tile_rt_compare("C", &a, &b, &tolerance, result, error);
}

using F = std::vector<float>;

TEST(Compare, EqualTensors) {
  TileRtComparison r;
  EXPECT_TRUE(compare(F{1, -0.0f, nan_, inf, -inf}, F{1, 0.0f, nan_, inf, -inf},
                      {}, &r));
  EXPECT_EQ(r.count, 5);
  EXPECT_EQ(r.mismatches, 0);
  EXPECT_EQ(r.firstMismatch, -1);
  EXPECT_EQ(r.worst, -1);
  EXPECT_EQ(r.maxAbsolute, 0);
  EXPECT_TRUE(compare(F{}, F{}));
}

TEST(Compare, Tolerances) {
  EXPECT_FALSE(compare(F{1.5}, F{1}));
  EXPECT_TRUE(compare(F{1.5}, F{1}, {0.5, 0, 0}));
  EXPECT_FALSE(compare(F{1.5}, F{1}, {0.499, 0, 0}));
  EXPECT_TRUE(compare(F{-150}, F{-100}, {0, 0.5, 0}));
  EXPECT_TRUE(compare(F{-151}, F{-100}, {1, 0.5, 0}));
  EXPECT_FALSE(compare(F{-152}, F{-100}, {1, 0.5, 0}));
  float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  EXPECT_TRUE(compare(F{next}, F{1}, {0, 0, 2}));
  EXPECT_FALSE(compare(F{next}, F{1}, {0, 0, 1.5}));
  EXPECT_FALSE(compare(F{1.5}, F{1}, {nan_, nan_, nan_}));
}

TEST(Compare, SpecialValuesMustBeTheSame) {
  const TileRtTolerance huge = {1e300, 1e300, 1e300};
  EXPECT_FALSE(compare(F{nan_}, F{1}, huge));
  EXPECT_FALSE(compare(F{1}, F{nan_}, huge));
  EXPECT_FALSE(compare(F{inf}, F{-inf}, huge));
  EXPECT_FALSE(compare(F{3e38f}, F{inf}, huge));
  EXPECT_FALSE(compare(F{inf}, F{3e38f}, huge));
  EXPECT_FALSE(compare(F{nan_}, F{inf}, huge));
  EXPECT_FALSE(compare(std::vector<double>{1e308}, std::vector<double>{-1e308},
                       {1e300, 0, 0}));
}

TEST(Compare, Report) {
  TileRtComparison r;
  TileRtError e;
  std::vector<float> got = {1, 2.5, 3, 8, 0.25, 6};
  std::vector<float> expected = {1, 2, 3, 4, 0, 6.5};
  TileRtTensor a = viewOf(got, {2, 3}), b = viewOf(expected, {2, 3});
  TileRtTolerance tolerance = {0.25, 0, 0};
  EXPECT_FALSE(tile_rt_compare("C", &a, &b, &tolerance, &r, &e));
  EXPECT_EQ(r.count, 6);
  EXPECT_EQ(r.mismatches, 3);
  EXPECT_EQ(r.firstMismatch, 1);
  EXPECT_EQ(r.worst, 3);
  EXPECT_EQ(r.maxAbsolute, 4);
  EXPECT_EQ(r.maxRelative, 1);
  EXPECT_EQ(r.maxUlps, 0x1p147); // 0.25 in the ulps of zero, 2^-149
  EXPECT_STREQ(
      e.message,
      "C: 3 of 6 elements differ: at [0, 1] expected 2, got 2.5; worst "
      "at [1, 0] expected 4, got 8, error 4, 16 times the tolerance");
}

TEST(Compare, WorstPrefersMismatches) {
  TileRtComparison r;
  // The larger error is within the relative tolerance.
  EXPECT_FALSE(compare(F{1010, 1.5}, F{1000, 1}, {0, 0.1, 0}, &r));
  EXPECT_EQ(r.worst, 1);
  EXPECT_EQ(r.maxAbsolute, 10);
  EXPECT_TRUE(compare(F{1, 1010}, F{1, 1000}, {0, 0.1, 0}, &r));
  EXPECT_EQ(r.worst, 1);
  EXPECT_EQ(r.mismatches, 0);
}

TEST(Compare, WideIntegersAreNotRounded) {
  int64_t big = int64_t(1) << 60;
  TileRtComparison r;
  EXPECT_FALSE(compare(std::vector<int64_t>{big + 1}, std::vector<int64_t>{big},
                       {}, &r));
  EXPECT_EQ(r.maxAbsolute, 1);
  EXPECT_TRUE(compare(std::vector<int64_t>{big + 1}, std::vector<int64_t>{big},
                      {1, 0, 0}));
  EXPECT_FALSE(compare(std::vector<int64_t>{INT64_MIN},
                       std::vector<int64_t>{INT64_MAX}, {}, &r));
  EXPECT_EQ(r.maxAbsolute, 0x1p64);
  TileRtError e;
  EXPECT_FALSE(compare(std::vector<uint64_t>{UINT64_MAX},
                       std::vector<uint64_t>{UINT64_MAX - 1}, {}, &r, &e));
  EXPECT_EQ(r.maxAbsolute, 1);
  EXPECT_STREQ(e.message,
               "C: 1 of 1 elements differ: at [0] expected "
               "18446744073709551614, got 18446744073709551615; worst at [0] "
               "expected 18446744073709551614, got 18446744073709551615, error "
               "1");
}

TEST(Compare, StridesDiffer) {
  std::vector<float> rows = {1, 2, 3, 4, 5, 6}, columns = {1, 4, 2, 5, 3, 7};
  TileRtTensor a = viewOf(rows, {2, 3}), b;
  int64_t strides[] = {1, 2};
  ASSERT_TRUE(tile_rt_tensor_view(&b, TILE_RT_F32, 2, a.shape, strides,
                                  columns.data(), nullptr));
  TileRtComparison r;
  EXPECT_FALSE(tile_rt_compare("C", &a, &b, nullptr, &r, nullptr));
  EXPECT_EQ(r.mismatches, 1);
  EXPECT_EQ(r.firstMismatch, 5);
}

TEST(Compare, ReferenceOfAnotherType) {
  double third = 1.0 / 3;
  EXPECT_FALSE(compare(F{float(third)}, std::vector<double>{third}));
  EXPECT_TRUE(
      compare(F{float(third)}, std::vector<double>{third}, {0, 0, 0.5}));
}

TEST(Compare, ShapesMustBeEqual) {
  TileRtError e;
  EXPECT_FALSE(compare(F{1, 2}, F{1, 2, 3}, {}, nullptr, &e));
  EXPECT_STREQ(e.message, "C: expected 3xany, got 2xf32");
}

TEST(Compare, LargeTensorsInParallel) {
  std::vector<float> got(200001, 1), expected(200001, 1);
  got[70000] = 2;
  got[70001] = nan_;
  got[190000] = nan_;
  TileRtComparison r;
  EXPECT_FALSE(compare(got, expected, {}, &r));
  EXPECT_EQ(r.count, 200001);
  EXPECT_EQ(r.mismatches, 3);
  EXPECT_EQ(r.firstMismatch, 70000);
  EXPECT_EQ(r.worst, 70001);
  EXPECT_TRUE(std::isinf(r.maxAbsolute));
}

} // namespace
