// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP library without a GPU. FAKE_HIP_OLD leaves out what came with HIP 6.0.

#include "FakeDriverCalls.h"

#include "HIPDriver.h"

#include <stdio.h>

FakeDriverState *fakeDriverState(void) { return &state; }

HipResult hipInit(uint32_t flags) {
  (void)flags;
  const char *fail = getenv("FAKE_HIP_INIT");
  return fail ? atoi(fail) : fakeCall("hipInit");
}

HipResult hipDrvGetErrorName(HipResult result, const char **name) {
  *name = result == 2     ? "hipErrorOutOfMemory"
          : result == 100 ? "hipErrorNoDevice"
                          : NULL;
  return *name ? 0 : 1;
}

HipResult hipDrvGetErrorString(HipResult result, const char **text) {
  *text = result == 2 ? "out of memory" : NULL;
  return *text ? 0 : 1;
}

HipResult hipGetDeviceCount(int *count) {
  *count = state.devices;
  return fakeCall("hipGetDeviceCount");
}

HipResult hipGetDevice(int *ordinal) {
  *ordinal = state.current;
  return 0;
}

HipResult hipSetDevice(int ordinal) {
  state.current = ordinal;
  return fakeCall("hipSetDevice");
}

HipResult hipDeviceGetName(char *name, int size, int ordinal) {
  snprintf(name, (size_t)size, "Fake GPU %d", ordinal);
  return fakeCall("hipDeviceGetName");
}

HipResult hipDeviceGetAttribute(int *value, int attribute, int ordinal) {
  (void)ordinal;
  switch (attribute) {
  case HIP_DEVICE_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    break;
  case HIP_DEVICE_MAX_SHARED:
    *value = 65536;
    break;
  case HIP_DEVICE_MULTIPROCESSORS:
    *value = 304;
    break;
  case HIP_DEVICE_L2_BYTES:
    *value = 4 << 20;
    break;
  case HIP_DEVICE_COOPERATIVE:
    *value = 1;
    break;
  default:
    *value = 65536;
    break;
  }
  return fakeCall("hipDeviceGetAttribute");
}

#ifndef FAKE_HIP_OLD
HipResult hipGetDevicePropertiesR0600(void *properties, int ordinal) {
  (void)ordinal;
  memset(properties, 1, 1472);
  strcpy((char *)properties + HIP_PROPERTIES_ARCH, state.chip);
  return fakeCall("hipGetDevicePropertiesR0600");
}
#endif

HipResult hipModuleLoadData(HipModule *module, const void *image) {
  (void)image;
  ++state.modules;
  *module = (HipModule)&state;
  HipResult result = fakeCall("hipModuleLoadData");
  state.modules -= result != 0;
  return result;
}

HipResult hipModuleUnload(HipModule module) {
  (void)module;
  --state.modules;
  return 0;
}

HipResult hipModuleGetFunction(HipFunction *function, HipModule module,
                               const char *name) {
  (void)module;
  strncpy(state.function, name, sizeof(state.function) - 1);
  *function = (HipFunction)&state;
  return fakeCall("hipModuleGetFunction");
}

HipResult hipFuncGetAttribute(int *value, int attribute, HipFunction function) {
  (void)function;
  *value = attribute == HIP_FUNCTION_MAX_THREADS     ? state.maxThreads
           : attribute == HIP_FUNCTION_STATIC_SHARED ? state.staticShared
                                                     : 64;
  return fakeCall("hipFuncGetAttribute");
}

static void record(const uint32_t grid[3], const uint32_t block[3],
                   uint32_t sharedBytes, void *stream, void **parameters) {
  ++state.launches;
  memcpy(state.grid, grid, sizeof(state.grid));
  memcpy(state.block, block, sizeof(state.block));
  state.sharedBytes = sharedBytes;
  state.stream = stream;
  for (int i = 0; i < 8 && state.parameterBytes[i]; ++i)
    memcpy(state.parameters[i], parameters[i], (size_t)state.parameterBytes[i]);
}

HipResult hipModuleLaunchKernel(HipFunction function, uint32_t gridX,
                                uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                                uint32_t blockY, uint32_t blockZ,
                                uint32_t sharedBytes, void *stream,
                                void **parameters, void **extra) {
  (void)function;
  (void)extra;
  state.cooperative = false;
  record((uint32_t[]){gridX, gridY, gridZ},
         (uint32_t[]){blockX, blockY, blockZ}, sharedBytes, stream, parameters);
  return fakeCall("hipModuleLaunchKernel");
}

HipResult hipModuleLaunchCooperativeKernel(HipFunction function, uint32_t gridX,
                                           uint32_t gridY, uint32_t gridZ,
                                           uint32_t blockX, uint32_t blockY,
                                           uint32_t blockZ,
                                           uint32_t sharedBytes, void *stream,
                                           void **parameters) {
  (void)function;
  state.cooperative = true;
  record((uint32_t[]){gridX, gridY, gridZ},
         (uint32_t[]){blockX, blockY, blockZ}, sharedBytes, stream, parameters);
  return fakeCall("hipModuleLaunchCooperativeKernel");
}

HipResult hipMalloc(void **memory, size_t bytes) {
  return fakeMalloc("hipMalloc", memory, bytes);
}
HipResult hipFree(void *memory) { return fakeFree("hipFree", memory); }
HipResult hipMallocAsync(void **memory, size_t bytes, void *stream) {
  static _Alignas(256) char graph[4096];
  (void)stream;
  ++state.graphAllocations;
  *memory = graph;
  return bytes > sizeof(graph) ? 2 : fakeCall("hipMallocAsync");
}
HipResult hipFreeAsync(void *memory, void *stream) {
  (void)memory, (void)stream;
  ++state.graphFrees;
  return fakeCall("hipFreeAsync");
}
HipResult hipStreamIsCapturing(void *stream, int32_t *status) {
  (void)stream;
  *status = state.captured;
  return fakeCall("hipStreamIsCapturing");
}
HipResult hipMemcpyAsync(void *to, const void *from, size_t bytes, int32_t kind,
                         void *stream) {
  (void)stream;
  return kind < HIP_TO_DEVICE || kind > HIP_ON_DEVICE
             ? 1
             : fakeCopy("hipMemcpyAsync", to, from, bytes);
}
HipResult hipMemsetAsync(void *memory, int value, size_t bytes, void *stream) {
  (void)stream;
  return fakeFill("hipMemsetAsync", memory, value, bytes);
}
HipResult hipStreamCreate(void **stream) {
  return fakeCreate("hipStreamCreate", &state.streams, stream);
}
HipResult hipStreamDestroy(void *stream) {
  (void)stream;
  return fakeDestroy("hipStreamDestroy", &state.streams);
}
HipResult hipStreamSynchronize(void *stream) {
  (void)stream;
  ++state.syncs;
  return fakeCall("hipStreamSynchronize");
}
HipResult hipEventCreate(void **event) {
  return fakeCreate("hipEventCreate", &state.events, event);
}
HipResult hipEventDestroy(void *event) {
  (void)event;
  return fakeDestroy("hipEventDestroy", &state.events);
}
HipResult hipEventRecord(void *event, void *stream) {
  (void)event;
  (void)stream;
  return fakeCall("hipEventRecord");
}
HipResult hipEventElapsedTime(float *milliseconds, void *from, void *to) {
  (void)from;
  (void)to;
  *milliseconds = 2;
  return fakeCall("hipEventElapsedTime");
}
