//===- TileParameterOps.cpp - parameters of kernels -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssemblyFormat.h"

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// ParamOp
//===----------------------------------------------------------------------===//

static bool isFamily(Instruction instruction) {
  return isGemmInstruction(instruction) && instruction != Instruction::FMA;
}

static std::string listFamilies() {
  std::string names;
  for (uint64_t i = 0; i <= getMaxEnumValForInstruction(); ++i)
    if (isFamily(Instruction(i)))
      names += (names.empty() ? "" : ", ") +
               stringifyInstruction(Instruction(i)).str();
  return names;
}

/// `(wgmma = 256, mma = 64)`, as a dictionary.
static ParseResult parseDefaults(OpAsmParser &parser, OperationState &result) {
  NamedAttrList defaults;
  auto parseDefault = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef family;
    int64_t value;
    if (parser.parseKeyword(&family) || parser.parseEqual() ||
        parser.parseInteger(value))
      return failure();
    if (defaults.get(family))
      return parser.emitError(loc)
             << "expected '" << family << "' once in 'on'";
    defaults.append(family, parser.getBuilder().getI64IntegerAttr(value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseDefault))
    return failure();
  result.addAttribute(kDefaultsAttrName,
                      defaults.getDictionary(parser.getContext()));
  return success();
}

ParseResult ParamOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  int64_t value;
  SmallVector<int64_t> candidates;
  if (parser.parseSymbolName(properties.sym_name) || parser.parseEqual() ||
      parser.parseInteger(value) || parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(candidates.emplace_back()); }))
    return failure();
  Builder &b = parser.getBuilder();
  properties.default_value = b.getI64IntegerAttr(value);
  properties.candidates = b.getDenseI64ArrayAttr(candidates);
  if (succeeded(parser.parseOptionalKeyword("on")) &&
      parseDefaults(parser, result))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void ParamOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " = " << static_cast<int64_t>(getDefaultValue()) << " in ["
          << getCandidates() << ']';
  if (auto defaults =
          (*this)->getAttrOfType<DictionaryAttr>(kDefaultsAttrName)) {
    printer << " on(";
    llvm::interleaveComma(defaults, printer, [&](NamedAttribute entry) {
      printer << entry.getName().getValue() << " = "
              << cast<IntegerAttr>(entry.getValue()).getInt();
    });
    printer << ')';
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getSymNameAttrName(), getDefaultValueAttrName(),
                                 getCandidatesAttrName(), kDefaultsAttrName});
}

/// Of `kDefaultsAttrName`, whose type has been checked.
static LogicalResult verifyDefaults(ParamOp param, DictionaryAttr defaults) {
  for (NamedAttribute entry : defaults) {
    StringRef name = entry.getName().getValue();
    std::optional<Instruction> family = symbolizeInstruction(name);
    // tile.param C4
    if (!family || !isFamily(*family))
      return param.emitOpError()
             << "expected a family of matrix instructions, got '" << name
             << "'; the families are " << listFamilies();
  }
  return success();
}

LogicalResult ParamOp::verify() {
  ArrayRef<int64_t> candidates = getCandidates();
  // tile.param C2
  if (candidates.empty())
    return emitOpError("expected candidates");
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t candidate : candidates)
    if (!seen.insert(candidate).second)
      return emitOpError() << "expected different candidates, got " << candidate
                           << " twice";
  // tile.param C3
  SmallVector<int64_t> values{static_cast<int64_t>(getDefaultValue())};
  auto defaults = (*this)->getAttrOfType<DictionaryAttr>(kDefaultsAttrName);
  for (NamedAttribute entry : defaults ? defaults.getValue()
                                       : ArrayRef<NamedAttribute>())
    if (auto value = dyn_cast<IntegerAttr>(entry.getValue()))
      values.push_back(value.getInt());
  for (int64_t value : values) {
    if (seen.contains(value))
      continue;
    InFlightDiagnostic diag = emitOpError() << "expected the default " << value
                                            << " to be a candidate (";
    llvm::interleaveComma(candidates, diag);
    return diag << ")";
  }
  return defaults ? verifyDefaults(*this, defaults) : success();
}

LogicalResult
GetParamOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // tile.get_param C1
  if (symbolTable.lookupNearestSymbolFrom<ParamOp>(*this, getParamAttr()))
    return success();
  return emitOpError() << "expected the name of a 'tile.param', got '"
                       << getParamAttr() << "'";
}

ParseResult RequireOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseCondition(parser, result,
                        result.getOrAddProperties<Properties>().message);
}

void RequireOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << ", ";
  printer.printAttributeWithoutType(getMessageAttr());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"message"});
}

void GetParamOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValue(), getParam());
}

bool tile::isUnbound(MemRefType type) {
  return !type.hasStaticShape() &&
         getMemorySpace(type) != MemorySpace::Global;
}

bool tile::mayBeEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           return x == y || ShapedType::isDynamic(x) ||
                  ShapedType::isDynamic(y);
         });
}

LogicalResult tile::verifyParametersBound(Operation *root) {
  auto isUnboundTile = [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && isUnbound(memref);
  };
  WalkResult found = root->walk([&](Operation *op) {
    if (!isa_and_nonnull<TileDialect>(op->getDialect()))
      return WalkResult::advance();
    if (!isa<ParamOp, GetParamOp, RequireOp>(op) &&
        llvm::none_of(op->getOperandTypes(), isUnboundTile) &&
        llvm::none_of(op->getResultTypes(), isUnboundTile))
      return WalkResult::advance();
    op->emitOpError("expected parameters to have values; run "
                    "'tile-bind-parameters' first");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}
