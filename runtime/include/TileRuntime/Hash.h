// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256, as FIPS 180-4 defines it.

#ifndef TILERUNTIME_HASH_H
#define TILERUNTIME_HASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_RT_HASH_BYTES = 32 };

typedef struct TileRtHash {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64];
} TileRtHash;

void tile_rt_hash_start(TileRtHash *hash);

void tile_rt_hash_bytes(TileRtHash *hash, const void *bytes, size_t size);

/// Adds a text with its length, so that neighbouring texts do not run together.
void tile_rt_hash_text(TileRtHash *hash, const char *text);

/// Writes the hash; what was added stays.
void tile_rt_hash_finish(const TileRtHash *hash,
                         uint8_t digest[TILE_RT_HASH_BYTES]);

/// The same in hexadecimal, with a NUL.
void tile_rt_hash_name(const TileRtHash *hash,
                       char name[2 * TILE_RT_HASH_BYTES + 1]);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_HASH_H
