// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors as DLPack describes them.

#include "TileRuntime/Tensor.h"

static const uint8_t typeCodes[TILE_RT_DTYPE_COUNT] = {
    [TILE_RT_I1] = TILE_RT_DL_BOOL,
    [TILE_RT_I4] = TILE_RT_DL_INT,
    [TILE_RT_I8] = TILE_RT_DL_INT,
    [TILE_RT_I16] = TILE_RT_DL_INT,
    [TILE_RT_I32] = TILE_RT_DL_INT,
    [TILE_RT_I64] = TILE_RT_DL_INT,
    [TILE_RT_U8] = TILE_RT_DL_UINT,
    [TILE_RT_U16] = TILE_RT_DL_UINT,
    [TILE_RT_U32] = TILE_RT_DL_UINT,
    [TILE_RT_U64] = TILE_RT_DL_UINT,
    [TILE_RT_F16] = TILE_RT_DL_FLOAT,
    [TILE_RT_BF16] = TILE_RT_DL_BFLOAT,
    [TILE_RT_F32] = TILE_RT_DL_FLOAT,
    [TILE_RT_F64] = TILE_RT_DL_FLOAT,
    [TILE_RT_F8E4M3FN] = TILE_RT_DL_FLOAT8_E4M3FN,
    [TILE_RT_F8E5M2] = TILE_RT_DL_FLOAT8_E5M2,
    [TILE_RT_F8E4M3FNUZ] = TILE_RT_DL_FLOAT8_E4M3FNUZ,
    [TILE_RT_F8E5M2FNUZ] = TILE_RT_DL_FLOAT8_E5M2FNUZ,
    [TILE_RT_F8E8M0FNU] = TILE_RT_DL_FLOAT8_E8M0FNU,
    [TILE_RT_F4E2M1FN] = TILE_RT_DL_FLOAT4_E2M1FN,
};

TileRtDType tile_rt_dtype_from_dlpack(TileRtDLDataType type) {
  for (int i = TILE_RT_NONE + 1; i < TILE_RT_DTYPE_COUNT && type.lanes == 1;
       ++i)
    if (typeCodes[i] == type.code &&
        tile_rt_dtype_bits((TileRtDType)i) == type.bits)
      return (TileRtDType)i;
  return TILE_RT_NONE;
}

TileRtDLTensor tile_rt_tensor_to_dlpack(TileRtTensor *tensor) {
  return (TileRtDLTensor){
      .data = tensor->data,
      .device = {TILE_RT_DL_CPU, 0},
      .ndim = tensor->rank,
      .dtype = {typeCodes[tensor->dtype],
                (uint8_t)tile_rt_dtype_bits(tensor->dtype), 1},
      .shape = tensor->shape,
      .strides = tensor->strides,
      .byte_offset = 0,
  };
}

bool tile_rt_tensor_from_dlpack(TileRtTensor *tensor,
                                const TileRtDLTensor *from,
                                TileRtError *error) {
  *tensor = (TileRtTensor){0};
  if (from->device.device_type != TILE_RT_DL_CPU)
    return tile_rt_fail(error, "dlpack: expected device type %d (cpu), got %d",
                        TILE_RT_DL_CPU, (int)from->device.device_type);
  TileRtDType dtype = tile_rt_dtype_from_dlpack(from->dtype);
  if (dtype == TILE_RT_NONE)
    return tile_rt_fail(
        error,
        "dlpack: expected a known type of one lane, got code %d, %d bits, %d "
        "lanes",
        from->dtype.code, from->dtype.bits, from->dtype.lanes);
  return tile_rt_tensor_view(tensor, dtype, from->ndim, from->shape,
                             from->strides,
                             (char *)from->data + from->byte_offset, error);
}
