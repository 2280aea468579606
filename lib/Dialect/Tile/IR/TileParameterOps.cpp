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
  auto value = static_cast<int64_t>(getDefaultValue());
  if (seen.contains(value))
    return success();
  InFlightDiagnostic diag = emitOpError() << "expected the default " << value
                                          << " to be a candidate (";
  llvm::interleaveComma(candidates, diag);
  return diag << ")";
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
