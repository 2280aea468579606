//===- stage.h - arrays of the host for devices of their own memory -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_PYTHON_STAGE_H
#define TILE_PYTHON_STAGE_H

#include "TileRuntime/Device.h"

/// An array of a call.
typedef struct StagedTensor {
  TileRtDLTensor *dl;
  bool written;
  size_t range; ///< set by stageTensors
} StagedTensor;

/// Bytes of the host with their copy on the device.
typedef struct StagedRange {
  uintptr_t begin, end;
  char *copy;
  void *memory; ///< of the device
} StagedRange;

/// Copies arrays to a device and lets them point there; arrays that overlap
/// stay so. There is a range for each array at most.
bool stageTensors(TileRtDevice *device, StagedTensor *tensors, size_t count,
                  StagedRange *ranges, TileRtError *error);

/// Frees the copies, after what may be written was copied back if `good`.
bool unstageTensors(TileRtDevice *device, const StagedTensor *tensors,
                    size_t count, StagedRange *ranges, bool good,
                    TileRtError *error);

#endif // TILE_PYTHON_STAGE_H
