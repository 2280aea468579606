// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of a result with a reference.

#ifndef TILERUNTIME_COMPARE_H
#define TILERUNTIME_COMPARE_H

#include "TileRuntime/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An element matches when |got - expected| is at most
///   absolute + relative * |expected|   or   ulps * ulp(expected),
/// an ulp being that of got's type. NaN matches NaN; an infinity only itself.
typedef struct TileRtTolerance {
  double absolute;
  double relative;
  double ulps;
} TileRtTolerance;

/// Element numbers count in row-major order; -1 stands for none. Errors are
/// infinite where one side is NaN or infinite and the other is not the same.
typedef struct TileRtComparison {
  int64_t count;
  int64_t mismatches;
  int64_t firstMismatch;
  /// Of the mismatches, or if there are none of all elements, the first with
  /// the largest absolute error. -1 if all elements are equal.
  int64_t worst;
  double maxAbsolute;
  double maxRelative; ///< over the elements whose reference is not zero
  double maxUlps;
} TileRtComparison;

/// Returns whether all elements match: none is forgiven. Null tolerance asks
/// for equality. Ranks and shapes must be equal; types may differ. Numbers are
/// compared in double, integers of the same type exactly. `result`, which may
/// be null, is filled but for shape errors. `name` starts the error, which
/// names the first and the worst element.
bool tile_rt_compare(const char *name, const TileRtTensor *got,
                     const TileRtTensor *expected,
                     const TileRtTolerance *tolerance, TileRtComparison *result,
                     TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_COMPARE_H
