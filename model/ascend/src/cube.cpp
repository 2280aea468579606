// The cube core: fractal loads, matrix multiply, and the way out of L0C. A
// fractal is 16 rows of 32 bytes (in L0C 16x16 elements). Layouts: page
// "fractal formats" (Nz: N1 M1 M0 N0, Zz: M1 K1 M0 K0, Zn: K1 N1 N0 K0).
#include <algorithm>
#include <cstring>

#include "instruction.h"
#include "numeric.h"

using namespace tile_ascend;

namespace {

constexpr uint64_t kFractal = 512;
constexpr uint64_t kSide = 16;
constexpr uint32_t kMaxMmad = 4095;

// Moves one element of a fractal with its validity.
void moveElement(const View &dst, uint64_t to, const View &src, uint64_t from,
                 uint64_t bytes) {
  std::memcpy(dst.data + to, src.data + from, bytes);
  std::memcpy(dst.valid + to, src.valid + from, bytes);
}

void moveFractal(const View &dst, uint64_t to, const View &src, uint64_t from,
                 bool transposed) {
  if (!transposed) {
    std::memcpy(dst.data + to, src.data + from, kFractal);
    std::memcpy(dst.valid + to, src.valid + from, kFractal);
    return;
  }
  for (uint64_t i = 0; i < kSide;
       ++i) // only 16-bit elements can be transposed here
    for (uint64_t j = 0; j < kSide; ++j)
      moveElement(dst, to + (j * kSide + i) * 2, src,
                  from + (i * kSide + j) * 2, 2);
}

// The source position of repeat r, which addrMode 1 counts downwards.
uint64_t sourceIndex(uint64_t start, uint64_t repeat, uint64_t stride,
                     uint8_t addrMode) {
  return addrMode ? start - repeat * stride : start + repeat * stride;
}

} // namespace

void tile_ascend::loadData(const Operand &dst, const Operand &src,
                           const AscendC::LoadData2DParams &p, Loc loc) {
  bool fromGm = src.mem == TILE_ASCEND_GM;
  Instruction instruction(
      "LoadData", fromGm ? TILE_ASCEND_PIPE_MTE2 : TILE_ASCEND_PIPE_MTE1, loc);
  instruction.inMemory(dst, {TILE_ASCEND_L0A, TILE_ASCEND_L0B},
                       "the destination");
  if (instruction.chip.gmToL0)
    instruction.inMemory(src, {TILE_ASCEND_L1, TILE_ASCEND_GM}, "the source");
  else
    instruction.inMemory(src, {TILE_ASCEND_L1}, "the source");
  if (!instruction.good() || !p.repeatTimes)
    return;
  instruction.aligned(dst, "the destination");
  instruction.aligned(src, "the source");
  instruction.require(
      !p.ifTranspose || (bitsOf(dst.type) == 16 && !fromGm),
      TILE_ASCEND_REPORT_DTYPE,
      format("ifTranspose expects 16-bit elements from L1, got %s from %s",
             nameOf(dst.type), memName(src.mem)));
  std::vector<Range> reads, writes;
  for (uint64_t r = 0; r < p.repeatTimes; ++r) {
    uint64_t from =
        static_cast<uint64_t>(src.addr) +
        sourceIndex(p.startIndex, r, p.srcStride, p.addrMode) * kFractal;
    uint64_t to =
        static_cast<uint64_t>(dst.addr) + r * (p.dstGap + 1) * kFractal;
    reads.push_back({from, from + kFractal});
    writes.push_back({to, to + kFractal});
  }
  instruction.read(src, std::move(reads), fromGm);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    for (uint64_t r = 0; r < p.repeatTimes; ++r)
      moveFractal(
          to, static_cast<uint64_t>(dst.addr) + r * (p.dstGap + 1) * kFractal,
          from,
          static_cast<uint64_t>(src.addr) +
              sourceIndex(p.startIndex, r, p.srcStride, p.addrMode) * kFractal,
          p.ifTranspose);
  });
}

// A square of two fractals is transposed as a whole (8-bit: 32x32 stacked rows;
// 32-bit: 16x16 side by side), or of one (16-bit).
void tile_ascend::loadTranspose(const Operand &dst, const Operand &src,
                                const AscendC::LoadData2dTransposeParams &p,
                                Loc loc) {
  Instruction instruction("LoadDataWithTranspose", TILE_ASCEND_PIPE_MTE1, loc);
  uint64_t bits = bitsOf(dst.type), bytes = bits / 8;
  instruction.inMemory(dst, {TILE_ASCEND_L0A, TILE_ASCEND_L0B},
                       "the destination");
  instruction.inMemory(src, {TILE_ASCEND_L1}, "the source");
  if (!instruction.require(bits == 8 || bits == 16 || bits == 32,
                           TILE_ASCEND_REPORT_DTYPE,
                           format("expected 8, 16 or 32-bit elements, got %s",
                                  nameOf(dst.type))) ||
      !instruction.good() || !p.repeatTimes)
    return;
  instruction.aligned(dst, "the destination");
  instruction.aligned(src, "the source");
  uint64_t fractals = bits == 16 ? 1 : 2, square = fractals * kFractal,
           side = bits == 8 ? 32 : 16;
  std::vector<Range> reads, writes;
  for (uint64_t r = 0; r < p.repeatTimes; ++r) {
    uint64_t from =
        static_cast<uint64_t>(src.addr) +
        sourceIndex(p.startIndex, r, p.srcStride, p.addrMode) * square;
    reads.push_back({from, from + square});
    for (uint64_t f = 0; f < fractals; ++f) {
      uint64_t to = static_cast<uint64_t>(dst.addr) +
                    (r * (p.dstGap + 1) + f * (p.dstFracGap + 1)) * kFractal;
      writes.push_back({to, to + kFractal});
    }
  }
  instruction.read(src, std::move(reads), false);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View to = viewOf(core, dst), from = viewOf(core, src);
    uint64_t c0 = kBlock / bytes;
    // Byte offset of (row, column) of the square, with `gap` bytes from one of
    // its fractals to the next.
    auto at = [=](uint64_t row, uint64_t column, uint64_t gap) {
      uint64_t f = bits == 8 ? row / kSide : column / c0;
      return f * gap + (row % kSide * c0 + column % c0) * bytes;
    };
    for (uint64_t r = 0; r < p.repeatTimes; ++r)
      for (uint64_t i = 0; i < side; ++i)
        for (uint64_t j = 0; j < side; ++j)
          moveElement(
              to,
              static_cast<uint64_t>(dst.addr) + r * (p.dstGap + 1) * kFractal +
                  at(j, i, (p.dstFracGap + 1) * kFractal),
              from,
              static_cast<uint64_t>(src.addr) +
                  sourceIndex(p.startIndex, r, p.srcStride, p.addrMode) *
                      square +
                  at(i, j, kFractal),
              bytes);
  });
}

// Part of a matrix in Nz order, as it is or transposed as a whole; the result
// is in Nz order, too, which in L0B is Zn of its own matrix (page "LoadData, 2D
// matrices, V2").
void tile_ascend::loadSteps(const Operand &dst, const Operand &src,
                            const AscendC::LoadData2DParamsV2 &p, Loc loc) {
  Instruction instruction("LoadData", TILE_ASCEND_PIPE_MTE1, loc);
  uint64_t bytes = bitsOf(dst.type) / 8;
  instruction.inMemory(dst, {TILE_ASCEND_L0A, TILE_ASCEND_L0B},
                       "the destination");
  instruction.inMemory(src, {TILE_ASCEND_L1}, "the source");
  instruction.atMost(p.mStep, 255, "mStep");
  instruction.atMost(p.kStep, 255, "kStep");
  instruction.require(!p.ifTranspose || bytes != 1 || p.mStep % 2 == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected an even mStep to transpose 8-bit "
                             "elements, got %u",
                             p.mStep));
  instruction.require(!p.ifTranspose || bytes != 4 || p.kStep % 2 == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected an even kStep to transpose 32-bit "
                             "elements, got %u",
                             p.kStep));
  if (!instruction.good() || !p.mStep || !p.kStep)
    return;
  instruction.aligned(dst, "the destination");
  instruction.aligned(src, "the source");
  uint64_t c0 = kBlock / bytes, rows = p.mStep * kSide, columns = p.kStep * c0;
  auto stride = static_cast<uint64_t>(p.srcStride);
  // Byte offset of an element in a matrix with `pitch` fractals from one column
  // of them to the next.
  auto at = [=](uint64_t row, uint64_t column, uint64_t pitch) {
    uint64_t fractal = column / c0 * pitch + row / kSide;
    return fractal * kFractal + (row % kSide * c0 + column % c0) * bytes;
  };
  uint64_t from = static_cast<uint64_t>(src.addr) +
                  (p.kStartPosition * stride + p.mStartPosition) * kFractal,
           to = static_cast<uint64_t>(dst.addr);
  std::vector<Range> reads, writes;
  auto addColumns = [](std::vector<Range> &ranges, uint64_t start,
                       uint64_t count, uint64_t pitch, uint64_t height) {
    for (uint64_t k = 0; k < count; ++k)
      ranges.push_back({start + k * pitch * kFractal,
                        start + (k * pitch + height) * kFractal});
  };
  addColumns(reads, from, p.kStep, stride, p.mStep);
  if (p.ifTranspose)
    addColumns(writes, to, rows / c0, p.dstStride, columns / kSide);
  else
    addColumns(writes, to, p.kStep, p.dstStride, p.mStep);
  instruction.read(src, std::move(reads), false);
  instruction.write(dst, std::move(writes));
  instruction.issue([=](Core &core, Instr &) {
    View out = viewOf(core, dst), in = viewOf(core, src);
    for (uint64_t i = 0; i < rows; ++i)
      for (uint64_t j = 0; j < columns; ++j)
        moveElement(out,
                    to + (p.ifTranspose ? at(j, i, p.dstStride)
                                        : at(i, j, p.dstStride)),
                    in, from + at(i, j, stride), bytes);
  });
}

namespace {

// Where the elements of Mmad's operands are.
struct MmadShape {
  uint64_t m, n, k;    // asked for
  uint64_t kDone;      // hardware works on whole 32-byte blocks of k
  uint64_t c0;         // elements in 32 bytes
  uint64_t m1, n1, k1; // fractals in each direction
  bool gemv; // m == 1: A is read as one row of k elements (page "GEMV")
  bool nzA;

  uint64_t indexA(uint64_t i, uint64_t j) const {
    if (gemv)
      return j;
    uint64_t fractal = nzA ? j / c0 * m1 + i / kSide : i / kSide * k1 + j / c0;
    return (fractal * kSide + i % kSide) * c0 + j % c0;
  }
  uint64_t indexB(uint64_t i, uint64_t j) const {
    return ((i / c0 * n1 + j / kSide) * kSide + j % kSide) * c0 + i % c0;
  }
  uint64_t indexC(uint64_t i, uint64_t j) const {
    return ((j / kSide * m1 + i / kSide) * kSide + i % kSide) * kSide +
           j % kSide;
  }
};

float elementAsFloat(DType type, const uint8_t *data, uint64_t index) {
  switch (type) {
  case DType::F16:
    return halfToFloat(loadAs<uint16_t>(data + index * 2));
  case DType::BF16:
    return bfloat16ToFloat(loadAs<uint16_t>(data + index * 2));
  case DType::F32:
    return loadAs<float>(data + index * 4);
  case DType::I8:
    return static_cast<int8_t>(data[index]);
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return static_cast<float>(loadElement(type, data + index, false));
  default:
    return static_cast<float>(
        loadElement(DType::I4, data + index / 2, index & 1));
  }
}

// The bytes of an operand that take part in the result.
template <typename F>
std::vector<Range> usedBytes(const Operand &operand, uint64_t rows,
                             uint64_t columns, F &&index) {
  std::vector<Range> ranges;
  uint64_t bits = bitsOf(operand.type);
  for (uint64_t i = 0; i < rows; ++i)
    for (uint64_t j = 0; j < columns; ++j) {
      uint64_t at =
                   static_cast<uint64_t>(operand.addr) + index(i, j) * bits / 8,
               end = at + std::max<uint64_t>(bits / 8, 1);
      if (!ranges.empty() &&
          (ranges.back().hi == at || (bits < 8 && ranges.back().hi == end)))
        ranges.back().hi = end;
      else
        ranges.push_back({at, end});
    }
  coalesce(ranges);
  return ranges;
}

// C += A * B in the order of k. Products of half, bfloat16, fp8 and int8 are
// exact in double, and int32 sums too.
template <typename Sum>
void multiply(const MmadShape &s, const Operand &c, const Operand &a,
              const Operand &b, const View &vc, const View &va, const View &vb,
              const std::vector<Sum> &initial) {
  std::vector<Sum> left(s.m * s.kDone), right(s.kDone * s.n), row(s.n);
  for (uint64_t i = 0; i < s.m; ++i)
    for (uint64_t k = 0; k < s.kDone; ++k)
      left[i * s.kDone + k] = static_cast<Sum>(
          elementAsFloat(a.type, va.data + a.addr, s.indexA(i, k)));
  for (uint64_t k = 0; k < s.kDone; ++k)
    for (uint64_t j = 0; j < s.n; ++j)
      right[k * s.n + j] = static_cast<Sum>(
          elementAsFloat(b.type, vb.data + b.addr, s.indexB(k, j)));
  for (uint64_t i = 0; i < s.m; ++i) {
    std::copy_n(initial.begin() + static_cast<std::ptrdiff_t>(i * s.n), s.n,
                row.begin());
    for (uint64_t k = 0; k < s.kDone; ++k) {
      Sum factor = left[i * s.kDone + k];
      for (uint64_t j = 0; j < s.n; ++j)
        row[j] += factor * right[k * s.n + j];
    }
    for (uint64_t j = 0; j < s.n; ++j) {
      uint64_t at = static_cast<uint64_t>(c.addr) + s.indexC(i, j) * 4;
      if constexpr (std::is_same_v<Sum, float>)
        storeAs(vc.data + at, row[j]);
      else // integers only have a saturating mode (page "Mmad", special values)
        storeAs(vc.data + at, static_cast<int32_t>(std::clamp<Sum>(
                                  row[j], INT32_MIN, INT32_MAX)));
      std::memset(vc.valid + at, 1, 4);
    }
  }
}

template <typename Sum>
void runMmad(const MmadShape &s, const Operand &c, const Operand &a,
             const Operand &b, const Operand *bias, bool clear, Core &core) {
  View vc = viewOf(core, c), va = viewOf(core, a), vb = viewOf(core, b);
  std::vector<Sum> initial(s.m * s.n);
  auto load = [&](const View &view, uint64_t at) {
    return static_cast<Sum>(
        c.type == DType::F32
            ? static_cast<long double>(loadAs<float>(view.data + at))
            : static_cast<long double>(loadAs<int32_t>(view.data + at)));
  };
  for (uint64_t i = 0; i < s.m && (bias || !clear); ++i)
    for (uint64_t j = 0; j < s.n; ++j)
      initial[i * s.n + j] =
          bias ? load(viewOf(core, *bias),
                      static_cast<uint64_t>(bias->addr) + j * 4)
               : load(vc, static_cast<uint64_t>(c.addr) + s.indexC(i, j) * 4);
  // Whole fractals are written: what lies outside m x n is garbage.
  std::memset(vc.valid + c.addr, 0, s.m1 * s.n1 * kSide * kSide * 4);
  multiply<Sum>(s, c, a, b, vc, va, vb, initial);
}

MmadShape shapeOf(const AscendC::MmadParams &p, const Operand &a, bool nzA) {
  MmadShape s{};
  s.m = p.m, s.n = p.n, s.k = p.k;
  s.c0 = kBlock * 8 / bitsOf(a.type);
  s.kDone = roundUp(p.k, s.c0);
  // kDirectionAlign rounds the fractals of a float operand up to 16 of k (page
  // "alignment in the k direction").
  s.k1 = p.kDirectionAlign && a.type == DType::F32 ? roundUp(p.k, kSide) / s.c0
                                                   : s.kDone / s.c0;
  s.m1 = ceilDiv(p.m, kSide), s.n1 = ceilDiv(p.n, kSide);
  s.gemv = p.m == 1;
  s.nzA = nzA;
  return s;
}

} // namespace

void tile_ascend::mmad(const Operand &dst, const Operand &a, const Operand &b,
                       const Operand *bias, const AscendC::MmadParams &p,
                       Loc loc) {
  Instruction instruction("Mmad", TILE_ASCEND_PIPE_M, loc);
  instruction.inMemory(dst, {TILE_ASCEND_L0C}, "the destination");
  instruction.inMemory(a, {TILE_ASCEND_L0A}, "the left operand");
  instruction.inMemory(b, {TILE_ASCEND_L0B}, "the right operand");
  if (bias)
    instruction.inMemory(*bias, {TILE_ASCEND_BT, TILE_ASCEND_L0C}, "the bias");
  for (auto [value, name] :
       {std::pair<uint64_t, const char *>{p.m, "m"}, {p.n, "n"}, {p.k, "k"}})
    instruction.atMost(value, kMaxMmad, name, TILE_ASCEND_REPORT_CUBE_LIMIT);
  instruction.require(
      p.unitFlag == 0 || p.unitFlag == 2 || p.unitFlag == 3,
      TILE_ASCEND_REPORT_PARAM_RANGE,
      format("expected unitFlag 0, 2 or 3, got %u", p.unitFlag));
  instruction.require(!p.kDirectionAlign || !instruction.chip.l0aNz,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected kDirectionAlign to be false on %s",
                             instruction.chip.name));
  if (!instruction.good() || !p.m || !p.n || !p.k)
    return;
  instruction.aligned(dst, instruction.chip.mmadAlign, "the destination");
  instruction.aligned(a, "the left operand");
  instruction.aligned(b, "the right operand");
  MmadShape shape = shapeOf(p, a, instruction.chip.l0aNz);
  instruction.read(
      a,
      usedBytes(a, shape.m, shape.kDone,
                [&](uint64_t i, uint64_t j) { return shape.indexA(i, j); }),
      true);
  instruction.read(
      b,
      usedBytes(b, shape.n, shape.kDone,
                [&](uint64_t j, uint64_t k) { return shape.indexB(k, j); }),
      true);
  if (bias && bias->mem == TILE_ASCEND_BT)
    instruction.read(*bias, span(*bias, 0, static_cast<int64_t>(p.n) * 4),
                     true);
  if (!bias && !p.cmatrixInitVal && !p.cmatrixSource)
    instruction.read(
        dst,
        usedBytes(dst, shape.m, shape.n,
                  [&](uint64_t i, uint64_t j) { return shape.indexC(i, j); }),
        true);
  instruction.require(bias || p.cmatrixInitVal || !p.cmatrixSource,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "cmatrixSource from the bias table expects the form of "
                      "Mmad with a bias operand");
  instruction.write(
      dst, span(dst, 0,
                static_cast<int64_t>(shape.m1 * shape.n1 * kSide * kSide * 4)));
  instruction.instr.inOrder =
      shape.m1 * shape.n1 >= instruction.chip.mmadOrderedTiles;
  bool clear = p.cmatrixInitVal, hasBias = bias;
  Operand biasCopy = bias ? *bias : Operand{};
  instruction.issue([=](Core &core, Instr &) {
    const Operand *from = hasBias ? &biasCopy : nullptr;
    if (dst.type == DType::F32)
      runMmad<float>(shape, dst, a, b, from, clear, core);
    else
      runMmad<double>(shape, dst, a, b, from, clear, core);
  });
}

namespace {

// Quantisation word (page "quantisation on the way out", table 1): bits 0-31 a
// float of which hardware keeps 10 fraction bits, 32-35 shift - 1, 36 shift on,
// 37-45 signed offset, 46 signed result.
struct Quant {
  float scale;
  int shift, offset;
  bool isSigned;
};

Quant decodeQuant(uint64_t word) {
  auto bits = static_cast<uint32_t>(word) & 0xFFFFE000u;
  Quant quant{};
  std::memcpy(&quant.scale, &bits, 4);
  quant.shift = word >> 36 & 1 ? static_cast<int>(word >> 32 & 15) + 1 : 0;
  quant.offset = static_cast<int>(word >> 37 & 0x1FF);
  quant.offset -= quant.offset >= 256 ? 512 : 0;
  quant.isSigned = word >> 46 & 1;
  return quant;
}

bool isVectorQuant(QuantMode_t mode) {
  return mode == VDEQF16 || mode == VQF322B8_PRE || mode == VREQ8;
}

// The mode that takes a source type to a destination type, scalar form.
bool quantFits(QuantMode_t mode, DType src, DType dst) {
  bool eight = dst == DType::I8 || dst == DType::U8;
  switch (mode) {
  case NoQuant:
    return src == dst;
  case F322F16:
    return src == DType::F32 && dst == DType::F16;
  case F322BF16:
    return src == DType::F32 && dst == DType::BF16;
  case DEQF16:
  case VDEQF16:
    return src == DType::I32 && dst == DType::F16;
  case QF322B8_PRE:
  case VQF322B8_PRE:
    return src == DType::F32 && eight;
  case REQ8:
  case VREQ8:
    return src == DType::I32 && eight;
  }
  return false;
}

void storeQuantised(const AscendC::FixpipeParamsV220 &p, uint64_t word,
                    DType src, DType dst, const uint8_t *from, uint8_t *to) {
  constexpr auto rint = AscendC::RoundMode::CAST_RINT;
  long double value = loadElement(src, from, false);
  if (p.quantPre == NoQuant || p.quantPre == F322F16 || p.quantPre == F322BF16)
    return storeElement(dst, to, false, p.reluEn && value < 0 ? 0 : value,
                        rint);
  Quant quant = decodeQuant(word);
  if (quant.shift) // the shifted value is an int16
    value = std::clamp<long double>(
        std::floor(std::scalbn(value, -quant.shift)), INT16_MIN, INT16_MAX);
  // Normal ReLU replaces the factor of negative values by 0 (page "quantisation
  // and ReLU combined").
  float scaled =
      static_cast<float>(value) * (p.reluEn && value < 0 ? 0.0f : quant.scale);
  bool toHalf = p.quantPre == DEQF16 || p.quantPre == VDEQF16;
  long double result = toHalf ? scaled : roundBy(scaled, rint) + quant.offset;
  storeElement(toHalf           ? DType::F16
               : quant.isSigned ? DType::I8
                                : DType::U8,
               to, false, result, rint);
}

// The part of a matrix in L0C that goes to one core.
struct FixPart {
  Operand dst;
  uint64_t row, rows, column, columns;
};

struct FixShape {
  AscendC::FixpipeParamsV220 p;
  bool nz;
  uint64_t
      column; // columns of one destination fractal row: N0 of the destination
  uint64_t element; // bytes of a destination element
  uint64_t srcAt(uint64_t nd, uint64_t i, uint64_t j) const {
    return (nd * p.srcNdStride * kSide + j / kSide * p.srcStride + i) * kSide *
               4 +
           j % kSide * 4;
  }
  uint64_t dstAt(uint64_t nd, uint64_t i, uint64_t j) const {
    if (nz)
      return j / column * p.dstStride * kBlock +
             (i * column + j % column) * element;
    return (nd * p.dstNdStride + i * p.dstStride + j) * element;
  }
};

bool checkFixpipe(Instruction &instruction, const Operand &dst,
                  const Operand &src, const Operand *scales,
                  const FixShape &s) {
  const auto &p = s.p;
  instruction.inMemory(src, {TILE_ASCEND_L0C}, "the source");
  if (!instruction.good() || !p.nSize || !p.mSize || !p.ndNum)
    return false;
  instruction.aligned(src, "the source");
  instruction.atMost(p.nSize, 4095, "nSize", TILE_ASCEND_REPORT_CUBE_LIMIT);
  instruction.atMost(p.mSize, s.nz ? 65535 : 8192, "mSize",
                     TILE_ASCEND_REPORT_CUBE_LIMIT);
  instruction.require(p.dstStride, TILE_ASCEND_REPORT_PARAM_RANGE,
                      "expected a dstStride that is not 0");
  instruction.atMost(p.srcNdStride, 512, "srcNdStride");
  if (s.nz) {
    instruction.aligned(dst, kBlock, "the destination");
    uint32_t unit = p.isChannelSplit ? 8 : kSide;
    instruction.require(
        p.nSize % unit == 0, TILE_ASCEND_REPORT_PARAM_RANGE,
        format("Nz output expects nSize to be a multiple of %u, got %u", unit,
               p.nSize));
  }
  instruction.require(!p.isChannelSplit || (s.nz && dst.type == DType::F32),
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "isChannelSplit expects float Nz output");
  instruction.require(quantFits(p.quantPre, src.type, dst.type),
                      TILE_ASCEND_REPORT_DTYPE,
                      format("quantPre %d does not take %s to %s", p.quantPre,
                             nameOf(src.type), nameOf(dst.type)));
  instruction.require(isVectorQuant(p.quantPre) == (scales != nullptr),
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "expected a tensor of quantisation words exactly when "
                      "quantPre is a vector mode");
  if (scales)
    instruction.inMemory(*scales, {TILE_ASCEND_L1}, "the quantisation words");
  return instruction.good();
}

void checkFixAtomic(Instruction &instruction, const Operand &dst) {
  instruction.maybeAtomic();
  if (instruction.instr.atomic)
    instruction.require(
        instruction.core.atomicType == dst.type &&
            instruction.core.atomicOp == AtomicOp::Add,
        TILE_ASCEND_REPORT_DTYPE,
        format("expected an atomic addition of %s, the type that is stored",
               nameOf(dst.type)));
}

} // namespace

namespace {

void touchPart(Instruction &instruction, const FixShape &s, const Operand &src,
               const FixPart &part, uint64_t matrices) {
  std::vector<Range> reads, writes;
  for (uint64_t nd = 0; nd < matrices; ++nd)
    for (uint64_t i = 0; i < part.rows; ++i)
      for (uint64_t j = 0; j < part.columns;
           j += 8) { // neither layout breaks a group of 8 columns
        uint64_t wide = std::min<uint64_t>(8, part.columns - j);
        uint64_t from = static_cast<uint64_t>(src.addr) +
                        s.srcAt(nd, part.row + i, part.column + j);
        uint64_t to = static_cast<uint64_t>(part.dst.addr) + s.dstAt(nd, i, j);
        reads.push_back({from, from + wide * 4});
        if (!writes.empty() && writes.back().hi == to)
          writes.back().hi += wide * s.element;
        else
          writes.push_back({to, to + wide * s.element});
      }
  instruction.read(src, std::move(reads), true);
  instruction.write(part.dst, std::move(writes));
}

// The words of quantisation lie in L1, or there is one in the parameters.
void storePart(Core &core, const FixShape &s, const Operand &src,
               const FixPart &part, uint64_t matrices, const Operand *words,
               bool atomic) {
  View to = viewOf(core, part.dst), from = viewOf(core, src);
  for (uint64_t nd = 0; nd < matrices; ++nd)
    for (uint64_t i = 0; i < part.rows; ++i)
      for (uint64_t j = 0; j < part.columns; ++j) {
        uint64_t at = static_cast<uint64_t>(part.dst.addr) + s.dstAt(nd, i, j);
        uint64_t word = words ? loadAs<uint64_t>(viewOf(core, *words).data +
                                                 words->addr + j * 8)
                              : s.p.deqScalar;
        uint8_t result[4];
        storeQuantised(s.p, word, src.type, part.dst.type,
                       from.data + static_cast<uint64_t>(src.addr) +
                           s.srcAt(nd, part.row + i, part.column + j),
                       result);
        if (atomic)
          storeElement(part.dst.type, result, false,
                       loadElement(part.dst.type, result, false) +
                           loadElement(part.dst.type, to.data + at, false),
                       AscendC::RoundMode::CAST_RINT);
        std::memcpy(to.data + at, result, s.element);
        std::memset(to.valid + at, 1, s.element);
      }
}

// Page "Fixpipe (L0C to UB)", tables and constraints, and "two destinations".
bool checkFixpipeToUb(Instruction &instruction, const Operand &dst,
                      const FixShape &s, uint8_t dual, uint8_t sub) {
  const auto &p = s.p;
  instruction.aligned(dst, kBlock, "the destination");
  instruction.require(p.nSize * s.element % kBlock == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected rows of whole blocks of %u bytes, got "
                             "%llu",
                             kBlock,
                             static_cast<unsigned long long>(p.nSize *
                                                             s.element)));
  instruction.atMost(dual, 2, "dualDstCtl");
  instruction.atMost(sub, 1, "subBlockId");
  instruction.require(dual != 1 || p.mSize % 2 == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected mSize to be a multiple of 2 for halves "
                             "of the rows, got %u",
                             p.mSize));
  instruction.require(dual != 2 || p.nSize % 32 == 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("expected nSize to be a multiple of 32 for halves "
                             "of the columns, got %u",
                             p.nSize));
  instruction.require(!dual || (p.quantPre == NoQuant && !p.reluEn),
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "two destinations get the elements as they are: expected "
                      "neither quantPre nor reluEn");
  return instruction.good();
}

} // namespace

void tile_ascend::fixpipe(const Operand &dst, const Operand &src,
                          const Operand *scales, bool nz,
                          const AscendC::FixpipeParamsV220 &p, Loc loc) {
  Instruction instruction("Fixpipe", TILE_ASCEND_PIPE_FIX, loc);
  uint64_t element = bytesOf(dst.type);
  // Nz fractals of 8-bit elements are 32 columns wide, of split float channels
  // 8 (page "NZ2NZ").
  FixShape shape{p, nz,
                 element == 1       ? 32u
                 : p.isChannelSplit ? 8u
                                    : 16u,
                 element};
  if (!checkFixpipe(instruction, dst, src, scales, shape))
    return;
  checkFixAtomic(instruction, dst);
  uint64_t matrices = nz ? 1 : p.ndNum;
  FixPart whole{dst, 0, p.mSize, 0, p.nSize};
  touchPart(instruction, shape, src, whole, matrices);
  if (scales)
    instruction.read(*scales, span(*scales, 0, p.nSize * 8), true);
  bool atomic = instruction.instr.atomic;
  Operand words = scales ? *scales : Operand{};
  bool perColumn = scales;
  instruction.issue([=](Core &core, Instr &) {
    storePart(core, shape, src, whole, matrices, perColumn ? &words : nullptr,
              atomic);
  });
}

void tile_ascend::fixpipeToUb(const Operand &dst, const Operand &src,
                              const AscendC::FixpipeParamsV220 &p, uint8_t dual,
                              uint8_t sub, Loc loc) {
  Instruction instruction("Fixpipe", TILE_ASCEND_PIPE_FIX, loc);
  FixShape shape{p, false, 16, bytesOf(dst.type)};
  if (!instruction.require(instruction.chip.l0cToUb,
                           TILE_ASCEND_REPORT_DATA_PATH,
                           format("there is no data path from L0C to UB on %s",
                                  instruction.chip.name)) ||
      !instruction.inMemory(dst, {TILE_ASCEND_UB}, "the destination") ||
      !checkFixpipe(instruction, dst, src, nullptr, shape) ||
      !checkFixpipeToUb(instruction, dst, shape, dual, sub))
    return;
  uint64_t rows = dual == 1 ? p.mSize / 2u : p.mSize,
           columns = dual == 2 ? p.nSize / 2u : p.nSize;
  std::vector<FixPart> parts;
  for (uint64_t core = 0; core < 2; ++core) {
    if (!dual && core != sub)
      continue;
    FixPart part{dst, dual == 1 ? core * rows : 0, rows,
                 dual == 2 ? core * columns : 0, columns};
    part.dst.unit = core ? Unit::Aiv1 : Unit::Aiv0;
    touchPart(instruction, shape, src, part, p.ndNum);
    parts.push_back(part);
  }
  instruction.issue([=](Core &core, Instr &) {
    for (const FixPart &part : parts)
      storePart(core, shape, src, part, p.ndNum, nullptr, /*atomic=*/false);
  });
}
