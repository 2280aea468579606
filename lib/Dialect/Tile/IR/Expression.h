//===- Expression.h - expressions of the short form -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a `tile.parallel` as statements, `%c[%i] = max(%a[%i], 0.0)`.
// The parser makes expressions of text, the printer of ops; what ops they stand
// for is said once, by ExpressionBuilder. TileControlOps.td has the grammar.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_EXPRESSION_H
#define TILE_LIB_DIALECT_TILE_IR_EXPRESSION_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::tile {

/// A node. Numbers have no type of their own: it follows from what is around.
struct Expression {
  enum Kind {
    Float,   ///< `number`
    Integer, ///< `integer`
    Name,    ///< `value`
    Load,    ///< `value` is the buffer, the operands are indices
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide, ///< of indices by constants, like the next two
    CeilDivide,
    Modulo,
    Compare, ///< `name` is the operator
    Call,    ///< `name` is the function
    Convert, ///< to `type`
  };

  explicit Expression(Kind kind = Name, SMLoc loc = {})
      : kind(kind), loc(loc) {}

  Kind kind;
  SMLoc loc;
  double number = 0;
  int64_t integer = 0;
  Value value;
  Type type;
  StringRef name;
  std::vector<Expression> operands;
};

/// `name = value`, or a store where there is a target.
struct Statement {
  std::optional<Expression> target; ///< a load: the element that is written
  Expression source;
  Value name; ///< for the printer: the value that the text names
};

/// A function of expressions. Operands and result have one type.
struct ScalarFunction {
  StringLiteral name;
  unsigned numOperands;
  StringLiteral floatOp, integerOp; ///< names of ops; empty where there is none
};
ArrayRef<ScalarFunction> getScalarFunctions();

/// Operators of comparisons, with the predicates of floats and of integers.
struct Comparison {
  StringLiteral symbol;
  arith::CmpFPredicate floats;
  arith::CmpIPredicate integers;
};
ArrayRef<Comparison> getComparisons();

/// The op and name of a binary operator of numbers that are no indices.
StringRef getArithmeticOp(Expression::Kind kind, bool isFloat);

/// The type of an expression by itself; null if it has numbers only.
Type inferType(const Expression &expression);

/// Makes the ops of expressions.
class ExpressionBuilder {
public:
  using EmitError = function_ref<InFlightDiagnostic(SMLoc)>;
  using GetLocation = function_ref<Location(SMLoc)>;

  ExpressionBuilder(OpBuilder &builder, EmitError emitError,
                    GetLocation getLocation)
      : builder(builder), emitError(emitError), getLocation(getLocation) {}

  /// Numbers get the type `expected`, which may be null; another type is an
  /// error where it is not.
  FailureOr<Value> build(const Expression &expression, Type expected = {});
  LogicalResult buildStore(const Expression &target, const Expression &source);

  /// Values that stand for others; the printer's.
  IRMapping mapping;

private:
  FailureOr<Value> buildNode(const Expression &expression, Type expected);
  FailureOr<Value> buildNumber(const Expression &number, Type type);
  FailureOr<Value> buildLoad(const Expression &load);
  LogicalResult buildIndices(const Expression &access,
                             SmallVectorImpl<Value> &indices);
  FailureOr<Value> buildBinary(const Expression &binary, Type expected);
  FailureOr<Value> buildIndex(const Expression &expression);
  AffineExpr buildAffine(const Expression &expression,
                         SmallVectorImpl<Value> &operands);
  AffineExpr buildAffineLeaf(const Expression &expression,
                             SmallVectorImpl<Value> &operands);
  FailureOr<Value> buildComparison(const Expression &comparison);
  FailureOr<Value> buildCall(const Expression &call, Type expected);
  FailureOr<Value> buildConversion(const Expression &conversion);
  FailureOr<SmallVector<Value>> buildOperands(ArrayRef<Expression> operands,
                                              Type expected);
  Value create(StringRef name, SMLoc loc, ValueRange operands, Type type);

  OpBuilder &builder;
  EmitError emitError;
  GetLocation getLocation;
};

/// Parses the statements behind `do` and makes the body.
ParseResult parseStatements(OpAsmParser &parser, Region &body,
                            ArrayRef<OpAsmParser::Argument> args);

/// Prints ` do` and statements; false, and nothing, if the statements would
/// not give that body back.
bool printStatements(OpAsmPrinter &printer, Region &body);

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_EXPRESSION_H
