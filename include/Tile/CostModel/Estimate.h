//===- Estimate.h - how long kernels take ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/cost-model.md has the formulae.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_ESTIMATE_H
#define TILE_COSTMODEL_ESTIMATE_H

#include "Tile/CostModel/Kernel.h"
#include "Tile/Target/Rates.h"

namespace tile::cost {

/// What a kernel can wait for; stringify gives its name.
enum class Resource : uint8_t {
  Tensor,  ///< matrix instructions
  Threads, ///< scalar instructions
  Special, ///< exponentials, roots, divisions
  Shared,  ///< shared memory
  Cache,   ///< the cache that all units share
  Dram,
  Latency, ///< steps of a block that wait for each other
  Launch,
};
inline constexpr unsigned kNumResources = 8;
llvm::StringRef stringify(Resource resource);

struct KernelEstimate {
  std::string function;
  int64_t index = 0;
  double seconds = 0;
  /// For how long each resource is busy if nothing waits; in seconds.
  double busy[kNumResources] = {};
  Resource binding = Resource::Launch;

  int64_t blocks = 0, threads = 0, launches = 1;
  int64_t stages = 1;
  int64_t resident = 1;     ///< blocks that a unit holds at a time
  int64_t units = 1;
  double waves = 0;
  int64_t tail = 0;         ///< blocks of the last wave, if it is not full
  int64_t sharedBytes = 0;  ///< of a block
  int64_t registers = 0;    ///< of a thread, estimated
  std::string instruction;  ///< of its gemms, "wgmma"
  double dramBytes = 0, cacheBytes = 0, sharedTraffic = 0;
  double tensorOps = 0, scalarOps = 0;
  double usefulOps = 0;     ///< without padding
  double rooflineSeconds = 0; ///< by operations and bytes that no tile avoids

  /// Why it cannot be compiled; empty if it can.
  std::string problem;
};

struct Estimate {
  double seconds = 0;
  std::vector<KernelEstimate> kernels;
  std::string problem; ///< of the first kernel that has one
};

/// Values of all symbols of a program, by the order of `getSymbols`.
using SymbolValues = std::vector<int64_t>;

class Estimator {
public:
  /// Both live longer than this.
  Estimator(const Program &program, const target::Target &target,
            const target::Rates &rates)
      : program(program), target(target), rates(rates) {}

  /// The requirement that the values do not meet; null if they meet all.
  const Requirement *findUnmet(const SymbolValues &symbols);

  Estimate estimate(const SymbolValues &symbols);

private:
  const Program &program;
  const target::Target &target;
  const target::Rates &rates;
  std::vector<int64_t> values;
};

/// For people, and for programs.
std::string formatText(const Estimate &estimate, const target::Target &target);
std::string formatJSON(const Estimate &estimate, const target::Target &target);

} // namespace tile::cost

#endif // TILE_COSTMODEL_ESTIMATE_H
