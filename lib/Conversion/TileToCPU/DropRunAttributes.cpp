//===- DropRunAttributes.cpp - forgets how functions are run --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile {
#define GEN_PASS_DEF_DROPRUNATTRIBUTESPASS
#include "Tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

static bool isTileAttribute(NamedAttribute attr) {
  return attr.getName().getValue().starts_with("tile.");
}

namespace {
struct DropRunAttributes
    : tile::impl::DropRunAttributesPassBase<DropRunAttributes> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      for (NamedAttribute attr :
           llvm::to_vector(function->getDiscardableAttrs()))
        if (isTileAttribute(attr))
          function->removeDiscardableAttr(attr.getName());
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        for (NamedAttribute attr : llvm::to_vector(function.getArgAttrs(i)))
          if (isTileAttribute(attr))
            function.removeArgAttr(i, attr.getName());
    }
  }
};
} // namespace
