//===- Targets.cpp - chips, from C ----------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Targets.h"

#include "Tile/Target/Target.h"

#include <algorithm>
#include <cstring>

using namespace tile::target;

/// Texts of the tables are literals, so they end with a NUL.
static TileChip describe(const Target &target) {
  TileChip chip = {};
  chip.name = target.name.data();
  chip.products = target.products.data();
  switch (target.vendor) {
  case Vendor::NVIDIA:
    chip.vendor = "nvidia";
    break;
  case Vendor::AMD:
    chip.vendor = "amd";
    break;
  case Vendor::Ascend:
    chip.vendor = "ascend";
    break;
  case Vendor::CPU:
    chip.vendor = "cpu";
    break;
  }
  const GPUSpec *gpu = target.getGPU();
  chip.warpSize = gpu ? gpu->warpSize : -1;
  chip.threadsPerBlock = gpu ? gpu->maxThreadsPerBlock : -1;
  chip.registersPerThread = gpu ? gpu->maxRegistersPerThread : -1;
  chip.sharedBytesPerBlock = gpu ? gpu->sharedBytesPerBlock : -1;
  chip.clusterSize = gpu ? gpu->maxClusterSize : -1;
  chip.tensorMemoryColumns = gpu ? gpu->tmemColumns : -1;
  chip.vectorBytes = target.getCPU() ? target.getCPU()->vectorBytes : -1;
  chip.cubeCores = target.getAscend() ? target.getAscend()->defaultCores : -1;
  return chip;
}

static bool give(const Target *target, TileChip *out) {
  if (!target || out->structSize < sizeof(size_t))
    return false;
  TileChip chip = describe(*target);
  chip.structSize = out->structSize;
  std::memcpy(out, &chip, std::min(sizeof(chip), out->structSize));
  return true;
}

size_t tileChipCount() { return targets().size(); }

bool tileChipGet(size_t index, TileChip *chip) {
  return give(index < targets().size() ? &targets()[index] : nullptr, chip);
}

bool tileChipFind(const char *name, TileChip *chip) {
  return give(lookupTarget(name), chip);
}
