// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes a box of a tensor map covers. Pure functions.
// Source: PTX ISA, "Tensors": "Tiled Mode", "Swizzling Modes"; CUDA Driver API,
// "Tensor Map Object Management" (order of the types, out-of-bounds values).

#ifndef SIMT_NVIDIA_TENSOR_MAP_H
#define SIMT_NVIDIA_TENSOR_MAP_H

#include "tensor_map.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  NV_MAP_RANK = 5,
  NV_MAP_ALIGN = 64,
  NV_MAP_SHARED_ALIGN = 128, ///< of a box in shared memory
  NV_MAP_ROW_MAX = 256 * 8,  ///< bytes of a box along its first dimension
};

/// As CUtensorMapDataType.
typedef enum NvMapType {
  NV_MAP_U8,
  NV_MAP_U16,
  NV_MAP_U32,
  NV_MAP_S32,
  NV_MAP_U64,
  NV_MAP_S64,
  NV_MAP_F16,
  NV_MAP_F32,
  NV_MAP_F64,
  NV_MAP_BF16,
  NV_MAP_F32_FTZ,
  NV_MAP_TF32,
  NV_MAP_TF32_FTZ,
  NV_MAP_TYPE_COUNT ///< those that are modelled
} NvMapType;

typedef struct simt_tensor_map NvTensorMap;

/// Null, or what of the map is not modelled.
const char *nv_map_check(const NvTensorMap *map);

/// The span of the swizzle in bytes; 0 for none.
uint32_t nv_map_span(const NvTensorMap *map);

unsigned nv_map_element_bytes(const NvTensorMap *map);

/// Bytes of a box along its first dimension, and in all: what an mbarrier is
/// told of, whether or not elements lie outside of the tensor.
uint32_t nv_map_row_bytes(const NvTensorMap *map);
uint32_t nv_map_rows(const NvTensorMap *map);

/// A row of a box: the bytes [first, first + bytes) of it lie in the tensor,
/// from `global` on; with a step, `stride` bytes apart for each element.
typedef struct NvBoxRow {
  uint64_t global;
  uint32_t first, bytes, stride;
} NvBoxRow;

NvBoxRow nv_map_row(const NvTensorMap *map, const int32_t *at, uint32_t row);

/// Writes what elements outside of the tensor read as.
void nv_map_fill(const NvTensorMap *map, void *out, size_t bytes);

#endif // SIMT_NVIDIA_TENSOR_MAP_H
