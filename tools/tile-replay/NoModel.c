// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Model.h"

bool tile_replay_model_open(TileReplayModel *model, const void *bitcode,
                            size_t size, const char *metadata,
                            TileRtError *error) {
  (void)model, (void)bitcode, (void)size, (void)metadata;
  return tile_rt_fail(error, "--device=model: this tile-replay was built "
                             "without the compiler");
}

bool tile_replay_model_open_ranks(const TileReplayModel *model,
                                  TileRtDevice **devices, int32_t ranks,
                                  TileRtError *error) {
  (void)model, (void)devices, (void)ranks;
  return tile_rt_fail(error, "--device=model: this tile-replay was built "
                             "without the compiler");
}

void tile_replay_model_close(TileReplayModel *model) { (void)model; }
