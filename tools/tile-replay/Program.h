// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of one function on a device, run on host tensors.

#ifndef TILE_REPLAY_PROGRAM_H
#define TILE_REPLAY_PROGRAM_H

#include "TileRuntime/Launch.h"

enum { TILE_REPLAY_MAX_KERNELS = 64 };

/// An argument of the function: a tensor of the host, or a scalar, which is
/// described as a tensor of rank 0.
typedef struct TileReplayArgument {
  TileRtTensor *tensor;
  bool scalar;
} TileReplayArgument;

/// Kernels that are launched one after the other with the same arguments.
typedef struct TileReplayProgram {
  TileRtDevice *device;
  int32_t count;
  TileRtMetadata *metadata[TILE_REPLAY_MAX_KERNELS];
  TileRtKernel *kernels[TILE_REPLAY_MAX_KERNELS];
} TileReplayProgram;

/// The code of kernels: one image, or a source for each kernel.
typedef struct TileReplayCode {
  const void *image;
  size_t size;
  const TileRtImageSource *sources; ///< null: there is an image
} TileReplayCode;

/// Loads the kernels that `texts` describe. On failure, too, the program may be
/// unloaded.
bool tile_replay_load(TileReplayProgram *program, TileRtDevice *device,
                      const TileReplayCode *code, int32_t count,
                      const char *const *texts, TileRtError *error);
void tile_replay_unload(TileReplayProgram *program);

typedef struct TileReplayTiming {
  int32_t samples; ///< of timed runs; 0 for none
  bool flushL2;    ///< empty the caches before each
} TileReplayTiming;

/// Copies the arguments to the device, with the red zones around them, launches
/// the kernels and copies everything back. `first` is filled with the seconds
/// that the launches took. If `timing` asks for samples, the launches are then
/// repeated on what they have left, and `timed` is filled. Null pointers are
/// for figures that are not wanted.
bool tile_replay_run(const TileReplayProgram *program,
                     const TileReplayArgument *arguments, int32_t count,
                     const TileReplayTiming *timing, double *first,
                     TileRtTiming *timed, TileRtError *error);

/// Memory of a device that evicts its caches when it is filled.
bool tile_replay_make_flush(TileRtDevice *device, TileRtError *error);

#endif // TILE_REPLAY_PROGRAM_H
