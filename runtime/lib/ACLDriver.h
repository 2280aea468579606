// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CANN's runtime (ACL) that we use, under names of our own. Facts:
// CANN 8.5, "Runtime API(C)".

#ifndef TILERUNTIME_LIB_ACLDRIVER_H
#define TILERUNTIME_LIB_ACLDRIVER_H

#include "TileRuntime/ACL.h"

typedef int32_t AclResult;

enum { // aclError
  ACL_OK = 0,
  ACL_REPEATED_INITIALISE = 100002
};

enum { // aclrtDevAttr
  ACL_DEVICE_CORES = 101,
  ACL_DEVICE_L2_BYTES = 302
};

enum { // aclrtMemMallocPolicy
  ACL_HUGE_PAGES_FIRST = 0
};

enum { // aclrtMemcpyKind
  ACL_TO_DEVICE = 1,
  ACL_FROM_DEVICE = 2,
  ACL_ON_DEVICE = 3
};

enum { // aclrtBinaryLoadOptionType
  ACL_LOAD_MAGIC = 2
};

enum { // which cores an image is for
  ACL_MAGIC_MIX = 0x43554245,
  ACL_MAGIC_VECTOR = 0x41415246,
  ACL_MAGIC_CUBE = 0x41494343
};

typedef struct AclLoadOption { // aclrtBinaryLoadOption
  int32_t type;
  union {
    uint32_t magic;
    uint32_t reserved[4];
  } value;
} AclLoadOption;

typedef struct AclLoadOptions { // aclrtBinaryLoadOptions
  AclLoadOption *options;
  size_t count;
} AclLoadOptions;

/// The functions: X(field, symbol, result, parameters). Those of X_OPTIONAL
/// need not be there.
#define TILE_RT_ACL_FUNCTIONS(X)                                               \
  X(init, "aclInit", AclResult, (const char *file))                            \
  X(getMessage, "aclGetRecentErrMsg", const char *, (void))                    \
  X(getSocName, "aclrtGetSocName", const char *, (void))                       \
  X(getDeviceCount, "aclrtGetDeviceCount", AclResult, (uint32_t * count))      \
  X(setDevice, "aclrtSetDevice", AclResult, (int32_t ordinal))                 \
  X(resetDevice, "aclrtResetDevice", AclResult, (int32_t ordinal))             \
  X(getContext, "aclrtGetCurrentContext", AclResult, (void **context))         \
  X(setContext, "aclrtSetCurrentContext", AclResult, (void *context))          \
  X(binaryLoad, "aclrtBinaryLoadFromData", AclResult,                          \
    (const void *data, size_t size, const AclLoadOptions *options,             \
     void **binary))                                                           \
  X(binaryUnload, "aclrtBinaryUnLoad", AclResult, (void *binary))              \
  X(getFunction, "aclrtBinaryGetFunction", AclResult,                          \
    (void *binary, const char *name, void **function))                         \
  X(launchKernel, "aclrtLaunchKernelWithHostArgs", AclResult,                  \
    (void *function, uint32_t blocks, void *stream, void *config,              \
     void *arguments, size_t bytes, void *places, size_t placeCount))          \
  X(malloc, "aclrtMalloc", AclResult,                                          \
    (void **memory, size_t bytes, int32_t policy))                             \
  X(free, "aclrtFree", AclResult, (void *memory))                              \
  X(memcpyAsync, "aclrtMemcpyAsync", AclResult,                                \
    (void *to, size_t room, const void *from, size_t bytes, int32_t kind,      \
     void *stream))                                                            \
  X(memsetAsync, "aclrtMemsetAsync", AclResult,                                \
    (void *memory, size_t room, int32_t value, size_t bytes, void *stream))    \
  X(streamCreate, "aclrtCreateStream", AclResult, (void **stream))             \
  X(streamDestroy, "aclrtDestroyStream", AclResult, (void *stream))            \
  X(streamSynchronize, "aclrtSynchronizeStream", AclResult, (void *stream))    \
  X(eventCreate, "aclrtCreateEvent", AclResult, (void **event))                \
  X(eventDestroy, "aclrtDestroyEvent", AclResult, (void *event))               \
  X(eventRecord, "aclrtRecordEvent", AclResult, (void *event, void *stream))   \
  X(eventElapsed, "aclrtEventElapsedTime", AclResult,                          \
    (float *milliseconds, void *from, void *to))

#define TILE_RT_ACL_OPTIONAL_FUNCTIONS(X)                                      \
  X(getDeviceInfo, "aclrtGetDeviceInfo", AclResult,                            \
    (uint32_t ordinal, int32_t attribute, int64_t * value))

typedef struct AclDriver {
  void *library;
#define TILE_RT_FIELD(field, symbol, result, parameters)                       \
  result(*field) parameters;
  TILE_RT_ACL_FUNCTIONS(TILE_RT_FIELD)
  TILE_RT_ACL_OPTIONAL_FUNCTIONS(TILE_RT_FIELD)
#undef TILE_RT_FIELD
} AclDriver;

/// Fills the table from a shared library and initialises it. The error names
/// every symbol that is missing.
bool tile_rt_acl_load_driver(const char *path, AclDriver *driver,
                             TileRtError *error);

/// tile_rt_acl_open with a given library, which must outlive the device.
bool tile_rt_acl_open_with(const AclDriver *driver, int32_t ordinal,
                           TileRtDevice **device, TileRtError *error);

#endif // TILERUNTIME_LIB_ACLDRIVER_H
