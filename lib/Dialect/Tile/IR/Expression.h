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
    FloorDivide, ///< of indices, like the next two
    CeilDivide,
    Modulo,
    Compare,   ///< `name` is the operator
    Call,      ///< `name` is the function
    Convert,   ///< to `type`
    Dim,       ///< `value` is the buffer, `integer` the dimension
    Symbol,    ///< `value`, as a symbol of an affine map
    Parameter, ///< `name` is that of a `tile.param`
    Sum,       ///< `value` is the induction variable, the operands are the
               ///< bounds and the term
  };

  /// How deeply expressions nest: they are walked recursively.
  static constexpr unsigned kMaxHeight = 256;

  explicit Expression(Kind kind = Name, SMLoc loc = {})
      : kind(kind), loc(loc) {}

  Kind kind;
  SMLoc loc;
  double number = 0;
  int64_t integer = 0;
  Value value;
  Type type;
  StringRef name;
  bool isHexadecimal = false; ///< of an integer
  std::vector<Expression> operands;
  unsigned height = 1; ///< of the tree
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

/// Before the terminator, where the block has one.
void setInsertionPointToEndOf(OpBuilder &builder, Block *block);

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
  FailureOr<AtomicOp> buildAtomic(AtomicKindAttr kind, const Expression &source,
                                  const Expression &target, bool hasResult,
                                  ArrayRef<NamedAttribute> attributes);
  /// Offsets as the results of a map of `operands`, dimensions first.
  LogicalResult buildMap(ArrayRef<Expression> offsets, AffineMap &map,
                         SmallVectorImpl<Value> &operands);

  /// Values that stand for others; the printer's.
  IRMapping mapping;
  /// Whether an equal op of the block may take the place of one: of operands,
  /// whose ops go up.
  bool reuses = false;
  /// What ops get that take it; null: nothing.
  arith::FastMathFlagsAttr fastMath;

private:
  FailureOr<Value> buildNode(const Expression &expression, Type expected);
  FailureOr<Value> buildNumber(const Expression &number, Type type);
  FailureOr<Value> buildLoad(const Expression &load);
  LogicalResult checkRank(const Expression &access);
  LogicalResult buildIndices(const Expression &access,
                             SmallVectorImpl<Value> &indices);
  FailureOr<Value> buildBinary(const Expression &binary, Type expected);
  FailureOr<Value> buildDim(const Expression &dim);
  FailureOr<Value> buildParameter(const Expression &parameter);
  FailureOr<Value> buildSum(const Expression &sum, Type expected);

  /// Operands of an affine expression. Maps of offsets have symbols; an
  /// `affine.apply` has none, since few values may be one.
  struct AffineOperands {
    SmallVector<Value> dims, symbols;
    bool takesSymbols = false;
  };
  FailureOr<Value> buildIndex(const Expression &expression);
  AffineExpr buildAffine(const Expression &expression,
                         AffineOperands &operands);
  AffineExpr buildAffineLeaf(const Expression &expression,
                             AffineOperands &operands);
  FailureOr<Value> buildIndexOp(const Expression &expression);
  LogicalResult checkDivision(const Expression &expression);
  FailureOr<Value> buildDivision(const Expression &division);
  FailureOr<Value> buildDivisor(const Expression &divisor);
  LogicalResult checkDivisor(const Expression &divisor);
  FailureOr<Value> buildComparison(const Expression &comparison);
  FailureOr<Value> buildCall(const Expression &call, Type expected);
  FailureOr<Value> buildConversion(const Expression &conversion);
  FailureOr<SmallVector<Value>> buildOperands(ArrayRef<Expression> operands,
                                              Type expected);
  Value create(StringRef name, SMLoc loc, ValueRange operands, Type type);
  Value finish(Operation *op);

  OpBuilder &builder;
  EmitError emitError;
  GetLocation getLocation;
};

/// Prints ` do` and statements; false, and nothing, if the statements would
/// not give that body back.
bool printStatements(OpAsmPrinter &printer, Region &body);

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_EXPRESSION_H
