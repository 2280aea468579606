// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as C++ functions that execute single instructions on the model.

#ifndef TILE_UNITTESTS_SIMTMODEL_HOPPERHARNESS_H
#define TILE_UNITTESTS_SIMTMODEL_HOPPERHARNESS_H

extern "C" {
#include "tile_simt_model.h"
}
#include "Coverage.h"
#include "gtest/gtest.h"

#include <cstring>
#include <functional>
#include <list>
#include <string>
#include <vector>

/// Operands or results: the bits of each, `elements` for structs.
struct Values {
  std::vector<TileSimtValue> list;

  Values &add(unsigned bits, unsigned elements = 1, int tied = -1,
              bool immediate = false) {
    unsigned words = elements * ((bits + 31) / 32);
    list.push_back({uint16_t(bits), uint16_t(elements), uint16_t(words),
                    int16_t(tied), immediate});
    return *this;
  }
  unsigned words() const {
    unsigned count = 0;
    for (const TileSimtValue &value : list)
      count += value.words;
    return count;
  }
};

class Program {
public:
  explicit Program(const char *chip = "sm_90a") : chip(chip) {}
  ~Program() { tileSimtUnload(program); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  int intrinsic(const std::string &name, Values results, Values operands) {
    return add(TILE_SIMT_INTRINSIC, "llvm.nvvm." + name, std::move(results),
               std::move(operands));
  }
  int assembly(const std::string &text, Values results, Values operands) {
    return add(TILE_SIMT_ASSEMBLY, text, std::move(results),
               std::move(operands));
  }
  /// A function of another name.
  int function(const std::string &name, Values results, Values operands) {
    return add(TILE_SIMT_INTRINSIC, name, std::move(results),
               std::move(operands));
  }
  /// A load or a store.
  int memory() { return add(TILE_SIMT_MEMORY, "store", {}, {}); }

  struct Options {
    uint32_t threads = 128, blocks = 1, cluster = 1, shared = 65536;
    uint64_t seed = 0;
    bool dependent = false; ///< may begin before the launch before it has ended
  };

  /// Runs `body` for each thread; the report, or "".
  std::string run(const Options &options, const std::function<void()> &body) {
    std::vector<TileSimtSite> sites;
    for (const Site &site : list)
      sites.push_back({site.name.c_str(), site.place.c_str(),
                       site.results.list.data(), site.operands.list.data(),
                       uint32_t(site.results.list.size()),
                       uint32_t(site.operands.list.size()), site.kind});
    TileSimtKernel kernel = {"kernel", call};
    TileSimtCode code = {chip,    32, 0, sites.data(), uint32_t(sites.size()),
                         &kernel, 1};
    char report[1024] = "";
    program = tileSimtLoad(&code, report, sizeof(report));
    if (!program)
      return report;
    void *parameters[] = {const_cast<std::function<void()> *>(&body)};
    TileSimtLaunch launch = {};
    for (int i = 0; i < 3; ++i)
      launch.grid[i] = launch.block[i] = launch.cluster[i] = 1;
    launch.grid[0] = options.blocks;
    launch.block[0] = options.threads;
    launch.cluster[0] = options.cluster;
    launch.sharedBytes = options.shared;
    launch.seed = options.seed;
    launch.pdl = options.dependent;
    launch.parameters = parameters;
    coverageBegin(program);
    tileSimtLaunch(program, "kernel", &launch, report, sizeof(report));
    coverageEnd(program);
    tileSimtUnload(program);
    program = nullptr;
    return report;
  }

private:
  struct Site {
    std::string name, place;
    Values results, operands;
    uint32_t kind;
  };

  int add(uint32_t kind, std::string name, Values results, Values operands) {
    std::string place = "test.mlir:" + std::to_string(list.size() + 1) + ":1";
    list.push_back({std::move(name), place, std::move(results),
                    std::move(operands), kind});
    return int(list.size()) - 1;
  }
  static void call(void *const *parameters) {
    (*static_cast<const std::function<void()> *>(parameters[0]))();
  }

  const char *chip;
  std::list<Site> list;
  TileSimtProgram *program = nullptr;
};

/// Executes an instruction in the current thread; addresses take two words.
inline uint32_t execute(int site, std::initializer_list<uint32_t> operands) {
  uint32_t result[2] = {};
  tile_simt_execute(uint32_t(site), operands.begin(), result);
  return result[0];
}

/// The words of an address.
#define ADDRESS(a) uint32_t(uint64_t(a)), uint32_t(uint64_t(a) >> 32)

template <typename T>
void store(int site, uint64_t address, T value) {
  tile_simt_store(address, sizeof(T), sizeof(T), 0, uint32_t(site), &value);
}
template <typename T>
T load(int site, uint64_t address) {
  tile_simt_load(address, sizeof(T), sizeof(T), 0, uint32_t(site));
  T value;
  std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
  return value;
}

/// Global memory of the model.
template <typename T>
class Global {
public:
  explicit Global(size_t count)
      : count(count), data(static_cast<T *>(tileSimtAlloc(count * sizeof(T)))) {
  }
  ~Global() { tileSimtFree(data); }
  Global(const Global &) = delete;
  Global &operator=(const Global &) = delete;
  T &operator[](size_t i) { return data[i]; }
  /// All of it counts as written.
  void filled() { tileSimtWritten(data, count * sizeof(T)); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }

  size_t count;
  T *data;
};

#endif // TILE_UNITTESTS_SIMTMODEL_HOPPERHARNESS_H
