// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all devices share.

#include "TileRuntime/Device.h"

#include <stdio.h>

TileRtDLTensor tile_rt_device_tensor(const TileRtDevice *device,
                                     TileRtTensor *like, void *memory) {
  TileRtDLTensor tensor = tile_rt_tensor_to_dlpack(like);
  tensor.data = memory;
  tensor.device = device->id;
  return tensor;
}

char *tile_rt_format_device(TileRtDLDevice id, char *buffer, size_t size) {
  const char *kind;
  switch (id.device_type) {
  case TILE_RT_DL_CPU:
    kind = "cpu";
    break;
  case TILE_RT_DL_CUDA:
    kind = "cuda";
    break;
  case TILE_RT_DL_CUDA_HOST:
    kind = "cuda_host";
    break;
  case TILE_RT_DL_CUDA_MANAGED:
    kind = "cuda_managed";
    break;
  case TILE_RT_DL_ROCM:
    kind = "rocm";
    break;
  case TILE_RT_DL_ROCM_HOST:
    kind = "rocm_host";
    break;
  case TILE_RT_DL_EXT_DEV:
    kind = "ext_dev";
    break;
  default:
    snprintf(buffer, size, "device type %d:%d", (int)id.device_type,
             (int)id.device_id);
    return buffer;
  }
  snprintf(buffer, size, "%s:%d", kind, (int)id.device_id);
  return buffer;
}
