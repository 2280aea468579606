// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a device that was closed.

#include "Devices.h"

static bool refuse(TileRtError *error) {
  return tile_rt_fail(error, "expected a device, got one that was closed");
}

/// A function with these parameters between the device and the error.
#define REFUSE(name, ...)                                                      \
  static bool name(TileRtDevice *device, __VA_ARGS__, TileRtError *error) {    \
    return refuse(error);                                                      \
  }

#pragma GCC diagnostic ignored "-Wunused-parameter"

static void nothing(TileRtDevice *device) {}
static void unload(TileRtDevice *device, void *code) {}
REFUSE(load, const void *image, size_t size, const TileRtMetadata *metadata,
       void **code)
REFUSE(prepare, void *code, const TileRtLaunch *launch)
REFUSE(launch, void *code, const TileRtLaunch *launch, TileRtStream stream)
REFUSE(encode, const TileRtTensorMap *map, void *out)
REFUSE(alloc, size_t bytes, void **memory)
REFUSE(use, void *object)
REFUSE(copy, void *to, const void *from, size_t bytes, TileRtCopy kind,
       TileRtStream stream)
REFUSE(fill, void *memory, uint8_t byte, size_t bytes, TileRtStream stream)
REFUSE(isCaptured, TileRtStream stream, bool *captured)
REFUSE(allocInStream, size_t bytes, TileRtStream stream, void **memory)
REFUSE(freeInStream, void *memory, TileRtStream stream)
REFUSE(create, void **object)
REFUSE(record, TileRtEvent event, TileRtStream stream)
REFUSE(elapsed, TileRtEvent from, TileRtEvent to, double *seconds)
REFUSE(wait, TileRtEvent event, TileRtStream stream)

const TileRtDeviceOps tile_rt_closed_ops = {
    .target = "none",
    .close = nothing,
    .load = load,
    .unload = unload,
    .prepare = prepare,
    .launch = launch,
    .encode = encode,
    .alloc = alloc,
    .free = use,
    .copy = copy,
    .fill = fill,
    .sync = use,
    .isCaptured = isCaptured,
    .allocInStream = allocInStream,
    .freeInStream = freeInStream,
    .streamCreate = create,
    .streamDestroy = use,
    .eventCreate = create,
    .eventDestroy = use,
    .eventRecord = record,
    .eventElapsed = elapsed,
    .eventWait = wait,
};
