//===- ClusterSum.cpp - sums over the blocks of a cluster -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fragment lies in the same registers of the same threads in all blocks. Each
// thread writes its registers to shared memory; behind a barrier of the
// cluster, the threads of a block read some registers of all blocks, add them
// up and run the iterations for them. So each block reads as much of the others
// as it leaves to them, and no address depends on the layout. Where iterations
// lie otherwise than elements, the first block runs all of them.
//
//===----------------------------------------------------------------------===//

#include "ClusterSum.h"

#include "Steps.h"

#include "Tile/Conversion/TileToSIMT/ClusterTarget.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Transforms/ClusterSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

namespace {
class ClusterSumEmitter {
public:
  ClusterSumEmitter(ParallelOp loop, const Buffer &summand,
                    const ClusterTarget &clusters, KernelLowering &l);
  void emit(const ThreadMap &map, SmallVectorImpl<Operation *> &clones);

private:
  /// Where a thread has `width` registers from `reg` on.
  Value getOffset(int64_t reg);
  SmallVector<int64_t> getRegisters(int64_t first) {
    return llvm::to_vector(llvm::seq(first, first + width));
  }
  void shareRegisters();
  void addUp(int64_t first, int64_t last);

  ParallelOp loop;
  const Buffer &summand;
  const ClusterTarget &clusters;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  Buffer room;
  int64_t blocks, registers;
  int64_t share, width; // registers of a block, and of a vector
};
} // namespace

/// Whether a thread has an iteration in the number of the register that has its
/// element.
static bool isShared(ParallelOp loop, const Buffer &summand) {
  if (!loop.getLayoutAttr())
    return false;
  std::string own = getTileLayout(loop.getLayoutAttr()).str();
  if (summand.layout.str() == own)
    return true;
  if (summand.layout.rank() != 2)
    return false;
  auto swapped = ::tile::layout::permute(summand.layout, {1, 0});
  return swapped && swapped->str() == own;
}

ClusterSumEmitter::ClusterSumEmitter(ParallelOp loop, const Buffer &summand,
                                     const ClusterTarget &clusters,
                                     KernelLowering &l)
    : loop(loop), summand(summand), clusters(clusters), l(l), b(l.builder()),
      loc(loop.getLoc()),
      blocks(loop->getAttrOfType<IntegerAttr>(kClusterSumAttrName).getInt()),
      registers(summand.layout.axisSize(::tile::layout::Axis::Reg)),
      share(isShared(loop, summand) ? llvm::divideCeil(registers, blocks)
                                    : registers),
      width(l.getGPU().vectorBytes * 8 / getElementBits(summand.element)) {
  while (share % width != 0 || registers % width != 0)
    width /= 2;
  int64_t elements = registers * l.threads().size();
  room.space = MemorySpace::Shared;
  room.element = summand.element;
  room.shape = {elements};
  room.layout = *::tile::layout::Layout::rowMajor({elements});
  room.base = l.getArena(
      loc, loop->getAttrOfType<IntegerAttr>(kClusterRoomAttrName).getInt());
}

Value ClusterSumEmitter::getOffset(int64_t reg) {
  Value first = l.i32(loc, reg / width * l.threads().size());
  Value vector = b.createOrFold<arith::AddIOp>(loc, first, l.threads().thread);
  return b.createOrFold<arith::MulIOp>(loc, vector, l.i32(loc, width));
}

void ClusterSumEmitter::shareRegisters() {
  // What lay there before has been read, by tensor stores, too.
  l.getSIMT().finishKernel(l, loc);
  l.barrier(loc);
  for (int64_t reg = 0; reg < registers; reg += width)
    l.store(loc,
            width == 1 ? l.loadRegister(loc, summand, reg)
                       : l.loadRegisters(loc, summand, getRegisters(reg)),
            room, getOffset(reg), width);
  clusters.barrier(l, loc);
}

/// In the order of the blocks, which is the same in all of them.
void ClusterSumEmitter::addUp(int64_t first, int64_t last) {
  SmallVector<Buffer, 0> rooms(blocks, room);
  for (auto [block, place] : llvm::enumerate(rooms))
    place.base = clusters.getPlace(l, loc, room.base, l.i32(loc, block));
  for (int64_t reg = first; reg < last; reg += width) {
    Value sum;
    for (const Buffer &place : rooms) {
      Value part = l.load(loc, place, getOffset(reg), width);
      sum = sum ? arith::AddFOp::create(b, loc, sum, part) : part;
    }
    if (width == 1)
      l.storeRegister(loc, sum, summand, reg);
    else
      l.storeRegisters(loc, sum, summand, getRegisters(reg));
  }
}

void ClusterSumEmitter::emit(const ThreadMap &map,
                             SmallVectorImpl<Operation *> &clones) {
  shareRegisters();
  Value rank = clusters.getRank(l, loc);
  for (int64_t block = 0; block * share < registers; ++block) {
    int64_t first = block * share, last = std::min(first + share, registers);
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank,
                                        l.i32(loc, block));
    l.inIf(loc, isOwn, [&] {
      addUp(first, last);
      emitSteps(loop, map, l, clones, first,
                share == registers ? map.numRegisters() : last);
    });
  }
  // Others read from this block.
  clusters.barrier(l, loc);
}

LogicalResult simt::reportClusterSum(ParallelOp loop) {
  return loop.emitError() << "expected '" << kClusterSumAttrName
                          << "' where elements of one fragment of f32 are "
                             "loaded, by iterations whose number is known";
}

LogicalResult simt::emitClusterSum(ParallelOp loop, const ThreadMap &map,
                                   KernelLowering &l,
                                   SmallVectorImpl<Operation *> &clones) {
  AllocOp alloc = getClusterSummand(loop);
  const Buffer *summand =
      alloc ? l.getBuffer(loop, alloc.getBuffer()) : nullptr;
  const ClusterTarget *clusters =
      ClusterTargets::lookup(loop.getContext(), l.getTarget());
  if (!clusters || !l.getTarget().has(::tile::target::Feature::Clusters))
    return loop.emitError()
           << "expected a chip with clusters for '" << kClusterSumAttrName
           << "', got " << l.getTarget().name
           << "; add the parts up in a second kernel";
  if (!summand || !summand->element.isF32())
    return reportClusterSum(loop);
  if (!loop->hasAttr(kClusterRoomAttrName))
    return loop.emitError()
           << "expected '" << kClusterRoomAttrName
           << "' (tile-plan-shared) beside '" << kClusterSumAttrName << "'";
  ClusterSumEmitter emitter(loop, *summand, *clusters, l);
  emitter.emit(map, clones);
  l.getState<ClusterSums>().blocks.insert(
      loop->getAttrOfType<IntegerAttr>(kClusterSumAttrName).getInt());
  return success();
}
