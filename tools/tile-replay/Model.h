// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMT model in place of a GPU. A build with the compiler has it.

#ifndef TILE_REPLAY_MODEL_H
#define TILE_REPLAY_MODEL_H

#include "TileRuntime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TileReplayModel {
  TileRtDevice *device;
  const void *image; ///< for tile_replay_load
  size_t size;
  void *loaded; ///< keeps the image
} TileReplayModel;

/// Compiles bitcode of kernels for this machine and opens the model. `metadata`
/// is that of one of the kernels.
bool tile_replay_model_open(TileReplayModel *model, const void *bitcode,
                            size_t size, const char *metadata,
                            TileRtError *error);
/// A device for each of so many ranks, for an image of the model that is open.
bool tile_replay_model_open_ranks(const TileReplayModel *model,
                                  TileRtDevice **devices, int32_t ranks,
                                  TileRtError *error);
/// Of a model that was not opened, too.
void tile_replay_model_close(TileReplayModel *model);

#ifdef __cplusplus
}
#endif

#endif // TILE_REPLAY_MODEL_H
