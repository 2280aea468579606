//===- AccessSystem.h - executions and the elements they touch --*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions such as "can two iterations touch the same element" and "can this index leave the buffer" are integer sets: the
// executions of one or two accesses, with the ranges of the loops and the guards around them, and conditions on their
// indices. An AccessSystem builds such a set and decides with MLIR's Presburger library whether it is empty.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_ACCESSSYSTEM_H
#define TILE_ANALYSIS_ACCESSSYSTEM_H

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Uniformity.h"
#include "Tile/Dialect/Tile/IR/Arguments.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/IR/AffineExpr.h"

namespace mlir::tile {

/// The range of one induction variable.
struct LoopRange {
  Value iv;
  /// All of the lower bounds hold, and all of the upper bounds.
  AffineMap lower, upper;
  SmallVector<Value> lowerOperands, upperOperands;
  OpFoldResult step;
};

/// The ranges of the induction variables of a loop or kernel; nothing if `op` is something else.
std::optional<SmallVector<LoopRange>> getLoopRanges(Operation *op);

/// The element of a buffer that an access touches, reduced to the buffer at the start of all views: either one coordinate
/// for each dimension of `base`, or, where a view changes the shape, the address of its first bit.
struct ElementAddress {
  Value base;
  SmallVector<AffineExpr> coordinates;
  AffineExpr bit;
  int64_t numBits = 0;
};

/// A conjunction of affine conditions over the values of a program.
class AccessSystem {
public:
  /// Values that are computed in `scope` exist once for each execution (an "instance" below); all others, and those that
  /// are computed from them alone, are the same for all executions. Without a scope there is one execution.
  explicit AccessSystem(MLIRContext *context, Region *scope = nullptr)
      : context(context), scope(scope) {}

  /// `value` in the given execution as an affine expression of the variables of the system; null if it is none.
  AffineExpr getExpr(Value value, unsigned instance);
  AffineExpr getExpr(OpFoldResult value, unsigned instance);
  /// The only result of `map`.
  AffineExpr getExpr(AffineMap map, ValueRange operands, unsigned instance);

  /// The extent of a buffer; null if it is dynamic and the buffer made anew in each execution.
  AffineExpr getExtent(Value buffer, unsigned dim);

  /// A fresh variable.
  AffineExpr addVariable();

  void addNonNegative(AffineExpr expr) { add(expr, /*isEquality=*/false); }
  void addZero(AffineExpr expr) { add(expr, /*isEquality=*/true); }

  /// Adds that the execution reaches `op`: the ranges of the loops around it, affine guards, and the assumptions before it,
  /// out to the kernel or function. Where a guard is not affine, the system is larger than the truth and not exact.
  void addDomain(Operation *op, unsigned instance);

  /// Adds that a condition holds, or that it does not. One that is not affine leaves the system as it is, and inexact.
  void addCondition(Value condition, bool holds, unsigned instance);

  /// Adds a fresh element of the region and returns one expression for each dimension; null for what is not affine.
  SmallVector<AffineExpr> addElement(const BufferRegion &region,
                                     unsigned instance);

  /// Adds that the coordinates lie in the bounds of the buffer.
  void addInBounds(Value buffer, ArrayRef<AffineExpr> coordinates);

  /// Follows the views of a buffer; coordinates that cannot be followed are null.
  ElementAddress getAddress(Value buffer, ArrayRef<AffineExpr> coordinates,
                            unsigned instance);

  /// Adds that two elements of the same base buffer share a bit.
  void addSameElement(ElementAddress a, ElementAddress b);

  void setInexact() { exact = false; }
  bool isExact() const { return exact; }

  /// Whether there is no such execution. Sound for inexact systems: they are too large.
  bool isEmpty() const;

  /// Whether there is such an execution, whatever the unknown values are. Dynamic extents of buffers and iteration spaces
  /// are taken to be at least 2, and loops to run. Never true of an inexact system.
  bool isProvenNonEmpty() const;

  /// The values of `exprs` in one solution, a small one where possible.
  std::optional<SmallVector<int64_t>>
  getExample(ArrayRef<AffineExpr> exprs) const;

private:
  struct Variable {
    bool isUnknown;
    bool isNonNegative;
  };
  struct Constraint {
    AffineExpr expr;
    bool isEquality;
  };

  void add(AffineExpr expr, bool isEquality);
  AffineExpr addVariable(Variable variable);
  bool isShared(Value value);
  AffineExpr buildExpr(Value value, unsigned instance);
  AffineExpr buildExpr(Operation *op, unsigned instance);
  AffineExpr buildBounded(Operation *op, unsigned instance);
  AffineExpr buildRemainder(Operation *op, unsigned instance);
  bool isNonNegative(AffineExpr expr) const;
  bool isUnknownOnly(AffineExpr expr) const;
  void addRange(const LoopRange &range, unsigned instance, int64_t leastTrips);
  void addGuard(Operation *parent, Block *block, unsigned instance);
  void addComparison(Operation *comparison, bool holds, unsigned instance);
  void addAssumptions(Operation *op, unsigned instance);
  void addFacts(KernelOp kernel);
  void addMultiple(AffineExpr extent, int64_t min, int64_t multiple);
  void assume(AffineExpr expr);
  AffineExpr linearize(MemRefType type, ArrayRef<AffineExpr> coordinates) const;
  presburger::IntegerPolyhedron build(bool unknownsAreSymbols) const;

  MLIRContext *context;
  Region *scope;
  SmallVector<Variable> variables;
  SmallVector<Constraint> constraints;
  /// What holds of the unknown values beside the constraints.
  SmallVector<AffineExpr> assumptions;
  DenseMap<std::pair<Value, unsigned>, AffineExpr> exprs;
  /// Of the question that is being answered, and how deep it is nested.
  DenseSet<std::pair<Value, unsigned>> missing;
  unsigned depth = 0;
  DenseMap<std::pair<Value, unsigned>, AffineExpr> extents;
  DenseMap<Value, bool> shared;
  /// Of the function whose arguments have been asked for.
  std::optional<ArgumentExtents> arguments;
  Uniformity uniformity;
  bool exact = true;
};

} // namespace mlir::tile

#endif // TILE_ANALYSIS_ACCESSSYSTEM_H
