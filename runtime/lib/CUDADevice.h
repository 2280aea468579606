// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the CUDA backend share.

#ifndef TILERUNTIME_LIB_CUDADEVICE_H
#define TILERUNTIME_LIB_CUDADEVICE_H

#include "CUDADriver.h"
#include "DriverDevice.h"

#include <pthread.h>

enum { kMapSets = 16, kMapWays = 4 };

/// All that decides the bytes of a tensor map.
typedef struct MapKey {
  uint64_t address;
  uint64_t sizes[TILE_RT_MAP_RANK];
  uint64_t strides[TILE_RT_MAP_RANK];
  uint32_t box[TILE_RT_MAP_RANK];
  uint32_t elementStrides[TILE_RT_MAP_RANK];
  int32_t lower[TILE_RT_MAP_RANK];
  int32_t upper[TILE_RT_MAP_RANK];
  uint32_t channels, pixels;
  int32_t im2col, type, rank, interleave, swizzle, l2Promotion, fill;
} MapKey;

typedef struct MapEntry {
  _Alignas(TILE_RT_MAP_ALIGN) unsigned char bytes[TILE_RT_MAP_BYTES];
  MapKey key;
  uint64_t used; ///< the time of the last use; 0 when empty
} MapEntry;

typedef struct MapCache {
  pthread_mutex_t lock;
  uint64_t clock;
  int64_t found, encoded;
  MapEntry entries[kMapSets][kMapWays];
} MapCache;

typedef struct CudaDevice {
  TileRtDevice base;
  const CuDriver *driver;
  CuDevice device;
  CuContext context;
  int major, minor;
  TileRtLimits limits;
  MapCache *maps;
} CudaDevice;

/// Makes the device's context current; `before` is what to go back to, or null.
bool tile_rt_cuda_enter(const TileRtDevice *device, void **before,
                        TileRtError *error);
void tile_rt_cuda_leave(const TileRtDevice *device, void *before);

/// The kernels of CUDAKernel.c and the tensor maps of CUDATensorMap.c, as in
/// TileRtDeviceOps.
bool tile_rt_cuda_load(TileRtDevice *base, const void *image, size_t size,
                       const TileRtMetadata *metadata, void **code,
                       TileRtError *error);
void tile_rt_cuda_unload(TileRtDevice *base, void *code);
bool tile_rt_cuda_prepare(TileRtDevice *base, void *code,
                          const TileRtLaunch *launch, TileRtError *error);
bool tile_rt_cuda_launch(TileRtDevice *base, void *code,
                         const TileRtLaunch *launch, TileRtStream stream,
                         TileRtError *error);
bool tile_rt_cuda_encode(TileRtDevice *base, const TileRtTensorMap *map,
                         void *out, TileRtError *error);

#endif // TILERUNTIME_LIB_CUDADEVICE_H
