//===- ExpressionParser.cpp - expressions from text -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"
#include "Expression.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Reads with one token of lookahead. Each function takes what begins at the
/// current token.
class StatementParser {
public:
  StatementParser(OpAsmParser &parser, OpBuilder &builder)
      : parser(parser),
        emitError([this](SMLoc loc) { return this->parser.emitError(loc); }),
        getLocation([this](SMLoc loc) {
          return this->parser.getEncodedSourceLoc(loc);
        }),
        builder(builder, emitError, getLocation) {}

  void define(StringRef name, Value value) { locals[name] = value; }
  ParseResult parseStatement();

private:
  ParseResult parseExpression(Expression &out);
  ParseResult parseSum(Expression &out);
  ParseResult parseProduct(Expression &out);
  ParseResult parseUnary(Expression &out);
  ParseResult parsePrimary(Expression &out);
  ParseResult parseNumber(Expression &out);
  ParseResult parseName(Expression &out);
  ParseResult parseWord(StringRef word, Expression &out);
  ParseResult parseAccess(Expression &out);
  ParseResult parseOperands(Expression &out);
  ParseResult parseOperator(StringRef &symbol);
  FailureOr<Value> lookup(const OpAsmParser::UnresolvedOperand &name);

  /// Makes `left` the first operand of an operator.
  ParseResult parseRight(Expression &left, Expression::Kind kind, SMLoc loc,
                         ParseResult (StatementParser::*parse)(Expression &));

  OpAsmParser &parser;
  std::function<InFlightDiagnostic(SMLoc)> emitError;
  std::function<Location(SMLoc)> getLocation;
  ExpressionBuilder builder;
  llvm::StringMap<Value> locals;
};
} // namespace

FailureOr<Value>
StatementParser::lookup(const OpAsmParser::UnresolvedOperand &name) {
  if (auto it = locals.find(name.name); it != locals.end() && !name.number)
    return it->second;
  FailureOr<Type> type = lookupType(parser, name);
  SmallVector<Value> value;
  if (failed(type) || parser.resolveOperand(name, *type, value))
    return failure();
  return value.front();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ParseResult StatementParser::parseRight(
    Expression &left, Expression::Kind kind, SMLoc loc,
    ParseResult (StatementParser::*parse)(Expression &)) {
  Expression whole(kind, loc);
  whole.operands.push_back(std::move(left));
  if ((this->*parse)(whole.operands.emplace_back()))
    return failure();
  left = std::move(whole);
  return success();
}

/// The operator of a comparison; empty if there is none.
ParseResult StatementParser::parseOperator(StringRef &symbol) {
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

ParseResult StatementParser::parseExpression(Expression &out) {
  if (parseSum(out))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef symbol;
  if (parseOperator(symbol))
    return failure();
  if (symbol.empty())
    return success();
  if (parseRight(out, Expression::Compare, loc, &StatementParser::parseSum))
    return failure();
  out.name = symbol;
  return success();
}

ParseResult StatementParser::parseSum(Expression &out) {
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
    if (parseRight(out, kind, loc, &StatementParser::parseProduct))
      return failure();
  }
}

ParseResult StatementParser::parseProduct(Expression &out) {
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
      kind = word == "floordiv"  ? Expression::FloorDivide
             : word == "ceildiv" ? Expression::CeilDivide
                                 : Expression::Modulo;
    else
      return success();
    if (parseRight(out, kind, loc, &StatementParser::parseUnary))
      return failure();
  }
}

ParseResult StatementParser::parseUnary(Expression &out) {
  SMLoc loc = parser.getCurrentLocation();
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
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ParseResult StatementParser::parseNumber(Expression &out) {
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
    return success();
  }
  out.kind = Expression::Float;
  return parser.parseFloat(out.number);
}

/// `[index, …]`.
ParseResult StatementParser::parseAccess(Expression &out) {
  out.kind = Expression::Load;
  if (!isa<MemRefType>(out.value.getType()))
    return parser.emitError(out.loc)
           << "expected a buffer, got a value of " << out.value.getType();
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseCommaSeparatedList([&] {
    return parseExpression(out.operands.emplace_back());
  }) || parser.parseRSquare());
}

ParseResult StatementParser::parseName(Expression &out) {
  out.loc = parser.getCurrentLocation();
  OpAsmParser::UnresolvedOperand name;
  if (parser.parseOperand(name))
    return failure();
  FailureOr<Value> value = lookup(name);
  if (failed(value))
    return failure();
  out.kind = Expression::Name;
  out.value = *value;
  if (succeeded(parser.parseOptionalLSquare()))
    return parseAccess(out);
  if (isa<MemRefType>(out.value.getType()))
    return parser.emitError(out.loc)
           << "expected indices behind the buffer '" << name.name << "'";
  return success();
}

ParseResult StatementParser::parseOperands(Expression &out) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parseExpression(out.operands.emplace_back());
  });
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

ParseResult StatementParser::parseWord(StringRef word, Expression &out) {
  if (word == "inf" || word == "nan") {
    out.kind = Expression::Float;
    out.number = word == "inf" ? std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    return success();
  }
  unsigned expected = 1;
  out.type = getConvertedType(word, parser.getBuilder());
  out.kind = out.type ? Expression::Convert : Expression::Call;
  if (word == "select") {
    out.name = "select";
    expected = 3;
  } else if (!out.type) {
    const auto *found = llvm::find_if(
        getScalarFunctions(),
        [&](const ScalarFunction &function) { return function.name == word; });
    if (found == getScalarFunctions().end()) {
      InFlightDiagnostic diag = parser.emitError(out.loc)
                                << "unknown function '" << word
                                << "'; expected a type, select, ";
      llvm::interleaveComma(getScalarFunctions(), diag,
                            [&](const ScalarFunction &function) {
                              diag << function.name;
                            });
      return diag;
    }
    out.name = found->name;
    expected = found->numOperands;
  }
  if (parseOperands(out))
    return failure();
  if (out.operands.size() == expected)
    return success();
  return parser.emitError(out.loc)
         << "expected " << expected << " operand" << (expected == 1 ? "" : "s")
         << " of '" << word << "', got " << out.operands.size();
}

ParseResult StatementParser::parsePrimary(Expression &out) {
  out.loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parseExpression(out) || parser.parseRParen());
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parseWord(word, out);
  char first = *out.loc.getPointer();
  if (first == '%')
    return parseName(out);
  if (llvm::isDigit(first))
    return parseNumber(out);
  return parser.emitError(out.loc, "expected an expression");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

ParseResult StatementParser::parseStatement() {
  OpAsmParser::UnresolvedOperand name;
  Expression target, source;
  target.loc = parser.getCurrentLocation();
  if (parser.parseOperand(name, /*allowResultNumber=*/false))
    return failure();
  if (succeeded(parser.parseOptionalLSquare())) {
    FailureOr<Value> buffer = lookup(name);
    if (failed(buffer))
      return failure();
    target.value = *buffer;
    if (parseAccess(target) || parser.parseEqual() || parseExpression(source))
      return failure();
    return builder.buildStore(target, source);
  }
  if (parser.parseEqual() || parseExpression(source))
    return failure();
  if (locals.contains(name.name))
    return parser.emitError(target.loc)
           << "redefinition of value '" << name.name << "'";
  FailureOr<Value> value = builder.build(source);
  if (failed(value))
    return failure();
  define(name.name, *value);
  return success();
}

ParseResult tile::parseStatements(OpAsmParser &parser, Region &body,
                                  ArrayRef<OpAsmParser::Argument> args) {
  Block &block = body.emplaceBlock();
  // The block has no parent to get a context from.
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  StatementParser statements(parser, builder);
  for (const OpAsmParser::Argument &arg : args)
    statements.define(
        arg.ssaName.name,
        block.addArgument(arg.type, parser.getEncodedSourceLoc(
                                        arg.ssaName.location)));
  if (failed(parser.parseOptionalLBrace()))
    return statements.parseStatement();
  while (failed(parser.parseOptionalRBrace()))
    if (statements.parseStatement())
      return failure();
  return success();
}
