//===-- Tile-c/Devices.h - devices to compile for ----------*- C -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_C_DEVICES_H
#define TILE_C_DEVICES_H

#include "Tile-c/Support.h"
#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The chip to compile for so that a device of the runtime runs the code with
/// all its instructions: "sm_90a" for "sm_90". `target` and `chip` are what the
/// device's metadata and `TileRtDevice::chip` say. Null where nothing is known
/// of the chip. Lives as long as the process. Available since: 0.1
TILE_C_EXPORTED const char *
tileCompilerFindChip(const char *target, const char *chip, TileRtError *error);

/// Opens the model of a GPU of "cuda" or "hip", which runs what the targets
/// "cuda-model" and "hip-model" make; a null chip is the target's first. Its
/// memory is the host's; streams are null, and work is done when a call
/// returns. Close it with tile_rt_device_close. Available since: 0.1
TILE_C_EXPORTED bool tileModelDeviceOpen(const char *target, const char *chip,
                                         TileRtDevice **device,
                                         TileRtError *error);

#ifdef __cplusplus
}
#endif

#endif // TILE_C_DEVICES_H
