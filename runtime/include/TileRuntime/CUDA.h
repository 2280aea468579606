// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs as devices, through the CUDA driver alone, which is loaded when
// it is first asked for.

#ifndef TILERUNTIME_CUDA_H
#define TILERUNTIME_CUDA_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The number of GPUs. Without a driver, or with one that finds no GPU, fails
/// with "no CUDA driver: ..." or "no CUDA device: ...".
///
/// The driver is libcuda.so.1, or the file that the environment variable
/// TILE_CUDA_DRIVER names.
bool tile_rt_cuda_count(int32_t *count, TileRtError *error);

/// Opens a GPU by its number, from 0; close it with tile_rt_device_close. It
/// uses the device's primary context, the one that the CUDA runtime and the
/// libraries upon it use, so their streams, events and memory may be given to
/// it. Calls leave the caller's current context as it was, but for a thread
/// that has none.
///
/// Images are cubins, fatbins and PTX; the number in `chip` of the metadata is
/// compared with the device's.
bool tile_rt_cuda_open(int32_t ordinal, TileRtDevice **device,
                       TileRtError *error);

/// Lets kernels on each of the devices access memory of all (cuMemAlloc), which
/// stays so. Fails where two of them have no way to each other.
bool tile_rt_cuda_connect(TileRtDevice *const *devices, int32_t count,
                          TileRtError *error);

/// What another process of this host finds the memory of an allocation by, which
/// is a multiple of TILE_RT_CUDA_SHARED_BYTES.
enum { TILE_RT_CUDA_HANDLE_BYTES = 64, TILE_RT_CUDA_SHARED_BYTES = 2 << 20 };
bool tile_rt_cuda_export(TileRtDevice *device, void *memory,
                         unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES],
                         TileRtError *error);
/// Memory of another process, of any device that this one reaches. It may be
/// freed there once it is released here.
bool tile_rt_cuda_import(TileRtDevice *device,
                         const unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES],
                         void **memory, TileRtError *error);
bool tile_rt_cuda_release(TileRtDevice *device, void *memory,
                          TileRtError *error);
/// Waits until the stream has done its work, but no longer than that many
/// seconds; then `done` is false.
bool tile_rt_cuda_sync_within(TileRtDevice *device, TileRtStream stream,
                              int64_t seconds, bool *done, TileRtError *error);

/// How many tensor maps were found encoded and how many were not.
void tile_rt_cuda_map_statistics(TileRtDevice *device, int64_t *found,
                                 int64_t *encoded);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_CUDA_H
