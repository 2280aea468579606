// Kernels of the SIMT model written by hand: what the compiler makes of device
// code, in C++. Each line that calls the model is a site.

#ifndef SIMTMODEL_HARNESS_H
#define SIMTMODEL_HARNESS_H

#include "Coverage.h"
#include "tile_simt_model.h"

#include "gtest/gtest.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace simt {

inline TileSimtValue scalar(unsigned bits) {
  return {uint16_t(bits), 1, uint16_t((bits + 31) / 32), -1, 0};
}

/// `count` results of 32 bits as one struct.
inline TileSimtValue group(unsigned count) {
  return {32, uint16_t(count), uint16_t(count), -1, 0};
}

/// A program with one kernel, for sm_80 unless it says otherwise.
class Program {
public:
  using Kernel = void (*)(void *const *);

  explicit Program(Kernel kernel, const char *chip = "sm_80")
      : entry{"k", kernel}, chip(chip) {}
  ~Program() { tileSimtUnload(loaded); }

  /// Sites are numbered in the order in which they are added.
  Program &memory(const char *name = "access") {
    return add(name, TILE_SIMT_MEMORY, {}, {});
  }
  Program &fence() { return add("fence", TILE_SIMT_FENCE, {}, {}); }
  Program &call(const char *name, std::vector<TileSimtValue> results,
                std::vector<TileSimtValue> operands) {
    return add(name, TILE_SIMT_INTRINSIC, std::move(results),
               std::move(operands));
  }
  Program &assembly(const char *text, std::vector<TileSimtValue> results,
                    std::vector<TileSimtValue> operands) {
    return add(text, TILE_SIMT_ASSEMBLY, std::move(results),
               std::move(operands));
  }

  /// The error of loading, or nothing.
  std::string load() {
    code = {chip, 32, 0, sites.data(), uint32_t(sites.size()), &entry, 1};
    char error[512] = "";
    loaded = tileSimtLoad(&code, error, sizeof(error));
    return error;
  }

  /// The report of a launch, or nothing.
  std::string run(unsigned threads, unsigned blocks = 1,
                  std::vector<void *> arguments = {}, uint64_t seed = 0,
                  int skip = -1, bool cooperative = false) {
    if (!loaded) {
      std::string error = load();
      if (!error.empty())
        return error;
    }
    std::vector<void *> parameters;
    for (void *&argument : arguments)
      parameters.push_back(&argument);
    parameters.push_back(nullptr);
    TileSimtLaunch launch = {};
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
    launch.sharedBytes = 4096;
    launch.seed = seed;
    launch.skip = skip + 1;
    launch.cooperative = cooperative;
    launch.parameters = parameters.data();
    char report[1024];
    coverageBegin(loaded);
    tileSimtLaunch(loaded, "k", &launch, report, sizeof(report));
    coverageEnd(loaded);
    return report;
  }

  /// The same of one block on each of several ranks, with their arguments,
  /// `count` times.
  std::string runRanks(unsigned threads,
                       std::vector<std::vector<void *>> arguments,
                       uint64_t seed = 0, int count = 1) {
    std::string error = loaded ? "" : load();
    if (!error.empty())
      return error;
    std::deque<std::vector<void *>> parameters;
    std::deque<std::vector<TileSimtLaunch>> launches;
    std::vector<const char *> kernels(count, "k");
    std::vector<TileSimtProgram *> programs(count, loaded);
    std::vector<TileSimtRank> ranks;
    for (std::vector<void *> &list : arguments) {
      auto &p = parameters.emplace_back();
      for (void *&argument : list)
        p.push_back(&argument);
      TileSimtLaunch launch = {};
      for (int i = 0; i < 3; ++i)
        launch.grid[i] = launch.block[i] = launch.cluster[i] = 1;
      launch.block[0] = threads;
      launch.sharedBytes = 4096;
      launch.parameters = p.data();
      launches.emplace_back(count, launch);
      ranks.push_back(
          {programs.data(), kernels.data(), launches.back().data(), count});
    }
    char report[1024];
    int32_t rank = -1;
    coverageBegin(loaded);
    tileSimtLaunchRanks(ranks.data(), int32_t(ranks.size()), seed, &rank,
                        report, sizeof(report));
    coverageEnd(loaded);
    return report;
  }

private:
  Program &add(const char *name, TileSimtKind kind,
               std::vector<TileSimtValue> results,
               std::vector<TileSimtValue> operands) {
    auto &r = values.emplace_back(std::move(results));
    auto &o = values.emplace_back(std::move(operands));
    places.push_back("k.mlir:" + std::to_string(sites.size()) + ":1");
    sites.push_back({name, places.back().c_str(), r.data(), o.data(),
                     uint32_t(r.size()), uint32_t(o.size()), kind});
    return *this;
  }

  TileSimtKernel entry;
  const char *chip;
  TileSimtCode code = {};
  TileSimtProgram *loaded = nullptr;
  std::vector<TileSimtSite> sites;
  std::deque<std::vector<TileSimtValue>> values;
  std::deque<std::string> places;
};

/// Global memory with the contents of a vector.
template <typename T>
class Buffer {
public:
  explicit Buffer(const std::vector<T> &contents)
      : count(contents.size()),
        data(static_cast<T *>(tileSimtAlloc(count * sizeof(T)))) {
    std::memcpy(data, contents.data(), count * sizeof(T));
    tileSimtWritten(data, count * sizeof(T));
  }
  explicit Buffer(size_t count)
      : count(count), data(static_cast<T *>(tileSimtAlloc(count * sizeof(T)))) {
  }
  ~Buffer() { tileSimtFree(data); }
  T &operator[](size_t i) { return data[i]; }
  operator void *() const { return data; }

private:
  size_t count;
  T *data;
};

// What compiled code does.

template <typename... Words>
uint32_t execute(uint32_t site, Words... words) {
  uint32_t operands[] = {uint32_t(words)..., 0}, results[64] = {};
  tile_simt_execute(site, operands, results);
  return results[0];
}

template <typename T>
T load(uint32_t site, uint64_t address, uint32_t flags = 0) {
  tile_simt_load(address, sizeof(T), alignof(T), flags, site);
  T value;
  std::memcpy(&value, reinterpret_cast<void *>(address), sizeof(T));
  return value;
}

template <typename T>
void store(uint32_t site, uint64_t address, T value, uint32_t flags = 0) {
  tile_simt_store(address, sizeof(T), alignof(T), flags, site, &value);
}

inline uint32_t atomicAdd(uint32_t site, uint64_t address, uint32_t value,
                          uint32_t flags = 0) {
  tile_simt_atomic(address, 4, 4, flags, site);
  auto *at = reinterpret_cast<uint32_t *>(address);
  uint32_t before = *at;
  *at += value;
  return before;
}

inline uint64_t argument(void *const *parameters, int index) {
  return *static_cast<uint64_t *>(parameters[index]);
}

inline const char kThread[] = "llvm.nvvm.read.ptx.sreg.tid.x";
inline const char kBlock[] = "llvm.nvvm.read.ptx.sreg.ctaid.x";
inline const char kBarrier[] = "llvm.nvvm.barrier.cta.sync.aligned.all";

#define EXPECT_REPORT(report, part)                                            \
  EXPECT_NE(std::string(report).find(part), std::string::npos) << report

} // namespace simt

#endif // SIMTMODEL_HARNESS_H
