#include "numeric.h"

#include <cstdlib>
#include <limits>

using namespace tile_ascend;
using AscendC::RoundMode;

uint16_t tile_ascend::halfFromFloat(float value) {
  uint32_t bits = loadAs<uint32_t>(reinterpret_cast<const uint8_t *>(&value));
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  bits &= 0x7FFFFFFF;
  if (bits >= 0x7F800000) // infinity, or a NaN that stays one
    return sign | 0x7C00 | (bits > 0x7F800000 ? 0x200 : 0);
  if (bits >= 0x477FF000) // rounds to 65536 or more
    return sign | 0x7C00;
  uint32_t kept, rest, tie;
  if (bits >= 0x38800000) { // normal: rebias the exponent, drop 13 bits
    kept = (bits >> 13) - (112u << 10);
    rest = bits & 0x1FFF, tie = 0x1000;
  } else { // subnormal: a multiple of 2^-24
    uint32_t shift = 126 - (bits >> 23);
    if (shift > 24)
      return sign;
    uint32_t significand = (bits & 0x7FFFFF) | 0x800000;
    kept = significand >> shift;
    rest = significand & ((1u << shift) - 1), tie = 1u << (shift - 1);
  }
  kept += rest > tie || (rest == tie && (kept & 1));
  return static_cast<uint16_t>(sign | kept);
}

float tile_ascend::halfToFloat(uint16_t bits) {
  uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31,
           fraction = bits & 0x3FF;
  if (exponent == 0)
    return (sign ? -1.0f : 1.0f) *
           std::ldexp(static_cast<float>(fraction), -24);
  uint32_t result = sign |
                    (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) |
                    fraction << 13;
  return loadAs<float>(reinterpret_cast<const uint8_t *>(&result));
}

uint16_t tile_ascend::bfloat16FromFloat(float value) {
  uint32_t bits = loadAs<uint32_t>(reinterpret_cast<const uint8_t *>(&value));
  if ((bits & 0x7FFFFFFF) > 0x7F800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float tile_ascend::bfloat16ToFloat(uint16_t bits) {
  uint32_t result = uint32_t(bits) << 16;
  return loadAs<float>(reinterpret_cast<const uint8_t *>(&result));
}

long double tile_ascend::roundBy(long double value, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return std::floor(value);
  case RoundMode::CAST_CEIL:
    return std::ceil(value);
  case RoundMode::CAST_ROUND:
    return std::round(value);
  case RoundMode::CAST_TRUNC:
    return std::trunc(value);
  case RoundMode::CAST_ODD: {
    long double kept = std::trunc(value);
    if (kept == value || std::fmod(kept, 2.0L) != 0)
      return kept;
    return kept + (std::signbit(value) ? -1 : 1);
  }
  default: { // to nearest, ties to even, whatever the thread's rounding mode
    long double kept = std::floor(value), rest = value - kept;
    bool up = rest > 0.5L || (rest == 0.5L && std::fmod(kept, 2.0L) != 0);
    return std::copysign(up ? kept + 1 : kept, value);
  }
  }
}

long double tile_ascend::roundToFormat(long double value, RoundMode mode,
                                       int precision, int minExponent) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::ilogb(value);
  int unit =
      (exponent < minExponent ? minExponent : exponent) - (precision - 1);
  return std::scalbn(roundBy(std::scalbn(value, -unit), mode), unit);
}

// One sign, bits of the exponent, the rest of the mantissa. A largest exponent
// is that of numbers, too, where there is no infinity.
static float floatOfByte(uint8_t bits, int exponentBits, bool hasInfinity) {
  int mantissaBits = 7 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  float sign = bits & 0x80 ? -1.0f : 1.0f;
  if (hasInfinity && exponent == (1 << exponentBits) - 1)
    return mantissa ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  if (!hasInfinity && (bits & 0x7F) == 0x7F)
    return std::numeric_limits<float>::quiet_NaN();
  bool isNormal = exponent != 0;
  return sign * std::ldexp(static_cast<float>(
                               mantissa + (isNormal ? 1 << mantissaBits : 0)),
                           (isNormal ? exponent : 1) - bias - mantissaBits);
}

long double tile_ascend::loadElement(DType type, const uint8_t *data,
                                     bool highNibble) {
  switch (type) {
  case DType::I4: {
    int nibble = highNibble ? *data >> 4 : *data & 15;
    return nibble < 8 ? nibble : nibble - 16;
  }
  case DType::I8:
    return static_cast<int8_t>(*data);
  case DType::U8:
    return *data;
  case DType::I16:
    return loadAs<int16_t>(data);
  case DType::U16:
    return loadAs<uint16_t>(data);
  case DType::F16:
    return halfToFloat(loadAs<uint16_t>(data));
  case DType::BF16:
    return bfloat16ToFloat(loadAs<uint16_t>(data));
  case DType::I32:
    return loadAs<int32_t>(data);
  case DType::U32:
    return loadAs<uint32_t>(data);
  case DType::F32:
    return loadAs<float>(data);
  case DType::I64:
    return static_cast<long double>(loadAs<int64_t>(data));
  case DType::U64:
    return static_cast<long double>(loadAs<uint64_t>(data));
  case DType::F64:
    return loadAs<double>(data);
  case DType::F8E4M3FN:
    return floatOfByte(*data, 4, /*hasInfinity=*/false);
  case DType::F8E5M2:
    return floatOfByte(*data, 5, /*hasInfinity=*/true);
  }
  return 0;
}

namespace {
// Integers saturate (page "precision conversion"); NaN becomes 0.
template <typename T>
void storeInteger(uint8_t *data, long double value, RoundMode mode,
                  long double low, long double high) {
  long double rounded =
      std::isnan(value)
          ? 0
          : roundBy(std::isinf(value) ? (value > 0 ? high : low) : value, mode);
  storeAs<T>(data, static_cast<T>(rounded < low    ? low
                                  : rounded > high ? high
                                                   : rounded));
}
template <typename T>
void storeInteger(uint8_t *data, long double value, RoundMode mode) {
  storeInteger<T>(data, value, mode,
                  static_cast<long double>(std::numeric_limits<T>::min()),
                  static_cast<long double>(std::numeric_limits<T>::max()));
}

bool isToNearest(RoundMode mode) {
  return mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT;
}

// The Inf/NaN mode, which the run time sets by default (page
// "aclrtFloatOverflowMode"): as IEEE 754 has it, an overflow is an infinity
// where the mode does not round towards zero.
float roundFloat(long double value, RoundMode mode, int precision,
                 int minExponent, float largest) {
  long double rounded = roundToFormat(value, mode, precision, minExponent);
  if (!std::isfinite(value) || std::fabs(rounded) <= largest)
    return static_cast<float>(rounded);
  bool down = mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD ||
              mode == (value < 0 ? RoundMode::CAST_CEIL : RoundMode::CAST_FLOOR);
  return std::copysign(down ? largest : std::numeric_limits<float>::infinity(),
                       static_cast<float>(value));
}
} // namespace

void tile_ascend::storeElement(DType type, uint8_t *data, bool highNibble,
                               long double value, RoundMode mode) {
  // Most values are floats, which need not be rounded first.
  auto single = static_cast<float>(value);
  bool isFloat = static_cast<long double>(single) == value;
  switch (type) {
  case DType::I4: {
    uint8_t nibble;
    storeInteger<int8_t>(&nibble, value, mode, -8, 7);
    *data = static_cast<uint8_t>(highNibble ? (*data & 0x0F) | nibble << 4
                                            : (*data & 0xF0) | (nibble & 15));
    return;
  }
  case DType::I8:
    return storeInteger<int8_t>(data, value, mode);
  case DType::U8:
    return storeInteger<uint8_t>(data, value, mode);
  case DType::I16:
    return storeInteger<int16_t>(data, value, mode);
  case DType::U16:
    return storeInteger<uint16_t>(data, value, mode);
  case DType::I32:
    return storeInteger<int32_t>(data, value, mode);
  case DType::U32:
    return storeInteger<uint32_t>(data, value, mode);
  case DType::I64:
    return storeInteger<int64_t>(data, value, mode);
  case DType::U64:
    return storeInteger<uint64_t>(data, value, mode);
  case DType::F16:
    if (isToNearest(mode) && isFloat)
      return storeAs(data, halfFromFloat(single));
    return storeAs(data,
                   halfFromFloat(roundFloat(value, mode, 11, -14, 65504.0f)));
  case DType::BF16:
    if (isToNearest(mode) && isFloat)
      return storeAs(data, bfloat16FromFloat(single));
    return storeAs(data, bfloat16FromFloat(
                             roundFloat(value, mode, 8, -126, 3.38953139e38f)));
  case DType::F32:
    if (isFloat)
      return storeAs(data, single);
    return storeAs(data, roundFloat(value, mode, 24, -126,
                                    std::numeric_limits<float>::max()));
  case DType::F64:
    return storeAs(data, static_cast<double>(value));
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    std::abort(); // no instruction here writes them (castTargets)
  }
}
