// Vector instructions with their own addressing: reductions, Brcb, gathers,
// sorting, transposition.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "vector_plan.h"

using namespace tile_ascend;
using AscendC::ReduceOrder;
using AscendC::RoundMode;

namespace {

float loadFloat(DType type, const uint8_t *data) {
  return type == DType::F16 ? halfToFloat(loadAs<uint16_t>(data))
                            : loadAs<float>(data);
}

void storeFloat(DType type, uint8_t *data, float value) {
  if (type == DType::F16)
    storeAs(data, halfFromFloat(value));
  else
    storeAs(data, value);
}

float roundTo(DType type, float value) {
  return type == DType::F16 ? halfToFloat(halfFromFloat(value)) : value;
}

// Neighbours are added pairwise, then the sums, and so on (page
// "ReduceDataBlock", binary tree); lanes the mask leaves out add 0.
float treeSum(DType type, std::vector<float> values) {
  for (size_t n = values.size(); n > 1; n = (n + 1) / 2)
    for (size_t i = 0; i < n; i += 2)
      values[i / 2] =
          i + 1 < n ? roundTo(type, values[i] + values[i + 1]) : values[i];
  return values[0];
}

// The value and its lane; the smallest lane wins a tie (page "ReduceRepeat").
std::pair<float, uint32_t>
extreme(bool max, const std::vector<std::pair<float, uint32_t>> &lanes) {
  auto best = lanes.front();
  for (const auto &lane : lanes)
    if (max ? lane.first > best.first : lane.first < best.first)
      best = lane;
  return best;
}

// Active lanes of [firstLane, lastLane) of a repeat.
std::vector<std::pair<float, uint32_t>>
activeLanes(const Plan &plan, const Walk &walk, DType type, const View &ub,
            uint32_t r, uint32_t firstLane, uint32_t lastLane) {
  std::vector<std::pair<float, uint32_t>> lanes;
  for (uint32_t lane = firstLane; lane < lastLane; ++lane)
    if (plan.active(r, lane))
      lanes.emplace_back(loadFloat(type, ub.data + walk.byteAt(r, lane)), lane);
  return lanes;
}

std::optional<std::pair<float, uint32_t>>
reduceLanes(ReduceOp op, const Plan &plan, const Walk &walk, DType type,
            const View &ub, uint32_t r, uint32_t firstLane, uint32_t lastLane) {
  auto lanes = activeLanes(plan, walk, type, ub, r, firstLane, lastLane);
  if (lanes.empty())
    return std::nullopt;
  if (op != ReduceOp::Sum)
    return extreme(op == ReduceOp::Max, lanes);
  std::vector<float> values(lastLane - firstLane, 0.0f);
  for (auto [value, lane] : lanes)
    values[lane - firstLane] = value;
  return std::pair(treeSum(type, std::move(values)), 0u);
}

void checkStrides(Instruction &instruction, int32_t dstRep, int32_t srcBlk,
                  int32_t srcRep) {
  for (auto [value, name] : {std::pair(dstRep, "dstRepStride"),
                             {srcBlk, "srcBlkStride"},
                             {srcRep, "srcRepStride"}})
    instruction.atMost(static_cast<uint64_t>(int64_t(value)), 65535, name);
}

// The prologue of the three reductions: source checks, plan. `dstAlign`: their
// destinations have alignments of their own.
Plan reducePlan(Instruction &instruction, const Operand &dst,
                const Operand &src, const Lanes &lanes, uint32_t dstAlign,
                int32_t dstRep, int32_t srcBlk, int32_t srcRep) {
  checkVector(instruction, {&src});
  if (instruction.inMemory(dst, {TILE_ASCEND_UB}, "the destination"))
    instruction.aligned(dst, dstAlign, "the destination");
  checkStrides(instruction, dstRep, srcBlk, srcRep);
  return makePlan(instruction, lanes, src.type);
}

// What each repeat of a reduction writes.
std::vector<Range> resultsOf(const Plan &plan, uint64_t start, uint64_t step,
                             uint64_t bytes) {
  std::vector<Range> results;
  for (uint32_t r = 0; r < plan.repeats; ++r)
    results.push_back({start + r * step, start + r * step + bytes});
  return results;
}

} // namespace

void tile_ascend::reduceRepeat(ReduceOp op, const char *name,
                               const Operand &dst, const Operand &src,
                               const Lanes &lanes, int32_t dstRep,
                               int32_t srcBlk, int32_t srcRep,
                               ReduceOrder order, Loc loc) {
  Instruction instruction(name, TILE_ASCEND_PIPE_V, loc);
  uint32_t bytes = bytesOf(src.type);
  // Table 3 of the page: (value, index) pairs take two elements; a lone index
  // is a uint32_t.
  bool pair = order == ReduceOrder::ORDER_VALUE_INDEX ||
              order == ReduceOrder::ORDER_INDEX_VALUE;
  uint32_t result = order == ReduceOrder::ORDER_ONLY_INDEX ? 4
                    : pair                                 ? bytes * 2
                                                           : bytes;
  Plan plan =
      reducePlan(instruction, dst, src, lanes, result, dstRep, srcBlk, srcRep);
  if (!plan.repeats)
    return;
  Walk walk(src, {srcBlk, srcRep}, plan);
  uint64_t step = uint64_t(result) * static_cast<uint64_t>(dstRep);
  std::vector<Range> writes =
      resultsOf(plan, static_cast<uint64_t>(dst.addr), step, result);
  checkOverlap(instruction, writes, extentsOf(walk, plan));
  instruction.read(src, rangesOf(walk, plan), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (uint32_t r = 0; r < plan.repeats; ++r) {
      auto found =
          reduceLanes(op, plan, walk, src.type, ub, r, 0, plan.perRepeat);
      if (!found)
        continue;
      uint64_t at = static_cast<uint64_t>(dst.addr) + r * step;
      std::memset(ub.valid + at, 1, result);
      uint32_t index = found->second;
      if (order == ReduceOrder::ORDER_ONLY_INDEX)
        storeAs(ub.data + at, index);
      else
        storeFloat(src.type,
                   ub.data + at +
                       (order == ReduceOrder::ORDER_INDEX_VALUE ? bytes : 0),
                   found->first);
      if (pair) // the index sits in the bits of an element
        std::memcpy(ub.data + at +
                        (order == ReduceOrder::ORDER_VALUE_INDEX ? bytes : 0),
                    &index, bytes);
    }
  });
}

void tile_ascend::reduceBlock(ReduceOp op, const char *name, const Operand &dst,
                              const Operand &src, const Lanes &lanes,
                              int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                              Loc loc) {
  Instruction instruction(name, TILE_ASCEND_PIPE_V, loc);
  uint32_t bytes = bytesOf(src.type), perBlock = kBlock / bytes, blocks = 8;
  Plan plan = reducePlan(instruction, dst, src, lanes, blocks * bytes, dstRep,
                         srcBlk, srcRep);
  if (!plan.repeats)
    return;
  Walk walk(src, {srcBlk, srcRep}, plan);
  uint64_t step = uint64_t(blocks) * bytes * static_cast<uint64_t>(dstRep);
  auto at = [=](uint32_t r, uint32_t b) {
    return static_cast<uint64_t>(dst.addr) + r * step + b * bytes;
  };
  auto anyActive = [=](uint32_t r, uint32_t b) {
    for (uint32_t lane = b * perBlock; lane < (b + 1) * perBlock; ++lane)
      if (plan.active(r, lane))
        return true;
    return false;
  };
  std::vector<Range> writes;
  for (uint32_t r = 0; r < plan.repeats; ++r)
    for (uint32_t b = 0; b < blocks; ++b)
      if (anyActive(
              r,
              b)) // on A2 a block with no active lane leaves its result alone
        writes.push_back({at(r, b), at(r, b) + bytes});
  checkOverlap(instruction, resultsOf(plan, at(0, 0), step, blocks * bytes),
               extentsOf(walk, plan));
  instruction.read(src, rangesOf(walk, plan), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (uint32_t r = 0; r < plan.repeats; ++r)
      for (uint32_t b = 0; b < blocks; ++b)
        if (auto found = reduceLanes(op, plan, walk, src.type, ub, r,
                                     b * perBlock, (b + 1) * perBlock)) {
          storeFloat(src.type, ub.data + at(r, b), found->first);
          std::memset(ub.valid + at(r, b), 1, bytes);
        }
  });
}

void tile_ascend::reducePair(const Operand &dst, const Operand &src,
                             const Lanes &lanes, int32_t dstRep, int32_t srcBlk,
                             int32_t srcRep, Loc loc) {
  Instruction instruction("PairReduceSum", TILE_ASCEND_PIPE_V, loc);
  Plan plan =
      reducePlan(instruction, dst, src, lanes, kBlock, dstRep, srcBlk, srcRep);
  if (!plan.repeats)
    return;
  uint32_t bytes = bytesOf(src.type);
  Walk walk(src, {srcBlk, srcRep}, plan);
  // dstRepStride counts half a repeat (page "ReducePairElem").
  constexpr uint64_t kPairBytes = 128;
  uint64_t step = kPairBytes * static_cast<uint64_t>(dstRep);
  auto at = [=](uint32_t r, uint32_t pair) {
    return static_cast<uint64_t>(dst.addr) + r * step + pair * bytes;
  };
  std::vector<Range> writes;
  for (uint32_t r = 0; r < plan.repeats; ++r)
    for (uint32_t pair = 0; pair < plan.perRepeat / 2; ++pair)
      if (plan.active(r, pair * 2) || plan.active(r, pair * 2 + 1))
        writes.push_back({at(r, pair), at(r, pair) + bytes});
  checkOverlap(instruction, resultsOf(plan, at(0, 0), step, kPairBytes),
               extentsOf(walk, plan));
  instruction.read(src, rangesOf(walk, plan), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (uint32_t r = 0; r < plan.repeats; ++r)
      for (uint32_t pair = 0; pair < plan.perRepeat / 2; ++pair)
        if (auto found = reduceLanes(ReduceOp::Sum, plan, walk, src.type, ub, r,
                                     pair * 2, pair * 2 + 2)) {
          storeFloat(src.type, ub.data + at(r, pair), found->first);
          std::memset(ub.valid + at(r, pair), 1, bytes);
        }
  });
}

namespace {
void checkRepeats(Instruction &instruction, int32_t repeats) {
  instruction.require(
      repeats >= 0 && repeats <= 255, TILE_ASCEND_REPORT_REPEAT_LIMIT,
      format("expected a repeatTime of 0 to 255, got %d", repeats));
}

// These instructions do not support a source in the destination's place at all.
void checkDisjoint(Instruction &instruction, const std::vector<Range> &dst,
                   const std::vector<Range> &src) {
  for (const Range &a : dst)
    for (const Range &b : src)
      if (a.lo < b.hi && b.lo < a.hi) {
        instruction.require(
            false, TILE_ASCEND_REPORT_OVERLAP,
            "expected a destination that does not overlap a source");
        return;
      }
}
} // namespace

void tile_ascend::brcb(const Operand &dst, const Operand &src, int32_t repeats,
                       const AscendC::BrcbRepeatParams &p, Loc loc) {
  Instruction instruction("Brcb", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src});
  checkRepeats(instruction, repeats);
  instruction.require(p.dstBlkStride, TILE_ASCEND_REPORT_PARAM_RANGE,
                      "expected a dstBlkStride that is not 0");
  if (!instruction.good() || !repeats)
    return;
  uint64_t bytes = bytesOf(src.type), elements = uint64_t(repeats) * 8;
  auto at = [=](uint64_t i) {
    return static_cast<uint64_t>(dst.addr) +
           (i / 8 * p.dstRepStride + i % 8 * p.dstBlkStride) * kBlock;
  };
  std::vector<Range> reads =
                         span(src, 0, static_cast<int64_t>(elements * bytes)),
                     writes;
  for (uint64_t i = 0; i < elements; ++i)
    writes.push_back({at(i), at(i) + kBlock});
  coalesce(writes);
  checkDisjoint(instruction, writes, reads);
  instruction.read(src, std::move(reads), false);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (uint64_t i = 0; i < elements; ++i)
      for (uint64_t j = 0; j < kBlock; j += bytes) {
        uint64_t from = static_cast<uint64_t>(src.addr) + i * bytes;
        std::memcpy(ub.data + at(i) + j, ub.data + from, bytes);
        std::memcpy(ub.valid + at(i) + j, ub.valid + from, bytes);
      }
  });
}

namespace {
// Copies `bytes` from each offset; the offsets are only known now. False: an
// offset is bad and was reported.
bool gatherOne(Core &core, const Instr &instr, const Operand &src,
               uint64_t offset, uint64_t bytes, uint64_t alignment, uint64_t to,
               std::vector<Range> *touched) {
  Launch &launch = *core.launch;
  View ub = viewOf(core, src);
  uint64_t from = static_cast<uint64_t>(src.addr) + offset;
  bool aligned = from % alignment == 0,
       inside = offset + bytes <= static_cast<uint64_t>(src.bytes);
  if (!aligned || !inside) {
    launch.report(aligned ? TILE_ASCEND_REPORT_TENSOR_BOUNDS
                          : TILE_ASCEND_REPORT_MISALIGNED,
                  launch.places[instr.id],
                  format("%s: expected byte offsets that are multiples of %llu "
                         "and below %lld, got %llu",
                         instr.op, static_cast<unsigned long long>(alignment),
                         static_cast<long long>(src.bytes),
                         static_cast<unsigned long long>(offset)));
    return false;
  }
  touched->push_back({from, from + bytes});
  std::memcpy(ub.data + to, ub.data + from, bytes);
  std::memcpy(ub.valid + to, ub.valid + from, bytes);
  return true;
}
} // namespace

void tile_ascend::gather(const Operand &dst, const Operand &src,
                         const Operand &offsets, uint32_t base,
                         const Lanes &lanes, int32_t dstRep, Loc loc) {
  Instruction instruction("Gather", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src, &offsets});
  Plan plan = makePlan(instruction, lanes, dst.type);
  if (!plan.repeats)
    return;
  uint64_t bytes = bytesOf(dst.type);
  instruction.require(
      base % bytes == 0, TILE_ASCEND_REPORT_MISALIGNED,
      format("expected a srcBaseAddr that is a multiple of %llu, got %u",
             static_cast<unsigned long long>(bytes), base));
  // Offsets are consumed contiguously, one for each lane of each repeat.
  Walk wd(dst, {1, dstRep}, plan);
  auto offsetAt = [=](uint32_t r, uint32_t lane) {
    return static_cast<uint64_t>(offsets.addr) +
           (uint64_t(r) * plan.perRepeat + lane) * 4;
  };
  std::vector<Range> reads;
  forEachLane(plan, [&](uint32_t r, uint32_t lane) {
    reads.push_back({offsetAt(r, lane), offsetAt(r, lane) + 4});
  });
  coalesce(reads);
  std::vector<Range> writes = rangesOf(wd, plan);
  checkDisjoint(instruction, writes, reads);
  instruction.read(offsets, std::move(reads), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &instr) {
    View ub = viewOf(core, dst);
    std::vector<Range> touched;
    bool good = true;
    forEachLane(plan, [&](uint32_t r, uint32_t lane) {
      uint64_t offset =
          uint64_t(base) + loadAs<uint32_t>(ub.data + offsetAt(r, lane));
      good = good && gatherOne(core, instr, src, offset, bytes, bytes,
                               wd.byteAt(r, lane), &touched);
    });
    coalesce(touched);
    core.launch->touchLate(core, instr, {src, std::move(touched), false},
                           false);
  });
}

void tile_ascend::gatherBlocks(const Operand &dst, const Operand &src,
                               const Operand &offsets, int32_t repeats,
                               const AscendC::GatherRepeatParams &p, Loc loc) {
  Instruction instruction("Gatherb", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src, &offsets});
  checkRepeats(instruction, repeats);
  if (!instruction.good() || !repeats)
    return;
  uint64_t blocks = uint64_t(repeats) * 8,
           blockStride = p.dstBlkStride ? p.dstBlkStride
                                        : 1; // 0 counts as 1 (page "Gatherb")
  auto at = [=](uint64_t i) {
    return static_cast<uint64_t>(dst.addr) +
           (i / 8 * p.dstRepStride + i % 8 * blockStride) * kBlock;
  };
  std::vector<Range> writes;
  for (uint64_t i = 0; i < blocks; ++i)
    writes.push_back({at(i), at(i) + kBlock});
  coalesce(writes);
  instruction.read(offsets, span(offsets, 0, static_cast<int64_t>(blocks * 4)),
                   true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &instr) {
    View ub = viewOf(core, dst);
    std::vector<Range> touched;
    for (uint64_t i = 0; i < blocks; ++i)
      if (!gatherOne(core, instr, src,
                     loadAs<uint32_t>(ub.data + offsets.addr + i * 4), kBlock,
                     kBlock, at(i), &touched))
        break;
    coalesce(touched);
    core.launch->touchLate(core, instr, {src, std::move(touched), false},
                           false);
  });
}

namespace {
// Built-in patterns of GatherMask (page "GatherMask"): period and phase of the
// kept elements.
bool patternKeeps(uint8_t pattern, uint64_t index) {
  switch (pattern) {
  case 1:
    return index % 2 == 0;
  case 2:
    return index % 2 == 1;
  case 7:
    return true;
  default:
    return index % 4 == uint64_t(pattern - 3);
  }
}
} // namespace

uint64_t tile_ascend::gatherMask(const Operand &dst, const Operand &src,
                                 const Operand *mask, uint8_t pattern,
                                 bool counter, uint32_t count,
                                 const AscendC::GatherMaskParams &p, Loc loc) {
  Instruction instruction("GatherMask", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src, mask ? mask : &src});
  instruction.require(
      mask || (pattern >= 1 && pattern <= 7), TILE_ASCEND_REPORT_PARAM_RANGE,
      format("expected a built-in pattern of 1 to 7, got %u", pattern));
  uint64_t bytes = bytesOf(src.type), perRepeat = counter ? count : 256 / bytes,
           perBlock = kBlock / bytes;
  instruction.atMost(p.repeatTimes, 255, "repeatTimes",
                     TILE_ASCEND_REPORT_REPEAT_LIMIT);
  if (!instruction.good() || !p.repeatTimes || !perRepeat)
    return 0;
  auto srcAt = [=](uint64_t r, uint64_t i) {
    return static_cast<uint64_t>(src.addr) +
           (r * p.src0RepeatStride + i / perBlock * p.src0BlockStride) *
               kBlock +
           i % perBlock * bytes;
  };
  std::vector<Range> reads, maskReads;
  for (uint64_t r = 0; r < p.repeatTimes; ++r) {
    for (uint64_t i = 0; i < perRepeat; ++i)
      reads.push_back({srcAt(r, i), srcAt(r, i) + bytes});
    if (mask) {
      uint64_t at =
          static_cast<uint64_t>(mask->addr) + r * p.src1RepeatStride * kBlock;
      maskReads.push_back({at, at + ceilDiv(perRepeat, 8)});
    }
  }
  instruction.read(src, std::move(reads), false);
  if (mask)
    instruction.read(*mask, std::move(maskReads), true);
  // How much is written depends on the mask; at most everything.
  instruction.inBounds(dst, span(dst, 0, 0), "writes");
  if (!instruction.good())
    return 0;
  uint64_t kept = 0;
  bool finished = false;
  Operand maskCopy = mask ? *mask : Operand{};
  bool own = mask;
  auto run = [=, &kept, &finished](Core &core, Instr &instr) {
    View ub = viewOf(core, dst);
    std::vector<uint8_t> data, valid;
    for (uint64_t r = 0; r < p.repeatTimes; ++r)
      for (uint64_t i = 0; i < perRepeat; ++i) {
        uint64_t maskAt = static_cast<uint64_t>(maskCopy.addr) +
                          r * p.src1RepeatStride * kBlock + i / 8;
        if (own ? !(ub.data[maskAt] >> i % 8 & 1) : !patternKeeps(pattern, i))
          continue;
        data.insert(data.end(), ub.data + srcAt(r, i),
                    ub.data + srcAt(r, i) + bytes);
        valid.insert(valid.end(), ub.valid + srcAt(r, i),
                     ub.valid + srcAt(r, i) + bytes);
      }
    finished = true;
    kept = data.size() / bytes;
    if (static_cast<int64_t>(data.size()) > dst.bytes)
      return core.launch->report(
          TILE_ASCEND_REPORT_TENSOR_BOUNDS, core.launch->places[instr.id],
          format("GatherMask keeps %zu bytes, but the destination has %lld",
                 data.size(), static_cast<long long>(dst.bytes)));
    std::memcpy(ub.data + dst.addr, data.data(), data.size());
    std::memcpy(ub.valid + dst.addr, valid.data(), valid.size());
    core.launch->touchLate(
        core, instr,
        {dst, span(dst, 0, static_cast<int64_t>(data.size())), false}, true);
  };
  instruction.issue(run);
  // The count comes back through a register of the vector unit: the scalar unit
  // waits for the instruction.
  instruction.launch.block(
      instruction.core, [&finished] { return finished; },
      "the count of GatherMask",
      instruction.launch.addPlace(instruction.place));
  return kept;
}

namespace {
constexpr uint64_t kRecord =
    8; // (score, index): the score in the low bytes, the index in the high 4

struct Record {
  float score;
  uint8_t bytes[kRecord];
};

// Descending; equal scores keep their order. Hardware does not define the place
// of a NaN: it sorts first here.
void sortRecords(std::vector<Record> &records) {
  std::stable_sort(
      records.begin(), records.end(), [](const Record &a, const Record &b) {
        return std::isnan(b.score) ? false
                                   : std::isnan(a.score) || a.score > b.score;
      });
}

void storeRecords(const View &ub, uint64_t at,
                  const std::vector<Record> &records) {
  for (const Record &record : records) {
    std::memcpy(ub.data + at, record.bytes, kRecord);
    std::memset(ub.valid + at, 1, kRecord);
    at += kRecord;
  }
}
} // namespace

void tile_ascend::sort32(const Operand &dst, const Operand &score,
                         const Operand &index, int32_t repeats, Loc loc) {
  Instruction instruction("Sort32", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &score, &index});
  checkRepeats(instruction, repeats);
  if (!instruction.good() || !repeats)
    return;
  int64_t bytes = bytesOf(score.type), total = int64_t(repeats) * 32;
  std::vector<Range> reads = span(score, 0, total * bytes),
                     writes =
                         span(dst, 0, total * static_cast<int64_t>(kRecord));
  checkDisjoint(instruction, writes, reads);
  instruction.read(score, std::move(reads), true);
  instruction.read(index, span(index, 0, total * 4), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (int64_t r = 0; r < repeats; ++r) {
      std::vector<Record> records(32);
      for (int64_t i = 0; i < 32; ++i) {
        Record &record = records[static_cast<size_t>(i)];
        const uint8_t *from = ub.data + score.addr + (r * 32 + i) * bytes;
        record.score = loadFloat(score.type, from);
        std::memset(record.bytes, 0, kRecord);
        std::memcpy(record.bytes, from, static_cast<size_t>(bytes));
        std::memcpy(record.bytes + 4, ub.data + index.addr + (r * 32 + i) * 4,
                    4);
      }
      sortRecords(records);
      storeRecords(ub,
                   static_cast<uint64_t>(dst.addr) +
                       static_cast<uint64_t>(r) * 32 * kRecord,
                   records);
    }
  });
}

void tile_ascend::mergeSort(const Operand &dst, const Operand (&src)[4],
                            const AscendC::MrgSort4Info &p, Loc loc) {
  Instruction instruction("MrgSort", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst});
  instruction.require(
      p.validBit == 3 || p.validBit == 7 || p.validBit == 15,
      TILE_ASCEND_REPORT_PARAM_RANGE,
      format("expected validBit 3, 7 or 15, got %u", p.validBit));
  checkRepeats(instruction, p.repeatTimes);
  instruction.require(!p.ifExhaustedSuspension, TILE_ASCEND_REPORT_PARAM_RANGE,
                      "the model has no ifExhaustedSuspension");
  int lists = p.validBit == 15 ? 4 : p.validBit == 7 ? 3 : 2;
  uint64_t length = 0;
  bool equal = true;
  for (int i = 0; i < lists; ++i) {
    instruction.atMost(p.elementLengths[i], 4095,
                       "every element of elementLengths");
    instruction.aligned(src[i], kRecord, "a source");
    equal = equal && p.elementLengths[i] == p.elementLengths[0] &&
            (i == 0 ||
             src[i].addr == src[i - 1].addr + int64_t(p.elementLengths[i - 1]) *
                                                  int64_t(kRecord));
    length += p.elementLengths[i];
  }
  instruction.require(
      p.repeatTimes <= 1 || (lists == 4 && equal),
      TILE_ASCEND_REPORT_PARAM_RANGE,
      "more than one repeat expects four contiguous lists of one length");
  if (!instruction.good() || !p.repeatTimes)
    return;
  std::vector<Range> writes =
      span(dst, 0, static_cast<int64_t>(p.repeatTimes * length * kRecord));
  for (int i = 0; i < lists; ++i) {
    std::vector<Range> reads;
    for (uint64_t r = 0; r < p.repeatTimes; ++r) {
      uint64_t from = static_cast<uint64_t>(src[i].addr) + r * length * kRecord;
      reads.push_back({from, from + p.elementLengths[i] * kRecord});
    }
    checkDisjoint(instruction, writes, reads);
    Operand whole = src[i];
    whole.bytes = src[0].addr + src[0].bytes - whole.addr > whole.bytes
                      ? src[0].addr + src[0].bytes - whole.addr
                      : whole.bytes;
    instruction.read(whole, std::move(reads), true);
  }
  instruction.write(dst, std::move(writes));
  std::array<Operand, 4> sources{src[0], src[1], src[2], src[3]};
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    for (uint64_t r = 0; r < p.repeatTimes; ++r) {
      std::vector<Record> records;
      for (int i = 0; i < lists; ++i)
        for (uint64_t j = 0; j < p.elementLengths[i]; ++j) {
          const uint8_t *from = ub.data + sources[static_cast<size_t>(i)].addr +
                                (r * length + j) * kRecord;
          Record record{loadFloat(dst.type, from), {}};
          std::memcpy(record.bytes, from, kRecord);
          records.push_back(record);
        }
      sortRecords(records);
      storeRecords(ub, static_cast<uint64_t>(dst.addr) + r * length * kRecord,
                   records);
    }
  });
}

void tile_ascend::transpose16(const Operand &dst, const Operand &src, Loc loc) {
  Instruction instruction("Transpose", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src});
  constexpr int64_t bytes = 16 * 16 * 2;
  instruction.require(dst.addr == src.addr || dst.addr + bytes <= src.addr ||
                          src.addr + bytes <= dst.addr,
                      TILE_ASCEND_REPORT_OVERLAP, "the tiles overlap in part");
  instruction.read(src, span(src, 0, bytes), false);
  instruction.write(dst, span(dst, 0, bytes));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    std::vector<uint8_t> data(ub.data + src.addr, ub.data + src.addr + bytes),
        valid(ub.valid + src.addr, ub.valid + src.addr + bytes);
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 16; ++j) {
        size_t to = static_cast<size_t>(dst.addr) + (j * 16 + i) * 2,
               from = (i * 16 + j) * 2;
        std::memcpy(ub.data + to, data.data() + from, 2);
        std::memcpy(ub.valid + to, valid.data() + from, 2);
      }
  });
}
