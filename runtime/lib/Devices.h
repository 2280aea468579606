// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices that were opened. A closed one keeps its struct, so that no later
// one has its address: a pointer to it is recognised, and its functions fail.

#ifndef TILERUNTIME_LIB_DEVICES_H
#define TILERUNTIME_LIB_DEVICES_H

#include "TileRuntime/Device.h"

/// Keeps the device open until the release. An error for what is null, no
/// device, or closed.
bool tile_rt_device_acquire(const TileRtDevice *device, TileRtError *error);
void tile_rt_device_release(const TileRtDevice *device);

/// Frees a device that nobody was given.
void tile_rt_device_discard(TileRtDevice *device);

/// What a closed device has: all of them fail.
extern const TileRtDeviceOps tile_rt_closed_ops;

#endif // TILERUNTIME_LIB_DEVICES_H
