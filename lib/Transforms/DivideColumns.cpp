//===- DivideColumns.cpp - a tile that two gemms read, in halves ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of one tile may be keys and values: a product adds up its columns,
// and the last one of the iteration has them as columns of its result. With two
// stages, the next scores could only run beside that product if no stage were
// loaded meanwhile. In halves, each with stages of its own, the first half is
// multiplied and loaded again before, and only the second one runs beside the
// next scores and what is computed of them (`GemmOverlap` of tile-schedule).
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
class ColumnDivider {
public:
  ColumnDivider(PipelinedOp loop, const ::tile::target::Target &target)
      : loop(loop), target(target) {}

  /// Whether the loop has such a tile, all of whose users can be divided.
  bool plan();
  LogicalResult run();

private:
  bool findGemms();
  bool findLoads();
  AllocOp createHalf(AllocOp alloc);
  void create(OpBuilder &b, Operation *op, int64_t half);
  void createBoth(Operation *op, Operation *last);

  PipelinedOp loop;
  const ::tile::target::Target &target;
  int64_t columns = 0;
  GemmOp inner, outer; // adds the columns up; has them in its result
  AllocOp tile, left, sums;
  Operation *load = nullptr; // a copy, or a gather of rows
  IRMapping halves[2];
  SmallVector<Operation *> created;
};
} // namespace

static bool isAsynchronous(GemmOp gemm) {
  MmaAttr attr = gemm.getInstructionAttr();
  return attr && attr.isAsynchronous() && !gemm.getAsync() &&
         !gemm.getTransposeA();
}

static int64_t getColumns(Value tile) {
  return cast<MemRefType>(tile.getType()).getShape().back();
}

/// A matrix that the compiler lays out; null if the program does.
static AllocOp getMatrix(Value value, MemorySpace space) {
  auto alloc = value.getDefiningOp<AllocOp>();
  return alloc && getMemorySpace(value) == space &&
                 cast<MemRefType>(value.getType()).getRank() == 2 &&
                 !alloc.getLayoutAttr() && !alloc.getOffsetAttr()
             ? alloc
             : AllocOp();
}

/// A load of the whole tile from columns of global memory that follow each
/// other, by a copy or a list of rows; or a copy of it to such columns of
/// global or shared memory.
static bool isCopyOf(Operation *op, Value tile, bool isLoad) {
  if (auto gather = dyn_cast<GatherOp>(op); gather && isLoad) {
    BufferRegion rows = gather.getSourceRegion();
    return gather.getTarget() == tile &&
           gather.getDim() + 1 < rows.sizes.size() &&
           rows.sizes.back() == getColumns(tile);
  }
  auto copy = dyn_cast<CopyOp>(op);
  if (!copy || (isLoad ? copy.getTarget() : copy.getSource()) != tile)
    return false;
  BufferRegion own = isLoad ? copy.getTargetRegion() : copy.getSourceRegion();
  BufferRegion other = isLoad ? copy.getSourceRegion() : copy.getTargetRegion();
  MemorySpace space = getMemorySpace(other.buffer);
  return isWhole(own) &&
         (space == MemorySpace::Global ||
          (!isLoad && space == MemorySpace::Shared)) &&
         other.sizes.back() == getColumns(tile);
}

/// A loop over all elements of the tile that does not ask for their columns.
static bool isElementwise(Operation *op, Value tile) {
  auto parallel = dyn_cast<ParallelOp>(op);
  auto shape = cast<MemRefType>(tile.getType()).getShape();
  if (!parallel || !parallel.getDynamicExtents().empty() ||
      parallel.getStaticExtents() != shape || parallel.getLayoutAttr() ||
      parallel.getCoalescedWidthAttr())
    return false;
  Block &body = parallel.getBody().front();
  auto isElement = [&](Operation *user) {
    auto load = dyn_cast<memref::LoadOp>(user);
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!load && !store)
      return false;
    ValueRange indices = load ? load.getIndices() : store.getIndices();
    return (load ? load.getMemRef() : store.getMemRef()) == tile &&
           llvm::equal(indices, body.getArguments());
  };
  return llvm::all_of(tile.getUsers(),
                      [&](Operation *user) {
                        return !parallel->isAncestor(user) || isElement(user);
                      }) &&
         llvm::all_of(body.getArgument(1).getUsers(), isElement);
}

bool ColumnDivider::findGemms() {
  for (Operation &op : llvm::reverse(loop.getBody().front())) {
    if (isMemoryEffectFree(&op))
      continue;
    outer = dyn_cast<GemmOp>(op);
    break;
  }
  if (!outer || !isAsynchronous(outer) || outer.getTransposeB() ||
      outer.getClear() || outer.getClearIf())
    return false;
  tile = getMatrix(outer.getB(), MemorySpace::Shared);
  sums = getMatrix(outer.getC(), MemorySpace::Fragment);
  if (!tile || !sums)
    return false;
  for (Operation *user : tile.getBuffer().getUsers()) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (user == outer || isCopyOf(user, tile.getBuffer(), /*isLoad=*/true))
      continue;
    if (!gemm || inner || !isAsynchronous(gemm) || !gemm.getTransposeB() ||
        gemm.getB() != tile.getBuffer() ||
        gemm->getBlock() != outer->getBlock())
      return false;
    inner = gemm;
  }
  left = inner ? getMatrix(inner.getA(), MemorySpace::Shared) : AllocOp();
  return left && left != tile;
}

bool ColumnDivider::findLoads() {
  for (Operation *user : tile.getBuffer().getUsers())
    if (isa<CopyOp, GatherOp>(user)) {
      auto choice = user->getAttrOfType<TransferAttr>("instruction");
      if (load || user->getBlock() != outer->getBlock() || !choice ||
          !(isa<GatherOp>(user) || choice.usesTensorMap()))
        return false;
      // Another gather and late products need more registers than there are.
      if (auto gather = dyn_cast<GatherOp>(user);
          gather && !hasKnownSizes(gather))
        return false;
      load = user;
    }
  return load && llvm::all_of(left.getBuffer().getUsers(), [&](Operation *op) {
           return op == inner || (isCopyOf(op, left.getBuffer(), true) &&
                                  !loop->isAncestor(op));
         });
}

bool ColumnDivider::plan() {
  auto kernel = loop->getParentOfType<KernelOp>();
  // With more stages, the whole product is late.
  if (loop.getStages() != 2 || !findGemms() || !findLoads())
    return false;
  const ::tile::target::GPUSpec &gpu = *target.getGPU();
  // A part begins where the swizzle of its tile does, for each group of warps.
  columns = getColumns(tile.getBuffer());
  int64_t unit = 8 * gpu.sharedBanks * gpu.sharedBankBytes /
                 getElementBits(tile.getBuffer());
  if (columns % (2 * unit * outer.getInstructionAttr().getWarpsN()) != 0)
    return false;
  // What GemmOverlap asks for.
  return countFragmentRegisters(kernel) + kLeastBeside <=
             getConsumerRegisters(kernel, target) &&
         estimateResidentBlocks(kernel, target) < kManyBlocks &&
         llvm::all_of(sums.getBuffer().getUsers(), [&](Operation *op) {
           if (isa<memref::LoadOp, memref::StoreOp>(op))
             op = op->getParentOfType<ParallelOp>();
           return op && (op == outer || isa<FillOp>(op) ||
                         isCopyOf(op, sums.getBuffer(), /*isLoad=*/false) ||
                         isElementwise(op, sums.getBuffer()));
         });
}

AllocOp ColumnDivider::createHalf(AllocOp alloc) {
  OpBuilder b(alloc);
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  Type half = MemRefType(
      MemRefType::Builder(type).setShape({type.getDimSize(0), columns / 2}));
  return AllocOp::create(b, alloc.getLoc(), half, LayoutAttr(), IntegerAttr());
}

/// Moves the global region of a copy or gather to columns of it.
static void takeColumns(Operation *op, bool isLoad, BufferRegion region,
                        int64_t first, int64_t count) {
  MLIRContext *context = op->getContext();
  AffineMap map = region.map;
  if (!map)
    map = AffineMap::get(
        0, 0,
        SmallVector<AffineExpr>(region.sizes.size(),
                                getAffineConstantExpr(0, context)),
        context);
  SmallVector<AffineExpr> offsets(map.getResults());
  offsets.back() = offsets.back() + first;
  map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), offsets, context);
  region.sizes.back() = count;
  auto sizes = DenseI64ArrayAttr::get(context, region.sizes);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    gather.setSourceMap(map);
    gather.setSourceSizesAttr(sizes);
    return;
  }
  auto copy = cast<CopyOp>(op);
  if (isLoad) {
    copy.getSourceIndicesMutable().assign(region.operands);
    copy.setSourceMapAttr(AffineMapAttr::get(map));
    copy.setSourceSizesAttr(sizes);
    copy.removeTargetSizesAttr();
  } else {
    copy.getTargetIndicesMutable().assign(region.operands);
    copy.setTargetMapAttr(AffineMapAttr::get(map));
    copy.setTargetSizesAttr(sizes);
    copy.removeSourceSizesAttr();
  }
}

/// Clones an op for the columns of a half.
void ColumnDivider::create(OpBuilder &b, Operation *op, int64_t half) {
  bool isLoad = true;
  BufferRegion region;
  if (auto copy = dyn_cast<CopyOp>(op)) {
    isLoad = getMemorySpace(copy.getSource()) == MemorySpace::Global;
    region = isLoad ? copy.getSourceRegion() : copy.getTargetRegion();
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    region = gather.getSourceRegion();
  }
  Operation *part = b.clone(*op, halves[half]);
  int64_t count = columns / 2;
  if (isa<CopyOp, GatherOp>(part)) {
    takeColumns(part, isLoad, region, half * count, count);
    part->removeAttr("instruction");
  } else if (auto gemm = dyn_cast<GemmOp>(part)) {
    gemm.removeInstructionAttr();
    if (op == inner && half > 0) {
      gemm.setClear(false);
      gemm.getClearIfMutable().clear();
    }
  } else if (auto parallel = dyn_cast<ParallelOp>(part)) {
    parallel.setStaticExtents({parallel.getStaticExtents()[0], count});
  }
  created.push_back(part);
}

/// The first half stands in the place of the op, the second one behind `last`.
void ColumnDivider::createBoth(Operation *op, Operation *last) {
  OpBuilder b(op);
  create(b, op, 0);
  b.setInsertionPointAfter(last);
  create(b, op, 1);
  op->erase();
}

/// The last of the ops of one kind that follow each other.
static Operation *findLast(Operation *op,
                           llvm::function_ref<bool(Operation *)> isSuch) {
  while (op->getNextNode() && isSuch(op->getNextNode()))
    op = op->getNextNode();
  return op;
}

LogicalResult ColumnDivider::run() {
  auto remark =
      remark::passed(tile.getLoc(), remark::RemarkOpts::name("DividedColumns")
                                        .category("tile-select-instructions"));
  remark << remark::reason("the second half is multiplied late")
         << remark::metric("columns", columns / 2);
  llvm::SetVector<Operation *> others;
  for (AllocOp alloc : {tile, left, sums}) {
    for (IRMapping &half : halves)
      half.map(alloc.getBuffer(), createHalf(alloc).getBuffer());
    for (Operation *user : alloc.getBuffer().getUsers()) {
      auto parallel = user->getParentOfType<ParallelOp>();
      others.insert(parallel ? parallel.getOperation() : user);
    }
  }
  for (Operation *op : {load, inner.getOperation()})
    others.remove(op);
  // The half that is given back last is read last.
  Value scores = inner.getC();
  createBoth(load, findLast(load, [](Operation *op) {
               return isa<CopyOp, GatherOp>(op) &&
                      getMemorySpace(getFilledTile(op).get()) ==
                          MemorySpace::Shared;
             }));
  createBoth(inner, findLast(inner, [&](Operation *op) {
               auto gemm = dyn_cast<GemmOp>(op);
               // One that begins anew needs nothing of those before it.
               return gemm && gemm.getC() == scores && !gemm.getClear() &&
                      !gemm.getClearIf();
             }));
  for (Operation *op : others)
    createBoth(op, op);
  for (AllocOp alloc : {tile, left, sums})
    alloc.erase();
  for (Operation *op : created) {
    if (auto gemm = dyn_cast<GemmOp>(op);
        gemm && failed(selectGemm(gemm, target)))
      return failure();
    if (auto copy = dyn_cast<CopyOp>(op);
        copy && failed(selectCopy(copy, target, /*async=*/true)))
      return failure();
    selectGather(op, target);
  }
  return success();
}

LogicalResult mlir::tile::divideColumns(KernelOp kernel,
                                        const ::tile::target::Target &target) {
  SmallVector<PipelinedOp> loops;
  kernel.walk([&](PipelinedOp loop) { loops.push_back(loop); });
  for (PipelinedOp loop : loops) {
    ColumnDivider divider(loop, target);
    if (divider.plan() && failed(divider.run()))
      return failure();
  }
  return success();
}
