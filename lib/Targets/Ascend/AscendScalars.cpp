//===- AscendScalars.cpp - scalar code as C text --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// A name or number, a call, or what is in parentheses.
static bool isAtom(StringRef text) {
  text = text.drop_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (text.empty())
    return true;
  unsigned open = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    open += c == '(';
    open -= c == ')' && open > 0;
    if (open == 0)
      return c == ')' && i + 1 == text.size();
  }
  return false;
}

/// In parentheses where it is a sum.
static std::string asFactor(StringRef text) {
  return isAtom(text) ? text.str() : "(" + text.str() + ")";
}

/// Where nothing else stands.
static std::string asWhole(StringRef text) {
  if (text.starts_with("(") && isAtom(text))
    return text.drop_front().drop_back().str();
  return text.str();
}

std::string AscendWriter::makeName(StringRef hint) {
  std::string name = hint.str();
  // The tenth name in L1 is not 'l110'.
  if (llvm::isDigit(name.back()))
    name += '_';
  std::string numbered;
  do
    numbered = name + std::to_string(nextName++);
  while (parameterNames.contains(numbered));
  return numbered;
}

AffineExpr AscendWriter::addVariable(StringRef name) {
  variables.push_back(name.str());
  return getAffineSymbolExpr(variables.size() - 1, context);
}

void AscendWriter::setName(Value value, StringRef name) {
  exprs[value] = addVariable(name);
}

/// What a value is called in the source, as a part of names of C++; empty if
/// nothing is known.
std::string mlir::tile::ascend::getSourceName(Value value) {
  auto loc = dyn_cast<NameLoc>(value.getLoc());
  std::string name = loc ? loc.getName().str() : "";
  for (char &c : name)
    c = llvm::isAlnum(c) ? c : '_';
  // "L1" is a memory.
  if (!name.empty())
    name[0] = llvm::toLower(name[0]);
  return name.empty() || llvm::isDigit(name[0]) ? "" : name;
}

std::string AscendWriter::makeName(Value value, StringRef type,
                                   StringRef hint) {
  std::string source = getSourceName(value);
  std::string name = makeName(source.empty() ? hint : StringRef(source));
  output.addVariable(type, name);
  setName(value, name);
  return name;
}

/// A negative number, or a negative multiple.
static bool isNegative(AffineExpr expr) {
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (product && product.getKind() == AffineExprKind::Mul)
    return isNegative(product.getRHS());
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant && constant.getValue() < 0;
}

/// C++ rounds towards zero; divisors are positive.
std::string AscendWriter::formatExpr(AffineExpr expr, bool isNonNegative) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return variables[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string a = formatExpr(binary.getLHS(), isNonNegative);
  // A difference is a sum with a negative multiple.
  if (expr.getKind() == AffineExprKind::Add) {
    std::string c = formatExpr(binary.getRHS(), isNonNegative);
    auto subtract = [&](const std::string &from, AffineExpr expr) {
      std::string text = formatExpr(-expr, isNonNegative);
      bool isSum = (-expr).getKind() == AffineExprKind::Add;
      return from + " - " + (isSum ? asFactor(text) : text);
    };
    if (isNegative(binary.getRHS()))
      return subtract(a, binary.getRHS());
    if (isNegative(binary.getLHS()))
      return subtract(c, binary.getLHS());
    return a + " + " + c;
  }
  std::string x = asFactor(a),
              y = asFactor(formatExpr(binary.getRHS(), isNonNegative));
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return y == "-1" ? "-" + x : x + " * " + y;
  case AffineExprKind::Mod:
    return isNonNegative ? x + " % " + y
                         : "((" + x + " % " + y + " + " + y + ") % " + y + ")";
  case AffineExprKind::CeilDiv:
    if (isNonNegative)
      return formatExpr(binary.getLHS() + binary.getRHS() - 1, true)
          .insert(0, "(") + ") / " + y;
    return "(" + x + " / " + y + " + (" + x + " % " + y + " > 0))";
  default:
    if (isNonNegative)
      return x + " / " + y;
    return "(" + x + " / " + y + " - (" + x + " % " + y + " < 0))";
  }
}

std::string AscendWriter::getType(Type type) {
  FailureOr<std::string> name = getTypeName(current, type);
  hasFailed |= failed(name);
  return succeeded(name) ? *name : "";
}

FailureOr<std::string> AscendWriter::getTypeName(Operation *op, Type type) {
  if (type.isIndex() || type.isInteger(64))
    return std::string("int64_t");
  if (type.isF32())
    return std::string("float");
  if (type.isF16())
    return std::string("half");
  if (type.isBF16())
    return std::string("bfloat16_t");
  if (isa<Float8E4M3FNType>(type))
    return std::string("fp8_e4m3fn_t");
  if (isa<Float8E5M2Type>(type))
    return std::string("fp8_e5m2_t");
  if (type.isInteger(1))
    return std::string("bool");
  if (type.isInteger(8) || type.isInteger(16) || type.isInteger(32))
    return "int" + std::to_string(type.getIntOrFloatBitWidth()) + "_t";
  if (op)
    op->emitError() << "Ascend C has no type for " << type;
  return failure();
}

/// A literal that reads back as the same value.
static std::string formatConstant(TypedAttr attr) {
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    if (number.getType().isInteger(1))
      return number.getValue().isZero() ? "false" : "true";
    return std::to_string(number.getInt());
  }
  APFloat value = cast<FloatAttr>(attr).getValue();
  if (value.isInfinity())
    return value.isNegative() ? "(-1.0f / 0.0f)" : "(1.0f / 0.0f)";
  if (value.isNaN())
    return "(0.0f / 0.0f)";
  bool exact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
  char buffer[40];
  snprintf(buffer, sizeof(buffer), "%.9g", value.convertToDouble());
  std::string text = buffer;
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

AffineExpr AscendWriter::getExpr(OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return number(*constant);
  return exprs.lookup(cast<Value>(value));
}

std::string AscendWriter::getText(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return formatConstant(constant.getValue());
  return formatExpr(exprs.lookup(value), /*isNonNegative=*/false);
}

/// An operand of an instruction, in the element type.
std::string AscendWriter::getScalar(Value value, Type element) {
  FloatAttr number;
  if (tl::ascend::getMovedAs(element) != element &&
      matchPattern(value, m_Constant(&number)))
    return "int8_t(" +
           std::to_string(number.getValue().bitcastToAPInt().getSExtValue()) +
           ")";
  std::string text = getText(value);
  if (element.isF16())
    return "half(" + text + ")";
  if (element.isBF16())
    return "bfloat16_t(" + text + ")";
  // Templates of the vendor deduce the element type from the scalar too.
  if (element.isInteger(8))
    return "int8_t(" + text + ")";
  if (element.isInteger(16))
    return "int16_t(" + text + ")";
  if (element.isInteger(32))
    return "int32_t(" + text + ")";
  return text;
}

static bool isNonNegative(Value value) {
  if (auto number = getConstantIntValue(value))
    return *number >= 0;
  auto larger = value.getDefiningOp<arith::MaxSIOp>();
  return larger &&
         (isNonNegative(larger.getLhs()) || isNonNegative(larger.getRhs()));
}

/// A division of unsigned numbers that is the one of signed ones, too.
static bool isSignedToo(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp>(op) &&
         llvm::all_of(op->getOperands(), isNonNegative);
}

/// Unsigned in C++ until a variable holds it.
static bool hasUnsignedText(Operation *op) {
  return !isSignedToo(op) && isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::ShLIOp, arith::ShRUIOp>(op);
}

namespace {
/// "0 <= index < extent" as one condition.
struct Inside {
  Value index, extent;
};
} // namespace

static std::optional<Inside> getInside(Operation *op) {
  auto both = dyn_cast<arith::AndIOp>(op);
  if (!both)
    return std::nullopt;
  auto low = both.getLhs().getDefiningOp<arith::CmpIOp>(),
       high = both.getRhs().getDefiningOp<arith::CmpIOp>();
  bool isInside = low && high && low->hasOneUse() && high->hasOneUse() &&
                  low.getPredicate() == arith::CmpIPredicate::sge &&
                  high.getPredicate() == arith::CmpIPredicate::slt &&
                  low.getLhs() == high.getLhs() &&
                  getConstantIntValue(low.getRhs()) == 0;
  if (!isInside)
    return std::nullopt;
  return Inside{low.getLhs(), high.getRhs()};
}

/// Whether a value is used by the comparisons of one such condition alone.
static bool isInsideAlone(Value value) {
  if (!value.hasNUses(2))
    return false;
  Operation *user = *value.user_begin();
  if (user->getBlock() != value.getParentBlock() || !user->hasOneUse())
    return false;
  std::optional<Inside> inside = getInside(*user->user_begin());
  return inside && inside->index == value;
}

/// A cast whose result is converted again: its text has the type.
static bool isCastOfCast(Operation *op, Operation *user) {
  return isa<arith::IndexCastOp, arith::TruncIOp, arith::ExtSIOp>(op) &&
         !op->getOperand(0).getType().isInteger(1) &&
         isa<arith::SIToFPOp, arith::ExtSIOp>(user);
}

/// A scalar that one op alone uses, next to it, stands there; of the types that
/// C++ computes in, where its text has the sign and the width of the variable.
static bool isInlined(Value value) {
  Operation *op = value.getDefiningOp();
  Type type = value.getType();
  if (!isPure(op) || hasUnsignedText(op))
    return false;
  bool isComputed = type.isIndex() || type.isInteger(64) || type.isInteger(1);
  if (isComputed && isInsideAlone(value))
    return true;
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  if (isCastOfCast(op, user) && user->getBlock() == op->getBlock())
    return true;
  if (!isComputed)
    return false;
  auto apply = dyn_cast<affine::AffineApplyOp>(user);
  auto isDivided = [](AffineExpr expr) {
    bool isSum = expr.getKind() == AffineExprKind::Add ||
                 expr.getKind() == AffineExprKind::Mul ||
                 !isa<AffineBinaryOpExpr>(expr);
    return isSum ? WalkResult::advance() : WalkResult::interrupt();
  };
  bool isLinear =
      apply &&
      !apply.getAffineMap().getResult(0).walk(isDivided).wasInterrupted();
  return user->getBlock() == op->getBlock() &&
         (isLinear || isSignedToo(user) ||
          isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
              arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::MaxSIOp,
              arith::MinSIOp, scf::IfOp>(user));
}

LogicalResult AscendWriter::define(Value result, const Twine &text) {
  FailureOr<std::string> type =
      getTypeName(result.getDefiningOp(), result.getType());
  if (failed(type))
    return failure();
  std::string right = asWhole(text.str());
  if (isInlined(result)) {
    setName(result, asFactor(right));
    return success();
  }
  Statement &constant = add(Statement::Constant, right);
  constant.type = *type;
  constant.isPure = isPure(result.getDefiningOp());
  constant.names = {makeName(result, *type, "v")};
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static StringRef getInfix(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return "+"; })
      .Case<arith::SubIOp, arith::SubFOp>([](auto) { return "-"; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return "*"; })
      .Case<arith::DivSIOp, arith::DivFOp>([](auto) { return "/"; })
      .Case<arith::RemSIOp>([](auto) { return "%"; })
      .Case<arith::AndIOp>([](auto) { return "&"; })
      .Case<arith::OrIOp>([](auto) { return "|"; })
      .Case<arith::XOrIOp>([](auto) { return "^"; })
      .Default([](Operation *) { return ""; });
}

static StringRef getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return "==";
  case arith::CmpIPredicate::ne:
    return "!=";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return "<";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return "<=";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return ">";
  default:
    return ">=";
  }
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate >= arith::CmpIPredicate::ult;
}

static std::string compareIntegers(arith::CmpIPredicate predicate,
                                   StringRef a, StringRef c) {
  auto side = [&](StringRef text) {
    return isUnsigned(predicate) ? "(uint64_t)(" + text.str() + ")"
                                 : asFactor(text);
  };
  return side(a) + " " + getComparison(predicate).str() + " " + side(c);
}

/// An operand as an unsigned number of its width.
std::string AscendWriter::asUnsigned(Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  std::string text = getText(value);
  Type type = value.getType();
  if (type.isInteger(1))
    return "(" + text + ")";
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return "(uint" + std::to_string(width) + "_t)(" + text + ")";
}

/// The minimum of which an op is the maximum with 0, and nothing else: how much
/// of a tile is inside of its buffer.
static arith::MinSIOp getClipped(Operation *op) {
  auto larger = dyn_cast<arith::MaxSIOp>(op);
  if (!larger || getConstantIntValue(larger.getRhs()) != 0 ||
      !(larger.getType().isIndex() || larger.getType().isInteger(64)))
    return {};
  auto smaller = larger.getLhs().getDefiningOp<arith::MinSIOp>();
  return smaller && smaller->hasOneUse() &&
                 smaller->getBlock() == op->getBlock()
             ? smaller
             : arith::MinSIOp();
}

/// Divisions that C++ does not round as the op does, and unsigned numbers.
/// Empty for other ops.
std::string AscendWriter::getIntegerText(Operation *op) {
  if (op->getNumOperands() != 2)
    return "";
  std::string a = asFactor(getText(op->getOperand(0))),
              c = asFactor(getText(op->getOperand(1)));
  std::string quotient = a + " / " + c, rest = a + " % " + c + " != 0";
  std::string differ = "(" + a + " < 0) != (" + c + " < 0)";
  if (isa<arith::FloorDivSIOp>(op))
    return quotient + " - (" + rest + " && " + differ + ")";
  if (isa<arith::CeilDivSIOp>(op))
    return quotient + " + (" + rest + " && !(" + differ + "))";
  if (isSignedToo(op))
    return a + (isa<arith::DivUIOp>(op) ? " / " : " % ") + c;
  std::string x = asUnsigned(op, 0), y = asUnsigned(op, 1);
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<arith::DivUIOp>([&](auto) { return x + " / " + y; })
      .Case<arith::RemUIOp>([&](auto) { return x + " % " + y; })
      .Case<arith::CeilDivUIOp>([&](auto) {
        return x + " / " + y + " + (" + x + " % " + y + " != 0)";
      })
      .Case<arith::MaxUIOp>(
          [&](auto) { return x + " > " + y + " ? " + x + " : " + y; })
      .Case<arith::MinUIOp>(
          [&](auto) { return x + " < " + y + " ? " + x + " : " + y; })
      .Default([](Operation *) { return ""; });
}

/// A comparison of floats; of a NaN, those of C++ are false but for `!=`.
static std::string compareFloats(arith::CmpFPredicate predicate,
                                 const std::string &x, const std::string &y) {
  using P = arith::CmpFPredicate;
  auto compare = [&](StringRef with) { return x + " " + with.str() + " " + y; };
  auto isNot = [&](StringRef with) { return "!(" + compare(with) + ")"; };
  switch (predicate) {
  case P::OEQ:
    return compare("==");
  case P::OGT:
    return compare(">");
  case P::OGE:
    return compare(">=");
  case P::OLT:
    return compare("<");
  case P::OLE:
    return compare("<=");
  case P::UNE:
    return compare("!=");
  case P::UGT:
    return isNot("<=");
  case P::UGE:
    return isNot("<");
  case P::ULT:
    return isNot(">=");
  case P::ULE:
    return isNot(">");
  case P::ONE:
    return compare("<") + " || " + compare(">");
  case P::UEQ:
    return isNot("<") + " && " + isNot(">");
  case P::ORD:
    return x + " == " + x + " && " + y + " == " + y;
  case P::UNO:
    return x + " != " + x + " || " + y + " != " + y;
  case P::AlwaysFalse:
    return "false";
  case P::AlwaysTrue:
    return "true";
  }
  llvm_unreachable("all predicates are listed");
}

/// Numbers of one bit, of which C++ makes 0 and 1 where signed ops mean 0 and
/// -1, and whose sums it does not wrap. Empty for other ops, and where C++ does
/// the same.
std::string AscendWriter::getBitText(Operation *op) {
  auto isBit = [](Type type) { return type.isInteger(1); };
  Value result = op->getResult(0);
  std::string x = asFactor(getText(op->getOperand(0)));
  if (isBit(result.getType()) && isa<arith::TruncIOp>(op))
    return "(" + x + " & 1) != 0";
  if (!isBit(op->getOperand(0).getType()))
    return "";
  if (isa<arith::ExtSIOp, arith::SIToFPOp, arith::IndexCastOp>(op))
    return x + " ? -1 : 0";
  if (op->getNumOperands() != 2)
    return "";
  std::string y = asFactor(getText(op->getOperand(1)));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return isUnsigned(compare.getPredicate())
               ? ""
               : y + " " + getComparison(compare.getPredicate()).str() + " " + x;
  if (std::optional<Inside> range = getInside(op))
    return useHelper("inside") + "(" + asWhole(getText(range->index)) + ", " +
           asWhole(getText(range->extent)) + ")";
  // Variables first, so that guards of the two dimensions of a tile are alike.
  if (isa<arith::AndIOp, arith::OrIOp>(op) && x.front() == '(' &&
      y.front() != '(')
    return y + " " + getInfix(op).str() + " " + x;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return x + " != " + y; })
      .Case<arith::MaxSIOp, arith::MulIOp>([&](auto) { return x + " & " + y; })
      .Case<arith::MinSIOp>([&](auto) { return x + " | " + y; })
      .Default([](Operation *) { return ""; });
}

/// The larger or smaller of two.
std::string AscendWriter::getChoice(StringRef compare, StringRef a,
                                    StringRef c) {
  return useHelper(compare == "<" ? "smaller" : "larger") + "(" + asWhole(a) +
         ", " + asWhole(c) + ")";
}

LogicalResult AscendWriter::writeArith(Operation *op) {
  auto arg = [&](unsigned i) { return getText(op->getOperand(i)); };
  Value result = op->getResult(0);
  if (std::string text = getBitText(op); !text.empty())
    return define(result, text);
  StringRef infix = getInfix(op);
  if (!infix.empty())
    return define(result, asFactor(arg(0)) + " " + infix.str() + " " +
                              asFactor(arg(1)));
  if (isa<IntegerType, IndexType>(result.getType()) && !isa<arith::CmpFOp>(op))
    if (std::string text = getIntegerText(op); !text.empty())
      return define(result, text);
  auto choose = [&](StringRef compare) {
    if (result.getType().isIndex() || result.getType().isInteger(64))
      return define(result, getChoice(compare, arg(0), arg(1)));
    return define(result, asFactor(arg(0)) + " " + compare.str() + " " +
                              asFactor(arg(1)) + " ? " + arg(0) + " : " +
                              arg(1));
  };
  // The first operand too where `nan`, an operand, is a NaN.
  auto chooseFloat = [&](StringRef compare, unsigned nan) {
    std::string a = asFactor(arg(0)), c = asFactor(arg(1)),
                x = asFactor(arg(nan));
    return define(result, a + " " + compare.str() + " " + c + " || " + x +
                              " != " + x + " ? " + a + " : " + c);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<math::FmaOp, arith::RemFOp>([&](auto) { return writeExact(op); })
      .Case<arith::MaxSIOp>([&](auto) { return choose(">"); })
      .Case<arith::MinSIOp>([&](auto) { return choose("<"); })
      .Case<arith::MaximumFOp>([&](auto) { return chooseFloat(">", 0); })
      .Case<arith::MinimumFOp>([&](auto) { return chooseFloat("<", 0); })
      .Case<arith::MaxNumFOp>([&](auto) { return chooseFloat(">", 1); })
      .Case<arith::MinNumFOp>([&](auto) { return chooseFloat("<", 1); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        return define(result, compareIntegers(compare.getPredicate(), arg(0),
                                              arg(1)));
      })
      .Case<arith::CmpFOp>([&](arith::CmpFOp compare) {
        return define(result, compareFloats(compare.getPredicate(),
                                            asFactor(arg(0)), asFactor(arg(1))));
      })
      .Case<arith::SelectOp>([&](auto) {
        return define(result, asFactor(arg(0)) + " ? " + arg(1) + " : " +
                                  arg(2));
      })
      .Case<arith::NegFOp>(
          [&](auto) { return define(result, "-" + asFactor(arg(0))); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp>(
          [&](auto) -> LogicalResult {
            FailureOr<std::string> type = getTypeName(op, result.getType());
            if (failed(type))
              return failure();
            return define(result, "(" + *type + ")(" + arg(0) + ")");
          })
      .Case<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(
          [&](auto) -> LogicalResult {
            FailureOr<std::string> type = getTypeName(op, result.getType());
            if (failed(type))
              return failure();
            return define(result, "(" + *type + ")" + asUnsigned(op, 0));
          })
      .Case<arith::ShLIOp, arith::ShRUIOp>([&](auto) {
        return define(result,
                      asUnsigned(op, 0) +
                          (isa<arith::ShLIOp>(op) ? " << " : " >> ") +
                          asFactor(arg(1)));
      })
      .Case<arith::ShRSIOp>([&](auto) {
        return define(result, asFactor(arg(0)) + " >> " + asFactor(arg(1)));
      })
      .Default([&](Operation *) {
        return op->emitError()
               << "'" << op->getName()
               << "' is not supported in Ascend C, whose scalar unit has only "
                  "arithmetic; compute it in 'tile.parallel'";
      });
}

LogicalResult AscendWriter::writeAffine(Operation *op) {
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getExpr(OpFoldResult(operand)));
  AffineMap map;
  StringRef compare;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    map = apply.getAffineMap();
  } else if (auto least = dyn_cast<affine::AffineMinOp>(op)) {
    map = least.getMap();
    compare = "<";
  } else {
    map = cast<affine::AffineMaxOp>(op).getMap();
    compare = ">";
  }
  std::string text;
  ArrayRef<AffineExpr> all(operands);
  for (AffineExpr expr : map.getResults()) {
    std::string next = formatExpr(
        expr.replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                   all.drop_front(map.getNumDims())),
        /*isNonNegative=*/false);
    if (text.empty())
      text = next;
    else
      text = getChoice(compare, text, next);
  }
  return define(op->getResult(0), text);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// The variable that ends a loop, by the name of the one that it counts with.
static std::string getDone(StringRef variable) {
  return ("done_" + variable).str();
}

LogicalResult AscendWriter::writeLoop(scf::ForOp op) {
  if (op.getNumResults() != 0)
    return op.emitError(
        "a loop that carries values is not supported in Ascend C; keep them "
        "in a tile of one element");
  std::string iv = makeName(op.getInductionVar(), "int64_t", "i");
  std::string end = llvm::formatv("{0} < {1}", iv, getText(op.getUpperBound()));
  if (!op.getBody()->getOps<LeaveLoopOp>().empty()) {
    std::string done = getDone(iv);
    output.addVariable("bool", done);
    Statement &declared = add(Statement::Declared);
    declared.type = "bool";
    declared.names = {done};
    add(Statement::Assigned, "false").names = {done};
    end = "!" + done;
  }
  Statement &loop = add(Statement::Loop);
  loop.names = {iv};
  loop.text = llvm::formatv("int64_t {0} = {1}; {2}; {0} += {3}", iv,
                            getText(op.getLowerBound()), end,
                            getText(op.getStep()));
  return writeList(*op.getBody(), loop.body);
}

LogicalResult AscendWriter::writeBranch(scf::IfOp op) {
  for (Value result : op.getResults()) {
    FailureOr<std::string> type = getTypeName(op, result.getType());
    if (failed(type))
      return failure();
    std::string name = makeName(result, *type, "v");
    Statement &declared = add(Statement::Declared);
    declared.type = *type;
    declared.names = {name};
  }
  Statement &branch =
      add(Statement::Branch, asWhole(getText(op.getCondition())));
  for (auto [block, list] : {std::pair(op.thenBlock(), &branch.body),
                             {op.elseBlock(), &branch.other}}) {
    if (!block)
      continue;
    if (failed(writeList(*block, *list)))
      return failure();
    for (auto [result, value] :
         llvm::zip(op.getResults(), block->getTerminator()->getOperands())) {
      Statement assigned;
      assigned.kind = Statement::Assigned;
      assigned.text = getText(value);
      assigned.names = {getText(result)};
      list->push_back(std::move(assigned));
    }
  }
  return success();
}

LogicalResult AscendWriter::writeScalar(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp>([](auto) { return success(); })
      .Case<scf::YieldOp>([](auto) { return success(); })
      .Case<scf::ForOp>([&](auto loop) { return writeLoop(loop); })
      .Case<scf::IfOp>([&](auto branch) { return writeBranch(branch); })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](auto) { return writeAffine(op); })
      .Case<memref::LoadOp, memref::StoreOp, memref::DimOp,
            memref::ExtractStridedMetadataOp>(
          [&](auto) { return writeMemory(op); })
      .Case<SubBlockOp>([&](auto sub) {
        return define(sub.getResult(), "GetSubBlockIdx()");
      })
      .Case<memref::SubViewOp, memref::CastOp, memref::ReinterpretCastOp,
            tl::ViewOp>([&](auto) { return writeView(op); })
      .Case([&](LeaveLoopOp leave) {
        auto loop = cast<scf::ForOp>(leave->getParentOp());
        add(Statement::Assigned, asWhole(getText(leave.getCondition())))
            .names = {getDone(getText(loop.getInductionVar()))};
        return success();
      })
      .Case([&](scf::WhileOp loop) {
        return loop.emitError(
            "a loop without a number of iterations is not supported in Ascend C; "
            "write an 'scf.for' of as many as there may be, with an 'scf.if' in it");
      })
      .Default([&](Operation *) -> LogicalResult {
        // A part of another one's text.
        if (op->hasOneUse() && getClipped(*op->user_begin()) == op)
          return success();
        if (arith::MinSIOp clipped = getClipped(op))
          return define(op->getResult(0),
                        useHelper("clip") + "(" +
                            asWhole(getText(clipped.getLhs())) + ", " +
                            asWhole(getText(clipped.getRhs())) + ")");
        if (op->getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(op))
          return writeArith(op);
        return op->emitError() << "'" << op->getName()
                               << "' is not supported in Ascend C";
      });
}

LogicalResult AscendWriter::writeOp(Operation *op) {
  if (auto alloc = dyn_cast<tl::AllocOp>(op))
    return writeAlloc(alloc);
  if (auto section = dyn_cast<SectionOp>(op)) {
    Statement &part = add(Statement::Section, section.getCore() == Core::Cube
                                                  ? "ASCEND_IS_AIC"
                                                  : "ASCEND_IS_AIV");
    return writeList(section.getBody().front(), part.body);
  }
  if (auto call = dyn_cast<ApiCallOpInterface>(op))
    return writeCall(call);
  return writeScalar(op);
}

LogicalResult AscendWriter::writeList(Block &block, Statements &list) {
  open(list);
  LogicalResult result = writeBlock(block);
  close();
  return result;
}

LogicalResult AscendWriter::writeBlock(Block &block) {
  for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    setLine(op);
    // Several may be one statement.
    Operation *last = writeProgression(op);
    if (!last) {
      last = op;
      if (failed(writeOp(op)))
        return failure();
    }
    op = last->getNextNode();
  }
  return success();
}
