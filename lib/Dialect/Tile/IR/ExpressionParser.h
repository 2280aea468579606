//===- ExpressionParser.h - expressions from text ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads expressions wherever an op takes them: statements of a body, operands,
// offsets of regions. TileControlOps.td has the grammar.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_EXPRESSIONPARSER_H
#define TILE_LIB_DIALECT_TILE_IR_EXPRESSIONPARSER_H

#include "AssemblyFormat.h"
#include "Expression.h"

namespace mlir::tile {

/// Reads with one token of lookahead. Each function takes what begins at the
/// current token.
class ExpressionParser {
public:
  /// Elements of buffers are read in a body only: elsewhere the ops may go
  /// further up than the text stands. Offsets have symbols.
  enum class Place { Body, Operand, Offset };

  ExpressionParser(OpAsmParser &parser, Place place)
      : parser(parser), place(place) {}

  /// A name of the body; an error if there is one already.
  ParseResult define(const Operand &name, Value value);
  /// Names hold to the end of the braces around them.
  size_t getNumDefined() const { return defined.size(); }
  void forget(size_t count);

  /// Names of what is no operand of a function have this type, so that they
  /// need not be looked up.
  void setNameType(Type type) { nameType = type; }

  ParseResult parseExpression(Expression &out);
  /// Indices behind a buffer and `[`.
  ParseResult parseAccess(Expression &out);
  FailureOr<Value> lookup(const OpAsmParser::UnresolvedOperand &name);

  /// The names that were read, but for those of the body.
  ArrayRef<OpAsmParser::UnresolvedOperand> getNames() const { return names; }

private:
  ParseResult parseSum(Expression &out);
  ParseResult parseProduct(Expression &out);
  ParseResult parseUnary(Expression &out);
  ParseResult parsePrimary(Expression &out);
  ParseResult parseNumber(Expression &out);
  ParseResult parseName(Expression &out);
  ParseResult parseParameter(Expression &out);
  ParseResult parseDim(Expression &out);
  ParseResult parseSymbol(Expression &out);
  ParseResult parseIndexSum(Expression &out);
  ParseResult parseWord(StringRef word, Expression &out);
  FailureOr<unsigned> findFunction(StringRef word, Expression &out);
  ParseResult parseOperands(Expression &out);
  ParseResult parseOperator(StringRef &symbol);
  ParseResult checkHeight(SMLoc loc, unsigned height);
  ParseResult setHeight(Expression &expression);

  /// Makes `left` the first operand of an operator.
  ParseResult parseRight(Expression &left, Expression::Kind kind, SMLoc loc,
                         ParseResult (ExpressionParser::*parse)(Expression &));

  OpAsmParser &parser;
  Place place;
  Type nameType;
  unsigned depth = 0;
  llvm::StringMap<Value> locals;
  SmallVector<StringRef> defined; ///< the keys of `locals`
  SmallVector<Operand> names;
  /// Induction variables of loops that are not built yet.
  Block placeholders;
};

/// What an ExpressionBuilder needs of a parser.
struct ExpressionContext {
  explicit ExpressionContext(OpAsmParser &parser);
  ExpressionBuilder getBuilder() {
    return ExpressionBuilder(builder, emitError, getLocation);
  }

  OpBuilder builder;
  std::function<InFlightDiagnostic(SMLoc)> emitError;
  std::function<Location(SMLoc)> getLocation;
};

/// Reads the body of an op. An expression without a name in it, such as a
/// parameter, has its ops where the induction variables are; a parser tells
/// nobody what is visible.
class BodyScope {
public:
  explicit BodyScope(ArrayRef<OpAsmParser::Argument> args);
  ~BodyScope();
  BodyScope(const BodyScope &) = delete;
  BodyScope &operator=(const BodyScope &) = delete;

  /// An induction variable of the innermost op around.
  static std::optional<Operand> getInnermost();

private:
  size_t depth; ///< of the ops around
};

/// Parses the statements behind `do` and makes the body.
ParseResult parseStatements(OpAsmParser &parser, Region &body,
                            ArrayRef<OpAsmParser::Argument> args);

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_EXPRESSIONPARSER_H
