// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDADriver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char defaultPath[] = "libcuda.so.1";

static const struct Symbol {
  const char *symbol;
  const char *name;
  int first;
  bool optional;
  size_t offset;
} symbols[] = {
#define TILE_RT_NEEDED(field, symbol, name, first, parameters)                 \
  {symbol, name, first, false, offsetof(CuDriver, field)},
#define TILE_RT_OPTIONAL(field, symbol, name, first, parameters)               \
  {symbol, name, first, true, offsetof(CuDriver, field)},
    TILE_RT_CUDA_FUNCTIONS(TILE_RT_NEEDED)
        TILE_RT_CUDA_OPTIONAL_FUNCTIONS(TILE_RT_OPTIONAL)
#undef TILE_RT_NEEDED
#undef TILE_RT_OPTIONAL
};

enum { kSymbolCount = sizeof(symbols) / sizeof(*symbols) };

/// CUDA Driver API, "Driver Entry Point Access".
typedef CuResult (*GetProcAddress)(const char *name, void **function,
                                   int version, uint64_t flags, int *status);

/// The address of a symbol. Versioned symbols are exported under their own
/// names; the entry point lookup serves drivers that export only that.
static void *findSymbol(void *library, const struct Symbol *symbol) {
  void *found = dlsym(library, symbol->symbol);
  if (found)
    return found;
  GetProcAddress lookUp;
  void *entry = dlsym(library, "cuGetProcAddress_v2");
  memcpy(&lookUp, &entry, sizeof(entry));
  if (entry && lookUp(symbol->name, &found, symbol->first, 0, NULL) == CU_OK)
    return found;
  return NULL;
}

static bool resolve(CuDriver *driver, const char *path, TileRtError *error) {
  char missing[512] = "";
  for (size_t i = 0; i < kSymbolCount; ++i) {
    void *found = findSymbol(driver->library, &symbols[i]);
    memcpy((char *)driver + symbols[i].offset, &found, sizeof(found));
    if (found || symbols[i].optional)
      continue;
    size_t length = strlen(missing);
    snprintf(missing + length, sizeof(missing) - length, "%s%s",
             length ? ", " : "", symbols[i].symbol);
  }
  return !*missing || tile_rt_fail(error,
                                   "no CUDA driver: %s: expected the symbols "
                                   "of CUDA 11.8 or later, got none of %s",
                                   path, missing);
}

bool tile_rt_cuda_check(const CuDriver *driver, CuResult result,
                        const char *what, TileRtError *error) {
  if (result == CU_OK)
    return true;
  const char *name = NULL, *text = NULL;
  if (driver->getErrorName(result, &name) != CU_OK || !name)
    return tile_rt_fail(error, "%s: CUDA error %d", what, (int)result);
  if (driver->getErrorString(result, &text) != CU_OK || !text)
    return tile_rt_fail(error, "%s: %s", what, name);
  return tile_rt_fail(error, "%s: %s (%s)", what, name, text);
}

static bool initialise(CuDriver *driver, TileRtError *error) {
  TileRtError inner;
  CuResult result = driver->init(0);
  if (!tile_rt_cuda_check(driver, result, "cuInit", &inner))
    return tile_rt_fail(error, "no CUDA %s: %s",
                        result == CU_NO_DEVICE ? "device" : "driver",
                        inner.message);
  return tile_rt_cuda_check(driver, driver->driverGetVersion(&driver->version),
                            "cuDriverGetVersion", error);
}

bool tile_rt_cuda_load_driver(const char *path, CuDriver *driver,
                              TileRtError *error) {
  *driver = (CuDriver){0};
  driver->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    const char *reason = dlerror();
    return tile_rt_fail(error, "no CUDA driver: %s", reason ? reason : path);
  }
  if (!resolve(driver, path, error)) {
    dlclose(driver->library);
    *driver = (CuDriver){0};
    return false;
  }
  // Once initialised it may have threads, even when it failed: not unloaded.
  return initialise(driver, error);
}

const CuDriver *tile_rt_cuda_driver(TileRtError *error) {
  static CuDriver driver;
  static bool loaded;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!loaded) {
    const char *path = getenv("TILE_CUDA_DRIVER");
    loaded = tile_rt_cuda_load_driver(path && *path ? path : defaultPath,
                                      &driver, error);
  }
  const CuDriver *result = loaded ? &driver : NULL;
  pthread_mutex_unlock(&lock);
  return result;
}
