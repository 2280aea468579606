//===- ParallelParts.h - taking loops apart ---------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_PARALLELPARTS_H
#define TILE_LIB_CONVERSION_TILETOASCEND_PARALLELPARTS_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::tile::ascend {

// SplitParallel.cpp

/// A loop at the insertion point, with an empty body and the attributes of
/// `like`.
ParallelOp createParallel(OpBuilder &b, Location loc, ArrayRef<int64_t> extents,
                          ParallelOp like = {});
/// A tile of UB at the insertion point.
Value createScratch(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                    Type element);

// ParallelBranches.cpp

/// Moves what is the same for all iterations before the loop.
void hoistUniform(ParallelOp op);
/// The dimensions of the loop that the values depend on.
llvm::SmallBitVector getDependence(ParallelOp op, ValueRange values);
/// Whether one iteration has to come after the other: a branch that cannot be a
/// selection, or the bounds of a loop, depend on what iterations write; a loop
/// carries an index, or has no number of iterations.
bool needsSerialLoops(ParallelOp op);
/// Leaves no branch whose condition, and no loop whose bounds differ between
/// iterations: branches become selections; where they cannot, dimensions of
/// `op` become loops around it.
LogicalResult flattenBranches(ParallelOp op);

// ExclusiveStores.cpp

/// Whether a store to GM may keep the old values of iterations that do not
/// store: no other iteration and no other block writes them, and they are
/// loaded as rows.
bool isExclusive(memref::StoreOp store);

// ParallelRegions.cpp

/// Takes branches and loops, which are the same for all iterations, out of the
/// loop; appends what is left of it.
LogicalResult splitRegions(ParallelOp op, SmallVectorImpl<ParallelOp> &done);

// WideIntegers.cpp

/// Makes loops of the scalar unit of reductions and scans of 64-bit integers.
void expandWideLines(KernelOp kernel);

// ExpandFunctions.cpp

/// Functions in the loop that no instruction and no formula computes, as
/// selections between others, and those of integers.
void expandFunctions(ParallelOp op);

// ParallelExtents.cpp

/// Divides the iteration space where vectors of all iterations do not fit UB.
void cutToFit(ParallelOp op);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_PARALLELPARTS_H
