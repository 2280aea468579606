// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of an NPU as a device: kernels run on the CPU, and what the
// hardware would punish silently is an error of the launch.

#ifndef TILERUNTIME_MODEL_H
#define TILERUNTIME_MODEL_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a kernel on the model. Parameters as in TileRtLaunch; writes what the
/// model reports, cut to `size` bytes with a NUL, or nothing.
typedef void (*TileRtModelRun)(void *const *parameters, char *report,
                               size_t size);

/// What the back end "ascend-model" of the compiler makes.
typedef struct TileRtModelImage {
  TileRtModelRun run;
} TileRtModelImage;

/// The Ascend model. Its memory is the host's; streams are null, and work is
/// done when a call returns. It lives as long as the process.
TileRtDevice *tile_rt_model_device(void);

#ifdef __cplusplus
}
#endif

#endif // TILERUNTIME_MODEL_H
