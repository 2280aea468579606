//===- AssemblyFormat.cpp - directives of the assembly form ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"

#include "Tile/Dialect/Tile/IR/ShortForm.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::tile;

FailureOr<Type>
tile::lookupType(OpAsmParser &parser,
                 const OpAsmParser::UnresolvedOperand &name) {
  // The parser does not tell the type of a value, but it does where it
  // complains about a wrong one, here one that no value has.
  Type wrong = parser.getBuilder().getNoneType(), found;
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(
        parser.getContext(), [&](Diagnostic &diag) {
          if (llvm::get_threadid() != thread)
            return failure();
          for (const DiagnosticArgument &argument : diag.getArguments())
            if (argument.getKind() ==
                    DiagnosticArgument::DiagnosticArgumentKind::Type &&
                argument.getAsType() != wrong)
              found = argument.getAsType();
          return success();
        });
    SmallVector<Value> values;
    (void)parser.resolveOperand(name, wrong, values);
  }
  if (found)
    return found;
  return parser.emitError(name.location)
         << "use of value '" << name.name << "' before its definition";
}

ParseResult
tile::parseTypesOf(OpAsmParser &parser,
                   ArrayRef<OpAsmParser::UnresolvedOperand> operands,
                   ArrayRef<Type *> types) {
  bool areGiven = succeeded(parser.parseOptionalColon());
  for (auto [i, type] : llvm::enumerate(types)) {
    if (areGiven) {
      if ((i > 0 && parser.parseComma()) || parser.parseType(*type))
        return failure();
      continue;
    }
    FailureOr<Type> found = lookupType(parser, operands[i]);
    if (failed(found))
      return failure();
    *type = *found;
  }
  return success();
}

/// Whether the text has the definition of the value before the op. Blocks of a
/// region are printed in an order of their own.
static bool isDefinedBefore(Value value, Operation *op) {
  return value.getParentBlock()->findAncestorOpInBlock(*op) != nullptr;
}

void tile::printTypesOf(OpAsmPrinter &printer, Operation *op,
                        ValueRange operands) {
  if (printsShortForm() && llvm::all_of(operands, [&](Value operand) {
        return isDefinedBefore(operand, op);
      }))
    return;
  printer << " : ";
  llvm::interleaveComma(operands.getTypes(), printer);
}

static ParseResult parseOffsets(OpAsmParser &parser, Operands &indices,
                                AffineMapAttr &map,
                                AsmParser::Delimiter delimiter) {
  // The parser also adds the map to an attribute list; the op's property takes it instead.
  NamedAttrList unused;
  Attribute attr;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseAffineMapOfSSAIds(operands, attr, "map", unused, delimiter))
    return failure();
  auto parsed = cast<AffineMapAttr>(attr);
  if (parsed.getValue().getNumResults() == 0)
    return success();
  map = parsed;
  indices.append(operands.begin(), operands.end());
  return success();
}

ParseResult tile::parseRegion(OpAsmParser &parser,
                              OpAsmParser::UnresolvedOperand &buffer,
                              Operands &indices, AffineMapAttr &map,
                              DenseI64ArrayAttr &sizes) {
  if (parser.parseOperand(buffer) ||
      parseOffsets(parser, indices, map, AsmParser::Delimiter::OptionalSquare))
    return failure();
  if (!map || failed(parser.parseOptionalLSquare()))
    return success();
  SmallVector<int64_t> extents;
  if (parser.parseCommaSeparatedList(
          [&] { return parser.parseInteger(extents.emplace_back()); }) ||
      parser.parseRSquare())
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(extents);
  return success();
}

void tile::printRegion(OpAsmPrinter &printer, Operation *op, Value buffer,
                       OperandRange indices, AffineMapAttr map,
                       DenseI64ArrayAttr sizes) {
  printer << buffer;
  if (map)
    printAffineIndices(printer, op, Value(), indices, map);
  if (sizes) {
    printer << " [";
    llvm::interleaveComma(sizes.asArrayRef(), printer);
    printer << "]";
  }
}

ParseResult tile::parseAffineIndices(OpAsmParser &parser,
                                     OpAsmParser::UnresolvedOperand &buffer,
                                     Operands &indices, AffineMapAttr &map) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(buffer) ||
      parseOffsets(parser, indices, map, AsmParser::Delimiter::Square))
    return failure();
  if (!map)
    return parser.emitError(loc, "expected offsets");
  return success();
}

void tile::printAffineIndices(OpAsmPrinter &printer, Operation *, Value buffer,
                              OperandRange indices, AffineMapAttr map) {
  if (buffer)
    printer << buffer;
  printer << "[";
  printer.printAffineMapOfSSAIds(map, indices);
  printer << "]";
}

ParseResult tile::parseExtents(OpAsmParser &parser,
                               DenseI64ArrayAttr &extents) {
  SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parser.parseInteger(values.emplace_back());
      }))
    return failure();
  extents = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void tile::printExtents(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr extents) {
  printer << "(";
  llvm::interleaveComma(extents.asArrayRef(), printer);
  printer << ")";
}

ParseResult tile::parseBound(OpAsmParser &parser, Operands &dynamic,
                             SmallVectorImpl<int64_t> &bounds) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult result = parser.parseOptionalOperand(operand);
  if (!result.has_value())
    return parser.parseInteger(bounds.emplace_back());
  if (failed(*result))
    return failure();
  dynamic.push_back(operand);
  bounds.push_back(ShapedType::kDynamic);
  return success();
}

ParseResult
tile::parseIterationSpace(OpAsmParser &parser,
                          SmallVectorImpl<OpAsmParser::Argument> &args,
                          Operands &dynamic,
                          SmallVectorImpl<int64_t> &extents) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(args, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseBound(parser, dynamic, extents);
      }))
    return failure();
  for (OpAsmParser::Argument &arg : args)
    arg.type = parser.getBuilder().getIndexType();
  if (args.size() != extents.size())
    return parser.emitError(loc) << "expected as many extents as induction "
                                    "variables, got "
                                 << extents.size() << " and " << args.size();
  return success();
}

static void printBound(OpAsmPrinter &printer, OperandRange dynamic,
                       unsigned &next, int64_t bound) {
  if (ShapedType::isDynamic(bound))
    printer << dynamic[next++];
  else
    printer << bound;
}

void tile::printIterationSpace(OpAsmPrinter &printer, Block *body,
                               OperandRange dynamic,
                               ArrayRef<int64_t> extents) {
  printer << " (";
  llvm::interleaveComma(body->getArguments(), printer);
  printer << ") in (";
  unsigned next = 0;
  llvm::interleaveComma(extents, printer, [&](int64_t extent) {
    printBound(printer, dynamic, next, extent);
  });
  printer << ")";
}

ParseResult tile::parseOptionalClause(OpAsmParser &parser,
                                      OperationState &result, StringRef name,
                                      std::optional<int64_t> &value) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  if (parser.parseLParen())
    return failure();
  StringAttr parameter;
  if (failed(parser.parseOptionalSymbolName(parameter)))
    return failure(parser.parseInteger(value.emplace()) ||
                   parser.parseRParen());
  Builder &b = parser.getBuilder();
  result.addAttribute(
      kParametersAttrName,
      b.getDictionaryAttr(
          b.getNamedAttr(name, FlatSymbolRefAttr::get(parameter))));
  return parser.parseRParen();
}

void tile::printClause(OpAsmPrinter &printer, Operation *op, StringRef name,
                       int64_t value, std::optional<int64_t> implied) {
  auto parameters = op->getAttrOfType<DictionaryAttr>(kParametersAttrName);
  Attribute parameter = parameters ? parameters.get(name) : Attribute();
  if (parameter)
    printer << ' ' << name << '(' << parameter << ')';
  else if (value != implied)
    printer << ' ' << name << '(' << value << ')';
}

//===----------------------------------------------------------------------===//
// Expressions of a launch
//===----------------------------------------------------------------------===//

ParseResult mlir::tile::parseExpression(AsmParser &parser,
                                        AffineExpr &expression) {
  // As many as the runtime takes: TILE_RT_MAX_SYMBOLS.
  constexpr unsigned kMaxSymbols = 1024;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (unsigned i = 0; i < kMaxSymbols; ++i)
      names.push_back("s" + std::to_string(i));
    return names;
  }();
  SmallVector<std::pair<StringRef, AffineExpr>> symbols;
  for (auto [i, name] : llvm::enumerate(names))
    symbols.push_back({name, getAffineSymbolExpr(i, parser.getContext())});
  return parser.parseAffineExpr(symbols, expression);
}

void mlir::tile::printExpression(AsmPrinter &printer, AffineExpr expression) {
  printer << expression;
}

ParseResult
mlir::tile::parseExpressions(AsmParser &parser,
                             SmallVectorImpl<AffineExpr> &expressions) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    AffineExpr &expression = expressions.emplace_back();
    if (succeeded(parser.parseOptionalQuestion()))
      return ParseResult(success());
    return parseExpression(parser, expression);
  });
}

void mlir::tile::printExpressions(AsmPrinter &printer,
                                  ArrayRef<AffineExpr> expressions) {
  printer << '[';
  llvm::interleaveComma(expressions, printer, [&](AffineExpr expression) {
    if (expression)
      printExpression(printer, expression);
    else
      printer << '?';
  });
  printer << ']';
}
