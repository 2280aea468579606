// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CANN's runtime without an NPU. FAKE_ACL_OLD leaves out what came with 8.5.

#include "FakeDriverCalls.h"

#include "ACLDriver.h"

FakeDriverState *fakeDriverState(void) { return &state; }

AclResult aclInit(const char *file) {
  (void)file;
  const char *fail = getenv("FAKE_ACL_INIT");
  return fail ? atoi(fail) : fakeCall("aclInit");
}

const char *aclGetRecentErrMsg(void) {
  return state.failResult == 207001 ? "EL0004: out of memory\n  Solution: less"
                                    : NULL;
}

const char *aclrtGetSocName(void) { return state.chip; }

AclResult aclrtGetDeviceCount(uint32_t *count) {
  *count = (uint32_t)state.devices;
  return fakeCall("aclrtGetDeviceCount");
}

#ifndef FAKE_ACL_OLD
AclResult aclrtGetDeviceInfo(uint32_t ordinal, int32_t attribute,
                             int64_t *value) {
  (void)ordinal;
  *value = attribute == ACL_DEVICE_CORES ? 24 : 192 << 20;
  return fakeCall("aclrtGetDeviceInfo");
}
#endif

/// Contexts are numbers from 1, that of device 0 is 1; 0 is none.
AclResult aclrtSetDevice(int32_t ordinal) {
  AclResult result = fakeCall("aclrtSetDevice");
  if (!result) {
    state.current = ordinal + 1;
    ++state.opened;
  }
  return result;
}

AclResult aclrtResetDevice(int32_t ordinal) {
  (void)ordinal;
  --state.opened;
  return fakeCall("aclrtResetDevice");
}

AclResult aclrtGetCurrentContext(void **context) {
  *context = (void *)(intptr_t)state.current;
  return state.current ? fakeCall("aclrtGetCurrentContext") : 107002;
}

AclResult aclrtSetCurrentContext(void *context) {
  state.current = (int)(intptr_t)context;
  return fakeCall("aclrtSetCurrentContext");
}

AclResult aclrtBinaryLoadFromData(const void *data, size_t size,
                                  const AclLoadOptions *options,
                                  void **binary) {
  (void)data;
  (void)size;
  state.magic = options->count == 1 && options->options[0].type == 2
                    ? options->options[0].value.magic
                    : 0;
  AclResult result = fakeCall("aclrtBinaryLoadFromData");
  state.modules += result == 0;
  *binary = &state;
  return result;
}

AclResult aclrtBinaryUnLoad(void *binary) {
  (void)binary;
  --state.modules;
  return 0;
}

AclResult aclrtBinaryGetFunction(void *binary, const char *name,
                                 void **function) {
  (void)binary;
  strncpy(state.function, name, sizeof(state.function) - 1);
  *function = &state;
  return fakeCall("aclrtBinaryGetFunction");
}

#ifndef FAKE_ACL_OLD
AclResult aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks,
                                        void *stream, void *config,
                                        void *arguments, size_t bytes,
                                        void *places, size_t placeCount) {
  if (function != &state || config || places || placeCount)
    return 1;
  ++state.launches;
  state.grid[0] = blocks;
  state.stream = stream;
  state.argumentBytes = bytes;
  memcpy(state.arguments, arguments,
         bytes < sizeof(state.arguments) ? bytes : sizeof(state.arguments));
  return fakeCall("aclrtLaunchKernelWithHostArgs");
}
#endif

AclResult aclrtMalloc(void **memory, size_t bytes, int32_t policy) {
  (void)policy;
  return fakeMalloc("aclrtMalloc", memory, bytes);
}
AclResult aclrtFree(void *memory) { return fakeFree("aclrtFree", memory); }
AclResult aclrtMemcpyAsync(void *to, size_t room, const void *from,
                           size_t bytes, int32_t kind, void *stream) {
  (void)stream;
  return room < bytes || kind < ACL_TO_DEVICE || kind > ACL_ON_DEVICE
             ? 1
             : fakeCopy("aclrtMemcpyAsync", to, from, bytes);
}
AclResult aclrtMemsetAsync(void *memory, size_t room, int32_t value,
                           size_t bytes, void *stream) {
  (void)stream;
  return room < bytes ? 1 : fakeFill("aclrtMemsetAsync", memory, value, bytes);
}
AclResult aclrtCreateStream(void **stream) {
  return fakeCreate("aclrtCreateStream", &state.streams, stream);
}
AclResult aclrtDestroyStream(void *stream) {
  (void)stream;
  return fakeDestroy("aclrtDestroyStream", &state.streams);
}
AclResult aclrtSynchronizeStream(void *stream) {
  (void)stream;
  ++state.syncs;
  return fakeCall("aclrtSynchronizeStream");
}
AclResult aclrtCreateEvent(void **event) {
  return fakeCreate("aclrtCreateEvent", &state.events, event);
}
AclResult aclrtDestroyEvent(void *event) {
  (void)event;
  return fakeDestroy("aclrtDestroyEvent", &state.events);
}
AclResult aclrtRecordEvent(void *event, void *stream) {
  (void)event;
  (void)stream;
  return fakeCall("aclrtRecordEvent");
}
AclResult aclrtEventElapsedTime(float *milliseconds, void *from, void *to) {
  (void)from;
  (void)to;
  *milliseconds = 2;
  return fakeCall("aclrtEventElapsedTime");
}
