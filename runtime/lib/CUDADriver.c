// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDADriver.h"

#include "Library.h"

#include <dlfcn.h>
#include <string.h>

static const TileRtSymbol symbols[] = {
#define TILE_RT_NEEDED(field, symbol, name, first, parameters)                 \
  {symbol, false, offsetof(CuDriver, field)},
#define TILE_RT_OPTIONAL(field, symbol, name, first, parameters)               \
  {symbol, true, offsetof(CuDriver, field)},
    TILE_RT_CUDA_FUNCTIONS(TILE_RT_NEEDED)
        TILE_RT_CUDA_OPTIONAL_FUNCTIONS(TILE_RT_OPTIONAL)
#undef TILE_RT_NEEDED
#undef TILE_RT_OPTIONAL
};

/// The same functions as the entry point lookup knows them.
static const struct {
  const char *name;
  int first;
} entries[] = {
#define TILE_RT_ENTRY(field, symbol, name, first, parameters) {name, first},
    TILE_RT_CUDA_FUNCTIONS(TILE_RT_ENTRY)
        TILE_RT_CUDA_OPTIONAL_FUNCTIONS(TILE_RT_ENTRY)
#undef TILE_RT_ENTRY
};

/// CUDA Driver API, "Driver Entry Point Access".
typedef CuResult (*GetProcAddress)(const char *name, void **function,
                                   int version, uint64_t flags, int *status);

/// Versioned symbols are exported under their own names; the entry point lookup
/// serves drivers that export only that.
static void *findEntry(void *library, size_t symbol) {
  GetProcAddress lookUp;
  void *found = NULL, *entry = dlsym(library, "cuGetProcAddress_v2");
  memcpy(&lookUp, &entry, sizeof(entry));
  if (entry && lookUp(entries[symbol].name, &found, entries[symbol].first, 0,
                      NULL) == CU_OK)
    return found;
  return NULL;
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

static bool initialise(void *table, TileRtError *error) {
  CuDriver *driver = table;
  TileRtError inner;
  CuResult result = driver->init(0);
  if (!tile_rt_cuda_check(driver, result, "cuInit", &inner))
    return tile_rt_fail(error, "no CUDA %s: %s",
                        result == CU_NO_DEVICE ? "device" : "driver",
                        inner.message);
  return tile_rt_cuda_check(driver, driver->driverGetVersion(&driver->version),
                            "cuDriverGetVersion", error);
}

static const TileRtLibrary library = {.kind = "CUDA driver",
                                      .variable = "TILE_CUDA_DRIVER",
                                      .file = "libcuda.so.1",
                                      .version = "CUDA 11.8 or later",
                                      .symbols = symbols,
                                      .count =
                                          sizeof(symbols) / sizeof(*symbols),
                                      .find = findEntry,
                                      .initialise = initialise};

bool tile_rt_cuda_load_driver(const char *path, CuDriver *driver,
                              TileRtError *error) {
  *driver = (CuDriver){0};
  return tile_rt_library_load(&library, path, driver, error);
}

const CuDriver *tile_rt_cuda_driver(TileRtError *error) {
  static CuDriver driver;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  return tile_rt_library_once(&library, &once, &driver, error) ? &driver : NULL;
}
