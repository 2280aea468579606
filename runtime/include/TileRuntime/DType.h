// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and the codec between their bits and numbers.

#ifndef TILERUNTIME_DTYPE_H
#define TILERUNTIME_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TileRtDType {
  TILE_RT_NONE, ///< no type; never the type of a tensor
  TILE_RT_I1,   ///< a truth value in a byte: 0 is false, the rest is true
  TILE_RT_I4,   ///< two's complement, two per byte
  TILE_RT_I8,
  TILE_RT_I16,
  TILE_RT_I32,
  TILE_RT_I64,
  TILE_RT_U8,
  TILE_RT_U16,
  TILE_RT_U32,
  TILE_RT_U64,
  TILE_RT_F16,
  TILE_RT_BF16,
  TILE_RT_F32,
  TILE_RT_F64,
  TILE_RT_F8E4M3FN,
  TILE_RT_F8E5M2,
  TILE_RT_F8E4M3FNUZ,
  TILE_RT_F8E5M2FNUZ,
  TILE_RT_F8E8M0FNU,
  TILE_RT_F4E2M1FN, ///< two per byte
  TILE_RT_DTYPE_COUNT
} TileRtDType;

/// MLIR's spelling: "i1", "i4", "ui8", "bf16", "f8E4M3FN", "f4E2M1FN" ...;
/// "none" for TILE_RT_NONE and for values outside the enumeration. Static.
const char *tile_rt_dtype_name(TileRtDType dtype);

/// The type of that exact name, or TILE_RT_NONE.
TileRtDType tile_rt_dtype_from_name(const char *name);

/// The bits that one element takes in memory: 4, 8, 16, 32 or 64 (8 for i1).
int tile_rt_dtype_bits(TileRtDType dtype);

bool tile_rt_dtype_is_float(TileRtDType dtype);

/// True for i4 to i64. False for i1.
bool tile_rt_dtype_is_signed_integer(TileRtDType dtype);

/// The number that the low bits of `bits` encode. Exact, but for i64 and ui64
/// beyond 2^53, which round to nearest even.
double tile_rt_decode(TileRtDType dtype, uint64_t bits);

/// The code of the nearest number, ties to the even code, in the low bits; the
/// rest is zero. One rounding, also for subnormals. Outside the range:
/// - f16, bf16, f32, f64, f8E5M2: infinity;
/// - f8E4M3FN, f8E4M3FNUZ, f8E5M2FNUZ, f8E8M0FNU: NaN, infinities too;
/// - f4E2M1FN: the largest magnitude, infinities too; NaN gives +6;
/// - f8E8M0FNU has no zero and no sign: zero and what is too small give 2^-127,
///   negative numbers give NaN;
/// - integers saturate; NaN gives 0;
/// - i1: all but zero gives 1, NaN too.
/// The sign of a zero or NaN is kept where the type has one; a NaN's payload is
/// kept in f64 only. Expects the default rounding mode.
uint64_t tile_rt_encode(TileRtDType dtype, double value);

/// The exact value of an integer code. A ui64 beyond INT64_MAX comes as the
/// int64_t of the same bits. 0 for float types.
int64_t tile_rt_decode_int(TileRtDType dtype, uint64_t bits);

/// Integers wrap modulo 2^bits (i1: all but zero gives 1); float types go
/// through tile_rt_encode.
uint64_t tile_rt_encode_int(TileRtDType dtype, int64_t value);

/// The distance of neighbouring numbers of the type at the magnitude of
/// `value` (its largest finite distance beyond the range). 1 for integers, NaN
/// for infinities and NaN.
double tile_rt_ulp(TileRtDType dtype, double value);

/// The byte that poison consists of: NaN when repeated over any float type that
/// has one, 0xA5 for the rest.
uint8_t tile_rt_poison_byte(TileRtDType dtype);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_DTYPE_H
