//===- WarpgroupStores.cpp - results of one warpgroup ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each warpgroup of a consumer has rows of a result for itself, it stores
// them without the others. One is at its epilogue then while the next one still
// multiplies, and multiplies already while that one is at its own.
//
//===----------------------------------------------------------------------===//

#include "InsertBarriers.h"
#include "VerifySchedule.h"

#include "Tile/Analysis/Hazards.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Layout/Layout.h"
#include "Tile/Transforms/TensorCopy.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;
using ::tile::layout::Axis;
using ::tile::layout::Digit;
using ::tile::layout::fail;
using ::tile::layout::Layout;
using ::tile::layout::Status;
using ::tile::layout::Success;
using ::tile::target::GPUSpec;

/// Whether each of the warpgroups has as many rows of the tile, in the order of
/// their numbers.
static Status checkRows(const Layout &layout, int64_t groups,
                        int64_t groupWarps) {
  int64_t warps = groups * groupWarps, rows = 1;
  const Digit *first = nullptr;
  bool isFine = true;
  auto visit = [&](const Digit &digit) {
    if (digit.axis == Axis::Warp && &digit != first)
      isFine &= digit.extent * digit.stride <= groupWarps;
  };
  if (layout.rank() > 0)
    for (const Digit &digit : layout.dims().front().digits) {
      first = first ? first : &digit;
      rows *= digit.extent;
    }
  isFine = first && first->axis == Axis::Warp && rows == layout.extent(0) &&
           first->extent * first->stride == warps &&
           groupWarps % first->stride == 0;
  for (const ::tile::layout::Dim &dim : layout.dims())
    llvm::for_each(dim.digits, visit);
  llvm::for_each(layout.copies(), visit);
  if (isFine)
    return Success{};
  return fail("expected each of the ", groups,
              " warpgroups to have rows of the tile for itself, got ",
              layout.str());
}

/// Whether the copy fills a shared tile, each warpgroup with rows of its own.
static Status checkInner(CopyOp inner, const GPUSpec &gpu) {
  auto fragment = inner.getSource().getDefiningOp<AllocOp>();
  if (!fragment || !fragment.getLayoutAttr() ||
      getMemorySpace(inner.getSource()) != MemorySpace::Fragment ||
      getMemorySpace(inner.getTarget()) != MemorySpace::Shared ||
      !isWhole(inner.getSourceRegion()) || !isWhole(inner.getTargetRegion()))
    return fail("expected a copy of a whole fragment to a shared tile");
  int64_t threads = inner->getParentOfType<KernelOp>().getThreads();
  int64_t group = gpu.groupThreads();
  if (threads < 2 * group || threads % group != 0)
    return fail("expected two or more warpgroups of ", group, " threads, got ",
                threads, " threads");
  return checkRows(getTileLayout(fragment.getLayoutAttr()), threads / group,
                   group / gpu.warpSize);
}

static bool isTensorStore(CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  return choice && choice.usesTensorMap() &&
         getMemorySpace(copy.getSource()) == MemorySpace::Shared &&
         getMemorySpace(copy.getTarget()) == MemorySpace::Global;
}

/// The copy that fills the tile of a tensor store; null if there is more to it.
static CopyOp findInner(CopyOp store) {
  auto tile = store.getSource().getDefiningOp<AllocOp>();
  if (!tile)
    return {};
  CopyOp inner;
  for (Operation *user : tile->getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (copy == store)
      continue;
    if (!copy || inner || copy.getTarget() != tile.getBuffer())
      return {};
    inner = copy;
  }
  return inner;
}

/// Whether one box holds all rows, of which each warpgroup stores some.
static Status checkBox(CopyOp store, const GPUSpec &gpu) {
  auto tile = store.getSource().getDefiningOp<AllocOp>();
  LayoutAttr layout = tile.getLayoutAttr();
  if (!layout)
    return fail("expected a layout of the shared tile");
  auto boxes = matchTensorCopy(store, getTileLayout(layout), *gpu.tma);
  if (!boxes)
    return boxes.failure();
  int64_t groups =
      store->getParentOfType<KernelOp>().getThreads() / gpu.groupThreads();
  int64_t rows = getTileLayout(layout).extent(0);
  if (rows % (kSwizzleRows * groups) == 0 && boxes->tile.boxes.extent(0) == 1)
    return Success{};
  return fail("expected a multiple of ", kSwizzleRows * groups,
              " rows that one box holds, got ", rows);
}

static void mark(ArrayRef<Operation *> ops, bool isMarked) {
  for (Operation *op : ops)
    if (isMarked)
      op->setAttr(kWarpgroupsAttrName, UnitAttr::get(op->getContext()));
    else
      op->removeAttr(kWarpgroupsAttrName);
}

static Status divideStore(CopyOp store, KernelOp kernel, const GPUSpec &gpu) {
  CopyOp inner = findInner(store);
  if (!inner)
    return fail("expected one copy that fills its tile, and no other access");
  Status ok = checkInner(inner, gpu);
  if (ok)
    ok = checkBox(store, gpu);
  if (!ok)
    return ok;
  SmallVector<Operation *> ops{inner, store};
  for (Operation *op : {inner->getPrevNode(), store->getPrevNode()})
    if (isa_and_nonnull<BarrierOp>(op))
      ops.push_back(op);
  mark(ops, true);
  if (findMissingBarriers(kernel).empty())
    return Success{};
  mark(ops, false);
  return fail("the barriers beside it order other accesses, too");
}

void mlir::tile::divideStores(KernelOp kernel) {
  const ::tile::target::Target *target = lookupTarget(kernel);
  if (!target || !target->getGPU() || !target->getGPU()->tma)
    return;
  const GPUSpec &gpu = *target->getGPU();
  SmallVector<CopyOp> stores;
  kernel.walk([&](CopyOp copy) {
    if (isTensorStore(copy) && copy->getParentOfType<WarpSpecializeOp>() &&
        isa<PersistentOp>(copy->getParentOp()) &&
        !copy->hasAttr(kWarpgroupsAttrName) &&
        int64_t(kernel.getThreads()) > gpu.groupThreads())
      stores.push_back(copy);
  });
  for (CopyOp store : stores) {
    Status ok = divideStore(store, kernel, gpu);
    auto opts = remark::RemarkOpts::name("WarpgroupStore")
                    .category("tile-insert-barriers");
    if (ok)
      remark::passed(store.getLoc(), opts)
          << "each warpgroup stores its rows without the others";
    else
      remark::missed(store.getLoc(), opts)
          << remark::reason("{0}", ok.reason());
  }
}

LogicalResult mlir::tile::verifyWarpgroups(KernelOp kernel) {
  const ::tile::target::Target *target = lookupTarget(kernel);
  bool hasGroups = target && target->getGPU() && target->getGPU()->tma;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!op->hasAttr(kWarpgroupsAttrName))
      return WalkResult::advance();
    if (!hasGroups) {
      op->emitOpError("expected a target with warpgroups and tensor copies");
      return WalkResult::interrupt();
    }
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      return WalkResult::advance();
    Status ok = Success{};
    if (!isTensorStore(copy)) {
      ok = checkInner(copy, *target->getGPU());
    } else if (!copy.getSource().getDefiningOp<AllocOp>()) {
      ok = fail("expected the store of a whole shared tile");
    } else {
      ok = checkBox(copy, *target->getGPU());
    }
    if (ok)
      return WalkResult::advance();
    op->emitOpError() << "cannot be done by each warpgroup: " << ok.reason();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
