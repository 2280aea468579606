// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is its bytes, followed by their hash.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "TileRuntime/Cache.h"

#include "CacheFolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kNameBytes = 2 * TILE_RT_HASH_BYTES + 1 };

static void digest(const void *bytes, size_t size,
                   uint8_t out[TILE_RT_HASH_BYTES]) {
  TileRtHash hash;
  tile_rt_hash_start(&hash);
  tile_rt_hash_bytes(&hash, bytes, size);
  tile_rt_hash_finish(&hash, out);
}

static bool readAll(int file, uint8_t *bytes, size_t size) {
  while (size) {
    ssize_t count = read(file, bytes, size);
    if (count <= 0 && !(count < 0 && errno == EINTR))
      return false;
    bytes += count > 0 ? count : 0;
    size -= count > 0 ? (size_t)count : 0;
  }
  return true;
}

static bool writeAll(int file, const uint8_t *bytes, size_t size) {
  while (size) {
    ssize_t count = write(file, bytes, size);
    if (count < 0 && errno != EINTR)
      return false;
    bytes += count > 0 ? count : 0;
    size -= count > 0 ? (size_t)count : 0;
  }
  return true;
}

/// Whether a file can be an entry: a regular one that only this user writes.
static bool isOwnFile(const struct stat *about) {
  return S_ISREG(about->st_mode) && about->st_uid == geteuid() &&
         !(about->st_mode & 022);
}

/// The content of an entry, or null. Its time becomes now, for those that trim.
static uint8_t *readFile(int folder, const char *name, size_t *size) {
  struct stat about;
  uint8_t *bytes = NULL;
  // Without waiting for a writer, should it be a pipe.
  int file = openat(folder, name,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0)
    return NULL;
  if (fstat(file, &about) == 0 && isOwnFile(&about) &&
      about.st_size >= TILE_RT_HASH_BYTES) {
    *size = (size_t)about.st_size;
    bytes = malloc(*size);
    if (bytes && !readAll(file, bytes, *size)) {
      free(bytes);
      bytes = NULL;
    }
    // A read-only file system may not allow it: entries are as old as they are.
    (void)futimens(file, NULL);
  }
  close(file);
  return bytes;
}

bool tile_rt_cache_read(const char *folder, const TileRtHash *key, void **bytes,
                        size_t *size, TileRtError *error) {
  char name[kNameBytes];
  uint8_t expected[TILE_RT_HASH_BYTES];
  int at = tile_rt_open_private_folder(folder, false, error);
  if (at < 0)
    return false;
  tile_rt_hash_name(key, name);
  uint8_t *content = readFile(at, name, size);
  close(at);
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

static bool writeFile(int folder, const char *name, const void *bytes,
                      size_t size) {
  uint8_t hash[TILE_RT_HASH_BYTES];
  digest(bytes, size, hash);
  int file = openat(folder, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return false;
  bool good =
      writeAll(file, bytes, size) && writeAll(file, hash, sizeof(hash));
  int problem = errno;
  if (close(file) == 0 && good)
    return true;
  problem = good ? errno : problem;
  unlinkat(folder, name, 0);
  errno = problem;
  return false;
}

/// Writes under a name that nobody can guess, then renames.
static bool replaceFile(int folder, const char *name, const void *bytes,
                        size_t size) {
  uint64_t number[2];
  char temporary[kNameBytes + 40];
  if (getrandom(number, sizeof(number), 0) != (ssize_t)sizeof(number))
    return false;
  snprintf(temporary, sizeof(temporary), "%s.%016llx%016llx.tmp", name,
           (unsigned long long)number[0], (unsigned long long)number[1]);
  if (!writeFile(folder, temporary, bytes, size))
    return false;
  if (renameat(folder, temporary, folder, name) == 0)
    return true;
  int problem = errno;
  unlinkat(folder, temporary, 0);
  errno = problem;
  return false;
}

bool tile_rt_cache_write(const char *folder, const TileRtHash *key,
                         const void *bytes, size_t size, TileRtError *error) {
  char name[kNameBytes];
  int at = tile_rt_open_private_folder(folder, true, error);
  if (at < 0)
    return false;
  tile_rt_hash_name(key, name);
  bool good = replaceFile(at, name, bytes, size) ||
              tile_rt_fail(error, "cache: expected to write '%s/%s': %s",
                           folder, name, strerror(errno));
  close(at);
  return good;
}

//===----------------------------------------------------------------------===//
// Trimming
//===----------------------------------------------------------------------===//

enum { kStaleSeconds = 3600 }; // nobody writes one file for so long

typedef struct Entry {
  char name[kNameBytes];
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
    if (!isEntry(name) ||
        fstatat(dirfd(folder), name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !isOwnFile(&about))
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
  int at = tile_rt_open_private_folder(path, false, error);
  if (at < 0 && error && error->message[0])
    return false;
  DIR *folder = at < 0 ? NULL : fdopendir(at);
  if (!folder) {
    int problem = at < 0 ? ENOENT : errno;
    if (at >= 0)
      close(at);
    return tile_rt_fail(error, "cache: expected to read the folder '%s': %s",
                        path, strerror(problem));
  }
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
