// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver's binary interface that the runtime uses, under
// names of our own. Facts: CUDA Driver API Reference Manual (release 13.0),
// "Data types used by CUDA driver" for enumerators and structs, and the modules
// that the groups below name for functions. Where the manual's function is a
// macro for a versioned symbol, the symbol is meant.

#ifndef TILERUNTIME_LIB_CUDADRIVER_H
#define TILERUNTIME_LIB_CUDADRIVER_H

#include "TileRuntime/Device.h"

typedef int32_t CuResult;
typedef int32_t CuDevice;
typedef uint64_t CuPointer;
typedef struct CuContextSt *CuContext;
typedef struct CuModuleSt *CuModule;
typedef struct CuFunctionSt *CuFunction;
typedef struct CuStreamSt *CuStream;
typedef struct CuEventSt *CuEvent;
typedef struct CuIpcHandle { // CUipcMemHandle
  unsigned char bytes[64];
} CuIpcHandle;

enum { // CUresult
  CU_OK = 0,
  CU_NO_DEVICE = 100,
  CU_NOT_READY = 600,
  CU_PEER_ACCESS_ALREADY_ENABLED = 704
};

enum { // CUdevice_attribute
  CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_MAX_GRID_X = 5, // y and z follow
  CU_DEVICE_MULTIPROCESSORS = 16,
  CU_DEVICE_L2_BYTES = 38,
  CU_DEVICE_MAJOR = 75,
  CU_DEVICE_MINOR = 76,
  CU_DEVICE_COOPERATIVE = 95,
  CU_DEVICE_MAX_SHARED_OPTIN = 97,
  CU_DEVICE_CLUSTERS = 120
};

enum { // CUfunction_attribute
  CU_FUNCTION_MAX_THREADS = 0,
  CU_FUNCTION_STATIC_SHARED = 1,
  CU_FUNCTION_REGISTERS = 4,
  CU_FUNCTION_MAX_DYNAMIC_SHARED = 8,
  CU_FUNCTION_NON_PORTABLE_CLUSTER = 14
};

enum { // CUjit_option
  CU_JIT_REGISTERS = 0,
  CU_JIT_INFO_LOG = 3,
  CU_JIT_INFO_LOG_BYTES = 4,
  CU_JIT_ERROR_LOG = 5,
  CU_JIT_ERROR_LOG_BYTES = 6
};

enum { // CUlaunchAttributeID
  CU_LAUNCH_COOPERATIVE = 2,
  CU_LAUNCH_CLUSTER = 4,
  CU_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6
};

typedef struct CuLaunchAttribute {
  int32_t id;
  int32_t pad;
  union {
    char bytes[64];
    int32_t flag;
    uint32_t extents[3];
  } value;
} CuLaunchAttribute;

typedef struct CuLaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t sharedBytes;
  CuStream stream;
  CuLaunchAttribute *attributes;
  uint32_t attributeCount;
} CuLaunchConfig;

/// The functions: X(field, symbol, name for cuGetProcAddress, first version of
/// CUDA that has this symbol, parameters). All are needed to open a device but
/// those of X_OPTIONAL.
#define TILE_RT_CUDA_FUNCTIONS(X)                                              \
  /* Initialization, Version Management, Error Handling */                     \
  X(init, "cuInit", "cuInit", 2000, (uint32_t flags))                          \
  X(driverGetVersion, "cuDriverGetVersion", "cuDriverGetVersion", 2020,        \
    (int *version))                                                            \
  X(getErrorName, "cuGetErrorName", "cuGetErrorName", 6000,                    \
    (CuResult result, const char **name))                                      \
  X(getErrorString, "cuGetErrorString", "cuGetErrorString", 6000,              \
    (CuResult result, const char **text))                                      \
  /* Device Management, Primary Context Management */                          \
  X(deviceGetCount, "cuDeviceGetCount", "cuDeviceGetCount", 2000,              \
    (int *count))                                                              \
  X(deviceGet, "cuDeviceGet", "cuDeviceGet", 2000,                             \
    (CuDevice * device, int ordinal))                                          \
  X(deviceGetAttribute, "cuDeviceGetAttribute", "cuDeviceGetAttribute", 2000,  \
    (int *value, int attribute, CuDevice device))                              \
  X(deviceGetName, "cuDeviceGetName", "cuDeviceGetName", 2000,                 \
    (char *name, int size, CuDevice device))                                   \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain",  \
    7000, (CuContext * context, CuDevice device))                              \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2",                         \
    "cuDevicePrimaryCtxRelease", 11000, (CuDevice device))                     \
  /* Context Management */                                                     \
  X(ctxGetCurrent, "cuCtxGetCurrent", "cuCtxGetCurrent", 4000,                 \
    (CuContext * context))                                                     \
  X(ctxSetCurrent, "cuCtxSetCurrent", "cuCtxSetCurrent", 4000,                 \
    (CuContext context))                                                       \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", "cuCtxPushCurrent", 4000,           \
    (CuContext context))                                                       \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", "cuCtxPopCurrent", 4000,              \
    (CuContext * context))                                                     \
  /* Module Management */                                                      \
  X(moduleLoadDataEx, "cuModuleLoadDataEx", "cuModuleLoadDataEx", 2010,        \
    (CuModule * module, const void *image, uint32_t count, int32_t *options,   \
     void **values))                                                           \
  X(moduleUnload, "cuModuleUnload", "cuModuleUnload", 2000, (CuModule module)) \
  X(moduleGetFunction, "cuModuleGetFunction", "cuModuleGetFunction", 2000,     \
    (CuFunction * function, CuModule module, const char *name))                \
  /* Execution Control */                                                      \
  X(funcGetAttribute, "cuFuncGetAttribute", "cuFuncGetAttribute", 2020,        \
    (int *value, int attribute, CuFunction function))                          \
  X(funcSetAttribute, "cuFuncSetAttribute", "cuFuncSetAttribute", 9000,        \
    (CuFunction function, int attribute, int value))                           \
  X(launchKernelEx, "cuLaunchKernelEx", "cuLaunchKernelEx", 11060,             \
    (const CuLaunchConfig *config, CuFunction function, void **parameters,     \
     void **extra))                                                            \
  /* Memory Management */                                                      \
  X(memAlloc, "cuMemAlloc_v2", "cuMemAlloc", 3020,                             \
    (CuPointer * memory, size_t bytes))                                        \
  X(memFree, "cuMemFree_v2", "cuMemFree", 3020, (CuPointer memory))            \
  X(memcpyToDevice, "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync", 3020,         \
    (CuPointer to, const void *from, size_t bytes, CuStream stream))           \
  X(memcpyFromDevice, "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync", 3020,       \
    (void *to, CuPointer from, size_t bytes, CuStream stream))                 \
  X(memcpyOnDevice, "cuMemcpyDtoDAsync_v2", "cuMemcpyDtoDAsync", 3020,         \
    (CuPointer to, CuPointer from, size_t bytes, CuStream stream))             \
  X(memset, "cuMemsetD8Async", "cuMemsetD8Async", 3020,                        \
    (CuPointer memory, unsigned char byte, size_t bytes, CuStream stream))     \
  /* Stream Ordered Memory Allocator */                                        \
  X(memAllocAsync, "cuMemAllocAsync", "cuMemAllocAsync", 11020,                \
    (CuPointer * memory, size_t bytes, CuStream stream))                       \
  X(memFreeAsync, "cuMemFreeAsync", "cuMemFreeAsync", 11020,                   \
    (CuPointer memory, CuStream stream))                                       \
  /* Stream Management, Event Management */                                    \
  X(streamCreate, "cuStreamCreate", "cuStreamCreate", 2000,                    \
    (CuStream * stream, uint32_t flags))                                       \
  X(streamDestroy, "cuStreamDestroy_v2", "cuStreamDestroy", 4000,              \
    (CuStream stream))                                                         \
  X(streamSynchronize, "cuStreamSynchronize", "cuStreamSynchronize", 2000,     \
    (CuStream stream))                                                         \
  X(streamIsCapturing, "cuStreamIsCapturing", "cuStreamIsCapturing", 10000,    \
    (CuStream stream, int32_t *status))                                        \
  X(eventCreate, "cuEventCreate", "cuEventCreate", 2000,                       \
    (CuEvent * event, uint32_t flags))                                         \
  X(eventDestroy, "cuEventDestroy_v2", "cuEventDestroy", 4000,                 \
    (CuEvent event))                                                           \
  X(eventRecord, "cuEventRecord", "cuEventRecord", 2000,                       \
    (CuEvent event, CuStream stream))                                          \
  X(streamWaitEvent, "cuStreamWaitEvent", "cuStreamWaitEvent", 3020,           \
    (CuStream stream, CuEvent event, uint32_t flags))                          \
  X(eventElapsed, "cuEventElapsedTime", "cuEventElapsedTime", 2000,            \
    (float *milliseconds, CuEvent from, CuEvent to))

/// Memory Management: handles of other processes. Peer Context Memory Access.
/// Tensor Map Object Management: sizes and strides are of 64 bits, the rest of
/// the arrays of 32.
#define TILE_RT_CUDA_OPTIONAL_FUNCTIONS(X)                                     \
  X(ipcGetMemHandle, "cuIpcGetMemHandle", "cuIpcGetMemHandle", 4010,           \
    (CuIpcHandle * handle, CuPointer memory))                                  \
  X(ipcOpenMemHandle, "cuIpcOpenMemHandle_v2", "cuIpcOpenMemHandle", 11000,    \
    (CuPointer * memory, CuIpcHandle handle, uint32_t flags))                  \
  X(ipcCloseMemHandle, "cuIpcCloseMemHandle", "cuIpcCloseMemHandle", 4010,     \
    (CuPointer memory))                                                        \
  X(streamQuery, "cuStreamQuery", "cuStreamQuery", 2000, (CuStream stream))    \
  X(deviceCanAccessPeer, "cuDeviceCanAccessPeer", "cuDeviceCanAccessPeer",     \
    4000, (int *can, CuDevice device, CuDevice peer))                          \
  X(ctxEnablePeerAccess, "cuCtxEnablePeerAccess", "cuCtxEnablePeerAccess",     \
    4000, (CuContext peer, uint32_t flags))                                    \
  X(tensorMapTiled, "cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", 12000, \
    (void *map, int32_t type, uint32_t rank, void *address,                    \
     const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,      \
     const uint32_t *elementStrides, int32_t interleave, int32_t swizzle,      \
     int32_t l2Promotion, int32_t fill))                                       \
  X(tensorMapIm2col, "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2col",     \
    12000,                                                                     \
    (void *map, int32_t type, uint32_t rank, void *address,                    \
     const uint64_t *sizes, const uint64_t *strides, const int32_t *lower,     \
     const int32_t *upper, uint32_t channels, uint32_t pixels,                 \
     const uint32_t *elementStrides, int32_t interleave, int32_t swizzle,      \
     int32_t l2Promotion, int32_t fill))

typedef struct CuDriver {
  void *library;
  int version; ///< of CUDA, 1000 * major + 10 * minor
#define TILE_RT_FIELD(field, symbol, name, first, parameters)                  \
  CuResult(*field) parameters;
  TILE_RT_CUDA_FUNCTIONS(TILE_RT_FIELD)
  TILE_RT_CUDA_OPTIONAL_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
} CuDriver;

/// Fills the table from a shared library and initialises the driver. The error
/// names every symbol that is missing.
bool tile_rt_cuda_load_driver(const char *path, CuDriver *driver,
                              TileRtError *error);

/// The driver of the process, loaded once; a failure is tried again by the next
/// call. Null on failure.
const CuDriver *tile_rt_cuda_driver(TileRtError *error);

/// Fails with "what: CUDA_ERROR_... (text)" unless the result is success.
bool tile_rt_cuda_check(const CuDriver *driver, CuResult result,
                        const char *what, TileRtError *error);

/// tile_rt_cuda_open with a given driver, which must outlive the device.
bool tile_rt_cuda_open_with(const CuDriver *driver, int32_t ordinal,
                            TileRtDevice **device, TileRtError *error);

#endif // TILERUNTIME_LIB_CUDADRIVER_H
