//===- IterationBuffers.cpp - buffers of iterations -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector code executes all iterations of a loop at once, so a buffer of which
// each iteration has its own becomes a tile whose last dimensions are those of
// the loop. A buffer around loops that only read it is the same for all
// iterations.
//
//===----------------------------------------------------------------------===//

#include "IterationBuffers.h"

#include "ParallelParts.h"

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The accesses of a buffer by the loops around them.
struct BufferUses {
  llvm::MapVector<ParallelOp, SmallVector<Operation *>> loops;
  /// A use that is no access of an element in a loop.
  Operation *other = nullptr;
  bool isWritten = false;
};
} // namespace

static BufferUses collectUses(AllocOp alloc) {
  BufferUses uses;
  for (Operation *user : alloc.getBuffer().getUsers()) {
    auto loop = user->getParentOfType<ParallelOp>();
    if (!loop || !isa<memref::LoadOp, memref::StoreOp>(user)) {
      uses.other = user;
      continue;
    }
    uses.loops[loop].push_back(user);
    uses.isWritten |= isa<memref::StoreOp>(user);
  }
  return uses;
}

/// Rows begin where datablocks do.
static SmallVector<int64_t> getShape(AllocOp alloc, ParallelOp loop) {
  MemRefType type = alloc.getBuffer().getType();
  SmallVector<int64_t> shape(type.getShape());
  llvm::append_range(shape, loop.getStaticExtents());
  int64_t bytes = ascend::getChip(loop)->getAscend()->blockBytes;
  int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), 8);
  shape.back() = llvm::alignTo(shape.back(), bytes * 8 / bits);
  return shape;
}

/// Whether iterations that do not take a branch may leave elements unwritten
/// that the code for all iterations reads: some are stored in branches, and
/// not all of them in front of anything else.
static bool isPartlyWritten(AllocOp alloc, ParallelOp loop,
                            ArrayRef<Operation *> users) {
  if (llvm::none_of(users, [&](Operation *user) {
        auto branch = user->getParentOfType<scf::IfOp>();
        return isa<memref::StoreOp>(user) && branch &&
               loop->isProperAncestor(branch);
      }))
    return false;
  int64_t left = alloc.getBuffer().getType().getNumElements();
  DenseSet<ArrayAttr> stored;
  for (Operation &op : loop.getBody().front()) {
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!store || store.getMemRef() != alloc.getBuffer()) {
      if (llvm::any_of(users, [&](Operation *user) {
            return op.isAncestor(user);
          }))
        return true;
      continue;
    }
    SmallVector<Attribute> place;
    for (Value index : store.getIndices())
      if (Attribute constant; matchPattern(index, m_Constant(&constant)))
        place.push_back(constant);
    if (place.size() == store.getIndices().size())
      left -= stored.insert(ArrayAttr::get(op.getContext(), place)).second;
    if (left == 0)
      return false;
  }
  return true;
}

static void expand(AllocOp alloc, ParallelOp loop,
                   ArrayRef<Operation *> users) {
  auto kernel = loop->getParentOfType<KernelOp>();
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type element = alloc.getBuffer().getType().getElementType();
  Value tile = ascend::createScratch(b, alloc.getLoc(), getShape(alloc, loop),
                                     element);
  if (isPartlyWritten(alloc, loop, users))
    FillOp::create(b, alloc.getLoc(), tile,
                   arith::ConstantOp::create(b, alloc.getLoc(),
                                             b.getZeroAttr(element)));
  for (Operation *user : users) {
    b.setInsertionPoint(user);
    if (auto load = dyn_cast<memref::LoadOp>(user)) {
      SmallVector<Value> indices(load.getIndices());
      llvm::append_range(indices, loop.getBody().getArguments());
      load.replaceAllUsesWith(
          memref::LoadOp::create(b, load.getLoc(), tile, indices).getResult());
    } else {
      auto store = cast<memref::StoreOp>(user);
      SmallVector<Value> indices(store.getIndices());
      llvm::append_range(indices, loop.getBody().getArguments());
      memref::StoreOp::create(b, store.getLoc(), store.getValue(), tile,
                              indices);
    }
    user->erase();
  }
}

LogicalResult mlir::tile::ascend::expandIterationBuffers(KernelOp kernel) {
  if (!getChip(kernel))
    return success();
  SmallVector<AllocOp> buffers;
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Local)
      buffers.push_back(alloc);
  });
  for (AllocOp alloc : buffers) {
    BufferUses uses = collectUses(alloc);
    if (!uses.isWritten && !alloc->getParentOfType<ParallelOp>())
      continue;
    if (uses.other) {
      InFlightDiagnostic diag =
          uses.other->emitError()
          << "on Ascend, a buffer that iterations write is for loads and "
             "stores in 'tile.parallel' alone; use a tile in shared memory";
      diag.attachNote(alloc.getLoc()) << "each iteration has its own";
      return diag;
    }
    // Others are refused where they become vector code.
    if (llvm::any_of(uses.loops, [](auto &entry) {
          return llvm::is_contained(entry.first.getStaticExtents(),
                                    ShapedType::kDynamic) ||
                 llvm::is_contained(entry.first.getStaticExtents(), 0);
        }))
      continue;
    for (auto &[loop, users] : uses.loops)
      expand(alloc, loop, users);
    alloc.erase();
  }
  return success();
}
