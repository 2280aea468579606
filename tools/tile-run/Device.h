// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases on a GPU: run at once, or written to a folder for tile-replay.

#ifndef TILE_RUN_DEVICE_H
#define TILE_RUN_DEVICE_H

#include "Run.h"

/// Whether a target is a device that the runtime opens, and not this process.
bool tile_run_is_device(const char *target);

/// The back end that compiles for the device that the options name.
const char *tile_run_backend(const TileRunOptions *options);

/// Finds the chip to compile for and, unless cases are saved, opens the device.
bool tile_run_device_open(TileRunDevice *device, const TileRunOptions *options,
                          TileRtError *error);
void tile_run_device_close(TileRunDevice *device);

/// Runs the case's image on tensors of the host.
bool tile_run_on_device(const TileRunDevice *device, const TileRunCase *c,
                        const TileRunOptions *options, TileRtTensor *tensors,
                        TileRunOutcome *outcome);

/// Writes the case to the folder of --save. `expected`, if not null, are the
/// tensors as the reference has left them, of which results are compared.
bool tile_run_save(const TileRunCase *c, const TileRunOptions *options,
                   const TileRtTensor *expected, TileRtError *error);

#endif // TILE_RUN_DEVICE_H
