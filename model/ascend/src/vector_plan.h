// Which lanes a vector instruction touches and where they are: repeats of 256
// bytes of the widest operand, cut into 32-byte blocks.
#pragma once
#include "instruction.h"
#include "numeric.h"

namespace tile_ascend {

struct Plan {
  uint32_t perRepeat = 0; // lanes of a full repeat
  uint32_t repeats = 0;
  uint64_t bits[2] = {
      0, 0};          // active lanes of each repeat, unless the count decides
  int64_t total = -1; // lanes altogether, when the count decides
  bool contiguous = false; // the "first n elements" form: strides are implied

  bool active(uint32_t repeat, uint32_t lane) const {
    if (total >= 0)
      return int64_t(repeat) * perRepeat + lane < total;
    return bits[lane / 64] >> lane % 64 & 1;
  }
  bool full(uint32_t repeat) const {
    return total >= 0 && int64_t(repeat + 1) * perRepeat <= total;
  }
};

// Lanes of a repeat in which `widest` is the widest element. Reports limits on
// mask and repeat.
Plan makePlan(Instruction &instruction, const Lanes &lanes, DType widest);

// Positions of one operand's elements, in bits so that int4b_t works too.
struct Walk {
  uint64_t base, bits, perBlock, block, repeat;
  Walk(const Operand &operand, Stride stride, const Plan &plan);
  uint64_t bitAt(uint32_t r, uint32_t lane) const {
    return base + r * repeat + lane / perBlock * block + lane % perBlock * bits;
  }
  uint64_t byteAt(uint32_t r, uint32_t lane) const {
    return bitAt(r, lane) / 8;
  }
  bool highNibble(uint32_t r, uint32_t lane) const {
    return bitAt(r, lane) & 4;
  }
};

std::vector<Range> rangesOf(const Walk &walk, const Plan &plan);

// The overlap rules of the general constraints page: within a repeat a source
// and the destination coincide or are disjoint; a repeat's destination is no
// later repeat's source. `narrowing`: the destination's elements are narrower,
// so starting at the same address is safe. `accumulates`: this source may be an
// accumulator that every repeat adds to.
void checkOverlap(Instruction &instruction, const Operand &dst,
                  const Walk &dstWalk, const Operand &src, const Walk &srcWalk,
                  const Plan &plan, bool narrowing, bool accumulates);

// The same rules for operands that no Walk describes: the bytes that each repeat
// writes and reads.
void checkOverlap(Instruction &instruction, const std::vector<Range> &writes,
                  const std::vector<Range> &reads);
// What each repeat of a walk reads, from its first active lane to its last.
std::vector<Range> extentsOf(const Walk &walk, const Plan &plan);

template <typename F>
void forEachLane(const Plan &plan, F &&f) {
  for (uint32_t r = 0; r < plan.repeats; ++r)
    for (uint32_t lane = 0; lane < plan.perRepeat; ++lane)
      if (plan.active(r, lane))
        f(r, lane);
}

// Checks shared by all vector instructions: operands in UB, aligned.
void checkVector(Instruction &instruction,
                 std::initializer_list<const Operand *> operands);

} // namespace tile_ascend
