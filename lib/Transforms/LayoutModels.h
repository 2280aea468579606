//===- LayoutModels.h - layout models of tile ops ---------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_LAYOUTMODELS_H
#define TILE_LIB_TRANSFORMS_LAYOUTMODELS_H

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/LayoutState.h"

namespace mlir::tile {

std::vector<int64_t> getShapeOf(Value buffer);

/// The text of a layout, for messages.
std::string describe(const std::optional<::tile::layout::Layout> &layout);

/// The form in which columns and rows of a shared tile are read without
/// conflicts, by the banks of the chip.
::tile::layout::Result<::tile::layout::Layout>
getSwizzledTile(Value buffer, const ::tile::target::GPUSpec &gpu);

/// How many elements the widest access of a thread has.
int64_t getVectorLimit(int64_t elementBits,
                       const ::tile::target::GPUSpec &gpu);

/// A fragment that nothing constrains; see tile::layout::coalesced.
::tile::layout::Result<::tile::layout::Layout>
getCoalescedLayout(Value buffer, const LayoutState &state, int within = -1);

/// The layout of a view, given that of the buffer behind all views of it;
/// nothing where one of them hides it.
std::optional<::tile::layout::Layout>
getLayoutOfView(Value view, const ::tile::layout::Layout &base);

void attachParallelLayoutModel(MLIRContext &context);
void registerViewLayoutModels(DialectRegistry &registry);

//===----------------------------------------------------------------------===//
// Fragments in tile.parallel
//===----------------------------------------------------------------------===//

/// An access in a loop to the element of a fragment that each iteration names
/// by its own variables.
struct FragmentAccess {
  Operation *op;
  Value buffer;
  /// For each dimension of the buffer the loop's dimension, or -1 for the only
  /// index of an extent of 1.
  SmallVector<int> dims;
  bool reads, writes;
};

/// The access of `op` to a fragment as one of `loop`'s; nothing if the indices
/// are no different variables of the loop, or can leave the fragment.
std::optional<FragmentAccess> matchFragmentAccess(ParallelOp loop,
                                                  Operation *op);

/// All of the loop's accesses that match, in program order.
SmallVector<FragmentAccess> getFragmentAccesses(ParallelOp loop,
                                                const LayoutState &state);

/// Whether an iteration reads memory and updates the same buffer, or uses the
/// old value of an atomic: it must run in one thread, because another thread
/// with a copy of it could read what the first one wrote.
bool updatesMemory(ParallelOp loop);

/// The layout of the accessed fragment, seen from the iterations.
::tile::layout::Result<::tile::layout::Layout>
getLayoutInLoop(const FragmentAccess &access, ParallelOp loop,
                const ::tile::layout::Layout &fragment);

/// The layout of the fragment under which each iteration finds its element in
/// its own thread.
::tile::layout::Result<::tile::layout::Layout>
getLayoutFromLoop(const FragmentAccess &access,
                  const ::tile::layout::Layout &loop);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_LAYOUTMODELS_H
