//===- Estimate.cpp - how long kernels take -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All times in here are clocks of one unit. docs/cost-model.md explains the
// formulae in the same order.
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Estimate.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tile;
using namespace tile::cost;
using namespace tile::target;

// Addresses, loop variables and temporary values beside the fragments.
static constexpr int64_t kOtherRegisters = 30;
// Of a memory access of one thread that nobody has to do in parts.
static constexpr double kAccessBytes = 16;
// Blocks that hide each other's ends: fewer of them stay and take several tiles.
static constexpr int64_t kManyBlocks = 2;
// A pipeline gives up stages beyond these before a result gives up its way
// through shared memory.
static constexpr int64_t kFewStages = 3;
// Resources that are busy at the same time get into each other's way: the time
// is this norm of theirs, and not the largest.
static constexpr double kNorm = 4;
// Data that take this share of a cache stay in it; what takes all of it does
// not stay at all.
static constexpr double kCacheShare = 0.4;
// Registers that the compiler plans with beside the fragments.
static constexpr int64_t kPlannedRegisters = 64;
// Scalar code that reads shared memory keeps values of several elements at a
// time: so many registers for each beyond the first ones, up to a limit.
static constexpr double kTemporaries = 2.7, kFirstElements = 12,
                        kMostTemporaries = 55;
// Bytes past the end of a tensor all ask for the same part of the cache.
static constexpr double kOutsideFactor = 5;
// What spilled registers cost.
static constexpr double kSpillFactor = 1.5;
// Blocks along the grid whose trip counts stand for all.
static constexpr int64_t kSamples = 8;

llvm::StringRef tile::cost::stringify(Resource resource) {
  static constexpr llvm::StringLiteral names[kNumResources] = {
      "tensor", "threads", "special", "shared",
      "cache",  "dram",    "latency", "launch"};
  return names[unsigned(resource)];
}

namespace {
/// What a block keeps busy, in clocks of each resource of its unit.
struct BlockWork {
  double busy[4] = {}; ///< Tensor to Shared
  double cacheBytes = 0, cacheRows = 0;
  double outsideBytes = 0; ///< of tensor copies, past the ends of tensors
  double chain = 0; ///< for how long it takes alone
  double fill = 0;  ///< of it, until the first stage has its data
};

/// Bytes of one block, and which blocks share them.
struct Traffic {
  double bytes;
  int buffer, sample;
  uint8_t places;
  bool isWrite;
};

class KernelModel {
public:
  KernelModel(const Program &program, const Kernel &kernel,
              const target::Target &target, const Rates &rates,
              const SymbolValues &symbols, std::vector<int64_t> &values)
      : program(program), kernel(kernel), target(target), rates(rates),
        symbols(symbols), values(values) {}

  KernelEstimate run();

private:
  double at(Expr expr) const { return double(values[expr]); }
  int64_t bitsOf(int buffer) const { return kernel.buffers[buffer].bits; }
  Level levelOf(int buffer) const { return kernel.buffers[buffer].level; }
  double elementsOf(const Buffer &buffer) const;

  // Resources of a block.
  bool fitShared();
  void countRegisters();
  void countResident();
  int64_t stagesOf(const Step &loop) const;
  double countTemporaries(const std::vector<Step> &steps) const;
  double countStageBytes(const std::vector<Step> &steps, bool pipelined) const;
  double countResultBytes(const std::vector<Step> &steps) const;
  void collectStaged(const std::vector<Step> &steps, bool pipelined,
                     std::vector<bool> &staged) const;

  // Work of a block.
  double addSteps(const std::vector<Step> &steps, double times, bool isAsync,
                  double &asyncBytes);
  double addCopy(const Step &copy, double times, bool isAsync,
                 double &asyncBytes);
  double addGemm(const Step &gemm, double times);
  double addScalarGemm(const Step &gemm, double times);
  double addScalar(const Step &scalar, double times);
  double addReduce(const Step &reduce, double times);
  double addLoop(const Step &loop, double times);
  /// The chain of a step that keeps resources busy for so long.
  double addBusy(double tensor, double threads, double special, double shared,
                 double times, double latency);
  const MmaRow *chooseInstruction(const Step &gemm) const;
  double countSharedReads(const Step &gemm, const MmaRow &row) const;
  void addWorkOfAllBlocks();

  // Time.
  double countDramBytes(double blocks);
  double getCacheClocks(double perUnit, double active) const;
  double getWaveTime(double perUnit, double active);
  void addWaves();
  void describeBusy();

  const Program &program;
  const Kernel &kernel;
  const target::Target &target;
  const Rates &rates;
  const SymbolValues &symbols;
  std::vector<int64_t> &values;

  KernelEstimate result;
  BlockWork work;
  std::vector<Traffic> traffic;
  int64_t stageLimit = 1 << 20;
  double fragments = 0; ///< registers of a thread
  int64_t chains = 1; ///< parts of a block that go on without each other
  int sample = 0;            ///< of the blocks that stand for all
  bool isAhead = false;      ///< blocks stay, and copies run ahead
  bool hasTensorCopies = false;
  bool spills = false;
  double latency = 0;        ///< of a copy from global memory
  double grid[3] = {1, 1, 1};
};
} // namespace

double KernelModel::elementsOf(const Buffer &buffer) const {
  double elements = 1;
  for (Expr extent : buffer.shape)
    elements *= at(extent);
  return elements;
}

//===----------------------------------------------------------------------===//
// Resources of a block
//===----------------------------------------------------------------------===//

int64_t KernelModel::stagesOf(const Step &loop) const {
  return std::clamp<int64_t>(values[loop.stages], 1, stageLimit);
}

void KernelModel::collectStaged(const std::vector<Step> &steps, bool pipelined,
                                std::vector<bool> &staged) const {
  for (const Step &step : steps) {
    if (step.kind == Step::Loop)
      collectStaged(step.body, step.isPipelined && stagesOf(step) > 1, staged);
    else if (pipelined && step.kind == Step::Copy &&
             levelOf(step.from) == Level::Global &&
             levelOf(step.to) == Level::Shared)
      staged[step.to] = true;
  }
}

/// Bytes of the copies of one stage of each pipelined loop, times its stages.
double KernelModel::countStageBytes(const std::vector<Step> &steps,
                                    bool pipelined) const {
  double bytes = 0;
  for (const Step &step : steps) {
    if (step.kind == Step::Loop) {
      double stages = step.isPipelined ? double(stagesOf(step)) : 1.0;
      bytes += stages * countStageBytes(step.body, step.isPipelined);
    } else if (pipelined && step.kind == Step::Copy &&
               levelOf(step.from) == Level::Global &&
               levelOf(step.to) == Level::Shared) {
      const Buffer &buffer = kernel.buffers[step.to];
      bytes += elementsOf(buffer) * buffer.bits / 8;
    }
  }
  return bytes;
}

/// Of accumulators that leave through shared memory, in the type of the result.
double KernelModel::countResultBytes(const std::vector<Step> &steps) const {
  double bytes = 0;
  for (const Step &step : steps) {
    if (step.kind == Step::Loop)
      bytes = std::max(bytes, countResultBytes(step.body));
    else if (step.kind == Step::Copy && levelOf(step.to) == Level::Global &&
             levelOf(step.from) == Level::Register &&
             kernel.buffers[step.from].isAccumulator)
      bytes = std::max(bytes, elementsOf(kernel.buffers[step.from]) *
                                  bitsOf(step.to) / 8);
  }
  return bytes;
}

/// Shared memory, with as many stages as fit.
bool KernelModel::fitShared() {
  const GPUSpec *gpu = target.getGPU();
  double capacity = 0;
  if (gpu)
    capacity = double(gpu->sharedBytesPerBlock);
  else if (const AscendSpec *ascend = target.getAscend())
    capacity = double(ascend->findMemory(Space::L1)->userBytes);
  std::vector<bool> staged(kernel.buffers.size());
  stageLimit = 1 << 20;
  collectStaged(kernel.steps, false, staged);
  double fixed = 0;
  for (auto [buffer, isStaged] : llvm::zip(kernel.buffers, staged))
    if (buffer.level == Level::Shared && !isStaged && !buffer.isView)
      fixed += elementsOf(buffer) * double(buffer.bits) / 8;
  double wanted = 1;
  auto visit = [&](auto &self, const std::vector<Step> &steps) -> void {
    for (const Step &step : steps)
      if (step.kind == Step::Loop) {
        if (step.isPipelined)
          wanted = std::max(wanted, double(values[step.stages]));
        self(self, step.body);
      }
  };
  visit(visit, kernel.steps);
  auto bytesWith = [&](int64_t limit) {
    stageLimit = limit;
    // What is in no stage at this limit is fixed.
    return fixed + countStageBytes(kernel.steps, false);
  };
  double results = hasTensorCopies ? countResultBytes(kernel.steps) : 0;
  if (capacity > 0 && bytesWith(kFewStages) + results > capacity)
    results = 0;
  int64_t limit = int64_t(std::min(wanted, 64.0));
  double bytes = bytesWith(limit) + results;
  while (capacity > 0 && bytes > capacity && limit > 1)
    bytes = bytesWith(--limit) + results;
  result.sharedBytes = int64_t(bytes);
  result.stages = limit;
  if (capacity > 0 && bytes > capacity) {
    result.problem =
        llvm::formatv("needs {0} bytes of shared memory, but {1} has {2} for "
                      "a block",
                      int64_t(bytes), target.name.str(), int64_t(capacity));
    return false;
  }
  return true;
}

double
KernelModel::countTemporaries(const std::vector<Step> &steps) const {
  double most = 0;
  for (const Step &step : steps) {
    if (step.kind == Step::Loop)
      most = std::max(most, countTemporaries(step.body));
    if (step.kind != Step::Scalar || step.work.sharedBytes == 0)
      continue;
    double elements = at(step.count) / double(result.threads);
    most = std::max(most, kTemporaries * (elements - kFirstElements));
  }
  return std::min(most, kMostTemporaries);
}

void KernelModel::countRegisters() {
  const GPUSpec *gpu = target.getGPU();
  if (!gpu)
    return;
  double bits = 0;
  for (const Buffer &buffer : kernel.buffers)
    if (buffer.level == Level::Register && !buffer.isView)
      bits += elementsOf(buffer) * double(buffer.bits);
  fragments = bits / 32 / double(result.threads);
  int64_t needed = llvm::alignTo(
      int64_t(fragments + countTemporaries(kernel.steps)) + kOtherRegisters,
      gpu->registerGranule);
  int64_t budget = std::min(
      gpu->maxRegistersPerThread,
      gpu->maxRegistersPerBlock /
          std::max<int64_t>(result.threads + gpu->warpSize, 1));
  spills = needed > budget;
  result.registers = std::min(needed, gpu->maxRegistersPerThread);
}

void KernelModel::countResident() {
  const GPUSpec *gpu = target.getGPU();
  result.resident = 1;
  if (!gpu)
    return;
  // Copies are started by a warp more, or by a group of warps that gives its
  // registers away.
  int64_t group = gpu->groupThreads(), producers = hasTensorCopies ? gpu->warpSize : 0;
  int64_t planned = int64_t(fragments) + kPlannedRegisters;
  if (hasTensorCopies && target.has(Feature::SetMaxNReg) &&
      result.threads > group && result.threads % group == 0 &&
      planned > gpu->maxRegistersPerBlock / (result.threads + group))
    producers = group;
  int64_t threads = result.threads + producers;
  int64_t registers = std::min(
      result.registers, gpu->registersPerSM / std::max<int64_t>(threads, 1) /
                            gpu->registerGranule * gpu->registerGranule);
  int64_t shared = result.sharedBytes + gpu->sharedBytesReserved;
  int64_t fitting =
      shared ? gpu->sharedBytesPerSM / shared : gpu->maxBlocksPerSM;
  result.resident = std::max<int64_t>(
      1, std::min({fitting,
                   gpu->registersPerSM /
                       std::max<int64_t>(registers * threads, 1),
                   gpu->maxThreadsPerSM / std::max<int64_t>(threads, 1),
                   gpu->maxBlocksPerSM}));
  int64_t plannedBlocks = std::min(
      fitting,
      gpu->registersPerSM /
          (std::min(planned, gpu->maxRegistersPerThread) *
           (result.threads + gpu->warpSize)));
  isAhead = hasTensorCopies && result.stages > 1 &&
            plannedBlocks < kManyBlocks && result.blocks > result.units;
}

//===----------------------------------------------------------------------===//
// Work of a block
//===----------------------------------------------------------------------===//

double KernelModel::addBusy(double tensor, double threads, double special,
                            double shared, double times, double latency) {
  double parts[4] = {tensor, threads, special, shared};
  double longest = 0;
  for (unsigned i = 0; i < 4; ++i) {
    work.busy[i] += parts[i] * times;
    longest = std::max(longest, parts[i]);
  }
  // Few threads do not keep all lanes busy.
  double share = std::min(1.0, double(result.threads) / double(rates.lanes));
  double alone = std::max({tensor, shared, threads / share, special / share});
  return std::max(longest, alone) / double(chains) + latency;
}

/// The share of a region that lies in its buffer, on average.
static double getInside(double extent, double size) {
  if (size <= 0 || extent <= 0)
    return extent <= 0 ? 0 : 1;
  return extent / (std::ceil(extent / size) * size);
}

double KernelModel::addCopy(const Step &copy, double times, bool isAsync,
                            double &asyncBytes) {
  double elements = at(copy.count);
  bool reads = levelOf(copy.from) == Level::Global;
  bool writes = levelOf(copy.to) == Level::Global;
  int64_t bits = bitsOf(writes ? copy.to : copy.from);
  double bytes = elements * double(bits) / 8;
  bool converts = bitsOf(copy.from) != bitsOf(copy.to);
  double conversions = converts ? elements / rates.convertLanes : 0;
  if (!reads && !writes) {
    bool isShared = levelOf(copy.from) == Level::Shared ||
                    levelOf(copy.to) == Level::Shared;
    double moves = bytes / kAccessBytes / rates.lanes;
    return addBusy(0, conversions + moves, 0,
                   isShared ? bytes / rates.sharedBytes : 0, times,
                   isShared ? rates.stepLatency : 0);
  }
  double tile = bytes;
  for (const GlobalDim &dim : copy.dims)
    bytes *= getInside(at(dim.extent), at(dim.size));
  if (reads && hasTensorCopies)
    work.outsideBytes += (tile - bytes) * times;
  traffic.push_back(
      {bytes * times, writes ? copy.to : copy.from, sample, copy.places,
       writes});
  work.cacheBytes += bytes * times;
  double row = copy.dims.empty() ? 1 : at(copy.dims.back().size);
  work.cacheRows += elements / std::max(1.0, row) * times;
  int other = reads ? copy.to : copy.from;
  double shared = levelOf(other) == Level::Shared ? bytes / rates.sharedBytes : 0;
  // A result goes through shared memory, there and back.
  if (writes && kernel.buffers[other].isAccumulator)
    shared = 2 * bytes / rates.sharedBytes;
  bool byThreads = levelOf(other) == Level::Register || !hasTensorCopies;
  double moves = byThreads ? bytes / kAccessBytes / rates.lanes : 0;
  double chain = addBusy(0, conversions + moves, 0, shared, times, 0);
  if (isAsync && reads && levelOf(copy.to) == Level::Shared) {
    asyncBytes +=
        bytes + elements / row * rates.rowCentiClocks / 100 * rates.unitCacheBytes;
    return 0;
  }
  double transfer =
      bytes / rates.unitCacheBytes + elements / row * rates.rowCentiClocks / 100;
  // Nobody waits for what is written.
  if (writes)
    return chain + rates.stepLatency;
  return chain + latency + transfer;
}

const MmaRow *KernelModel::chooseInstruction(const Step &gemm) const {
  const MmaRow *best = nullptr;
  int64_t bestRate = 0;
  if (!gemm.types || gemm.scalarGemm)
    return nullptr;
  for (const MmaRow &row : target.mmas) {
    if (!llvm::is_contained(row.a, gemm.types->a) ||
        !llvm::is_contained(row.b, gemm.types->b) ||
        row.c != gemm.types->c || row.scale != gemm.types->scale ||
        (gemm.family && row.family != *gemm.family))
      continue;
    bool readsShared = row.bSpace == Space::Shared;
    if (readsShared && levelOf(gemm.b) != Level::Shared)
      continue;
    int64_t m = values[gemm.m], n = values[gemm.n], k = values[gemm.k];
    bool covers = m % row.m == 0 && n % row.nStep == 0;
    // The product can be computed transposed.
    bool coversSwapped = n % row.m == 0 && m % row.nStep == 0 &&
                         levelOf(gemm.a) == Level::Shared;
    if (target.getGPU() && (k % row.k || !(covers || coversSwapped) ||
                            result.threads % row.threads))
      continue;
    int64_t rate = lookupMatrixRate(target.name, stringify(row.family),
                                    getBitWidth(gemm.types->a));
    if (rate > bestRate || (rate == bestRate && best && row.m < best->m)) {
      best = &row;
      bestRate = rate;
    }
  }
  return best;
}

/// Bytes of shared memory that the operands of a gemm are read with.
double KernelModel::countSharedReads(const Step &gemm, const MmaRow &row) const {
  double m = at(gemm.m), n = at(gemm.n), k = at(gemm.k);
  double a = levelOf(gemm.a) == Level::Shared ? m * k * bitsOf(gemm.a) / 8 : 0;
  double b = levelOf(gemm.b) == Level::Shared ? n * k * bitsOf(gemm.b) / 8 : 0;
  if (!target.getGPU())
    return a + b;
  if (row.bSpace == Space::Shared) {
    double rows = std::fmod(m, double(row.m)) == 0 ? m : n;
    return rows == m ? a + b * (m / row.m) : b + a * (n / row.m);
  }
  double warps = std::max<double>(
      1, double(result.threads) / double(target.getGPU()->warpSize));
  double best = -1;
  for (double along = 1; along <= warps; along *= 2) {
    if (along * row.m > m && along > 1)
      break;
    double bytes = a * (warps / along) + b * along;
    best = best < 0 ? bytes : std::min(best, bytes);
  }
  return best;
}

double KernelModel::addScalarGemm(const Step &gemm, double times) {
  double products = at(gemm.m) * at(gemm.n) * at(gemm.k);
  result.scalarOps += 2 * products * times;
  // A thread computes a few rows and columns, and reads each operand for them.
  double shared = products / 4 * bitsOf(gemm.a) / 8 / rates.sharedBytes / 2;
  return addBusy(0, products / rates.lanes, 0, shared, times,
                 rates.stepLatency);
}

double KernelModel::addGemm(const Step &gemm, double times) {
  const MmaRow *row = chooseInstruction(gemm);
  if (!row)
    return addScalarGemm(gemm, times);
  result.instruction = stringify(row->family).str();
  double m = at(gemm.m), n = at(gemm.n), k = at(gemm.k);
  double operations = 2 * m * n * k;
  double padded = operations;
  if (!target.getGPU())
    padded = 2 * std::ceil(m / row->m) * row->m *
             std::ceil(n / double(row->nMin)) * double(row->nMin) *
             std::ceil(k / row->k) * row->k;
  result.tensorOps += operations * times;
  double rate = double(lookupMatrixRate(target.name, result.instruction,
                                        getBitWidth(gemm.types->a))) *
                rates.tensorPercent / 100;
  double reads = countSharedReads(gemm, *row);
  result.sharedTraffic += reads * times;
  return addBusy(padded / rate, 0, 0, reads / rates.sharedBytes, times,
                 rates.stepLatency);
}

double KernelModel::addScalar(const Step &scalar, double times) {
  double count = at(scalar.count);
  const ScalarWork &w = scalar.work;
  double threads = count * (w.arithmetic / rates.lanes +
                            w.conversions / rates.convertLanes);
  result.scalarOps += count * (w.arithmetic + w.special) * times;
  if (w.globalBytes > 0) {
    traffic.push_back({count * w.globalBytes * times, -1, sample, 7, false});
    work.cacheBytes += count * w.globalBytes * times;
  }
  result.sharedTraffic += count * w.sharedBytes * times;
  double wait = w.globalBytes > 0
                    ? latency + count * w.globalBytes / rates.unitCacheBytes
                    : rates.stepLatency / 2.0;
  return addBusy(0, threads, count * w.special / rates.specialLanes,
                 count * w.sharedBytes / rates.sharedBytes, times, wait);
}

double KernelModel::addReduce(const Step &reduce, double times) {
  double elements = at(reduce.count);
  double rows = std::max(1.0, at(reduce.rows));
  double threads = elements / rates.lanes;
  result.scalarOps += elements * times;
  // Lanes of a row combine in steps, then warps through shared memory.
  double warp = target.getGPU() ? double(target.getGPU()->warpSize) : 1;
  double lanes = std::clamp(double(result.threads) / rows, 1.0, elements / rows);
  if (kernel.buffers[reduce.from].isAccumulator)
    lanes = std::min(lanes, 4.0);
  double steps = std::log2(std::max(1.0, std::min(lanes, warp)));
  double wait = steps * rates.shuffleLatency;
  if (lanes > warp)
    wait += 2 * rates.stepLatency;
  double shared = levelOf(reduce.from) == Level::Shared
                      ? elements * bitsOf(reduce.from) / 8 / rates.sharedBytes
                      : 0;
  return addBusy(0, threads + steps * rows / warp, 0, shared, times, wait);
}

double KernelModel::addLoop(const Step &loop, double times) {
  double trips = std::max(0.0, at(loop.count));
  if (trips == 0)
    return 0;
  double stages = loop.isPipelined ? double(stagesOf(loop)) : 1;
  double asyncBytes = 0;
  double chain = addSteps(loop.body, times * trips,
                          loop.isPipelined && stages > 1, asyncBytes) +
                 rates.stepLatency;
  if (asyncBytes == 0)
    return trips * chain;
  // A stage is filled, used and filled again.
  double load = latency + asyncBytes / rates.unitCacheBytes;
  double interval = std::max(chain, (load + chain) / stages);
  work.fill += load * times;
  return load + chain + (trips - 1) * interval;
}

double KernelModel::addSteps(const std::vector<Step> &steps, double times,
                             bool isAsync, double &asyncBytes) {
  double chain = 0;
  for (const Step &step : steps) {
    switch (step.kind) {
    case Step::Copy:
      chain += addCopy(step, times, isAsync, asyncBytes);
      break;
    case Step::Gemm:
      chain += addGemm(step, times);
      break;
    case Step::Scalar:
      chain += addScalar(step, times);
      break;
    case Step::Reduce:
      chain += addReduce(step, times);
      break;
    case Step::Loop:
      chain += addLoop(step, times);
      break;
    }
  }
  return chain;
}

/// Whether a trip count depends on where the block is.
static bool dependsOnPlace(const ExprGraph &exprs,
                           const std::vector<Step> &steps) {
  return llvm::any_of(steps, [&](const Step &step) {
    return step.kind == Step::Loop && (exprs.getPlaces(step.count) ||
                                       dependsOnPlace(exprs, step.body));
  });
}

/// The mean over blocks, where they differ.
void KernelModel::addWorkOfAllBlocks() {
  int64_t samples =
      dependsOnPlace(program.exprs, kernel.steps) ? kSamples : 1;
  result.tensorOps = result.scalarOps = result.sharedTraffic = 0;
  work = {};
  traffic.clear();
  for (int64_t i = 0; i < samples; ++i) {
    sample = int(i);
    if (samples > 1) {
      int64_t places[3];
      for (unsigned d = 0; d < 3; ++d)
        places[d] = int64_t(grid[d] * (2 * i + 1) / double(2 * samples));
      program.exprs.evaluate(symbols, places, values);
    }
    double none = 0;
    work.chain += addSteps(kernel.steps, 1.0 / double(samples), false, none) /
                  double(samples);
  }
  work.chain += rates.blockLatency;
  work.fill += rates.blockLatency;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// The share of what is read again that is no longer in the cache, where so many
/// bytes are in use.
static double getMissRate(double bytes, const Rates &rates) {
  double cache = double(rates.cacheSize) * 1024;
  return std::clamp((bytes / cache - kCacheShare) / (1 - kCacheShare), 0.0, 1.0);
}

/// Bytes that so many blocks at a time read from memory: those that they share
/// once, and what is still in the cache not at all.
double KernelModel::countDramBytes(double blocks) {
  double all = double(result.blocks), shape[3];
  double group = kernel.group ? std::max(1.0, at(kernel.group)) : 1;
  shape[1] = kernel.group ? std::min(grid[1], group) : 1;
  shape[0] = std::min(grid[0], std::ceil(blocks / shape[1]));
  if (shape[0] * shape[1] < blocks)
    shape[1] = std::min(grid[1], std::ceil(blocks / shape[0]));
  shape[2] = std::min(grid[2], std::ceil(blocks / (shape[0] * shape[1])));
  double footprint = 0, inUse = 0;
  for (const Traffic &t : traffic) {
    double parts = 1;
    for (unsigned d = 0; d < 3; ++d)
      parts *= t.places >> d & 1 ? grid[d] : 1;
    footprint += t.bytes * parts;
    inUse += t.bytes * blocks;
  }
  double miss = getMissRate(footprint, rates);
  double missAgain = getMissRate(inUse / 2, rates);
  double bytes = 0;
  llvm::SmallDenseSet<std::pair<int, int>, 8> seen;
  for (const Traffic &t : traffic) {
    double parts = 1, atATime = 1;
    for (unsigned d = 0; d < 3; ++d)
      if (t.places >> d & 1) {
        parts *= grid[d];
        atATime *= shape[d];
      }
    double once = t.bytes * parts * blocks / all;
    double again = t.bytes * std::min(atATime, blocks);
    double read = once + std::max(0.0, again - once) * miss;
    // A block that reads a region twice may find it in the cache.
    bool isAgain = !t.isWrite && t.buffer >= 0 &&
                   !seen.insert({t.buffer, t.sample}).second;
    bytes += t.isWrite ? again : isAgain ? read * missAgain : read;
  }
  return bytes;
}

/// The unit takes bytes and rows one after the other, and so does the cache
/// from all units.
double KernelModel::getCacheClocks(double perUnit, double active) const {
  double unit = work.cacheBytes / rates.unitCacheBytes +
                work.cacheRows * rates.rowCentiClocks / 100;
  double all = (work.cacheBytes + work.outsideBytes * kOutsideFactor) * active /
                   rates.cacheBytes +
               work.cacheRows * rates.cacheRowCentiClocks / 100 * active /
                   double(result.units);
  return perUnit * std::max(unit, all);
}

/// Of a number of blocks on each of the active units.
double KernelModel::getWaveTime(double perUnit, double active) {
  double parts[kNumResources] = {};
  for (unsigned i = 0; i < 4; ++i)
    parts[i] = work.busy[i] * perUnit;
  parts[unsigned(Resource::Cache)] = getCacheClocks(perUnit, active);
  parts[unsigned(Resource::Dram)] =
      countDramBytes(perUnit * active) / rates.dramBytes;
  parts[unsigned(Resource::Latency)] =
      isAhead ? std::max(0.0, work.chain - work.fill) : work.chain;
  double sum = 0;
  for (double part : parts)
    sum += std::pow(part, kNorm);
  return std::pow(sum, 1 / kNorm);
}

void KernelModel::addWaves() {
  double units = double(result.units), room = units * double(result.resident);
  double blocks = double(result.blocks);
  double full = std::floor(blocks / room), rest = blocks - full * room;
  result.waves = blocks / room;
  result.tail = int64_t(rest);
  double clocks = 0;
  if (full > 0)
    clocks += full * getWaveTime(double(result.resident), units);
  if (rest > 0)
    clocks += getWaveTime(std::ceil(rest / units), std::min(rest, units));
  if (isAhead)
    clocks += work.fill;
  if (spills)
    clocks *= kSpillFactor;
  result.seconds = clocks / (double(rates.mhz) * 1e6) + rates.launchNs * 1e-9;
}

/// For how long each resource is busy in all, and what binds.
void KernelModel::describeBusy() {
  double hertz = double(rates.mhz) * 1e6;
  double perUnit = double(result.blocks) / double(result.units);
  for (unsigned i = 0; i < 4; ++i)
    result.busy[i] = work.busy[i] * perUnit / hertz;
  result.cacheBytes = work.cacheBytes * double(result.blocks);
  result.busy[unsigned(Resource::Cache)] =
      getCacheClocks(perUnit, double(result.units)) / hertz;
  double room = std::min(double(result.blocks),
                          double(result.units * result.resident));
  result.dramBytes = countDramBytes(room) * double(result.blocks) / room;
  result.busy[unsigned(Resource::Dram)] =
      result.dramBytes / rates.dramBytes / hertz;
  double chain = isAhead ? work.chain - work.fill : work.chain;
  result.busy[unsigned(Resource::Latency)] =
      std::ceil(result.waves) * std::max(0.0, chain) / hertz;
  result.busy[unsigned(Resource::Launch)] = rates.launchNs * 1e-9;
  unsigned most = 0;
  for (unsigned i = 1; i < kNumResources; ++i)
    if (result.busy[i] > result.busy[most])
      most = i;
  result.binding = Resource(most);
  double footprint = countDramBytes(double(result.blocks));
  result.rooflineSeconds =
      std::max({footprint / rates.dramBytes / hertz,
                result.busy[unsigned(Resource::Tensor)],
                result.scalarOps / rates.lanes / double(result.units) / hertz});
  result.tensorOps *= double(result.blocks);
  result.scalarOps *= double(result.blocks);
  result.sharedTraffic *= double(result.blocks);
}

KernelEstimate KernelModel::run() {
  result.function = kernel.function;
  result.index = kernel.index;
  result.threads = std::max<int64_t>(values[kernel.threads], 1);
  const GPUSpec *gpu = target.getGPU();
  result.units = rates.units ? rates.units
                 : gpu       ? gpu->defaultSMs
                             : target.getAscend()->defaultCores;
  result.blocks = 1;
  for (auto [d, extent] : llvm::enumerate(kernel.grid)) {
    grid[std::min<size_t>(d, 2)] *= std::max(0.0, at(extent));
    result.blocks *= std::max<int64_t>(values[extent], 0);
  }
  result.launches = kernel.repeats ? std::max<int64_t>(values[kernel.repeats], 0) : 1;
  if (gpu && result.threads > gpu->maxThreadsPerBlock) {
    result.problem = llvm::formatv("has {0} threads, but {1} has {2} for a block",
                                   result.threads, target.name.str(),
                                   gpu->maxThreadsPerBlock);
    return result;
  }
  hasTensorCopies = gpu && gpu->tma;
  latency = rates.dramLatency;
  if (!fitShared())
    return result;
  countRegisters();
  if (result.blocks == 0) {
    result.seconds = rates.launchNs * 1e-9;
    return result;
  }
  // What the gemms are decides how many parts of a block there are.
  addWorkOfAllBlocks();
  if (gpu && result.instruction == "wgmma")
    chains = std::max<int64_t>(1, result.threads / gpu->groupThreads());
  addWorkOfAllBlocks();
  countResident();
  addWaves();
  describeBusy();
  result.seconds *= double(result.launches);
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

const Requirement *Estimator::findUnmet(const SymbolValues &symbols) {
  program.exprs.evaluate(symbols, {}, values);
  for (const Requirement &requirement : program.requirements)
    if (!values[requirement.condition])
      return &requirement;
  return nullptr;
}

Estimate Estimator::estimate(const SymbolValues &symbols) {
  Estimate all;
  for (const Kernel &kernel : program.kernels) {
    program.exprs.evaluate(symbols, {}, values);
    KernelEstimate one =
        KernelModel(program, kernel, target, rates, symbols, values).run();
    if (!one.problem.empty() && all.problem.empty())
      all.problem = one.problem;
    all.seconds += one.seconds;
    all.kernels.push_back(std::move(one));
  }
  return all;
}
