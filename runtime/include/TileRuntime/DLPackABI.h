// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public binary interface of DLPack 1.x, under names of our own so that the
// original header may be included next to it. Pointers to these structs are
// pointers to DLTensor, DLManagedTensor and DLManagedTensorVersioned.

#ifndef TILERUNTIME_DLPACKABI_H
#define TILERUNTIME_DLPACKABI_H

#include <stdint.h>

enum TileRtDLDeviceType {
  TILE_RT_DL_CPU = 1,
  TILE_RT_DL_CUDA = 2,
  TILE_RT_DL_CUDA_HOST = 3,
  TILE_RT_DL_ROCM = 10,
  TILE_RT_DL_ROCM_HOST = 11,
  TILE_RT_DL_EXT_DEV = 12,
  TILE_RT_DL_CUDA_MANAGED = 13
};

enum TileRtDLTypeCode {
  TILE_RT_DL_INT = 0,
  TILE_RT_DL_UINT = 1,
  TILE_RT_DL_FLOAT = 2,
  TILE_RT_DL_BFLOAT = 4,
  TILE_RT_DL_BOOL = 6,
  TILE_RT_DL_FLOAT8_E4M3FN = 10,
  TILE_RT_DL_FLOAT8_E4M3FNUZ = 11,
  TILE_RT_DL_FLOAT8_E5M2 = 12,
  TILE_RT_DL_FLOAT8_E5M2FNUZ = 13,
  TILE_RT_DL_FLOAT8_E8M0FNU = 14,
  TILE_RT_DL_FLOAT4_E2M1FN = 17
};

typedef struct TileRtDLDevice {
  int32_t device_type; ///< enum TileRtDLDeviceType
  int32_t device_id;
} TileRtDLDevice;

typedef struct TileRtDLDataType {
  uint8_t code; ///< enum TileRtDLTypeCode
  uint8_t bits; ///< of one lane
  uint16_t lanes;
} TileRtDLDataType;

typedef struct TileRtDLTensor {
  void *data;
  TileRtDLDevice device;
  int32_t ndim;
  TileRtDLDataType dtype;
  int64_t *shape;
  int64_t *strides;     ///< in elements; null says row-major
  uint64_t byte_offset; ///< from data to the first element
} TileRtDLTensor;

typedef struct TileRtDLManagedTensor {
  TileRtDLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct TileRtDLManagedTensor *self);
} TileRtDLManagedTensor;

typedef struct TileRtDLPackVersion {
  uint32_t major;
  uint32_t minor;
} TileRtDLPackVersion;

typedef struct TileRtDLManagedTensorVersioned {
  TileRtDLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct TileRtDLManagedTensorVersioned *self);
  uint64_t flags;
  TileRtDLTensor dl_tensor;
} TileRtDLManagedTensorVersioned;

#endif // TILERUNTIME_DLPACKABI_H
