// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the CUDA backend. Facts: CUDA Driver API, "Module Management" and
// "Execution Control".

#include "CUDADevice.h"

#include <stdlib.h>
#include <string.h>

enum {
  kLogBytes = 4096,
  kPlainShared = 48 << 10, // what a block may have without being allowed more
  kPortableCluster = 8     // the largest that every device with clusters has
};

typedef struct Code {
  CuModule module;
  CuFunction function;
  TileRtNeeds needs;
  uint32_t allowedShared;
  bool nonPortable;
} Code;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

typedef enum ImageKind { IMAGE_CUBIN, IMAGE_FATBIN, IMAGE_PTX } ImageKind;

static ImageKind imageKind(const void *image, size_t size) {
  static const unsigned char elf[] = {0x7F, 'E', 'L', 'F'};
  // The header of a fat binary, and that of the struct nvcc wraps it in.
  static const unsigned char fatbin[] = {0x50, 0xED, 0x55, 0xBA};
  static const unsigned char wrapped[] = {0xB1, 0x43, 0x62, 0x46};
  if (size >= 4 && memcmp(image, elf, 4) == 0)
    return IMAGE_CUBIN;
  if (size >= 4 &&
      (memcmp(image, fatbin, 4) == 0 || memcmp(image, wrapped, 4) == 0))
    return IMAGE_FATBIN;
  return IMAGE_PTX;
}

/// Whether the device runs code of a chip: "sm_90a" is for 9.0 alone, "sm_100f"
/// for 10.0 and what follows it within 10.x, as is any cubin; PTX for "sm_80"
/// is for 8.0 and all that follows. (PTX ISA, ".target".)
static bool checkChip(const CudaDevice *device, const char *chip,
                      ImageKind kind, TileRtError *error) {
  if (strncmp(chip, "sm_", 3) != 0)
    return !*chip ||
           tile_rt_fail(error, "chip: expected sm_ and a number, got %s", chip);
  char *end;
  long number = strtol(chip + 3, &end, 10);
  long major = number / 10, minor = number % 10;
  bool good;
  if (*end == 'a')
    good = device->major == major && device->minor == minor;
  else if (*end == 'f' || kind == IMAGE_CUBIN)
    good = device->major == major && device->minor >= minor;
  else
    good = device->major > major ||
           (device->major == major && device->minor >= minor);
  return good || tile_rt_fail(
                     error, "chip: expected a device that runs %s, got %s (%s)",
                     chip, device->base.chip, device->base.name);
}

/// Makes one line of a log, without empty ones.
static void joinLines(char *log) {
  char *out = log;
  for (const char *in = log; *in; ++in) {
    if (*in != '\n' && *in != '\r')
      *out++ = *in;
    else if (out != log && out[-1] != ' ') {
      // Two characters for one or more: never beyond what was read.
      *out++ = ' ';
    }
  }
  while (out != log && out[-1] == ' ')
    --out;
  *out = 0;
}

static bool loadModule(const CudaDevice *device, const void *image,
                       const TileRtMetadata *metadata, Code *code,
                       TileRtError *error) {
  char errors[kLogBytes] = "", information[kLogBytes] = "";
  int32_t options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES,
                       CU_JIT_INFO_LOG, CU_JIT_INFO_LOG_BYTES,
                       CU_JIT_REGISTERS};
  void *values[] = {errors, (void *)(uintptr_t)kLogBytes, information,
                    (void *)(uintptr_t)kLogBytes,
                    (void *)(uintptr_t)metadata->maxRegisters};
  TileRtError inner;
  CuResult result = device->driver->moduleLoadDataEx(
      &code->module, image, metadata->maxRegisters ? 5 : 4, options, values);
  if (tile_rt_cuda_check(device->driver, result, "cuModuleLoadDataEx", &inner))
    return true;
  errors[kLogBytes - 1] = 0;
  joinLines(errors);
  return tile_rt_fail(error, "%s%s%s", inner.message, *errors ? ": " : "",
                      errors);
}

static bool readFunction(const CudaDevice *device, const char *name, Code *code,
                         TileRtError *error) {
  const CuDriver *driver = device->driver;
  const struct {
    int attribute;
    int *value;
  } attributes[] = {{CU_FUNCTION_STATIC_SHARED, &code->needs.staticShared},
                    {CU_FUNCTION_MAX_THREADS, &code->needs.maxThreads},
                    {CU_FUNCTION_REGISTERS, &code->needs.registers}};
  if (!tile_rt_cuda_check(
          driver,
          driver->moduleGetFunction(&code->function, code->module, name),
          "cuModuleGetFunction", error))
    return false;
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); ++i)
    if (!tile_rt_cuda_check(driver,
                            driver->funcGetAttribute(attributes[i].value,
                                                     attributes[i].attribute,
                                                     code->function),
                            "cuFuncGetAttribute", error))
      return false;
  return true;
}

bool tile_rt_cuda_load(TileRtDevice *base, const void *image, size_t size,
                       const TileRtMetadata *metadata, void **out,
                       TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  ImageKind kind = imageKind(image, size);
  void *before;
  if (!size)
    return tile_rt_fail(error, "image: expected code, got 0 bytes");
  if (!checkChip(device, metadata->chip, kind, error))
    return false;
  Code *code = calloc(1, sizeof(*code));
  // The driver reads PTX up to a zero.
  char *text = kind == IMAGE_PTX ? malloc(size + 1) : NULL;
  if (!code || (kind == IMAGE_PTX && !text)) {
    free(code);
    free(text);
    return tile_rt_fail(error, "expected memory for the image, got none");
  }
  if (text) {
    memcpy(text, image, size);
    text[size] = 0;
  }
  bool good = tile_rt_cuda_enter(base, &before, error);
  if (good) {
    good = loadModule(device, text ? text : image, metadata, code, error) &&
           readFunction(device, metadata->kernel, code, error);
    if (!good && code->module)
      device->driver->moduleUnload(code->module);
    tile_rt_cuda_leave(base, before);
  }
  free(text);
  *out = good ? code : NULL;
  if (!good)
    free(code);
  return good;
}

void tile_rt_cuda_unload(TileRtDevice *base, void *code) {
  const CudaDevice *device = (const CudaDevice *)base;
  void *before;
  if (tile_rt_cuda_enter(base, &before, NULL)) {
    device->driver->moduleUnload(((Code *)code)->module);
    tile_rt_cuda_leave(base, before);
  }
  free(code);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static uint64_t volume(const uint32_t *extents) {
  return (uint64_t)extents[0] * extents[1] * extents[2];
}

bool tile_rt_cuda_prepare(TileRtDevice *base, void *opaque,
                          const TileRtLaunch *launch, TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  const CuDriver *driver = device->driver;
  Code *code = opaque;
  if (!tile_rt_check_limits(base, &device->limits, &code->needs, launch, error))
    return false;
  bool moreShared =
      (uint64_t)launch->sharedBytes + (uint64_t)code->needs.staticShared >
          kPlainShared &&
      launch->sharedBytes > code->allowedShared;
  bool nonPortable =
      volume(launch->cluster) > kPortableCluster && !code->nonPortable;
  void *before;
  if (!moreShared && !nonPortable)
    return true;
  if (!tile_rt_cuda_enter(base, &before, error))
    return false;
  CuResult result = CU_OK;
  if (moreShared)
    result =
        driver->funcSetAttribute(code->function, CU_FUNCTION_MAX_DYNAMIC_SHARED,
                                 (int)launch->sharedBytes);
  if (result == CU_OK && nonPortable)
    result = driver->funcSetAttribute(code->function,
                                      CU_FUNCTION_NON_PORTABLE_CLUSTER, 1);
  tile_rt_cuda_leave(base, before);
  if (!tile_rt_cuda_check(driver, result, "cuFuncSetAttribute", error))
    return false;
  if (moreShared)
    code->allowedShared = launch->sharedBytes;
  code->nonPortable |= nonPortable;
  return true;
}

bool tile_rt_cuda_launch(TileRtDevice *base, void *opaque,
                         const TileRtLaunch *launch, TileRtStream stream,
                         TileRtError *error) {
  const CudaDevice *device = (const CudaDevice *)base;
  const Code *code = opaque;
  CuLaunchAttribute attributes[3];
  CuLaunchConfig config = {
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .sharedBytes = launch->sharedBytes,
      .stream = stream,
      .attributes = attributes};
  if (launch->cluster[0] != 1 || launch->cluster[1] != 1 ||
      launch->cluster[2] != 1) {
    CuLaunchAttribute *a = &attributes[config.attributeCount++];
    *a = (CuLaunchAttribute){.id = CU_LAUNCH_CLUSTER};
    memcpy(a->value.extents, launch->cluster, sizeof(launch->cluster));
  }
  if (launch->cooperative)
    attributes[config.attributeCount++] =
        (CuLaunchAttribute){.id = CU_LAUNCH_COOPERATIVE, .value.flag = 1};
  if (launch->pdl)
    attributes[config.attributeCount++] = (CuLaunchAttribute){
        .id = CU_LAUNCH_PROGRAMMATIC_SERIALIZATION, .value.flag = 1};
  void *before;
  if (!tile_rt_cuda_enter(base, &before, error))
    return false;
  CuResult result = device->driver->launchKernelEx(&config, code->function,
                                                   launch->parameters, NULL);
  tile_rt_cuda_leave(base, before);
  return tile_rt_cuda_check(device->driver, result, "cuLaunchKernelEx", error);
}
