//===- Model.cpp - cases on the SIMT model --------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Tile/Targets/GPU/SIMTModel.h"
#include "tile_simt_device.h"

#include <cstring>
#include <memory>

using mlir::tile::LoadedImage;

bool tile_replay_model_open(TileReplayModel *model, const void *bitcode,
                            size_t size, const char *metadata,
                            TileRtError *error) {
  std::unique_ptr<TileRtMetadata, void (*)(TileRtMetadata *)> parsed(
      tile_rt_metadata_parse(metadata, std::strlen(metadata), error),
      tile_rt_metadata_free);
  if (!parsed)
    return false;
  auto image = mlir::tile::loadSIMTBitcode(
      {static_cast<const char *>(bitcode), size}, parsed->chip);
  if (!image)
    return tile_rt_fail(error, "the bitcode cannot be loaded: %s",
                        llvm::toString(image.takeError()).c_str());
  model->image = (*image)->getBytes().data();
  model->size = (*image)->getBytes().size();
  model->loaded = image->release();
  return tile_simt_open(parsed->target, parsed->chip, &model->device, error);
}

bool tile_replay_model_open_ranks(const TileReplayModel *model,
                                  TileRtDevice **devices, int32_t ranks,
                                  TileRtError *error) {
  return tile_simt_open_ranks(model->device->ops->target, model->device->chip,
                              ranks, devices, error);
}

void tile_replay_model_close(TileReplayModel *model) {
  if (model->device)
    tile_rt_device_close(model->device);
  delete static_cast<LoadedImage *>(model->loaded);
}
