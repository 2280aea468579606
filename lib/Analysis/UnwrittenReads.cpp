//===- UnwrittenReads.cpp - reads of what nobody wrote --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/UnwrittenReads.h"

#include "Tile/Analysis/Conflicts.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// The accesses of one tile.
struct TileAccesses {
  SmallVector<PlacedAccess> reads, writes;
  /// Something is done to it of which no access tells.
  bool escapes = false;
};
} // namespace

static llvm::MapVector<Value, TileAccesses> collectByTile(KernelOp kernel) {
  llvm::MapVector<Value, TileAccesses> tiles;
  unsigned place = 0;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++place;
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()))
          tiles[getBaseBuffer(operand)].escapes = true;
    // Behind a loop, a branch or a selection the tile has another name.
    if (isa<RegionBranchOpInterface, SelectLikeOpInterface>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType()))
          tiles[getBaseBuffer(operand)].escapes = true;
    for (const Access &access : accesses) {
      TileAccesses &tile = tiles[getBaseBuffer(access.region.buffer)];
      (access.kind == AccessKind::Read ? tile.reads : tile.writes)
          .push_back({op, access, place});
    }
  });
  return tiles;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether the region of `op` runs at least once, and at once, where `op` does.
static bool runsItsBody(Operation *op) {
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return !ShapedType::isDynamicShape(parallel.getStaticExtents()) &&
           !llvm::is_contained(parallel.getStaticExtents(), 0);
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  return trips && trips->isStrictlyPositive();
}

/// Whether `write` may run before the first execution of `read`.
static bool mayPrecede(KernelOp kernel, const PlacedAccess &write,
                       const PlacedAccess &read) {
  Region *common = write.op->getParentRegion();
  while (!common->isAncestor(read.op->getParentRegion()))
    common = common->getParentRegion();
  Operation *first = common->findAncestorOpInRegion(*write.op);
  Operation *second = common->findAncestorOpInRegion(*read.op);
  // Branches exclude each other; what runs at the same time has no order, and of
  // blocks that branch to each other none is known.
  if (first == second && first != write.op && !isa<scf::IfOp>(first))
    return true;
  if (first != second && first->getBlock() != second->getBlock())
    return true;
  if (write.place < read.place && first != second)
    return true;
  // Behind it, or in the other branch: in the first iteration of the outermost
  // loop around both, the read is reached before, unless something skips it.
  Operation *outermost = nullptr;
  for (Operation *op = common->getParentOp(); op != kernel;
       op = op->getParentOp())
    if (!isa<ParallelOp, scf::IfOp>(op))
      outermost = op;
  if (!outermost)
    return false;
  for (Operation *op = read.op->getParentOp(); op != outermost;
       op = op->getParentOp())
    if (!runsItsBody(op))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Whether a read, where it runs, reads elements of its buffer: all, or one by
/// variables of parallel loops and constants.
static bool isInside(const BufferRegion &region) {
  if (isWhole(region))
    return true;
  auto isDimInside = [&](auto dim) {
    auto [expr, size, extent] = dim;
    if (size != 1)
      return false;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue() >= 0 && constant.getValue() < extent;
    auto operand = dyn_cast<AffineDimExpr>(expr);
    auto arg = operand ? dyn_cast<BlockArgument>(
                             region.operands[operand.getPosition()])
                       : BlockArgument();
    auto loop = arg ? dyn_cast<ParallelOp>(arg.getOwner()->getParentOp())
                    : ParallelOp();
    if (!loop)
      return false;
    int64_t count = loop.getStaticExtents()[arg.getArgNumber()];
    return ShapedType::isStatic(count) && count <= extent;
  };
  return region.map &&
         llvm::all_of(llvm::zip_equal(region.map.getResults(), region.sizes,
                                      region.getType().getShape()),
                      isDimInside);
}

/// Whether the two overlap wherever the read runs, as is plain without a system:
/// all of the tile is written in front of what the read is in.
static bool plainlyOverlap(const PlacedAccess &write,
                           const PlacedAccess &read) {
  const BufferRegion &written = write.access.region;
  Operation *behind = write.op->getBlock()->findAncestorOpInBlock(*read.op);
  return behind && behind != write.op && write.place < read.place &&
         written.buffer == read.access.region.buffer &&
         written.getType().hasStaticShape() &&
         written.getType().getNumElements() > 0 && isWhole(written) &&
         isInside(read.access.region);
}

/// Whether some element that one writes is one that the other reads, in one
/// block.
static bool mayOverlap(KernelOp kernel, const PlacedAccess &write,
                       const PlacedAccess &read) {
  SmallVector<AffineExpr> element;
  AccessSystem system = makeConflict(&kernel.getBody(), write, read, element);
  for (Value id : kernel.getBody().getArguments())
    system.addZero(system.getExpr(id, 0) - system.getExpr(id, 1));
  return !system.isEmpty();
}

/// Whether the read is known never to run: in a loop of no iterations, or in a
/// branch that nothing takes.
static bool isDead(KernelOp kernel, const PlacedAccess &read) {
  AccessSystem system(kernel.getContext(), &kernel.getBody());
  system.addDomain(read.op, 0);
  return system.isEmpty();
}

/// Whether a value may be computed and then not be used: selected against,
/// yielded by a branch, masked by another truth value, or used only in a branch
/// or loop that may not run.
static bool mayBeIgnored(Operation *read) {
  SmallVector<Operation *> work{read};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Operation *user : op->getUsers()) {
      if (isa<arith::SelectOp, arith::AndIOp, arith::OrIOp>(user) ||
          user->hasTrait<OpTrait::IsTerminator>())
        return true;
      for (Operation *around = user->getParentOp();
           !around->isAncestor(read); around = around->getParentOp())
        if (!runsItsBody(around))
          return true;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static std::optional<UnwrittenRead> findRead(KernelOp kernel, AllocOp tile,
                                             const TileAccesses &accesses) {
  for (const PlacedAccess &read : accesses.reads) {
    bool mayBeWritten =
        read.access.isOptional || mayBeIgnored(read.op) ||
        llvm::any_of(accesses.writes,
                     [&](const PlacedAccess &write) {
                       return plainlyOverlap(write, read);
                     }) ||
        llvm::any_of(accesses.writes, [&](const PlacedAccess &write) {
          return mayPrecede(kernel, write, read) &&
                 mayOverlap(kernel, write, read);
        });
    if (mayBeWritten || isDead(kernel, read))
      continue;
    UnwrittenRead found{tile, read.op, nullptr};
    for (const PlacedAccess &write : accesses.writes)
      if (write.op != read.op) {
        found.firstWrite = write.op;
        break;
      }
    return found;
  }
  return std::nullopt;
}

SmallVector<UnwrittenRead> tile::findUnwrittenReads(Operation *root) {
  SmallVector<UnwrittenRead> found;
  root->walk([&](KernelOp kernel) {
    for (auto &[tile, accesses] : collectByTile(kernel))
      if (auto alloc = tile.getDefiningOp<AllocOp>();
          alloc && kernel->isProperAncestor(alloc) && !accesses.escapes)
        if (auto read = findRead(kernel, alloc, accesses))
          found.push_back(*read);
  });
  return found;
}
