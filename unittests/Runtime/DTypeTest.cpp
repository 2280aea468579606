// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected values come from the formula of the OCP and IEEE documents, written
// here with pow and a search for the nearest number, not from the codec.

#include "TileRuntime/DType.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

const double inf = std::numeric_limits<double>::infinity();

enum class Special { IEEE, FN, FNUZ, None };

struct Spec {
  TileRtDType dtype;
  int exponentBits, mantissaBits, bias;
  Special special;
  double largest;
};

// The largest numbers are those printed in the documents.
const Spec specs[] = {
    {TILE_RT_F16, 5, 10, 15, Special::IEEE, 65504},
    {TILE_RT_BF16, 8, 7, 127, Special::IEEE, 3.3895313892515354759e38},
    {TILE_RT_F8E4M3FN, 4, 3, 7, Special::FN, 448},
    {TILE_RT_F8E5M2, 5, 2, 15, Special::IEEE, 57344},
    {TILE_RT_F8E4M3FNUZ, 4, 3, 8, Special::FNUZ, 240},
    {TILE_RT_F8E5M2FNUZ, 5, 2, 16, Special::FNUZ, 57344},
    {TILE_RT_F4E2M1FN, 2, 1, 1, Special::None, 6},
};

double formula(const Spec &s, unsigned code) {
  unsigned sign = code >> (s.exponentBits + s.mantissaBits);
  unsigned e = code >> s.mantissaBits & ((1u << s.exponentBits) - 1);
  unsigned m = code & ((1u << s.mantissaBits) - 1);
  unsigned allE = (1u << s.exponentBits) - 1, allM = (1u << s.mantissaBits) - 1;
  if (s.special == Special::IEEE && e == allE)
    return m ? NAN : sign ? -inf : inf;
  if (s.special == Special::FN && e == allE && m == allM)
    return NAN;
  if (s.special == Special::FNUZ && sign && !e && !m)
    return NAN;
  double value =
      e ? std::pow(2.0, int(e) - s.bias) *
              (1 + m / std::pow(2.0, s.mantissaBits))
        : std::pow(2.0, 1 - s.bias) * m / std::pow(2.0, s.mantissaBits);
  return sign ? -value : value;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

unsigned codes(const Spec &s) {
  return 1u << (1 + s.exponentBits + s.mantissaBits);
}

TEST(DType, EveryCodeDecodes) {
  for (const Spec &s : specs)
    for (unsigned code = 0; code < codes(s); ++code)
      ASSERT_TRUE(same(tile_rt_decode(s.dtype, code), formula(s, code)))
          << tile_rt_dtype_name(s.dtype) << " " << code;
}

TEST(DType, EveryCodeRoundTrips) {
  for (const Spec &s : specs)
    for (unsigned code = 0; code < codes(s); ++code) {
      double value = formula(s, code);
      if (std::isnan(value))
        continue;
      ASSERT_EQ(tile_rt_encode(s.dtype, value), code)
          << tile_rt_dtype_name(s.dtype);
    }
}

TEST(DType, LargestNumbers) {
  for (const Spec &s : specs) {
    double largest = 0;
    for (unsigned code = 0; code < codes(s); ++code) {
      double value = formula(s, code);
      if (std::isfinite(value))
        largest = std::max(largest, value);
    }
    EXPECT_EQ(largest, s.largest) << tile_rt_dtype_name(s.dtype);
  }
}

// Midpoints of neighbours go to the even code, and a hair off the midpoint goes
// to the near one: with monotonicity this fixes the rounding of everything.
TEST(DType, TiesGoToEvenCodes) {
  for (const Spec &s : specs)
    for (unsigned code = 0; code + 1 < codes(s) / 2; ++code) {
      double low = formula(s, code), high = formula(s, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double middle = low + (high - low) / 2;
      unsigned even = code % 2 ? code + 1 : code;
      unsigned sign = codes(s) / 2;
      ASSERT_EQ(tile_rt_encode(s.dtype, middle), even);
      ASSERT_EQ(tile_rt_encode(s.dtype, std::nextafter(middle, 0)), code);
      ASSERT_EQ(tile_rt_encode(s.dtype, std::nextafter(middle, inf)), code + 1);
      bool negativeZero = even == 0 && s.special == Special::FNUZ;
      ASSERT_EQ(tile_rt_encode(s.dtype, -middle),
                negativeZero ? 0 : (even | sign));
    }
}

TEST(DType, Overflow) {
  // Half a unit beyond the largest is where the next number would be the
  // nearer.
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 65519.999), 0x7BFFu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 65520), 0x7C00u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, -1e300), 0xFC00u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_BF16, 3.4e38), 0x7F80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2, 61439.9), 0x7Bu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2, 61440), 0x7Cu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2, -inf), 0xFCu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FN, 464), 0x7Eu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FN, 464.0001), 0x7Fu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FN, -inf), 0xFFu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FNUZ, 247.9), 0x7Fu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FNUZ, 248), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2FNUZ, -61440), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2FNUZ, inf), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F4E2M1FN, 100), 7u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F4E2M1FN, -inf), 15u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F4E2M1FN, -NAN), 7u);
}

TEST(DType, NaNAndZeroKeepTheirSign) {
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, std::copysign(NAN, 1)), 0x7E00u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_BF16, std::copysign(NAN, -1)), 0xFFC0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F32, std::copysign(NAN, -1)), 0xFFC00000u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FN, std::copysign(NAN, -1)), 0xFFu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FNUZ, NAN), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2, -0.0), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E5M2FNUZ, -0.0), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, -5e-324), 0x8000u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E4M3FNUZ, -1e-30), 0u);
}

TEST(DType, HalfAgainstTheDirectRoundingOfDoubles) {
  // Through f32 the first of these would round twice and come out as 0x3C00.
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 1 + 0x1p-11 + 0x1p-40), 0x3C01u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 1 + 0x1p-11 - 0x1p-40), 0x3C00u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 0x1p-25), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F16, 0x1.000001p-25), 1u);
}

TEST(DType, ScalesOfMicroscalingFormats) {
  for (unsigned code = 0; code < 255; ++code) {
    double value = std::pow(2.0, int(code) - 127);
    ASSERT_EQ(tile_rt_decode(TILE_RT_F8E8M0FNU, code), value);
    ASSERT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, value), code);
    if (code < 254) {
      unsigned even = code % 2 ? code + 1 : code;
      ASSERT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, value * 1.5), even);
      ASSERT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, value * 1.49), code);
      ASSERT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, value * 1.51), code + 1);
    }
  }
  EXPECT_TRUE(std::isnan(tile_rt_decode(TILE_RT_F8E8M0FNU, 255)));
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, 0), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, 1e-300), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, 5e-324), 0u);
  for (double bad : {-1.0, -inf, inf, double(NAN), 1e300, 0x1.9p127})
    EXPECT_EQ(tile_rt_encode(TILE_RT_F8E8M0FNU, bad), 255u) << bad;
}

TEST(DType, WideFloats) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    uint64_t bits = random();
    double value;
    memcpy(&value, &bits, 8);
    EXPECT_EQ(tile_rt_encode(TILE_RT_F64, tile_rt_decode(TILE_RT_F64, bits)),
              bits);
    if (std::isnan(value))
      continue;
    float rounded = float(value);
    uint32_t word;
    memcpy(&word, &rounded, 4);
    EXPECT_EQ(tile_rt_encode(TILE_RT_F32, value), word);
    EXPECT_TRUE(same(tile_rt_decode(TILE_RT_F32, word), rounded));
  }
}

TEST(DType, IntegersDecode) {
  EXPECT_EQ(tile_rt_decode(TILE_RT_I4, 0x8), -8);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I4, 0x7), 7);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I4, 0xF), -1);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I8, 0x80), -128);
  EXPECT_EQ(tile_rt_decode(TILE_RT_U8, 0x80), 128);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I32, 0xFFFFFFFF), -1);
  EXPECT_EQ(tile_rt_decode(TILE_RT_U32, 0xFFFFFFFF), 4294967295.0);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I64, 1ull << 63), -0x1p63);
  EXPECT_EQ(tile_rt_decode(TILE_RT_U64, 1ull << 63), 0x1p63);
  EXPECT_EQ(tile_rt_decode(TILE_RT_I1, 0xA5), 1);
  EXPECT_EQ(tile_rt_decode_int(TILE_RT_I16, 0x8000), -32768);
  EXPECT_EQ(tile_rt_decode_int(TILE_RT_U16, 0x8000), 32768);
}

TEST(DType, IntegersSaturateFromDoubleAndWrapFromInteger) {
  EXPECT_EQ(tile_rt_encode(TILE_RT_I8, 1000), 0x7Fu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I8, -1000), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I8, -128.5), 0x80u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I4, -3), 0xDu);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I4, 8), 0x7u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_U8, -1), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_U8, inf), 255u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I32, NAN), 0u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I64, 0x1p63), uint64_t(INT64_MAX));
  EXPECT_EQ(tile_rt_encode(TILE_RT_I64, -inf), 1ull << 63);
  EXPECT_EQ(tile_rt_encode(TILE_RT_U64, 0x1p64), UINT64_MAX);
  EXPECT_EQ(tile_rt_encode(TILE_RT_U64, 0x1.8p63), 3ull << 62);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I32, 2.5), 2u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I32, 3.5), 4u);
  EXPECT_EQ(tile_rt_encode(TILE_RT_I1, 0.25), 1u);
  EXPECT_EQ(tile_rt_encode_int(TILE_RT_I8, 257), 1u);
  EXPECT_EQ(tile_rt_encode_int(TILE_RT_I8, -1), 0xFFu);
  EXPECT_EQ(tile_rt_encode_int(TILE_RT_I1, 2), 1u);
  EXPECT_EQ(tile_rt_encode_int(TILE_RT_F16, -2), 0xC000u);
}

TEST(DType, Names) {
  const char *names[] = {"i1",         "i4",         "i8",        "i16",
                         "i32",        "i64",        "ui8",       "ui16",
                         "ui32",       "ui64",       "f16",       "bf16",
                         "f32",        "f64",        "f8E4M3FN",  "f8E5M2",
                         "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"};
  int expected = 1;
  for (const char *name : names) {
    EXPECT_EQ(tile_rt_dtype_from_name(name), expected) << name;
    EXPECT_STREQ(tile_rt_dtype_name(TileRtDType(expected)), name);
    ++expected;
  }
  EXPECT_EQ(expected, TILE_RT_DTYPE_COUNT);
  EXPECT_EQ(tile_rt_dtype_from_name("f8e4m3fn"), TILE_RT_NONE);
  EXPECT_EQ(tile_rt_dtype_from_name("none"), TILE_RT_NONE);
  EXPECT_STREQ(tile_rt_dtype_name(TileRtDType(99)), "none");
}

TEST(DType, Ulp) {
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F32, 1.5), 0x1p-23);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F16, -2048), 2);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F16, 0), 0x1p-24);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F16, 1e30), 32);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F64, 1), 0x1p-52);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F64, 0), 0x1p-1074);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_F8E4M3FN, 448), 32);
  EXPECT_EQ(tile_rt_ulp(TILE_RT_I8, 100), 1);
  EXPECT_TRUE(std::isnan(tile_rt_ulp(TILE_RT_F32, inf)));
}

TEST(DType, PoisonIsNaNWhereThereIsOne) {
  for (int i = 1; i < TILE_RT_DTYPE_COUNT; ++i) {
    TileRtDType dtype = TileRtDType(i);
    uint64_t bits = 0x0101010101010101u * tile_rt_poison_byte(dtype);
    if (tile_rt_dtype_is_float(dtype) && dtype != TILE_RT_F4E2M1FN)
      EXPECT_TRUE(std::isnan(tile_rt_decode(dtype, bits)))
          << tile_rt_dtype_name(dtype);
    else
      EXPECT_EQ(tile_rt_poison_byte(dtype), 0xA5);
  }
}

} // namespace
