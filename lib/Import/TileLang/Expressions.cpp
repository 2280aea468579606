//===- Expressions.cpp - values and indices -------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

Value Importer::constant(Type type, int64_t value) {
  if (isa<FloatType>(type))
    return constant(type, double(value));
  return arith::ConstantOp::create(
      builder, getLoc(Node()),
      builder.getIntegerAttr(type, APInt(type.isIndex()
                                             ? 64
                                             : type.getIntOrFloatBitWidth(),
                                         uint64_t(value), /*isSigned=*/false,
                                         /*implicitTrunc=*/true)));
}

Value Importer::constant(Type type, double value) {
  if (!isa<FloatType>(type))
    return constant(type, int64_t(value));
  return arith::ConstantOp::create(builder, getLoc(Node()),
                                   builder.getFloatAttr(type, value));
}

Value Importer::constantIndex(int64_t value) {
  return constant(builder.getIndexType(), value);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static bool isArithmetic(Node e) {
  return e.isAny("Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Div", "Mod",
                 "Min", "Max");
}

bool Importer::computesIndex(Node e) {
  Descent descent(*this, e);
  if (!descent || !DataType(e.getString("dtype")).isIndexLike())
    return false;
  if (e.is("Var")) {
    if (Node expression = scope.lets.lookup(e.getId()))
      return computesIndex(expression);
    Value value = scope.vars.lookup(e.getId());
    return value && value.getType().isIndex();
  }
  if (e.is("Cast"))
    return computesIndex(e.get("value"));
  return isArithmetic(e) &&
         (computesIndex(e.get("a")) || computesIndex(e.get("b")));
}

/// The value of a constant expression of dimensions.
static std::optional<int64_t> getNumber(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  return std::nullopt;
}

/// An index as an affine expression of what `leaf` makes of the rest.
AffineExpr Importer::getAffine(Node e, bool expand,
                               function_ref<AffineExpr(Node)> leaf) {
  Descent descent(*this, e);
  if (!descent)
    return builder.getAffineConstantExpr(0);
  if (e.is("IntImm"))
    return builder.getAffineConstantExpr(e.asInteger().value_or(0));
  if (!DataType(e.getString("dtype")).isIndexLike())
    return leaf(e);
  if (threads.isZero(e))
    return builder.getAffineConstantExpr(0);
  if (e.is("Var")) {
    Node expression = scope.lets.lookup(e.getId());
    if (expand && !expression)
      expression = scope.sources.lookup(e.getId());
    return expression ? getAffine(expression, expand, leaf) : leaf(e);
  }
  if (e.is("Ramp"))
    return getAffine(e.get("base"), expand, leaf) +
           getAffine(e.get("stride"), expand, leaf) * lane;
  if (e.is("Broadcast"))
    return getAffine(e.get("value"), expand, leaf);
  if (e.is("Cast") && DataType(e.get("value").getString("dtype")).isIndexLike())
    return getAffine(e.get("value"), expand, leaf);
  if (!e.isAny("Add", "Sub", "Mul", "FloorDiv", "FloorMod"))
    return leaf(e);
  AffineExpr a = getAffine(e.get("a"), expand, leaf);
  AffineExpr b = getAffine(e.get("b"), expand, leaf);
  if (e.is("Add"))
    return a + b;
  if (e.is("Sub"))
    return a - b;
  // A factor or a divisor may be a constant behind a name.
  auto makeConstant = [&](AffineExpr &expression, Node node) {
    if (!expand && !getNumber(expression))
      if (std::optional<int64_t> number = getConstant(node))
        expression = builder.getAffineConstantExpr(*number);
  };
  makeConstant(b, e.get("b"));
  if (e.is("Mul")) {
    makeConstant(a, e.get("a"));
    return getNumber(a) || getNumber(b) ? a * b : leaf(e);
  }
  if (getNumber(b).value_or(0) <= 0)
    return leaf(e);
  return e.is("FloorDiv") ? a.floorDiv(b) : a % b;
}

AffineExpr Importer::getAffine(Node e, SmallVector<Value> &operands) {
  return getAffine(e, /*expand=*/false, [&](Node part) -> AffineExpr {
    Value value = getOpaqueIndex(part);
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return builder.getAffineConstantExpr(number.getSExtValue());
    auto place = llvm::find(operands, value);
    if (place == operands.end()) {
      operands.push_back(value);
      place = std::prev(operands.end());
    }
    return builder.getAffineDimExpr(place - operands.begin());
  });
}

/// An index that no affine expression gives.
Value Importer::getOpaqueIndex(Node e) {
  Location loc = getLoc(e);
  Type index = builder.getIndexType();
  if (e.is("Var"))
    if (Value value = scope.vars.lookup(e.getId());
        value && value.getType().isIndex())
      return value;
  if (isArithmetic(e) && computesIndex(e)) {
    Value a = getIndex(e.get("a")), b = getIndex(e.get("b"));
    if (e.is("Mul"))
      return arith::MulIOp::create(builder, loc, a, b);
    if (e.is("Min"))
      return arith::MinSIOp::create(builder, loc, a, b);
    if (e.is("Max"))
      return arith::MaxSIOp::create(builder, loc, a, b);
    if (e.is("Div"))
      return arith::DivSIOp::create(builder, loc, a, b);
    if (e.is("Mod"))
      return arith::RemSIOp::create(builder, loc, a, b);
    if (e.is("Add"))
      return arith::AddIOp::create(builder, loc, a, b);
    if (e.is("Sub"))
      return arith::SubIOp::create(builder, loc, a, b);
    Value quotient = arith::FloorDivSIOp::create(builder, loc, a, b);
    if (e.is("FloorDiv"))
      return quotient;
    Value multiple = arith::MulIOp::create(builder, loc, quotient, b);
    return arith::SubIOp::create(builder, loc, a, multiple);
  }
  Value value = getValue(e);
  if (value.getType().isIndex())
    return value;
  if (!isa<IntegerType>(value.getType()))
    return refuse(e, index, "an index that is no integer", "cast it");
  if (DataType(e.getString("dtype")).isUnsigned())
    return arith::IndexCastUIOp::create(builder, loc, index, value);
  return arith::IndexCastOp::create(builder, loc, index, value);
}

Value Importer::getIndex(Node e) {
  SmallVector<Value> operands;
  AffineExpr expression = getAffine(e, operands);
  return makeIndex(e, expression, operands);
}

Value Importer::makeIndex(Node at, AffineExpr expression,
                          SmallVector<Value> operands) {
  auto map = AffineMap::get(operands.size(), 0, expression, context);
  affine::canonicalizeMapAndOperands(&map, &operands);
  expression = map.getResult(0);
  if (std::optional<int64_t> number = getNumber(expression))
    return constantIndex(*number);
  if (isa<AffineDimExpr>(expression))
    return operands[cast<AffineDimExpr>(expression).getPosition()];
  return affine::AffineApplyOp::create(builder, getLoc(at), map, operands);
}

std::optional<int64_t> Importer::getConstant(Node e) {
  if (e.is("IntImm"))
    return e.asInteger();
  SmallVector<unsigned> unknown;
  AffineExpr expression =
      getAffine(e, /*expand=*/true, [&](Node part) -> AffineExpr {
        APInt number;
        Value value = scope.vars.lookup(part.getId());
        if (part.is("Var") && value &&
            matchPattern(value, m_ConstantInt(&number)))
          return builder.getAffineConstantExpr(number.getSExtValue());
        auto place = llvm::find(unknown, part.getId());
        if (place == unknown.end()) {
          unknown.push_back(part.getId());
          place = std::prev(unknown.end());
        }
        return builder.getAffineDimExpr(place - unknown.begin());
      });
  auto map = AffineMap::get(unknown.size(), 0, expression, context);
  return getNumber(simplifyAffineMap(map).getResult(0));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Importer::compare(Node e) {
  struct Predicates {
    arith::CmpIPredicate sign, zero;
    arith::CmpFPredicate real;
  };
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  Predicates predicates = llvm::StringSwitch<Predicates>(e.getKind())
                              .Case("EQ", {I::eq, I::eq, F::OEQ})
                              .Case("NE", {I::ne, I::ne, F::UNE})
                              .Case("LT", {I::slt, I::ult, F::OLT})
                              .Case("LE", {I::sle, I::ule, F::OLE})
                              .Case("GT", {I::sgt, I::ugt, F::OGT})
                              .Default({I::sge, I::uge, F::OGE});
  Node a = e.get("a"), b = e.get("b");
  DataType type(a.getString("dtype"));
  Location loc = getLoc(e);
  if (computesIndex(a) || computesIndex(b)) {
    Value left = getIndex(a), right = getIndex(b);
    return arith::CmpIOp::create(builder, loc, predicates.sign, left, right);
  }
  Value left = getValue(a), right = getMatching(b, left.getType());
  if (isa<FloatType>(left.getType()))
    return arith::CmpFOp::create(builder, loc, predicates.real, left, right);
  return arith::CmpIOp::create(
      builder, loc, type.isUnsigned() ? predicates.zero : predicates.sign, left,
      right);
}

Value Importer::getMatching(Node e, Type type) {
  Value value = getValue(e);
  if (value.getType() == type)
    return value;
  return refuse(e, type, "operands of different types", "cast one of them");
}

/// Signed or unsigned integers, or floats.
template <typename Signed, typename Unsigned, typename Float>
static Value combine(Importer &importer, Node e) {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(e);
  Value a = importer.getValue(e.get("a"));
  Value b = importer.getMatching(e.get("b"), a.getType());
  if (isa<FloatType>(a.getType()))
    return Float::create(builder, loc, a, b);
  if (DataType(e.getString("dtype")).isUnsigned())
    return Unsigned::create(builder, loc, a, b);
  return Signed::create(builder, loc, a, b);
}

/// Whether an expression may do harm where the program does not compute it:
/// it reads what other threads may write or what may not be there, divides by
/// what may be 0, or changes memory. Votes and shuffles are of all threads.
/// `seen` are the variables that have been looked into.
static bool mustBeLazy(Importer &importer, Node e,
                       llvm::DenseSet<unsigned> &seen) {
  return anyNode(e, [&](Node part) {
    if (Node expression = importer.scope.lets.lookup(part.getId()))
      return part.is("Var") && seen.insert(part.getId()).second &&
             mustBeLazy(importer, expression, seen);
    if (part.is("BufferLoad")) {
      StringRef scope = importer.getScope(part.get("buffer"));
      return scope == "global" || scope.starts_with("shared") ||
             llvm::any_of(part.getElementsOf("indices"), [&](Node index) {
               return !index.isAny("IntImm", "Var");
             });
    }
    if (part.isAny("Div", "Mod", "FloorDiv", "FloorMod"))
      return !DataType(part.getString("dtype")).isFloat() &&
             importer.getConstant(part.get("b")).value_or(0) == 0;
    return getCallee(part).contains("atomic") ||
           getCallee(part).starts_with("rng_");
  });
}

/// `and` and `or`: as in C, the right side is only computed where the left one
/// does not decide. Plain comparisons stay masks.
template <typename Strict, bool decides>
static Value connect(Importer &importer, Node e) {
  Node right = e.get("b");
  Type type = importer.getType(e);
  llvm::DenseSet<unsigned> seen;
  if (!type.isInteger(1) || !mustBeLazy(importer, right, seen))
    return combine<Strict, Strict, arith::MulFOp>(importer, e);
  Value left = importer.getMatching(e.get("a"), type);
  auto compute = [&] { return importer.getMatching(right, type); };
  auto decided = [&] { return importer.constant(type, int64_t(decides)); };
  if (decides)
    return importer.choose(e, left, decided, compute);
  return importer.choose(e, left, compute, decided);
}

static Value floorMod(Importer &importer, Node e) {
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(e);
  Value a = importer.getValue(e.get("a"));
  Value b = importer.getMatching(e.get("b"), a.getType());
  if (isa<FloatType>(a.getType()) || DataType(e.getString("dtype")).isUnsigned())
    return combine<arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(importer, e);
  Value quotient = arith::FloorDivSIOp::create(builder, loc, a, b);
  Value multiple = arith::MulIOp::create(builder, loc, quotient, b);
  return arith::SubIOp::create(builder, loc, a, multiple);
}

static Value readVariable(Importer &importer, Node e) {
  if (Node expression = importer.scope.lets.lookup(e.getId()))
    return importer.getValue(expression);
  Type type = importer.getType(e);
  Value value = importer.scope.vars.lookup(e.getId());
  StringRef name = e.getString("name");
  if (importer.threads.isZero(e))
    return importer.constant(type, int64_t(0));
  if (!value && importer.threads.getDim(e))
    return importer.refuse(
        e, type, "the thread number '" + name + "' among tile ops",
        "use T.Parallel, or keep statements of threads apart from tile ops");
  if (!value)
    return importer.refuse(e, type,
                           "'" + name + "', a variable that has no value here",
                           "define it in front of its use, in the same loop; "
                           "what a thread keeps over a barrier goes into "
                           "T.alloc_local");
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex() && isa<IntegerType>(type))
    return arith::IndexCastOp::create(importer.builder, importer.getLoc(e),
                                      type, value);
  return importer.refuse(e, type, "'" + name + "' with another type", "cast it");
}

static Value select(Importer &importer, Node e) {
  Value condition = importer.getValue(e.get("condition"));
  Value yes = importer.getValue(e.get("true_value"));
  Value no = importer.getMatching(e.get("false_value"), yes.getType());
  return arith::SelectOp::create(importer.builder, importer.getLoc(e),
                                 condition, yes, no);
}

static Value invert(Importer &importer, Node e) {
  Value value = importer.getValue(e.get("a"));
  Value ones = importer.constant(value.getType(), int64_t(-1));
  return arith::XOrIOp::create(importer.builder, importer.getLoc(e), value,
                               ones);
}

static Value number(Importer &importer, Node e) {
  Type type = importer.getType(e);
  if (e.is("IntImm"))
    return importer.constant(type, e.asInteger().value_or(0));
  std::optional<double> value = e.getNumber("value");
  if (!value)
    return importer.refuse(e, type, "a float that is no number in JSON",
                           "use T.infinity");
  return importer.constant(type, *value);
}

namespace {
using Evaluate = Value (*)(Importer &, Node);
} // namespace

static Evaluate getEvaluator(StringRef kind) {
  auto lane = [](Importer &importer, Node e) {
    return importer.getValue(e.get("value"));
  };
  auto ramp = [](Importer &importer, Node e) -> Value {
    Value index = importer.getIndex(e);
    return arith::IndexCastOp::create(importer.builder, importer.getLoc(e),
                                      importer.getType(e), index);
  };
  return llvm::StringSwitch<Evaluate>(kind)
      .Cases({"IntImm", "FloatImm"}, number)
      .Case("Var", readVariable)
      .Case("Add", combine<arith::AddIOp, arith::AddIOp, arith::AddFOp>)
      .Case("Sub", combine<arith::SubIOp, arith::SubIOp, arith::SubFOp>)
      .Case("Mul", combine<arith::MulIOp, arith::MulIOp, arith::MulFOp>)
      .Case("Div", combine<arith::DivSIOp, arith::DivUIOp, arith::DivFOp>)
      .Case("Mod", combine<arith::RemSIOp, arith::RemUIOp, arith::RemFOp>)
      .Case("FloorDiv",
            combine<arith::FloorDivSIOp, arith::DivUIOp, arith::DivFOp>)
      .Case("FloorMod", floorMod)
      .Case("Min", combine<arith::MinSIOp, arith::MinUIOp, arith::MinNumFOp>)
      .Case("Max", combine<arith::MaxSIOp, arith::MaxUIOp, arith::MaxNumFOp>)
      .Case("And", connect<arith::AndIOp, false>)
      .Case("Or", connect<arith::OrIOp, true>)
      .Case("Not", invert)
      .Case("Select", select)
      .Case("Broadcast", lane)
      .Case("Ramp", ramp)
      .Cases({"EQ", "NE", "LT", "LE", "GT", "GE"},
             [](Importer &importer, Node e) { return importer.compare(e); })
      .Case("BufferLoad",
            [](Importer &importer, Node e) {
              return importer.load(e.get("buffer"),
                                   e.getElementsOf("indices"));
            })
      .Case("Cast",
            [](Importer &importer, Node e) {
              Node value = e.get("value");
              return importer.convert(e, importer.getValue(value),
                                      DataType(value.getString("dtype")),
                                      DataType(e.getString("dtype")));
            })
      .Case("Call",
            [](Importer &importer, Node e) {
              return importer.evaluateCall(e);
            })
      .Default(nullptr);
}

Value Importer::getValue(Node e) {
  Descent descent(*this, e);
  if (!descent || !e)
    return refuse(e, builder.getI32Type(), "an expression that is not there",
                  "write the file with tvm.ir.save_json");
  // Arithmetic on loop variables stays with indices as far as it goes.
  if (isArithmetic(e) && computesIndex(e)) {
    Value index = getIndex(e);
    return arith::IndexCastOp::create(builder, getLoc(e), getType(e), index);
  }
  if (Evaluate evaluate = getEvaluator(e.getKind())) {
    Value value = evaluate(*this, e);
    Type type = getType(e);
    if (value.getType() == type)
      return value;
    return refuse(e, type, "'" + e.getKind() + "' of another type",
                  "cast its operands");
  }
  return refuse(e, getType(e), "the expression '" + e.getKind() + "'",
                "write it with arithmetic and T.if_then_else");
}

Value Importer::getLane(Node e, int64_t i) {
  int64_t before = std::exchange(lane, i);
  Value value = getValue(e);
  lane = before;
  return value;
}

Value Importer::convert(Node at, Value value, DataType from, DataType to) {
  Type type = getElementType(at, to.element);
  Type old = value.getType();
  Location loc = getLoc(at);
  if (old == type)
    return value;
  bool fromFloat = isa<FloatType>(old), toFloat = isa<FloatType>(type);
  unsigned width = old.getIntOrFloatBitWidth();
  unsigned wanted = type.getIntOrFloatBitWidth();
  if (type.isInteger(1)) {
    Value zero = constant(old, int64_t(0));
    if (fromFloat)
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (fromFloat && toFloat) {
    if (width == wanted) {
      // Between formats of one width through a wider one.
      Type wide = width < 32 ? Type(builder.getF32Type()) : builder.getF64Type();
      value = arith::ExtFOp::create(builder, loc, wide, value);
      width = wide.getIntOrFloatBitWidth();
    }
    if (width < wanted)
      return arith::ExtFOp::create(builder, loc, type, value);
    if (wanted <= 8)
      value = clampToFinite(at, value, cast<FloatType>(type));
    return arith::TruncFOp::create(builder, loc, type, value);
  }
  if (fromFloat) {
    if (to.isUnsigned())
      return arith::FPToUIOp::create(builder, loc, type, value);
    return arith::FPToSIOp::create(builder, loc, type, value);
  }
  if (toFloat) {
    if (from.isUnsigned())
      return arith::UIToFPOp::create(builder, loc, type, value);
    return arith::SIToFPOp::create(builder, loc, type, value);
  }
  if (width > wanted)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (from.isUnsigned())
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

/// TileLang's conversions to floats of 8 bits and less saturate. NaN stays.
Value Importer::clampToFinite(Node at, Value value, FloatType type) {
  Location loc = getLoc(at);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double largest = APFloat::getLargest(semantics).convertToDouble();
  // A type without negative numbers has no sign to keep.
  if (APFloat::semanticsHasSignedRepr(semantics)) {
    Value low = constant(value.getType(), -largest);
    value = arith::MaximumFOp::create(builder, loc, value, low);
  }
  Value high = constant(value.getType(), largest);
  return arith::MinimumFOp::create(builder, loc, value, high);
}

Value Importer::chooseLazily(Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  Type type = getType(call);
  if (args.size() != 3)
    return refuse(call, type, "T.if_then_else without three operands",
                  "give a condition and two values");
  return choose(
      call, getValue(args[0]), [&] { return getMatching(args[1], type); },
      [&] { return getMatching(args[2], type); });
}

Value Importer::choose(Node at, Value condition, function_ref<Value()> yes,
                       function_ref<Value()> no) {
  Location loc = getLoc(at);
  auto choice = scf::IfOp::create(builder, loc, getType(at), condition,
                                  /*withElseRegion=*/true);
  for (auto [block, compute] :
       {std::pair(choice.thenBlock(), yes), {choice.elseBlock(), no}}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, compute());
  }
  return choice.getResult(0);
}
