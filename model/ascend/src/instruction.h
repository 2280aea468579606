// Builds one instruction: checks its operands when it is issued, and queues it
// if they are good.
#pragma once
#include <initializer_list>

#include "launch.h"

namespace tile_ascend {

// The bytes of an operand's memory and their validity, by absolute address.
struct View {
  uint8_t *data;
  uint8_t *valid;
};

inline View viewOf(Core &core, const Operand &operand) {
  Memory &memory = core.launch->memoryOf(core, operand);
  return {memory.data, memory.valid.data()};
}

class Instruction {
public:
  Instruction(const char *op, Pipe pipe, Loc loc);

  // Each check reports and returns false when it fails; a failed instruction is
  // not queued.
  bool require(bool condition, TileAscendReportKind kind,
               const std::string &message);
  bool inMemory(const Operand &operand, std::initializer_list<Mem> memories,
                const char *role);
  bool aligned(const Operand &operand, uint32_t alignment, const char *role);
  bool aligned(const Operand &operand,
               const char *role); // to the memory's own alignment
  bool atMost(uint64_t value, uint64_t limit, const char *name,
              TileAscendReportKind kind = TILE_ASCEND_REPORT_PARAM_RANGE);

  // Operands. `strict`: poison in these bytes is an error; otherwise run()
  // carries it along.
  void read(const Operand &operand, std::vector<Range> ranges, bool strict);
  void write(const Operand &operand, std::vector<Range> ranges);
  // An operand whose bytes only the execution knows: checks that it is in
  // bounds.
  bool inBounds(const Operand &operand, const std::vector<Range> &ranges,
                const char *verb);

  // Atomic stores to GM, if SetAtomicAdd and its like are on.
  void maybeAtomic();
  void issue(std::function<void(Core &, Instr &)> run);

  bool good() const { return ok; }
  Core &core;
  Launch &launch;
  const TileAscendChip &chip;
  Place place;
  Instr instr;

private:
  bool ok = true;
};

// One contiguous range at an operand's start.
inline std::vector<Range> span(const Operand &operand, int64_t offset,
                               int64_t bytes) {
  return {{static_cast<uint64_t>(operand.addr + offset),
           static_cast<uint64_t>(operand.addr + offset + bytes)}};
}

inline uint32_t bytesOf(DType type) { return bitsOf(type) / 8; }
inline uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
inline uint64_t roundUp(uint64_t a, uint64_t b) { return ceilDiv(a, b) * b; }

} // namespace tile_ascend
