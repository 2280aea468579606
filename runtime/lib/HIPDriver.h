// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the HIP library's binary interface that the runtime uses, under
// names of our own. Facts: HIP Runtime API Reference (6.0 and later).

#ifndef TILERUNTIME_LIB_HIPDRIVER_H
#define TILERUNTIME_LIB_HIPDRIVER_H

#include "TileRuntime/HIP.h"

typedef int32_t HipResult;
typedef struct HipModuleSt *HipModule;
typedef struct HipFunctionSt *HipFunction;

enum { // hipError_t
  HIP_OK = 0,
  HIP_NO_DEVICE = 100
};

enum { // hipDeviceAttribute_t
  HIP_DEVICE_COOPERATIVE = 10,
  HIP_DEVICE_L2_BYTES = 19,
  HIP_DEVICE_MAX_GRID_X = 29, // y and z follow
  HIP_DEVICE_MAX_THREADS_PER_BLOCK = 56,
  HIP_DEVICE_MULTIPROCESSORS = 63,
  HIP_DEVICE_MAX_SHARED = 74
};

enum { // hipFunction_attribute
  HIP_FUNCTION_MAX_THREADS = 0,
  HIP_FUNCTION_STATIC_SHARED = 1,
  HIP_FUNCTION_REGISTERS = 4
};

enum { // hipMemcpyKind
  HIP_TO_DEVICE = 1,
  HIP_FROM_DEVICE = 2,
  HIP_ON_DEVICE = 3
};

enum { // hipDeviceProp_tR0600, of which no other way leads to the name of the
       // architecture, "gfx942:sramecc+:xnack-"
  HIP_PROPERTIES_BYTES = 4096, // more than it has
  HIP_PROPERTIES_ARCH = 1160
};

/// The functions: X(field, symbol, parameters).
#define TILE_RT_HIP_FUNCTIONS(X)                                               \
  X(init, "hipInit", (uint32_t flags))                                         \
  X(getErrorName, "hipDrvGetErrorName", (HipResult result, const char **name)) \
  X(getErrorString, "hipDrvGetErrorString",                                    \
    (HipResult result, const char **text))                                     \
  X(getDeviceCount, "hipGetDeviceCount", (int *count))                         \
  X(getDevice, "hipGetDevice", (int *ordinal))                                 \
  X(setDevice, "hipSetDevice", (int ordinal))                                  \
  X(deviceGetName, "hipDeviceGetName", (char *name, int size, int ordinal))    \
  X(deviceGetAttribute, "hipDeviceGetAttribute",                               \
    (int *value, int attribute, int ordinal))                                  \
  X(getProperties, "hipGetDevicePropertiesR0600",                              \
    (void *properties, int ordinal))                                           \
  X(moduleLoadData, "hipModuleLoadData",                                       \
    (HipModule * module, const void *image))                                   \
  X(moduleUnload, "hipModuleUnload", (HipModule module))                       \
  X(moduleGetFunction, "hipModuleGetFunction",                                 \
    (HipFunction * function, HipModule module, const char *name))              \
  X(funcGetAttribute, "hipFuncGetAttribute",                                   \
    (int *value, int attribute, HipFunction function))                         \
  X(launchKernel, "hipModuleLaunchKernel",                                     \
    (HipFunction function, uint32_t gridX, uint32_t gridY, uint32_t gridZ,     \
     uint32_t blockX, uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,  \
     void *stream, void **parameters, void **extra))                           \
  X(launchCooperative, "hipModuleLaunchCooperativeKernel",                     \
    (HipFunction function, uint32_t gridX, uint32_t gridY, uint32_t gridZ,     \
     uint32_t blockX, uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,  \
     void *stream, void **parameters))                                         \
  X(malloc, "hipMalloc", (void **memory, size_t bytes))                        \
  X(free, "hipFree", (void *memory))                                           \
  X(mallocAsync, "hipMallocAsync",                                             \
    (void **memory, size_t bytes, void *stream))                               \
  X(freeAsync, "hipFreeAsync", (void *memory, void *stream))                   \
  X(memcpyAsync, "hipMemcpyAsync",                                             \
    (void *to, const void *from, size_t bytes, int32_t kind, void *stream))    \
  X(memsetAsync, "hipMemsetAsync",                                             \
    (void *memory, int value, size_t bytes, void *stream))                     \
  X(streamCreate, "hipStreamCreate", (void **stream))                          \
  X(streamDestroy, "hipStreamDestroy", (void *stream))                         \
  X(streamSynchronize, "hipStreamSynchronize", (void *stream))                 \
  X(streamIsCapturing, "hipStreamIsCapturing",                                 \
    (void *stream, int32_t *status))                                           \
  X(eventCreate, "hipEventCreate", (void **event))                             \
  X(eventDestroy, "hipEventDestroy", (void *event))                            \
  X(eventRecord, "hipEventRecord", (void *event, void *stream))                \
  X(eventElapsed, "hipEventElapsedTime",                                       \
    (float *milliseconds, void *from, void *to))

typedef struct HipDriver {
  void *library;
#define TILE_RT_FIELD(field, symbol, parameters) HipResult(*field) parameters;
  TILE_RT_HIP_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
} HipDriver;

/// Fills the table from a shared library and initialises it. The error names
/// every symbol that is missing.
bool tile_rt_hip_load_driver(const char *path, HipDriver *driver,
                             TileRtError *error);

/// tile_rt_hip_open with a given library, which must outlive the device.
bool tile_rt_hip_open_with(const HipDriver *driver, int32_t ordinal,
                           TileRtDevice **device, TileRtError *error);

#endif // TILERUNTIME_LIB_HIPDRIVER_H
