// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is its bytes, followed by their hash.

#define _POSIX_C_SOURCE 200809L
#include "TileRuntime/Cache.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kPathBytes = 4096 };

static bool makePath(const char *folder, const TileRtHash *key, char *path,
                     TileRtError *error) {
  char name[2 * TILE_RT_HASH_BYTES + 1];
  tile_rt_hash_name(key, name);
  // Room for the name of a temporary file.
  int length = snprintf(path, kPathBytes, "%s/%s", folder, name);
  return (length > 0 && length < kPathBytes - 64) ||
         tile_rt_fail(error, "cache: expected a shorter path than '%.64s...'",
                      folder);
}

static void digest(const void *bytes, size_t size,
                   uint8_t out[TILE_RT_HASH_BYTES]) {
  TileRtHash hash;
  tile_rt_hash_start(&hash);
  tile_rt_hash_bytes(&hash, bytes, size);
  tile_rt_hash_finish(&hash, out);
}

/// The content of a file, or null.
static uint8_t *readFile(const char *path, size_t *size) {
  struct stat about;
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = NULL;
  if (file && fstat(fileno(file), &about) == 0 &&
      about.st_size >= TILE_RT_HASH_BYTES) {
    *size = (size_t)about.st_size;
    bytes = malloc(*size);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
      free(bytes);
      bytes = NULL;
    }
  }
  if (file)
    fclose(file);
  return bytes;
}

bool tile_rt_cache_read(const char *folder, const TileRtHash *key, void **bytes,
                        size_t *size, TileRtError *error) {
  char path[kPathBytes];
  uint8_t expected[TILE_RT_HASH_BYTES];
  if (error)
    error->message[0] = 0;
  if (!makePath(folder, key, path, error))
    return false;
  uint8_t *content = readFile(path, size);
  if (!content)
    return false;
  *size -= TILE_RT_HASH_BYTES;
  digest(content, *size, expected);
  if (memcmp(content + *size, expected, TILE_RT_HASH_BYTES) == 0) {
    *bytes = content;
    return true;
  }
  free(content);
  return false;
}

/// The folder and those above it.
static bool makeFolder(const char *folder, TileRtError *error) {
  char path[kPathBytes];
  snprintf(path, sizeof(path), "%s", folder);
  for (char *slash = path + 1; *slash; ++slash)
    if (*slash == '/') {
      *slash = 0;
      mkdir(path, 0777);
      *slash = '/';
    }
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return true;
  return tile_rt_fail(error, "cache: expected to make the folder '%s': %s",
                      folder, strerror(errno));
}

static bool writeFile(const char *path, const void *bytes, size_t size,
                      TileRtError *error) {
  uint8_t hash[TILE_RT_HASH_BYTES];
  digest(bytes, size, hash);
  FILE *file = fopen(path, "wb");
  if (!file)
    return tile_rt_fail(error, "cache: expected to write '%s': %s", path,
                        strerror(errno));
  bool good = fwrite(bytes, 1, size, file) == size &&
              fwrite(hash, 1, sizeof(hash), file) == sizeof(hash);
  good = fclose(file) == 0 && good;
  return good || tile_rt_fail(error, "cache: expected to write '%s': %s", path,
                              strerror(errno));
}

bool tile_rt_cache_write(const char *folder, const TileRtHash *key,
                         const void *bytes, size_t size, TileRtError *error) {
  static atomic_uint counter;
  char path[kPathBytes], temporary[kPathBytes];
  if (!makePath(folder, key, path, error) || !makeFolder(folder, error))
    return false;
  // Of this process, and of this call in it.
  int length = snprintf(temporary, sizeof(temporary), "%s.%ld.%u.tmp", path,
                        (long)getpid(), atomic_fetch_add(&counter, 1));
  if (length < 0 || length >= kPathBytes)
    return tile_rt_fail(error, "cache: expected a shorter path than '%.64s...'",
                        folder);
  if (!writeFile(temporary, bytes, size, error)) {
    remove(temporary);
    return false;
  }
  if (rename(temporary, path) == 0)
    return true;
  tile_rt_fail(error, "cache: expected to rename '%s': %s", temporary,
               strerror(errno));
  remove(temporary);
  return false;
}
