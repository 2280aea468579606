//===- ExpressionParser.cpp - expressions from text -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionParser.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <limits>

using namespace mlir;
using namespace mlir::tile;

ParseResult ExpressionParser::define(const Operand &name, Value value) {
  if (!locals.insert({name.name, value}).second)
    return parser.emitError(name.location)
           << "redefinition of value '" << name.name << "'";
  defined.push_back(name.name);
  return success();
}

void ExpressionParser::forget(size_t count) {
  for (StringRef name : ArrayRef(defined).drop_front(count))
    locals.erase(name);
  defined.truncate(count);
}

FailureOr<Value>
ExpressionParser::lookup(const OpAsmParser::UnresolvedOperand &name) {
  if (auto it = locals.find(name.name); it != locals.end() && !name.number)
    return it->second;
  FailureOr<Definition> definition = lookupDefinition(parser, name);
  if (failed(definition))
    return failure();
  names.push_back(name);
  return definition->value;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ParseResult ExpressionParser::parseRight(
    Expression &left, Expression::Kind kind, SMLoc loc,
    ParseResult (ExpressionParser::*parse)(Expression &)) {
  Expression whole(kind, loc);
  whole.operands.push_back(std::move(left));
  if ((this->*parse)(whole.operands.emplace_back()))
    return failure();
  left = std::move(whole);
  return setHeight(left);
}

ParseResult ExpressionParser::checkHeight(SMLoc loc, unsigned height) {
  if (height <= Expression::kMaxHeight)
    return success();
  return parser.emitError(loc)
         << "expected expressions nested up to " << Expression::kMaxHeight
         << " times; give a part of this one a name";
}

/// Of a tree that has its operands now.
ParseResult ExpressionParser::setHeight(Expression &expression) {
  for (const Expression &operand : expression.operands)
    expression.height = std::max(expression.height, operand.height + 1);
  return checkHeight(expression.loc, expression.height);
}

/// The operator of a comparison; empty if there is none.
ParseResult ExpressionParser::parseOperator(StringRef &symbol) {
  bool isLess = succeeded(parser.parseOptionalLess());
  bool isGreater = !isLess && succeeded(parser.parseOptionalGreater());
  if (isLess && succeeded(parser.parseOptionalGreater())) {
    symbol = "<>";
  } else if (isLess || isGreater) {
    bool orEqual = succeeded(parser.parseOptionalEqual());
    symbol = isLess ? (orEqual ? "<=" : "<") : (orEqual ? ">=" : ">");
  } else if (succeeded(parser.parseOptionalEqual())) {
    symbol = "==";
    return parser.parseEqual();
  }
  return success();
}

ParseResult ExpressionParser::parseExpression(Expression &out) {
  if (parseSum(out))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef symbol;
  if (parseOperator(symbol))
    return failure();
  if (symbol.empty())
    return success();
  if (parseRight(out, Expression::Compare, loc, &ExpressionParser::parseSum))
    return failure();
  out.name = symbol;
  return success();
}

ParseResult ExpressionParser::parseSum(Expression &out) {
  if (parseProduct(out))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    Expression::Kind kind;
    if (succeeded(parser.parseOptionalPlus()))
      kind = Expression::Add;
    else if (succeeded(parser.parseOptionalMinus()))
      kind = Expression::Subtract;
    else
      return success();
    if (parseRight(out, kind, loc, &ExpressionParser::parseProduct))
      return failure();
  }
}

/// Operators that may be written as functions, too.
static std::optional<Expression::Kind> getDivision(StringRef word) {
  return llvm::StringSwitch<std::optional<Expression::Kind>>(word)
      .Case("floordiv", Expression::FloorDivide)
      .Case("ceildiv", Expression::CeilDivide)
      .Case("mod", Expression::Modulo)
      .Default(std::nullopt);
}

ParseResult ExpressionParser::parseProduct(Expression &out) {
  if (parseUnary(out))
    return failure();
  while (true) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    Expression::Kind kind;
    if (succeeded(parser.parseOptionalStar()))
      kind = Expression::Multiply;
    else if (succeeded(parser.parseOptionalSlash()))
      kind = Expression::Divide;
    else if (succeeded(parser.parseOptionalKeyword(
                 &word, {"floordiv", "ceildiv", "mod"})))
      kind = *getDivision(word);
    else
      return success();
    if (parseRight(out, kind, loc, &ExpressionParser::parseUnary))
      return failure();
  }
}

ParseResult ExpressionParser::parseUnary(Expression &out) {
  SMLoc loc = parser.getCurrentLocation();
  // Whatever nests comes by here.
  llvm::SaveAndRestore nested(depth, depth + 1);
  if (checkHeight(loc, depth))
    return failure();
  if (failed(parser.parseOptionalMinus()))
    return parsePrimary(out);
  Expression operand;
  if (parseUnary(operand))
    return failure();
  if (operand.kind == Expression::Float || operand.kind == Expression::Integer) {
    out = std::move(operand);
    out.loc = loc;
    out.number = -out.number;
    out.integer = -out.integer;
    return success();
  }
  out = Expression(Expression::Negate, loc);
  out.operands.push_back(std::move(operand));
  return setHeight(out);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ParseResult ExpressionParser::parseNumber(Expression &out) {
  out.loc = parser.getCurrentLocation();
  APInt integer;
  OptionalParseResult result = parser.parseOptionalInteger(integer);
  if (result.has_value()) {
    if (failed(*result))
      return failure();
    if (integer.getSignificantBits() > 64)
      return parser.emitError(out.loc, "expected a number of 64 bits");
    out.kind = Expression::Integer;
    out.integer = integer.getSExtValue();
    out.isHexadecimal = StringRef(out.loc.getPointer(), 2) == "0x";
    return success();
  }
  out.kind = Expression::Float;
  return parser.parseFloat(out.number);
}

/// `[index, …]`.
ParseResult ExpressionParser::parseAccess(Expression &out) {
  out.kind = Expression::Load;
  if (!isa<MemRefType>(out.value.getType()))
    return parser.emitError(out.loc)
           << "expected a buffer, got a value of " << out.value.getType();
  if (place != Place::Body)
    return parser.emitError(out.loc)
           << "expected no element of a buffer here; load it in a line before, "
              "with 'memref.load'";
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseCommaSeparatedList([&] {
    return parseExpression(out.operands.emplace_back());
  }) || parser.parseRSquare() ||
                 setHeight(out));
}

ParseResult ExpressionParser::parseName(Expression &out) {
  out.loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand name;
  if (parser.parseOperand(name))
    return failure();
  bool isAccess = succeeded(parser.parseOptionalLSquare());
  out.kind = Expression::Name;
  if (nameType && !isAccess && !locals.contains(name.name)) {
    // It may be defined further down, as in the long form.
    SmallVector<Value> value;
    if (parser.resolveOperand(name, nameType, value))
      return failure();
    names.push_back(name);
    out.value = value.front();
    return success();
  }
  FailureOr<Value> value = lookup(name);
  if (failed(value))
    return failure();
  out.value = *value;
  if (isAccess)
    return parseAccess(out);
  if (isa<MemRefType>(out.value.getType()))
    return parser.emitError(out.loc)
           << "expected indices behind the buffer '" << name.name << "'";
  return success();
}

/// `@parameter`.
ParseResult ExpressionParser::parseParameter(Expression &out) {
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  out.kind = Expression::Parameter;
  out.name = name.getValue();
  out.type = parser.getBuilder().getIndexType();
  return success();
}

/// `dim(%buffer, 0)`, behind the word.
ParseResult ExpressionParser::parseDim(Expression &out) {
  OpAsmParser::UnresolvedOperand name;
  out.kind = Expression::Dim;
  if (parser.parseLParen() || parser.parseOperand(name))
    return failure();
  FailureOr<Value> buffer = lookup(name);
  if (failed(buffer))
    return failure();
  out.value = *buffer;
  if (!isa<MemRefType>(out.value.getType()))
    return parser.emitError(name.location)
           << "expected a buffer, got a value of " << out.value.getType();
  // A placeholder of what is defined further down is in no block.
  if (!out.value.getParentBlock())
    return parser.emitError(name.location)
           << "use of value '" << name.name << "' before its definition";
  SMLoc loc;
  if (parser.parseComma() || parser.getCurrentLocation(&loc) ||
      parser.parseInteger(out.integer) || parser.parseRParen())
    return failure();
  if (out.integer >= 0)
    return success();
  return parser.emitError(loc)
         << "expected the number of a dimension, got " << out.integer;
}

/// `symbol(%value)`, behind the word: as in affine maps.
ParseResult ExpressionParser::parseSymbol(Expression &out) {
  if (parser.parseLParen() || parseName(out) || parser.parseRParen())
    return failure();
  out.kind = Expression::Symbol;
  return success();
}

/// `sum(%l = 0 to %n, term)`, behind the word.
ParseResult ExpressionParser::parseIndexSum(Expression &out) {
  if (place != Place::Body)
    return parser.emitError(out.loc,
                            "expected no loop here; 'sum' is for the bodies of "
                            "'tile.parallel'");
  Operand name;
  Expression bounds[2], term;
  if (parser.parseLParen() ||
      parser.parseOperand(name, /*allowResultNumber=*/false) ||
      parser.parseEqual() || parseExpression(bounds[0]) ||
      parser.parseKeyword("to") || parseExpression(bounds[1]) ||
      parser.parseComma())
    return failure();
  out.kind = Expression::Sum;
  out.value =
      placeholders.addArgument(parser.getBuilder().getIndexType(),
                               parser.getEncodedSourceLoc(name.location));
  size_t outside = getNumDefined();
  if (define(name, out.value) || parseExpression(term) || parser.parseRParen())
    return failure();
  forget(outside);
  out.operands = {std::move(bounds[0]), std::move(bounds[1]), std::move(term)};
  return setHeight(out);
}

ParseResult ExpressionParser::parseOperands(Expression &out) {
  // What a function takes need not be an index because its result is one.
  llvm::SaveAndRestore unknown(nameType, Type());
  return failure(
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren,
          [&] { return parseExpression(out.operands.emplace_back()); }) ||
      setHeight(out));
}

/// The type that a conversion names; null if it is none.
static Type getConvertedType(StringRef word, Builder &b) {
  unsigned width;
  if (word.starts_with("i") && !word.drop_front().getAsInteger(10, width) &&
      width > 0 && width <= 64)
    return b.getIntegerType(width);
  return llvm::StringSwitch<Type>(word)
      .Case("f16", b.getF16Type())
      .Case("bf16", b.getBF16Type())
      .Case("f32", b.getF32Type())
      .Case("f64", b.getF64Type())
      .Case("index", b.getIndexType())
      .Default(Type());
}

/// Sets what the word stands for; the number of its operands.
FailureOr<unsigned> ExpressionParser::findFunction(StringRef word,
                                                   Expression &out) {
  out.type = getConvertedType(word, parser.getBuilder());
  out.kind = out.type ? Expression::Convert : Expression::Call;
  if (out.type)
    return 1;
  if (std::optional<Expression::Kind> division = getDivision(word)) {
    out.kind = *division;
    return 2;
  }
  if (word == "select") {
    out.name = "select";
    return 3;
  }
  for (const ScalarFunction &function : getScalarFunctions())
    if (function.name == word) {
      out.name = function.name;
      return function.numOperands;
    }
  InFlightDiagnostic diag = parser.emitError(out.loc)
                            << "unknown function '" << word
                            << "'; expected a type, select, ceildiv, dim, "
                               "floordiv, mod, sum, ";
  llvm::interleaveComma(
      getScalarFunctions(), diag,
      [&](const ScalarFunction &function) { diag << function.name; });
  return diag;
}

ParseResult ExpressionParser::parseWord(StringRef word, Expression &out) {
  if (word == "inf" || word == "nan") {
    out.kind = Expression::Float;
    out.number = word == "inf" ? std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    return success();
  }
  if (word == "dim")
    return parseDim(out);
  if (word == "sum")
    return parseIndexSum(out);
  if (word == "symbol" && place == Place::Offset)
    return parseSymbol(out);
  FailureOr<unsigned> expected = findFunction(word, out);
  if (failed(expected) || parseOperands(out))
    return failure();
  if (out.operands.size() == *expected)
    return success();
  return parser.emitError(out.loc) << "expected " << *expected << " operand"
                                   << (*expected == 1 ? "" : "s") << " of '"
                                   << word << "', got " << out.operands.size();
}

ParseResult ExpressionParser::parsePrimary(Expression &out) {
  out.loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseExpression(out) || parser.parseRParen());
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parseWord(word, out);
  char first = *out.loc.getPointer();
  if (first == '%')
    return parseName(out);
  if (first == '@')
    return parseParameter(out);
  if (llvm::isDigit(first))
    return parseNumber(out);
  return parser.emitError(out.loc, "expected an expression");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

ExpressionContext::ExpressionContext(OpAsmParser &parser)
    : builder(parser.getContext()),
      emitError([&parser](SMLoc loc) { return parser.emitError(loc); }),
      getLocation(
          [&parser](SMLoc loc) { return parser.getEncodedSourceLoc(loc); }) {}

namespace {
/// Makes the ops of statements where the builder is.
class StatementParser {
public:
  StatementParser(OpAsmParser &parser, Block &body)
      : parser(parser), context(parser), builder(context.getBuilder()),
        expressions(parser, ExpressionParser::Place::Body) {
    context.builder.setInsertionPointToEnd(&body);
  }

  ParseResult define(const Operand &name, Value value) {
    return expressions.define(name, value);
  }
  /// `fastmath<…>`, if it is there.
  ParseResult parseFlags();
  ParseResult parseStatement();
  ParseResult parseRest();

private:
  ParseResult parseAssignment();
  ParseResult parseElement(Expression &element);
  FailureOr<AtomicOp> parseAtomic(SMLoc loc, bool hasResult);
  ParseResult parseAssert(SMLoc loc);
  ParseResult parsePrint(SMLoc loc);
  ParseResult parseBranch(SMLoc loc);
  ParseResult parseLoop(SMLoc loc);
  ParseResult parseBlock(Block *block);

  OpAsmParser &parser;
  ExpressionContext context;
  ExpressionBuilder builder;
  ExpressionParser expressions;
  unsigned depth = 0;
};
} // namespace

/// `%buffer[indices]`, of which the indices are no expression by themselves.
ParseResult StatementParser::parseElement(Expression &element) {
  Operand name;
  element.loc = parser.getCurrentLocation();
  if (parser.parseOperand(name, /*allowResultNumber=*/false))
    return failure();
  FailureOr<Value> buffer = expressions.lookup(name);
  if (failed(buffer) || parser.parseLSquare())
    return failure();
  element.value = *buffer;
  return expressions.parseAccess(element);
}

/// `kind value, %buffer[indices] {attributes}`, behind `tile.atomic`.
FailureOr<AtomicOp> StatementParser::parseAtomic(SMLoc loc, bool hasResult) {
  AtomicKindAttr kind;
  Expression source, target;
  OperationState state(parser.getEncodedSourceLoc(loc),
                       AtomicOp::getOperationName());
  if (parseKeyword(parser, kind) || expressions.parseExpression(source) ||
      parser.parseComma() || parseElement(target) ||
      parseAttributes(parser, state))
    return failure();
  return builder.buildAtomic(kind, source, target, hasResult,
                             state.attributes.getAttrs());
}

/// `condition, "message"`, behind `tile.device_assert`.
ParseResult StatementParser::parseAssert(SMLoc loc) {
  Expression condition;
  StringAttr message;
  if (expressions.parseExpression(condition) || parser.parseComma() ||
      parser.parseAttribute(message))
    return failure();
  OpBuilder &b = context.builder;
  FailureOr<Value> value = builder.build(condition, b.getI1Type());
  if (failed(value))
    return failure();
  DeviceAssertOp::create(b, parser.getEncodedSourceLoc(loc), *value, message);
  return success();
}

/// `value, "message"`, behind `tile.print`; the message may be left out.
ParseResult StatementParser::parsePrint(SMLoc loc) {
  Expression printed;
  StringAttr message;
  if (expressions.parseExpression(printed) ||
      (succeeded(parser.parseOptionalComma()) &&
       parser.parseAttribute(message)))
    return failure();
  FailureOr<Value> value = builder.build(printed);
  if (failed(value))
    return failure();
  PrintOp::create(context.builder, parser.getEncodedSourceLoc(loc), *value,
                  message);
  return success();
}

ParseResult StatementParser::parseAssignment() {
  Operand name;
  Expression target, source;
  target.loc = parser.getCurrentLocation();
  if (parser.parseOperand(name, /*allowResultNumber=*/false))
    return failure();
  if (succeeded(parser.parseOptionalLSquare())) {
    FailureOr<Value> buffer = expressions.lookup(name);
    if (failed(buffer))
      return failure();
    target.value = *buffer;
    if (expressions.parseAccess(target) || parser.parseEqual() ||
        expressions.parseExpression(source))
      return failure();
    return builder.buildStore(target, source);
  }
  if (parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("tile.atomic"))) {
    FailureOr<AtomicOp> atomic = parseAtomic(loc, /*hasResult=*/true);
    return failure(failed(atomic) || define(name, atomic->getOld()));
  }
  if (expressions.parseExpression(source))
    return failure();
  FailureOr<Value> value = builder.build(source);
  if (failed(value))
    return failure();
  return define(name, *value);
}

/// The statements up to the closing brace.
ParseResult StatementParser::parseRest() {
  while (failed(parser.parseOptionalRBrace()))
    if (parseStatement())
      return failure();
  return success();
}

/// `{ statements }`: the ops go before the terminator.
ParseResult StatementParser::parseBlock(Block *block) {
  OpBuilder::InsertionGuard guard(context.builder);
  setInsertionPointToEndOf(context.builder, block);
  size_t outside = expressions.getNumDefined();
  llvm::SaveAndRestore nested(depth, depth + 1);
  if (depth > Expression::kMaxHeight)
    return parser.emitError(parser.getCurrentLocation())
           << "expected statements nested up to " << Expression::kMaxHeight
           << " times";
  if (parser.parseLBrace() || parseRest())
    return failure();
  expressions.forget(outside);
  return success();
}

/// `if condition { … } else { … }`, behind the word.
ParseResult StatementParser::parseBranch(SMLoc loc) {
  Expression condition;
  if (expressions.parseExpression(condition))
    return failure();
  OpBuilder &b = context.builder;
  FailureOr<Value> value = builder.build(condition, b.getI1Type());
  if (failed(value))
    return failure();
  auto branch = scf::IfOp::create(b, parser.getEncodedSourceLoc(loc), *value,
                                  /*withElseRegion=*/false);
  if (parseBlock(branch.thenBlock()))
    return failure();
  if (failed(parser.parseOptionalKeyword("else")))
    return success();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
  scf::YieldOp::create(b, branch.getLoc());
  return parseBlock(branch.elseBlock());
}

/// `for %l = 0 to %n { … }`, behind the word.
ParseResult StatementParser::parseLoop(SMLoc loc) {
  OpBuilder &b = context.builder;
  Operand name;
  Expression bounds[2];
  if (parser.parseOperand(name, /*allowResultNumber=*/false) ||
      parser.parseEqual() || expressions.parseExpression(bounds[0]) ||
      parser.parseKeyword("to") || expressions.parseExpression(bounds[1]))
    return failure();
  FailureOr<Value> lower = builder.build(bounds[0], b.getIndexType());
  FailureOr<Value> upper = builder.build(bounds[1], b.getIndexType());
  if (failed(lower) || failed(upper))
    return failure();
  Location at = parser.getEncodedSourceLoc(loc);
  Value step = arith::ConstantIndexOp::create(b, at, 1);
  auto loop = scf::ForOp::create(b, at, *lower, *upper, step);
  size_t outside = expressions.getNumDefined();
  if (define(name, loop.getInductionVar()) || parseBlock(loop.getBody()))
    return failure();
  expressions.forget(outside);
  return success();
}

ParseResult StatementParser::parseFlags() {
  if (failed(parser.parseOptionalKeyword("fastmath")))
    return success();
  builder.fastMath = dyn_cast_or_null<arith::FastMathFlagsAttr>(
      arith::FastMathFlagsAttr::parse(parser, Type()));
  return success(bool(builder.fastMath));
}

ParseResult StatementParser::parseStatement() {
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("if")))
    return parseBranch(loc);
  if (succeeded(parser.parseOptionalKeyword("for")))
    return parseLoop(loc);
  if (succeeded(parser.parseOptionalKeyword("tile.atomic")))
    return failure(failed(parseAtomic(loc, /*hasResult=*/false)));
  if (succeeded(parser.parseOptionalKeyword("tile.device_assert")))
    return parseAssert(loc);
  if (succeeded(parser.parseOptionalKeyword("tile.print")))
    return parsePrint(loc);
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return parseAssignment();
  return parser.emitError(loc)
         << "expected an assignment, if, for, tile.atomic, tile.device_assert "
            "or tile.print, got '"
         << word << "'; a body of other ops is a region, without 'do'";
}

ParseResult tile::parseStatements(OpAsmParser &parser, Region &body,
                                  ArrayRef<OpAsmParser::Argument> args) {
  Block &block = body.emplaceBlock();
  StatementParser statements(parser, block);
  for (const OpAsmParser::Argument &arg : args)
    if (statements.define(
            arg.ssaName,
            block.addArgument(
                arg.type, parser.getEncodedSourceLoc(arg.ssaName.location))))
      return failure();
  if (statements.parseFlags())
    return failure();
  if (failed(parser.parseOptionalLBrace()))
    return statements.parseStatement();
  return statements.parseRest();
}
