//===- LoopRewriter.h - multi-buffered loops --------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOASCEND_LOOPREWRITER_H
#define TILE_LIB_CONVERSION_TILETOASCEND_LOOPREWRITER_H

#include "PipelineParts.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace mlir::tile::ascend {

/// Of each memory, how many of the buffers stay one that would gain from being
/// several: the smallest ones.
using Singles = std::map<MemorySpace, unsigned>;

/// What replaces a loop by one with several iterations in flight has in common:
/// buffers that alternate, and copies of the body's ops for an iteration.
class LoopRewriter {
public:
  LoopRewriter(scf::ForOp loop, const Singles &singles)
      : loop(loop), b(loop), loc(loop.getLoc()), singles(singles) {}
  virtual ~LoopRewriter() = default;

  /// False if there is nothing to overlap, or no way to.
  virtual bool run() = 0;
  /// Gives the buffers in GM the tiles that they now have.
  void enlargeWorkspaces();
  unsigned getNumParts() const { return parts.size(); }
  unsigned getNumWorkspaces() const { return workspaces.size(); }

  /// The buffers of a memory that would gain from being several.
  unsigned getNumGaining(MemorySpace space) const {
    return numGaining.lookup(space);
  }

protected:
  /// The buffers of the loop, by the parts that touch them.
  llvm::MapVector<Value, SmallVector<unsigned, 4>> findTouched() const;
  /// The buffers of the loop alone that a transfer and another pipe touch, so
  /// that several ones overlap the two, but for those that stay one.
  DenseSet<Value> findGaining();
  void createVersions(Value buffer, int64_t count);
  /// Copies an op for an iteration, and before it the scalars that it uses.
  void clone(Operation *op, IRMapping &mapping, int64_t iteration);
  IRMapping mapIteration(Value iv, int64_t iteration);
  /// What `iv` is some iterations later.
  Value createVariable(Value iv, int64_t later);

  scf::ForOp loop;
  OpBuilder b;
  Location loc;
  SmallVector<LoopPart> parts;
  llvm::MapVector<Value, SmallVector<Value, 4>> versions;
  llvm::MapVector<memref::AllocOp, int64_t> workspaces; // their tiles
  Singles singles;

private:
  llvm::MapVector<MemorySpace, unsigned> numGaining;
  void moveToStage(memref::SubViewOp view, int64_t iteration);
};

/// The unrolled loop of `stages` iterations, whose remaining iterations follow.
/// With `movesSingles`, the loop's buffers that stay one may be elsewhere in
/// each iteration.
std::unique_ptr<LoopRewriter> createUnrolling(scf::ForOp loop, int64_t stages,
                                              const Singles &singles,
                                              bool movesSingles = false);

/// How many iterations later a part runs than the one that it takes a tile
/// from, at least.
struct PartDistances {
  int64_t fromCube, fromVector;
  int64_t fromCopy; // from the copy of a tile to what uses it
};

/// A loop whose steps run each part for another iteration; `unroll` of them
/// stand in its body.
std::unique_ptr<LoopRewriter> createStaggering(scf::ForOp loop, int64_t unroll,
                                               PartDistances distances,
                                               const Singles &singles);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_CONVERSION_TILETOASCEND_LOOPREWRITER_H
