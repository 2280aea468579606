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

FailureOr<Definition> tile::lookupDefinition(OpAsmParser &parser,
                                             const Operand &name) {
  // The parser does not tell the type of a value, but it does where it
  // complains about a wrong one, here one that no value has. Its note is at the
  // definition.
  Type wrong = parser.getBuilder().getNoneType(), type;
  Definition found;
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
              type = argument.getAsType();
          for (const Diagnostic &note : diag.getNotes())
            if (auto loc = dyn_cast<FileLineColLoc>(note.getLocation()))
              found.position = {loc.getLine(), loc.getColumn()};
          return success();
        });
    SmallVector<Value> values;
    (void)parser.resolveOperand(name, wrong, values);
  }
  if (!type)
    return parser.emitError(name.location)
           << "use of value '" << name.name << "' before its definition";
  SmallVector<Value> values;
  if (parser.resolveOperand(name, type, values))
    return failure(); // untested: it has just been found with this type
  found.value = values.front();
  return found;
}

ParseResult tile::parseTypesOf(OpAsmParser &parser, ArrayRef<Operand> operands,
                               ArrayRef<Type *> types) {
  bool areGiven = succeeded(parser.parseOptionalColon());
  for (auto [i, type] : llvm::enumerate(types)) {
    if (areGiven) {
      if ((i > 0 && parser.parseComma()) || parser.parseType(*type))
        return failure();
      continue;
    }
    FailureOr<Definition> found = lookupDefinition(parser, operands[i]);
    if (failed(found))
      return failure();
    *type = found->value.getType();
  }
  return success();
}

/// Whether the text has the definition of the value before the op. Blocks of a
/// region are printed in an order of their own.
static bool isDefinedBefore(Value value, Operation *op) {
  return value.getParentBlock()->findAncestorOpInBlock(*op) != nullptr;
}

bool tile::typesFollow(Operation *op, ValueRange operands) {
  return printsShortForm() && llvm::all_of(operands, [&](Value operand) {
           return isDefinedBefore(operand, op);
         });
}

void tile::printTypesOf(OpAsmPrinter &printer, Operation *op,
                        ValueRange operands) {
  if (typesFollow(op, operands))
    return;
  printer << " : ";
  llvm::interleaveComma(operands.getTypes(), printer);
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

ParseResult tile::parseIterationSpace(
    OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &args,
    SmallVectorImpl<Value> &dynamic, SmallVectorImpl<int64_t> &extents) {
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
