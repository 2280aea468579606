// half and bfloat16_t: storage classes with exact round-to-nearest-even
// conversion, since neither g++ 12 nor clang 14 has both. Values of 8 bits are
// those of tensors alone, which have no immediates.
#pragma once
#include <cstdint>
#include <type_traits>

namespace tile_ascend {
// Bit-exact conversions (src/float16.cpp). Values past the largest finite one
// become infinity, as IEEE 754 rounding does.
uint16_t halfFromFloat(float value);
float halfToFloat(uint16_t bits);
uint16_t bfloat16FromFloat(float value);
float bfloat16ToFloat(uint16_t bits);
} // namespace tile_ascend

struct half {
  uint16_t bits = 0;
  half() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  half(T value) : bits(tile_ascend::halfFromFloat(static_cast<float>(value))) {}
  operator float() const { return tile_ascend::halfToFloat(bits); }
};

struct bfloat16_t {
  uint16_t bits = 0;
  bfloat16_t() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  bfloat16_t(T value)
      : bits(tile_ascend::bfloat16FromFloat(static_cast<float>(value))) {}
  operator float() const { return tile_ascend::bfloat16ToFloat(bits); }
};

struct fp8_e4m3fn_t {
  uint8_t bits;
};
struct fp8_e5m2_t {
  uint8_t bits;
};

using float16_t = half;

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2,
              "half and bfloat16_t are two bytes");
