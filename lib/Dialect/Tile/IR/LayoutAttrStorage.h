//===- LayoutAttrStorage.h - the layout in #tile.layout ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_LAYOUTATTRSTORAGE_H
#define TILE_LIB_DIALECT_TILE_IR_LAYOUTATTRSTORAGE_H

#include "Tile/Layout/Layout.h"

#include "mlir/IR/AttributeSupport.h"

namespace mlir::tile::detail {

/// The key is the layout in its canonical form.
struct LayoutAttrStorage : AttributeStorage {
  using KeyTy = ::tile::layout::Layout;

  explicit LayoutAttrStorage(KeyTy key)
      : layout(std::move(key)), text(layout.str()) {}

  bool operator==(const KeyTy &key) const { return layout == key; }
  static llvm::hash_code hashKey(const KeyTy &key);
  static LayoutAttrStorage *construct(AttributeStorageAllocator &allocator,
                                      KeyTy &&key) {
    return new (allocator.allocate<LayoutAttrStorage>())
        LayoutAttrStorage(std::move(key));
  }

  KeyTy layout;
  std::string text; ///< what prints it
};

} // namespace mlir::tile::detail

#endif // TILE_LIB_DIALECT_TILE_IR_LAYOUTATTRSTORAGE_H
