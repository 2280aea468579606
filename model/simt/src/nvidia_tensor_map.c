// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "nvidia_tensor_map.h"

#include <string.h>

static const uint8_t elementBytes[NV_MAP_TYPE_COUNT] = {1, 2, 4, 4, 8, 8, 2,
                                                        4, 8, 2, 4, 4, 4};

const char *nv_map_check(const NvTensorMap *map) {
  if (map->type >= NV_MAP_TYPE_COUNT)
    return "elements narrower than a byte";
  if (map->interleave)
    return "interleaved layouts";
  if (map->swizzle > 3)
    return "swizzles of atoms larger than 16 bytes";
  for (unsigned dim = 0; dim < map->rank; ++dim)
    if (!map->elementStrides[dim] || !map->box[dim] || map->box[dim] > 256)
      return "boxes of other extents than 1 to 256";
  // What follows a narrower row in its line is documented nowhere.
  if (nv_map_span(map) && nv_map_row_bytes(map) != nv_map_span(map))
    return "rows of a box that are not as wide as the swizzle";
  return NULL;
}

uint32_t nv_map_span(const NvTensorMap *map) {
  return map->swizzle ? 16u << map->swizzle : 0;
}

unsigned nv_map_element_bytes(const NvTensorMap *map) {
  return elementBytes[map->type];
}

/// Elements of the box that are copied: every `step`-th.
static uint32_t count(const NvTensorMap *map, unsigned dim) {
  return (map->box[dim] + map->elementStrides[dim] - 1u) /
         map->elementStrides[dim];
}

uint32_t nv_map_row_bytes(const NvTensorMap *map) {
  return count(map, 0) * nv_map_element_bytes(map);
}

uint32_t nv_map_rows(const NvTensorMap *map) {
  uint32_t rows = 1;
  for (unsigned dim = 1; dim < map->rank; ++dim)
    rows *= count(map, dim);
  return rows;
}

NvBoxRow nv_map_row(const NvTensorMap *map, const int32_t *at, uint32_t row) {
  NvBoxRow result = {map->address, 0, 0, 0};
  for (unsigned dim = 1; dim < map->rank; ++dim) {
    uint32_t extent = count(map, dim);
    int64_t index =
        at[dim] + (int64_t)(row % extent) * map->elementStrides[dim];
    row /= extent;
    if (index < 0 || index >= (int64_t)map->sizes[dim])
      return result;
    result.global += (uint64_t)index * map->strides[dim];
  }
  // The elements at `at[0] + i * step` that are in [0, size).
  unsigned bytes = nv_map_element_bytes(map), step = map->elementStrides[0];
  int64_t begin = 0, end = count(map, 0), size = map->sizes[0];
  if (at[0] < 0)
    begin = (-(int64_t)at[0] + step - 1) / step;
  if (at[0] + (end - 1) * step >= size)
    end = at[0] >= size ? 0 : (size - at[0] + step - 1) / step;
  if (begin >= end)
    return result;
  result.global += (uint64_t)(at[0] + begin * step) * bytes;
  result.first = (uint32_t)begin * bytes;
  result.bytes = (uint32_t)(end - begin) * bytes;
  result.stride = step * bytes;
  return result;
}

void nv_map_fill(const NvTensorMap *map, void *out, size_t bytes) {
  memset(out, 0, bytes);
  if (!map->fillNaN)
    return;
  uint64_t nan = map->type == NV_MAP_F64          ? UINT64_C(0x7FFFFFFFFFFFFFFF)
                 : nv_map_element_bytes(map) == 2 ? 0x7FFF
                                                  : 0x7FFFFFFF;
  unsigned element = nv_map_element_bytes(map);
  for (size_t i = 0; i + element <= bytes; i += element)
    memcpy((char *)out + i, &nan, element);
}
