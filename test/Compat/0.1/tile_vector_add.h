/* @vector_add, made by tile. */
#ifndef TILE_VECTOR_ADD_H
#define TILE_VECTOR_ADD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The public binary interface of DLPack 1.x: a pointer to a DLTensor may be
   given for a pointer to a TileRtDLTensor. */
#ifndef TILERUNTIME_DLPACKABI_H
#define TILERUNTIME_DLPACKABI_H

enum TileRtDLDeviceType {
  TILE_RT_DL_CPU = 1,
  TILE_RT_DL_CUDA = 2,
  TILE_RT_DL_CUDA_HOST = 3,
  TILE_RT_DL_ROCM = 10,
  TILE_RT_DL_ROCM_HOST = 11,
  TILE_RT_DL_EXT_DEV = 12,
  TILE_RT_DL_CUDA_MANAGED = 13
};

typedef struct TileRtDLDevice {
  int32_t device_type;
  int32_t device_id;
} TileRtDLDevice;

typedef struct TileRtDLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} TileRtDLDataType;

typedef struct TileRtDLTensor {
  void *data;
  TileRtDLDevice device;
  int32_t ndim;
  TileRtDLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} TileRtDLTensor;

#endif

/* Checks the arguments and runs the kernel, on the device of the first tensor;
   for a GPU, queues it in the stream (null: the default one). Otherwise returns
   false and writes a line to `error`, of at most `size` bytes, a NUL included. */
bool tile_vector_add(const TileRtDLTensor *a_a, const TileRtDLTensor *a_b, const TileRtDLTensor *a_c, void *stream, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
