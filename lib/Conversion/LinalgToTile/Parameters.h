//===- Parameters.h - what a tuner may choose in matrix products -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_PARAMETERS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_PARAMETERS_H

#include "Products.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::tile {

/// A number of a kernel: fixed, or the value of a parameter.
struct Choice {
  int64_t number = 0;
  FlatSymbolRefAttr parameter;

  int64_t getExtent() const {
    return parameter ? ShapedType::kDynamic : number;
  }
  Value get(OpBuilder &b, Location loc) const;
};

/// The choices of a kernel with one product.
struct ProductChoices {
  Choice rows, columns, depth, stages, threads;
  bool isShared = false; ///< by a product in front
};

/// The parameters of a module. Products of the same sizes share theirs.
class ProductParameters {
public:
  explicit ProductParameters(ModuleOp module) : module(module) {}
  ProductChoices get(const ProductEmitter &product, Type operand, bool tf32);

private:
  struct Default {
    int64_t value;
    int64_t onMma, onMfma, onWgmma; ///< 0: the same
  };
  Choice add(StringRef set, StringRef name, Default value,
             ArrayRef<int64_t> candidates, int64_t most);

  ModuleOp module;
  llvm::StringMap<ProductChoices> known;
};

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_PARAMETERS_H
