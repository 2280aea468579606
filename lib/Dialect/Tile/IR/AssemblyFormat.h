//===- AssemblyFormat.h - directives of the assembly form -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_ASSEMBLYFORMAT_H
#define TILE_LIB_DIALECT_TILE_IR_ASSEMBLYFORMAT_H

#include "Expression.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"

namespace mlir::tile {

using Operand = OpAsmParser::UnresolvedOperand;

/// A value by its name, and where it is defined: line and column.
struct Definition {
  Value value;
  std::pair<unsigned, unsigned> position;
};
/// An error where none is defined yet.
FailureOr<Definition> lookupDefinition(OpAsmParser &parser,
                                       const Operand &name);

/// `: type, type`, or nothing: types then are those of the operands, which are
/// defined earlier in the text. The printer leaves them out in the short form.
ParseResult parseTypesOf(OpAsmParser &parser, ArrayRef<Operand> operands,
                         ArrayRef<Type *> types);
void printTypesOf(OpAsmPrinter &printer, Operation *op, ValueRange operands);
/// Whether the printer leaves them out.
bool typesFollow(Operation *op, ValueRange operands);

inline ParseResult parseBufferTypes(OpAsmParser &parser, const Operand &a,
                                    Type &typeOfA) {
  return parseTypesOf(parser, {a}, {&typeOfA});
}
inline ParseResult parseBufferTypes(OpAsmParser &parser, const Operand &a,
                                    Type &typeOfA, const Operand &b,
                                    Type &typeOfB) {
  return parseTypesOf(parser, {a, b}, {&typeOfA, &typeOfB});
}
inline ParseResult parseBufferTypes(OpAsmParser &parser, const Operand &a,
                                    Type &typeOfA, const Operand &b,
                                    Type &typeOfB, const Operand &c,
                                    Type &typeOfC) {
  return parseTypesOf(parser, {a, b, c}, {&typeOfA, &typeOfB, &typeOfC});
}
inline ParseResult parseBufferTypes(OpAsmParser &parser, const Operand &a,
                                    Type &typeOfA, const Operand &b,
                                    Type &typeOfB, const Operand &c,
                                    Type &typeOfC, const Operand &d,
                                    Type &typeOfD) {
  return parseTypesOf(parser, {a, b, c, d},
                      {&typeOfA, &typeOfB, &typeOfC, &typeOfD});
}
inline void printBufferTypes(OpAsmPrinter &printer, Operation *op, Value a,
                             Type) {
  printTypesOf(printer, op, a);
}
inline void printBufferTypes(OpAsmPrinter &printer, Operation *op, Value a,
                             Type, Value b, Type) {
  printTypesOf(printer, op, {a, b});
}
inline void printBufferTypes(OpAsmPrinter &printer, Operation *op, Value a,
                             Type, Value b, Type, Value c, Type) {
  printTypesOf(printer, op, {a, b, c});
}
inline void printBufferTypes(OpAsmPrinter &printer, Operation *op, Value a,
                             Type, Value b, Type, Value c, Type, Value d,
                             Type) {
  printTypesOf(printer, op, {a, b, c, d});
}

/// A value as it is read: a name, whose type may follow, or an expression with
/// the names in it.
struct ValueText {
  Operand name;
  std::optional<Expression> expression;
  SmallVector<Operand> names;
};
ParseResult parseValue(OpAsmParser &parser, ValueText &value);
/// Adds the value to `values`. What ops it takes go to the end of the innermost
/// block that defines one of the names in it, or one of `others`, which the op
/// around has, too.
ParseResult resolveValue(OpAsmParser &parser, const ValueText &text, Type type,
                         ArrayRef<Operand> others,
                         SmallVectorImpl<Value> &values);
/// Both, for an index.
ParseResult parseIndex(OpAsmParser &parser, ArrayRef<Operand> others,
                       SmallVectorImpl<Value> &values);

/// `{name = value}`. An attribute of another type than the op's own would be
/// dropped: it is an error.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &result);

/// `%buffer, value` with attributes and the type of the buffer, whose elements
/// are such values.
ParseResult parseBufferAndValue(OpAsmParser &parser, OperationState &result);
void printBufferAndValue(OpAsmPrinter &printer, Operation *op);

/// `base(index)`, if it is there, attributes and the types of `buffers`, which
/// are resolved in front of the index.
ParseResult parseBaseAndTypes(OpAsmParser &parser, ArrayRef<Operand> buffers,
                              OperationState &result);

/// `condition`, and `condition, "message"`.
ParseResult parseCondition(OpAsmParser &parser, OperationState &result);
ParseResult parseCondition(OpAsmParser &parser, OperationState &result,
                           StringAttr &message);

/// `%buffer`, `%buffer[offsets]`, `%buffer[offsets] [sizes]`.
struct RegionText {
  Operand buffer;
  SmallVector<Value> indices;
  AffineMapAttr map;
  DenseI64ArrayAttr sizes;
};
ParseResult parseRegion(OpAsmParser &parser, RegionText &region);
/// Adds the buffer and the indices to the operands.
ParseResult resolveRegion(OpAsmParser &parser, const RegionText &region,
                          Type type, OperationState &result);
void printRegion(OpAsmPrinter &printer, Value buffer, OperandRange indices,
                 AffineMapAttr map, DenseI64ArrayAttr sizes);

/// An enum attribute as its bare keyword; the error lists the legal ones.
template <typename AttrT>
ParseResult parseKeyword(OpAsmParser &parser, AttrT &attr) {
  auto value = FieldParser<decltype(attr.getValue())>::parse(parser);
  if (failed(value))
    return failure();
  attr = AttrT::get(parser.getContext(), *value);
  return success();
}
template <typename AttrT>
void printKeyword(OpAsmPrinter &printer, Operation *, AttrT attr) {
  printer << stringifyEnum(attr.getValue());
}

/// `(1, 2)`.
ParseResult parseExtents(OpAsmParser &parser, DenseI64ArrayAttr &extents);
void printExtents(OpAsmPrinter &printer, Operation *op,
                  DenseI64ArrayAttr extents);

/// An integer, or an index value that is appended to `dynamic`.
ParseResult parseBound(OpAsmParser &parser, SmallVectorImpl<Value> &dynamic,
                       SmallVectorImpl<int64_t> &bounds);

/// `(%i, %j) in (8, %n)`: the region's arguments and the extents, one of each.
ParseResult parseIterationSpace(OpAsmParser &parser,
                                SmallVectorImpl<OpAsmParser::Argument> &args,
                                SmallVectorImpl<Value> &dynamic,
                                SmallVectorImpl<int64_t> &extents);
void printIterationSpace(OpAsmPrinter &printer, Block *body,
                         OperandRange dynamic, ArrayRef<int64_t> extents);

/// `name(8)` or `name(@parameter)`, where it is present. The parameter goes to
/// `kParametersAttrName` of the op.
ParseResult parseOptionalClause(OpAsmParser &parser, OperationState &result,
                                StringRef name, std::optional<int64_t> &value);
/// Prints what `parseOptionalClause` reads, unless it is the default.
void printClause(OpAsmPrinter &printer, Operation *op, StringRef name,
                 int64_t value, std::optional<int64_t> implied = std::nullopt);

/// An affine expression of the symbols s0, s1, ... of a launch.
ParseResult parseExpression(AsmParser &parser, AffineExpr &expression);
void printExpression(AsmPrinter &printer, AffineExpr expression);

/// `[s0 * 2, ?]`; a `?` is a null expression.
ParseResult parseExpressions(AsmParser &parser,
                             SmallVectorImpl<AffineExpr> &expressions);
void printExpressions(AsmPrinter &printer, ArrayRef<AffineExpr> expressions);

/// Parameters of attributes in brackets.
template <typename T>
ParseResult parseList(AsmParser &parser, SmallVector<T> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    FailureOr<T> element = FieldParser<T>::parse(parser);
    if (succeeded(element))
      list.push_back(*element);
    return failure(failed(element));
  });
}
template <typename T>
void printList(AsmPrinter &printer, ArrayRef<T> list) {
  printer << '[';
  printer.printStrippedAttrOrType(list);
  printer << ']';
}

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_ASSEMBLYFORMAT_H
