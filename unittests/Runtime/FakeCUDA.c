// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver without a GPU: a shared object with the symbols that the runtime
// asks for. Memory is the host's, kernels are recorded and not run. It tells
// what it was called with through fakeCudaState.
//
// FAKE_CUDA_OLD leaves out what came with CUDA 11.8 and 12.0, and
// FAKE_CUDA_ENTRY exports one symbol by cuGetProcAddress_v2 alone.
//
// For programs that do not know of the state, the environment variable
// FAKE_CUDA_DEVICES says how many GPUs there are, and FAKE_CUDA_LAUNCH what
// comes of grids of several blocks: "abort", "hang" or "illegal".

#define _GNU_SOURCE 1
#include "FakeCUDA.h"

#include "CUDADriver.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FakeCudaState state;
static _Thread_local CuContext current;

FakeCudaState *fakeCudaState(void) { return &state; }

/// Counts a call; the result that the test asked for.
static CuResult call(const char *name) {
  ++state.calls;
  return state.failCall && strcmp(state.failCall, name) == 0 ? state.failResult
                                                             : CU_OK;
}

static CuContext primary(void) { return (CuContext)&state; }

/// Calls that need a context.
static CuResult callIn(const char *name) {
  return current == primary() ? call(name) : 201;
}

CuResult cuInit(uint32_t flags) {
  (void)flags;
  const char *fail = getenv("FAKE_CUDA_INIT");
  const char *devices = getenv("FAKE_CUDA_DEVICES");
  if (devices) {
    state.devices = atoi(devices);
    state.major = 9;
    state.maxThreads = 1024;
  }
  return fail ? atoi(fail) : call("cuInit");
}

CuResult cuDriverGetVersion(int *version) {
  *version = 13000;
  return call("cuDriverGetVersion");
}

CuResult cuGetErrorName(CuResult result, const char **name) {
  switch (result) {
  case 1:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return CU_OK;
  case 2:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return CU_OK;
  case 100:
    *name = "CUDA_ERROR_NO_DEVICE";
    return CU_OK;
  case 201:
    *name = "CUDA_ERROR_INVALID_CONTEXT";
    return CU_OK;
  case 218:
    *name = "CUDA_ERROR_INVALID_PTX";
    return CU_OK;
  default:
    return 1;
  }
}

CuResult cuGetErrorString(CuResult result, const char **text) {
  *text = result == 2 ? "out of memory" : "a text";
  return result == 201 ? 1 : CU_OK;
}

CuResult cuDeviceGetCount(int *count) {
  *count = state.devices;
  return call("cuDeviceGetCount");
}

CuResult cuDeviceGet(CuDevice *device, int ordinal) {
  *device = 40 + ordinal;
  return call("cuDeviceGet");
}

CuResult cuDeviceGetAttribute(int *value, int attribute, CuDevice device) {
  (void)device;
  switch (attribute) {
  case CU_DEVICE_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    break;
  case CU_DEVICE_MAX_GRID_X:
    *value = 2147483647;
    break;
  case CU_DEVICE_MAX_GRID_X + 1:
  case CU_DEVICE_MAX_GRID_X + 2:
    *value = 65535;
    break;
  case CU_DEVICE_MULTIPROCESSORS:
    *value = 132;
    break;
  case CU_DEVICE_L2_BYTES:
    *value = 1 << 20;
    break;
  case CU_DEVICE_MAJOR:
    *value = state.major;
    break;
  case CU_DEVICE_MINOR:
    *value = 0;
    break;
  case CU_DEVICE_MAX_SHARED_OPTIN:
    *value = 232448;
    break;
  default: // clusters, cooperative launches
    *value = state.major >= 9;
    break;
  }
  return call("cuDeviceGetAttribute");
}

CuResult cuDeviceGetName(char *name, int size, CuDevice device) {
  (void)device;
  strncpy(name, "Fake GPU", (size_t)size);
  return call("cuDeviceGetName");
}

CuResult cuDevicePrimaryCtxRetain(CuContext *context, CuDevice device) {
  (void)device;
  ++state.retained;
  *context = primary();
  return call("cuDevicePrimaryCtxRetain");
}

CuResult cuDevicePrimaryCtxRelease_v2(CuDevice device) {
  (void)device;
  --state.retained;
  return call("cuDevicePrimaryCtxRelease");
}

CuResult cuCtxGetCurrent(CuContext *context) {
  *context = current;
  return CU_OK;
}

CuResult cuCtxSetCurrent(CuContext context) {
  current = context;
  return CU_OK;
}

static _Thread_local CuContext below;

CuResult cuDeviceCanAccessPeer(int *can, CuDevice device, CuDevice peer) {
  *can = device != peer && !state.apart;
  return call("cuDeviceCanAccessPeer");
}

CuResult cuCtxEnablePeerAccess(CuContext peer, uint32_t flags) {
  (void)peer, (void)flags;
  ++state.peers;
  return call("cuCtxEnablePeerAccess");
}

/// Of memory of this process, too: the other one is a thread.
CuResult cuIpcGetMemHandle(CuIpcHandle *handle, CuPointer memory) {
  memset(handle, 0, sizeof(*handle));
  memcpy(handle->bytes, &memory, sizeof(memory));
  return callIn("cuIpcGetMemHandle");
}

CuResult cuIpcOpenMemHandle_v2(CuPointer *memory, CuIpcHandle handle,
                               uint32_t flags) {
  (void)flags;
  memcpy(memory, handle.bytes, sizeof(*memory));
  return callIn("cuIpcOpenMemHandle");
}

CuResult cuIpcCloseMemHandle(CuPointer memory) {
  (void)memory;
  return callIn("cuIpcCloseMemHandle");
}

CuResult cuStreamQuery(CuStream stream) {
  (void)stream;
  return state.busy ? CU_NOT_READY : callIn("cuStreamQuery");
}

CuResult cuCtxPushCurrent_v2(CuContext context) {
  ++state.pushes;
  below = current;
  current = context;
  return CU_OK;
}

CuResult cuCtxPopCurrent_v2(CuContext *context) {
  --state.pushes;
  *context = current;
  current = below;
  return CU_OK;
}

CuResult cuModuleLoadDataEx(CuModule *module, const void *image, uint32_t count,
                            int32_t *options, void **values) {
  state.jitRegisters = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (options[i] == CU_JIT_REGISTERS)
      state.jitRegisters = (int)(uintptr_t)values[i];
  if (strncmp(image, "broken", 6) == 0) {
    for (uint32_t i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG)
        strcpy(values[i], "line 1: error\n\nline 2: fatal\n");
    return 218;
  }
  // Reads up to the zero that text must end with.
  state.imageLength = memcmp(image, "\177ELF", 4) ? (int)strlen(image) : 0;
  ++state.modules;
  *module = (CuModule)&state;
  return callIn("cuModuleLoadDataEx");
}

CuResult cuModuleLoadData(CuModule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CuResult cuModuleUnload(CuModule module) {
  (void)module;
  --state.modules;
  return callIn("cuModuleUnload");
}

CuResult cuModuleGetFunction(CuFunction *function, CuModule module,
                             const char *name) {
  enum { kFunctions = 64 };
  static char names[kFunctions][sizeof(state.function)];
  static int count;
  (void)module;
  strncpy(state.function, name, sizeof(state.function) - 1);
  char *own = names[count++ % kFunctions];
  memcpy(own, state.function, sizeof(state.function));
  *function = (CuFunction)own;
  return callIn("cuModuleGetFunction");
}

CuResult cuFuncGetAttribute(int *value, int attribute, CuFunction function) {
  (void)function;
  *value = attribute == CU_FUNCTION_MAX_THREADS     ? state.maxThreads
           : attribute == CU_FUNCTION_STATIC_SHARED ? state.staticShared
                                                    : 64;
  return callIn("cuFuncGetAttribute");
}

CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  (void)function;
  ++state.functionAttributes;
  if (attribute == CU_FUNCTION_MAX_DYNAMIC_SHARED)
    state.dynamicShared = value;
  else
    state.nonPortable = value;
  return callIn("cuFuncSetAttribute");
}

#ifndef FAKE_CUDA_OLD
static void misbehave(const CuLaunchConfig *config) {
  const char *how = getenv("FAKE_CUDA_LAUNCH");
  if (!how || config->grid[0] == 1)
    return;
  if (strcmp(how, "abort") == 0)
    abort();
  while (strcmp(how, "hang") == 0)
    pause();
  state.failCall = "cuStreamSynchronize";
  state.failResult = 700;
}

static CuResult launch(const CuLaunchConfig *config, CuFunction function,
                       void **parameters, void **extra) {
  (void)extra;
  misbehave(config);
  ++state.launches;
  memcpy(state.launched, function, sizeof(state.launched));
  memcpy(state.grid, config->grid, sizeof(state.grid));
  memcpy(state.block, config->block, sizeof(state.block));
  state.sharedBytes = config->sharedBytes;
  state.stream = config->stream;
  state.cooperative = state.pdl = false;
  memset(state.cluster, 0, sizeof(state.cluster));
  for (uint32_t i = 0; i < config->attributeCount; ++i) {
    const CuLaunchAttribute *a = &config->attributes[i];
    if (a->id == CU_LAUNCH_CLUSTER)
      memcpy(state.cluster, a->value.extents, sizeof(state.cluster));
    else if (a->id == CU_LAUNCH_COOPERATIVE)
      state.cooperative = a->value.flag == 1;
    else if (a->id == CU_LAUNCH_PROGRAMMATIC_SERIALIZATION)
      state.pdl = a->value.flag == 1;
  }
  for (int i = 0; i < state.parameterCount; ++i)
    memcpy(state.parameters[i], parameters[i], (size_t)state.parameterBytes[i]);
  return callIn("cuLaunchKernelEx");
}

#ifdef FAKE_CUDA_ENTRY
CuResult cuGetProcAddress_v2(const char *name, void **function, int version,
                             uint64_t flags, int *status) {
  (void)flags;
  (void)status;
  *function = NULL;
  if (strcmp(name, "cuLaunchKernelEx") != 0 || version < 11060)
    return 1;
  CuResult (*found)(const CuLaunchConfig *, CuFunction, void **, void **) =
      launch;
  memcpy(function, &found, sizeof(found));
  return CU_OK;
}
#else
CuResult cuLaunchKernelEx(const CuLaunchConfig *config, CuFunction function,
                          void **parameters, void **extra) {
  return launch(config, function, parameters, extra);
}
#endif
#endif // FAKE_CUDA_OLD

/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, of what no graph can have.
static CuResult callUncaptured(const char *name) {
  return state.captured ? 900 : callIn(name);
}

CuResult cuMemAlloc_v2(CuPointer *memory, size_t bytes) {
  CuResult result = callUncaptured("cuMemAlloc");
  if (result != CU_OK)
    return result;
  ++state.allocations;
  *memory = (CuPointer)(uintptr_t)aligned_alloc(256, (bytes / 256 + 1) * 256);
  return bytes ? CU_OK : 1;
}

CuResult cuMemFree_v2(CuPointer memory) {
  --state.allocations;
  free((void *)(uintptr_t)memory);
  return callUncaptured("cuMemFree");
}

CuResult cuMemAllocAsync(CuPointer *memory, size_t bytes, CuStream stream) {
  static _Alignas(256) char graph[1 << 20];
  (void)stream;
  ++state.graphAllocations;
  *memory = (CuPointer)(uintptr_t)graph;
  return bytes > sizeof(graph) ? 2 : callIn("cuMemAllocAsync");
}

CuResult cuMemFreeAsync(CuPointer memory, CuStream stream) {
  (void)memory, (void)stream;
  ++state.graphFrees;
  return callIn("cuMemFreeAsync");
}

CuResult cuStreamIsCapturing(CuStream stream, int32_t *status) {
  (void)stream;
  *status = state.captured;
  return callIn("cuStreamIsCapturing");
}

CuResult cuMemcpyHtoDAsync_v2(CuPointer to, const void *from, size_t bytes,
                              CuStream stream) {
  (void)stream;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return callIn("cuMemcpyHtoDAsync");
}

CuResult cuMemcpyDtoHAsync_v2(void *to, CuPointer from, size_t bytes,
                              CuStream stream) {
  (void)stream;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return callIn("cuMemcpyDtoHAsync");
}

CuResult cuMemcpyDtoDAsync_v2(CuPointer to, CuPointer from, size_t bytes,
                              CuStream stream) {
  (void)stream;
  memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return callIn("cuMemcpyDtoDAsync");
}

CuResult cuMemsetD8Async(CuPointer memory, unsigned char byte, size_t bytes,
                         CuStream stream) {
  (void)stream;
  ++state.fills;
  memset((void *)(uintptr_t)memory, byte, bytes);
  return callIn("cuMemsetD8Async");
}

CuResult cuStreamCreate(CuStream *stream, uint32_t flags) {
  (void)flags;
  ++state.streams;
  *stream = malloc(1);
  return callIn("cuStreamCreate");
}

CuResult cuStreamDestroy_v2(CuStream stream) {
  --state.streams;
  free(stream);
  return callIn("cuStreamDestroy");
}

CuResult cuStreamSynchronize(CuStream stream) {
  (void)stream;
  ++state.syncs;
  return callUncaptured("cuStreamSynchronize");
}

CuResult cuEventCreate(CuEvent *event, uint32_t flags) {
  (void)flags;
  ++state.events;
  *event = calloc(1, sizeof(int));
  return callIn("cuEventCreate");
}

CuResult cuEventDestroy_v2(CuEvent event) {
  --state.events;
  free(event);
  return callIn("cuEventDestroy");
}

/// An event remembers how many launches there were.
CuResult cuStreamWaitEvent(CuStream stream, CuEvent event, uint32_t flags) {
  (void)stream;
  (void)event;
  (void)flags;
  return callIn("cuStreamWaitEvent");
}

CuResult cuEventRecord(CuEvent event, CuStream stream) {
  (void)stream;
  *(int *)event = state.launches;
  return callIn("cuEventRecord");
}

CuResult cuEventElapsedTime(float *milliseconds, CuEvent from, CuEvent to) {
  *milliseconds = (float)(*(int *)to - *(int *)from);
  return callIn("cuEventElapsedTime");
}

#ifndef FAKE_CUDA_OLD
static CuResult encodeMap(void *map, int32_t type, uint32_t rank, void *address,
                          const uint64_t *sizes, const uint64_t *strides,
                          const uint32_t *elementStrides, int32_t interleave,
                          int32_t swizzle, int32_t l2Promotion, int32_t fill) {
  FakeCudaMap *m = &state.map;
  if ((uintptr_t)map % 64)
    return 1;
  *m = (FakeCudaMap){.type = type,
                     .rank = (int)rank,
                     .address = address,
                     .interleave = interleave,
                     .swizzle = swizzle,
                     .l2Promotion = l2Promotion,
                     .fill = fill};
  memcpy(m->sizes, sizes, rank * sizeof(*sizes));
  memcpy(m->strides, strides, (rank - 1) * sizeof(*strides));
  memcpy(m->elementStrides, elementStrides, rank * sizeof(*elementStrides));
  // Bytes that tell one map from the next.
  memset(map, ++state.encodes, 128);
  return callIn("cuTensorMapEncode");
}

CuResult cuTensorMapEncodeTiled(void *map, int32_t type, uint32_t rank,
                                void *address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *elementStrides,
                                int32_t interleave, int32_t swizzle,
                                int32_t l2Promotion, int32_t fill) {
  CuResult result =
      encodeMap(map, type, rank, address, sizes, strides, elementStrides,
                interleave, swizzle, l2Promotion, fill);
  memcpy(state.map.box, box, rank * sizeof(*box));
  return result;
}

CuResult cuTensorMapEncodeIm2col(void *map, int32_t type, uint32_t rank,
                                 void *address, const uint64_t *sizes,
                                 const uint64_t *strides, const int32_t *lower,
                                 const int32_t *upper, uint32_t channels,
                                 uint32_t pixels,
                                 const uint32_t *elementStrides,
                                 int32_t interleave, int32_t swizzle,
                                 int32_t l2Promotion, int32_t fill) {
  CuResult result =
      encodeMap(map, type, rank, address, sizes, strides, elementStrides,
                interleave, swizzle, l2Promotion, fill);
  memcpy(state.map.lower, lower, (rank - 2) * sizeof(*lower));
  memcpy(state.map.upper, upper, (rank - 2) * sizeof(*upper));
  state.map.channels = channels;
  state.map.pixels = pixels;
  return result;
}
#endif
