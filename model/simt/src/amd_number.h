// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of AMD's instructions.

#ifndef SIMT_AMD_NUMBER_H
#define SIMT_AMD_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum amd_number {
  AMD_F64,
  AMD_F32,
  AMD_XF32, ///< f32, of which 10 bits of the mantissa count
  AMD_F16,
  AMD_BF16,
  AMD_I8,
  AMD_U8,
  AMD_FP8_FNUZ, ///< f8E4M3FNUZ and f8E5M2FNUZ: gfx942
  AMD_BF8_FNUZ,
  AMD_FP8, ///< f8E4M3FN and f8E5M2: gfx950 and later
  AMD_BF8,
  AMD_FP6, ///< f6E2M3FN and f6E3M2FN
  AMD_BF6,
  AMD_FP4, ///< f4E2M1FN
  AMD_NUMBERS
};

int amd_number_bits(enum amd_number type);

/// Element `index` of consecutive registers.
double amd_number_read(enum amd_number type, const uint32_t *words, int index);

/// The code of the 8-bit float nearest to `value`, ties to even. What is too
/// large becomes infinity, or NaN in types without. With `random`, its bits are
/// added below the last place, and the rest is cut off.
uint8_t amd_number_write8(enum amd_number type, float value,
                          const uint32_t *random);

#endif // SIMT_AMD_NUMBER_H
