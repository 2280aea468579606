// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Fills the table behind the handle.
static bool resolve(const TileRtLibrary *info, const char *path, void *library,
                    void *table, TileRtError *error) {
  char missing[512] = "";
  for (size_t i = 0; i < info->count; ++i) {
    const TileRtSymbol *symbol = &info->symbols[i];
    void *found = dlsym(library, symbol->name);
    if (!found && info->find)
      found = info->find(library, i);
    memcpy((char *)table + symbol->offset, &found, sizeof(found));
    if (found || symbol->optional)
      continue;
    size_t length = strlen(missing);
    snprintf(missing + length, sizeof(missing) - length, "%s%s",
             length ? ", " : "", symbol->name);
  }
  return !*missing ||
         tile_rt_fail(error,
                      "no %s: %s: expected the symbols of %s, got none of %s",
                      info->kind, path, info->version, missing);
}

bool tile_rt_library_load(const TileRtLibrary *info, const char *path,
                          void *table, TileRtError *error) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return tile_rt_fail(error, "no %s: %s", info->kind, reason ? reason : path);
  }
  if (!resolve(info, path, library, table, error)) {
    dlclose(library);
    return false;
  }
  memcpy(table, &library, sizeof(library));
  // Once initialised it may have threads, even when it failed: not unloaded.
  return !info->initialise || info->initialise(table, error);
}

bool tile_rt_library_once(const TileRtLibrary *info, TileRtLibraryOnce *once,
                          void *table, TileRtError *error) {
  pthread_mutex_lock(&once->lock);
  if (!once->loaded) {
    const char *path = getenv(info->variable);
    once->loaded = tile_rt_library_load(info, path && *path ? path : info->file,
                                        table, error);
  }
  bool loaded = once->loaded;
  pthread_mutex_unlock(&once->lock);
  return loaded;
}
