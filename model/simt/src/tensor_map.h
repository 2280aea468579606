// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor map of the model, where hardware has a CUtensorMap. The numbers of
// `type`, `swizzle` and `interleave` are those of TileRuntime/Metadata.h.

#ifndef SIMT_TENSOR_MAP_H
#define SIMT_TENSOR_MAP_H

#include <stdint.h>

#define SIMT_TENSOR_MAP UINT32_C(0x4D544D53)

struct simt_tensor_map {
  uint32_t magic; ///< SIMT_TENSOR_MAP
  uint8_t type, rank, swizzle, interleave, fillNaN;
  uint64_t address;
  uint64_t strides[5]; ///< in bytes; 0 for the fastest dimension
  uint32_t sizes[5];   ///< in elements, as the rest
  uint16_t box[5];
  uint8_t elementStrides[5];
};

#endif // SIMT_TENSOR_MAP_H
