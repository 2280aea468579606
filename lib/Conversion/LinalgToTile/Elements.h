//===- Elements.h - scalar code for elements of tensors ---------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_LINALGTOTILE_ELEMENTS_H
#define TILE_LIB_CONVERSION_LINALGTOTILE_ELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace mlir::tile {

/// Whether scalar code can be written for the body of the op: one block of ops
/// without regions on numbers, and results that are permutations of loops.
/// Otherwise `reason` says why not.
bool hasElementForm(linalg::LinalgOp op, std::string &reason);

/// Whether an element of the results is made of a few elements of the operands,
/// so that the tensor need not be stored.
bool isElementwise(Operation *op);

/// Whether the op moves elements and computes nothing.
bool isDataMovement(Operation *op);

/// Whether sums of the op are computed in f32 where its type is narrower: its
/// body adds, multiplies, or takes a maximum or minimum.
bool isWidened(linalg::LinalgOp op);

/// `lhs + rhs`, `lhs * rhs` and so on of indices: affine where that is known.
Value addIndex(OpBuilder &b, Location loc, Value lhs, OpFoldResult rhs);
Value mulIndex(OpBuilder &b, Location loc, Value lhs, OpFoldResult rhs);

/// The coordinates of element `index` of a shape. The first is not reduced
/// modulo its extent.
SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value index,
                               ArrayRef<OpFoldResult> shape);
Value linearize(OpBuilder &b, Location loc, ValueRange indices,
                ArrayRef<OpFoldResult> shape);
/// The indices behind a reshape that splits each dimension into a group of
/// those of `shape`, and behind one that makes one dimension of each group.
SmallVector<Value> expandIndices(OpBuilder &b, Location loc, ValueRange indices,
                                 ArrayRef<OpFoldResult> shape,
                                 ArrayRef<ReassociationIndices> groups);
SmallVector<Value> collapseIndices(OpBuilder &b, Location loc,
                                   ValueRange indices,
                                   ArrayRef<OpFoldResult> shape,
                                   ArrayRef<ReassociationIndices> groups);
/// How many elements there are.
OpFoldResult getVolume(OpBuilder &b, Location loc,
                       ArrayRef<OpFoldResult> shape);
/// A constant or a value as a value.
Value asValue(OpBuilder &b, Location loc, OpFoldResult number);

/// The results of an affine map, as index values.
SmallVector<Value> applyMap(OpBuilder &b, Location loc, AffineMap map,
                            ValueRange operands);

/// Extends or truncates a float.
Value convertFloat(OpBuilder &b, Location loc, Value value, Type type);

/// Writes code for elements into a kernel.
class ElementBuilder {
public:
  /// Null where the element is computed after all.
  using Element = std::function<Value(OpBuilder &, Location, ValueRange)>;

  /// Sizes and buffers are taken in front of an op.
  explicit ElementBuilder(Operation *op) : host(op) {}
  OpBuilder &getHost() { return host; }
  /// The kernel has been made.
  void moveHost(Operation *kernel) { host.setInsertionPoint(kernel); }

  /// Elements of this tensor are what `element` says, not what its op does.
  void bind(Value tensor, Element element) {
    bound[tensor] = std::move(element);
  }

  bool isBound(Value tensor) const { return bound.contains(tensor); }

  Value get(OpBuilder &b, Location loc, Value tensor, ValueRange indices);

  /// The buffer of a tensor that is stored.
  Value getBuffer(Value tensor);

  /// What the body yields at a point of the loops. The arguments are those of
  /// the operands, unless `arguments` has another value.
  SmallVector<Value> getBody(OpBuilder &b, linalg::LinalgOp op, ValueRange ivs,
                             IRMapping arguments = {});

  /// The element of one operand at a point of the loops.
  Value getOperand(OpBuilder &b, linalg::LinalgOp op, OpOperand &operand,
                   ValueRange ivs);

  /// The value of `result`, an op in the body or an argument.
  Value getInBody(OpBuilder &b, linalg::LinalgOp op, Value result,
                  ValueRange ivs, IRMapping &known, bool widened);

  /// Sizes, in host code.
  SmallVector<OpFoldResult> getSizes(Value tensor);
  SmallVector<OpFoldResult> getLoopSizes(linalg::LinalgOp op);

private:
  Value getMoved(OpBuilder &b, Location loc, Operation *op, ValueRange indices);

  OpBuilder host;
  DenseMap<Value, Element> bound;
  DenseMap<Value, Value> buffers;
};

} // namespace mlir::tile

#endif // TILE_LIB_CONVERSION_LINALGTOTILE_ELEMENTS_H
