//===- TileLaunch.cpp - how a kernel is launched --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"

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

/// A version has a general form and conditions about arguments.
static LogicalResult verifyConditions(EmitError emitError, StringRef kernel,
                                      StringRef general,
                                      ArrayRef<FactAttr> conditions,
                                      ArrayRef<LaunchArgumentAttr> arguments) {
  if (general.empty() != conditions.empty())
    return emitError() << "expected conditions of a version, and of nothing "
                          "else, got "
                       << conditions.size() << " and "
                       << (general.empty() ? "no" : "a") << " general form";
  if (!general.empty() && general == kernel)
    return emitError() << "expected the general form to be another kernel, "
                          "got '"
                       << general << "'";
  for (auto [i, fact] : llvm::enumerate(conditions)) {
    std::string owner = "condition " + std::to_string(i);
    if (failed(verifyIndex(emitError, fact.getArgument(), arguments.size(),
                           "arguments", owner)))
      return failure();
    auto type =
        dyn_cast<MemRefType>(arguments[fact.getArgument()].getType());
    if (!type)
      return emitError() << owner << ": expected a buffer, got argument "
                         << fact.getArgument();
    if (fact.getKind() != FactKind::Address && fact.getDim() >= type.getRank())
      return emitError() << owner << ": expected a dimension below "
                         << type.getRank() << ", got " << fact.getDim();
  }
  return success();
}

LogicalResult FactAttr::verify(EmitError emitError, FactKind kind,
                               int64_t argument, int64_t dim, int64_t min,
                               int64_t multiple) {
  if (argument < 0 || dim < 0)
    return emitError() << "expected an argument and a dimension of at least "
                          "0, got "
                       << std::min(argument, dim);
  if (multiple < 1)
    return emitError() << "expected a multiple of at least 1, got "
                       << multiple;
  if (kind != FactKind::Address)
    return success();
  if (min != 0 || dim != 0)
    return emitError() << "expected no dimension and no minimum of an address";
  if (!llvm::isPowerOf2_64(multiple))
    return emitError() << "expected a power of two for an address, got "
                       << multiple;
  return success();
}

LogicalResult LaunchAttr::verify(
    EmitError emitError, StringRef kernel, StringRef, StringRef, StringRef,
    ArrayRef<LaunchSymbolAttr> symbols, ArrayRef<LaunchArgumentAttr> arguments,
    ArrayRef<TensorMapAttr> maps, ArrayRef<LaunchParameterAttr> parameters,
    ArrayRef<AffineExpr> grid, ArrayRef<int64_t>, ArrayRef<int64_t>, int64_t,
    StringRef general, ArrayRef<FactAttr> conditions) {
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
  if (failed(verifyConditions(emitError, kernel, general, conditions,
                              arguments)))
    return failure();
  return verifyGrid(emitError, grid, count);
}
