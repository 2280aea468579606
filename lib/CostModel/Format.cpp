//===- Format.cpp - estimates as text and as JSON -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Estimate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tile;
using namespace tile::cost;

/// "12.3 us", with the unit that leaves one to three digits before the point.
static std::string formatTime(double seconds) {
  if (seconds < 1e-3)
    return llvm::formatv("{0:f2} us", seconds * 1e6);
  if (seconds < 1)
    return llvm::formatv("{0:f3} ms", seconds * 1e3);
  return llvm::formatv("{0:f3} s", seconds);
}

static std::string formatAmount(double amount, llvm::StringRef unit) {
  static constexpr llvm::StringLiteral prefixes[] = {"", "K", "M", "G", "T",
                                                     "P"};
  unsigned prefix = 0;
  for (; amount >= 1000 && prefix < 5; ++prefix)
    amount /= 1000;
  return llvm::formatv("{0:f1} {1}{2}", amount, prefixes[prefix], unit);
}

static double getShare(const KernelEstimate &kernel, Resource resource) {
  double seconds = kernel.seconds / double(std::max<int64_t>(kernel.launches, 1));
  return seconds > 0 ? kernel.busy[unsigned(resource)] / seconds : 0;
}

/// Operations for each byte of memory.
static double getIntensity(const KernelEstimate &kernel) {
  double operations = kernel.tensorOps + kernel.scalarOps;
  return kernel.dramBytes > 0 ? operations / kernel.dramBytes : 0;
}

static void printKernel(llvm::raw_ostream &os, const KernelEstimate &kernel,
                        const target::Target &target) {
  os << "@" << kernel.function << ", kernel " << kernel.index << ": ";
  if (!kernel.problem.empty()) {
    os << kernel.problem << "\n";
    return;
  }
  os << formatTime(kernel.seconds);
  if (kernel.launches != 1)
    os << " in " << kernel.launches << " launches";
  os << ", bound by " << stringify(kernel.binding) << "\n";
  os << llvm::formatv("  {0} blocks of {1} threads; {2} on each of {3} units, "
                      "{4:f2} waves",
                      kernel.blocks, kernel.threads, kernel.resident,
                      kernel.units, kernel.waves);
  if (kernel.tail)
    os << ", the last of " << kernel.tail << " blocks";
  os << llvm::formatv("\n  {0} bytes of shared memory, stages {1}",
                      kernel.sharedBytes, kernel.stages);
  if (target.getGPU())
    os << ", about " << kernel.registers << " registers";
  if (!kernel.instruction.empty())
    os << ", " << kernel.instruction;
  os << "\n  busy:";
  for (unsigned i = 0; i < kNumResources; ++i)
    os << llvm::formatv("{0} {1} {2:f0} %", i ? "," : "",
                        stringify(Resource(i)),
                        getShare(kernel, Resource(i)) * 100);
  os << llvm::formatv(
      "\n  {0}, {1} from or to memory, {2} through the cache\n",
      formatAmount(kernel.tensorOps + kernel.scalarOps, "operations"),
      formatAmount(kernel.dramBytes, "B"), formatAmount(kernel.cacheBytes, "B"));
  os << llvm::formatv("  roofline: {0:f1} operations a byte, {1} at best, "
                      "{2:f2} of it reached\n",
                      getIntensity(kernel), formatTime(kernel.rooflineSeconds),
                      kernel.seconds > 0
                          ? kernel.rooflineSeconds *
                                double(kernel.launches) / kernel.seconds
                          : 0);
}

std::string tile::cost::formatText(const Estimate &estimate,
                                   const target::Target &target) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const KernelEstimate &kernel : estimate.kernels)
    printKernel(os, kernel, target);
  if (estimate.problem.empty())
    os << "total on " << target.name << ": " << formatTime(estimate.seconds)
       << ", estimated\n";
  return text;
}

static llvm::json::Object toJSON(const KernelEstimate &kernel) {
  llvm::json::Object busy;
  for (unsigned i = 0; i < kNumResources; ++i)
    busy[stringify(Resource(i))] = getShare(kernel, Resource(i));
  llvm::json::Object object{
      {"function", kernel.function},
      {"kernel", kernel.index},
      {"seconds", kernel.seconds},
      {"binding", stringify(kernel.binding)},
      {"busy", std::move(busy)},
      {"launches", kernel.launches},
      {"blocks", kernel.blocks},
      {"threads", kernel.threads},
      {"resident_blocks", kernel.resident},
      {"units", kernel.units},
      {"waves", kernel.waves},
      {"tail_blocks", kernel.tail},
      {"stages", kernel.stages},
      {"shared_bytes", kernel.sharedBytes},
      {"registers", kernel.registers},
      {"instruction", kernel.instruction},
      {"tensor_operations", kernel.tensorOps},
      {"scalar_operations", kernel.scalarOps},
      {"memory_bytes", kernel.dramBytes},
      {"cache_bytes", kernel.cacheBytes},
      {"shared_traffic", kernel.sharedTraffic},
      {"operations_per_byte", getIntensity(kernel)},
      {"roofline_seconds", kernel.rooflineSeconds},
  };
  if (!kernel.problem.empty())
    object["problem"] = kernel.problem;
  return object;
}

std::string tile::cost::formatJSON(const Estimate &estimate,
                                   const target::Target &target) {
  llvm::json::Array kernels;
  for (const KernelEstimate &kernel : estimate.kernels)
    kernels.push_back(toJSON(kernel));
  llvm::json::Object object{{"chip", target.name.str()},
                            {"seconds", estimate.seconds},
                            {"kernels", std::move(kernels)}};
  if (!estimate.problem.empty())
    object["problem"] = estimate.problem;
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}
