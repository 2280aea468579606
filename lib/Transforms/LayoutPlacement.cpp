//===- LayoutPlacement.cpp - placement of operands ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutPlacement.h"

#include "LayoutModels.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr llvm::StringLiteral kCategory = "tile-infer-layout";

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

TileReplacer::TileReplacer(KernelOp kernel) : kernel(kernel) {
  kernel.walk([&](PipelinedOp loop) {
    if (!loop.getOrder())
      return;
    for (auto [op, order, stage] : llvm::zip_equal(
             loop.getSchedulableOps(), *loop.getOrder(), *loop.getStage()))
      positions[op] = {order, stage};
  });
}

namespace {
/// What an op and its regions do to one buffer.
struct Usage {
  bool reads = false, writes = false, writesAll = false;
};
} // namespace

static Usage getUsage(Operation *op, Value buffer) {
  Usage usage;
  op->walk([&](Operation *nested) {
    SmallVector<Access> accesses;
    if (failed(collectAccesses(nested, accesses)))
      return;
    for (const Access &access : accesses) {
      if (access.region.buffer != buffer)
        continue;
      usage.reads |= access.kind != AccessKind::Write;
      usage.writes |= access.kind != AccessKind::Read;
      usage.writesAll |= access.kind == AccessKind::Write && nested == op &&
                         ArrayRef<int64_t>(access.region.sizes) ==
                             access.region.getType().getShape();
      // An unconditional store of each iteration to its own element.
      auto loop = dyn_cast<ParallelOp>(op);
      if (loop && access.kind == AccessKind::Write &&
          nested->getParentOp() == op && matchFragmentAccess(loop, nested))
        usage.writesAll = true;
    }
  });
  return usage;
}

void TileReplacer::insertCopy(OpBuilder &b, Operation *anchor, Value source,
                              Value target) {
  auto copy = CopyOp::create(
      b, anchor->getLoc(), source, ValueRange(), target, ValueRange(),
      /*sourceMap=*/AffineMapAttr(), /*sourceSizes=*/DenseI64ArrayAttr(),
      /*targetMap=*/AffineMapAttr(), /*targetSizes=*/DenseI64ArrayAttr(),
      /*is_unsigned=*/false, /*saturate=*/false,
      /*prefer=*/InstructionAttr(), /*coalesced_width=*/IntegerAttr(),
      TransferAttr::get(b.getContext(), Instruction::Sync, 0),
      /*signal=*/Value());
  auto position = positions.find(anchor);
  if (position != positions.end())
    positions[copy] = SchedulePosition(position->second);
}

/// Gives a buffer of which `op` writes a part a value in front of all others: its
/// copies would read what nobody has written.
static void initialize(Operation *op, Value buffer) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  if (!alloc || !isa<KernelOp>(alloc->getParentOp()))
    return;
  Operation *end = alloc->getBlock()->findAncestorOpInBlock(*op);
  for (Operation *before = alloc->getNextNode(); before != end;
       before = before->getNextNode())
    if (getUsage(before, buffer).writesAll)
      return;
  OpBuilder b(alloc->getContext());
  b.setInsertionPointAfter(alloc);
  Type element = alloc.getType().getElementType();
  Value zero = arith::ConstantOp::create(b, alloc.getLoc(),
                                         b.getZeroAttr(element));
  FillOp::create(b, alloc.getLoc(), buffer, zero);
}

Value TileReplacer::replace(Operation *op, Value buffer, MemorySpace space) {
  // Views in a loop move out of it.
  for (Operation *view = buffer.getDefiningOp();
       view && op->isProperAncestor(view);
       view = view->getOperand(0).getDefiningOp())
    view->moveBefore(op->getBlock(), op->getIterator());
  Usage usage = getUsage(op, buffer);
  auto type = cast<MemRefType>(buffer.getType());
  auto placed = MemRefType::get(type.getShape(), type.getElementType(),
                                MemRefLayoutAttrInterface(),
                                MemorySpaceAttr::get(op->getContext(), space));
  Block &body = kernel.getBody().front();
  OpBuilder b(body.findAncestorOpInBlock(*op));
  Value copy =
      AllocOp::create(b, op->getLoc(), placed, LayoutAttr(), IntegerAttr());
  op->walk([&](Operation *nested) { nested->replaceUsesOfWith(buffer, copy); });
  b.setInsertionPoint(op);
  bool isPart = usage.writes && !usage.writesAll;
  if (isPart && getMemorySpace(buffer) == MemorySpace::Fragment)
    initialize(op, buffer);
  if (usage.reads || isPart)
    insertCopy(b, op, buffer, copy);
  b.setInsertionPointAfter(op);
  if (usage.writes)
    insertCopy(b, op, copy, buffer);
  return copy;
}

void TileReplacer::updateSchedules() {
  kernel.walk([&](PipelinedOp loop) {
    if (!loop.getOrder())
      return;
    SmallVector<Operation *> ops = loop.getSchedulableOps();
    SmallVector<int64_t> places(ops.size()), order(ops.size()), stage;
    std::iota(places.begin(), places.end(), 0);
    llvm::stable_sort(places, [&](int64_t a, int64_t b) {
      return positions[ops[a]].order < positions[ops[b]].order;
    });
    for (auto [rank, place] : llvm::enumerate(places))
      order[place] = rank;
    for (Operation *op : ops)
      stage.push_back(positions[op].stage);
    loop.setOrder(order);
    loop.setStage(stage);
  });
}

//===----------------------------------------------------------------------===//
// What has to be placed
//===----------------------------------------------------------------------===//

static void remarkPlacement(Operation *op, StringRef what, MemorySpace from,
                            MemorySpace to) {
  remark::analysis(op->getLoc(),
                   remark::RemarkOpts::name("Placement").category(kCategory))
      << remark::reason("{0} from {1} goes through {2}", what,
                        stringifyMemorySpace(from), stringifyMemorySpace(to));
}

void mlir::tile::placeOperands(KernelOp kernel, TileReplacer &replacer) {
  SmallVector<TileLayoutOpInterface> ops;
  kernel.walk([&](TileLayoutOpInterface op) { ops.push_back(op); });
  for (TileLayoutOpInterface op : ops) {
    SmallVector<OperandPlacement> placements;
    op.getPlacements(placements);
    for (const OperandPlacement &placement : placements) {
      Value buffer = placement.operand->get();
      MemorySpace space = getMemorySpace(buffer);
      if (space == placement.space)
        continue;
      remarkPlacement(op, "an operand", space, placement.space);
      replacer.replace(op, buffer, placement.space);
    }
  }
}

/// Whether each of the iterations of a thread could have a register.
static bool fitsRegisters(ParallelOp loop,
                          const ::tile::target::Target &target) {
  if (ShapedType::isDynamicShape(loop.getStaticExtents()))
    return true;
  int64_t threads =
      getThreads(loop->getParentOfType<KernelOp>(), target).count();
  int64_t left = target.getGPU()->maxRegistersPerThread;
  int64_t steps = 1;
  for (int64_t extent : loop.getStaticExtents()) {
    if (extent > left * threads / steps)
      return false;
    steps *= std::max<int64_t>(1, extent);
  }
  return true;
}

/// Whether shared memory has room for a copy of the buffer beside all that is
/// there.
static bool fitsShared(KernelOp kernel, Value buffer,
                       const ::tile::target::Target &target) {
  auto getBytes = [](Value tile) {
    auto type = cast<MemRefType>(tile.getType());
    return llvm::divideCeil(
        type.getNumElements() * type.getElementTypeBitWidth(), 8);
  };
  int64_t bytes = getBytes(buffer);
  kernel.walk([&](AllocOp alloc) {
    if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Shared)
      bytes += getBytes(alloc.getBuffer());
  });
  return bytes <= target.getGPU()->sharedBytesPerBlock;
}

void mlir::tile::placeAccesses(KernelOp kernel,
                               const ::tile::target::Target &target,
                               TileReplacer &replacer) {
  // The op that the copies go around, and the fragment.
  llvm::SetVector<std::pair<Operation *, Value>> work;
  DenseMap<std::pair<Operation *, Value>, SmallVector<int>> first;
  kernel.walk([&](Operation *op) {
    SmallVector<Access> accesses;
    if (isa_and_nonnull<TileDialect>(op->getDialect()) && !isa<AtomicOp>(op))
      return;
    if (failed(collectAccesses(op, accesses)))
      return;
    for (const Access &access : accesses) {
      Value buffer = access.region.buffer;
      if (getMemorySpace(buffer) != MemorySpace::Fragment || isCollective(op))
        continue;
      auto loop = op->getParentOfType<ParallelOp>();
      // One loop sees a fragment in one way: of v[i] * v[j], which threads
      // could own both?
      StringRef what = "an access to an element that another thread may own";
      if (loop && !fitsRegisters(loop, target) &&
          fitsShared(kernel, buffer, target))
        what = "an access in a loop of more iterations than a thread has "
               "registers";
      else if (loop)
        if (std::optional<FragmentAccess> match = matchFragmentAccess(loop, op))
          if (first.try_emplace({loop, buffer}, match->dims).first->second ==
              match->dims)
            continue;
      remarkPlacement(op, what, MemorySpace::Fragment, MemorySpace::Shared);
      work.insert({loop ? loop.getOperation() : op, buffer});
    }
  });
  for (auto [op, buffer] : work)
    replacer.replace(op, buffer, MemorySpace::Shared);
}
