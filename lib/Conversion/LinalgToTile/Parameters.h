//===- Parameters.h - what a tuner may choose in matrix products -*- C++
//-*-===//
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

/// The choices of a kernel with one product.
struct ProductChoices {
  Choice rows, columns, depth, stages, threads;
  bool isShared = false; ///< by a product in front
};

/// The choices of a kernel of attention.
struct AttentionChoices {
  Choice queries, keys, stages, threads;
  bool isShared = false; ///< by a kernel in front
};

/// The parameters of a module. Products of the same sizes share theirs, and so
/// do attentions.
class KernelParameters {
public:
  explicit KernelParameters(ModuleOp module) : module(module) {}
  ProductChoices get(const ProductEmitter &product, OpFoldResult batches,
                     Type operand, bool tf32);
  /// Of the product that `last` is behind a softmax. `depth` is the extent of a
  /// head.
  AttentionChoices getAttention(const ProductEmitter &last, OpFoldResult heads,
                                int64_t depth, Type operand);
  /// Whether so many blocks with large tiles are enough for a chip.
  bool fillsChip(int64_t blocks) const;
  /// The shared memory that a block has on every GPU.
  int64_t getSharedBytes() const;

private:
  struct Default {
    int64_t value;
    int64_t onMma, onMfma, onWgmma; ///< 0: the same
  };
  Choice add(StringRef set, StringRef name, Default value,
             ArrayRef<int64_t> candidates, int64_t most);

  ModuleOp module;
  llvm::StringMap<ProductChoices> known;
  llvm::StringMap<AttentionChoices> knownAttentions;
};

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_PARAMETERS_H
