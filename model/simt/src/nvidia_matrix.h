// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of wgmma's operands lie: shared memory descriptors,
// swizzles, register fragments. Pure functions.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions": "Matrix
// Descriptor Format", "Shared Memory Matrix Layout", "Register Fragments";
// "Tensors": "Swizzling Modes".

#ifndef SIMT_NVIDIA_MATRIX_H
#define SIMT_NVIDIA_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum {
  NV_CHUNK = 16,      ///< bytes that a swizzle moves as a whole
  NV_WGMMA_ROWS = 64, ///< rows of A and of the accumulator
  NV_WGMMA_COLUMNS_MAX = 256,
  NV_WGMMA_K_BYTES = 32, ///< of K in one instruction, whatever the type
  NV_WGMMA_LANES = 128,  ///< threads of a warpgroup
};

/// Shared address with its 16-byte units permuted; `span` is 32, 64 or 128
/// bytes, 0 for none. The unit's number within the span is xored with the
/// number of the 128-byte line within the pattern of span * 8 bytes.
static inline uint32_t nv_swizzle(uint32_t address, uint32_t span) {
  return span ? address ^ (address >> 3 & (span - 1) & ~15u) : address;
}

/// A matrix in shared memory.
typedef struct NvDescriptor {
  uint32_t start;   ///< byte address, 18 bits
  uint32_t leading; ///< leading dimension byte offset
  uint32_t stride;  ///< stride dimension byte offset
  uint32_t base;    ///< 128-byte lines from the pattern's boundary to its start
  uint32_t span;    ///< of the swizzle in bytes; 0 for none
} NvDescriptor;

/// False where a bit is set that no field covers.
bool nv_descriptor_decode(uint64_t bits, NvDescriptor *out);

/// The address of 16 bytes of the matrix: K-major, those of row `outer` from
/// byte 16 * `chunk` of K on; otherwise, the 8 elements of 16 bits from row
/// 8 * `chunk` on at column `outer` of K.
uint32_t nv_descriptor_chunk(const NvDescriptor *d, bool kMajor, unsigned outer,
                             unsigned chunk);

/// The row and column of an accumulator's element `i` in a thread of the
/// warpgroup.
static inline unsigned nv_accumulator_row(unsigned lane, unsigned i) {
  return lane / 32 * 16 + lane % 32 / 4 + (i / 2 % 2) * 8;
}
static inline unsigned nv_accumulator_column(unsigned lane, unsigned i) {
  return i / 4 * 8 + lane % 4 * 2 + i % 2;
}

/// The row of element `i` of A in registers, and the column of K, for elements
/// of 1, 2 or 4 bytes.
static inline unsigned nv_fragment_row(unsigned lane, unsigned i,
                                       unsigned bytes) {
  unsigned word = i * bytes / 4; // each 32-bit register is of one row
  return lane / 32 * 16 + lane % 32 / 4 + (word % 2) * 8;
}
static inline unsigned nv_fragment_column(unsigned lane, unsigned i,
                                          unsigned bytes) {
  unsigned perWord = 4 / bytes, word = i / perWord;
  return word / 2 * 4 * perWord + lane % 4 * perWord + i % perWord;
}

/// PTX ISA, "Matrix fragments for multiply-accumulate operation with sparse
/// matrix A": the lane of a warp that has the four bits of a group of a row, of
/// 16, and the number of the lowest. Of 8-bit elements the lanes 4g + q have 32
/// bits of row g + 8 * (q % 2), the low ones where q is below 2. Of others the
/// selector names two of the four lanes; the first one has the low 16 bits of row
/// g and then those of row g + 8, the second one the high ones.
static inline unsigned nv_metadata_lane(unsigned row, unsigned group,
                                        unsigned bytes, unsigned selector) {
  unsigned quad = row % 8 * 4;
  return bytes == 1 ? quad + group / 8 * 2 + row / 8
                    : quad + selector * 2 + group / 4;
}
static inline unsigned nv_metadata_shift(unsigned row, unsigned group,
                                         unsigned bytes) {
  return bytes == 1 ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4;
}
/// Whether the bits say where two of four elements are, or one of two of 4 bytes.
static inline bool nv_metadata_legal(unsigned places, unsigned bytes) {
  return bytes == 4 ? places == 4 || places == 14 : (places & 3) < places >> 2;
}
/// Spreads what is stored of `groups` groups, and says where: the elements of B
/// that meet nothing are not multiplied, so that an infinity there counts as
/// nothing (an H200, `wgmma` and `mma`).
static inline void nv_metadata_spread(const uint8_t *places, unsigned groups,
                                      unsigned bytes, const float *stored,
                                      float *dense, bool *isStored) {
  unsigned size = bytes == 4 ? 2 : 4;
  for (unsigned i = 0; i < groups * size; ++i) {
    dense[i] = 0;
    isStored[i] = false;
  }
  for (unsigned group = 0; group < groups; ++group)
    for (unsigned i = 0; i < size / 2; ++i) {
      unsigned place = bytes == 4 ? places[group] == 14
                       : i == 0   ? places[group] & 3
                                  : places[group] >> 2;
      dense[group * size + place] = stored[group * size / 2 + i];
      isStored[group * size + place] = true;
    }
}

#endif // SIMT_NVIDIA_MATRIX_H
