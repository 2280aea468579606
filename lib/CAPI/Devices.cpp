//===- Devices.cpp - devices to compile for -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile-c/Devices.h"

#include "Tile/Driver/Backend.h"
#include "Tile/InitAll.h"

#ifdef TILE_HAS_SIMT_MODEL
#include "tile_simt_device.h"
#endif

#include "llvm/ADT/StringSet.h"

#include <mutex>

using namespace mlir::tile;

const char *tileCompilerFindChip(const char *target, const char *chip,
                                 TileRtError *error) {
  if (!target || !chip) {
    tile_rt_fail(error, "expected a target and a chip, got null");
    return nullptr;
  }
  registerAllTargets();
  std::string ignored, problem;
  const Backend *backend = lookupBackend(target, ignored, problem);
  if (!backend) {
    tile_rt_fail(error, "%s", problem.c_str());
    return nullptr;
  }
  std::string found = backend->findChip(chip);
  if (found.empty()) {
    tile_rt_fail(error, "target '%s': nothing is known of the chip '%s'",
                 target, chip);
    return nullptr;
  }
  static std::mutex mutex;
  static llvm::StringSet<> chips;
  std::lock_guard<std::mutex> guard(mutex);
  return chips.insert(found).first->getKeyData();
}

bool tileModelDeviceOpen(const char *target, const char *chip,
                         TileRtDevice **device, TileRtError *error) {
  if (!target || !device)
    return tile_rt_fail(error, "expected a target and a place for the device, "
                               "got null");
  bool hip = llvm::StringRef(target) == "hip";
  if (!hip && llvm::StringRef(target) != "cuda")
    return tile_rt_fail(error, "expected the target cuda or hip, got '%s'",
                        target);
#ifdef TILE_HAS_SIMT_MODEL
  // The device keeps the name.
  return tile_simt_open(hip ? "hip" : "cuda", chip, device, error);
#else
  (void)chip;
  return tile_rt_fail(error, "this build has no GPUs");
#endif
}
