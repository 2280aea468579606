// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMT model as a device of the runtime.

#ifndef TILE_SIMT_DEVICE_H
#define TILE_SIMT_DEVICE_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A device for kernels of a target, "cuda" or "hip". `chip` may be null. Its
/// streams are null, and work is done when a call returns. The seed of
/// TILE_SIMT_SEED, by default 1, chooses the order of threads; with
/// TILE_SIMT_MUTATE=1 a launch is tileSimtMutate. Close it with
/// tile_rt_device_close.
bool tile_simt_open(const char *target, const char *chip, TileRtDevice **device,
                    TileRtError *error);

/// A device for each of so many ranks. A launch waits until its device is told to
/// sync; once all have been told to, on threads of their own, the kernels of all
/// run together. Each device is closed by itself.
bool tile_simt_open_ranks(const char *target, const char *chip, int32_t ranks,
                          TileRtDevice **devices, TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_SIMT_DEVICE_H
