//===- Hazards.h - hazards in memory ----------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses of shared or global memory by one block conflict if they may
// touch the same bytes, one of them writes, and different threads or engines do
// them. A barrier must stand between the two. The analysis runs through a kernel
// in program order, several times through loops, and keeps what no barrier has
// settled yet:
//
//   access a   pending { a }
//   barrier    pending { }
//   access b   pending { b }
//   access c   conflicts with b: a barrier is missing before c
//
// What counts as settled without a barrier: what an asynchronous copy by a
// tensor engine brings (all threads wait for it, or for the stage that it
// signals), stages between wait and release, and what the same thread did.
// Global memory that a kernel only reads has no hazards; different arguments do
// not overlap, and what different blocks, or points of `tile.persistent`, do to
// one buffer is for `tile-verify-semantics`.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ANALYSIS_HAZARDS_H
#define TILE_ANALYSIS_HAZARDS_H

#include "Tile/Analysis/Dependence.h"

#include <vector>

namespace mlir::tile {

/// A GPU: threads, and the engines to which they hand copies and matrix
/// products.
class GPUSyncModel : public SyncModel {
public:
  /// The engine of the chosen instruction.
  std::optional<::tile::target::Engine>
  getEngine(Operation *op) const override;
  std::optional<SyncEvent> getSync(Operation *op) const override;
  bool isOrdered(Operation *, Operation *,
                 ::tile::target::Engine) const override {
    return false;
  }

  /// Whether the engine reads and writes shared memory through a path of its
  /// own, the asynchronous proxy.
  static bool isProxy(::tile::target::Engine engine) {
    return engine == ::tile::target::Engine::TMA ||
           engine == ::tile::target::Engine::Tensor;
  }
};

/// Whether the engine of the chosen instruction is of the asynchronous proxy.
bool runsOnProxy(Operation *op);

struct MemoryAccess {
  /// What touches memory, and the op at the level of the schedule: they differ
  /// inside of `tile.parallel`.
  Operation *op, *anchor;
  Access access;
  ::tile::target::Engine engine;
  /// The stage goes back to the producer, who will overwrite it.
  bool isRelease = false;

  bool writes() const { return access.kind != AccessKind::Read; }
  bool isGlobal() const {
    return getMemorySpace(access.region.buffer) == MemorySpace::Global;
  }
  /// A tensor copy from shared to global memory reads or writes it, until
  /// `tile.store_wait`, for what it writes a complete one.
  bool isTensorStore() const {
    return engine == ::tile::target::Engine::TMA && writes() == isGlobal() &&
           isa<CopyOp, AtomicOp>(op);
  }
};

/// A barrier that must stand immediately before `before`.
struct MissingBarrier {
  Operation *before;
  MemoryAccess first, second;
  /// The loop whose later iteration `second` belongs to; null if they are in
  /// the same.
  Operation *loop;
  /// The second access is one of the asynchronous proxy, of global memory.
  bool isAsync, isGlobal;
  /// The first access is an asynchronous copy that nothing waited for, or that
  /// belongs to no group yet.
  bool waits, commits;
  /// It is a tensor copy that may still read, or write.
  bool waitsForStores, completesStores;
  /// Without it, waits and commits are enough: each thread touches what it
  /// copied itself.
  bool meets;
};

/// The barriers that are missing in the kernel, in program order: as few as
/// possible in loops, and as late as possible otherwise.
std::vector<MissingBarrier> findMissingBarriers(KernelOp kernel);

/// "the write of tile.copy", "the read of memref.load"; for messages.
std::string describe(const MemoryAccess &access);

} // namespace mlir::tile

#endif // TILE_ANALYSIS_HAZARDS_H
