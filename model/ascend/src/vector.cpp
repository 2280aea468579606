// Element-wise vector instructions, casts, comparison, selection.
#include <algorithm>
#include <cstring>

#include "vector_plan.h"

using namespace tile_ascend;

namespace {

// Arithmetic of one element type: half and bfloat16 compute in float and round
// once, which is exact rounding for + - * / sqrt.
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T>, T, float>;

// Integer results wrap.
template <typename T>
T wrap(long long value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

template <typename T>
Wide<T> arith(VecOp op, Wide<T> a, Wide<T> b) {
  if constexpr (std::is_integral_v<T>) {
    auto x = static_cast<long long>(a), y = static_cast<long long>(b);
    switch (op) {
    case VecOp::Add:
    case VecOp::Adds:
      return wrap<T>(x + y);
    case VecOp::AddRelu:
      return wrap<T>(std::max(x + y, 0LL));
    case VecOp::Sub:
      return wrap<T>(x - y);
    case VecOp::SubRelu:
      return wrap<T>(std::max(x - y, 0LL));
    case VecOp::Mul:
    case VecOp::Muls:
      return wrap<T>(x * y);
    case VecOp::Max:
    case VecOp::Maxs:
      return std::max(a, b);
    case VecOp::Min:
    case VecOp::Mins:
      return std::min(a, b);
    case VecOp::And:
      return static_cast<T>(a & b);
    case VecOp::Or:
      return static_cast<T>(a | b);
    case VecOp::ShiftLeft:
      return wrap<T>(y >= static_cast<long long>(sizeof(T) * 8)
                         ? 0
                         : static_cast<long long>(
                               static_cast<unsigned long long>(x) << y));
    case VecOp::ShiftRight:
      return static_cast<T>(
          x >> std::min<long long>(y, 63)); // arithmetic for signed types
    default:
      return a;
    }
  } else {
    switch (op) {
    case VecOp::Add:
    case VecOp::Adds:
      return a + b;
    case VecOp::AddRelu:
      return std::max(a + b, 0.0f);
    case VecOp::Sub:
      return a - b;
    case VecOp::SubRelu:
      return std::max(a - b, 0.0f);
    case VecOp::Mul:
    case VecOp::Muls:
      return a * b;
    case VecOp::Div:
      return a / b;
    case VecOp::Max:
    case VecOp::Maxs:
      return a > b || std::isnan(a) ? a : b;
    case VecOp::Min:
    case VecOp::Mins:
      return a < b || std::isnan(a) ? a : b;
    case VecOp::LeakyRelu:
      return a >= 0 ? a : a * b;
    default:
      return a;
    }
  }
}

template <typename T>
Wide<T> arith(VecOp op, Wide<T> a) {
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
    case VecOp::Relu:
      return std::max(a, T(0));
    case VecOp::Not:
      return static_cast<T>(~a);
    default:
      return a;
    }
  } else {
    switch (op) {
    case VecOp::Exp:
      return std::exp(a);
    case VecOp::Ln:
      return std::log(a);
    case VecOp::Abs:
      return std::fabs(a);
    case VecOp::Reciprocal:
      return 1.0f / a;
    case VecOp::Sqrt:
      return std::sqrt(a);
    case VecOp::Rsqrt:
      return 1.0f / std::sqrt(a);
    case VecOp::Relu:
      return a > 0 ? a : 0.0f;
    default:
      return a;
    }
  }
}

// Multiply-add families, which also read the destination: dst + a*b or a*dst +
// b.
float fused(VecOp op, float dst, float a, float b) {
  switch (op) {
  case VecOp::FusedMulAdd:
    return a * dst + b;
  case VecOp::MulAddRelu:
    return std::max(a * dst + b, 0.0f);
  default:
    return a * b + dst;
  }
}

bool readsDst(VecOp op) {
  return op == VecOp::MulAddDst || op == VecOp::FusedMulAdd ||
         op == VecOp::MulAddRelu || op == VecOp::Axpy;
}

// General constraints page: these may accumulate over repeats into the second
// source.
bool mayAccumulate(VecOp op, DType type) {
  bool named = op == VecOp::Add || op == VecOp::Sub || op == VecOp::Mul ||
               op == VecOp::Max || op == VecOp::Min || op == VecOp::AddRelu ||
               op == VecOp::SubRelu;
  return named &&
         (type == DType::F16 || type == DType::I32 || type == DType::F32);
}

template <typename T>
T scalarAs(const Scalar &scalar) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(scalar.integer);
  else
    return T(static_cast<float>(scalar.real));
}

DType wider(DType a, DType b) { return bitsOf(a) >= bitsOf(b) ? a : b; }

template <typename T, typename U>
void runBinary(VecOp op, const Plan &plan, const Walk &wd, const Walk &wa,
               const Walk &wb, const View &ub) {
  forEachLane(plan, [&](uint32_t r, uint32_t lane) {
    uint64_t d = wd.byteAt(r, lane), a = wa.byteAt(r, lane),
             b = wb.byteAt(r, lane);
    Wide<U> x = loadAs<U>(ub.data + a), y = loadAs<U>(ub.data + b);
    bool valid =
        allValid(ub.valid + a, sizeof(U)) && allValid(ub.valid + b, sizeof(U));
    if (readsDst(op)) {
      valid = valid && allValid(ub.valid + d, sizeof(T));
      storeAs(ub.data + d,
              T(fused(op, static_cast<float>(loadAs<T>(ub.data + d)),
                      static_cast<float>(x), static_cast<float>(y))));
    } else {
      storeAs(ub.data + d, T(arith<U>(op, x, y)));
    }
    std::memset(ub.valid + d, valid, sizeof(T));
  });
}

template <typename T, typename U>
void runUnary(VecOp op, const Plan &plan, Scalar scalar, bool hasScalar,
              const Walk &wd, const Walk &ws, const View &ub) {
  Wide<U> s = scalarAs<U>(scalar);
  forEachLane(plan, [&](uint32_t r, uint32_t lane) {
    uint64_t d = wd.byteAt(r, lane), a = ws.byteAt(r, lane);
    Wide<U> x = loadAs<U>(ub.data + a);
    bool valid = allValid(ub.valid + a, sizeof(U));
    if (readsDst(op)) {
      valid = valid && allValid(ub.valid + d, sizeof(T));
      storeAs(ub.data + d,
              T(fused(op, static_cast<float>(loadAs<T>(ub.data + d)),
                      static_cast<float>(x), static_cast<float>(s))));
    } else {
      storeAs(ub.data + d, T(hasScalar ? arith<U>(op, x, s) : arith<U>(op, x)));
    }
    std::memset(ub.valid + d, valid, sizeof(T));
  });
}

} // namespace

void tile_ascend::vectorBinary(VecOp op, const char *name, const Operand &dst,
                               const Operand &a, const Operand &b,
                               const Lanes &lanes,
                               const AscendC::BinaryRepeatParams &p, Loc loc) {
  Instruction instruction(name, TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &a, &b});
  Plan plan = makePlan(instruction, lanes, wider(dst.type, a.type));
  if (!plan.repeats)
    return;
  Walk wd(dst, {p.dstBlkStride, p.dstRepStride}, plan),
      wa(a, {p.src0BlkStride, p.src0RepStride}, plan),
      wb(b, {p.src1BlkStride, p.src1RepStride}, plan);
  bool accumulates = mayAccumulate(op, dst.type) && dst.addr == b.addr &&
                     (wb.repeat == 0 || wd.repeat == 0);
  checkOverlap(instruction, dst, wd, a, wa, plan, false, false);
  checkOverlap(instruction, dst, wd, b, wb, plan, false, accumulates);
  instruction.read(a, rangesOf(wa, plan), false);
  instruction.read(b, rangesOf(wb, plan), false);
  if (readsDst(op))
    instruction.read(dst, rangesOf(wd, plan), false);
  instruction.write(dst, rangesOf(wd, plan));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    if (dst.type !=
        a.type) // the only mixed form: half sources, float destination
      return runBinary<float, half>(op, plan, wd, wa, wb, ub);
    dispatch(dst.type, [&](auto zero) {
      runBinary<decltype(zero), decltype(zero)>(op, plan, wd, wa, wb, ub);
    });
  });
}

void tile_ascend::vectorUnary(VecOp op, const char *name, const Operand &dst,
                              const Operand &src, Scalar scalar,
                              const Lanes &lanes, Stride dstStride,
                              Stride srcStride, Loc loc) {
  Instruction instruction(name, TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src});
  Plan plan = makePlan(instruction, lanes, wider(dst.type, src.type));
  if (!plan.repeats)
    return;
  // In counter mode the mask of Copy counts the elements of one repeat (page
  // "Copy"), unlike every other instruction's.
  instruction.require(op != VecOp::Copy || !instruction.core.maskCount,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "the model has no counter mode for Copy");
  if (op == VecOp::ShiftLeft || op == VecOp::ShiftRight)
    instruction.require(
        scalar.integer >= 0 &&
            scalar.integer <= static_cast<int64_t>(bitsOf(src.type)),
        TILE_ASCEND_REPORT_PARAM_RANGE,
        format("expected a shift of 0 to %u, got %lld", bitsOf(src.type),
               static_cast<long long>(scalar.integer)));
  Walk wd(dst, dstStride, plan), ws(src, srcStride, plan);
  checkOverlap(instruction, dst, wd, src, ws, plan, false, false);
  instruction.read(src, rangesOf(ws, plan), false);
  if (readsDst(op))
    instruction.read(dst, rangesOf(wd, plan), false);
  instruction.write(dst, rangesOf(wd, plan));
  bool hasScalar = op < VecOp::Exp;
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    if (dst.type != src.type)
      return runUnary<float, half>(op, plan, scalar, hasScalar, wd, ws, ub);
    dispatch(dst.type, [&](auto zero) {
      runUnary<decltype(zero), decltype(zero)>(op, plan, scalar, hasScalar, wd,
                                               ws, ub);
    });
  });
}

void tile_ascend::vectorDuplicate(const Operand &dst, Scalar scalar,
                                  const Lanes &lanes, Stride stride, Loc loc) {
  Instruction instruction("Duplicate", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst});
  Plan plan = makePlan(instruction, lanes, dst.type);
  if (!plan.repeats)
    return;
  Walk walk(dst, stride, plan);
  instruction.write(dst, rangesOf(walk, plan));
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    dispatch(dst.type, [&](auto zero) {
      using T = decltype(zero);
      T value = scalarAs<T>(scalar);
      forEachLane(plan, [&](uint32_t r, uint32_t lane) {
        uint64_t at = walk.byteAt(r, lane);
        storeAs(ub.data + at, value);
        std::memset(ub.valid + at, 1, sizeof(T));
      });
    });
  });
}

namespace {
// Round modes of each cast (page "Cast", table for Atlas A2): exact ones take
// only CAST_NONE.
bool roundModeExists(DType dst, DType src, AscendC::RoundMode mode) {
  using M = AscendC::RoundMode;
  bool directed = mode >= M::CAST_RINT && mode <= M::CAST_TRUNC;
  bool exact =
      src == DType::I4 || src == DType::I8 || src == DType::U8 ||
      src == DType::F8E4M3FN || src == DType::F8E5M2 ||
      (src == DType::I16 && dst != DType::F16) ||
      (src == DType::F16 && dst == DType::F32) ||
      (src == DType::BF16 && dst == DType::F32) ||
      (src == DType::I32 && (dst == DType::I16 || dst == DType::I64)) ||
      (src == DType::I64 && dst == DType::I32);
  if (exact)
    return mode == M::CAST_NONE;
  if (src == DType::I32 && dst == DType::F16) // the mode has no effect
    return true;
  bool nearestByDefault = (src == DType::F32 && dst == DType::F16) ||
                          (src == DType::I16 && dst == DType::F16) ||
                          (src == DType::I32 && dst == DType::F32) ||
                          (src == DType::F16 && bitsOf(dst) <= 8);
  return directed || (mode == M::CAST_NONE && nearestByDefault) ||
         (mode == M::CAST_ODD && src == DType::F32 && dst == DType::F16);
}

void castElement(const Operand &dst, const Operand &src,
                 AscendC::RoundMode mode, float scale, const Walk &wd,
                 const Walk &ws, uint32_t r, uint32_t lane, const View &ub) {
  uint64_t d = wd.byteAt(r, lane), s = ws.byteAt(r, lane);
  uint32_t srcBytes = std::max(1u, bitsOf(src.type) / 8),
           dstBytes = std::max(1u, bitsOf(dst.type) / 8);
  long double value =
      loadElement(src.type, ub.data + s, ws.highNibble(r, lane));
  bool valid = allValid(ub.valid + s, srcBytes);
  if (src.type == DType::I32 && dst.type == DType::F16) // page "SetDeqScale"
    value = static_cast<float>(value) * scale;
  else if (src.type == DType::F32 && dst.type == DType::F32)
    value = std::isfinite(value) ? roundBy(value, mode) : value;
  storeElement(dst.type, ub.data + d, wd.highNibble(r, lane), value, mode);
  std::memset(ub.valid + d, valid, dstBytes);
}
} // namespace

void tile_ascend::vectorCast(const Operand &dst, const Operand &src,
                             AscendC::RoundMode mode, const Lanes &lanes,
                             const AscendC::UnaryRepeatParams &p, Loc loc) {
  Instruction instruction("Cast", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &src});
  Plan plan = makePlan(instruction, lanes, wider(dst.type, src.type));
  if (!plan.repeats)
    return;
  static const char *const modes[] = {"CAST_NONE", "CAST_RINT",  "CAST_FLOOR",
                                      "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC",
                                      "CAST_ODD"};
  instruction.require(roundModeExists(dst.type, src.type, mode),
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("%s to %s has no round mode %s", nameOf(src.type),
                             nameOf(dst.type), modes[static_cast<int>(mode)]));
  instruction.require(src.type != DType::I32 || dst.type != DType::F16 ||
                          instruction.core.deqScaleSet,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "int32_t to half expects SetDeqScale(half) before it");
  bool nibbles = src.type == DType::I4 || dst.type == DType::I4;
  instruction.require(!nibbles || plan.total % 2 == 0 || plan.total < 0,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      "a cast of int4b_t expects an even number of elements");
  Walk wd(dst, {p.dstBlkStride, p.dstRepStride}, plan),
      ws(src, {p.srcBlkStride, p.srcRepStride}, plan);
  checkOverlap(instruction, dst, wd, src, ws, plan,
               bitsOf(dst.type) < bitsOf(src.type), false);
  instruction.read(src, rangesOf(ws, plan), false);
  instruction.write(dst, rangesOf(wd, plan));
  float scale = instruction.core.deqScale;
  instruction.issue([=](Core &core, Instr &) {
    View ub = viewOf(core, dst);
    forEachLane(plan, [&](uint32_t r, uint32_t lane) {
      castElement(dst, src, mode, scale, wd, ws, r, lane, ub);
    });
  });
}

namespace {
template <typename T>
bool compare(AscendC::CMPMODE mode, T a, T b) {
  switch (mode) {
  case AscendC::CMPMODE::LT:
    return a < b;
  case AscendC::CMPMODE::GT:
    return a > b;
  case AscendC::CMPMODE::EQ:
    return a == b;
  case AscendC::CMPMODE::LE:
    return a <= b;
  case AscendC::CMPMODE::GE:
    return a >= b;
  case AscendC::CMPMODE::NE:
    return a != b;
  }
  return false;
}

// Operands of a comparison. The mask has no effect on 2201; result bits are
// packed over the repeats.
struct CompareWork {
  Plan plan;
  Walk wa, wb;
  uint64_t dst;
  DType type;
  bool scalar;
  double value;
  AscendC::CMPMODE mode;
};

void runCompare(const CompareWork &w, const View &ub) {
  uint32_t bytes = bytesOf(w.type);
  uint64_t index = 0;
  forEachLane(w.plan, [&](uint32_t r, uint32_t lane) {
    uint64_t a = w.wa.byteAt(r, lane), b = w.wb.byteAt(r, lane);
    double x = static_cast<double>(loadElement(w.type, ub.data + a, false));
    double y =
        w.scalar ? w.value
                 : static_cast<double>(loadElement(w.type, ub.data + b, false));
    bool valid = allValid(ub.valid + a, bytes) &&
                 (w.scalar || allValid(ub.valid + b, bytes));
    uint8_t &out = ub.data[w.dst + index / 8],
            &ok = ub.valid[w.dst + index / 8];
    if (index % 8 == 0)
      out = 0, ok = 1;
    out = static_cast<uint8_t>(out | compare(w.mode, x, y) << index % 8);
    ok &= valid;
    ++index;
  });
}
} // namespace

void tile_ascend::vectorCompare(const char *name, const Operand &dst,
                                const Operand &a, const Operand *b,
                                Scalar scalar, AscendC::CMPMODE mode,
                                const Lanes &lanes,
                                const AscendC::BinaryRepeatParams &p, Loc loc) {
  Instruction instruction(name, TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &a, b ? b : &a});
  instruction.require(a.type != DType::I32 || mode == AscendC::CMPMODE::EQ ||
                          instruction.chip.compareInt32,
                      TILE_ASCEND_REPORT_DTYPE,
                      "int32_t can only be compared with CMPMODE::EQ");
  Lanes all = lanes;
  uint32_t bytes = bytesOf(a.type);
  if (lanes.kind == Lanes::Count)
    instruction.require(lanes.count * bytes % 256 == 0,
                        TILE_ASCEND_REPORT_PARAM_RANGE,
                        format("expected a count that fills whole 256-byte "
                               "repeats, got %lld x %u bytes",
                               static_cast<long long>(lanes.count), bytes));
  else
    all = lanesMask(true, 256 / bytes, lanes.repeats);
  Plan plan = makePlan(instruction, all, a.type);
  if (!plan.repeats)
    return;
  const Operand &second = b ? *b : a;
  CompareWork work{plan,
                   Walk(a, {p.src0BlkStride, p.src0RepStride}, plan),
                   Walk(second, {p.src1BlkStride, p.src1RepStride}, plan),
                   static_cast<uint64_t>(dst.addr),
                   a.type,
                   !b,
                   scalar.real,
                   mode};
  uint64_t step = plan.perRepeat / 8;
  std::vector<Range> writes;
  for (uint32_t r = 0; r < plan.repeats; ++r)
    writes.push_back({work.dst + r * step, work.dst + (r + 1) * step});
  checkOverlap(instruction, writes, extentsOf(work.wa, plan));
  if (b)
    checkOverlap(instruction, writes, extentsOf(work.wb, plan));
  instruction.read(a, rangesOf(work.wa, plan), false);
  if (b)
    instruction.read(*b, rangesOf(work.wb, plan), false);
  instruction.write(dst,
                    span(dst, 0, int64_t(plan.repeats) * plan.perRepeat / 8));
  instruction.issue(
      [=](Core &core, Instr &) { runCompare(work, viewOf(core, dst)); });
}

namespace {
struct SelectWork {
  Plan plan;
  Walk wd, wa, wb;
  uint64_t mask;
  uint32_t bytes;
  bool sameMask; // mode 0: every repeat uses the mask's first bits
  bool scalar;
  uint8_t value[4];
};

void runSelect(const SelectWork &w, const View &ub) {
  forEachLane(w.plan, [&](uint32_t r, uint32_t lane) {
    uint64_t bit = (w.sameMask ? 0 : uint64_t(r) * w.plan.perRepeat) + lane;
    uint64_t d = w.wd.byteAt(r, lane), maskAt = w.mask + bit / 8;
    bool first = ub.data[maskAt] >> bit % 8 & 1;
    bool valid = ub.valid[maskAt];
    if (!first && w.scalar) {
      std::memcpy(ub.data + d, w.value, w.bytes);
    } else {
      uint64_t from = first ? w.wa.byteAt(r, lane) : w.wb.byteAt(r, lane);
      valid = valid && allValid(ub.valid + from, w.bytes);
      std::memmove(ub.data + d, ub.data + from, w.bytes);
    }
    std::memset(ub.valid + d, valid, w.bytes);
  });
}
} // namespace

void tile_ascend::vectorSelect(const Operand &dst, const Operand &mask,
                               const Operand &a, const Operand *b,
                               Scalar scalar, AscendC::SELMODE mode,
                               const Lanes &lanes,
                               const AscendC::BinaryRepeatParams &p, Loc loc) {
  Instruction instruction("Select", TILE_ASCEND_PIPE_V, loc);
  checkVector(instruction, {&dst, &mask, &a, b ? b : &a});
  bool tensorMode = mode != AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
  instruction.require(
      tensorMode == (b != nullptr), TILE_ASCEND_REPORT_PARAM_RANGE,
      "expected a scalar second source exactly with VSEL_TENSOR_SCALAR_MODE");
  Plan plan = makePlan(instruction, lanes, a.type);
  if (!plan.repeats)
    return;
  const Operand &second = b ? *b : a;
  SelectWork work{plan,
                  Walk(dst, {p.dstBlkStride, p.dstRepStride}, plan),
                  Walk(a, {p.src0BlkStride, p.src0RepStride}, plan),
                  Walk(second, {p.src1BlkStride, p.src1RepStride}, plan),
                  static_cast<uint64_t>(mask.addr),
                  bytesOf(a.type),
                  mode == AscendC::SELMODE::VSEL_CMPMASK_SPR,
                  !b,
                  {}};
  storeElement(a.type, work.value, false, scalar.real,
               AscendC::RoundMode::CAST_RINT);
  checkOverlap(instruction, dst, work.wd, a, work.wa, plan, false, false);
  if (b)
    checkOverlap(instruction, dst, work.wd, *b, work.wb, plan, false, false);
  std::vector<Range> masks;
  for (uint32_t r = 0; r < plan.repeats; ++r) {
    uint64_t at = work.mask + (work.sameMask ? 0 : r * plan.perRepeat / 8);
    masks.push_back({at, at + plan.perRepeat / 8});
  }
  checkOverlap(instruction, extentsOf(work.wd, plan), masks);
  uint64_t maskBits = work.sameMask ? plan.perRepeat
                      : plan.total >= 0
                          ? plan.total
                          : uint64_t(plan.repeats) * plan.perRepeat;
  instruction.read(
      mask, span(mask, 0, static_cast<int64_t>(ceilDiv(maskBits, 8))), false);
  instruction.read(a, rangesOf(work.wa, plan), false);
  if (b)
    instruction.read(*b, rangesOf(work.wb, plan), false);
  instruction.write(dst, rangesOf(work.wd, plan));
  if (!work.sameMask && instruction.good() && !instruction.core.usesSelect) {
    instruction.core.usesSelect = true;
    instruction.core.selectPlace =
        instruction.launch.addPlace(instruction.place);
  }
  instruction.issue(
      [=](Core &core, Instr &) { runSelect(work, viewOf(core, dst)); });
}
