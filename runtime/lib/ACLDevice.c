// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ascend NPUs: the library, opening, memory, streams, events and kernels.

#include "ACLDriver.h"

#include "DriverDevice.h"
#include "Library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct AclDevice {
  TileRtDevice base;
  const AclDriver *driver;
  void *context;
} AclDevice;

static const AclDriver *driverOf(const TileRtDevice *device) {
  return ((const AclDevice *)device)->driver;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static const TileRtSymbol symbols[] = {
#define TILE_RT_NEEDED(field, symbol, result, parameters)                      \
  {symbol, false, offsetof(AclDriver, field)},
#define TILE_RT_OPTIONAL(field, symbol, result, parameters)                    \
  {symbol, true, offsetof(AclDriver, field)},
    TILE_RT_ACL_FUNCTIONS(TILE_RT_NEEDED)
        TILE_RT_ACL_OPTIONAL_FUNCTIONS(TILE_RT_OPTIONAL)
#undef TILE_RT_NEEDED
#undef TILE_RT_OPTIONAL
};

static bool checkWith(const AclDriver *driver, AclResult result,
                      const char *what, TileRtError *error) {
  if (result == ACL_OK)
    return true;
  const char *text = driver->getMessage();
  if (!text || !*text)
    return tile_rt_fail(error, "%s: ACL error %d", what, (int)result);
  // Its texts have several lines.
  return tile_rt_fail(error, "%s: ACL error %d (%.*s)", what, (int)result,
                      (int)strcspn(text, "\r\n"), text);
}

static bool check(const TileRtDevice *device, int32_t result, const char *what,
                  TileRtError *error) {
  return checkWith(driverOf(device), result, what, error);
}

static bool initialise(void *table, TileRtError *error) {
  const AclDriver *driver = table;
  TileRtError inner;
  AclResult result = driver->init(NULL);
  // Others in the process may use it too.
  return result == ACL_REPEATED_INITIALISE ||
         checkWith(driver, result, "aclInit", &inner) ||
         tile_rt_fail(error, "no ACL library: %s", inner.message);
}

static const TileRtLibrary library = {.kind = "ACL library",
                                      .variable = "TILE_ACL_LIBRARY",
                                      .file = "libascendcl.so",
                                      .version = "CANN 8.5 or later",
                                      .symbols = symbols,
                                      .count =
                                          sizeof(symbols) / sizeof(*symbols),
                                      .initialise = initialise};

bool tile_rt_acl_load_driver(const char *path, AclDriver *driver,
                             TileRtError *error) {
  *driver = (AclDriver){0};
  return tile_rt_library_load(&library, path, driver, error);
}

static const void *getDriver(TileRtError *error) {
  static AclDriver driver;
  static TileRtLibraryOnce once = TILE_RT_LIBRARY_ONCE;
  return tile_rt_library_once(&library, &once, &driver, error) ? &driver : NULL;
}

//===----------------------------------------------------------------------===//
// The library's functions
//===----------------------------------------------------------------------===//

#include "DriverCalls.inc"

/// The thread's context; null where it has none, which is an error there.
static void *currentContext(const AclDriver *driver) {
  void *context = NULL;
  return driver->getContext(&context) == ACL_OK ? context : NULL;
}

static bool enter(const TileRtDevice *base, void **before, TileRtError *error) {
  const AclDevice *device = (const AclDevice *)base;
  void *current = currentContext(device->driver);
  *before = NULL;
  if (current == device->context)
    return true;
  AclResult result = device->driver->setContext(device->context);
  // A thread without a context keeps this one, so that it is found next time.
  if (result == ACL_OK)
    *before = current;
  return checkWith(device->driver, result, "aclrtSetCurrentContext", error);
}

static void leave(const TileRtDevice *device, void *before) {
  if (before)
    driverOf(device)->setContext(before);
}

static int32_t allocMemory(const TileRtDevice *device, void **memory,
                           size_t bytes) {
  return driverOf(device)->malloc(memory, bytes, ACL_HUGE_PAGES_FIRST);
}

static int32_t freeMemory(const TileRtDevice *device, void *memory) {
  return driverOf(device)->free(memory);
}

static int32_t copyToDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, bytes, from, bytes, ACL_TO_DEVICE,
                                       stream);
}

static int32_t copyFromDevice(const TileRtDevice *device, void *to,
                              const void *from, size_t bytes,
                              TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, bytes, from, bytes, ACL_FROM_DEVICE,
                                       stream);
}

static int32_t copyOnDevice(const TileRtDevice *device, void *to,
                            const void *from, size_t bytes,
                            TileRtStream stream) {
  return driverOf(device)->memcpyAsync(to, bytes, from, bytes, ACL_ON_DEVICE,
                                       stream);
}

static int32_t fillMemory(const TileRtDevice *device, void *memory,
                          uint8_t byte, size_t bytes, TileRtStream stream) {
  return driverOf(device)->memsetAsync(memory, bytes, byte, bytes, stream);
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
  void *binary, *function;
  size_t bytes;    ///< of all arguments
  size_t *offsets; ///< of each
  size_t *sizes;
} Code;

static bool startsWith(const char *text, const char *prefix) {
  return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/// The library names "Ascend910B3" what metadata call "910B". The 910C is two
/// chips of that kind and calls itself 910_93.
static bool checkChip(const TileRtDevice *device, const char *chip,
                      TileRtError *error) {
  const char *soc = device->chip;
  return !*chip || startsWith(soc, chip) ||
         (strcasecmp(chip, "910B") == 0 && startsWith(soc, "910_93")) ||
         tile_rt_fail(error,
                      "chip: expected a device that runs %s, got %s (%s)", chip,
                      device->chip, device->name);
}

/// Lays the arguments out as a struct of C.
static bool placeArguments(const TileRtMetadata *metadata, Code *code,
                           TileRtError *error) {
  size_t count = (size_t)metadata->parameterCount, largest = 1;
  code->offsets = calloc(count + 1, sizeof(*code->offsets));
  code->sizes = calloc(count + 1, sizeof(*code->sizes));
  if (!code->offsets || !code->sizes)
    return tile_rt_fail(error, "expected memory for the image, got none");
  for (size_t i = 0; i < count; ++i) {
    const TileRtParameterInfo *p = &metadata->parameters[i];
    if (p->kind == TILE_RT_PARAMETER_TENSOR_MAP)
      return tile_rt_fail(
          error, "parameter %zu: expected no tensor map on an NPU, got one", i);
    bool address = p->kind == TILE_RT_PARAMETER_POINTER ||
                   p->kind == TILE_RT_PARAMETER_WORKSPACE;
    size_t size = address ? 8 : ((size_t)tile_rt_dtype_bits(p->dtype) + 7) / 8;
    code->bytes = (code->bytes + size - 1) / size * size;
    code->offsets[i] = code->bytes;
    code->sizes[i] = size;
    code->bytes += size;
    largest = size > largest ? size : largest;
  }
  code->bytes = (code->bytes + largest - 1) / largest * largest;
  return true;
}

static AclResult loadCode(const AclDriver *driver, const void *image,
                          size_t size, const TileRtMetadata *metadata,
                          Code *code, const char **what) {
  static const uint32_t magics[] = {ACL_MAGIC_MIX, ACL_MAGIC_VECTOR,
                                    ACL_MAGIC_CUBE};
  AclLoadOption option = {.type = ACL_LOAD_MAGIC,
                          .value.magic = magics[metadata->core]};
  const AclLoadOptions options = {&option, 1};
  *what = "aclrtBinaryLoadFromData";
  AclResult result = driver->binaryLoad(image, size, &options, &code->binary);
  if (result != ACL_OK)
    return result;
  *what = "aclrtBinaryGetFunction";
  result = driver->getFunction(code->binary, metadata->kernel, &code->function);
  if (result != ACL_OK)
    driver->binaryUnload(code->binary);
  return result;
}

static void freeCode(Code *code) {
  free(code->offsets);
  free(code->sizes);
  free(code);
}

static bool load(TileRtDevice *device, const void *image, size_t size,
                 const TileRtMetadata *metadata, void **out,
                 TileRtError *error) {
  void *before;
  const char *what;
  *out = NULL;
  if (size < 64 || memcmp(image, "\177ELF", 4) != 0)
    return tile_rt_fail(
        error, "image: expected an ELF file of bisheng, got %zu other bytes",
        size);
  if (!checkChip(device, metadata->chip, error))
    return false;
  Code *code = calloc(1, sizeof(*code));
  if (!code)
    return tile_rt_fail(error, "expected memory for the image, got none");
  bool good =
      placeArguments(metadata, code, error) && enter(device, &before, error);
  if (good) {
    AclResult result =
        loadCode(driverOf(device), image, size, metadata, code, &what);
    leave(device, before);
    good = check(device, result, what, error);
  }
  if (good)
    *out = code;
  else
    freeCode(code);
  return good;
}

static void unload(TileRtDevice *device, void *code) {
  void *before;
  if (enter(device, &before, NULL)) {
    driverOf(device)->binaryUnload(((Code *)code)->binary);
    leave(device, before);
  }
  freeCode(code);
}

/// Blocks are numbered in one dimension, each is one core.
static bool prepare(TileRtDevice *device, void *code, const TileRtLaunch *l,
                    TileRtError *error) {
  (void)device;
  (void)code;
  uint64_t blocks = l->grid[0];
  for (int i = 1; i < 3; ++i)
    if (__builtin_mul_overflow(blocks, l->grid[i], &blocks))
      blocks = UINT64_MAX;
  if (blocks > UINT32_MAX)
    return tile_rt_fail(error, "grid: expected less than 2^32 blocks");
  for (int i = 0; i < 3; ++i) {
    if (l->block[i] != 1)
      return tile_rt_fail(error, "block: expected 1 thread on a core, got %u",
                          l->block[i]);
    if (l->cluster[i] != 1)
      return tile_rt_fail(error, "cluster: expected 1 on an NPU, got %u",
                          l->cluster[i]);
  }
  if (l->sharedBytes)
    return tile_rt_fail(
        error, "shared: expected 0 bytes, as kernels know their memory, got %u",
        l->sharedBytes);
  return !l->cooperative ||
         tile_rt_fail(error, "expected a device with cooperative launches, got "
                             "an NPU");
}

static bool launch(TileRtDevice *device, void *opaque, const TileRtLaunch *l,
                   TileRtStream stream, TileRtError *error) {
  const Code *code = opaque;
  uint64_t arguments[TILE_RT_MAX_PARAMETERS];
  void *before;
  memset(arguments, 0, code->bytes);
  for (int32_t i = 0; i < l->parameterCount; ++i)
    memcpy((char *)arguments + code->offsets[i], l->parameters[i],
           code->sizes[i]);
  if (!enter(device, &before, error))
    return false;
  AclResult result = driverOf(device)->launchKernel(
      code->function, l->grid[0] * l->grid[1] * l->grid[2], stream, NULL,
      arguments, code->bytes, NULL, 0);
  leave(device, before);
  return check(device, result, "aclrtLaunchKernelWithHostArgs", error);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static void closeDevice(TileRtDevice *device) {
  if (((const AclDevice *)device)->context)
    driverOf(device)->resetDevice(device->id.device_id);
}

/// A number that only newer libraries tell; 0 elsewhere.
static int64_t readInfo(const AclDriver *driver, int32_t ordinal,
                        int32_t attribute) {
  int64_t value = 0;
  if (!driver->getDeviceInfo ||
      driver->getDeviceInfo((uint32_t)ordinal, attribute, &value) != ACL_OK)
    return 0;
  return value;
}

/// Finds the default context of the device, and leaves the thread its own.
static bool findContext(AclDevice *device, int32_t ordinal,
                        TileRtError *error) {
  const AclDriver *driver = device->driver;
  void *before = currentContext(driver);
  if (!checkWith(driver, driver->setDevice(ordinal), "aclrtSetDevice", error))
    return false;
  AclResult result = driver->getContext(&device->context);
  if (before)
    driver->setContext(before);
  if (result == ACL_OK)
    return true;
  driver->resetDevice(ordinal);
  return checkWith(driver, result, "aclrtGetCurrentContext", error);
}

static bool describe(TileRtDevice *base, const void *opaque, int32_t ordinal,
                     TileRtError *error) {
  AclDevice *device = (AclDevice *)base;
  const AclDriver *driver = device->driver = opaque;
  device->base.id = (TileRtDLDevice){TILE_RT_DL_EXT_DEV, ordinal};
  if (!findContext(device, ordinal, error))
    return false;
  const char *soc = driver->getSocName();
  soc = soc ? soc : "";
  snprintf(device->base.name, sizeof(device->base.name), "%s", soc);
  snprintf(device->base.chip, sizeof(device->base.chip), "%s",
           startsWith(soc, "Ascend") ? soc + strlen("Ascend") : soc);
  device->base.multiprocessors =
      (int32_t)readInfo(driver, ordinal, ACL_DEVICE_CORES);
  device->base.l2Bytes = readInfo(driver, ordinal, ACL_DEVICE_L2_BYTES);
  return true;
}

static bool countDevices(const void *opaque, int32_t *count,
                         TileRtError *error) {
  const AclDriver *driver = opaque;
  uint32_t number = 0;
  *count = 0;
  if (!checkWith(driver, driver->getDeviceCount(&number), "aclrtGetDeviceCount",
                 error))
    return false;
  *count = (int32_t)number;
  return number > 0 ||
         tile_rt_fail(error, "no ACL device: the library finds none");
}

static const TileRtDriverOps ops = {
    .base = {.target = "ascend",
             .close = closeDevice,
             .load = load,
             .unload = unload,
             .prepare = prepare,
             .launch = launch,
             TILE_RT_DRIVER_DEVICE_OPS},
    .enter = enter,
    .leave = leave,
    .check = check,
    .alloc = {"aclrtMalloc", allocMemory},
    .free = {"aclrtFree", freeMemory},
    .toDevice = {"aclrtMemcpyAsync", copyToDevice},
    .fromDevice = {"aclrtMemcpyAsync", copyFromDevice},
    .onDevice = {"aclrtMemcpyAsync", copyOnDevice},
    .fill = {"aclrtMemsetAsync", fillMemory},
    .sync = {"aclrtSynchronizeStream", syncStream},
    .streamCreate = {"aclrtCreateStream", createStream},
    .streamDestroy = {"aclrtDestroyStream", destroyStream},
    .eventCreate = {"aclrtCreateEvent", createEvent},
    .eventDestroy = {"aclrtDestroyEvent", destroyEvent},
    .eventRecord = {"aclrtRecordEvent", recordEvent},
    .eventElapsed = {"aclrtEventElapsedTime", elapsed},
    .kind = "ACL device",
    .bytes = sizeof(AclDevice),
    .alignment = _Alignof(AclDevice),
    .find = getDriver,
    .count = countDevices,
    .describe = describe,
};

bool tile_rt_acl_open_with(const AclDriver *driver, int32_t ordinal,
                           TileRtDevice **device, TileRtError *error) {
  return tile_rt_driver_open_with(&ops, driver, ordinal, device, error);
}

bool tile_rt_acl_open(int32_t ordinal, TileRtDevice **device,
                      TileRtError *error) {
  return tile_rt_driver_open(&ops, ordinal, device, error);
}

bool tile_rt_acl_count(int32_t *count, TileRtError *error) {
  return tile_rt_driver_count(&ops, count, error);
}
