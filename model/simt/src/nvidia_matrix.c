// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "nvidia_matrix.h"

/// "Matrix Descriptor Format": bits 0-13, 16-29 and 32-45 are bytes in units of
/// 16, 49-51 the base offset, 62-63 the swizzle.
bool nv_descriptor_decode(uint64_t bits, NvDescriptor *out) {
  static const uint32_t spans[4] = {0, 128, 64, 32};
  const uint64_t unit = 0x3FFF;
  out->start = (uint32_t)(bits & unit) << 4;
  out->leading = (uint32_t)(bits >> 16 & unit) << 4;
  out->stride = (uint32_t)(bits >> 32 & unit) << 4;
  out->base = (uint32_t)(bits >> 49 & 7);
  out->span = spans[bits >> 62];
  uint64_t fields =
      unit | unit << 16 | unit << 32 | UINT64_C(7) << 49 | UINT64_C(3) << 62;
  return (bits & ~fields) == 0;
}

/// "Strides" and the canonical layouts. An atom is 8 lines of `span` bytes, of
/// 16 bytes without a swizzle. K-major, its lines are rows of the matrix and
/// the stride leads to the next 8 rows; otherwise its lines are columns of K,
/// the stride leads to the next 8 of them, and the leading offset to the atom
/// of the next rows. Without a swizzle the two offsets trade places.
uint32_t nv_descriptor_chunk(const NvDescriptor *d, bool kMajor, unsigned outer,
                             unsigned chunk) {
  unsigned line = outer % 8, atom = outer / 8;
  if (!d->span) {
    uint32_t next = kMajor ? d->stride : d->leading;
    uint32_t across = kMajor ? d->leading : d->stride;
    return d->start + line * NV_CHUNK + atom * next + chunk * across;
  }
  unsigned perLine = d->span / NV_CHUNK;
  uint32_t address = d->start + line * d->span + atom * d->stride;
  address += kMajor ? chunk * NV_CHUNK
                    : chunk % perLine * NV_CHUNK + chunk / perLine * d->leading;
  // The pattern starts `base` lines after its boundary.
  uint32_t shift = d->base << 7;
  return nv_swizzle(address - shift, d->span) + shift;
}
