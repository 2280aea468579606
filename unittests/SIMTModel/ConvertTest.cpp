// Conversions of pairs of small floats on NVIDIA GPUs.
extern "C" {
#include "numeric.h"
}
#include "Harness.h"

#include <cmath>

using namespace simt;

namespace {

/// A format of 8 bits by its definition in the PTX manual.
struct Float8 {
  const char *name;
  int exponent, mantissa;
  bool hasInfinity;

  double decode(uint32_t code) const {
    int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1;
    int e = int(code >> mantissa) & top, m = int(code) & ((1 << mantissa) - 1);
    double sign = code & 0x80 ? -1 : 1;
    if (e == top && hasInfinity)
      return m ? NAN : sign * INFINITY;
    if (e == top && m == (1 << mantissa) - 1)
      return NAN;
    return sign * (e ? std::ldexp(m + (1 << mantissa), e - bias - mantissa)
                     : std::ldexp(m, 1 - bias - mantissa));
  }
};

constexpr Float8 kFormats[] = {{"e4m3x2", 4, 3, false}, {"e5m2x2", 5, 2, true}};

uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// One instruction of one thread on words of memory.
template <size_t Operands>
std::vector<uint32_t> evaluate(const std::string &name, unsigned resultBits,
                               unsigned operandBits,
                               const std::vector<uint32_t> &words) {
  Program p([](void *const *p) {
    uint32_t t = execute(0), from[2] = {};
    for (size_t i = 0; i < Operands; ++i)
      from[i] = load<uint32_t>(2, argument(p, 0) + 4 * (Operands * t + i));
    store<uint32_t>(3, argument(p, 1) + 4 * t, execute(1, from[0], from[1]));
  });
  p.call(kThread, {scalar(32)}, {});
  p.call(name.c_str(), {scalar(resultBits)},
         std::vector<TileSimtValue>(Operands, scalar(operandBits)));
  p.memory("load").memory("store");
  size_t threads = words.size() / Operands;
  Buffer<uint32_t> in(words), out(threads);
  EXPECT_EQ(p.run(unsigned(threads), 1, {in, out}), "");
  std::vector<uint32_t> results;
  for (size_t i = 0; i < threads; ++i)
    results.push_back(out[i]);
  return results;
}

void expectSame(double got, double expected, uint32_t code) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got)) << code;
  else
    EXPECT_EQ(got, expected) << code;
}

TEST(Convert, FromFloat8) {
  for (const Float8 &format : kFormats) {
    std::vector<uint32_t> words;
    for (uint32_t code = 0; code < 256; ++code)
      words.push_back(code | (255 - code) << 8);
    std::string name = std::string("llvm.nvvm.") + format.name + ".to.f16x2.rn";
    auto results = evaluate<1>(name, 32, 16, words);
    for (uint32_t code = 0; code < 256; ++code) {
      expectSame(double(simt_widen(&simt_f16, results[code] & 0xFFFF)),
                 format.decode(code), code);
      expectSame(double(simt_widen(&simt_f16, results[code] >> 16)),
                 format.decode(255 - code), code);
    }
  }
}

// Of two neighbours the nearer one, or the even one; what is too large, and
// infinity, becomes the largest number.
TEST(Convert, ToFloat8) {
  for (const Float8 &format : kFormats) {
    std::string name = std::string("llvm.nvvm.ff.to.") + format.name + ".rn";
    uint32_t largest = format.hasInfinity ? 0x7B : 0x7E;
    std::vector<uint32_t> words, expected;
    auto add = [&](double high, double low, uint32_t code) {
      words.insert(words.end(), {toBits(float(high)), toBits(float(low))});
      expected.push_back(code);
    };
    for (uint32_t code = 0; code < largest; ++code) {
      double value = format.decode(code), next = format.decode(code + 1);
      double middle = (value + next) / 2;
      add(value, -next, code << 8 | 0x80 | (code + 1));
      add(middle, -middle, (code + code % 2) << 8 | 0x80 | (code + code % 2));
      add(double(std::nextafterf(float(middle), 0)),
          double(std::nextafterf(float(middle), INFINITY)),
          code << 8 | (code + 1));
    }
    add(INFINITY, -1e9, largest << 8 | 0x80 | largest);
    for (size_t i = 0; i < expected.size(); i += 256) {
      size_t end = std::min(i + 256, expected.size());
      auto results = evaluate<2>(
          name, 16, 32,
          {words.begin() + ptrdiff_t(2 * i), words.begin() + ptrdiff_t(2 * end)});
      for (size_t k = i; k < end; ++k)
        EXPECT_EQ(results[k - i], expected[k]) << format.name << " " << k;
    }
    auto nan = evaluate<2>(name, 16, 32, {toBits(NAN), toBits(1)});
    EXPECT_TRUE(std::isnan(format.decode(nan[0] >> 8 & 0xFF)));
    auto relu = evaluate<2>(name + ".relu", 16, 32, {toBits(-3), toBits(2)});
    EXPECT_EQ(format.decode(relu[0] >> 8 & 0xFF), 0);
    EXPECT_EQ(format.decode(relu[0] & 0xFF), 2);
    std::string halves = std::string("llvm.nvvm.f16x2.to.") + format.name + ".rn";
    auto pair = evaluate<1>(halves, 16, 32,
                            {simt_narrow(&simt_f16, 3, false) << 16 |
                             simt_narrow(&simt_f16, -0.5, false)});
    EXPECT_EQ(format.decode(pair[0] >> 8 & 0xFF), 3);
    EXPECT_EQ(format.decode(pair[0] & 0xFF), -0.5);
  }
}

} // namespace
