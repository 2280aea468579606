//===- Calls.cpp - functions of scalars -----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Random.h"
#include "Refusals.h"
#include "Votes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

namespace {
/// A call with its operands evaluated.
struct Operands {
  Importer &importer;
  Node call;
  SmallVector<Node> args;

  OpBuilder &builder() { return importer.builder; }
  Location loc() { return importer.getLoc(call); }
  Value get(unsigned i) { return importer.getValue(args[i]); }
  /// An operand that has the type of the first one.
  Value get(unsigned i, Value like) {
    return importer.getMatching(args[i], like.getType());
  }
};

using Function = Value (*)(Operands);

struct Entry {
  unsigned operands; ///< at least
  Function function;
};
} // namespace

template <typename Op>
static Value unary(Operands x) {
  Value a = x.get(0);
  return Op::create(x.builder(), x.loc(), a);
}

/// What CUDA computes with fewer digits: `__exp` and the like.
template <typename Op>
static Value fast(Operands x) {
  Value a = x.get(0);
  return Op::create(x.builder(), x.loc(), a, arith::FastMathFlags::afn);
}

template <typename Op>
static Value binary(Operands x) {
  Value a = x.get(0);
  Value b = x.get(1, a);
  return Op::create(x.builder(), x.loc(), a, b);
}

template <typename Float, typename Int>
static Value either(Operands x) {
  return DataType(x.call.getString("dtype")).isFloat() ? binary<Float>(x)
                                                       : binary<Int>(x);
}

static Value multiplyAdd(Operands x) {
  Value a = x.get(0);
  Value b = x.get(1, a), c = x.get(2, a);
  return math::FmaOp::create(x.builder(), x.loc(), a, b, c);
}

static Value magnitude(Operands x) {
  Value a = x.get(0);
  if (isa<FloatType>(a.getType()))
    return math::AbsFOp::create(x.builder(), x.loc(), a);
  return math::AbsIOp::create(x.builder(), x.loc(), a);
}

static Value reciprocal(Operands x) {
  Value a = x.get(0);
  Value one = x.importer.constant(a.getType(), int64_t(1));
  return arith::DivFOp::create(x.builder(), x.loc(), one, a);
}

static Value sigmoid(Operands x) {
  Value a = x.get(0);
  OpBuilder &builder = x.builder();
  Value one = x.importer.constant(a.getType(), int64_t(1));
  Value negative = arith::NegFOp::create(builder, x.loc(), a);
  Value power = math::ExpOp::create(builder, x.loc(), negative);
  Value sum = arith::AddFOp::create(builder, x.loc(), one, power);
  return arith::DivFOp::create(builder, x.loc(), one, sum);
}

static Value exp10(Operands x) {
  Value a = x.get(0);
  Value ten = x.importer.constant(a.getType(), int64_t(10));
  return math::PowFOp::create(x.builder(), x.loc(), ten, a);
}

static Value clamp(Operands x) {
  Value a = x.get(0);
  Value low = x.get(1, a), high = x.get(2, a);
  OpBuilder &builder = x.builder();
  if (isa<FloatType>(a.getType())) {
    a = arith::MaxNumFOp::create(builder, x.loc(), a, low);
    return arith::MinNumFOp::create(builder, x.loc(), a, high);
  }
  if (DataType(x.call.getString("dtype")).isUnsigned()) {
    a = arith::MaxUIOp::create(builder, x.loc(), a, low);
    return arith::MinUIOp::create(builder, x.loc(), a, high);
  }
  a = arith::MaxSIOp::create(builder, x.loc(), a, low);
  return arith::MinSIOp::create(builder, x.loc(), a, high);
}

/// Shifts take a count of any integer type.
static Value count(Operands x, Type type) {
  Value value = x.get(1);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (value.getType() == type || !isa<IntegerType>(value.getType()))
    return value;
  if (width > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(x.builder(), x.loc(), type, value);
  return arith::ExtUIOp::create(x.builder(), x.loc(), type, value);
}

template <typename Op>
static Value bits(Operands x) {
  Value a = x.get(0);
  Value b = count(x, a.getType());
  if (a.getType() != b.getType() || !isa<IntegerType>(a.getType()))
    return x.importer.refuse(x.call, a.getType(), "bits of floats",
                             "reinterpret them as integers");
  return Op::create(x.builder(), x.loc(), a, b);
}

static Value shiftRight(Operands x) {
  return DataType(x.call.getString("dtype")).isUnsigned()
             ? bits<arith::ShRUIOp>(x)
             : bits<arith::ShRSIOp>(x);
}

static Value complement(Operands x) {
  Value a = x.get(0);
  Value ones = x.importer.constant(a.getType(), int64_t(-1));
  return arith::XOrIOp::create(x.builder(), x.loc(), a, ones);
}

static Value reinterpret(Operands x) {
  Value a = x.get(0);
  Type type = x.importer.getType(x.call);
  if (a.getType() == type)
    return a;
  if (a.getType().getIntOrFloatBitWidth() != type.getIntOrFloatBitWidth() ||
      DataType(x.args[0].getString("dtype")).lanes !=
          DataType(x.call.getString("dtype")).lanes)
    return x.importer.refuse(x.call, type, "T.reinterpret to another width",
                             "take the parts with shifts and masks");
  return arith::BitcastOp::create(x.builder(), x.loc(), type, a);
}

/// The number of the lowest bit that is set, from 1 on; 0 if none is.
static Value findFirstSet(Operands x) {
  Value a = x.get(0);
  OpBuilder &builder = x.builder();
  Type type = x.importer.getType(x.call);
  Value zero = x.importer.constant(a.getType(), int64_t(0));
  Value isNone = arith::CmpIOp::create(builder, x.loc(),
                                       arith::CmpIPredicate::eq, a, zero);
  Value place = math::CountTrailingZerosOp::create(builder, x.loc(), a);
  unsigned width = a.getType().getIntOrFloatBitWidth();
  if (width > type.getIntOrFloatBitWidth())
    place = arith::TruncIOp::create(builder, x.loc(), type, place);
  else if (width < type.getIntOrFloatBitWidth())
    place = arith::ExtUIOp::create(builder, x.loc(), type, place);
  Value one = x.importer.constant(type, int64_t(1));
  place = arith::AddIOp::create(builder, x.loc(), place, one);
  Value none = x.importer.constant(type, int64_t(0));
  return arith::SelectOp::create(builder, x.loc(), isNone, none, place);
}

static Value infinity(Operands x) {
  return x.importer.constant(x.importer.getType(x.call),
                             std::numeric_limits<double>::infinity());
}

/// IEEE arithmetic that names its rounding: to nearest even is what we have.
template <Function function>
static Value rounded(Operands x) {
  StringRef mode = x.args.back().asString();
  if (!mode.empty() && mode != "rn")
    return x.importer.refuse(x.call, x.importer.getType(x.call),
                             "rounding mode '" + mode + "'",
                             "round to nearest even (rn)");
  return function(x);
}

/// Of the elements from a pointer on, is any not 0?
template <typename Op>
static Value vote(Operands x) {
  std::optional<int64_t> count = x.importer.getConstant(x.args[1]);
  Value result;
  for (int64_t i = 0; i < count.value_or(0) && i < 256; ++i) {
    Value element = x.importer.loadPointer(x.args[0], i);
    Value truth = x.importer.convert(
        x.call, element,
        DataType(x.args[0].getElementsOf("args")[0].getString("dtype")),
        DataType("bool"));
    result = result ? Value(Op::create(x.builder(), x.loc(), result, truth))
                    : truth;
  }
  if (result && *count <= 256)
    return result;
  return x.importer.refuse(x.call, x.builder().getI1Type(),
                           "a vote over a number of elements that is not 1 to "
                           "256",
                           "vote over parts");
}

static Value readPointer(Operands x) {
  return x.importer.loadPointer(x.args[0], 0);
}

static Value first(Operands x) { return x.get(0); }

static Value choose(Operands x) { return x.importer.chooseLazily(x.call); }

static Value draw(Operands x) { return drawNumber(x.importer, x.call); }

static Value updateAtomically(Operands x) {
  return x.importer.updateAtomically(x.call, /*wantsOld=*/true);
}

using namespace mlir::arith;
using namespace mlir::math;

static const std::pair<StringRef, Entry> kFunctions[] = {
    {"if_then_else", {3, choose}},
    {"likely", {1, first}},
    // Of one float.
    {"exp", {1, unary<ExpOp>}},
    // CUDA's exp2f is within two units in the last place, as this.
    {"exp2", {1, fast<Exp2Op>}},
    {"exp10", {1, exp10}},
    {"log", {1, unary<LogOp>}},
    {"log2", {1, unary<Log2Op>}},
    {"log10", {1, unary<Log10Op>}},
    {"log1p", {1, unary<Log1pOp>}},
    {"sqrt", {1, unary<SqrtOp>}},
    {"rsqrt", {1, unary<RsqrtOp>}},
    {"sin", {1, unary<SinOp>}},
    {"cos", {1, unary<CosOp>}},
    {"tan", {1, unary<TanOp>}},
    {"asin", {1, unary<AsinOp>}},
    {"acos", {1, unary<AcosOp>}},
    {"atan", {1, unary<AtanOp>}},
    {"sinh", {1, unary<SinhOp>}},
    {"cosh", {1, unary<CoshOp>}},
    {"tanh", {1, unary<TanhOp>}},
    {"erf", {1, unary<ErfOp>}},
    {"floor", {1, unary<FloorOp>}},
    {"ceil", {1, unary<CeilOp>}},
    {"trunc", {1, unary<TruncOp>}},
    {"round", {1, unary<RoundOp>}},
    {"round_ties_away_from_zero", {1, unary<RoundOp>}},
    {"nearbyint", {1, unary<RoundEvenOp>}},
    {"sigmoid", {1, sigmoid}},
    {"isnan", {1, unary<IsNaNOp>}},
    {"isinf", {1, unary<IsInfOp>}},
    {"isfinite", {1, unary<IsFiniteOp>}},
    {"fabs", {1, magnitude}},
    {"abs", {1, magnitude}},
    {"abs2", {1, magnitude}},
    {"__exp", {1, fast<ExpOp>}},
    {"__exp2", {1, fast<Exp2Op>}},
    {"__log", {1, fast<LogOp>}},
    {"__log2", {1, fast<Log2Op>}},
    {"__log10", {1, fast<Log10Op>}},
    {"__sin", {1, fast<SinOp>}},
    {"__cos", {1, fast<CosOp>}},
    {"__tan", {1, fast<TanOp>}},
    // Of several.
    {"pow", {2, binary<PowFOp>}},
    {"atan2", {2, binary<Atan2Op>}},
    {"copysign", {2, binary<CopySignOp>}},
    {"fmod", {2, binary<RemFOp>}},
    {"clamp", {3, clamp}},
    {"fma", {3, multiplyAdd}},
    {"fma2", {3, multiplyAdd}},
    {"add2", {2, either<AddFOp, AddIOp>}},
    {"sub2", {2, either<SubFOp, SubIOp>}},
    {"mul2", {2, either<MulFOp, MulIOp>}},
    {"max2", {2, either<MaxNumFOp, MaxSIOp>}},
    {"min2", {2, either<MinNumFOp, MinSIOp>}},
    {"ieee_add", {2, rounded<binary<AddFOp>>}},
    {"ieee_sub", {2, rounded<binary<SubFOp>>}},
    {"ieee_mul", {2, rounded<binary<MulFOp>>}},
    {"ieee_fdiv", {2, rounded<binary<DivFOp>>}},
    {"ieee_fmaf", {3, rounded<multiplyAdd>}},
    {"ieee_fsqrt", {1, rounded<unary<SqrtOp>>}},
    {"ieee_frsqrt", {1, rounded<unary<RsqrtOp>>}},
    {"ieee_frcp", {1, rounded<reciprocal>}},
    // Of bits.
    {"bitwise_and", {2, bits<AndIOp>}},
    {"bitwise_or", {2, bits<OrIOp>}},
    {"bitwise_xor", {2, bits<XOrIOp>}},
    {"bitwise_not", {1, complement}},
    {"shift_left", {2, bits<ShLIOp>}},
    {"shift_right", {2, shiftRight}},
    {"popcount", {1, unary<CtPopOp>}},
    {"clz", {1, unary<CountLeadingZerosOp>}},
    {"__ffs", {1, findFirstSet}},
    {"reinterpret", {1, reinterpret}},
    {"infinity", {0, infinity}},
    {"rng_rand", {0, draw}},
    {"rng_rand_float", {1, draw}},
    // Of memory.
    {"__ldg", {1, readPointer}},
    {"atomic_load_elem_op", {1, readPointer}},
    {"any_of", {2, vote<OrIOp>}},
    {"all_of", {2, vote<AndIOp>}},
    {"atomic_add_ret_elem_op", {2, updateAtomically}},
    {"atomic_max_ret_elem_op", {2, updateAtomically}},
    {"atomic_min_ret_elem_op", {2, updateAtomically}},
    {"atomic_or_ret_elem_op", {2, updateAtomically}},
};

static const Entry *findFunction(StringRef name) {
  static const llvm::StringMap<Entry> functions = [] {
    llvm::StringMap<Entry> table;
    for (const auto &[key, entry] : kFunctions)
      table.try_emplace(key, entry);
    return table;
  }();
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

Value Importer::evaluateCall(Node call) {
  StringRef name = getCallee(call);
  if (isVote(call))
    return evaluateVote(call);
  if (isThreadNumber(call))
    return evaluateThreadNumber(call);
  Operands operands{*this, call, call.getElementsOf("args")};
  const Entry *found = findFunction(name);
  if (!found)
    return refuse(call, getType(call), getConstruct(name), getWayOut(name));
  if (operands.args.size() < found->operands)
    return refuse(call, getType(call), "'" + name + "' with " +
                      Twine(operands.args.size()) + " operands",
                  "give it all of them");
  return found->function(operands);
}

Value Importer::loadPointer(Node pointer, int64_t distance) {
  SmallVector<Node> args = pointer.getElementsOf("args");
  Node element = args.empty() ? Node() : args.front();
  if (getCallee(pointer) != "access_ptr" && getCallee(pointer) != "address_of")
    element = pointer;
  if (!element.is("BufferLoad"))
    return refuse(pointer, builder.getI32Type(), "a pointer",
                  "name the element of a buffer");
  SmallVector<Value> indices =
      getIndices(element.get("buffer"), element.getElementsOf("indices"));
  if (distance && !indices.empty())
    indices.back() = arith::AddIOp::create(builder, getLoc(pointer),
                                           indices.back(),
                                           constantIndex(distance));
  return memref::LoadOp::create(builder, getLoc(pointer),
                                getBuffer(element.get("buffer")).value,
                                indices);
}
