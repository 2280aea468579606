//===- AscendDevice.cpp - host code for a device --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;

StringRef mlir::tile::ascend::getAscendDeviceText() {
  return R"(/* Launches kernels on an Ascend NPU. Nothing is linked: libascendcl.so (or
 * TILE_ASCENDCL) and kernels.so (or TILE_ASCEND_KERNELS), which the script of
 * --mlir-to-ascend-build makes, are loaded by the first call that needs them.
 *
 * tile_host_NAME takes a pointer to each argument; for a memref a pointer to a
 * pointer to its descriptor, whose data is on the device of the caller's context.
 * The kernels run on the stream. Returns 0; or not, and writes why to `error`,
 * which has `room` bytes.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
} TileAscendMemRef;

typedef struct {
  void *stream;
  char *error;
  size_t room;
  void **workspaces;
  int count, failed;
} TileHost;

typedef uint64_t TileAscendArg;
typedef void (*TileAscendLaunch)(uint32_t, void *, const TileAscendArg *);

static inline TileAscendArg tileAscendScalar(int64_t value) {
  return (uint64_t)value;
}
static inline TileAscendArg tileAscendBuffer(void *data, int64_t bytes) {
  (void)bytes;
  return (uint64_t)(uintptr_t)data;
}
static inline TileAscendArg tileAscendFloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static inline void tileFail(TileHost *host, const char *what, const char *why) {
  if (!host->failed && host->room)
    snprintf(host->error, host->room, "%s: %s", what, why ? why : "unknown");
  host->failed = 1;
}

/* A function of a library, into `*function`. */
static inline int tileFind(TileHost *host, const char *variable,
                           const char *otherwise, const char *name,
                           void *function) {
  const char *chosen = getenv(variable);
  const char *path = chosen && *chosen ? chosen : otherwise;
  void *library, *found;
  if (host->failed)
    return 0;
  /* Stays loaded: what is on the stream runs later. */
  library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  found = library ? dlsym(library, name) : NULL;
  if (!found)
    tileFail(host, path, dlerror());
  memcpy(function, &found, sizeof(found));
  return found != NULL;
}

static inline int tileFindAcl(TileHost *host, const char *name,
                              void *function) {
  return tileFind(host, "TILE_ASCENDCL", "libascendcl.so", name, function);
}

static inline void tileCheck(TileHost *host, const char *what, int result) {
  const char *(*message)(void);
  char code[32];
  if (result == 0)
    return;
  snprintf(code, sizeof(code), "ACL error %d", result);
  if (tileFindAcl(host, "aclGetRecentErrMsg", &message) && message())
    tileFail(host, what, message());
  tileFail(host, what, code);
}

static inline void *tileWorkspace(TileHost *host, int64_t bytes) {
  int (*allocate)(void **, size_t, int);
  void *data = NULL;
  /* ACL_MEM_MALLOC_HUGE_FIRST; no buffer is empty. */
  if (tileFindAcl(host, "aclrtMalloc", &allocate))
    tileCheck(host, "aclrtMalloc",
              allocate(&data, (size_t)(bytes > 0 ? bytes : 1), 0));
  if (!host->failed)
    host->workspaces[host->count++] = data;
  return data;
}

static inline void tileLaunch(TileHost *host, const char *name, int64_t blocks,
                              const TileAscendArg *args) {
  TileAscendLaunch launch;
  if (blocks <= 0)
    return;
  if (blocks > UINT16_MAX)
    tileFail(host, name,
             "a kernel has more than 65535 blocks; let each block of a smaller "
             "grid do several, with tile.persistent");
  if (tileFind(host, "TILE_ASCEND_KERNELS", "./kernels.so", name, &launch))
    launch((uint32_t)blocks, host->stream, args);
}

/* Workspaces are there until the kernels have run. */
static inline int tileEnd(TileHost *host) {
  int (*synchronize)(void *), (*release)(void *);
  int failed = host->failed;
  host->failed = 0;
  if (host->count && tileFindAcl(host, "aclrtSynchronizeStream", &synchronize) &&
      tileFindAcl(host, "aclrtFree", &release)) {
    int result = synchronize(host->stream);
    while (host->count)
      release(host->workspaces[--host->count]);
    if (!failed)
      tileCheck(host, "aclrtSynchronizeStream", result);
  }
  return failed || host->failed;
}
)";
}

FailureOr<const target::Target *>
mlir::tile::ascend::getChipOfKernels(ModuleOp module) {
  const target::Target *chip = nullptr;
  auto result = module.walk([&](tl::KernelOp kernel) {
    const target::Target *other = getChip(kernel);
    if (other && (!chip || chip == other)) {
      chip = other;
      return WalkResult::advance();
    }
    if (!other)
      kernel.emitError("expected 'tile.target' to be an Ascend chip");
    else
      kernel.emitError() << "expected kernels of one chip, got " << chip->name
                         << " and " << other->name;
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  if (!chip)
    return module.emitError("expected a kernel to build");
  return chip;
}

LogicalResult mlir::tile::ascend::writeAscendBuild(ModuleOp module,
                                                   raw_ostream &os) {
  auto found = getChipOfKernels(module);
  if (failed(found))
    return failure();
  const target::Target *chip = *found;
  bool selects = false;
  module.walk([&](SelectOp) { selects = true; });
  os << R"(#!/bin/sh
# Builds what --mlir-to-ascendc wrote as a library for what --mlir-to-ascend-host
# wrote, with the compiler of CANN.
#
# usage: build.sh [KERNELS.cpp [KERNELS.so]]
set -eu
: "${ASCEND_HOME_PATH:?expected the folder of CANN; source its set_env.sh first}"
exec bisheng --npu-arch=)"
     << chip->arch << " -x asc -std=c++17 -O2 -fPIC -shared";
  // Without selections, kernels use the end of UB as well.
  if (!selects && chip->getAscend()->selectReserveBytes)
    os << " --cce-disable-asc-reserved-ubuf";
  // Without it, tiles would go from UB to L1 through GM, by a library.
  bool toL1 = false;
  module.walk([&](CopyUbToL1Op) { toL1 = true; });
  if (toL1)
    os << " -DENABLE_CV_COMM_VIA_SSBUF=true";
  os << R"( \
  -DTILE_ASCEND_LAUNCH -o "${2:-kernels.so}" "${1:-kernels.cpp}"
)";
  return success();
}

StringRef mlir::tile::ascend::getAscendElementText() {
  return R"(
/* From the device to the host (2) or back (1), behind the kernels before. */
static inline void tileCopy(TileHost *host, void *to, const void *from,
                            size_t bytes, int kind) {
  int (*synchronize)(void *), (*copy)(void *, size_t, const void *, size_t, int);
  if (!tileFindAcl(host, "aclrtSynchronizeStream", &synchronize) ||
      !tileFindAcl(host, "aclrtMemcpy", &copy))
    return;
  tileCheck(host, "aclrtSynchronizeStream", synchronize(host->stream));
  if (!host->failed)
    tileCheck(host, "aclrtMemcpy", copy(to, bytes, from, bytes, kind));
}
)";
}
