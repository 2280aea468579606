// Data copies. Ranges, units and padding values as on the DataCopy,
// DataCopyPad, ND2NZ and Fill pages of the API manual.
#include <algorithm>
#include <cstring>

#include "instruction.h"
#include "numeric.h"

using namespace tile_ascend;

namespace {

constexpr uint32_t kMaxBlockCount = 4095, kMaxBlockBytes = 2097151;

void moveBytes(const View &dst, uint64_t to, const View &src, uint64_t from,
               uint64_t bytes) {
  std::memmove(dst.data + to, src.data + from, bytes);
  std::memmove(dst.valid + to, src.valid + from, bytes);
}

void markValid(const View &dst, uint64_t at, uint64_t bytes) {
  std::memset(dst.valid + at, 1, bytes);
}

// Combines a row of elements into GM by the atomic operation the core had set
// when the store was issued.
void storeRow(const View &dst, uint64_t to, const View &src, uint64_t from,
              uint64_t bytes, AtomicOp atomic, DType type) {
  if (atomic == AtomicOp::None)
    return moveBytes(dst, to, src, from, bytes);
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
      T a = loadAs<T>(dst.data + to + i), b = loadAs<T>(src.data + from + i);
      // Of a NaN, of which the manual says nothing, all of them make NaN.
      T result = atomic == AtomicOp::Add || a != a || b != b
                     ? static_cast<T>(a + b)
                 : atomic == AtomicOp::Max ? (a < b ? b : a)
                                           : (b < a ? b : a);
      storeAs(dst.data + to + i, result);
    }
  });
}

void checkAtomic(Instruction &instruction, const Operand &dst) {
  instruction.maybeAtomic();
  if (instruction.instr.atomic)
    instruction.require(
        instruction.core.atomicType == dst.type, TILE_ASCEND_REPORT_DTYPE,
        format(
            "expected a store of %s, the type of the atomic operation, got %s",
            nameOf(instruction.core.atomicType), nameOf(dst.type)));
}

// Which engine copies from one memory to another, or none. Sources: pages "GM
// and UB data copy", "GM and L1 or L0 data copy".
struct Path {
  Mem src, dst;
  Pipe pipe;
  bool TileAscendChip::*only; // the chip fact that the path needs
};
const Path paths[] = {
    {TILE_ASCEND_GM, TILE_ASCEND_UB, TILE_ASCEND_PIPE_MTE2, nullptr},
    {TILE_ASCEND_GM, TILE_ASCEND_L1, TILE_ASCEND_PIPE_MTE2, nullptr},
    {TILE_ASCEND_UB, TILE_ASCEND_GM, TILE_ASCEND_PIPE_MTE3, nullptr},
    {TILE_ASCEND_UB, TILE_ASCEND_UB, TILE_ASCEND_PIPE_V, nullptr},
    {TILE_ASCEND_L1, TILE_ASCEND_GM, TILE_ASCEND_PIPE_MTE3,
     &TileAscendChip::l1ToGm},
    {TILE_ASCEND_L1, TILE_ASCEND_BT, TILE_ASCEND_PIPE_MTE1, nullptr},
    {TILE_ASCEND_L1, TILE_ASCEND_FB, TILE_ASCEND_PIPE_FIX, nullptr},
    {TILE_ASCEND_UB, TILE_ASCEND_L1, TILE_ASCEND_PIPE_MTE3,
     &TileAscendChip::ubToL1},
};

const Path *findPath(const Operand &dst, const Operand &src) {
  for (const Path &path : paths)
    if (path.src == src.mem && path.dst == dst.mem &&
        (!path.only || running().chip.*path.only))
      return &path;
  return nullptr;
}

// Reports a copy that no engine can do.
void noPath(const char *op, const Operand &dst, const Operand &src, Loc loc) {
  Instruction instruction(op, TILE_ASCEND_PIPE_S, loc);
  instruction.require(false, TILE_ASCEND_REPORT_DATA_PATH,
                      format("there is no data path from %s to %s on %s",
                             memName(src.mem), memName(dst.mem),
                             instruction.chip.name));
}

struct Rows {
  uint64_t count, bytes, srcStep, dstStep;
};

std::vector<Range> rowRanges(const Operand &operand, const Rows &rows,
                             uint64_t step) {
  std::vector<Range> ranges;
  auto at = static_cast<uint64_t>(operand.addr);
  if (step == rows.bytes && rows.count)
    return {{at, at + rows.count * rows.bytes}};
  for (uint64_t row = 0; row < rows.count; ++row, at += step)
    ranges.push_back({at, at + rows.bytes});
  return ranges;
}

void checkCopyAddresses(Instruction &instruction, const Operand &dst,
                        const Operand &src) {
  // A plain DataCopy needs GM addresses aligned to the element; DataCopyPad
  // does not.
  for (const Operand *operand : {&dst, &src}) {
    const char *role = operand == &dst ? "the destination" : "the source";
    uint32_t element = std::max(1u, bitsOf(operand->type) / 8);
    instruction.aligned(*operand,
                        operand->mem == TILE_ASCEND_GM
                            ? element
                            : instruction.chip.memAlign[operand->mem],
                        role);
  }
}

void copyRows(const char *op, Operand dst, const Operand &src, const Rows &rows,
              Loc loc) {
  const Path *path = findPath(dst, src);
  if (!path)
    return noPath(op, dst, src, loc);
  Instruction instruction(op, path->pipe, loc);
  if (src.mem == TILE_ASCEND_UB && dst.mem == TILE_ASCEND_L1)
    dst.unit = Unit::Aic;
  checkCopyAddresses(instruction, dst, src);
  if (dst.mem == TILE_ASCEND_GM)
    checkAtomic(instruction, dst);
  bool strict = dst.mem == TILE_ASCEND_GM || src.mem == TILE_ASCEND_GM;
  instruction.read(src, rowRanges(src, rows, rows.srcStep), strict);
  instruction.write(dst, rowRanges(dst, rows, rows.dstStep));
  AtomicOp atomic =
      instruction.instr.atomic ? instruction.core.atomicOp : AtomicOp::None;
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    for (uint64_t row = 0; row < rows.count; ++row)
      storeRow(to, static_cast<uint64_t>(dst.addr) + row * rows.dstStep, from,
               static_cast<uint64_t>(src.addr) + row * rows.srcStep, rows.bytes,
               atomic, dst.type);
  });
}

void checkPadParams(Instruction &instruction,
                    const AscendC::DataCopyExtParams &params, DType type) {
  instruction.atMost(params.blockCount, kMaxBlockCount, "blockCount");
  instruction.atMost(params.blockLen, kMaxBlockBytes, "blockLen");
  uint32_t bytes = bytesOf(type);
  instruction.require(params.blockLen % bytes == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected blockLen to be a multiple of the "
                             "element's %u bytes, got %u",
                             bytes, params.blockLen));
}

// Fills the padding of one block that starts at `at`: before the data, behind
// it, and up to the next 32 bytes.
void padBlock(const View &to, uint64_t at, uint64_t data, uint64_t left,
              uint64_t total, uint32_t bytes, const PadFill &pad) {
  uint8_t element[8];
  std::memcpy(element, &pad.bits, 8);
  bool padded = pad.left || pad.right;
  if (!padded) // hardware repeats the block's first element
    std::memcpy(element, to.data + at + left, bytes);
  bool defined = !padded || pad.enabled;
  for (uint64_t i = 0; i < total; i += bytes) {
    if (i >= left && i < left + data)
      continue;
    if (defined)
      std::memcpy(to.data + at + i, element, bytes);
    else
      std::memset(to.data + at + i, kPoison, bytes);
    std::memset(to.valid + at + i, defined, bytes);
  }
}

} // namespace

void tile_ascend::copyPadIn(const Operand &dst, const Operand &src,
                            const AscendC::DataCopyExtParams &params,
                            const PadFill &pad, Loc loc) {
  Instruction instruction("DataCopyPad", TILE_ASCEND_PIPE_MTE2, loc);
  if (!instruction.inMemory(dst, {TILE_ASCEND_UB, TILE_ASCEND_L1},
                            "the destination"))
    return;
  instruction.aligned(dst, kBlock, "the destination");
  checkPadParams(instruction, params, dst.type);
  uint32_t bytes = bytesOf(dst.type);
  instruction.atMost(pad.left * bytes, kBlock, "the bytes of leftPadding");
  instruction.atMost(pad.right * bytes, kBlock, "the bytes of rightPadding");
  instruction.require(bytes < 8 || !pad.enabled || pad.bits == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "expected paddingValue 0 for a 64-bit element");
  uint64_t left = uint64_t(pad.left) * bytes,
           right = uint64_t(pad.right) * bytes;
  uint64_t total = roundUp(left + params.blockLen + right, kBlock);
  uint64_t count = params.blockLen ? params.blockCount : 0;
  Rows in{count, params.blockLen, uint64_t(params.blockLen) + params.srcStride,
          0};
  Rows out{count, total, 0, total + uint64_t(params.dstStride) * kBlock};
  instruction.read(src, rowRanges(src, in, in.srcStep), true);
  instruction.write(dst, rowRanges(dst, out, out.dstStep));
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    for (uint64_t row = 0; row < count; ++row) {
      uint64_t at = static_cast<uint64_t>(dst.addr) + row * out.dstStep;
      moveBytes(to, at + left, from,
                static_cast<uint64_t>(src.addr) + row * in.srcStep, in.bytes);
      padBlock(to, at, in.bytes, left, total, bytes, pad);
    }
  });
}

void tile_ascend::copyPadOut(const Operand &dst, const Operand &src,
                             const AscendC::DataCopyExtParams &params,
                             Loc loc) {
  Instruction instruction("DataCopyPad", TILE_ASCEND_PIPE_MTE3, loc);
  if (!instruction.inMemory(src, {TILE_ASCEND_UB}, "the source"))
    return;
  instruction.aligned(src, kBlock, "the source");
  checkPadParams(instruction, params, dst.type);
  checkAtomic(instruction, dst);
  uint64_t count = params.blockLen ? params.blockCount : 0;
  uint64_t srcStep =
      roundUp(params.blockLen, kBlock) + uint64_t(params.srcStride) * kBlock;
  Rows rows{count, params.blockLen, srcStep,
            uint64_t(params.blockLen) + params.dstStride};
  instruction.read(src, rowRanges(src, rows, rows.srcStep), true);
  instruction.write(dst, rowRanges(dst, rows, rows.dstStep));
  AtomicOp atomic =
      instruction.instr.atomic ? instruction.core.atomicOp : AtomicOp::None;
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    for (uint64_t row = 0; row < count; ++row)
      storeRow(to, static_cast<uint64_t>(dst.addr) + row * rows.dstStep, from,
               static_cast<uint64_t>(src.addr) + row * srcStep, rows.bytes,
               atomic, dst.type);
  });
}

void tile_ascend::copyBlocks(const Operand &dst, const Operand &src,
                             const AscendC::DataCopyParams &params, Loc loc) {
  uint64_t dstUnit =
      dst.mem == TILE_ASCEND_BT ? running().chip.biasUnit : kBlock;
  uint64_t bytes = params.blockLen * dstUnit;
  Rows rows{params.blockLen ? params.blockCount : 0u, bytes,
            bytes + params.srcGap * uint64_t(kBlock),
            bytes + params.dstGap * dstUnit};
  if (params.blockCount > kMaxBlockCount) {
    Instruction instruction("DataCopy", TILE_ASCEND_PIPE_S, loc);
    instruction.atMost(params.blockCount, kMaxBlockCount, "blockCount");
    return;
  }
  copyRows("DataCopy", dst, src, rows, loc);
}

void tile_ascend::copyCount(const Operand &dst, const Operand &src,
                            int64_t count, Loc loc) {
  uint64_t bytes = static_cast<uint64_t>(count) * bitsOf(dst.type) / 8;
  if (bytes % kBlock) {
    Instruction instruction("DataCopy", TILE_ASCEND_PIPE_S, loc);
    instruction.require(false, TILE_ASCEND_REPORT_PARAM_RANGE,
                        format("expected a multiple of %u bytes, got %llu "
                               "(hardware drops the rest)",
                               kBlock, static_cast<unsigned long long>(bytes)));
    return;
  }
  copyRows("DataCopy", dst, src, {bytes ? 1u : 0u, bytes, bytes, bytes}, loc);
}

void tile_ascend::copyNd2Nz(const Operand &dst, const Operand &src,
                            const AscendC::Nd2NzParams &p, Loc loc) {
  Instruction instruction("DataCopy(ND2NZ)", TILE_ASCEND_PIPE_MTE2, loc);
  if (!instruction.inMemory(dst, {TILE_ASCEND_L1}, "the destination"))
    return;
  instruction.aligned(dst, kBlock, "the destination");
  instruction.atMost(p.ndNum, 4095, "ndNum");
  instruction.atMost(p.nValue, 16384, "nValue");
  instruction.atMost(p.dstNzC0Stride, 16384, "dstNzC0Stride");
  instruction.atMost(p.dstNzNStride, 16384, "dstNzNStride");
  instruction.atMost(p.dstNzMatrixStride, 16384, "dstNzMatrixStride");
  if (!p.ndNum || !p.nValue || !p.dValue)
    return;
  instruction.require(
      p.srcDValue && p.dstNzNStride &&
          (p.dstNzC0Stride || bitsOf(dst.type) * p.dValue <= kBlock * 8),
      TILE_ASCEND_REPORT_PARAM_RANGE,
      "expected srcDValue, dstNzC0Stride and dstNzNStride to be at least 1");
  uint64_t element = bytesOf(dst.type), row = p.dValue * element,
           columns = ceilDiv(row, kBlock);
  std::vector<Range> reads, writes;
  for (uint64_t nd = 0; nd < p.ndNum; ++nd) {
    uint64_t from =
        static_cast<uint64_t>(src.addr) + nd * p.srcNdMatrixStride * element;
    uint64_t to =
        static_cast<uint64_t>(dst.addr) + nd * p.dstNzMatrixStride * element;
    for (uint64_t i = 0; i < p.nValue; ++i)
      reads.push_back({from + i * p.srcDValue * element,
                       from + i * p.srcDValue * element + row});
    for (uint64_t j = 0; j < columns; ++j)
      for (uint64_t i = 0; i < p.nValue; ++i) {
        uint64_t at = to + (j * p.dstNzC0Stride + i * p.dstNzNStride) * kBlock;
        if (!writes.empty() && writes.back().hi == at)
          writes.back().hi += kBlock;
        else
          writes.push_back({at, at + kBlock});
      }
  }
  instruction.read(src, std::move(reads), true);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    for (uint64_t nd = 0; nd < p.ndNum; ++nd)
      for (uint64_t i = 0; i < p.nValue; ++i)
        for (uint64_t j = 0; j < columns; ++j) {
          uint64_t at = static_cast<uint64_t>(dst.addr) +
                        nd * p.dstNzMatrixStride * element +
                        (j * p.dstNzC0Stride + i * p.dstNzNStride) * kBlock;
          uint64_t source =
              static_cast<uint64_t>(src.addr) +
              (nd * p.srcNdMatrixStride + i * p.srcDValue) * element +
              j * kBlock;
          uint64_t bytes = std::min<uint64_t>(kBlock, row - j * kBlock);
          std::memset(
              to.data + at, 0,
              kBlock); // columns are padded with zeros, rows are not padded
          std::memcpy(to.data + at, from.data + source, bytes);
          markValid(to, at, kBlock);
        }
  });
}

void tile_ascend::fill(const Operand &dst, uint32_t repeats, uint32_t blocks,
                       uint32_t gap, uint64_t bits, Loc loc) {
  bool l1 = dst.mem == TILE_ASCEND_L1;
  Instruction instruction(
      "Fill", l1 ? TILE_ASCEND_PIPE_MTE2 : TILE_ASCEND_PIPE_MTE1, loc);
  // Page "Fill": L0A and L0B where they can also be loaded from GM.
  bool legal =
      instruction.chip.gmToL0
          ? instruction.inMemory(
                dst, {TILE_ASCEND_L1, TILE_ASCEND_L0A, TILE_ASCEND_L0B},
                "the destination")
          : instruction.inMemory(dst, {TILE_ASCEND_L1}, "the destination");
  if (!legal)
    return;
  instruction.aligned(dst, "the destination");
  for (uint32_t value : {repeats, blocks, gap})
    instruction.atMost(value, 32767, "every InitConstValueParams field");
  uint64_t unit = l1 ? kBlock : 512;
  Rows rows{blocks ? repeats : 0u, blocks * unit, 0, (blocks + gap) * unit};
  instruction.write(dst, rowRanges(dst, rows, rows.dstStep));
  uint32_t element = bytesOf(dst.type);
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst);
    for (uint64_t row = 0; row < rows.count; ++row) {
      uint64_t at = static_cast<uint64_t>(dst.addr) + row * rows.dstStep;
      for (uint64_t i = 0; i < rows.bytes; i += element)
        std::memcpy(to.data + at + i, &bits, element);
      markValid(to, at, rows.bytes);
    }
  });
}
