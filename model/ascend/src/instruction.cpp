#include "instruction.h"

#include <algorithm>

using namespace tile_ascend;

namespace {
using ull = unsigned long long;

bool onAic(Mem mem) { return mem != TILE_ASCEND_GM && mem != TILE_ASCEND_UB; }
} // namespace

Instruction::Instruction(const char *op, Pipe pipe, Loc loc)
    : core(runningCore()), launch(running()), chip(launch.chip),
      place(launch.placeOf(core, op, loc, pipe)) {
  place.ordinal = ++core.ordinal;
  ++launch.model.stats.instructions;
  instr.pipe = pipe;
  instr.op = op;
  if (!core.initialised && !core.initReported) {
    core.initReported = true;
    // Static-tensor programming, "kernel start": registers have no defined
    // value before InitSocState.
    launch.report(TILE_ASCEND_REPORT_NO_INIT, place,
                  "expected InitSocState() before the first instruction");
  }
}

bool Instruction::require(bool condition, TileAscendReportKind kind,
                          const std::string &message) {
  if (condition)
    return true;
  ok = false;
  launch.report(kind, place, std::string(place.op) + ": " + message);
  return false;
}

bool Instruction::inMemory(const Operand &operand,
                           std::initializer_list<Mem> memories,
                           const char *role) {
  if (std::find(memories.begin(), memories.end(), operand.mem) !=
      memories.end())
    return true;
  std::string legal;
  for (Mem mem : memories)
    legal += (legal.empty() ? "" : " or ") + std::string(memName(mem));
  return require(false, TILE_ASCEND_REPORT_DATA_PATH,
                 format("expected %s in %s, got %s", role, legal.c_str(),
                        memName(operand.mem)));
}

bool Instruction::aligned(const Operand &operand, uint32_t alignment,
                          const char *role) {
  return require(
      operand.addr % alignment == 0, TILE_ASCEND_REPORT_MISALIGNED,
      format(
          "expected the address of %s in %s to be a multiple of %u, got %lld",
          role, memName(operand.mem), alignment,
          static_cast<long long>(operand.addr)));
}

bool Instruction::aligned(const Operand &operand, const char *role) {
  return aligned(operand, chip.memAlign[operand.mem], role);
}

bool Instruction::atMost(uint64_t value, uint64_t limit, const char *name,
                         TileAscendReportKind kind) {
  return require(value <= limit, kind,
                 format("expected %s at most %llu, got %llu", name,
                        static_cast<ull>(limit), static_cast<ull>(value)));
}

bool Instruction::inBounds(const Operand &operand,
                           const std::vector<Range> &ranges, const char *verb) {
  if (ranges.empty())
    return true;
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  for (const Range &range : ranges) {
    lo = std::min(lo, static_cast<int64_t>(range.lo));
    hi = std::max(hi, static_cast<int64_t>(range.hi));
  }
  if (operand.mem == TILE_ASCEND_GM) {
    if (!require(operand.buffer >= 0, TILE_ASCEND_REPORT_GM_BOUNDS,
                 format("%s GM at a pointer into no argument", verb)))
      return false;
    auto size = static_cast<int64_t>(
        launch.buffers[static_cast<size_t>(operand.buffer)].valid.size());
    return require(
               lo >= 0 && hi <= size, TILE_ASCEND_REPORT_GM_BOUNDS,
               format("%s GM bytes [%lld, %lld) of argument %d, which has %lld",
                      verb, static_cast<long long>(lo),
                      static_cast<long long>(hi), operand.buffer,
                      static_cast<long long>(size))) &&
           require(lo >= operand.addr && hi <= operand.addr + operand.bytes,
                   TILE_ASCEND_REPORT_TENSOR_BOUNDS,
                   format("%s %lld bytes past the end of a GlobalTensor", verb,
                          static_cast<long long>(hi - operand.addr -
                                                 operand.bytes)));
  }
  const Core &owner = launch.ownerOf(core, operand.unit);
  if (!require(onAic(operand.mem) == owner.aic, TILE_ASCEND_REPORT_WRONG_CORE,
               format("%s does not exist on an %s", memName(operand.mem),
                      owner.aic ? "AIC" : "AIV")) ||
      !require(launch.inKernel(owner), TILE_ASCEND_REPORT_WRONG_CORE,
               format("%s of %s, which the kernel type leaves out",
                      memName(operand.mem), owner.name)))
    return false;
  uint32_t capacity = chip.memBytes[operand.mem];
  return require(lo >= 0 && hi <= static_cast<int64_t>(capacity),
                 TILE_ASCEND_REPORT_CAPACITY,
                 format("%s %s bytes [%lld, %lld), but there are %u", verb,
                        memName(operand.mem), static_cast<long long>(lo),
                        static_cast<long long>(hi), capacity)) &&
         require(hi <= operand.addr + operand.bytes,
                 TILE_ASCEND_REPORT_TENSOR_BOUNDS,
                 format("%s %s bytes [%lld, %lld), but the tensor ends at %lld",
                        verb, memName(operand.mem), static_cast<long long>(lo),
                        static_cast<long long>(hi),
                        static_cast<long long>(operand.addr + operand.bytes)));
}

void Instruction::read(const Operand &operand, std::vector<Range> ranges,
                       bool strict) {
  if (!inBounds(operand, ranges, "reads"))
    return;
  coalesce(ranges);
  instr.reads.push_back({operand, std::move(ranges), strict});
}

void Instruction::write(const Operand &operand, std::vector<Range> ranges) {
  if (!inBounds(operand, ranges, "writes"))
    return;
  coalesce(ranges);
  instr.writes.push_back({operand, std::move(ranges), false});
}

void Instruction::maybeAtomic() {
  instr.atomic = core.atomicOp != AtomicOp::None;
}

void Instruction::issue(std::function<void(Core &, Instr &)> run) {
  if (!ok)
    return;
  instr.id = launch.addPlace(place);
  for (const auto *regions : {&instr.reads, &instr.writes})
    for (const Region &region : *regions)
      if (region.operand.mem == TILE_ASCEND_UB && !region.ranges.empty() &&
          region.ranges.back().hi > core.ubHigh) {
        core.ubHigh = region.ranges.back().hi;
        core.ubHighPlace = instr.id;
      }
  // Page "Select": modes 1 and 2 use the last 8 KB of UB.
  if (core.usesSelect &&
      core.ubHigh > chip.memBytes[TILE_ASCEND_UB] - chip.ubReserve)
    launch.report(TILE_ASCEND_REPORT_UB_RESERVE,
                  launch.places[core.ubHighPlace],
                  format("uses UB up to byte %llu, but Select modes 1 and 2 "
                         "need the bytes from %u on",
                         static_cast<ull>(core.ubHigh),
                         chip.memBytes[TILE_ASCEND_UB] - chip.ubReserve),
                  &launch.places[core.selectPlace]);
  instr.run = std::move(run);
  launch.enqueue(core, std::move(instr));
}
