//===- ExpressionBuilder.cpp - the ops that expressions stand for ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

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
  case Expression::Dim:
  case Expression::Symbol:
    return IndexType::get(expression.value.getContext());
  case Expression::Parameter:
    return expression.type;
  case Expression::Sum:
    return inferType(expression.operands[2]);
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

void tile::setInsertionPointToEndOf(OpBuilder &builder, Block *block) {
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block->back());
  else
    builder.setInsertionPointToEnd(block);
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
  return type ? finish(op) : Value();
}

/// The result of the op, or of an equal one that the block has already.
Value ExpressionBuilder::finish(Operation *op) {
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
      flags && fastMath)
    op->setAttr(flags.getFastMathAttrName(), fastMath);
  if (reuses)
    for (Operation &other :
         llvm::make_range(op->getBlock()->begin(), op->getIterator()))
      if (OperationEquivalence::isEquivalentTo(
              &other, op, OperationEquivalence::IgnoreLocations)) {
        op->erase();
        return other.getResult(0);
      }
  return op->getResult(0);
}

FailureOr<Value> ExpressionBuilder::buildNumber(const Expression &number,
                                                Type type) {
  if (!type)
    return emitError(number.loc)
           << "cannot tell the type of the number; write it as f32(…)";
  TypedAttr value;
  bool isInteger = number.kind == Expression::Integer;
  if (isa<FloatType>(type) && number.isHexadecimal)
    return emitError(number.loc)
           << "expected a decimal number, inf or nan as a value of " << type;
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
  return finish(
      arith::ConstantOp::create(builder, getLocation(number.loc), value));
}

LogicalResult ExpressionBuilder::checkRank(const Expression &access) {
  auto type = cast<MemRefType>(access.value.getType());
  if (int64_t(access.operands.size()) == type.getRank())
    return success();
  return emitError(access.loc)
         << "expected " << type.getRank() << " ind"
         << (type.getRank() == 1 ? "ex" : "ices") << " for " << type
         << ", got " << access.operands.size();
}

LogicalResult
ExpressionBuilder::buildIndices(const Expression &access,
                                SmallVectorImpl<Value> &indices) {
  if (failed(checkRank(access)))
    return failure();
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

FailureOr<AtomicOp>
ExpressionBuilder::buildAtomic(AtomicKindAttr kind, const Expression &source,
                               const Expression &target, bool hasResult,
                               ArrayRef<NamedAttribute> attributes) {
  auto type = cast<MemRefType>(target.value.getType());
  Type element = type.getElementType();
  FailureOr<Value> value = build(source, element);
  AffineMap map;
  SmallVector<Value> indices;
  if (failed(value) || failed(checkRank(target)) ||
      failed(buildMap(target.operands, map, indices)))
    return failure();
  auto atomic = AtomicOp::create(
      builder, getLocation(target.loc), hasResult ? element : Type(), kind,
      *value, target.value, indices, AffineMapAttr::get(map),
      /*targetSizes=*/DenseI64ArrayAttr(), /*is_unsigned=*/UnitAttr(),
      /*instruction=*/TransferAttr());
  for (NamedAttribute attribute : attributes)
    atomic->setAttr(attribute.getName(), attribute.getValue());
  return atomic;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

FailureOr<Value> ExpressionBuilder::buildDim(const Expression &dim) {
  Value buffer = dim.value;
  auto type = cast<MemRefType>(buffer.getType());
  if (dim.integer >= type.getRank())
    return emitError(dim.loc) << "expected a dimension below " << type.getRank()
                              << " of " << type << ", got " << dim.integer;
  Location loc = getLocation(dim.loc);
  if (!type.isDynamicDim(dim.integer))
    return finish(arith::ConstantIndexOp::create(builder, loc,
                                                 type.getDimSize(dim.integer)));
  // Beside the buffer: extents of arguments are for the host to read.
  OpBuilder::InsertionGuard guard(builder);
  llvm::SaveAndRestore outside(reuses, true);
  setInsertionPointToEndOf(builder, buffer.getParentBlock());
  Value position =
      finish(arith::ConstantIndexOp::create(builder, loc, dim.integer));
  return finish(memref::DimOp::create(builder, loc, buffer, position));
}

FailureOr<Value>
ExpressionBuilder::buildParameter(const Expression &parameter) {
  return finish(GetParamOp::create(
      builder, getLocation(parameter.loc), builder.getIndexType(),
      FlatSymbolRefAttr::get(builder.getContext(), parameter.name)));
}

/// A serial loop from 0 on, in the order of the indices.
FailureOr<Value> ExpressionBuilder::buildSum(const Expression &sum,
                                             Type expected) {
  Type type = inferType(sum);
  if (!type)
    type = expected;
  if (type && !type.isIndex() && !type.isSignlessIntOrFloat())
    return emitError(sum.loc) << "'sum' takes numbers, got " << type;
  FailureOr<SmallVector<Value>> bounds = buildOperands(
      ArrayRef(sum.operands).take_front(2), builder.getIndexType());
  Expression zero(Expression::Integer, sum.loc), one = zero;
  one.integer = 1;
  FailureOr<Value> first = buildNumber(zero, type);
  FailureOr<Value> step = buildNumber(one, builder.getIndexType());
  if (failed(bounds) || failed(first) || failed(step))
    return failure();
  auto loop = scf::ForOp::create(builder, getLocation(sum.loc), (*bounds)[0],
                                 (*bounds)[1], *step, *first);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  mapping.map(sum.value, loop.getInductionVar());
  FailureOr<Value> term = build(sum.operands[2], type);
  if (failed(term))
    return failure();
  Value next = create(getArithmeticOp(Expression::Add, isa<FloatType>(type)),
                      sum.loc, {loop.getRegionIterArg(0), *term}, type);
  scf::YieldOp::create(builder, loop.getLoc(), next);
  return loop.getResult(0);
}

/// Whether an expression is one of symbols and numbers only.
static bool isSymbolic(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Integer:
  case Expression::Symbol:
  case Expression::Parameter:
    return true;
  case Expression::Negate:
  case Expression::Add:
  case Expression::Subtract:
  case Expression::Multiply:
    return llvm::all_of(expression.operands, isSymbolic);
  default:
    return false;
  }
}

static bool isNumber(const Expression &expression) {
  return expression.kind == Expression::Integer;
}

/// Whether it is `max(…, 1)` or the like, in this order.
static bool isClamped(const Expression &divisor) {
  return divisor.kind == Expression::Call && divisor.name == "max" &&
         divisor.operands[1].kind == Expression::Integer &&
         divisor.operands[1].integer > 0;
}

/// Whether it is above 0 by itself.
static bool isPositive(const Expression &divisor) {
  if (divisor.kind != Expression::Name)
    return isSymbolic(divisor) || isClamped(divisor);
  return divisor.value.getDefiningOp<GetParamOp>() ||
         getConstantIntValue(divisor.value);
}

/// A divisor that may be 0, such as an extent, counts as 1 then: a division
/// stands where it may happen before what guards it.
FailureOr<Value> ExpressionBuilder::buildDivisor(const Expression &divisor) {
  if (isPositive(divisor))
    return build(divisor, builder.getIndexType());
  Expression clamped(Expression::Call, divisor.loc), one = clamped;
  one.kind = Expression::Integer;
  one.integer = 1;
  clamped.name = "max";
  clamped.operands = {divisor, one};
  return build(clamped, builder.getIndexType());
}

/// A division by a number that is not known.
FailureOr<Value> ExpressionBuilder::buildDivision(const Expression &division) {
  Type index = builder.getIndexType();
  FailureOr<Value> number = build(division.operands[0], index);
  FailureOr<Value> divisor =
      failed(number) ? number : buildDivisor(division.operands[1]);
  if (failed(divisor))
    return failure();
  auto combine = [&](StringRef op, Value a, Value b) {
    return create(op, division.loc, {a, b}, index);
  };
  if (division.kind == Expression::CeilDivide)
    return combine("arith.ceildivsi", *number, *divisor);
  Value quotient = combine("arith.floordivsi", *number, *divisor);
  if (division.kind == Expression::FloorDivide)
    return quotient;
  return combine("arith.subi", *number,
                 combine("arith.muli", quotient, *divisor));
}

/// What an affine expression cannot say.
FailureOr<Value> ExpressionBuilder::buildIndexOp(const Expression &expression) {
  switch (expression.kind) {
  case Expression::FloorDivide:
  case Expression::CeilDivide:
  case Expression::Modulo:
    return buildDivision(expression);
  case Expression::Multiply: {
    FailureOr<SmallVector<Value>> factors =
        buildOperands(expression.operands, builder.getIndexType());
    if (failed(factors))
      return failure();
    return create("arith.muli", expression.loc, *factors,
                  builder.getIndexType());
  }
  default:
    return buildNode(expression, builder.getIndexType());
  }
}

/// A dimension or a symbol for a value that is no affine expression of others.
AffineExpr ExpressionBuilder::buildAffineLeaf(const Expression &expression,
                                              AffineOperands &operands) {
  FailureOr<Value> value = buildIndexOp(expression);
  if (failed(value))
    return {};
  if (!value->getType().isIndex()) {
    emitError(expression.loc) << "expected an index, got " << value->getType()
                              << "; convert it: index(…)";
    return {};
  }
  bool isSymbol = operands.takesSymbols && isSymbolic(expression);
  SmallVector<Value> &values = isSymbol ? operands.symbols : operands.dims;
  auto it = llvm::find(values, *value);
  unsigned position = it - values.begin();
  if (it == values.end())
    values.push_back(*value);
  return isSymbol ? builder.getAffineSymbolExpr(position)
                  : builder.getAffineDimExpr(position);
}

/// A number below 1 is a mistake.
LogicalResult ExpressionBuilder::checkDivisor(const Expression &divisor) {
  int64_t number = 1;
  if (isNumber(divisor))
    number = divisor.integer;
  else if (divisor.kind == Expression::Name)
    number = getConstantIntValue(divisor.value).value_or(1);
  if (number > 0)
    return success();
  return emitError(divisor.loc)
         << "expected a positive divisor of an index, got " << number;
}

AffineExpr ExpressionBuilder::buildAffine(const Expression &expression,
                                          AffineOperands &operands) {
  auto isFactor = operands.takesSymbols ? isSymbolic : isNumber;
  switch (expression.kind) {
  case Expression::Integer:
    return builder.getAffineConstantExpr(expression.integer);
  case Expression::Negate: {
    AffineExpr negated = buildAffine(expression.operands[0], operands);
    return negated ? -negated : negated;
  }
  case Expression::Multiply:
    if (llvm::none_of(expression.operands, isFactor))
      return buildAffineLeaf(expression, operands);
    break;
  case Expression::Divide:
    emitError(expression.loc)
        << "expected 'floordiv' or 'ceildiv' as the division of indices";
    return {};
  case Expression::FloorDivide:
  case Expression::CeilDivide:
  case Expression::Modulo:
    if (failed(checkDivisor(expression.operands[1])))
      return {};
    if (!isFactor(expression.operands[1]))
      return buildAffineLeaf(expression, operands);
    break;
  case Expression::Add:
  case Expression::Subtract:
    break;
  default:
    return buildAffineLeaf(expression, operands);
  }
  AffineExpr left = buildAffine(expression.operands[0], operands);
  AffineExpr right =
      left ? buildAffine(expression.operands[1], operands) : AffineExpr();
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
  AffineOperands operands;
  AffineExpr affine = buildAffine(expression, operands);
  if (!affine)
    return failure();
  Location loc = getLocation(expression.loc);
  if (auto constant = dyn_cast<AffineConstantExpr>(affine))
    return finish(
        arith::ConstantIndexOp::create(builder, loc, constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(affine))
    return operands.dims[dim.getPosition()];
  return finish(affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(operands.dims.size(), 0, affine),
      operands.dims));
}

LogicalResult ExpressionBuilder::buildMap(ArrayRef<Expression> offsets,
                                          AffineMap &map,
                                          SmallVectorImpl<Value> &operands) {
  AffineOperands values;
  values.takesSymbols = true;
  SmallVector<AffineExpr> results;
  for (const Expression &offset : offsets) {
    AffineExpr result = buildAffine(offset, values);
    if (!result)
      return failure();
    results.push_back(result);
  }
  map = AffineMap::get(values.dims.size(), values.symbols.size(), results,
                       builder.getContext());
  operands.append(values.dims);
  operands.append(values.symbols);
  return success();
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

/// A division of integers by what may be zero stays where it is written.
LogicalResult ExpressionBuilder::checkDivision(const Expression &expression) {
  bool divides = expression.kind == Expression::Divide ||
                 llvm::is_contained({"rem", "udiv", "urem"}, expression.name);
  if (!reuses || !divides)
    return success();
  const Expression &divisor = expression.operands[1];
  if (divisor.kind == Expression::Integer && divisor.integer > 0)
    return success();
  return emitError(divisor.loc)
         << "expected a positive number as the divisor of an integer here; "
            "divide in a line before";
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
  if (!isFloat && failed(checkDivision(binary)))
    return failure();
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
    return finish(
        arith::CmpFOp::create(builder, loc, found->floats, left, right));
  if (type.isIndex() || type.isSignlessInteger())
    return finish(
        arith::CmpIOp::create(builder, loc, found->integers, left, right));
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
    return finish(arith::SelectOp::create(builder, getLocation(call.loc),
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
  if (isInteger && failed(checkDivision(call)))
    return failure();
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
    return from.isInteger(1) ? "arith.index_castui" : "arith.index_cast";
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

/// All but zero is true; see rule 4 of the dialect.
static Operation *createTruth(OpBuilder &b, Location loc, Value value,
                              Value zero) {
  if (isa<FloatType>(value.getType()))
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                 zero);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
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
  Location loc = getLocation(conversion.loc);
  if (to.isInteger(1) && from.isIntOrIndexOrFloat()) {
    Value zero = finish(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(from)));
    return finish(createTruth(builder, loc, *value, zero));
  }
  // Floats become an index, and an index a float, by way of i64.
  bool hasIndex = from.isIndex() || to.isIndex();
  if (hasIndex && (isa<FloatType>(from) || isa<FloatType>(to))) {
    Type wide = builder.getI64Type();
    value = create(getConversionOp(from, wide), conversion.loc, *value, wide);
    from = wide;
  }
  StringRef name = from.isIntOrIndexOrFloat() ? getConversionOp(from, to)
                                              : StringRef();
  if (name.empty())
    return emitError(conversion.loc) << "cannot convert " << from << " to "
                                     << to << "; convert to f32 first";
  return create(name, conversion.loc, *value, to);
}

FailureOr<Value> ExpressionBuilder::buildNode(const Expression &expression,
                                              Type expected) {
  switch (expression.kind) {
  case Expression::Float:
  case Expression::Integer:
    return buildNumber(expression, expected);
  case Expression::Name:
  case Expression::Symbol:
    return mapping.lookupOrDefault(expression.value);
  case Expression::Dim:
    return buildDim(expression);
  case Expression::Parameter:
    return buildParameter(expression);
  case Expression::Sum:
    return buildSum(expression, expected);
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
