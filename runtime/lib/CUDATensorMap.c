// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: what the driver demands of them, by name instead of by
// CUDA_ERROR_INVALID_VALUE, and a cache. Facts: CUDA Driver API, "Tensor Map
// Object Management", cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.

#include "CUDADevice.h"

#include "Devices.h"
#include "TileRuntime/CUDA.h"

#include <inttypes.h>
#include <string.h>

/// Bits of an element in memory. The order is the driver's, as is that of
/// TileRtSwizzle and TileRtInterleave: they are passed as they are.
static const int typeBits[TILE_RT_MAP_TYPE_COUNT] = {
    8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

static bool isFloat(TileRtMapType type) {
  return type >= TILE_RT_MAP_F16 && type <= TILE_RT_MAP_TF32_FTZ;
}

static bool isPacked(TileRtMapType type) {
  return type >= TILE_RT_MAP_U4_ALIGN8;
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

static bool checkMemory(const MapKey *k, TileRtError *error) {
  uint64_t unit = k->interleave == TILE_RT_INTERLEAVE_32B ||
                          k->type == TILE_RT_MAP_U4_ALIGN16 ||
                          k->type == TILE_RT_MAP_U6_ALIGN16
                      ? 32
                      : 16;
  if (k->address % unit)
    return tile_rt_fail(error,
                        "expected an address aligned to %" PRIu64
                        " bytes, got 0x%" PRIx64,
                        unit, k->address);
  for (int32_t d = 0; d < k->rank; ++d)
    if (k->sizes[d] < 1 || k->sizes[d] > UINT64_C(1) << 32)
      return tile_rt_fail(error,
                          "expected a size of 1 to 2^32 in dimension %d, got "
                          "%" PRIu64,
                          d, k->sizes[d]);
  for (int32_t d = 0; d + 1 < k->rank; ++d)
    if (k->strides[d] % unit || k->strides[d] >= UINT64_C(1) << 40)
      return tile_rt_fail(error,
                          "expected a stride that is a multiple of %" PRIu64
                          " bytes and less than 2^40 in dimension %d, got "
                          "%" PRIu64,
                          unit, d + 1, k->strides[d]);
  uint64_t inner = k->type == TILE_RT_MAP_U4_ALIGN8 ? 2
                   : isPacked(k->type)              ? 128
                                                    : 1;
  if (k->sizes[0] % inner)
    return tile_rt_fail(error,
                        "expected a size that is a multiple of %" PRIu64
                        " in dimension 0 of packed elements, got %" PRIu64,
                        inner, k->sizes[0]);
  return true;
}

static bool checkModes(const MapKey *k, TileRtError *error) {
  static const uint32_t spans[TILE_RT_SWIZZLE_COUNT] = {0,   32,  64, 128,
                                                        128, 128, 128};
  uint32_t width = k->im2col ? k->channels : k->box[0];
  uint32_t bytes = width * (uint32_t)typeBits[k->type] / 8;
  bool plain = k->interleave == TILE_RT_INTERLEAVE_NONE;
  if (!plain && k->rank < 3)
    return tile_rt_fail(
        error, "expected a rank of at least 3 for interleaving, got %d",
        k->rank);
  if (k->interleave == TILE_RT_INTERLEAVE_32B &&
      k->swizzle != TILE_RT_SWIZZLE_32B)
    return tile_rt_fail(error, "expected swizzle 32B for interleave 32B");
  if (k->fill && !isFloat(k->type))
    return tile_rt_fail(error, "expected a float type for fill nan");
  if (isPacked(k->type)) {
    if (k->type != TILE_RT_MAP_U4_ALIGN8 && width != 128)
      return tile_rt_fail(
          error,
          "expected 128 packed elements in dimension 0 of the box, got %u",
          width);
    return true;
  }
  if (plain && !k->im2col && bytes % 16)
    return tile_rt_fail(error,
                        "expected a multiple of 16 bytes in dimension 0 of "
                        "the box, got %u",
                        bytes);
  if (plain && spans[k->swizzle] && bytes > spans[k->swizzle])
    return tile_rt_fail(error,
                        "expected at most %u bytes in dimension 0 of the box "
                        "for its swizzle, got %u",
                        spans[k->swizzle], bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

/// Aligned for every kind of map, and never looked at.
enum { kAnyAddress = 4096 };

static void makeKey(const TileRtTensorMap *map, MapKey *k) {
  const TileRtMapInfo *info = map->info;
  memset(k, 0, sizeof(*k)); // padding too, since keys are compared as bytes
  k->address = map->address;
  k->rank = info->rank;
  // The fields that a mode does not use are zero, as the reader made them.
  memcpy(k->sizes, map->sizes, sizeof(*k->sizes) * (size_t)info->rank);
  memcpy(k->strides, map->strides,
         sizeof(*k->strides) * (size_t)(info->rank - 1));
  memcpy(k->box, info->box, sizeof(k->box));
  memcpy(k->elementStrides, info->elementStrides, sizeof(k->elementStrides));
  memcpy(k->lower, info->lower, sizeof(k->lower));
  memcpy(k->upper, info->upper, sizeof(k->upper));
  k->channels = info->channels;
  k->pixels = info->pixels;
  k->im2col = info->im2col;
  k->type = info->type;
  k->interleave = info->interleave;
  k->swizzle = info->swizzle;
  k->l2Promotion = info->l2Promotion == 256 ? 3 : info->l2Promotion / 64;
  k->fill = info->fillNaN;
  // No copy of an empty tensor is ever made (`tile-select-instructions` proves
  // it), but the kernel takes a map of it.
  bool empty = false;
  for (int32_t d = 0; d < k->rank; ++d)
    empty |= k->sizes[d] == 0;
  if (empty) {
    k->address = kAnyAddress;
    for (int32_t d = 0; d < k->rank; ++d)
      k->sizes[d] = 1;
  }
  // The stride of a dimension of size 1 is never used, and callers may leave
  // anything there.
  uint64_t dense =
      (k->sizes[0] * (uint64_t)typeBits[k->type] / 8 + 31) & ~UINT64_C(31);
  for (int32_t d = 0; d + 1 < k->rank; ++d) {
    if (k->sizes[d + 1] == 1)
      k->strides[d] = d ? k->strides[d - 1] : dense;
  }
}

static bool encode(const CudaDevice *device, const MapKey *k, void *out,
                   TileRtError *error) {
  const CuDriver *driver = device->driver;
  const char *name =
      k->im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
  void *before;
  CuResult result;
  if (!driver->tensorMapTiled || !driver->tensorMapIm2col)
    return tile_rt_fail(error,
                        "expected a driver of CUDA 12.0 or later for %s, got "
                        "one of %d.%d",
                        name, driver->version / 1000,
                        driver->version % 1000 / 10);
  if (!tile_rt_cuda_enter(&device->base, &before, error))
    return false;
  void *address = (void *)(uintptr_t)k->address;
  if (k->im2col)
    result = driver->tensorMapIm2col(
        out, k->type, (uint32_t)k->rank, address, k->sizes, k->strides,
        k->lower, k->upper, k->channels, k->pixels, k->elementStrides,
        k->interleave, k->swizzle, k->l2Promotion, k->fill);
  else
    result = driver->tensorMapTiled(
        out, k->type, (uint32_t)k->rank, address, k->sizes, k->strides, k->box,
        k->elementStrides, k->interleave, k->swizzle, k->l2Promotion, k->fill);
  tile_rt_cuda_leave(&device->base, before);
  return tile_rt_cuda_check(driver, result, name, error);
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

/// FNV-1a over words.
static uint32_t hashKey(const MapKey *k) {
  uint64_t words[sizeof(*k) / 8], hash = UINT64_C(0xCBF29CE484222325);
  memcpy(words, k, sizeof(words));
  for (size_t i = 0; i < sizeof(words) / 8; ++i)
    hash = (hash ^ words[i]) * UINT64_C(0x100000001B3);
  return (uint32_t)(hash >> 32);
}

bool tile_rt_cuda_encode(TileRtDevice *base, const TileRtTensorMap *map,
                         void *out, TileRtError *error) {
  CudaDevice *device = (CudaDevice *)base;
  MapCache *cache = device->maps;
  MapKey key;
  makeKey(map, &key);
  pthread_mutex_lock(&cache->lock);
  MapEntry *set = cache->entries[hashKey(&key) % kMapSets], *entry = set;
  for (int i = 0; i < kMapWays; ++i) {
    if (set[i].used && memcmp(&set[i].key, &key, sizeof(key)) == 0) {
      entry = &set[i];
      break;
    }
    if (set[i].used < entry->used)
      entry = &set[i];
  }
  bool good = entry->used && memcmp(&entry->key, &key, sizeof(key)) == 0;
  if (good) {
    ++cache->found;
  } else {
    entry->used = 0; // until it is whole
    good = checkMemory(&key, error) && checkModes(&key, error) &&
           encode(device, &key, entry->bytes, error);
    entry->key = key;
    cache->encoded += good;
  }
  if (good) {
    entry->used = ++cache->clock;
    memcpy(out, entry->bytes, TILE_RT_MAP_BYTES);
  }
  pthread_mutex_unlock(&cache->lock);
  return good;
}

void tile_rt_cuda_map_statistics(TileRtDevice *device, int64_t *found,
                                 int64_t *encoded) {
  *found = *encoded = 0;
  if (!tile_rt_device_acquire(device, NULL))
    return;
  MapCache *cache = ((CudaDevice *)device)->maps;
  pthread_mutex_lock(&cache->lock);
  *found = cache->found;
  *encoded = cache->encoded;
  pthread_mutex_unlock(&cache->lock);
  tile_rt_device_release(device);
}
