//===- SelectInstructions.h - parts of tile-select-instructions -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each sets `instruction` on one op and remarks it. They fail, with an error,
// only where a `prefer` cannot be followed.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_SELECTINSTRUCTIONS_H
#define TILE_LIB_TRANSFORMS_SELECTINSTRUCTIONS_H

#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Layout/Distribute.h"

namespace mlir::tile {

/// How warps share a tile of m x n. Each has whole multiples of stepM x stepN;
/// those beyond the grid wait.
::tile::layout::WarpGrid chooseWarpGrid(int64_t warps, int64_t m, int64_t n,
                                        int64_t stepM, int64_t stepN,
                                        WarpPolicy policy);
/// A product that warpgroups are to compute.
struct WarpgroupProduct {
  Value a, b;
  bool transposeA, transposeB;
  WarpPolicy policy;
  int64_t m, n, warps;
};
/// The instruction among `whole`, which findMma has found and are not empty;
/// fails where the operands are not as it takes them.
::tile::layout::Result<MmaAttr>
selectWarpgroupMma(const WarpgroupProduct &product,
                   ArrayRef<::tile::target::MmaChoice> whole,
                   const ::tile::target::Target &target);
/// A gemm to a tile that was just filled with zeros gets `clear` instead.
void foldFills(KernelOp kernel);
LogicalResult selectGemm(GemmOp gemm, const ::tile::target::Target &target);
/// Gives gemms of instructions that several warps execute one of a warp, which
/// takes its operands from registers, too; whether there is such a gemm. What
/// the program asked for stays.
bool selectWarpGemms(KernelOp kernel, const ::tile::target::Target &target);
/// Whether the fastest matrix instructions of the target compute the gemm.
bool takesFastestFamily(GemmOp gemm, const ::tile::target::Target &target);
/// Swaps A and B of gemms that the fastest instructions compute only then.
/// Copies with `tile.cluster_sum` become loops over the elements.
void storeClusterSums(KernelOp kernel);
void swapOperands(KernelOp kernel, const ::tile::target::Target &target);
/// Divides a tile whose columns two gemms of a loop read, and which has two
/// stages, with all that it is multiplied with.
LogicalResult divideColumns(KernelOp kernel,
                            const ::tile::target::Target &target);
/// Loads A to registers where gemms read the same rows again and again.
LogicalResult keepOperands(KernelOp kernel,
                           const ::tile::target::Target &target);
CopyOp createWholeCopy(OpBuilder &b, Location loc, Value from, Value to);
/// `async`: asynchronous ones where iterations overlap.
LogicalResult selectCopy(CopyOp copy, const ::tile::target::Target &target,
                         bool async);
/// Asynchronous rows where iterations of a loop overlap.
void selectGather(Operation *op, const ::tile::target::Target &target);
/// Whether `op` is a gather whose rows may be asynchronous.
bool isPipelinedGather(Operation *op, const ::tile::target::Target &target);
/// Whether a producer that only gathers in loops can load the target in front
/// of them.
bool isLoadedBesideGathers(CopyOp copy, const ::tile::target::Target &target);
/// Gives what is written behind the loops a tile of its own, where such a
/// producer could load the tile's first contents.
void separateTiles(KernelOp kernel, const ::tile::target::Target &target);
/// What the sizes of buffers decide about a copy.
struct CopyForm {
  TransferAttr instruction; ///< where it may be asynchronous
  bool hasTensor;           ///< a tensor map can describe the target
  bool operator==(const CopyForm &other) const {
    return instruction == other.instruction && hasTensor == other.hasTensor;
  }
};
CopyForm getCopyForm(CopyOp copy, const ::tile::target::Target &target);
/// Makes the copy one of `tma`, or says why not.
::tile::layout::Status selectTensorCopy(CopyOp copy,
                                        const ::tile::target::Target &target);
/// What a copy of a pipelined loop is that no tensor copy may do: asynchronous
/// copies of threads, or nothing where these are not worth it.
TransferAttr selectThreadCopy(CopyOp copy,
                              const ::tile::target::Target &target);
/// Lets a copy of sums to global memory go through a shared tile, if it can.
LogicalResult stageStore(CopyOp copy, const ::tile::target::Target &target);
/// Lets the copy engine add sums to global memory, out of a shared tile.
LogicalResult stageAtomic(AtomicOp op, const ::tile::target::Target &target);

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_SELECTINSTRUCTIONS_H
