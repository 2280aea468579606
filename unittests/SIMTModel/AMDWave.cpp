//===- AMDWave.cpp - runs one instruction of an AMD GPU -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMDWave.h"

#include "Coverage.h"

using namespace amdtest;

static std::vector<TileSimtValue> describe(const std::vector<Shape> &shapes) {
  std::vector<TileSimtValue> values;
  for (const Shape &shape : shapes)
    values.push_back({uint16_t(shape.bits), uint16_t(shape.elements),
                      uint16_t(shape.words()), -1, 0});
  return values;
}

uint32_t Program::add(const std::string &name, std::vector<Shape> results,
                      std::vector<Shape> operands) {
  sites.push_back(
      {name, describe(results), describe(operands), TILE_SIMT_INTRINSIC});
  return sites.size() - 1;
}

uint32_t Program::addMemory(const char *name) {
  sites.push_back({name, {}, {}, TILE_SIMT_MEMORY});
  return sites.size() - 1;
}

uint32_t Program::addFence() {
  sites.push_back({"fence", {}, {}, TILE_SIMT_FENCE});
  return sites.size() - 1;
}

Words Program::call(uint32_t site, const Words &operands, unsigned results) {
  Words result(results + 1);
  tile_simt_execute(site, operands.data(), result.data());
  result.resize(results);
  return result;
}

namespace {
struct Body {
  std::function<void(unsigned)> run;
  uint32_t workitem;
};
} // namespace

static void runThread(void *const *parameters) {
  auto *body = static_cast<const Body *>(parameters[0]);
  body->run(Program::call(body->workitem, {}).front());
}

std::string Program::run(unsigned threads, std::function<void(unsigned)> body,
                         uint32_t sharedBytes, uint64_t seed,
                         unsigned blocks) {
  std::vector<TileSimtSite> list;
  for (const Site &site : sites)
    list.push_back({site.name.c_str(), "test:1:1", site.results.data(),
                    site.operands.data(), uint32_t(site.results.size()),
                    uint32_t(site.operands.size()), site.kind});
  TileSimtKernel kernel = {"kernel", runThread};
  TileSimtCode code = {chip.c_str(),          waveSize, 0, list.data(),
                       uint32_t(list.size()), &kernel,  1};
  char text[500] = "";
  TileSimtProgram *program = tileSimtLoad(&code, text, sizeof text);
  if (!program)
    return text;
  Body data = {std::move(body), workitem};
  void *parameters[] = {&data};
  TileSimtLaunch launch = {};
  for (int i = 0; i < 3; ++i)
    launch.grid[i] = launch.block[i] = launch.cluster[i] = 1;
  launch.block[0] = threads;
  launch.grid[0] = blocks;
  launch.sharedBytes = sharedBytes;
  launch.seed = seed;
  launch.skip = -1;
  launch.parameters = parameters;
  coverageBegin(program);
  bool good = tileSimtLaunch(program, "kernel", &launch, text, sizeof text);
  coverageEnd(program);
  tileSimtUnload(program);
  return good ? "" : text;
}

std::vector<Words> Wave::run(std::function<Words(unsigned)> operandsOfLane) {
  Program program(chip.c_str(), lanes);
  uint32_t site = program.add(name, {result}, operands);
  std::vector<Words> results(lanes);
  report = program.run(lanes, [&](unsigned lane) {
    if (isActive(lane))
      results[lane] = Program::call(site, operandsOfLane(lane), result.words());
  });
  return results;
}
