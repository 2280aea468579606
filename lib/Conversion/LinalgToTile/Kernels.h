//===- Kernels.h - kernels of linalg ops on tensors -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_KERNELS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_KERNELS_H

#include "Elements.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::tile {

/// The attributes of a function's results, until they are those of arguments.
constexpr llvm::StringLiteral kResultAttrsName = "result_attributes";

//===----------------------------------------------------------------------===//
// What becomes one kernel
//===----------------------------------------------------------------------===//

/// A sum of products, in a body that adds the product of two values to the
/// result. Each of the two is computed from operands of its own.
struct Contraction {
  linalg::LinalgOp op;
  Value lhs, rhs; ///< in the body
  /// Loops of both, of the left one, of the right one, and those summed over.
  SmallVector<unsigned> batch, m, n, k;
  Type operand, sum; ///< element types of tile.gemm
  bool lhsUnsigned = false, rhsUnsigned = false;

  void swapSides();
  /// Makes batch loops of all rows but one, if that is a row.
  bool keepRow(unsigned loop);
  /// Whether the left operand depends on this operand of the op.
  bool readsOnLeft(OpOperand &operand) const;
  /// Whether an access is to a matrix, or a batch of them: rows (or columns)
  /// and what is summed over are neighbouring dimensions.
  bool isMatrix(AffineMap access, bool isLeft) const;
};
std::optional<Contraction> matchContraction(linalg::LinalgOp op);

/// The loops that a value in the body depends on; false where it depends on the
/// result.
bool collectLoops(linalg::LinalgOp op, Value value,
                  llvm::SmallBitVector &loops);

/// A reduction that tile.reduce knows: `value`, in the body, is combined.
struct Reduction {
  linalg::LinalgOp op;
  Value value;
  ReduceKind kind;
  bool propagateNaN = false, isUnsigned = false;
};
std::optional<Reduction> matchReduction(linalg::LinalgOp op);

/// Reductions over the same rows. What is stored is the last one, an
/// element-wise op behind them, or the product with what such an op computes.
struct RowGroup {
  linalg::LinalgOp last;
  /// In the order of the program; `last` is among them if it is one.
  SmallVector<Reduction> reductions;
  /// Those whose rows and columns are those of the reductions. Then `last` is a
  /// contraction, too, which sums over these columns.
  SmallVector<Contraction, 1> products;
  /// Ops with one element for each row, which others read, too: the kernel
  /// stores their results beside that of `last`.
  SmallVector<linalg::LinalgOp> stored;
  /// Those others, where they can and must be moved behind the kernel.
  SmallVector<Operation *> moved;
  /// For each of the ops, the loops that are the rows; the columns only if
  /// there are products.
  DenseMap<Operation *, SmallVector<int>> rows, columns;
};

/// Ops behind the one that a kernel computes, up to the one whose result is
/// stored. Each has the result of the one before as its only use.
using Chain = SmallVector<Operation *>;
Chain findChain(Value computed);

/// The index in the result of the chain's end of the element that `indices`
/// have in `computed`.
SmallVector<Value> followChain(ElementBuilder &elements, OpBuilder &b,
                               Location loc, Value computed, const Chain &chain,
                               ValueRange indices);

//===----------------------------------------------------------------------===//
// Writing kernels
//===----------------------------------------------------------------------===//

/// A number of a kernel: fixed, or the value of a parameter.
struct Choice {
  Choice(int64_t number = 0, FlatSymbolRefAttr parameter = {})
      : number(number), parameter(parameter) {}

  int64_t number; ///< of a parameter, the largest candidate
  FlatSymbolRefAttr parameter;

  int64_t getExtent() const {
    return parameter ? ShapedType::kDynamic : number;
  }
  Value get(OpBuilder &b, Location loc) const;
  /// Whether tiles of this extent cover another one exactly. Candidates are
  /// powers of two.
  bool divides(OpFoldResult extent) const;
  /// `index` times this number.
  Value scale(OpBuilder &b, Location loc, Value index) const;
};

/// Sets an attribute to a number, or says which parameter it is.
void setChoice(Operation *op, StringAttr attribute, const Choice &choice);

/// A kernel with one block for each tile of a shape, and the tile's offsets.
/// What is in front of the first dimension whose tile is a parameter is the
/// last dimension of the grid.
struct TiledKernel {
  KernelOp kernel;
  SmallVector<Value> offsets;
};
TiledKernel createTiledKernel(OpBuilder &b, Location loc,
                              ArrayRef<OpFoldResult> shape,
                              ArrayRef<Choice> tile,
                              const Choice &threads = 128);

/// A pipelined loop in steps of `width`; the body gets where each begins. With
/// an `end`, which the kernel computes, it stops there.
void createPipelined(OpBuilder &b, OpBuilder &host, Location loc,
                     OpFoldResult volume, const Choice &width,
                     const Choice &stages,
                     function_ref<void(OpBuilder &, Value)> body,
                     Value end = {});

void createParallel(OpBuilder &b, Location loc, ArrayRef<Choice> extents,
                    function_ref<void(OpBuilder &, ValueRange)> body);

Value createTile(OpBuilder &b, Location loc, ArrayRef<Choice> shape,
                 Type element, MemorySpace space);

/// So few iterations are written one after the other, as of a pooling window.
constexpr int64_t kUnrolled = 16;

/// The buffers that results of `op` go to, in front of a kernel. `finish`
/// replaces the results by what was stored.
class Outputs {
public:
  Outputs(OpBuilder &b, Operation *op);
  void store(OpBuilder &b, Location loc, unsigned result, Value value,
             ValueRange indices) const;
  Value getBuffer(unsigned result) const { return buffers[result]; }
  void finish(OpBuilder &b);

private:
  Operation *op;
  SmallVector<Value> buffers;
};

/// A kernel in place of a copy between buffers.
void emitCopy(memref::CopyOp copy);
void emitElements(Operation *computed, const Chain &chain);
/// With a group, the left operand is what the group computes.
class KernelParameters;
void emitContraction(const Contraction &contraction, const RowGroup *group,
                     const Chain &chain, bool tf32,
                     KernelParameters &parameters);
/// Writes a kernel with parameters if both operands are matrices in memory.
bool emitMatrixProduct(const Contraction &contraction, const Chain &chain,
                       bool tf32, KernelParameters &parameters);
/// Writes a kernel for a convolution of images in memory, channels innermost.
bool emitWindowProduct(const Contraction &contraction, const Chain &chain,
                       KernelParameters &parameters);
void emitRows(const RowGroup &group, const Chain &chain);

/// Compares positions as indices, so that bounds of a mask can be those of a
/// loop. Extents of what frontends number with 32 bits are below 2^31.
void compareIndices(KernelOp kernel);

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_KERNELS_H
