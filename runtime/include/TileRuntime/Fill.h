// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducible contents for tensors.

#ifndef TILERUNTIME_FILL_H
#define TILERUNTIME_FILL_H

#include "TileRuntime/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TileRtFillKind {
  TILE_RT_FILL_ZEROS,
  TILE_RT_FILL_ONES,
  TILE_RT_FILL_IOTA,    ///< element k is k; integers wrap, floats round
  TILE_RT_FILL_POISON,  ///< NaN, or bytes 0xA5 where the type has none
  TILE_RT_FILL_NORMAL,  ///< mean 0, variance 1
  TILE_RT_FILL_UNIFORM, ///< from [low, high)
  TILE_RT_FILL_INTEGERS, ///< from [lowInteger, highInteger], both included
  TILE_RT_FILL_PERMUTATION, ///< each of 0 to the count - 1 once
  TILE_RT_FILL_OFFSETS, ///< from 0 up to highInteger, the last one, not falling
  TILE_RT_FILL_MASK     ///< 1 with probability `high`, 0 otherwise
} TileRtFillKind;

/// What to fill in. Element k, in row-major order whatever the strides, of a
/// random fill depends on (seed, argument, k) and the bounds alone, of
/// permutations and offsets on the count, too; not on the shape, the number of
/// threads or the host. Numbers are made in double and
/// rounded once, by tile_rt_encode; rounding may reach `high`.
typedef struct TileRtFill {
  TileRtFillKind kind;
  uint64_t seed;
  uint64_t
      argument; ///< the position of the tensor among the kernel's arguments
  double low, high;
  int64_t lowInteger, highInteger;
} TileRtFill;

/// Fills the tensor, in parallel if it is large. Always succeeds, but for
/// bounds that are not finite or not in order.
bool tile_rt_fill(TileRtTensor *tensor, const TileRtFill *fill,
                  TileRtError *error);

/// 64 random bits: number k of the splitmix64 stream whose seed is number
/// `argument` of the splitmix64 stream with seed `seed`, counting from 0.
uint64_t tile_rt_random(uint64_t seed, uint64_t argument, uint64_t k);

/// The number that random bits stand for, in [0, 1).
double tile_rt_random_uniform(uint64_t bits);

/// The quantile of the normal distribution that random bits stand for, with
/// a relative error below 2e-9; the same bits on every host.
double tile_rt_random_normal(uint64_t bits);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_FILL_H
