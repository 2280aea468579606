//===- ClusterReduce.cpp - sums of rows in several blocks -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterReduce.h"
#include "AsyncPipeline.h"

#include "Tile/Conversion/Common.h"
#include "Tile/Conversion/TileToSIMT/ClusterTarget.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Layout/Algebra.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::Layout;

namespace {
/// Where in the arena the table of a reduction is, and its barrier.
struct ClusterTable {
  int64_t place, barrier;
};

/// Those of a kernel.
struct ClusterTables {
  llvm::MapVector<Operation *, ClusterTable> tables;
  /// Whether all blocks of the cluster are known to run.
  bool haveMet = false;
};
} // namespace

/// Digits of lanes that are powers of two are folded by shuffles.
bool simt::isFolded(const Digit &digit) {
  return digit.axis == Axis::Lane && digit.stride != 0 &&
         llvm::isPowerOf2_64(digit.extent) && llvm::isPowerOf2_64(digit.stride);
}

bool simt::isOnThreads(const Digit &digit) {
  return digit.axis != Axis::Reg && digit.extent > 1 && digit.stride != 0;
}

int64_t simt::countColumns(const Layout &layout, int64_t dim) {
  int64_t columns = 1;
  for (const Digit &digit : layout.dims()[dim].digits)
    if (isOnThreads(digit) && !isFolded(digit))
      columns *= digit.extent;
  return columns;
}

static const ClusterTarget &getClusters(KernelLowering &l) {
  return *ClusterTargets::lookup(l.builder().getContext(), l.getTarget());
}

int64_t ClusterReduce::countBlocks(ReduceOp op) {
  auto blocks = op->getAttrOfType<IntegerAttr>(kSpreadAttrName);
  return blocks ? blocks.getInt() : 1;
}

/// The rows and columns of the table.
static std::pair<int64_t, int64_t> getShape(ReduceOp op, KernelLowering &l) {
  auto type = cast<MemRefType>(op.getSource().getType());
  auto alloc = op.getSource().getDefiningOp<AllocOp>();
  bool isFragment = getMemorySpace(type) == MemorySpace::Fragment;
  Layout layout = isFragment && alloc && alloc.getLayoutAttr()
                      ? getTileLayout(alloc.getLayoutAttr())
                      : getCoalescedLayout(type.getShape(), 1, l.threads());
  int64_t dim = op.getDim();
  return {type.getNumElements() / type.getDimSize(dim),
          countColumns(layout, dim) * ClusterReduce::countBlocks(op)};
}

static int64_t getBytes(ReduceOp op) {
  auto type = cast<MemRefType>(op.getSource().getType());
  return getElementBits(getAccumulatorType(type.getElementType())) / 8;
}

/// Room for a table and its barrier; nothing is in it yet.
static LogicalResult placeTable(ReduceOp op, KernelOp kernel,
                                KernelLowering &l) {
  // All blocks take part, once.
  if (op->getParentOp() != kernel)
    return op.emitOpError(
        "combines parts of rows in several blocks; expected it directly in the "
        "kernel, outside of loops and branches");
  auto [rows, columns] = getShape(op, l);
  const ::tile::target::GPUSpec &gpu = l.getGPU();
  ClusterTable table;
  // Rows of an odd number of words, as in the table of a block.
  Location loc = op.getLoc();
  table.place =
      l.extendArena(loc, rows * (columns | 1) * getBytes(op), gpu.vectorBytes);
  table.barrier = l.extendArena(loc, gpu.barrierBytes, gpu.barrierBytes);
  l.getState<ClusterTables>().tables[op] = table;
  return success();
}

LogicalResult simt::prepareClusterReduces(KernelOp kernel, KernelLowering &l) {
  auto walk = kernel.walk([&](ReduceOp op) {
    return ClusterReduce::countBlocks(op) > 1 &&
                   failed(placeTable(op, kernel, l))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  auto &tables = l.getState<ClusterTables>().tables;
  if (walk.wasInterrupted() || tables.empty())
    return failure(walk.wasInterrupted());
  Location loc = kernel.getLoc();
  l.inFirstThread(loc, [&] {
    for (auto &[op, table] : tables) {
      Value barrier = l.getArena(loc, table.barrier);
      auto reduce = cast<ReduceOp>(op);
      auto [rows, columns] = getShape(reduce, l);
      l.getSIMT().initBarrier(l, loc, barrier, 1);
      l.getSIMT().arriveExpectingBytes(l, loc, barrier,
                                       rows * columns * getBytes(reduce));
    }
    l.getSIMT().fenceBarrierInit(l, loc);
  });
  getClusters(l).arriveFirst(l, loc);
  return success();
}

static Value getBarrier(ReduceOp op, KernelLowering &l, Location loc) {
  return l.getArena(loc, l.getState<ClusterTables>().tables.lookup(op).barrier);
}

Value ClusterReduce::getTable(Location loc) const {
  return l.getArena(loc, l.getState<ClusterTables>().tables.lookup(op).place);
}

Value ClusterReduce::getRank(Location loc) const {
  return getClusters(l).getRank(l, loc);
}

void ClusterReduce::begin(Location loc) {
  if (!std::exchange(l.getState<ClusterTables>().haveMet, true))
    getClusters(l).wait(l, loc);
}

void ClusterReduce::store(Location loc, Value address, Value value) {
  value = toStorage(l.builder(), loc, value);
  Value barrier = getBarrier(op, l, loc);
  for (int64_t block = 0; block < countBlocks(op); ++block)
    getClusters(l).storeAsync(l, loc, value, address, barrier,
                              l.i32(loc, block));
}

/// The words of other blocks arrive in the own shared memory, as those of
/// tensor copies do: a wait at the scope of the cluster would empty the L1
/// cache as well.
void ClusterReduce::end(Location loc) {
  Value barrier = getBarrier(op, l, loc), parity = l.i32(loc, 0);
  spinUntil(l, loc,
            [&] { return l.getSIMT().tryWait(l, loc, barrier, parity); });
}
