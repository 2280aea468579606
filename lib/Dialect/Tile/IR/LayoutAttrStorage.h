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

/// A layout in its canonical form, which is the key.
struct LayoutAttrStorage : AttributeStorage {
  using KeyTy = ::tile::layout::Layout;

  explicit LayoutAttrStorage(KeyTy layout) : layout(std::move(layout)) {}

  bool operator==(const KeyTy &key) const { return layout == key; }
  static llvm::hash_code hashKey(const KeyTy &key);
  static LayoutAttrStorage *construct(AttributeStorageAllocator &allocator,
                                      KeyTy &&key) {
    return new (allocator.allocate<LayoutAttrStorage>())
        LayoutAttrStorage(std::move(key));
  }

  KeyTy layout;
};

} // namespace mlir::tile::detail

#endif // TILE_LIB_DIALECT_TILE_IR_LAYOUTATTRSTORAGE_H
