//===- Launch.h - what a kernel is launched with ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the parameters of a kernel while it is lowered, and writes the
// attribute `tile.launch`, a dictionary with the members of
// docs/LaunchMetadata.md.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_LAUNCH_H
#define TILE_CONVERSION_TILETOSIMT_LAUNCH_H

#include "Tile/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tile::simt {

/// A tensor map: which box of which argument it describes.
struct TensorMapSpec {
  unsigned argument;
  /// Of the box, like the memref: outermost dimension first.
  SmallVector<int64_t> box;
  int64_t swizzleBytes; // 0: none
  bool operator==(const TensorMapSpec &o) const {
    return argument == o.argument && box == o.box &&
           swizzleBytes == o.swizzleBytes;
  }
};

class LaunchBuilder {
public:
  /// The kernel of `function` begins with no parameters. Tensors begin where
  /// the widest access of a thread may.
  LaunchBuilder(func::FuncOp host, gpu::GPUFuncOp function,
                const ::tile::target::GPUSpec &gpu)
      : host(host), function(function), gpu(gpu) {}

  /// Parameters, made when first asked for.
  Value getPointer(unsigned argument);
  Value getScalar(unsigned argument);
  Value getSize(unsigned argument, unsigned dim);   // index
  Value getStride(unsigned argument, unsigned dim); // index
  Value getTensorMap(const TensorMapSpec &spec);

  /// The expression of host code in the notation of the metadata; none, with an
  /// error at `op`, if it has no such form.
  FailureOr<Attribute> getExpression(Operation *op, OpFoldResult value);

  struct Shape {
    ArrayRef<OpFoldResult> grid;
    int64_t threads, sharedBytes;
    ArrayRef<int64_t> cluster;
    bool persistent;
  };
  /// Writes the attributes of the kernel. `runtime` launches it.
  LogicalResult finish(Operation *kernel, const Shape &shape, StringRef runtime,
                       StringRef chip);

private:
  Value add(Type type, DictionaryAttr how, const Twine &key,
            ArrayRef<NamedAttribute> argAttrs = {});
  std::string useSymbol(const Twine &name, ArrayRef<NamedAttribute> how);
  std::string sizeSymbol(unsigned argument, unsigned dim);
  FailureOr<std::string> express(Operation *op, OpFoldResult value);
  FailureOr<std::string> expressAffine(Operation *op, AffineExpr expr,
                                       ValueRange dims, ValueRange symbols);
  DictionaryAttr describeArgument(unsigned argument);
  DictionaryAttr describeTensorMap(const TensorMapSpec &spec);

  func::FuncOp host;
  gpu::GPUFuncOp function;
  const ::tile::target::GPUSpec &gpu;
  SmallVector<Attribute> parameters, symbols;
  llvm::StringMap<Value> values;
  llvm::StringSet<> symbolNames;
  SmallVector<TensorMapSpec> maps;
};

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_LAUNCH_H
