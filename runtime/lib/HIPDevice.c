// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's GPUs: the library, opening, memory, streams and events. Facts: HIP
// Runtime API Reference, "Modules".

#include "HIPDriver.h"

#include "DriverDevice.h"
#include "Library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct HipDevice {
  TileRtDevice base;
  const HipDriver *driver;
  TileRtLimits limits;
} HipDevice;

static const HipDriver *driverOf(const TileRtDevice *device) {
  return ((const HipDevice *)device)->driver;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static const TileRtSymbol symbols[] = {
#define TILE_RT_SYMBOL(field, symbol, parameters)                              \
  {symbol, false, offsetof(HipDriver, field)},
    TILE_RT_HIP_FUNCTIONS(TILE_RT_SYMBOL)
#undef TILE_RT_SYMBOL
};

static bool checkWith(const HipDriver *driver, HipResult result,
                      const char *what, TileRtError *error) {
  if (result == HIP_OK)
    return true;
  const char *name = NULL, *text = NULL;
  if (driver->getErrorName(result, &name) != HIP_OK || !name)
    return tile_rt_fail(error, "%s: HIP error %d", what, (int)result);
  if (driver->getErrorString(result, &text) != HIP_OK || !text)
    return tile_rt_fail(error, "%s: %s", what, name);
  return tile_rt_fail(error, "%s: %s (%s)", what, name, text);
}

static bool check(const TileRtDevice *device, int32_t result, const char *what,
                  TileRtError *error) {
  return checkWith(driverOf(device), result, what, error);
}

static bool initialise(void *table, TileRtError *error) {
  const HipDriver *driver = table;
  TileRtError inner;
  HipResult result = driver->init(0);
  return checkWith(driver, result, "hipInit", &inner) ||
         tile_rt_fail(error, "no HIP %s: %s",
                      result == HIP_NO_DEVICE ? "device" : "library",
                      inner.message);
}

static const TileRtLibrary library = {.kind = "HIP library",
                                      .variable = "TILE_HIP_LIBRARY",
                                      .file = "libamdhip64.so",
                                      .version = "HIP 6.0 or later",
                                      .symbols = symbols,
                                      .count =
                                          sizeof(symbols) / sizeof(*symbols),
                                      .initialise = initialise};

bool tile_rt_hip_load_driver(const char *path, HipDriver *driver,
                             TileRtError *error) {
  *driver = (HipDriver){0};
  return tile_rt_library_load(&library, path, driver, error);
}

static const void *getDriver(TileRtError *error) {
  static HipDriver driver;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  return tile_rt_library_once(&library, &once, &driver, error) ? &driver : NULL;
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

#include "DriverCalls.inc"

/// What a thread goes back to is its device, from 1 so that null is nothing.
static bool enter(const TileRtDevice *device, void **before,
                  TileRtError *error) {
  const HipDriver *driver = driverOf(device);
  int current = 0;
  *before = NULL;
  HipResult result = driver->getDevice(&current);
  if (result == HIP_OK && current == device->id.device_id)
    return true;
  if (result == HIP_OK) {
    result = driver->setDevice(device->id.device_id);
    if (result == HIP_OK)
      *before = (void *)((intptr_t)current + 1);
  }
  return checkWith(driver, result, "hipSetDevice", error);
}

static void leave(const TileRtDevice *device, void *before) {
  if (before)
    driverOf(device)->setDevice((int)((intptr_t)before - 1));
}

static int32_t allocMemory(const TileRtDevice *device, void **memory,
                           size_t bytes) {
  return driverOf(device)->malloc(memory, bytes);
}

static int32_t freeMemory(const TileRtDevice *device, void *memory) {
  return driverOf(device)->free(memory);
}

static int32_t copyToDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, from, bytes, HIP_TO_DEVICE, stream);
}

static int32_t copyFromDevice(const TileRtDevice *device, void *to,
                              const void *from, size_t bytes,
                              TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, from, bytes, HIP_FROM_DEVICE,
                                       stream);
}

static int32_t copyOnDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, from, bytes, HIP_ON_DEVICE, stream);
}

static int32_t fillMemory(const TileRtDevice *device, void *memory,
                          uint8_t byte, size_t bytes, TileRtStream stream) {
  return driverOf(device)->memsetAsync(memory, byte, bytes, stream);
}

static int32_t isCaptured(const TileRtDevice *device, TileRtStream stream,
                          int32_t *status) {
  return driverOf(device)->streamIsCapturing(stream, status);
}

static int32_t allocInStream(const TileRtDevice *device, void **memory,
                             size_t bytes, TileRtStream stream) {
  return driverOf(device)->mallocAsync(memory, bytes, stream);
}

static int32_t freeInStream(const TileRtDevice *device, void *memory,
                            TileRtStream stream) {
  return driverOf(device)->freeAsync(memory, stream);
}

static int32_t createStream(const TileRtDevice *device, TileRtStream *stream) {
  return driverOf(device)->streamCreate(stream);
}

static int32_t createEvent(const TileRtDevice *device, TileRtEvent *event) {
  return driverOf(device)->eventCreate(event);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

typedef struct Code {
  HipModule module;
  HipFunction function;
  TileRtNeeds needs;
} Code;

/// Code is for one architecture: "gfx942", and a device may say more behind a
/// colon.
static bool checkChip(const TileRtDevice *device, const char *chip,
                      TileRtError *error) {
  size_t length = strcspn(chip, ":");
  return !length ||
         (strncmp(chip, device->chip, length) == 0 && !device->chip[length]) ||
         tile_rt_fail(error,
                      "chip: expected a device that runs %s, got %s (%s)", chip,
                      device->chip, device->name);
}

/// The library reads as much as the headers of the image say.
static bool checkImage(const void *image, size_t size, TileRtError *error) {
  static const char elf[] = "\177ELF", bundle[] = "__CLANG_OFFLOAD_BUNDLE__",
                    packed[] = "CCOB";
  if ((size > 64 && memcmp(image, elf, 4) == 0) ||
      (size > sizeof(bundle) && memcmp(image, bundle, strlen(bundle)) == 0) ||
      (size > 32 && memcmp(image, packed, 4) == 0))
    return true;
  return tile_rt_fail(
      error, "image: expected a code object or a bundle, got %zu other bytes",
      size);
}

static HipResult loadCode(const HipDriver *driver, const void *image,
                          const char *name, Code *code, const char **what) {
  *what = "hipModuleLoadData";
  HipResult result = driver->moduleLoadData(&code->module, image);
  if (result != HIP_OK)
    return result;
  *what = "hipModuleGetFunction";
  result = driver->moduleGetFunction(&code->function, code->module, name);
  const struct {
    int attribute;
    int *value;
  } attributes[] = {{HIP_FUNCTION_STATIC_SHARED, &code->needs.staticShared},
                    {HIP_FUNCTION_MAX_THREADS, &code->needs.maxThreads},
                    {HIP_FUNCTION_REGISTERS, &code->needs.registers}};
  for (int i = 0; i < 3 && result == HIP_OK; ++i) {
    *what = "hipFuncGetAttribute";
    result = driver->funcGetAttribute(attributes[i].value,
                                      attributes[i].attribute, code->function);
  }
  if (result != HIP_OK)
    driver->moduleUnload(code->module);
  return result;
}

static bool load(TileRtDevice *device, const void *image, size_t size,
                 const TileRtMetadata *metadata, void **out,
                 TileRtError *error) {
  void *before;
  const char *what;
  *out = NULL;
  if (!checkImage(image, size, error) ||
      !checkChip(device, metadata->chip, error))
    return false;
  Code *code = calloc(1, sizeof(*code));
  if (!code)
    return tile_rt_fail(error, "expected memory for the image, got none");
  bool good = enter(device, &before, error);
  if (good) {
    HipResult result =
        loadCode(driverOf(device), image, metadata->kernel, code, &what);
    leave(device, before);
    good = check(device, result, what, error);
  }
  if (good)
    *out = code;
  else
    free(code);
  return good;
}

static void unload(TileRtDevice *device, void *code) {
  void *before;
  if (enter(device, &before, NULL)) {
    driverOf(device)->moduleUnload(((Code *)code)->module);
    leave(device, before);
  }
  free(code);
}

static bool prepare(TileRtDevice *device, void *code,
                    const TileRtLaunch *launch, TileRtError *error) {
  return tile_rt_check_limits(device, &((const HipDevice *)device)->limits,
                              &((const Code *)code)->needs, launch, error);
}

static bool launch(TileRtDevice *device, void *opaque, const TileRtLaunch *l,
                   TileRtStream stream, TileRtError *error) {
  const HipDriver *driver = driverOf(device);
  const Code *code = opaque;
  void *before;
  if (!enter(device, &before, error))
    return false;
  HipResult result =
      l->cooperative
          ? driver->launchCooperative(
                code->function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                l->block[1], l->block[2], l->sharedBytes, stream, l->parameters)
          : driver->launchKernel(code->function, l->grid[0], l->grid[1],
                                 l->grid[2], l->block[0], l->block[1],
                                 l->block[2], l->sharedBytes, stream,
                                 l->parameters, NULL);
  leave(device, before);
  return check(device, result,
               l->cooperative ? "hipModuleLaunchCooperativeKernel"
                              : "hipModuleLaunchKernel",
               error);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void closeDevice(TileRtDevice *device) { (void)device; }

static bool describe(TileRtDevice *base, const void *opaque, int32_t ordinal,
                     TileRtError *error) {
  HipDevice *device = (HipDevice *)base;
  const HipDriver *driver = device->driver = opaque;
  char properties[HIP_PROPERTIES_BYTES] = "";
  int multiprocessors = 0, l2 = 0;
  TileRtLimits *limits = &device->limits;
  const struct {
    int attribute;
    int *value;
  } attributes[] = {
      {HIP_DEVICE_MULTIPROCESSORS, &multiprocessors},
      {HIP_DEVICE_L2_BYTES, &l2},
      {HIP_DEVICE_MAX_THREADS_PER_BLOCK, &limits->maxThreads},
      {HIP_DEVICE_MAX_SHARED, &limits->maxShared},
      {HIP_DEVICE_MAX_GRID_X, &limits->maxGrid[0]},
      {HIP_DEVICE_MAX_GRID_X + 1, &limits->maxGrid[1]},
      {HIP_DEVICE_MAX_GRID_X + 2, &limits->maxGrid[2]},
      {HIP_DEVICE_COOPERATIVE, &limits->cooperative},
  };
  device->base.id = (TileRtDLDevice){TILE_RT_DL_ROCM, ordinal};
  if (!checkWith(driver,
                 driver->deviceGetName(device->base.name,
                                       (int)sizeof(device->base.name), ordinal),
                 "hipDeviceGetName", error) ||
      !checkWith(driver, driver->getProperties(properties, ordinal),
                 "hipGetDeviceProperties", error))
    return false;
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); ++i)
    if (!checkWith(driver,
                   driver->deviceGetAttribute(attributes[i].value,
                                              attributes[i].attribute, ordinal),
                   "hipDeviceGetAttribute", error))
      return false;
  const char *arch = properties + HIP_PROPERTIES_ARCH;
  snprintf(device->base.chip, sizeof(device->base.chip), "%.*s",
           (int)strcspn(arch, ":"), arch);
  device->base.multiprocessors = multiprocessors;
  device->base.l2Bytes = l2;
  return true;
}

static bool countDevices(const void *opaque, int32_t *count,
                         TileRtError *error) {
  const HipDriver *driver = opaque;
  int number = 0;
  HipResult result = driver->getDeviceCount(&number);
  *count = number;
  if (result == HIP_NO_DEVICE || (result == HIP_OK && number <= 0))
    return tile_rt_fail(error, "no HIP device: the library finds none");
  return checkWith(driver, result, "hipGetDeviceCount", error);
}

static const TileRtDriverOps ops = {
    .base = {.target = "hip",
             .close = closeDevice,
             .load = load,
             .unload = unload,
             .prepare = prepare,
             .launch = launch,
             TILE_RT_DRIVER_DEVICE_OPS,
             TILE_RT_DRIVER_GRAPH_OPS},
    .enter = enter,
    .leave = leave,
    .check = check,
    .alloc = {"hipMalloc", allocMemory},
    .free = {"hipFree", freeMemory},
    .toDevice = {"hipMemcpyAsync", copyToDevice},
    .fromDevice = {"hipMemcpyAsync", copyFromDevice},
    .onDevice = {"hipMemcpyAsync", copyOnDevice},
    .fill = {"hipMemsetAsync", fillMemory},
    .sync = {"hipStreamSynchronize", syncStream},
    .isCaptured = {"hipStreamIsCapturing", isCaptured},
    .allocInStream = {"hipMallocAsync", allocInStream},
    .freeInStream = {"hipFreeAsync", freeInStream},
    .streamCreate = {"hipStreamCreate", createStream},
    .streamDestroy = {"hipStreamDestroy", destroyStream},
    .eventCreate = {"hipEventCreate", createEvent},
    .eventDestroy = {"hipEventDestroy", destroyEvent},
    .eventRecord = {"hipEventRecord", recordEvent},
    .eventElapsed = {"hipEventElapsedTime", elapsed},
    .kind = "HIP device",
    .bytes = sizeof(HipDevice),
    .alignment = _Alignof(HipDevice),
    .find = getDriver,
    .count = countDevices,
    .describe = describe,
};

bool tile_rt_hip_open_with(const HipDriver *driver, int32_t ordinal,
                           TileRtDevice **device, TileRtError *error) {
  return tile_rt_driver_open_with(&ops, driver, ordinal, device, error);
}

bool tile_rt_hip_open(int32_t ordinal, TileRtDevice **device,
                      TileRtError *error) {
  return tile_rt_driver_open(&ops, ordinal, device, error);
}

bool tile_rt_hip_count(int32_t *count, TileRtError *error) {
  return tile_rt_driver_count(&ops, count, error);
}
