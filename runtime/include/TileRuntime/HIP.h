// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's GPUs as devices, through the HIP library alone, which is loaded when it
// is first asked for.

#ifndef TILERUNTIME_HIP_H
#define TILERUNTIME_HIP_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The number of GPUs. Without the library, or with one that finds no GPU,
/// fails with "no HIP library: ..." or "no HIP device: ...".
///
/// The library is libamdhip64.so, or the file that the environment variable
/// TILE_HIP_LIBRARY names.
bool tile_rt_hip_count(int32_t *count, TileRtError *error);

/// Opens a GPU by its number, from 0; close it with tile_rt_device_close. It
/// uses the device's primary context, as all of HIP does, so streams, events
/// and memory of others may be given to it. Calls leave the thread's current
/// device as it was.
///
/// Images are code objects (hsaco) and bundles of them; `chip` of the metadata,
/// "gfx942", is compared with the device's.
bool tile_rt_hip_open(int32_t ordinal, TileRtDevice **device,
                      TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_HIP_H
