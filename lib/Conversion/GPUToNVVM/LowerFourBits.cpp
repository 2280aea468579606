//===- LowerFourBits.cpp - elements of 4 bits to floats of 16 -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float whose mantissa ends at 1 is its integer plus a constant: an integer
// of 4 bits set into the mantissa of that constant is converted by a
// subtraction, which is exact. The two halves of a byte are converted together,
// one in each half of a word. For f16, the upper one stays where it is, times a
// power of two, which the multiplication of an fma takes away. The bits of
// f4E2M1FN are those of a float of 16 bits with a smaller exponent: a power of
// two is missing. A product moves the sign and the other bits of both halves at
// once, beside the unit of shifts and logic, which has enough to do.
//
//===----------------------------------------------------------------------===//

#include "FourBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile;

static Value splat(OpBuilder &b, Location loc, VectorType type,
                   TypedAttr value) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

/// A vector of elements of 4 bits as one of i32; the rest of the last word is
/// 0.
static VectorType getWords(VectorType small) {
  Builder b(small.getContext());
  int64_t bits = small.getNumElements() * 4;
  return VectorType::get(llvm::divideCeil(bits, 32), b.getI32Type());
}

static Value toWords(OpBuilder &b, Location loc, Value small) {
  auto type = cast<VectorType>(small.getType());
  int64_t bits = type.getNumElements() * 4;
  VectorType words = getWords(type);
  if (bits >= 32)
    return LLVM::BitcastOp::create(b, loc, words, small);
  Value all = LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), small);
  all = arith::ExtUIOp::create(b, loc, b.getI32Type(), all);
  return vector::FromElementsOp::create(b, loc, words, all);
}

static Value shiftRight(OpBuilder &b, Location loc, Value word, int64_t bits) {
  if (bits == 0)
    return word;
  return arith::ShRUIOp::create(b, loc, word,
                                arith::ConstantIntOp::create(b, loc, bits, 32));
}

static Value mask(OpBuilder &b, Location loc, Value word, int64_t bits) {
  return arith::AndIOp::create(b, loc, word,
                               arith::ConstantIntOp::create(b, loc, bits, 32));
}

namespace {
/// A byte of a word, by its number, which may differ from lane to lane.
struct ByteOfWord {
  Value word, number;
};
} // namespace

/// The byte whose two elements these are, where it is trunc(word >> 8 *
/// number).
static std::optional<ByteOfWord> findByte(Value small) {
  auto cast = small.getDefiningOp<LLVM::BitcastOp>();
  auto part = cast ? cast.getArg().getDefiningOp<arith::TruncIOp>() : nullptr;
  if (!part || !part.getType().isInteger(8))
    return std::nullopt;
  auto shift = part.getIn().getDefiningOp<arith::ShRUIOp>();
  auto bits = shift ? shift.getRhs().getDefiningOp<arith::MulIOp>() : nullptr;
  APInt eight;
  if (!bits || !shift.getType().isInteger(32) ||
      !matchPattern(bits.getRhs(), m_ConstantInt(&eight)) || eight != 8)
    return std::nullopt;
  return ByteOfWord{shift.getLhs(), bits.getLhs()};
}

/// The byte in the lower half of a word, and that of `upper` in the other. A
/// selector for the permutation saves the shift that would bring it to the
/// front.
static Value spreadByte(OpBuilder &b, Location loc, const ByteOfWord &byte,
                        Value upper) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  Value selector = arith::MulIOp::create(b, loc, byte.number, constant(0x1111));
  if (upper != byte.word)
    selector = arith::AddIOp::create(b, loc, selector, constant(0x4400));
  return NVVM::PermuteOp::create(b, loc, b.getI32Type(), byte.word, upper,
                                 selector, NVVM::PermuteMode::DEFAULT);
}

namespace {
/// Elements `number` and `number` + 4 of a word.
struct HalvesOfWord {
  Value word;
  int64_t number;
};
} // namespace

/// (value, c) where the value is (value >> c) & mask.
static std::optional<std::pair<Value, int64_t>> findMasked(Value value,
                                                           uint64_t mask) {
  auto both = value.getDefiningOp<arith::AndIOp>();
  APInt bits, count;
  if (!both || !matchPattern(both.getRhs(), m_ConstantInt(&bits)) ||
      bits != mask)
    return std::nullopt;
  auto shift = both.getLhs().getDefiningOp<arith::ShRUIOp>();
  if (!shift || !matchPattern(shift.getRhs(), m_ConstantInt(&count)))
    return std::pair(both.getLhs(), int64_t(0));
  return std::pair(shift.getLhs(), int64_t(count.getZExtValue()));
}

/// The halves whose elements these two are, where they are put into a byte.
static std::optional<HalvesOfWord> findHalves(Value small) {
  auto cast = small.getDefiningOp<LLVM::BitcastOp>();
  auto part = cast ? cast.getArg().getDefiningOp<arith::TruncIOp>() : nullptr;
  auto both = part ? part.getIn().getDefiningOp<arith::OrIOp>() : nullptr;
  if (!both || !part.getType().isInteger(8) || !both.getType().isInteger(32))
    return std::nullopt;
  auto low = findMasked(both.getLhs(), 0x0f);
  auto high = findMasked(both.getRhs(), 0xf0);
  if (!low || !high || low->first != high->first || low->second % 4 != 0 ||
      high->second != low->second + 12)
    return std::nullopt;
  return HalvesOfWord{low->first, low->second / 4};
}

static Value emitAsm(OpBuilder &b, Location loc, StringRef text,
                     StringRef constraints, ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             b, loc, b.getI32Type(), operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      .getResult(0);
}

/// (word & mask) ^ flip. ptxas would make two instructions of it, since each
/// has one constant only.
static Value maskWord(OpBuilder &b, Location loc, Value word, int64_t mask,
                      int64_t flip) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  return emitAsm(b, loc, "lop3.b32 $0, $1, $2, $3, 106;", "=r,r,r,r",
                 {word, constant(mask), constant(flip)});
}

namespace {
/// How many elements of 4 bits a vector has, if they fill words or one in part;
/// else 0.
int64_t countNibbles(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1)
    return 0;
  int64_t count = vector.getNumElements();
  bool fits = count > 8 ? count % 8 == 0 : llvm::isPowerOf2_64(count);
  return fits && count >= 2 ? count : 0;
}

/// Of `arith.sitofp` and `arith.uitofp`.
template <typename OpType>
struct ConvertInteger4 : OpRewritePattern<OpType> {
  using OpRewritePattern<OpType>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpType op, PatternRewriter &b) const override {
    int64_t count = countNibbles(op.getIn().getType());
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (count == 0 || !getElementTypeOrSelf(op.getIn()).isInteger(4) ||
        !(type.isF16() || type.isBF16()))
      return failure();
    constexpr bool isSigned = std::is_same_v<OpType, arith::SIToFPOp>;
    Location loc = op.getLoc();
    SmallVector<Value> elements;
    if (auto halves = findHalves(op.getIn())) {
      Value bits = shiftRight(b, loc, halves->word, 4 * halves->number);
      convertPair(b, loc, bits, type, /*up=*/0, isSigned, elements);
    } else if (auto byte = findByte(op.getIn())) {
      convertByte(b, loc, *byte, type, isSigned, elements);
    } else {
      Value words = toWords(b, loc, op.getIn());
      for (Value word :
           vector::ToElementsOp::create(b, loc, words).getResults())
        convert(b, loc, word, type, isSigned, elements);
    }
    elements.resize(count);
    b.replaceOpWithNewOp<vector::FromElementsOp>(
        op, cast<VectorType>(op.getType()), elements);
    return success();
  }

private:
  /// The word with the upper half of each byte where its float is made.
  static Value getUpper(OpBuilder &b, Location loc, Value word,
                        FloatType type) {
    int up = getUpperBit(type);
    return up == 4 ? word
                   : arith::ShRUIOp::create(
                         b, loc, word,
                         arith::ConstantIntOp::create(b, loc, 4 - up, 32))
                         .getResult();
  }

  /// bf16 has 7 bits for the upper half of a byte, which ends at bit 8: it
  /// takes the place of the lower one. ptxas copies the factors of an fma for
  /// each result, so that there had better be none.
  static int getUpperBit(FloatType type) { return type.isF16() ? 4 : 0; }

  /// The elements at the first bit and at bit 16 + `up` of a word.
  static void convertPair(OpBuilder &b, Location loc, Value bits,
                          FloatType type, int up, bool isSigned,
                          SmallVectorImpl<Value> &elements) {
    // Flipping its sign bit adds 8 to a signed integer.
    int64_t offset = isSigned ? 8 : 0, base = type.isF16() ? 1024 : 128;
    int64_t code = type.isF16() ? 0x6400 : 0x4300;
    int64_t mask = 15 | int64_t(15) << (16 + up);
    int64_t flip = (code | offset) | (code | offset << up) << 16;
    auto pair = VectorType::get(2, type);
    auto constant = [&](double lower, double upper) -> Value {
      return arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(pair,
                                 {b.getFloatAttr(type, lower).getValue(),
                                  b.getFloatAttr(type, upper).getValue()}));
    };
    double scale = 1.0 / (1 << up);
    Value factors = up != 0 ? constant(1.0, scale) : Value();
    Value rest = constant(-double(base + offset), -(base * scale + offset));
    bits = maskWord(b, loc, bits, mask, flip);
    Value sums = LLVM::BitcastOp::create(b, loc, pair, bits);
    Value values =
        factors ? LLVM::FMAOp::create(b, loc, sums, factors, rest).getResult()
                : LLVM::FAddOp::create(b, loc, sums, rest).getResult();
    llvm::append_range(
        elements, vector::ToElementsOp::create(b, loc, values).getResults());
  }

  /// The eight elements of a word.
  static void convert(OpBuilder &b, Location loc, Value word, FloatType type,
                      bool isSigned, SmallVectorImpl<Value> &elements) {
    auto bytes = VectorType::get(4, b.getI8Type());
    Value low = LLVM::BitcastOp::create(b, loc, bytes, word);
    Value high =
        LLVM::BitcastOp::create(b, loc, bytes, getUpper(b, loc, word, type));
    for (int32_t i = 0; i < 4; ++i) {
      Value both = LLVM::ShuffleVectorOp::create(b, loc, low, high,
                                                 {i, i, 4 + i, 4 + i});
      Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), both);
      convertPair(b, loc, bits, type, getUpperBit(type), isSigned, elements);
    }
  }

  /// The two elements of one byte.
  static void convertByte(OpBuilder &b, Location loc, const ByteOfWord &byte,
                          FloatType type, bool isSigned,
                          SmallVectorImpl<Value> &elements) {
    Value bits = spreadByte(b, loc, byte, getUpper(b, loc, byte.word, type));
    convertPair(b, loc, bits, type, getUpperBit(type), isSigned, elements);
  }
};
} // namespace

/// A byte of each of two words, by its number there, in a half of a word each.
/// The rest are copies of the sign of the first one, which is 0.
static Value joinBytes(OpBuilder &b, Location loc, Value low, Value high,
                       int64_t number) {
  Value selector =
      arith::ConstantIntOp::create(b, loc, 0x8480 + number * 0x1111, 32);
  return NVVM::PermuteOp::create(b, loc, b.getI32Type(), low, high, selector,
                                 NVVM::PermuteMode::DEFAULT);
}

namespace {
/// Of `arith.truncf` of `arith.extf`: no format of 16 bits contains the other,
/// so that copies convert through f32.
struct ConvertFloat4 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &b) const override {
    auto extend = op.getIn().getDefiningOp<arith::ExtFOp>();
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (!extend ||
        !isa<Float4E2M1FNType>(getElementTypeOrSelf(extend.getIn())) ||
        !(type.isF16() || type.isBF16()))
      return failure();
    int64_t count = countNibbles(extend.getIn().getType());
    if (count == 0)
      return failure();
    Location loc = op.getLoc();
    auto pair = VectorType::get(2, type);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count / 2; ++i) {
      Value values = LLVM::FMulOp::create(
          b, loc, convertPair(b, loc, extend.getIn(), i, type),
          splat(b, loc, pair,
                b.getFloatAttr(type, type.isF16() ? 0x1p14 : 0x1p126)));
      llvm::append_range(
          elements, vector::ToElementsOp::create(b, loc, values).getResults());
    }
    b.replaceOpWithNewOp<vector::FromElementsOp>(
        op, cast<VectorType>(op.getType()), elements);
    return success();
  }

  /// Two elements from 2 * `pair` on, without the power of two.
  static Value convertPair(OpBuilder &b, Location loc, Value codes,
                           int64_t pair, FloatType type) {
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(b, loc, value, 32);
    };
    bool isF16 = type.isF16();
    SpreadPair spread = spreadPair(b, loc, codes, pair, isF16);
    Value bits = arith::MulIOp::create(
        b, loc, spread.bits,
        constant((isF16 ? 0x0200 : 0x1040) >> spread.up));
    // In bf16 the product has the sign and the others apart. In f16 they would
    // meet: the sign, at bit 12, is carried to its place.
    if (isF16)
      bits = arith::AddIOp::create(b, loc, bits, constant(0x70007000));
    bits = mask(b, loc, bits, int32_t(isF16 ? 0x8e008e00 : 0x81c081c0));
    return LLVM::BitcastOp::create(b, loc, VectorType::get(2, type), bits);
  }

private:
  /// Two codes in the halves of a word, from bit `up` on; other bits are 0.
  struct SpreadPair {
    Value bits;
    int up = 0;
  };

  static SpreadPair spreadPair(OpBuilder &b, Location loc, Value codes,
                               int64_t pair, bool isF16) {
    auto cast = codes.getDefiningOp<arith::BitcastOp>();
    if (auto halves = cast ? findHalves(cast.getIn()) : std::nullopt) {
      int up = isF16 ? 0 : 4 * (halves->number % 2);
      Value bits = shiftRight(b, loc, halves->word, 4 * halves->number - up);
      return {mask(b, loc, bits, 0x000f000f << up), up};
    }
    if (auto byte = cast ? findByte(cast.getIn()) : std::nullopt) {
      Value upper = shiftRight(b, loc, byte->word, 4);
      return {mask(b, loc, spreadByte(b, loc, *byte, upper), 0x000f000f)};
    }
    auto type = llvm::cast<VectorType>(codes.getType());
    Value bits =
        arith::BitcastOp::create(b, loc, type.clone(b.getI4Type()), codes);
    Value word =
        vector::ExtractOp::create(b, loc, toWords(b, loc, bits), pair / 4);
    Value even = mask(b, loc, word, 0x0f0f0f0f);
    Value odd = mask(b, loc, shiftRight(b, loc, word, 4), 0x0f0f0f0f);
    return {joinBytes(b, loc, even, odd, pair % 4)};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Scaled conversions
//===----------------------------------------------------------------------===//

bool nvidia::isFourBitConversion(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp, arith::TruncFOp>(op) ||
      !getElementTypeOrSelf(value).isBF16())
    return false;
  Value codes = op->getOperand(0);
  if (auto extend = codes.getDefiningOp<arith::ExtFOp>())
    codes = extend.getIn();
  Type element = getElementTypeOrSelf(codes);
  return countNibbles(codes.getType()) != 0 &&
         (isa<arith::TruncFOp>(op) ? isa<Float4E2M1FNType>(element)
                                   : element.isInteger(4));
}

namespace {
/// Two integers of 4 bits, plus 8 if they are signed, times powers of two.
struct SpreadIntegers {
  Value bits;
  int first, second; // the exponents that are missing
};
} // namespace

static SpreadIntegers spreadIntegers(OpBuilder &b, Location loc, Value codes,
                                     int64_t pair, bool isSigned) {
  if (auto halves = findHalves(codes)) {
    int up = 4 * (halves->number % 2);
    Value bits = shiftRight(b, loc, halves->word, 4 * halves->number - up);
    return {maskWord(b, loc, bits, 0x000f000f << up,
                     isSigned ? 0x00080008 << up : 0),
            133 - up, 133 - up};
  }
  if (auto byte = findByte(codes))
    return {maskWord(b, loc, spreadByte(b, loc, *byte, byte->word), 0x00f0000f,
                     isSigned ? 0x00800008 : 0),
            133, 129};
  Value word =
      vector::ExtractOp::create(b, loc, toWords(b, loc, codes), pair / 4);
  Value low = maskWord(b, loc, word, 0x0f0f0f0f, isSigned ? 0x08080808 : 0);
  Value high = maskWord(b, loc, word, int32_t(0xf0f0f0f0),
                        isSigned ? int32_t(0x80808080) : 0);
  return {joinBytes(b, loc, low, high, pair % 4), 133, 129};
}

Value nvidia::convertScaledPair(OpBuilder &b, Location loc, Value conversion,
                                int64_t pair, Value factor, int exponent) {
  auto bf16 = b.getBF16Type();
  auto type = VectorType::get(2, bf16);
  Value factors =
      vector::FromElementsOp::create(b, loc, type, ValueRange{factor, factor});
  auto scale = [&](double lower, double upper) -> Value {
    auto attr = [&](double value) {
      return b.getFloatAttr(bf16, std::ldexp(value, exponent)).getValue();
    };
    Value powers = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, {attr(lower), attr(upper)}));
    return LLVM::FMulOp::create(b, loc, factors, powers);
  };
  Operation *op = conversion.getDefiningOp();
  Value values;
  if (auto extend = op->getOperand(0).getDefiningOp<arith::ExtFOp>()) {
    Value codes =
        ConvertFloat4::convertPair(b, loc, extend.getIn(), pair, bf16);
    values = LLVM::FMulOp::create(b, loc, codes, scale(0x1p126, 0x1p126));
  } else {
    bool isSigned = isa<arith::SIToFPOp>(op);
    SpreadIntegers spread =
        spreadIntegers(b, loc, op->getOperand(0), pair, isSigned);
    values = LLVM::BitcastOp::create(b, loc, type, spread.bits);
    Value powers = scale(std::ldexp(1.0, spread.first),
                         std::ldexp(1.0, spread.second));
    values = isSigned ? LLVM::FMAOp::create(b, loc, values, powers,
                                            scale(-8.0, -8.0))
                            .getResult()
                      : LLVM::FMulOp::create(b, loc, values, powers);
  }
  // LLVM would sink it behind the release of the stage that the codes are from.
  values = LLVM::BitcastOp::create(b, loc, b.getI32Type(), values);
  values = emitAsm(b, loc, "", "=r,0", values);
  return LLVM::BitcastOp::create(b, loc, type, values);
}

void nvidia::populateFourBitPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertInteger4<arith::SIToFPOp>,
               ConvertInteger4<arith::UIToFPOp>, ConvertFloat4>(
      patterns.getContext());
}
