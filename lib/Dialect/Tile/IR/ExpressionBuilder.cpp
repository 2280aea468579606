//===- ExpressionBuilder.cpp - the ops that expressions stand for ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile;

ArrayRef<ScalarFunction> tile::getScalarFunctions() {
  static constexpr ScalarFunction functions[] = {
      {"abs", 1, "math.absf", "math.absi"},
      {"and", 2, "", "arith.andi"},
      {"ceil", 1, "math.ceil", ""},
      {"cos", 1, "math.cos", ""},
      {"erf", 1, "math.erf", ""},
      {"exp", 1, "math.exp", ""},
      {"exp2", 1, "math.exp2", ""},
      {"expm1", 1, "math.expm1", ""},
      {"floor", 1, "math.floor", ""},
      {"fma", 3, "math.fma", ""},
      {"log", 1, "math.log", ""},
      {"log1p", 1, "math.log1p", ""},
      {"log2", 1, "math.log2", ""},
      {"max", 2, "arith.maximumf", "arith.maxsi"},
      {"maxnum", 2, "arith.maxnumf", ""},
      {"min", 2, "arith.minimumf", "arith.minsi"},
      {"minnum", 2, "arith.minnumf", ""},
      {"or", 2, "", "arith.ori"},
      {"pow", 2, "math.powf", ""},
      {"rem", 2, "arith.remf", "arith.remsi"},
      {"round", 1, "math.round", ""},
      {"rsqrt", 1, "math.rsqrt", ""},
      {"shl", 2, "", "arith.shli"},
      {"shr", 2, "", "arith.shrsi"},
      {"sin", 1, "math.sin", ""},
      {"sqrt", 1, "math.sqrt", ""},
      {"tanh", 1, "math.tanh", ""},
      {"udiv", 2, "", "arith.divui"},
      {"umax", 2, "", "arith.maxui"},
      {"umin", 2, "", "arith.minui"},
      {"urem", 2, "", "arith.remui"},
      {"ushr", 2, "", "arith.shrui"},
      {"xor", 2, "", "arith.xori"},
  };
  return functions;
}

ArrayRef<Comparison> tile::getComparisons() {
  using Floats = arith::CmpFPredicate;
  using Integers = arith::CmpIPredicate;
  static constexpr Comparison comparisons[] = {
      {"==", Floats::OEQ, Integers::eq},  {"<>", Floats::UNE, Integers::ne},
      {"<", Floats::OLT, Integers::slt},  {"<=", Floats::OLE, Integers::sle},
      {">", Floats::OGT, Integers::sgt},  {">=", Floats::OGE, Integers::sge},
  };
  return comparisons;
}

StringRef tile::getArithmeticOp(Expression::Kind kind, bool isFloat) {
  switch (kind) {
  case Expression::Add:
    return isFloat ? "arith.addf" : "arith.addi";
  case Expression::Subtract:
    return isFloat ? "arith.subf" : "arith.subi";
  case Expression::Multiply:
    return isFloat ? "arith.mulf" : "arith.muli";
  case Expression::Divide:
    return isFloat ? "arith.divf" : "arith.divsi";
  default:
    return "";
  }
}

static Type firstType(ArrayRef<Expression> operands) {
  for (const Expression &operand : operands)
    if (Type type = inferType(operand))
      return type;
  return {};
}

Type tile::inferType(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Float:
  case Expression::Integer:
    return {};
  case Expression::Name:
    return expression.value.getType();
  case Expression::Load:
    return cast<MemRefType>(expression.value.getType()).getElementType();
  case Expression::Compare:
    if (Type type = firstType(expression.operands))
      return IntegerType::get(type.getContext(), 1);
    return {};
  case Expression::Convert:
    return expression.type;
  case Expression::Call:
    if (expression.name == "select")
      return firstType(ArrayRef(expression.operands).drop_front());
    return firstType(expression.operands);
  default:
    return firstType(expression.operands);
  }
}

//===----------------------------------------------------------------------===//
// Numbers, names, loads and stores
//===----------------------------------------------------------------------===//

Value ExpressionBuilder::create(StringRef name, SMLoc loc, ValueRange operands,
                                Type type) {
  // As the parser makes it: builders set attributes that are optional.
  OperationState state(getLocation(loc), name, operands,
                       type ? TypeRange(type) : TypeRange());
  Operation *op = builder.create(state);
  return type ? op->getResult(0) : Value();
}

FailureOr<Value> ExpressionBuilder::buildNumber(const Expression &number,
                                                Type type) {
  if (!type)
    return emitError(number.loc)
           << "cannot tell the type of the number; write it as f32(…)";
  TypedAttr value;
  bool isInteger = number.kind == Expression::Integer;
  if (isa<FloatType>(type)) {
    value = builder.getFloatAttr(
        type, isInteger ? double(number.integer) : number.number);
  } else if (isInteger && type.isIndex()) {
    value = builder.getIndexAttr(number.integer);
  } else if (isInteger && type.isSignlessInteger()) {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width < 64 && !llvm::isIntN(width, number.integer) &&
        !llvm::isUIntN(width, number.integer))
      return emitError(number.loc)
             << "expected a number of " << type << ", got " << number.integer;
    value = IntegerAttr::get(
        type, APInt(width, uint64_t(number.integer), /*isSigned=*/false,
                    /*implicitTrunc=*/true));
  } else {
    return emitError(number.loc)
           << "expected a value of " << type << ", got a "
           << (isInteger ? "number" : "number with a fraction");
  }
  return Value(
      arith::ConstantOp::create(builder, getLocation(number.loc), value));
}

LogicalResult
ExpressionBuilder::buildIndices(const Expression &access,
                                SmallVectorImpl<Value> &indices) {
  auto type = cast<MemRefType>(access.value.getType());
  if (int64_t(access.operands.size()) != type.getRank())
    return emitError(access.loc)
           << "expected " << type.getRank() << " ind"
           << (type.getRank() == 1 ? "ex" : "ices") << " for " << type
           << ", got " << access.operands.size();
  for (const Expression &operand : access.operands) {
    FailureOr<Value> index = build(operand, builder.getIndexType());
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  return success();
}

FailureOr<Value> ExpressionBuilder::buildLoad(const Expression &load) {
  SmallVector<Value> operands{mapping.lookupOrDefault(load.value)};
  if (failed(buildIndices(load, operands)))
    return failure();
  return create("memref.load", load.loc, operands, inferType(load));
}

LogicalResult ExpressionBuilder::buildStore(const Expression &target,
                                            const Expression &source) {
  Type element = cast<MemRefType>(target.value.getType()).getElementType();
  FailureOr<Value> value = build(source, element);
  if (failed(value))
    return failure();
  SmallVector<Value> operands{*value, mapping.lookupOrDefault(target.value)};
  if (failed(buildIndices(target, operands)))
    return failure();
  create("memref.store", target.loc, operands, Type());
  return success();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// A dimension for a value that is no affine expression of others.
AffineExpr
ExpressionBuilder::buildAffineLeaf(const Expression &expression,
                                   SmallVectorImpl<Value> &operands) {
  Value value;
  if (expression.kind == Expression::Multiply) {
    FailureOr<SmallVector<Value>> factors = buildOperands(
        expression.operands, builder.getIndexType());
    if (failed(factors))
      return {};
    value = create("arith.muli", expression.loc, *factors,
                   builder.getIndexType());
  } else {
    FailureOr<Value> built = buildNode(expression, builder.getIndexType());
    if (failed(built))
      return {};
    value = *built;
  }
  if (!value.getType().isIndex()) {
    emitError(expression.loc) << "expected an index, got "
                              << value.getType()
                              << "; convert it: index(…)";
    return {};
  }
  auto it = llvm::find(operands, value);
  unsigned position = it - operands.begin();
  if (it == operands.end())
    operands.push_back(value);
  return builder.getAffineDimExpr(position);
}

AffineExpr ExpressionBuilder::buildAffine(const Expression &expression,
                                          SmallVectorImpl<Value> &operands) {
  auto operand = [&](unsigned i) {
    return buildAffine(expression.operands[i], operands);
  };
  switch (expression.kind) {
  case Expression::Integer:
    return builder.getAffineConstantExpr(expression.integer);
  case Expression::Negate: {
    AffineExpr negated = operand(0);
    return negated ? -negated : negated;
  }
  case Expression::Multiply:
    if (llvm::none_of(expression.operands, [](const Expression &factor) {
          return factor.kind == Expression::Integer;
        }))
      return buildAffineLeaf(expression, operands);
    break;
  case Expression::Divide:
    emitError(expression.loc)
        << "expected 'floordiv' or 'ceildiv' as the division of indices";
    return {};
  case Expression::FloorDivide:
  case Expression::CeilDivide:
  case Expression::Modulo:
    if (expression.operands[1].kind == Expression::Integer &&
        expression.operands[1].integer > 0)
      break;
    emitError(expression.operands[1].loc)
        << "expected a positive number as the divisor of an index";
    return {};
  case Expression::Add:
  case Expression::Subtract:
    break;
  default:
    return buildAffineLeaf(expression, operands);
  }
  AffineExpr left = operand(0);
  AffineExpr right = left ? operand(1) : AffineExpr();
  if (!right)
    return {};
  switch (expression.kind) {
  case Expression::Add:
    return left + right;
  case Expression::Subtract:
    return left - right;
  case Expression::Multiply:
    return left * right;
  case Expression::FloorDivide:
    return left.floorDiv(right);
  case Expression::CeilDivide:
    return left.ceilDiv(right);
  default:
    return left % right;
  }
}

/// Arithmetic of indices is one `affine.apply`, which analyses see through.
FailureOr<Value> ExpressionBuilder::buildIndex(const Expression &expression) {
  SmallVector<Value> operands;
  AffineExpr affine = buildAffine(expression, operands);
  if (!affine)
    return failure();
  Location loc = getLocation(expression.loc);
  if (auto constant = dyn_cast<AffineConstantExpr>(affine))
    return Value(arith::ConstantIndexOp::create(builder, loc,
                                                constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(affine))
    return operands[dim.getPosition()];
  return Value(affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(operands.size(), 0, affine), operands));
}

//===----------------------------------------------------------------------===//
// Operators and functions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
ExpressionBuilder::buildOperands(ArrayRef<Expression> operands,
                                 Type expected) {
  SmallVector<Value> values;
  for (const Expression &operand : operands) {
    FailureOr<Value> value = build(operand, expected);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return values;
}

FailureOr<Value> ExpressionBuilder::buildBinary(const Expression &binary,
                                                Type expected) {
  Type type = firstType(binary.operands);
  if (!type)
    type = expected;
  if (type && type.isIndex())
    return buildIndex(binary);
  if (type && !type.isSignlessIntOrFloat())
    return emitError(binary.loc)
           << "expected numbers as operands, got " << type;
  FailureOr<SmallVector<Value>> operands =
      buildOperands(binary.operands, type);
  if (failed(operands))
    return failure();
  bool isFloat = isa<FloatType>(type);
  if (binary.kind == Expression::Negate) {
    if (isFloat)
      return create("arith.negf", binary.loc, *operands, type);
    return emitError(binary.loc)
           << "expected a float as the operand of '-', got " << type
           << "; write 0 - …";
  }
  StringRef name = getArithmeticOp(binary.kind, isFloat);
  if (!name.empty())
    return create(name, binary.loc, *operands, type);
  return emitError(binary.loc)
         << "expected indices as operands, got " << type
         << (isFloat ? "" : "; '/' and rem(…) divide integers");
}

FailureOr<Value>
ExpressionBuilder::buildComparison(const Expression &comparison) {
  Type type = firstType(comparison.operands);
  FailureOr<SmallVector<Value>> operands =
      buildOperands(comparison.operands, type);
  if (failed(operands))
    return failure();
  const Comparison *found =
      llvm::find_if(getComparisons(), [&](const Comparison &candidate) {
        return candidate.symbol == comparison.name;
      });
  Location loc = getLocation(comparison.loc);
  Value left = (*operands)[0], right = (*operands)[1];
  if (isa<FloatType>(type))
    return Value(arith::CmpFOp::create(builder, loc, found->floats, left,
                                       right));
  if (type.isIndex() || type.isSignlessInteger())
    return Value(arith::CmpIOp::create(builder, loc, found->integers, left,
                                       right));
  return emitError(comparison.loc)
         << "expected numbers as operands, got " << type;
}

FailureOr<Value> ExpressionBuilder::buildCall(const Expression &call,
                                              Type expected) {
  Type type = inferType(call);
  if (!type)
    type = expected;
  if (call.name == "select") {
    FailureOr<Value> condition =
        build(call.operands[0], builder.getI1Type());
    if (failed(condition))
      return failure();
    FailureOr<SmallVector<Value>> values = buildOperands(
        ArrayRef(call.operands).drop_front(), type);
    if (failed(values))
      return failure();
    return Value(arith::SelectOp::create(builder, getLocation(call.loc),
                                         *condition, (*values)[0],
                                         (*values)[1]));
  }
  FailureOr<SmallVector<Value>> operands =
      buildOperands(call.operands, type);
  if (failed(operands))
    return failure();
  const ScalarFunction *found =
      llvm::find_if(getScalarFunctions(), [&](const ScalarFunction &function) {
        return function.name == call.name;
      });
  bool isFloat = isa<FloatType>(type);
  bool isInteger = type.isIndex() || type.isSignlessInteger();
  StringRef name = isFloat     ? StringRef(found->floatOp)
                   : isInteger ? StringRef(found->integerOp)
                               : StringRef();
  if (name.empty())
    return emitError(call.loc)
           << "'" << call.name << "' takes "
           << (found->integerOp.empty() ? "floats"
               : found->floatOp.empty() ? "integers"
                                        : "numbers")
           << ", got " << type;
  return create(name, call.loc, *operands, type);
}

/// The op that converts; empty where there is none.
static StringRef getConversionOp(Type from, Type to) {
  bool toFloat = isa<FloatType>(to), fromFloat = isa<FloatType>(from);
  if (from.isIndex() || to.isIndex())
    return toFloat || fromFloat ? "" : "arith.index_cast";
  if (fromFloat != toFloat)
    return fromFloat           ? "arith.fptosi"
           : from.isInteger(1) ? "arith.uitofp"
                               : "arith.sitofp";
  unsigned before = from.getIntOrFloatBitWidth();
  unsigned after = to.getIntOrFloatBitWidth();
  if (before == after)
    return "";
  if (toFloat)
    return before < after ? "arith.extf" : "arith.truncf";
  return before > after        ? "arith.trunci"
         : from.isInteger(1) ? "arith.extui"
                               : "arith.extsi";
}

FailureOr<Value>
ExpressionBuilder::buildConversion(const Expression &conversion) {
  const Expression &operand = conversion.operands[0];
  Type from = inferType(operand), to = conversion.type;
  if (!from || from == to)
    return build(operand, to);
  FailureOr<Value> value = build(operand);
  if (failed(value))
    return failure();
  StringRef name = from.isIntOrIndexOrFloat() ? getConversionOp(from, to)
                                              : StringRef();
  if (name.empty())
    return emitError(conversion.loc)
           << "cannot convert " << from << " to " << to
           << "; convert to i32 or f32 first";
  return create(name, conversion.loc, *value, to);
}

FailureOr<Value> ExpressionBuilder::buildNode(const Expression &expression,
                                              Type expected) {
  switch (expression.kind) {
  case Expression::Float:
  case Expression::Integer:
    return buildNumber(expression, expected);
  case Expression::Name:
    return mapping.lookupOrDefault(expression.value);
  case Expression::Load:
    return buildLoad(expression);
  case Expression::Compare:
    return buildComparison(expression);
  case Expression::Call:
    return buildCall(expression, expected);
  case Expression::Convert:
    return buildConversion(expression);
  default:
    return buildBinary(expression, expected);
  }
}

FailureOr<Value> ExpressionBuilder::build(const Expression &expression,
                                          Type expected) {
  FailureOr<Value> value = buildNode(expression, expected);
  if (failed(value) || !expected || value->getType() == expected)
    return value;
  InFlightDiagnostic diag = emitError(expression.loc);
  diag << "expected a value of " << expected << ", got " << value->getType();
  if (expected.isIntOrIndexOrFloat() &&
      value->getType().isIntOrIndexOrFloat())
    diag << "; convert it: " << llvm::formatv("{0}(…)", expected).str();
  return diag;
}
