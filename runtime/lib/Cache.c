// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is its bytes, followed by their hash.

#define _POSIX_C_SOURCE 200809L
#include "TileRuntime/Cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

/// The content of a file, or null. Its time becomes now, for those that trim.
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
    // A folder of others may not allow it: entries are then as old as they are.
    (void)futimens(fileno(file), NULL);
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

//===----------------------------------------------------------------------===//
// Trimming
//===----------------------------------------------------------------------===//

enum { kStaleSeconds = 3600 }; // nobody writes one file for so long

typedef struct Entry {
  char name[2 * TILE_RT_HASH_BYTES + 1];
  struct timespec used;
  uint64_t bytes;
} Entry;

typedef struct Entries {
  Entry *items;
  size_t count, room;
} Entries;

static int compareAge(const void *a, const void *b) {
  const Entry *x = a, *y = b;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  if (x->used.tv_nsec != y->used.tv_nsec)
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
  return strcmp(x->name, y->name);
}

/// Whether a name begins as that of an entry does; the folder may hold files of
/// others.
static bool isEntry(const char *name) {
  return strspn(name, "0123456789abcdef") == 2 * TILE_RT_HASH_BYTES;
}

static bool addEntry(Entries *entries, const char *name,
                     const struct stat *about) {
  if (entries->count == entries->room) {
    size_t room = entries->room ? 2 * entries->room : 64;
    Entry *items = realloc(entries->items, room * sizeof(*items));
    if (!items)
      return false;
    entries->items = items;
    entries->room = room;
  }
  Entry *entry = &entries->items[entries->count++];
  memcpy(entry->name, name, sizeof(entry->name));
  entry->used = about->st_mtim;
  entry->bytes = (uint64_t)about->st_size;
  return true;
}

static bool listEntries(DIR *folder, Entries *entries) {
  const struct dirent *item;
  time_t now = time(NULL);
  while ((item = readdir(folder))) {
    struct stat about;
    const char *name = item->d_name;
    if (!isEntry(name) || fstatat(dirfd(folder), name, &about, 0) != 0)
      continue;
    if (!name[2 * TILE_RT_HASH_BYTES]) {
      if (!addEntry(entries, name, &about))
        return false;
    } else if (now - about.st_mtim.tv_sec > kStaleSeconds) {
      unlinkat(dirfd(folder), name, 0);
    }
  }
  return true;
}

bool tile_rt_cache_trim(const char *path, uint64_t limit, TileRtError *error) {
  Entries entries = {0};
  uint64_t bytes = 0;
  DIR *folder = opendir(path);
  if (!folder)
    return tile_rt_fail(error, "cache: expected to read the folder '%s': %s",
                        path, strerror(errno));
  bool good = listEntries(folder, &entries);
  if (!good)
    tile_rt_fail(error, "cache: expected memory, got none");
  for (size_t i = 0; i < entries.count; ++i)
    bytes += entries.items[i].bytes;
  if (good && bytes > limit)
    qsort(entries.items, entries.count, sizeof(*entries.items), compareAge);
  for (size_t i = 0; good && i < entries.count && bytes > limit; ++i) {
    good = unlinkat(dirfd(folder), entries.items[i].name, 0) == 0 ||
           errno == ENOENT ||
           tile_rt_fail(error, "cache: expected to delete '%s/%s': %s", path,
                        entries.items[i].name, strerror(errno));
    bytes -= entries.items[i].bytes;
  }
  free(entries.items);
  closedir(folder);
  return good;
}
