//===- ExpressionPrinter.cpp - ops as expressions -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "Tile/Dialect/Tile/IR/ShortForm.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ManagedStatic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Constructed on registration, so that other tools do not show it.
struct ShortFormCLOptions {
  llvm::cl::opt<bool> print{
      "print-short-form",
      llvm::cl::desc("print tile ops in the short form where it is exact")};
};
} // namespace

static llvm::ManagedStatic<ShortFormCLOptions> options;

void tile::registerShortFormCLOptions() { *options; }

bool tile::printsShortForm() {
  return options.isConstructed() && options->print;
}

//===----------------------------------------------------------------------===//
// From ops to statements
//===----------------------------------------------------------------------===//

namespace {
/// Makes statements of the ops of a block, in their order. An op with one use
/// becomes a part of the expression of its user if the ops of that expression
/// keep their order; otherwise it gets a name. It may make expressions that
/// stand for other ops than these: the caller compares.
class StatementReader {
public:
  /// False if an op has no expression.
  bool read(Block &block);

  std::vector<Statement> statements;

private:
  bool readOp(Operation *op);
  bool readStore(memref::StoreOp store);
  std::optional<Expression> getNode(Operation *op);
  bool readAffine(affine::AffineApplyOp apply, Expression &out);
  Expression fromAffine(AffineExpr affine, ArrayRef<Expression> operands);
  std::vector<Expression> take(ArrayRef<Value> values);
  void name(Value value, Expression source);
  void nameAll(size_t count);

  /// Expressions that wait for their user, in the order of their ops.
  std::vector<std::pair<Value, Expression>> pending;
};
} // namespace

void StatementReader::name(Value value, Expression source) {
  Statement &statement = statements.emplace_back();
  statement.name = value;
  statement.source = std::move(source);
}

/// Names the oldest `count` expressions that wait.
void StatementReader::nameAll(size_t count) {
  for (size_t i = 0; i < count; ++i)
    name(pending[i].first, std::move(pending[i].second));
  pending.erase(pending.begin(), pending.begin() + count);
}

/// The expressions of operands, given in the order in which they are computed.
std::vector<Expression> StatementReader::take(ArrayRef<Value> values) {
  auto isPending = [&](Value value) {
    return llvm::any_of(pending,
                        [&](auto &entry) { return entry.first == value; });
  };
  SmallVector<Value> waiting = llvm::to_vector(
      llvm::make_filter_range(values, isPending));
  size_t rest = pending.size() - std::min(pending.size(), waiting.size());
  bool inOrder = waiting.size() <= pending.size();
  for (size_t i = 0; inOrder && i < waiting.size(); ++i)
    inOrder = pending[rest + i].first == waiting[i];
  if (!inOrder) {
    nameAll(pending.size());
    rest = 0;
  }
  std::vector<Expression> taken;
  size_t next = rest;
  for (Value value : values) {
    if (next < pending.size() && pending[next].first == value) {
      taken.push_back(std::move(pending[next++].second));
      continue;
    }
    Expression &leaf = taken.emplace_back(Expression(Expression::Name));
    leaf.value = value;
  }
  pending.resize(rest);
  return taken;
}

static std::optional<Expression> getNumber(arith::ConstantOp constant) {
  Expression number(Expression::Integer);
  number.type = constant.getType();
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
    if (integer.getValue().getBitWidth() > 64)
      return std::nullopt;
    number.integer = integer.getType().isInteger(1)
                         ? int64_t(integer.getValue().getZExtValue())
                         : integer.getValue().getSExtValue();
    return number;
  }
  auto value = dyn_cast<FloatAttr>(constant.getValue());
  if (!value)
    return std::nullopt;
  number.kind = Expression::Float;
  number.number = value.getValueAsDouble();
  return number;
}

static bool isConversion(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op);
}

/// The node of an op, without its operands.
std::optional<Expression> StatementReader::getNode(Operation *op) {
  StringRef name = op->getName().getStringRef();
  Expression node(Expression::Call);
  for (auto kind : {Expression::Add, Expression::Subtract,
                    Expression::Multiply, Expression::Divide})
    if (name == getArithmeticOp(kind, true) ||
        name == getArithmeticOp(kind, false)) {
      node.kind = kind;
      return node;
    }
  for (const ScalarFunction &function : getScalarFunctions())
    if (name == function.floatOp || name == function.integerOp) {
      node.name = function.name;
      return node;
    }
  if (isa<arith::NegFOp>(op)) {
    node.kind = Expression::Negate;
    return node;
  }
  if (isa<arith::SelectOp>(op)) {
    node.name = "select";
    return node;
  }
  if (isConversion(op)) {
    node.kind = Expression::Convert;
    node.type = op->getResult(0).getType();
    return node;
  }
  node.kind = Expression::Compare;
  for (const Comparison &comparison : getComparisons()) {
    auto floats = dyn_cast<arith::CmpFOp>(op);
    auto integers = dyn_cast<arith::CmpIOp>(op);
    if ((floats && floats.getPredicate() == comparison.floats) ||
        (integers && integers.getPredicate() == comparison.integers)) {
      node.name = comparison.symbol;
      return node;
    }
  }
  return std::nullopt;
}

/// The x of x * -1; null for anything else.
static AffineExpr getNegated(AffineExpr affine) {
  auto product = dyn_cast<AffineBinaryOpExpr>(affine);
  if (product && product.getKind() == AffineExprKind::Mul &&
      product.getRHS() == getAffineConstantExpr(-1, affine.getContext()))
    return product.getLHS();
  return {};
}

Expression StatementReader::fromAffine(AffineExpr affine,
                                       ArrayRef<Expression> operands) {
  if (auto dim = dyn_cast<AffineDimExpr>(affine))
    return operands[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(affine)) {
    Expression number(Expression::Integer);
    number.integer = constant.getValue();
    return number;
  }
  auto binary = cast<AffineBinaryOpExpr>(affine);
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  Expression::Kind kind = Expression::Add;
  switch (affine.getKind()) {
  case AffineExprKind::Mul:
    kind = Expression::Multiply;
    break;
  case AffineExprKind::FloorDiv:
    kind = Expression::FloorDivide;
    break;
  case AffineExprKind::CeilDiv:
    kind = Expression::CeilDivide;
    break;
  case AffineExprKind::Mod:
    kind = Expression::Modulo;
    break;
  default:
    // x + y * -1, x * -1 + 7 and x + -7 are differences.
    if (AffineExpr negated = getNegated(right)) {
      kind = Expression::Subtract;
      right = negated;
    } else if (AffineExpr negated = getNegated(left);
               negated && isa<AffineConstantExpr>(right)) {
      kind = Expression::Subtract;
      left = right;
      right = negated;
    } else if (auto constant = dyn_cast<AffineConstantExpr>(right);
               constant && constant.getValue() < 0 &&
               constant.getValue() != INT64_MIN) {
      kind = Expression::Subtract;
      right = -constant;
    }
  }
  Expression node(kind);
  node.operands.push_back(fromAffine(left, operands));
  node.operands.push_back(fromAffine(right, operands));
  return node;
}

bool StatementReader::readAffine(affine::AffineApplyOp apply,
                                 Expression &out) {
  AffineMap map = apply.getAffineMap();
  if (map.getNumSymbols() != 0)
    return false;
  SmallVector<unsigned> uses(map.getNumDims(), 0);
  map.getResult(0).walk([&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      ++uses[dim.getPosition()];
  });
  if (llvm::is_contained(uses, 0u))
    return false;
  // What is written twice needs a name.
  if (llvm::any_of(uses, [](unsigned count) { return count > 1; }))
    nameAll(pending.size());
  out = fromAffine(map.getResult(0),
                   take(llvm::to_vector(apply->getOperands())));
  return true;
}

bool StatementReader::readStore(memref::StoreOp store) {
  SmallVector<Value> operands{store.getValueToStore()};
  llvm::append_range(operands, store.getIndices());
  std::vector<Expression> taken = take(operands);
  nameAll(pending.size());
  Statement &statement = statements.emplace_back();
  statement.source = std::move(taken.front());
  Expression &target =
      statement.target.emplace(Expression(Expression::Load));
  target.value = store.getMemref();
  target.operands.assign(std::make_move_iterator(taken.begin() + 1),
                         std::make_move_iterator(taken.end()));
  return true;
}

bool StatementReader::readOp(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return readStore(store);
  Expression expression;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<Expression> number = getNumber(constant);
    if (!number)
      return false;
    expression = std::move(*number);
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    if (!readAffine(apply, expression))
      return false;
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    expression = Expression(Expression::Load);
    expression.value = load.getMemref();
    expression.operands = take(llvm::to_vector(load.getIndices()));
  } else {
    std::optional<Expression> node = getNode(op);
    if (!node)
      return false;
    expression = std::move(*node);
    expression.operands = take(llvm::to_vector(op->getOperands()));
  }
  Value result = op->getResult(0);
  if (result.hasOneUse()) {
    pending.push_back({result, std::move(expression)});
    return true;
  }
  nameAll(pending.size());
  name(result, std::move(expression));
  return true;
}

/// Numbers whose type does not follow from what is around get it written.
static void writeTypes(Expression &expression, bool isKnown) {
  auto isTyped = [&](ArrayRef<Expression> operands) {
    return llvm::any_of(operands, [](const Expression &operand) {
      return bool(inferType(operand));
    });
  };
  std::vector<Expression> &operands = expression.operands;
  switch (expression.kind) {
  case Expression::Float:
  case Expression::Integer:
    if (!isKnown) {
      Expression typed(Expression::Convert);
      typed.type = expression.type;
      typed.operands.push_back(std::move(expression));
      expression = std::move(typed);
    }
    return;
  case Expression::Load:
    isKnown = true;
    break;
  case Expression::Convert:
    isKnown = false;
    break;
  case Expression::Compare:
    isKnown = isTyped(operands);
    break;
  case Expression::Call:
    if (expression.name == "select") {
      writeTypes(operands[0], /*isKnown=*/true);
      isKnown |= isTyped(ArrayRef(operands).drop_front());
      writeTypes(operands[1], isKnown);
      writeTypes(operands[2], isKnown);
      return;
    }
    isKnown |= isTyped(operands);
    break;
  default:
    isKnown |= isTyped(operands);
  }
  for (Expression &operand : operands)
    writeTypes(operand, isKnown);
}

bool StatementReader::read(Block &block) {
  for (Operation &op : block)
    if (op.getNumRegions() != 0 || !readOp(&op))
      return false;
  nameAll(pending.size());
  for (Statement &statement : statements) {
    writeTypes(statement.source, statement.target.has_value());
    if (statement.target)
      writeTypes(*statement.target, /*isKnown=*/true);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

/// The flags of the first op that has any; null if none has.
static arith::FastMathFlagsAttr getFlags(Block &block) {
  for (Operation &op : block)
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
      if (auto flags = math.getFastMathFlagsAttr();
          flags && flags.getValue() != arith::FastMathFlags::none)
        return flags;
  return {};
}

/// Whether the parser would make this body of the statements.
static bool areExact(ArrayRef<Statement> statements, Region &body) {
  Block &block = body.front();
  Region made;
  Block &copy = made.emplaceBlock();
  OpBuilder builder(block.front().getContext());
  builder.setInsertionPointToEnd(&copy);
  Location loc = builder.getUnknownLoc();
  auto emitError = [](SMLoc) { return InFlightDiagnostic(); };
  auto getLocation = [&](SMLoc) { return loc; };
  ExpressionBuilder expressions(builder, emitError, getLocation);
  expressions.fastMath = getFlags(block);
  for (BlockArgument arg : block.getArguments())
    expressions.mapping.map(arg, copy.addArgument(arg.getType(), loc));
  for (const Statement &statement : statements) {
    if (statement.target) {
      if (failed(expressions.buildStore(*statement.target, statement.source)))
        return false;
      continue;
    }
    FailureOr<Value> value = expressions.build(statement.source);
    if (failed(value))
      return false;
    expressions.mapping.map(statement.name, *value);
  }
  return OperationEquivalence::isRegionEquivalentTo(
      &body, &made, OperationEquivalence::IgnoreLocations);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// How tightly an expression binds; an operand that binds less is in
/// parentheses.
enum Level { Comparing, Adding, Multiplying, Negating, Atomic };
} // namespace

static Level getLevel(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Compare:
    return Comparing;
  case Expression::Add:
  case Expression::Subtract:
    return Adding;
  case Expression::Multiply:
  case Expression::Divide:
  case Expression::FloorDivide:
  case Expression::CeilDivide:
  case Expression::Modulo:
    return Multiplying;
  case Expression::Negate:
    return Negating;
  case Expression::Float:
    return std::signbit(expression.number) ? Negating : Atomic;
  case Expression::Integer:
    return expression.integer < 0 ? Negating : Atomic;
  default:
    return Atomic;
  }
}

/// The shortest decimal that is read as this number of its type.
static void printFloat(raw_ostream &os, const Expression &expression) {
  double value = expression.number;
  if (!std::isfinite(value)) {
    os << (std::signbit(value) ? "-" : "") << (std::isnan(value) ? "nan" : "inf");
    return;
  }
  auto round = [&](double number) {
    APFloat rounded(number);
    bool losesInfo;
    if (auto type = dyn_cast_or_null<FloatType>(expression.type))
      (void)rounded.convert(type.getFloatSemantics(),
                            APFloat::rmNearestTiesToEven, &losesInfo);
    return rounded;
  };
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    if (round(std::strtod(text.c_str(), nullptr)).bitwiseIsEqual(round(value)))
      break;
  }
  // MLIR's floats have a point.
  size_t exponent = std::min(text.find('e'), text.size());
  if (text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  os << text;
}

static StringRef getSymbol(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Add:
    return "+";
  case Expression::Subtract:
    return "-";
  case Expression::Multiply:
    return "*";
  case Expression::Divide:
    return "/";
  case Expression::FloorDivide:
    return "floordiv";
  case Expression::CeilDivide:
    return "ceildiv";
  case Expression::Modulo:
    return "mod";
  default:
    return expression.name;
  }
}

static void print(OpAsmPrinter &printer, const Expression &expression,
                  Level least) {
  Level level = getLevel(expression);
  if (level < least) {
    printer << "(";
    print(printer, expression, Comparing);
    printer << ")";
    return;
  }
  ArrayRef<Expression> operands = expression.operands;
  auto printList = [&](StringRef open, StringRef close) {
    printer << open;
    llvm::interleaveComma(operands, printer, [&](const Expression &operand) {
      print(printer, operand, Comparing);
    });
    printer << close;
  };
  switch (expression.kind) {
  case Expression::Float:
    return printFloat(printer.getStream(), expression);
  case Expression::Integer:
    printer << expression.integer;
    return;
  case Expression::Name:
    printer << expression.value;
    return;
  case Expression::Load:
    printer << expression.value;
    return printList("[", "]");
  case Expression::Negate:
    printer << "-";
    return print(printer, operands[0], Negating);
  case Expression::Call:
    printer << expression.name;
    return printList("(", ")");
  case Expression::Convert:
    printer << expression.type;
    return printList("(", ")");
  default:
    break;
  }
  // Operators group to the left; comparisons do not group.
  print(printer, operands[0], level == Comparing ? Adding : level);
  printer << ' ' << getSymbol(expression) << ' ';
  print(printer, operands[1], Level(level + 1));
}

static void print(OpAsmPrinter &printer, const Statement &statement) {
  if (statement.target)
    print(printer, *statement.target, Comparing);
  else
    printer << statement.name;
  printer << " = ";
  print(printer, statement.source, Comparing);
}

bool tile::printStatements(OpAsmPrinter &printer, Region &body) {
  if (!body.hasOneBlock() || body.front().empty())
    return false;
  StatementReader reader;
  if (!reader.read(body.front()) || !areExact(reader.statements, body))
    return false;
  printer << " do ";
  if (arith::FastMathFlagsAttr flags = getFlags(body.front())) {
    printer << "fastmath";
    printer.printStrippedAttrOrType(flags);
    printer << ' ';
  }
  if (reader.statements.size() == 1) {
    print(printer, reader.statements.front());
    return true;
  }
  printer << "{";
  printer.increaseIndent();
  for (const Statement &statement : reader.statements) {
    printer.printNewline();
    print(printer, statement);
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << "}";
  return true;
}
