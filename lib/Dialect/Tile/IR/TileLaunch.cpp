//===- TileLaunch.cpp - how a kernel is launched --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace mlir::tile;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Expressions use the first `count` symbols only.
static LogicalResult verifySymbols(EmitError emitError,
                                   ArrayRef<AffineExpr> expressions,
                                   size_t count, const Twine &owner) {
  for (AffineExpr expression : expressions) {
    int64_t largest = -1;
    if (expression)
      expression.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
          largest = std::max<int64_t>(largest, symbol.getPosition());
      });
    if (largest >= int64_t(count))
      return emitError() << owner << ": expected an expression of " << count
                         << " symbols, got s" << largest;
  }
  return success();
}

/// -1 stands for none.
static LogicalResult verifyIndex(EmitError emitError, int64_t index,
                                 size_t count, StringRef kind,
                                 const Twine &owner) {
  if (index >= -1 && index < int64_t(count))
    return success();
  return emitError() << owner << ": expected one of " << count << " " << kind
                     << ", got index " << index;
}

static LogicalResult verifyGrid(EmitError emitError,
                                ArrayRef<AffineExpr> grid, size_t symbols) {
  if (grid.size() > 3)
    return emitError() << "expected a grid of at most 3 dimensions, got "
                       << grid.size();
  return verifySymbols(emitError, grid, symbols, "grid");
}

static LogicalResult verifyArgument(EmitError emitError,
                                    LaunchArgumentAttr argument,
                                    size_t symbols, const Twine &owner) {
  auto type = dyn_cast<MemRefType>(argument.getType());
  size_t rank = type ? type.getRank() : 0;
  for (ArrayRef<AffineExpr> numbers :
       {argument.getShape(), argument.getStrides()})
    if (!numbers.empty() && numbers.size() != rank)
      return emitError() << owner << ": expected " << rank
                         << " sizes and strides, got " << numbers.size();
  return failure(failed(verifySymbols(emitError, argument.getShape(), symbols,
                                      owner)) ||
                 failed(verifySymbols(emitError, argument.getStrides(),
                                      symbols, owner)));
}

LogicalResult LaunchAttr::verify(
    EmitError emitError, StringRef, StringRef, StringRef, StringRef,
    ArrayRef<LaunchSymbolAttr> symbols, ArrayRef<LaunchArgumentAttr> arguments,
    ArrayRef<TensorMapAttr> maps, ArrayRef<LaunchParameterAttr> parameters,
    ArrayRef<AffineExpr> grid, ArrayRef<int64_t>, ArrayRef<int64_t>, int64_t) {
  size_t count = symbols.size();
  auto verifyArgumentIndex = [&](int64_t index, const Twine &owner) {
    return verifyIndex(emitError, index, arguments.size(), "arguments", owner);
  };
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    std::string owner = "symbol " + std::to_string(i);
    if (failed(verifySymbols(emitError, symbol.getValues(), i, owner)) ||
        failed(verifyArgumentIndex(symbol.getArgument(), owner)))
      return failure();
  }
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (failed(verifyArgument(emitError, argument, count,
                              "argument " + Twine(i))))
      return failure();
  for (auto [i, map] : llvm::enumerate(maps)) {
    std::string owner = "tensor map " + std::to_string(i);
    if (!map.getElement().isIntOrFloat())
      return emitError() << owner << ": expected integers or floats, got "
                         << map.getElement();
    if (failed(verifyArgumentIndex(map.getArgument(), owner)) ||
        failed(verifySymbols(emitError, map.getSizes(), count, owner)) ||
        failed(verifySymbols(emitError, map.getStrides(), count, owner)))
      return failure();
  }
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    std::string owner = "parameter " + std::to_string(i);
    if (failed(verifyArgumentIndex(parameter.getArgument(), owner)) ||
        failed(verifyIndex(emitError, parameter.getMap(), maps.size(),
                           "tensor maps", owner)) ||
        failed(verifySymbols(emitError, parameter.getValue(), count, owner)))
      return failure();
  }
  return verifyGrid(emitError, grid, count);
}
