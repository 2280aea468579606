// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

int64_t tile_rt_tensor_count(const TileRtTensor *tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor->rank; ++d)
    count *= tensor->shape[d];
  return count;
}

int64_t tile_rt_tensor_bytes(const TileRtTensor *tensor) {
  // Checked at creation not to overflow.
  return (tile_rt_tensor_count(tensor) * tile_rt_dtype_bits(tensor->dtype) +
          7) /
         8;
}

/// Sets the description of a row-major tensor without data.
static bool describe(TileRtTensor *tensor, TileRtDType dtype, int32_t rank,
                     const int64_t *shape, TileRtError *error) {
  *tensor = (TileRtTensor){0};
  int bits = tile_rt_dtype_bits(dtype);
  if (bits == 0)
    return tile_rt_fail(error, "tensor: expected an element type, got %d",
                        (int)dtype);
  if (rank < 0 || rank > TILE_RT_MAX_RANK)
    return tile_rt_fail(error, "tensor: expected a rank from 0 to %d, got %d",
                        TILE_RT_MAX_RANK, (int)rank);
  // Empty dimensions count as 1 here, so that all strides fit.
  int64_t count = 1;
  for (int32_t d = rank; d-- > 0;) {
    if (shape[d] < 0)
      return tile_rt_fail(
          error,
          "tensor: expected a size of at least 0 in dimension %d, got %lld",
          (int)d, (long long)shape[d]);
    tensor->strides[d] = count;
    int64_t size = shape[d] ? shape[d] : 1;
    if (count > INT64_MAX / 128 / size) {
      char text[256];
      return tile_rt_fail(
          error, "tensor: expected a type that fits in memory, got %s",
          tile_rt_format_type(dtype, rank, shape, text, sizeof(text)));
    }
    count *= size;
  }
  tensor->dtype = dtype;
  tensor->rank = rank;
  if (rank)
    memcpy(tensor->shape, shape, sizeof(*shape) * (size_t)rank);
  return true;
}

static bool isDense(const TileRtTensor *tensor, bool lastFastest) {
  int64_t stride = 1;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    int32_t d = lastFastest ? tensor->rank - 1 - i : i;
    if (tensor->shape[d] == 0)
      return true;
    // Where there is one element, nobody multiplies by the stride.
    if (tensor->shape[d] != 1 && tensor->strides[d] != stride)
      return false;
    stride *= tensor->shape[d];
  }
  return true;
}

bool tile_rt_tensor_is_row_major(const TileRtTensor *tensor) {
  return isDense(tensor, true);
}

bool tile_rt_tensor_is_column_major(const TileRtTensor *tensor) {
  return isDense(tensor, false);
}

void tile_rt_tensor_index(const TileRtTensor *tensor, int64_t k,
                          int64_t *index) {
  for (int32_t d = tensor->rank; d-- > 0;) {
    index[d] = k % tensor->shape[d];
    k /= tensor->shape[d];
  }
}

int64_t tile_rt_tensor_offset(const TileRtTensor *tensor, int64_t k) {
  int64_t offset = 0;
  for (int32_t d = tensor->rank; d-- > 0;) {
    offset += k % tensor->shape[d] * tensor->strides[d];
    k /= tensor->shape[d];
  }
  return offset;
}

char *tile_rt_format_type(TileRtDType dtype, int32_t rank, const int64_t *shape,
                          char *buffer, size_t size) {
  size_t at = 0;
  if (size)
    buffer[0] = 0;
  for (int32_t d = 0; d < rank && at < size; ++d) {
    int n = shape[d] < 0 ? snprintf(buffer + at, size - at, "?x")
                         : snprintf(buffer + at, size - at, "%lldx",
                                    (long long)shape[d]);
    at += (size_t)n;
  }
  if (at < size)
    snprintf(buffer + at, size - at, "%s",
             dtype == TILE_RT_NONE ? "any" : tile_rt_dtype_name(dtype));
  return buffer;
}

bool tile_rt_tensor_expect(const TileRtTensor *tensor, const char *name,
                           TileRtDType dtype, int32_t rank,
                           const int64_t *shape, TileRtError *error) {
  bool good =
      (dtype == TILE_RT_NONE || dtype == tensor->dtype) && rank == tensor->rank;
  for (int32_t d = 0; good && d < rank; ++d)
    good = shape[d] < 0 || shape[d] == tensor->shape[d];
  if (good)
    return true;
  char expected[256], got[256];
  tile_rt_format_type(dtype, rank, shape, expected, sizeof(expected));
  tile_rt_format_type(tensor->dtype, tensor->rank, tensor->shape, got,
                      sizeof(got));
  return tile_rt_fail(error, "%s: expected %s, got %s", name, expected, got);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool tile_rt_tensor_alloc(TileRtTensor *tensor, TileRtDType dtype, int32_t rank,
                          const int64_t *shape, size_t guardBytes,
                          TileRtError *error) {
  if (!describe(tensor, dtype, rank, shape, error))
    return false;
  const size_t unit = TILE_RT_ALIGNMENT;
  size_t bytes = (size_t)tile_rt_tensor_bytes(tensor);
  char *memory = NULL;
  size_t total = 0;
  if (guardBytes < PTRDIFF_MAX / 4) {
    guardBytes = (guardBytes + unit - 1) / unit * unit;
    // Never empty, so that data is never null.
    total = 2 * guardBytes + (bytes / unit + 1) * unit;
    memory = aligned_alloc(unit, total);
  }
  if (!memory) {
    *tensor = (TileRtTensor){0};
    return tile_rt_fail(
        error,
        "tensor: expected %zu bytes of memory and red zones of %zu, got none",
        bytes, guardBytes);
  }
  // Also what pads the data to the alignment is a red zone, if there is any.
  memset(memory, guardBytes ? tile_rt_poison_byte(dtype) : 0, total);
  memset(memory + guardBytes, 0, bytes);
  tensor->allocation = memory;
  tensor->allocationBytes = total;
  tensor->guardBytes = guardBytes;
  tensor->data = memory + guardBytes;
  return true;
}

bool tile_rt_tensor_view(TileRtTensor *tensor, TileRtDType dtype, int32_t rank,
                         const int64_t *shape, const int64_t *strides,
                         void *data, TileRtError *error) {
  if (!describe(tensor, dtype, rank, shape, error))
    return false;
  if (strides && rank)
    memcpy(tensor->strides, strides, sizeof(*strides) * (size_t)rank);
  tensor->data = data;
  return true;
}

void tile_rt_tensor_free(TileRtTensor *tensor) {
  if (!tensor)
    return;
  free(tensor->allocation);
  *tensor = (TileRtTensor){0};
}

/// Scans [begin, end) for bytes that are not poison. Returns how many there are
/// and the first and last of them.
static size_t scanPoison(const unsigned char *begin, const unsigned char *end,
                         unsigned char poison, const unsigned char **first,
                         const unsigned char **last) {
  size_t changed = 0;
  for (const unsigned char *at = begin; at != end; ++at) {
    if (*at == poison)
      continue;
    if (changed++ == 0)
      *first = at;
    *last = at;
  }
  return changed;
}

bool tile_rt_tensor_check_guard(const TileRtTensor *tensor, const char *name,
                                TileRtError *error) {
  if (!tensor->guardBytes)
    return true;
  unsigned char poison = tile_rt_poison_byte(tensor->dtype);
  const unsigned char *begin = tensor->allocation;
  const unsigned char *end = begin + tensor->allocationBytes;
  const unsigned char *data = begin + tensor->guardBytes;
  const unsigned char *dataEnd = data + tile_rt_tensor_bytes(tensor);
  const unsigned char *first = data, *last = data;
  size_t changed = scanPoison(begin, data, poison, &first, &last);
  if (changed)
    return tile_rt_fail(
        error,
        "%s: expected an untouched red zone before the data, got "
        "%zu changed bytes, the nearest %zu bytes before it",
        name, changed, (size_t)(data - last));
  changed = scanPoison(dataEnd, end, poison, &first, &last);
  if (changed)
    return tile_rt_fail(
        error,
        "%s: expected an untouched red zone after the data, got "
        "%zu changed bytes, the nearest %zu bytes after its end",
        name, changed, (size_t)(first - dataEnd));
  return true;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static int64_t halfByte(int64_t offset, int *shift) {
  *shift = offset & 1 ? 4 : 0;
  return (offset - (offset & 1)) / 2; // rounds down also below zero
}

uint64_t tile_rt_tensor_load_bits(const TileRtTensor *tensor, int64_t offset) {
  switch (tile_rt_dtype_bits(tensor->dtype)) {
  case 4: {
    int shift;
    int64_t byte = halfByte(offset, &shift);
    return ((const uint8_t *)tensor->data)[byte] >> shift & 0xF;
  }
  case 8:
    return ((const uint8_t *)tensor->data)[offset];
  case 16:
    return ((const uint16_t *)tensor->data)[offset];
  case 32:
    return ((const uint32_t *)tensor->data)[offset];
  default:
    return ((const uint64_t *)tensor->data)[offset];
  }
}

void tile_rt_tensor_store_bits(TileRtTensor *tensor, int64_t offset,
                               uint64_t bits) {
  switch (tile_rt_dtype_bits(tensor->dtype)) {
  case 4: {
    int shift;
    uint8_t *byte = (uint8_t *)tensor->data + halfByte(offset, &shift);
    *byte = (uint8_t)((*byte & ~(0xF << shift)) | (int)(bits & 0xF) << shift);
    break;
  }
  case 8:
    ((uint8_t *)tensor->data)[offset] = (uint8_t)bits;
    break;
  case 16:
    ((uint16_t *)tensor->data)[offset] = (uint16_t)bits;
    break;
  case 32:
    ((uint32_t *)tensor->data)[offset] = (uint32_t)bits;
    break;
  default:
    ((uint64_t *)tensor->data)[offset] = bits;
    break;
  }
}

double tile_rt_tensor_load(const TileRtTensor *tensor, int64_t offset) {
  return tile_rt_decode(tensor->dtype,
                        tile_rt_tensor_load_bits(tensor, offset));
}

void tile_rt_tensor_store(TileRtTensor *tensor, int64_t offset, double value) {
  tile_rt_tensor_store_bits(tensor, offset,
                            tile_rt_encode(tensor->dtype, value));
}

static uint64_t convert(TileRtDType to, TileRtDType from, uint64_t bits) {
  if (to == from)
    return bits;
  if (!tile_rt_dtype_is_float(to) && !tile_rt_dtype_is_float(from))
    return tile_rt_encode_int(to, tile_rt_decode_int(from, bits));
  return tile_rt_encode(to, tile_rt_decode(from, bits));
}

bool tile_rt_tensor_copy(TileRtTensor *to, const TileRtTensor *from,
                         TileRtError *error) {
  if (!tile_rt_tensor_expect(from, "copy", TILE_RT_NONE, to->rank, to->shape,
                             error))
    return false;
  if (to->dtype == from->dtype && tile_rt_tensor_is_row_major(to) &&
      tile_rt_tensor_is_row_major(from) && tile_rt_dtype_bits(to->dtype) >= 8) {
    memcpy(to->data, from->data, (size_t)tile_rt_tensor_bytes(to));
    return true;
  }
  int64_t count = tile_rt_tensor_count(to);
  for (int64_t k = 0; k < count; ++k) {
    uint64_t bits =
        tile_rt_tensor_load_bits(from, tile_rt_tensor_offset(from, k));
    tile_rt_tensor_store_bits(to, tile_rt_tensor_offset(to, k),
                              convert(to->dtype, from->dtype, bits));
  }
  return true;
}
