#include "vector_plan.h"

#include <algorithm>

using namespace tile_ascend;

namespace {
constexpr uint32_t kRepeatBytes = 256;
constexpr int32_t kMaxRepeat = 255;

void leadingLanes(uint64_t count, uint64_t bits[2]) {
  for (int i = 0; i < 2; ++i) {
    uint64_t lanes = count > 64u * i ? count - 64u * i : 0;
    bits[i] = lanes >= 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  }
}

void normalMask(Instruction &instruction, const Lanes &lanes, Plan *plan) {
  if (lanes.kind == Lanes::Mask) {
    instruction.require(lanes.count >= 0 && lanes.count <= plan->perRepeat,
                        TILE_ASCEND_REPORT_MASK_LIMIT,
                        format("expected a mask of at most %u lanes, got %lld",
                               plan->perRepeat,
                               static_cast<long long>(lanes.count)));
    return leadingLanes(static_cast<uint64_t>(lanes.count), plan->bits);
  }
  bool own = lanes.kind == Lanes::Bits;
  uint64_t legal[2];
  leadingLanes(plan->perRepeat, legal);
  for (int i = 0; i < 2; ++i) {
    uint64_t bits = own ? lanes.bits[i] : instruction.core.mask[i];
    instruction.require(
        !own || !(bits & ~legal[i]), TILE_ASCEND_REPORT_MASK_LIMIT,
        format(
            "the bit mask names lanes from %u on, which a repeat does not have",
            plan->perRepeat));
    plan->bits[i] = bits & legal[i];
  }
}
// What an instruction that sets the mask itself leaves in the register: the
// form for n elements goes back to normal mode with every lane on (page
// "masks").
void leaveMask(Core &core, const Lanes &lanes, const Plan &plan) {
  if (lanes.kind == Lanes::Register)
    return;
  if (plan.contiguous)
    core.maskCount = false;
  core.mask[0] = plan.contiguous  ? ~uint64_t(0)
                 : core.maskCount ? static_cast<uint64_t>(plan.total)
                                  : plan.bits[0];
  core.mask[1] = plan.contiguous  ? ~uint64_t(0)
                 : core.maskCount ? 0
                                  : plan.bits[1];
}
} // namespace

Plan tile_ascend::makePlan(Instruction &instruction, const Lanes &lanes,
                           DType widest) {
  Plan plan;
  plan.perRepeat = kRepeatBytes / bytesOf(widest);
  plan.contiguous = lanes.kind == Lanes::Count;
  if (lanes.kind != Lanes::Count)
    instruction.require(lanes.repeats >= 0 && lanes.repeats <= kMaxRepeat,
                        TILE_ASCEND_REPORT_REPEAT_LIMIT,
                        format("expected a repeatTime of 0 to %d, got %d",
                               kMaxRepeat, lanes.repeats));
  Core &core = instruction.core;
  if (plan.contiguous || core.maskCount) {
    // Counter mode: the mask is the number of elements, and the repeats follow
    // from it (page "masks").
    plan.total = lanes.kind == Lanes::Bits ? static_cast<int64_t>(lanes.bits[0])
                 : lanes.kind == Lanes::Register
                     ? static_cast<int64_t>(core.mask[0])
                     : lanes.count;
    instruction.require(plan.total >= 0 && plan.total <= INT32_MAX,
                        TILE_ASCEND_REPORT_MASK_LIMIT,
                        format("expected a count of elements, got %lld",
                               static_cast<long long>(plan.total)));
    plan.repeats = instruction.good()
                       ? static_cast<uint32_t>(ceilDiv(
                             static_cast<uint64_t>(plan.total), plan.perRepeat))
                       : 0;
  } else {
    normalMask(instruction, lanes, &plan);
    bool any = plan.bits[0] || plan.bits[1];
    plan.repeats =
        instruction.good() && any ? static_cast<uint32_t>(lanes.repeats) : 0;
  }
  leaveMask(core, lanes, plan);
  return plan;
}

Walk::Walk(const Operand &operand, Stride stride, const Plan &plan)
    : base(static_cast<uint64_t>(operand.addr) * 8), bits(bitsOf(operand.type)),
      perBlock(kBlock * 8 / bits) {
  block =
      (plan.contiguous ? 1 : static_cast<uint64_t>(stride.block)) * kBlock * 8;
  repeat = plan.contiguous ? plan.perRepeat * bits
                           : static_cast<uint64_t>(stride.repeat) * kBlock * 8;
}

std::vector<Range> tile_ascend::rangesOf(const Walk &walk, const Plan &plan) {
  std::vector<Range> ranges;
  auto add = [&](uint64_t lo, uint64_t hi) {
    lo /= 8, hi = (hi + 7) / 8;
    if (!ranges.empty() && ranges.back().hi >= lo && ranges.back().lo <= lo)
      ranges.back().hi = std::max(ranges.back().hi, hi);
    else
      ranges.push_back({lo, hi});
  };
  for (uint32_t r = 0; r < plan.repeats; ++r) {
    uint64_t start = walk.bitAt(r, 0);
    if (plan.full(r) && walk.block == kBlock * 8) {
      add(start, start + plan.perRepeat * walk.bits);
      continue;
    }
    for (uint32_t lane = 0; lane < plan.perRepeat; ++lane)
      if (plan.active(r, lane)) {
        uint64_t at = walk.bitAt(r, lane);
        add(at, at + walk.bits);
      }
  }
  return ranges;
}

namespace {
Range extentOf(const Walk &walk, const Plan &plan, uint32_t r) {
  uint64_t last = 0;
  for (uint32_t lane = plan.perRepeat; lane-- && !last;)
    if (plan.active(r, lane))
      last = walk.bitAt(r, lane) + walk.bits;
  return {walk.bitAt(r, 0) / 8, (last + 7) / 8};
}

bool overlap(const Range &a, const Range &b) {
  return a.lo < b.hi && b.lo < a.hi;
}

void reportPartial(Instruction &instruction, uint32_t repeat, const Range &to,
                   const Range &from) {
  instruction.require(
      false, TILE_ASCEND_REPORT_OVERLAP,
      format("in repeat %u the destination [%llu, %llu) and a source [%llu, "
             "%llu) overlap in part",
             repeat, static_cast<unsigned long long>(to.lo),
             static_cast<unsigned long long>(to.hi),
             static_cast<unsigned long long>(from.lo),
             static_cast<unsigned long long>(from.hi)));
}

void reportLate(Instruction &instruction, uint32_t repeat) {
  instruction.require(false, TILE_ASCEND_REPORT_OVERLAP,
                      format("repeat %u reads what an earlier repeat of the "
                             "same instruction wrote",
                             repeat));
}
} // namespace

std::vector<Range> tile_ascend::extentsOf(const Walk &walk, const Plan &plan) {
  std::vector<Range> extents;
  for (uint32_t r = 0; r < plan.repeats; ++r)
    extents.push_back(extentOf(walk, plan, r));
  return extents;
}

void tile_ascend::checkOverlap(Instruction &instruction,
                               const std::vector<Range> &writes,
                               const std::vector<Range> &reads) {
  if (!instruction.good())
    return;
  for (uint32_t r = 0; r < reads.size(); ++r) {
    const Range &to = writes[r], &from = reads[r];
    bool inPlace = to.lo == from.lo && to.hi == from.hi;
    if (overlap(to, from) && !inPlace)
      return reportPartial(instruction, r, to, from);
    if (std::any_of(writes.begin(), writes.begin() + r,
                    [&](const Range &range) { return overlap(range, from); }))
      return reportLate(instruction, r);
  }
}

void tile_ascend::checkOverlap(Instruction &instruction, const Operand &dst,
                               const Walk &dstWalk, const Operand &src,
                               const Walk &srcWalk, const Plan &plan,
                               bool narrowing, bool accumulates) {
  if (dst.mem != src.mem || !plan.repeats || !instruction.good())
    return;
  bool same = dstWalk.base == srcWalk.base && dstWalk.block == srcWalk.block &&
              dstWalk.bits == srcWalk.bits;
  bool advances = same && dstWalk.repeat == srcWalk.repeat &&
                  dstWalk.repeat >= plan.perRepeat * dstWalk.bits &&
                  plan.repeats;
  if (advances)
    return;
  std::vector<Range> written;
  for (uint32_t r = 0; r < plan.repeats; ++r) {
    Range to = extentOf(dstWalk, plan, r), from = extentOf(srcWalk, plan, r);
    bool inPlace = same && to.lo == from.lo;
    if (overlap(to, from) && !inPlace && !(narrowing && to.lo <= from.lo)) {
      reportPartial(instruction, r, to, from);
      return;
    }
    bool late =
        std::any_of(written.begin(), written.end(),
                    [&](const Range &range) { return overlap(range, from); });
    if (late && !accumulates) {
      reportLate(instruction, r);
      return;
    }
    if (!written.empty() && written.back().hi >= to.lo &&
        written.back().lo <= to.lo)
      written.back().hi = std::max(written.back().hi, to.hi);
    else
      written.push_back(to);
  }
}

void tile_ascend::checkVector(Instruction &instruction,
                              std::initializer_list<const Operand *> operands) {
  bool first = true;
  for (const Operand *operand : operands) {
    const char *role = first ? "the destination" : "a source";
    if (instruction.inMemory(*operand, {TILE_ASCEND_UB}, role))
      instruction.aligned(*operand, role);
    first = false;
  }
}
