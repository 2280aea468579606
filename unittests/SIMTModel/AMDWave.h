//===- AMDWave.h - runs one instruction of an AMD GPU -----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_UNITTESTS_SIMTMODEL_AMDWAVE_H
#define TILE_UNITTESTS_SIMTMODEL_AMDWAVE_H

#include "tile_simt_model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace amdtest {

using Words = std::vector<uint32_t>;

/// A value of `bits` in registers.
struct Shape {
  unsigned bits = 32, elements = 1;

  unsigned words() const { return elements * ((bits + 31) / 32); }
};

/// A program whose sites are added one by one, and its kernels, which are
/// functions of this test.
class Program {
public:
  explicit Program(const char *chip, unsigned waveSize = 64)
      : chip(chip), waveSize(waveSize) {
    workitem = add("llvm.amdgcn.workitem.id.x", {{}}, {});
  }

  uint32_t add(const std::string &name, std::vector<Shape> results,
               std::vector<Shape> operands);
  uint32_t addMemory(const char *name);
  uint32_t addFence();

  /// Runs `body` in each thread of each block; returns the report, or "".
  std::string run(unsigned threads, std::function<void(unsigned)> body,
                  uint32_t sharedBytes = 0, uint64_t seed = 1,
                  unsigned blocks = 1);

  static Words call(uint32_t site, const Words &operands, unsigned results = 1);

private:
  struct Site {
    std::string name;
    std::vector<TileSimtValue> results, operands;
    uint32_t kind;
  };

  std::string chip;
  unsigned waveSize;
  uint32_t workitem;
  std::vector<Site> sites;
};

/// What a wave, or part of one, gets from one instruction: the words of the
/// result of each lane that is not in `inactive`.
struct Wave {
  std::string chip = "gfx942", name;
  Shape result;
  std::vector<Shape> operands;
  unsigned lanes = 64;
  std::function<bool(unsigned)> isActive = [](unsigned) { return true; };
  std::string report; ///< of the last run

  std::vector<Words> run(std::function<Words(unsigned)> operandsOfLane);
};

} // namespace amdtest

#endif // TILE_UNITTESTS_SIMTMODEL_AMDWAVE_H
