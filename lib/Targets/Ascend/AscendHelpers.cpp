//===- AscendHelpers.cpp - functions that the text has where it uses them -===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile::ascend;

static constexpr StringLiteral kBits = R"(
typedef union {{ float number; uint32_t bits; } Bits;
)";

// Both numbers have their first bit at bit 61, so that what is shifted out of
// the smaller one decides only whether the result is exact.
static constexpr StringLiteral kFusedMultiplyAdd = R"(
// What is shifted out leaves a bit behind.
static {0}inline uint64_t shiftOut(uint64_t x, int32_t count) {{
  return count <= 0 ? x : count > 63 ? x != 0 : x >> count | ((x << (64 - count)) != 0);
}
static {0}inline uint64_t alignFirst(uint64_t x, int32_t *exponent, int32_t first) {{
  for (; x && !(x >> first & 1); --*exponent)
    x <<= 1;
  return x;
}
// a * b + c, rounded once: to nearest and even, or what is not exact to odd.
static {0}inline float fusedMultiplyAdd(float a, float b, float c, bool odd) {{
  Bits x, y, z;
  x.number = a, y.number = b, z.number = c;
  const int32_t ex = x.bits >> 23 & 255, ey = y.bits >> 23 & 255, ez = z.bits >> 23 & 255;
  if (ex == 255 || ey == 255)
    return a * b + c;
  if (ez == 255)
    return c;
  const uint32_t sign = (x.bits ^ y.bits) & 0x80000000;
  uint64_t p = (uint64_t)((x.bits & 0x7fffff) | (ex ? 0x800000 : 0)) * ((y.bits & 0x7fffff) | (ey ? 0x800000 : 0));
  uint64_t q = (z.bits & 0x7fffff) | (ez ? 0x800000 : 0);
  int32_t ep = (ex ? ex : 1) + (ey ? ey : 1) - 300, eq = (ez ? ez : 1) - 150;
  if (!p)
    return a * b + c;
  p = alignFirst(p, &ep, 61);
  q = alignFirst(q, &eq, 61);
  if (!q)
    eq = ep;
  int32_t e = ep > eq ? ep : eq;
  p = shiftOut(p, e - ep);
  q = shiftOut(q, e - eq);
  Bits result;
  result.bits = p >= q ? sign : z.bits & 0x80000000;
  uint64_t sum = sign == (z.bits & 0x80000000) ? p + q : p >= q ? p - q : q - p;
  if (!sum)
    return 0.0f;
  sum = alignFirst(sum, &e, 62);
  const int32_t biased = e + 189;
  sum = shiftOut(sum, biased < 1 ? 1 - biased : 0);
  uint32_t bits = (uint32_t)(sum >> 39) + (biased > 1 ? (uint32_t)(biased - 1) << 23 : 0);
  const uint64_t rest = sum & 0x7fffffffff, tie = 0x4000000000;
  if (odd)
    bits = biased > 254 ? 0x7f7fffff : bits | (rest != 0);
  else
    bits = biased > 254 ? 0x7f800000 : bits + (rest > tie || (rest == tie && (bits & 1)));
  result.bits |= bits;
  return result.number;
}
)";

static constexpr StringLiteral kFloatRemainder = R"(
// What is left of a behind multiples of b towards 0, exactly, with the sign of a.
static {0}inline float floatRemainder(float a, float b) {{
  Bits x, y;
  x.number = a, y.number = b;
  const uint32_t sign = x.bits & 0x80000000;
  x.bits &= 0x7fffffff, y.bits &= 0x7fffffff;
  if (x.bits >= 0x7f800000 || y.bits > 0x7f800000 || !y.bits) {{
    x.bits = 0x7fc00000;
    return x.number;
  }
  if (x.bits < y.bits)
    return a;
  int32_t ex = x.bits >> 23, ey = y.bits >> 23;
  uint64_t p = (x.bits & 0x7fffff) | (ex ? 0x800000 : 0);
  const uint64_t q = (y.bits & 0x7fffff) | (ey ? 0x800000 : 0);
  ex = ex ? ex : 1, ey = ey ? ey : 1;
  p %= q;
  for (int32_t step; ex > ey; ex -= step) {{
    step = ex - ey < 32 ? ex - ey : 32;
    p = (p << step) % q;
  }
  for (; p && !(p >> 23) && ey > 1; --ey)
    p <<= 1;
  x.bits = (uint32_t)p + (p >> 23 ? (uint32_t)(ey - 1) << 23 : 0);
  x.bits |= sign;
  return x.number;
}
)";

void mlir::tile::ascend::writeChoices(const llvm::StringSet<> &used,
                                      StringRef attribute, raw_ostream &os) {
  if (llvm::any_of(ArrayRef<StringRef>{"smaller", "larger", "clip", "inside"},
                   [&](StringRef name) { return used.contains(name); }))
    os << "\n";
  for (auto [name, compare] : {std::pair("smaller", "<"), {"larger", ">"}})
    if (used.contains(name))
      os << "static " << attribute << "inline int64_t " << name
         << "(int64_t a, int64_t b) { return a " << compare
         << " b ? a : b; }\n";
  if (used.contains("clip"))
    os << "static " << attribute
       << "inline int64_t clip(int64_t a, int64_t most) { return a < 0 || most "
          "< 0 ? 0 : a < most ? a : most; }\n";
  if (used.contains("inside"))
    os << "static " << attribute
       << "inline bool inside(int64_t a, int64_t size) { return a >= 0 && a < "
          "size; }\n";
  for (auto [name, text] : {std::pair("Bits", kBits),
                            {"fusedMultiplyAdd", kFusedMultiplyAdd},
                            {"floatRemainder", kFloatRemainder}})
    if (used.contains(name))
      os << llvm::formatv(text.data(), attribute);
}

/// Products that are added and remainders of floats, rounded once. Those of 16
/// bits are exact but for a last bit that is odd in f32 before they are
/// rounded.
LogicalResult AscendWriter::writeExact(Operation *op) {
  Value result = op->getResult(0);
  FailureOr<std::string> type = getTypeName(op, result.getType());
  if (failed(type))
    return failure();
  bool isNarrow = !result.getType().isF32();
  SmallVector<std::string> args;
  for (Value operand : op->getOperands())
    args.push_back((isNarrow ? "(float)(" : "(") + getText(operand) + ")");
  useHelper("Bits");
  if (isa<math::FmaOp>(op))
    args.push_back(isNarrow ? "true" : "false");
  std::string call = useHelper(isa<arith::RemFOp>(op) ? "floatRemainder"
                                                      : "fusedMultiplyAdd") +
                     "(" + llvm::join(args, ", ") + ")";
  return define(result, isNarrow ? "(" + *type + ")(" + call + ")" : call);
}
