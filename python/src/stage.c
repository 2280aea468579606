//===- stage.c - arrays of the host for devices of their own memory -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of a GPU knows what is in bounds by what it has allocated, so that
// arrays are copied there and back.
//
//===----------------------------------------------------------------------===//

#include "stage.h"

/// Copies keep the address modulo this, which is what checks look at.
enum { kAlignment = 64 };

/// The bytes that the elements of a tensor are in; none if it has none.
static StagedRange findRange(const TileRtDLTensor *t) {
  int64_t low = 0, high = 1, stride = 1;
  uintptr_t data = (uintptr_t)t->data + t->byte_offset;
  if (!data)
    return (StagedRange){0}; // the launch refuses it
  for (int32_t d = t->ndim - 1; d >= 0; --d) {
    int64_t step = t->strides ? t->strides[d] : stride;
    if (t->shape[d] <= 0)
      return (StagedRange){0};
    int64_t last = step * (t->shape[d] - 1);
    low += last < 0 ? last : 0;
    high += last > 0 ? last : 0;
    stride *= t->shape[d];
  }
  int64_t bits = t->dtype.bits;
  return (StagedRange){.begin = data + (uintptr_t)(low * bits / 8),
                       .end = data + (uintptr_t)((high * bits + 7) / 8)};
}

/// Joins a range with those that it overlaps, which become empty.
static void join(StagedRange *ranges, size_t at) {
  StagedRange *own = &ranges[at];
  for (size_t i = 0; i < at; ++i) {
    StagedRange *other = &ranges[i];
    if (other->begin >= own->end || own->begin >= other->end)
      continue;
    own->begin = other->begin < own->begin ? other->begin : own->begin;
    own->end = other->end > own->end ? other->end : own->end;
    *other = (StagedRange){0};
    i = (size_t)-1; // it is longer now
  }
}

static bool stageRange(TileRtDevice *device, StagedRange *range,
                       TileRtError *error) {
  size_t bytes = range->end - range->begin;
  size_t shift = range->begin % kAlignment;
  if (!device->ops->alloc(device, bytes + shift, &range->memory, error))
    return false;
  range->copy = (char *)range->memory + shift;
  return device->ops->copy(device, range->copy, (const void *)range->begin,
                           bytes, TILE_RT_COPY_TO_DEVICE, NULL, error);
}

bool stageTensors(TileRtDevice *device, StagedTensor *tensors, size_t count,
                  StagedRange *ranges, TileRtError *error) {
  for (size_t i = 0; i < count; ++i) {
    ranges[i] = findRange(tensors[i].dl);
    join(ranges, i);
  }
  for (size_t i = 0; i < count; ++i)
    if (ranges[i].begin < ranges[i].end &&
        !stageRange(device, &ranges[i], error))
      return false;
  for (size_t i = 0; i < count; ++i) {
    TileRtDLTensor *dl = tensors[i].dl;
    uintptr_t data = (uintptr_t)dl->data + dl->byte_offset;
    for (size_t r = 0; r < count; ++r)
      if (data >= ranges[r].begin && data < ranges[r].end) {
        tensors[i].range = r;
        dl->data = ranges[r].copy + (data - ranges[r].begin);
        dl->byte_offset = 0;
        break;
      }
  }
  return true;
}

bool unstageTensors(TileRtDevice *device, const StagedTensor *tensors,
                    size_t count, StagedRange *ranges, bool good,
                    TileRtError *error) {
  for (size_t r = 0; r < count; ++r) {
    StagedRange *range = &ranges[r];
    if (!range->memory)
      continue;
    bool written = false;
    for (size_t i = 0; i < count; ++i)
      written |= tensors[i].written && tensors[i].range == r;
    if (good && written)
      good = device->ops->copy(device, (void *)range->begin, range->copy,
                               range->end - range->begin,
                               TILE_RT_COPY_FROM_DEVICE, NULL, error);
    device->ops->free(device, range->memory, NULL);
  }
  return good;
}
