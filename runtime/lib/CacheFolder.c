// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The path is resolved first and then walked from the root without following
// links, each folder being opened before it is looked at. What was seen to be
// private therefore stays what is used.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CacheFolder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/// Splits a path into the part that exists, resolved, and the rest.
static bool resolve(const char *path, char real[PATH_MAX], const char **rest,
                    TileRtError *error) {
  char head[PATH_MAX];
  size_t length = strlen(path);
  if (!length || length >= sizeof(head))
    return tile_rt_fail(error,
                        "cache: expected a path of 1 to %d bytes, got '%.64s'",
                        PATH_MAX - 1, path);
  memcpy(head, path, length + 1);
  *rest = path + length;
  while (!realpath(*head ? head : ".", real)) {
    if (errno != ENOENT || !*head)
      return tile_rt_fail(error, "cache: expected the folder '%s': %s", path,
                          strerror(errno));
    size_t end = (size_t)(*rest - path);
    while (end && path[end - 1] == '/')
      --end;
    while (end && path[end - 1] != '/')
      --end;
    *rest = path + end;
    head[end] = 0;
  }
  return true;
}

/// Whether only this user and root can change what the folder holds; `last` is
/// the cache itself.
static bool checkFolder(int folder, const char *path, const char *name,
                        bool last, TileRtError *error) {
  struct stat about;
  uid_t user = geteuid();
  if (fstat(folder, &about) != 0)
    return tile_rt_fail(error, "cache: expected to examine '%s': %s", path,
                        strerror(errno));
  if (about.st_uid != user && (last || about.st_uid != 0))
    return tile_rt_fail(
        error,
        "cache: '%s': expected the folder '%s' to belong to user %u%s, got "
        "user %u, who could supply code",
        path, name, (unsigned)user, last ? "" : " or to root",
        (unsigned)about.st_uid);
  bool sticky = about.st_mode & S_ISVTX;
  if ((about.st_mode & 022) && (last || !sticky))
    return tile_rt_fail(
        error,
        "cache: '%s': expected the folder '%s' to be writable by its owner "
        "alone, got mode %04o, by which others could supply code",
        path, name, (unsigned)about.st_mode & 07777);
  return true;
}

/// Opens a folder in another one, making it if that is wished.
static int openIn(int parent, const char *name, bool create) {
  int folder = openat(parent, name, kOpenFolder);
  if (folder >= 0 || errno != ENOENT || !create)
    return folder;
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
    return -1;
  return openat(parent, name, kOpenFolder);
}

/// Goes into the folders of `names`; closes `at`.
static int walk(int at, char *names, bool create, bool toLast,
                const char *path, TileRtError *error) {
  char *state = NULL, *next = NULL;
  for (char *name = strtok_r(names, "/", &state); name && at >= 0;
       name = next) {
    next = strtok_r(NULL, "/", &state);
    if (strcmp(name, ".") == 0)
      continue;
    int folder = openIn(at, name, create);
    int problem = errno;
    close(at);
    at = folder;
    if (at < 0 && (problem != ENOENT || create))
      tile_rt_fail(error, "cache: '%s': expected to open the folder '%s': %s",
                   path, name, strerror(problem));
    if (at >= 0 && !checkFolder(at, path, name, toLast && !next, error)) {
      close(at);
      at = -1;
    }
  }
  return at;
}

int tile_rt_open_private_folder(const char *path, bool create,
                                TileRtError *error) {
  char real[PATH_MAX], rest[PATH_MAX];
  const char *missing = NULL;
  if (error)
    error->message[0] = 0;
  if (!resolve(path, real, &missing, error) || (*missing && !create))
    return -1;
  snprintf(rest, sizeof(rest), "%s", missing);
  int at = open("/", kOpenFolder);
  if (at < 0) {
    tile_rt_fail(error, "cache: expected to open '/': %s", strerror(errno));
    return -1;
  }
  if (!checkFolder(at, path, "/", false, error)) {
    close(at);
    return -1;
  }
  at = walk(at, real, false, !*missing, path, error);
  return at < 0 || !*missing ? at : walk(at, rest, true, true, path, error);
}
