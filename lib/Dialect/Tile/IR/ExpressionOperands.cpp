//===- ExpressionOperands.cpp - operands that are expressions -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionParser.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;

using Place = ExpressionParser::Place;

static SmallVector<Operand> &getEnclosing() {
  // A body is read by one thread, from its beginning to its end.
  static thread_local SmallVector<Operand> names;
  return names;
}

BodyScope::BodyScope(ArrayRef<OpAsmParser::Argument> args)
    : depth(getEnclosing().size()) {
  if (!args.empty())
    getEnclosing().push_back(args.front().ssaName);
}

BodyScope::~BodyScope() { getEnclosing().resize(depth); }

std::optional<Operand> BodyScope::getInnermost() {
  if (getEnclosing().empty())
    return std::nullopt;
  return getEnclosing().back();
}

/// Whether the text goes on with a name that no operator follows.
static bool isAtPlainName(OpAsmParser &parser) {
  const char *text = parser.getCurrentLocation().getPointer();
  if (*text != '%')
    return false;
  for (++text; llvm::isAlnum(*text) || (*text && strchr("_$.-#", *text));)
    ++text;
  while (llvm::isSpace(*text))
    ++text;
  if (*text && strchr("+-*/<>=[", *text))
    // A comment may follow, and an arrow.
    return StringRef(text, 2) == "//" || StringRef(text, 2) == "->";
  return !StringRef(text).take_while(llvm::isAlpha).ends_with("div") &&
         StringRef(text).take_while(llvm::isAlpha) != "mod";
}

/// Sets where the ops of an expression go: the end of the innermost block that
/// defines one of the names. The op that has the expression is not in its block
/// yet, so they precede it. What is visible is defined in blocks around each
/// other, of which the innermost one has the last definition of the text.
static LogicalResult setInsertionPoint(OpAsmParser &parser, OpBuilder &builder,
                                       ArrayRef<Operand> names, SMLoc loc) {
  std::optional<Definition> last;
  std::optional<Operand> innermost = BodyScope::getInnermost();
  if (names.empty() && innermost)
    names = *innermost;
  for (const Operand &name : names) {
    FailureOr<Definition> definition = lookupDefinition(parser, name);
    if (failed(definition))
      return failure();
    if (!definition->value.getParentBlock())
      return parser.emitError(name.location)
             << "use of value '" << name.name << "' before its definition";
    if (!last || last->position < definition->position)
      last = *definition;
  }
  if (!last)
    return parser.emitError(loc)
           << "expected an expression with a value in it; outside of a kernel, "
              "write '%value = tile.get_param …' or '%value = arith.constant "
              "…' in a line before";
  setInsertionPointToEndOf(builder, last->value.getParentBlock());
  return success();
}

static SmallVector<Operand> concatenate(ArrayRef<Operand> a,
                                        ArrayRef<Operand> b) {
  SmallVector<Operand> all(a);
  all.append(b.begin(), b.end());
  return all;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ParseResult tile::parseValue(OpAsmParser &parser, ValueText &value) {
  if (isAtPlainName(parser))
    return parser.parseOperand(value.name);
  ExpressionParser expressions(parser, Place::Operand);
  if (expressions.parseExpression(value.expression.emplace()))
    return failure();
  llvm::append_range(value.names, expressions.getNames());
  return success();
}

ParseResult tile::resolveValue(OpAsmParser &parser, const ValueText &text,
                               Type type, ArrayRef<Operand> others,
                               SmallVectorImpl<Value> &values) {
  if (!text.expression)
    return parser.resolveOperand(text.name, type, values);
  ExpressionContext context(parser);
  if (failed(setInsertionPoint(parser, context.builder,
                               concatenate(text.names, others),
                               text.expression->loc)))
    return failure();
  ExpressionBuilder builder = context.getBuilder();
  builder.reuses = true;
  FailureOr<Value> value = builder.build(*text.expression, type);
  if (failed(value))
    return failure();
  values.push_back(*value);
  return success();
}

ParseResult tile::parseIndex(OpAsmParser &parser, ArrayRef<Operand> others,
                             SmallVectorImpl<Value> &values) {
  ValueText text;
  return failure(parseValue(parser, text) ||
                 resolveValue(parser, text, parser.getBuilder().getIndexType(),
                              others, values));
}

ParseResult tile::parseBaseAndTypes(OpAsmParser &parser,
                                          ArrayRef<Operand> buffers,
                                          OperationState &result) {
  SmallVector<Value> base;
  if (succeeded(parser.parseOptionalKeyword("base")) &&
      (parser.parseLParen() || parseIndex(parser, buffers, base) ||
       parser.parseRParen()))
    return failure();
  SmallVector<Type> types(buffers.size());
  SmallVector<Type *> places;
  for (Type &type : types)
    places.push_back(&type);
  if (parseAttributes(parser, result) ||
      parseTypesOf(parser, buffers, places) ||
      parser.resolveOperands(buffers, types, parser.getNameLoc(),
                             result.operands))
    return failure();
  result.addOperands(base);
  return success();
}

ParseResult tile::parseBound(OpAsmParser &parser,
                             SmallVectorImpl<Value> &dynamic,
                             SmallVectorImpl<int64_t> &bounds) {
  ValueText text;
  if (parseValue(parser, text))
    return failure();
  if (text.expression && text.expression->kind == Expression::Integer) {
    bounds.push_back(text.expression->integer);
    return success();
  }
  bounds.push_back(ShapedType::kDynamic);
  return resolveValue(parser, text, parser.getBuilder().getIndexType(), {},
                      dynamic);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Whether a map says it, without an op.
static bool isAffine(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Integer:
  case Expression::Name:
  case Expression::Symbol:
    return true;
  case Expression::Negate:
  case Expression::Add:
  case Expression::Subtract:
    return llvm::all_of(expression.operands, isAffine);
  case Expression::Multiply:
    return llvm::all_of(expression.operands, isAffine) &&
           llvm::any_of(expression.operands, [](const Expression &factor) {
             return factor.kind == Expression::Integer ||
                    factor.kind == Expression::Symbol;
           });
  case Expression::FloorDivide:
  case Expression::CeilDivide:
  case Expression::Modulo:
    return isAffine(expression.operands[0]) &&
           (expression.operands[1].kind == Expression::Integer ||
            expression.operands[1].kind == Expression::Symbol);
  default:
    return false;
  }
}

static ParseResult parseOffsets(OpAsmParser &parser, RegionText &region) {
  ExpressionParser expressions(parser, Place::Offset);
  expressions.setNameType(parser.getBuilder().getIndexType());
  SmallVector<Expression> offsets;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList([&] {
        return expressions.parseExpression(offsets.emplace_back());
      }) ||
      parser.parseRSquare())
    return failure();
  ExpressionContext context(parser);
  if (!llvm::all_of(offsets, isAffine) &&
      failed(setInsertionPoint(
          parser, context.builder,
          concatenate(expressions.getNames(), region.buffer), loc)))
    return failure();
  ExpressionBuilder builder = context.getBuilder();
  builder.reuses = true;
  AffineMap map;
  if (failed(builder.buildMap(offsets, map, region.indices)))
    return failure();
  region.map = AffineMapAttr::get(map);
  return success();
}

ParseResult tile::parseRegion(OpAsmParser &parser, RegionText &region) {
  if (parser.parseOperand(region.buffer))
    return failure();
  if (failed(parser.parseOptionalLSquare()) ||
      succeeded(parser.parseOptionalRSquare()))
    return success();
  if (parseOffsets(parser, region))
    return failure();
  if (failed(parser.parseOptionalLSquare()))
    return success();
  SmallVector<int64_t> extents;
  if (parser.parseCommaSeparatedList(
          [&] { return parser.parseInteger(extents.emplace_back()); }) ||
      parser.parseRSquare())
    return failure();
  region.sizes = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

ParseResult tile::resolveRegion(OpAsmParser &parser, const RegionText &region,
                                Type type, OperationState &result) {
  if (parser.resolveOperand(region.buffer, type, result.operands))
    return failure();
  result.addOperands(region.indices);
  return success();
}

void tile::printRegion(OpAsmPrinter &printer, Value buffer,
                       OperandRange indices, AffineMapAttr map,
                       DenseI64ArrayAttr sizes) {
  printer << buffer;
  if (map) {
    printer << "[";
    printer.printAffineMapOfSSAIds(map, indices);
    printer << "]";
  }
  if (sizes) {
    printer << " [";
    llvm::interleaveComma(sizes.asArrayRef(), printer);
    printer << "]";
  }
}

//===----------------------------------------------------------------------===//
// Ops that have one value
//===----------------------------------------------------------------------===//

ParseResult tile::parseAttributes(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return result.name.verifyInherentAttrs(result.attributes, [&] {
    return parser.emitError(loc) << "'" << result.name << "' op ";
  });
}

ParseResult tile::parseBufferAndValue(OpAsmParser &parser,
                                      OperationState &result) {
  Operand buffer;
  ValueText value;
  Type type;
  if (parser.parseOperand(buffer) || parser.parseComma() ||
      parseValue(parser, value) || parseAttributes(parser, result) ||
      parseTypesOf(parser, {buffer}, {&type}))
    return failure();
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return parser.emitError(parser.getNameLoc())
           << "'buffer' must be memref of any type values, but got " << type;
  return failure(parser.resolveOperand(buffer, type, result.operands) ||
                 resolveValue(parser, value, memref.getElementType(), {buffer},
                              result.operands));
}

void tile::printBufferAndValue(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << op->getOperand(0) << ", " << op->getOperand(1);
  printer.printOptionalAttrDict(op->getAttrs());
  printTypesOf(printer, op, op->getOperand(0));
}

static ParseResult parseBoolean(OpAsmParser &parser, OperationState &result) {
  ValueText condition;
  return failure(parseValue(parser, condition) ||
                 resolveValue(parser, condition,
                              parser.getBuilder().getI1Type(), {},
                              result.operands));
}

ParseResult tile::parseCondition(OpAsmParser &parser, OperationState &result) {
  return failure(parseBoolean(parser, result) ||
                 parseAttributes(parser, result));
}

ParseResult tile::parseCondition(OpAsmParser &parser, OperationState &result,
                                 StringAttr &message) {
  return failure(
      parseBoolean(parser, result) || parser.parseComma() ||
      parser.parseAttribute(message, parser.getBuilder().getNoneType()) ||
      parseAttributes(parser, result));
}
