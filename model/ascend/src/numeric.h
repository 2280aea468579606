// Elements of every type, rounding, and conversion between types.
#pragma once
#include <cmath>
#include <cstring>

#include "tile_ascend/engine.h"

namespace tile_ascend {

// Rounds to a multiple of a power of two by an Ascend C round mode (page
// "precision conversion", table 1).
long double roundBy(long double value, AscendC::RoundMode mode);
// To a binary float format with `precision` significand bits and `minExponent`
// as the smallest normal exponent.
long double roundToFormat(long double value, AscendC::RoundMode mode,
                          int precision, int minExponent);

// One element of any type as a long double, which holds every value of every
// type exactly.
long double loadElement(DType type, const uint8_t *data, bool highNibble);
// Converts with rounding and saturation and stores.
void storeElement(DType type, uint8_t *data, bool highNibble, long double value,
                  AscendC::RoundMode mode);

template <typename T>
inline T loadAs(const uint8_t *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}
template <typename T>
inline void storeAs(uint8_t *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

// Calls f with a value of the C++ type of a vector element type (16 and 32
// bits).
template <typename F>
inline void dispatch(DType type, F &&f) {
  switch (type) {
  case DType::I16:
    return f(int16_t());
  case DType::U16:
    return f(uint16_t());
  case DType::F16:
    return f(half());
  case DType::BF16:
    return f(bfloat16_t());
  case DType::I32:
    return f(int32_t());
  case DType::U32:
    return f(uint32_t());
  case DType::F32:
    return f(float());
  case DType::I8:
    return f(int8_t());
  case DType::U8:
    return f(uint8_t());
  default:
    return;
  }
}

inline bool allValid(const uint8_t *valid, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    if (!valid[i])
      return false;
  return true;
}

} // namespace tile_ascend
