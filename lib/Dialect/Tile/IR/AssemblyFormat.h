//===- AssemblyFormat.h - directives of the assembly form -------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_ASSEMBLYFORMAT_H
#define TILE_LIB_DIALECT_TILE_IR_ASSEMBLYFORMAT_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/DialectImplementation.h"

namespace mlir::tile {

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// The type of a value by its name, or an error where none is defined yet.
FailureOr<Type> lookupType(OpAsmParser &parser,
                           const OpAsmParser::UnresolvedOperand &name);

/// `: type, type`, or nothing: types then are those of the operands, which are
/// defined earlier in the text. The printer leaves them out in the short form.
ParseResult parseTypesOf(OpAsmParser &parser,
                         ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                         ArrayRef<Type *> types);
void printTypesOf(OpAsmPrinter &printer, Operation *op, ValueRange operands);

using Operand = OpAsmParser::UnresolvedOperand;
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

/// `%buffer`, `%buffer[affine offsets]`, `%buffer[affine offsets] [sizes]`.
ParseResult parseRegion(OpAsmParser &parser,
                        OpAsmParser::UnresolvedOperand &buffer,
                        Operands &indices, AffineMapAttr &map,
                        DenseI64ArrayAttr &sizes);
void printRegion(OpAsmPrinter &printer, Operation *op, Value buffer,
                 OperandRange indices, AffineMapAttr map,
                 DenseI64ArrayAttr sizes);

/// `%buffer[affine offsets]`.
ParseResult parseAffineIndices(OpAsmParser &parser,
                               OpAsmParser::UnresolvedOperand &buffer,
                               Operands &indices, AffineMapAttr &map);
void printAffineIndices(OpAsmPrinter &printer, Operation *op, Value buffer,
                        OperandRange indices, AffineMapAttr map);

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
ParseResult parseBound(OpAsmParser &parser, Operands &dynamic,
                       SmallVectorImpl<int64_t> &bounds);

/// `(%i, %j) in (8, %n)`: the region's arguments and the extents, one of each.
ParseResult parseIterationSpace(OpAsmParser &parser,
                                SmallVectorImpl<OpAsmParser::Argument> &args,
                                Operands &dynamic,
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
