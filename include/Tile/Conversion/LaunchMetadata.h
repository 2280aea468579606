//===- LaunchMetadata.h - the launch of a kernel ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the attribute `tile.launch` of a kernel from the function that the
// kernel comes from, and from the attribute the text for the runtime
// (docs/LaunchMetadata.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_LAUNCHMETADATA_H
#define TILE_CONVERSION_LAUNCHMETADATA_H

#include "Tile/Dialect/Tile/IR/Arguments.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::tile {

class LaunchMetadataBuilder {
public:
  explicit LaunchMetadataBuilder(FunctionOpInterface function);

  /// Numbers of the launch: symbols, or constants where the type of the
  /// argument has them. Sizes that `tile.shape` gives one name are one symbol.
  AffineExpr getSize(unsigned argument, unsigned dim);
  AffineExpr getStride(unsigned argument, unsigned dim);
  AffineExpr getScalar(unsigned argument);
  AffineExpr getMultiprocessors();
  /// A size or stride that must be a multiple of `multiple`.
  AffineExpr getMultiple(LaunchSymbolKind kind, unsigned argument, unsigned dim,
                         int64_t multiple);
  /// The least or greatest of two expressions.
  AffineExpr combine(LaunchSymbolKind kind, AffineExpr lhs, AffineExpr rhs);
  /// Whether this is certain; scalars may have any value.
  bool isNonNegative(AffineExpr expression) const;

  void addParameter(LaunchParameterKind kind, int64_t argument,
                    int64_t dim = -1);
  void addValue(AffineExpr value) {
    addExpression(LaunchParameterKind::Value, value);
  }
  /// `begin`, of a tensor in the workspace: the byte that it begins at.
  void addTensorMapParameter(int64_t map, AffineExpr begin = {});
  /// A pointer to a byte of the workspace.
  void addWorkspaceParameter(AffineExpr offset) {
    addExpression(LaunchParameterKind::Workspace, offset);
  }
  void addTensorMap(TensorMapAttr map) { maps.push_back(map); }

  struct Shape {
    StringRef kernel, runtime, chip;
    SmallVector<AffineExpr> grid;
    ArrayRef<int64_t> block, cluster = {};
    int64_t shared = 0;
    AffineExpr workspace = {}; ///< bytes; null: none
    /// Of the first element of a tensor in bytes, where `tile.align` gives
    /// none; 0: that of its type.
    int64_t align = 0;
    /// Of a version: the kernel that it is one of, and when it is taken.
    StringRef general = {};
    ArrayRef<FactAttr> conditions = {};
  };
  /// Null, with an error, if the program asks for what cannot be launched.
  LaunchAttr build(const Shape &shape);

private:
  /// The least value of a symbol that may have any.
  static constexpr int64_t kAny = std::numeric_limits<int64_t>::min();

  AffineExpr findOrAdd(LaunchSymbolKind kind, int64_t argument, int64_t dim,
                       int64_t multiple, ArrayRef<AffineExpr> values,
                       const Twine &name, int64_t least = kAny);
  /// Null where the symbol does not exist.
  AffineExpr find(LaunchSymbolKind kind, int64_t argument, int64_t dim,
                  int64_t multiple, ArrayRef<AffineExpr> values);
  void addExpression(LaunchParameterKind kind, AffineExpr value);
  /// What `tile.shape` says of a dynamic extent, or what else depends on it, or
  /// null.
  AffineExpr getStatedSize(unsigned argument, unsigned dim);
  LaunchArgumentAttr describe(unsigned argument, int64_t align);

  FunctionOpInterface function;
  ArgumentExtents extents;
  SmallVector<LaunchSymbolAttr> symbols;
  SmallVector<LaunchParameterAttr> parameters;
  SmallVector<TensorMapAttr> maps;
};

/// The name that the source gives to an argument, or nothing.
StringRef getArgumentName(BlockArgument argument);

/// The name that the runtime has for an element type or scalar.
std::string getRuntimeTypeName(Type type);

/// The text for the runtime. `versions` are those of the kernel, in the order
/// in which their conditions are tried; `copies`, a #world.copies or null, what a
/// device may do in its place.
std::string printLaunchMetadata(LaunchAttr launch,
                                ArrayRef<LaunchAttr> versions = {},
                                Attribute copies = {});

} // namespace mlir::tile

#endif // TILE_CONVERSION_LAUNCHMETADATA_H
