#include "account.h"

#include <algorithm>
#include <cmath>

#include "launch.h"

using namespace tile_ascend;

static const struct {
  TileAscendFigure figure;
  double other; // of architecture 3510
} figures[] = {
#define TILE_ASCEND_COST(ID, NAME, UNIT, ORIGIN, VALUE_2201, VALUE_3510,       \
                         SOURCE)                                               \
  {{NAME, UNIT, ORIGIN, VALUE_2201, SOURCE}, VALUE_3510},
#include "tile_ascend/costs.def"
#undef TILE_ASCEND_COST
};

TileAscendFigure tileAscendCost(const TileAscendChip *chip,
                                TileAscendCost cost) {
  TileAscendFigure figure = figures[cost].figure;
  if (chip->npuArch == 3510)
    figure.value = figures[cost].other;
  return figure;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static double bytesOf(const std::vector<Region> &regions, size_t i) {
  double sum = 0;
  if (i < regions.size())
    for (const Range &range : regions[i].ranges)
      sum += static_cast<double>(range.hi - range.lo);
  return sum;
}

namespace {
struct Cost {
  double busy, late; // holds its pipe; until the result is there
};

bool isOneOf(const char *op, std::initializer_list<const char *> names) {
  return std::any_of(names.begin(), names.end(), [&](const char *name) {
    return std::string(op) == name;
  });
}

// m n k of a product, by the bytes of its three tiles.
double productsOf(const Instr &instr, double elementBytes) {
  double a = bytesOf(instr.reads, 0) / elementBytes,
         b = bytesOf(instr.reads, 1) / elementBytes,
         c = bytesOf(instr.writes, 0) / 4;
  return std::sqrt(a * b * c);
}

Cost costOf(const TimeAccount &time, const TileAscendChip &chip,
            const Instr &instr) {
  auto get = [&](TileAscendCost what) { return time.cost(chip, what); };
  double bytes = 0, rows = 0;
  bool isGlobal = false;
  Mem target = TILE_ASCEND_UB;
  for (const auto *regions : {&instr.reads, &instr.writes})
    for (size_t i = 0; i < regions->size(); ++i) {
      const Region &region = (*regions)[i];
      bytes = std::max(bytes, bytesOf(*regions, i));
      if (regions == &instr.writes)
        target = region.operand.mem;
      if (region.operand.mem != TILE_ASCEND_GM)
        continue;
      isGlobal = true;
      rows = std::max(rows, static_cast<double>(region.ranges.size()));
    }
  switch (instr.pipe) {
  case TILE_ASCEND_PIPE_V: {
    double factor =
        isOneOf(instr.op, {"Exp", "Ln", "Div", "Sqrt", "Rsqrt", "Reciprocal"})
            ? get(TILE_ASCEND_COST_VECTOR_HARD)
        : isOneOf(instr.op, {"Gather", "GatherMask", "Sort32", "MrgSort"})
            ? get(TILE_ASCEND_COST_VECTOR_GATHER)
            : 1;
    return {std::ceil(bytes / get(TILE_ASCEND_COST_VECTOR_BYTES)) * factor,
            get(TILE_ASCEND_COST_VECTOR_LATENCY)};
  }
  case TILE_ASCEND_PIPE_M: {
    double element =
        instr.reads.empty()
            ? 2
            : bitsOf(instr.reads.front().operand.type) / 8.0;
    double factor = element >= 4  ? get(TILE_ASCEND_COST_CUBE_F32)
                    : element < 2 ? get(TILE_ASCEND_COST_CUBE_I8)
                                  : 1;
    return {productsOf(instr, element) * factor /
                get(TILE_ASCEND_COST_CUBE_MACS),
            get(TILE_ASCEND_COST_CUBE_LATENCY)};
  }
  default:
    break;
  }
  if (isGlobal)
    return {bytes / get(TILE_ASCEND_COST_GM_BYTES) +
                rows * get(TILE_ASCEND_COST_GM_ROW),
            get(TILE_ASCEND_COST_GM_LATENCY)};
  TileAscendCost path = target == TILE_ASCEND_L0A   ? TILE_ASCEND_COST_L0A_BYTES
                        : target == TILE_ASCEND_L0B ? TILE_ASCEND_COST_L0B_BYTES
                                                    : TILE_ASCEND_COST_CORE_BYTES;
  return {bytes / get(path), get(TILE_ASCEND_COST_L1_LATENCY)};
}
} // namespace

void TimeAccount::issue(const TileAscendChip &chip, Core &core, Queue &queue,
                        Instr &instr) {
  core.time.now += cost(chip, instr.kind == Instr::Work
                                  ? TILE_ASCEND_COST_ISSUE
                                  : TILE_ASCEND_COST_ISSUE_SYNC);
  // Those that are pending have not started; of the others, the one that makes
  // room.
  std::deque<double> &starts = queue.time.starts;
  size_t others = chip.queueDepth - queue.pending.size();
  if (starts.size() >= others) {
    double room = starts[starts.size() - others];
    core.time.queueStall += std::max(0.0, room - core.time.now);
    core.time.now = std::max(core.time.now, room);
  }
  while (starts.size() > chip.queueDepth)
    starts.pop_front();
  instr.issuedAt = core.time.now;
}

void TimeAccount::work(const TileAscendChip &chip, const Core &core,
                       Queue &queue, const Instr &instr, const Place &place) {
  Cost cost = costOf(*this, chip, instr);
  hold(queue, instr, 0);
  double start = queue.time.free;
  queue.time.free += cost.busy;
  queue.time.busy += cost.busy;
  queue.time.done = std::max(queue.time.done, queue.time.free + cost.late);
  constexpr size_t kMostIntervals = 200000;
  if (keepsTrace && core.block == 0 && intervals.size() < kMostIntervals)
    intervals.push_back({waveStart + start, waveStart + queue.time.free,
                         instr.op, place.loc.line, core.block, core.name,
                         instr.pipe});
}

void TimeAccount::hold(Queue &queue, const Instr &instr, double until) {
  queue.time.free = std::max({queue.time.free, instr.issuedAt, until});
  queue.time.starts.push_back(queue.time.free);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void TimeAccount::endWave(std::deque<Core> &cores) {
  double end = 0;
  uint32_t cubes = 0, vectors = 0;
  for (Core &core : cores) {
    double last = core.time.now;
    for (Queue &queue : core.queues)
      last = std::max({last, queue.time.free, queue.time.done});
    bool works = false;
    for (int pipe = 0; pipe < kPipes; ++pipe) {
      double busy = core.queues[pipe].time.busy;
      (core.aic ? total.cubeBusy : total.vectorBusy)[pipe] += busy;
      works |= busy > 0;
    }
    if (!works)
      continue;
    end = std::max(end, last);
    ++(core.aic ? cubes : vectors);
    total.queueStall += core.time.queueStall;
    total.crossStall += core.time.crossStall;
  }
  total.cubeCores = std::max(total.cubeCores, cubes);
  total.vectorCores = std::max(total.vectorCores, vectors);
  total.cycles += end;
  waveStart += end;
  ++total.waves;
}

TileAscendTime tileAscendModelTime(const TileAscendModel *model) {
  return model->time.total;
}

void tileAscendModelKeepTrace(TileAscendModel *model) {
  model->time.keepsTrace = true;
}

const char *tileAscendModelTrace(TileAscendModel *model) {
  std::string &text = model->time.text;
  text.clear();
  for (const Interval &at : model->time.intervals)
    text += format("{\"name\":\"%s\",\"cat\":\"line %u\",\"ph\":\"X\","
                   "\"ts\":%.2f,\"dur\":%.2f,\"pid\":\"%s\",\"tid\":\"%s\"},\n",
                   at.op, at.line, at.start, at.end - at.start, at.core,
                   pipeNameOf(at.pipe));
  return text.c_str();
}
