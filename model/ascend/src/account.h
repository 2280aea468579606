// The account of time: when each pipe would start and end what it executes. It
// runs beside the execution in program order and changes nothing there.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "tile_ascend/engine.h"
#include "tile_ascend_time.h"

namespace tile_ascend {

struct Instr;
struct Core;
struct Queue;
struct Place;

// Of one pipe of a core.
struct PipeTime {
  double free = 0; // for the next instruction
  double done = 0; // the results of all so far
  double busy = 0;
  std::deque<double> starts; // of instructions that may still be in the queue
};

// Of a core's scalar unit.
struct CoreTime {
  double now = 0;
  double queueStall = 0, crossStall = 0;
};

struct Interval {
  double start, end;
  const char *op;
  uint32_t line, block;
  const char *core;
  Pipe pipe;
};

// All that is kept of launches.
struct TimeAccount {
  TileAscendTime total{};
  double waveStart = 0;
  bool keepsTrace = false;
  std::vector<Interval> intervals;
  std::string text;

  void restart() {
    total = {};
    waveStart = 0;
    intervals.clear();
  }
  double cost(const TileAscendChip &chip, TileAscendCost what) const {
    return tileAscendCost(&chip, what).value;
  }
  // An instruction leaves the scalar unit, which waits for room in the queue.
  void issue(const TileAscendChip &chip, Core &core, Queue &queue,
             Instr &instr);
  void work(const TileAscendChip &chip, const Core &core, Queue &queue,
            const Instr &instr, const Place &place);
  // A pipe does nothing before that.
  void hold(Queue &queue, const Instr &instr, double until);
  void endWave(std::deque<Core> &cores);
};

} // namespace tile_ascend
