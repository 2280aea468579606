//===- Verification.cpp - checks that several levels share ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Verification.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

std::optional<int64_t> mlir::tile::findWrongDivisor(AffineExpr expression) {
  std::optional<int64_t> found;
  expression.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary ||
        llvm::is_contained({AffineExprKind::Add, AffineExprKind::Mul},
                           binary.getKind()))
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (divisor && divisor.getValue() < 1)
      found = divisor.getValue();
  });
  return found;
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// What lowering adds to a module or calls in it: a function of the program
/// with such a name would be called instead, or have two bodies.
static bool isReserved(StringRef name) {
  return name.starts_with("_mlir_ciface_") || name.starts_with("_tile_host_") ||
         name.starts_with("tile_rt_") ||
         llvm::is_contained({"abort", "aligned_alloc", "free", "malloc",
                             "memcpy", "memmove", "memset"},
                            name);
}

LogicalResult mlir::tile::verifyNames(Operation *root) {
  bool ok = true;
  root->walk([&](SymbolOpInterface symbol) {
    auto function = dyn_cast<FunctionOpInterface>(symbol.getOperation());
    bool isDeviceModule = symbol->hasTrait<OpTrait::SymbolTable>() &&
                          !isa<ModuleOp>(symbol.getOperation());
    StringAttr name = symbol.getNameAttr();
    if (!name || !(isDeviceModule || (function && !function.isExternal())))
      return;
    if (!isIdentifier(name.getValue())) {
      std::string text;
      llvm::raw_string_ostream os(text);
      llvm::printEscapedString(name.getValue(), os);
      symbol.emitError() << "expected a name of letters, digits and '_' that "
                            "does not begin with a digit, got '"
                         << text << "'";
      ok = false;
    } else if (isReserved(name.getValue())) {
      symbol.emitError() << "the name '" << name.getValue()
                         << "' is one of those that compiled code uses itself; "
                            "choose another one";
      ok = false;
    }
  });
  return success(ok);
}
