// half, bfloat16_t and the rounding of casts.
#include <limits>

#include "Harness.h"
#include "numeric.h"

using namespace tile_ascend;
using AscendC::RoundMode;

TEST(Numeric, EveryHalfRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfToFloat(halfFromFloat(value))));
    else
      ASSERT_EQ(halfFromFloat(value), bits);
  }
}

// The fast conversion against the slow definition, around every half and every
// tie between two of them.
TEST(Numeric, HalfRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    float low = halfToFloat(static_cast<uint16_t>(bits)),
          high = bits == 0x7BFF ? 65536.0f
                                : halfToFloat(static_cast<uint16_t>(bits + 1));
    float middle = low + (high - low) / 2;
    for (float value : {std::nextafter(low, 1e9f), std::nextafter(middle, 0.0f),
                        middle, std::nextafter(middle, 1e9f)})
      for (float sign : {1.0f, -1.0f}) {
        auto exact = static_cast<float>(
            roundToFormat(sign * value, RoundMode::CAST_RINT, 11, -14));
        float expected = std::fabs(exact) > 65504
                             ? sign * std::numeric_limits<float>::infinity()
                             : exact;
        ASSERT_EQ(halfToFloat(halfFromFloat(sign * value)), expected) << value;
      }
  }
}

TEST(Numeric, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(bfloat16FromFloat(1.0f), 0x3F80);
  EXPECT_EQ(bfloat16FromFloat(1.00390625f),
            0x3F80); // a tie goes to the even neighbour below
  EXPECT_EQ(bfloat16FromFloat(1.01171875f), 0x3F82); // and here above
  EXPECT_EQ(bfloat16FromFloat(1.00390637f), 0x3F81);
  EXPECT_TRUE(std::isnan(bfloat16ToFloat(bfloat16FromFloat(std::nanf("")))));
  EXPECT_EQ(bfloat16FromFloat(std::numeric_limits<float>::max()), 0x7F80);
}

TEST(Numeric, RoundModes) {
  struct {
    double value;
    int rint, floor, ceil, round, trunc, odd;
  } rows[] = {{1.5, 2, 1, 2, 2, 1, 1},        {2.5, 2, 2, 3, 3, 2, 3},
              {-1.5, -2, -2, -1, -2, -1, -1}, {-2.5, -2, -3, -2, -3, -2, -3},
              {3, 3, 3, 3, 3, 3, 3},          {0.25, 0, 0, 1, 0, 0, 1}};
  for (const auto &row : rows) {
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_NONE), row.rint);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_RINT), row.rint);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_FLOOR), row.floor);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_CEIL), row.ceil);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_ROUND), row.round);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_TRUNC), row.trunc);
    EXPECT_EQ(roundBy(row.value, RoundMode::CAST_ODD), row.odd) << row.value;
  }
}

namespace {
template <typename T>
T stored(DType type, long double value, RoundMode mode = RoundMode::CAST_RINT) {
  uint8_t data[8] = {};
  storeElement(type, data, false, value, mode);
  return loadAs<T>(data);
}
} // namespace

// The examples of the page "precision conversion".
TEST(Numeric, DocumentedConversions) {
  EXPECT_EQ(stored<int8_t>(DType::I8, 127.5L, RoundMode::CAST_CEIL), 127);
  EXPECT_EQ(stored<int16_t>(DType::I16, 127.5L, RoundMode::CAST_FLOOR), 127);
  EXPECT_EQ(stored<int32_t>(DType::I32, -1.5L, RoundMode::CAST_CEIL), -1);
  EXPECT_EQ(stored<int32_t>(DType::I32, 64.5L, RoundMode::CAST_RINT), 64);
  // int16_t to half: 2^12 + 2 lies between 4096 and 4100.
  EXPECT_EQ(
      halfToFloat(stored<uint16_t>(DType::F16, 4098, RoundMode::CAST_RINT)),
      4096);
  EXPECT_EQ(
      halfToFloat(stored<uint16_t>(DType::F16, 4098, RoundMode::CAST_CEIL)),
      4100);
  EXPECT_EQ(
      halfToFloat(stored<uint16_t>(DType::F16, 4098, RoundMode::CAST_ROUND)),
      4100);
  EXPECT_EQ(
      halfToFloat(stored<uint16_t>(DType::F16, 4098, RoundMode::CAST_TRUNC)),
      4096);
}

TEST(Numeric, IntegersSaturate) {
  EXPECT_EQ(stored<int8_t>(DType::I8, 1000), 127);
  EXPECT_EQ(stored<uint8_t>(DType::U8, -3), 0);
  EXPECT_EQ(stored<int32_t>(DType::I32, 1e20L),
            std::numeric_limits<int32_t>::max());
  EXPECT_EQ(stored<int64_t>(DType::I64, -1e30L),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stored<int32_t>(DType::I32, std::nanl("")), 0);
}

TEST(Numeric, FloatsOverflowToInfinity) {
  auto half = [](long double value, RoundMode mode = RoundMode::CAST_RINT) {
    return stored<uint16_t>(DType::F16, value, mode);
  };
  EXPECT_EQ(half(65519.9L), 0x7BFF);
  EXPECT_EQ(half(65520), 0x7C00);
  EXPECT_EQ(half(-1e6L), 0xFC00);
  EXPECT_EQ(half(1e6L, RoundMode::CAST_TRUNC), 0x7BFF);
  EXPECT_EQ(half(1e6L, RoundMode::CAST_FLOOR), 0x7BFF);
  EXPECT_EQ(half(-1e6L, RoundMode::CAST_FLOOR), 0xFC00);
  EXPECT_EQ(half(1e6L, RoundMode::CAST_CEIL), 0x7C00);
  EXPECT_EQ(stored<uint16_t>(DType::BF16, 3.4e38L), 0x7F80);
  EXPECT_EQ(half(std::numeric_limits<long double>::infinity()), 0x7C00);
  // The sign of what rounds to 0 stays.
  EXPECT_EQ(half(-1e-30L), 0x8000);
  EXPECT_TRUE(std::signbit(roundBy(-0.25L, RoundMode::CAST_RINT)));
}

TEST(Numeric, Int4Nibbles) {
  uint8_t byte = 0;
  storeElement(DType::I4, &byte, false, 6, RoundMode::CAST_RINT);
  storeElement(DType::I4, &byte, true, 7, RoundMode::CAST_RINT);
  EXPECT_EQ(byte, 118); // the example of the page "LoadDataWithTranspose"
  storeElement(DType::I4, &byte, true, -9, RoundMode::CAST_RINT);
  EXPECT_EQ(loadElement(DType::I4, &byte, true), -8);
  EXPECT_EQ(loadElement(DType::I4, &byte, false), 6);
}

TEST(Numeric, ElementClassesConvert) {
  half h = 0.1f;
  EXPECT_EQ(float(h), 0.0999755859375f);
  EXPECT_EQ(float(half(2049)), 2048.0f);
  EXPECT_EQ(float(half(1.5) + half(2)), 3.5f);
  EXPECT_LT(half(-1), half(0));
  EXPECT_EQ(float(bfloat16_t(3)), 3.0f);
}
