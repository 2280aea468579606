// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Call.h"

#include <stdlib.h>
#include <string.h>

static TileRunDescriptor describe(const TileRtTensor *tensor) {
  TileRunDescriptor d = {.allocated = tensor->data, .aligned = tensor->data};
  // Packed elements are passed as bytes.
  bool packed = tile_rt_dtype_bits(tensor->dtype) < 8;
  int32_t rank = tensor->rank;
  for (int32_t i = 0; i < rank; ++i) {
    d.sizesAndStrides[i] = tensor->shape[i];
    d.sizesAndStrides[rank + i] = tensor->strides[i];
    if (packed && i == rank - 1)
      d.sizesAndStrides[i] /= 2;
    else if (packed)
      d.sizesAndStrides[rank + i] /= 2;
  }
  return d;
}

/// Appends the addresses of a descriptor's fields.
static void **addFields(void **at, TileRunDescriptor *descriptor, int32_t rank) {
  *at++ = &descriptor->allocated;
  *at++ = &descriptor->aligned;
  *at++ = &descriptor->offset;
  for (int32_t i = 0; i < 2 * rank; ++i)
    *at++ = &descriptor->sizesAndStrides[i];
  return at;
}

bool tile_run_make_call(TileRunCall *call, const TileRunFunction *function,
                        const TileRunImage *image, TileRtTensor *tensors,
                        TileRtError *error) {
  *call = (TileRunCall){0};
  size_t count = (size_t)function->parameterCount;
  size_t fields = 3 + 2 * TILE_RT_MAX_RANK;
  if (image && strcmp(image->target, "cpu") == 0)
    call->block = ((const TileRtHostImage *)image->bytes)->block;
  else if (image && strcmp(image->target, "ascend-model") == 0)
    call->run = ((const TileRtModelImage *)image->bytes)->run;
  call->parameters = calloc(fields * count + 1, sizeof(*call->parameters));
  call->descriptors = calloc(count + 1, sizeof(*call->descriptors));
  if (!(call->block || call->run) || !call->parameters || !call->descriptors)
    return tile_rt_fail(error, "@%s cannot be called", function->name);
  void **at = call->parameters;
  for (size_t i = 0; i < count; ++i) {
    call->descriptors[i] = describe(&tensors[i]);
    if (function->parameters[i].scalar)
      *at++ = tensors[i].data;
    else
      at = addFields(at, &call->descriptors[i], tensors[i].rank);
  }
  return true;
}

void tile_run_free_call(TileRunCall *call) {
  free(call->parameters);
  free(call->descriptors);
}
