// Small floats, against their definition.
extern "C" {
#include "numeric.h"
}
#include "gtest/gtest.h"

#include <cmath>

namespace {

struct Case {
  const simt_format *format;
  int bits;
};

class Formats : public testing::TestWithParam<Case> {};

TEST_P(Formats, NarrowUndoesWiden) {
  Case c = GetParam();
  for (uint32_t bits = 0; bits < 1u << c.bits; ++bits) {
    float value = simt_widen(c.format, bits);
    if (std::isnan(value))
      continue;
    EXPECT_EQ(simt_narrow(c.format, double(value), false), bits) << bits;
  }
}

TEST_P(Formats, TiesGoToEven) {
  Case c = GetParam();
  uint32_t sign = 1u << (c.bits - 1);
  for (uint32_t bits = 0; bits + 1 < sign; ++bits) {
    double low = double(simt_widen(c.format, bits)),
           high = double(simt_widen(c.format, bits + 1));
    if (!std::isfinite(low) || !std::isfinite(high))
      continue;
    double middle = (low + high) / 2;
    EXPECT_EQ(simt_narrow(c.format, middle, false), bits + bits % 2);
    EXPECT_EQ(simt_narrow(c.format, std::nextafter(middle, low), false), bits);
    EXPECT_EQ(simt_narrow(c.format, std::nextafter(middle, high), false),
              bits + 1);
    EXPECT_EQ(simt_narrow(c.format, -std::nextafter(middle, high), false),
              sign | (bits + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Formats,
    testing::Values(Case{&simt_f16, 16}, Case{&simt_bf16, 16},
                    Case{&simt_e4m3, 8}, Case{&simt_e5m2, 8},
                    Case{&simt_e2m3, 6}, Case{&simt_e3m2, 6},
                    Case{&simt_e2m1, 4}));

TEST(Floats, Limits) {
  EXPECT_EQ(simt_widen(&simt_e4m3, 0x7E), 448.0f);
  EXPECT_TRUE(std::isnan(simt_widen(&simt_e4m3, 0x7F)));
  EXPECT_EQ(simt_widen(&simt_e5m2, 0x7B), 57344.0f);
  EXPECT_TRUE(std::isinf(simt_widen(&simt_e5m2, 0x7C)));
  EXPECT_EQ(simt_widen(&simt_e2m1, 7), 6.0f);
  EXPECT_EQ(simt_narrow(&simt_f16, 65520.0, false), 0x7C00u);
  EXPECT_EQ(simt_narrow(&simt_f16, 65519.0, false), 0x7BFFu);
  EXPECT_EQ(simt_narrow(&simt_f16, 1e30, true), 0x7BFFu);
  EXPECT_EQ(simt_narrow(&simt_e4m3, 1e30, true), 0x7Eu);
  EXPECT_EQ(simt_narrow(&simt_e4m3, 1e30, false), 0x7Fu);
  EXPECT_EQ(simt_narrow(&simt_e2m1, -1e30, false), 0xFu);
  EXPECT_EQ(simt_narrow(&simt_f16, -INFINITY, false), 0xFC00u);
  EXPECT_EQ(simt_narrow(&simt_f16, NAN, false), 0x7E00u);
  EXPECT_EQ(simt_round_tf32(1.0f + 0x1p-11f), 1.0f + 0x1p-10f);
  EXPECT_EQ(simt_round_tf32(1.0f + 0x1p-12f), 1.0f);
}

} // namespace
