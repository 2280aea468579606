//===- Launch.h - launch parameters of a kernel -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the parameters of a kernel while it is lowered, and describes its launch
// by the attribute `tile.launch`.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_LAUNCH_H
#define TILE_CONVERSION_TILETOSIMT_LAUNCH_H

#include "Tile/Conversion/LaunchMetadata.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <map>
#include <tuple>

namespace mlir::tile::simt {

/// A tensor map: which box of which buffer it describes.
struct TensorMapSpec {
  /// An argument of the function, or a workspace that it allocates.
  Value buffer;
  /// Its type, or that of a reshape of it, which is static.
  MemRefType type;
  /// Of the box, like the memref: outermost dimension first.
  SmallVector<int64_t> box;
  int64_t swizzleBytes; // 0: none
  bool operator==(const TensorMapSpec &o) const {
    return buffer == o.buffer && type == o.type && box == o.box &&
           swizzleBytes == o.swizzleBytes;
  }
};

class LaunchBuilder {
public:
  /// The kernel of `function` begins with no parameters.
  LaunchBuilder(func::FuncOp host, KernelOp kernel, gpu::GPUFuncOp function,
                const ::tile::target::GPUSpec &gpu)
      : host(host), kernel(kernel), function(function), gpu(gpu),
        metadata(host) {}

  /// Parameters, made when first asked for.
  Value getPointer(unsigned argument);
  Value getScalar(unsigned argument);
  Value getSize(unsigned argument, unsigned dim);   // index
  Value getStride(unsigned argument, unsigned dim); // index
  /// Launches are checked for a dynamic size or stride to be a multiple.
  void requireMultiple(LaunchSymbolKind kind, unsigned argument, unsigned dim,
                       int64_t multiple) {
    metadata.getMultiple(kind, argument, dim, multiple);
  }
  /// Of a workspace, it has a pointer, too: getWorkspace succeeded.
  Value getTensorMap(const TensorMapSpec &spec);
  /// A pointer to what the function allocates there; fails with an error at the
  /// kernel where an extent has no expression.
  FailureOr<Value> getWorkspace(AllocOp alloc);

  /// The bytes of which the address of an argument is a multiple: where
  /// nothing else is known, those of the widest access of a thread.
  int64_t getAlignment(unsigned argument);

  struct Shape {
    ArrayRef<OpFoldResult> grid;
    int64_t threads, sharedBytes;
    ArrayRef<int64_t> cluster;
    bool persistent;
    StringRef general; ///< the kernel of which it is a version, or itself
  };
  /// Writes the attributes of the kernel. `runtime` launches it.
  LogicalResult finish(Operation *kernel, const Shape &shape, StringRef runtime,
                       StringRef chip);

private:
  /// Adds a parameter where there is none yet; says whether it did.
  bool add(Value &value, Type type, ArrayRef<NamedAttribute> argAttrs = {});
  Value getIndex(LaunchParameterKind kind, unsigned argument, unsigned dim);
  /// The expression of host code; fails, with an error at `op`, where the code
  /// has no such form.
  FailureOr<AffineExpr> express(Operation *op, OpFoldResult value);
  FailureOr<AffineExpr> expressValue(Operation *op, Value value);
  FailureOr<AffineExpr> expressDim(memref::DimOp dim);
  /// Where the buffer begins among all of the function, or for null their end.
  FailureOr<AffineExpr> expressOffset(AllocOp end);
  FailureOr<AffineExpr> expressSelect(Operation *user, arith::SelectOp op);
  FailureOr<AffineExpr> expressApply(Operation *user,
                                     affine::AffineApplyOp op);
  /// What the host knows of its extents.
  AffineExpr describeExtent(const TensorMapSpec &spec, unsigned dim);
  TensorMapAttr describeTensorMap(const TensorMapSpec &spec);

  func::FuncOp host;
  KernelOp kernel;
  gpu::GPUFuncOp function;
  const ::tile::target::GPUSpec &gpu;
  LaunchMetadataBuilder metadata;
  DenseMap<Value, AffineExpr> expressions;
  /// The parameters: kind, argument or tensor map, dimension.
  std::map<std::tuple<LaunchParameterKind, unsigned, unsigned>, Value> values;
  DenseMap<AllocOp, Value> workspaces;
  SmallVector<TensorMapSpec> maps;
};

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_LAUNCH_H
