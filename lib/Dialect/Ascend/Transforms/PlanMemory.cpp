//===- PlanMemory.cpp - addresses of buffers ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Ascend/IR/Ascend.h"
#include "Tile/Dialect/Ascend/Transforms/Memory.h"
#include "Tile/Dialect/Ascend/Transforms/Passes.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Liveness.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile::ascend {
#define GEN_PASS_DEF_ASCENDPLANMEMORYPASS
#include "Tile/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::tile::ascend

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

namespace {
class Planner {
public:
  explicit Planner(tl::KernelOp kernel, bool isTrial = false,
                   bool endsInBranches = false)
      : kernel(kernel), isTrial(isTrial), endsInBranches(endsInBranches),
        positions(kernel) {}
  /// Fails with the first memory that is full.
  LogicalResult run(MemorySpace *full = nullptr);
  bool isCarried(ArrayRef<Operation *> users, Block *block, Value buffer);

private:
  std::optional<int64_t> findDefinition(ArrayRef<Operation *> users,
                                        Block *block, Value buffer);
  bool isDefinedOnBothSides(scf::IfOp branch, ArrayRef<Operation *> users,
                            Value buffer);
  bool isDefinedBefore(Operation *user, ArrayRef<Operation *> users,
                       Block *block, Value buffer);
  tl::LiveRange findRange(tl::AllocOp alloc);
  LogicalResult place(MemorySpace space,
                      MutableArrayRef<tl::Placement> buffers);
  LogicalResult checkGiven(MemorySpace space, ArrayRef<tl::Placement *> given);
  LogicalResult reportOverflow(const tl::Placement &last, MemorySpace space,
                               int64_t capacity,
                               ArrayRef<tl::Placement *> placed);

  tl::KernelOp kernel;
  bool isTrial;        // gives no addresses and says nothing
  bool endsInBranches; // what one branch alone uses is alive in it alone
  tl::Positions positions;
};
} // namespace

/// Whether a part that begins at the origin is all that any op touches: what
/// lies outside of it is padding.
static bool isAllInUse(memref::SubViewOp part, Value buffer) {
  auto whole = cast<MemRefType>(buffer.getType());
  auto covers = [&](memref::SubViewOp other) {
    return llvm::all_of(llvm::seq<size_t>(0, whole.getRank()), [&](size_t i) {
      auto size = getConstantIntValue(part.getMixedSizes()[i]);
      auto first = getConstantIntValue(other.getMixedOffsets()[i]),
           extent = getConstantIntValue(other.getMixedSizes()[i]);
      bool isInside = first && extent && size && *first + *extent <= *size;
      return isInside || size == whole.getDimSize(i);
    });
  };
  bool isAtOrigin = llvm::all_of(part.getMixedOffsets(), [](OpFoldResult at) {
    return getConstantIntValue(at) == 0;
  });
  return part.getSource() == buffer && part.hasUnitStride() && isAtOrigin &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) {
           auto other = dyn_cast<memref::SubViewOp>(user);
           return other && other.hasUnitStride() && covers(other);
         });
}

/// Whether the instruction gives the whole buffer a new content.
static bool defines(Operation *op, Value buffer) {
  return isa<InstructionOpInterface>(op) &&
         tl::redefines(op, buffer, [&](const tl::BufferRegion &region) {
           auto part = region.buffer.getDefiningOp<memref::SubViewOp>();
           return region.getType() == buffer.getType() ||
                  (part && isAllInUse(part, buffer));
         });
}

/// Whether the first of the two vector cores alone takes the branch.
static bool isOfFirstCore(scf::IfOp branch) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs().getDefiningOp<SubBlockOp>() &&
         getConstantIntValue(compare.getRhs()) == 0;
}

/// The block in which an op is executed, for the cores of a block together:
/// what the first vector core does to a buffer that both cores share is always
/// done.
static Block *getJointBlock(Operation *op, Value buffer) {
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  bool isJoint = branch && op->getBlock() == branch.thenBlock() &&
                 tl::getMemorySpace(buffer) == MemorySpace::L1 &&
                 isOfFirstCore(branch);
  return isJoint ? branch->getBlock() : op->getBlock();
}

/// Whether the buffer has a new content behind the branch, whichever side is
/// taken, and neither reads the old one.
bool Planner::isDefinedOnBothSides(scf::IfOp branch,
                                   ArrayRef<Operation *> users, Value buffer) {
  return branch.elseBlock() &&
         llvm::all_of(branch->getRegions(), [&](Region &side) {
           SmallVector<Operation *> inside;
           llvm::copy_if(users, std::back_inserter(inside),
                         [&](Operation *user) {
                           return side.isAncestor(user->getParentRegion());
                         });
           return findDefinition(inside, &side.front(), buffer) &&
                  !isCarried(inside, &side.front(), buffer);
         });
}

/// Where the block gives the buffer a new content on every path.
std::optional<int64_t> Planner::findDefinition(ArrayRef<Operation *> users,
                                               Block *block, Value buffer) {
  std::optional<int64_t> defined;
  auto define = [&](Operation *op) {
    int64_t at = positions.get(op).begin;
    defined = std::min(defined.value_or(at), at);
  };
  for (Operation *user : users) {
    if (getJointBlock(user, buffer) == block) {
      if (defines(user, buffer))
        define(user);
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(block->findAncestorOpInBlock(*user));
    if (branch && (!defined || positions.get(branch).begin < *defined) &&
        isDefinedOnBothSides(branch, users, buffer))
      define(branch);
  }
  return defined;
}

/// Whether the block, or one inside of it that the user is in, gives the buffer
/// a new content before the user in each of its runs.
bool Planner::isDefinedBefore(Operation *user, ArrayRef<Operation *> users,
                              Block *block, Value buffer) {
  for (Block *at = user->getBlock();; at = at->getParentOp()->getBlock()) {
    SmallVector<Operation *> inside;
    llvm::copy_if(users, std::back_inserter(inside), [&](Operation *other) {
      return at->findAncestorOpInBlock(*other);
    });
    std::optional<int64_t> defined = findDefinition(inside, at, buffer);
    if (defined && positions.get(user).begin >= *defined)
      return true;
    if (at == block)
      return false;
  }
}

/// Whether an iteration of the loop around `block` may read what an earlier one
/// wrote. The users are those inside of the block.
bool Planner::isCarried(ArrayRef<Operation *> users, Block *block,
                        Value buffer) {
  return llvm::any_of(users, [&](Operation *user) {
    // Before: writes alone, of what lies outside.
    SmallVector<tl::Access> accesses;
    (void)tl::collectAccesses(user, accesses);
    bool reads = llvm::any_of(accesses, [&](const tl::Access &access) {
      return access.kind != tl::AccessKind::Write &&
             tl::getBaseBuffer(access.region.buffer) == buffer;
    });
    return reads && !isDefinedBefore(user, users, block, buffer);
  });
}

/// Whether a core touches the buffer that does not own its memory. What its
/// bytes serve before and after, no flag of that core orders.
static bool isOfBothCores(MemorySpace space, ArrayRef<Operation *> users) {
  return llvm::any_of(users, [&](Operation *user) {
    auto instruction = dyn_cast<InstructionOpInterface>(user);
    return instruction && getOwner(space) &&
           instruction.getCore() != *getOwner(space);
  });
}

/// Whether the block is of a branch that guards part of a step of a loop, next
/// to the flags between the cores, or inside of one.
static bool isGuarded(Block *block) {
  for (Operation *op = block->getParentOp(); isa<scf::IfOp>(op);
       op = op->getParentOp())
    if (llvm::any_of(*op->getBlock(), [](Operation &other) {
          return isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(other);
        }))
      return true;
  return false;
}

tl::LiveRange Planner::findRange(tl::AllocOp alloc) {
  SmallVector<Operation *> users = tl::collectBufferUsers(alloc.getBuffer());
  if (users.empty())
    return {positions.get(alloc).begin, positions.get(alloc).begin};
  if (isOfBothCores(tl::getMemorySpace(alloc.getBuffer()), users))
    return positions.get(kernel);
  // The innermost block around all users.
  Block *block = users.front()->getBlock();
  for (Operation *user : users)
    while (!block->findAncestorOpInBlock(*user))
      block = block->getParentOp()->getBlock();
  // Outwards, as long as a loop carries the content, or from one guarded step
  // to the next. A stage of a loop is kept for it.
  bool isStage = alloc->hasAttr(AscendDialect::kMultiBufferAttr);
  while (block->getParentOp() != kernel) {
    Operation *parent = block->getParentOp();
    if (isa<SectionOp>(parent))
      break;
    bool isLoop = isa<LoopLikeOpInterface>(parent);
    if ((isLoop || endsInBranches || isGuarded(block)) && !isStage &&
        !isCarried(users, block, alloc.getBuffer()))
      break;
    block = parent->getBlock();
    if (isLoop)
      isStage = false;
  }
  return positions.getRange(users, block);
}

static std::string formatBytes(int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

LogicalResult Planner::reportOverflow(const tl::Placement &last,
                                      MemorySpace space, int64_t capacity,
                                      ArrayRef<tl::Placement *> placed) {
  int64_t total = last.bytes;
  for (tl::Placement *other : placed)
    if (other->range.overlaps(last.range))
      total += other->bytes;
  if (isTrial)
    return failure();
  InFlightDiagnostic diag = last.op->emitError()
                            << "does not fit '"
                            << tl::stringifyMemorySpace(space)
                            << "': " << formatBytes(total)
                            << " are alive at once, " << capacity
                            << " available";
  for (tl::Placement *other : placed)
    if (other->range.overlaps(last.range))
      diag.attachNote(other->op->getLoc())
          << "alive: " << other->op->getResult(0).getType() << ", "
          << formatBytes(other->bytes) << " at " << other->offset;
  return diag;
}

/// Addresses that are given may share bytes as those that are planned may.
LogicalResult Planner::checkGiven(MemorySpace space,
                                  ArrayRef<tl::Placement *> given) {
  for (size_t i = 0; i < given.size(); ++i)
    for (tl::Placement *other : given.take_front(i)) {
      Value buffer = given[i]->op->getResult(0);
      ByteRange a = getByteRange(buffer),
                c = getByteRange(other->op->getResult(0));
      if (!given[i]->range.overlaps(other->range) || !mayOverlap(a, c))
        continue;
      if (isTrial)
        return failure();
      InFlightDiagnostic diag =
          given[i]->op->emitOpError()
          << buffer.getType() << " has bytes " << a.begin << " to " << a.end - 1
          << " of '" << tl::stringifyMemorySpace(space)
          << "', of which another buffer has bytes " << c.begin << " to "
          << c.end - 1 << " while both are alive";
      diag.attachNote(other->op->getLoc())
          << "the other one is " << other->op->getResult(0).getType()
          << "; leave an address out, and a free place is found";
      return diag;
    }
  return success();
}

LogicalResult Planner::place(MemorySpace space,
                             MutableArrayRef<tl::Placement> buffers) {
  const target::AscendSpec &spec = getSpec(kernel);
  const target::AscendMemory *memory =
      spec.findMemory(tl::getTargetSpace(space));
  if (!memory && isTrial)
    return failure();
  if (!memory)
    return buffers.front().op->emitError()
           << "the chip has no memory '" << tl::stringifyMemorySpace(space)
           << "'; run ascend-infer-memory first";
  int64_t capacity = memory->userBytes;
  bool selects = false;
  kernel.walk([&](SelectOp) { selects = true; });
  if (space == MemorySpace::UB && selects)
    capacity -= spec.selectReserveBytes;
  int64_t align = space == MemorySpace::L0C
                      ? std::max(memory->align, spec.mmadAlign)
                      : memory->align;
  SmallVector<tl::Placement *> order, placed;
  for (tl::Placement &item : buffers) {
    item.align = align;
    (item.offset >= 0 ? placed : order).push_back(&item);
  }
  if (failed(checkGiven(space, placed)))
    return failure();
  llvm::stable_sort(order, [](tl::Placement *a, tl::Placement *c) {
    return a->range.begin < c->range.begin;
  });
  int64_t most = 0;
  for (tl::Placement *item : order) {
    tl::placeLowest(*item, placed);
    if (item->offset + item->bytes > capacity)
      return reportOverflow(*item, space, capacity, placed);
    most = std::max(most, item->offset + item->bytes);
    if (!isTrial)
      item->op->setAttr(
          AscendDialect::kAddressAttr,
          IntegerAttr::get(IntegerType::get(kernel.getContext(), 64),
                           item->offset));
    placed.push_back(item);
  }
  if (isTrial)
    return success();
  remark::passed(
      kernel.getLoc(),
      remark::RemarkOpts::name("PlannedMemory").category("ascend-plan-memory"))
      << remark::metric("memory", tl::stringifyMemorySpace(space))
      << remark::metric("buffers", unsigned(buffers.size()))
      << remark::metric("bytes", int(most));
  return success();
}

/// Copies of a buffer for several steps of a loop that have the same address
/// are one again.
static void mergeBuffers(tl::KernelOp kernel) {
  DenseMap<std::tuple<Location, Type, Attribute>, tl::AllocOp> known;
  for (auto alloc :
       llvm::make_early_inc_range(kernel.getBody().getOps<tl::AllocOp>())) {
    if (alloc->hasAttr(AscendDialect::kMultiBufferAttr))
      continue;
    auto [first, isNew] =
        known.try_emplace({alloc.getLoc(), alloc.getType(),
                           alloc->getAttr(AscendDialect::kAddressAttr)},
                          alloc);
    if (isNew)
      continue;
    alloc->replaceAllUsesWith(first->second);
    alloc->erase();
  }
}

LogicalResult Planner::run(MemorySpace *full) {
  std::map<MemorySpace, SmallVector<tl::Placement>> spaces;
  kernel.walk([&](tl::AllocOp alloc) {
    auto known = alloc->getAttrOfType<IntegerAttr>(AscendDialect::kAddressAttr);
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    spaces[tl::getMemorySpace(type)].push_back({alloc, getAllocatedBytes(type),
                                                /*align=*/1, findRange(alloc),
                                                known ? known.getInt() : -1});
  });
  for (auto &[space, buffers] : spaces)
    if (failed(place(space, buffers))) {
      if (full)
        *full = space;
      return failure();
    }
  if (!isTrial)
    mergeBuffers(kernel);
  return success();
}

/// Buffers of the same bytes wait for each other: those of a branch share them
/// with others in it where they have to.
static LogicalResult plan(tl::KernelOp kernel, bool isTrial,
                          MemorySpace *full = nullptr) {
  if (failed(Planner(kernel, /*isTrial=*/true).run()))
    return Planner(kernel, isTrial, /*endsInBranches=*/true).run(full);
  return isTrial ? success() : Planner(kernel).run();
}

std::optional<MemorySpace>
mlir::tile::ascend::findFullMemory(tl::KernelOp kernel) {
  MemorySpace full = MemorySpace::UB;
  if (succeeded(plan(kernel, /*isTrial=*/true, &full)))
    return std::nullopt;
  return full;
}

bool mlir::tile::ascend::isRenewed(Value buffer, Operation *loop) {
  SmallVector<Operation *> users = tl::collectBufferUsers(buffer);
  llvm::erase_if(
      users, [&](Operation *user) { return !loop->isProperAncestor(user); });
  return !Planner(loop->getParentOfType<tl::KernelOp>())
              .isCarried(users, &loop->getRegion(0).front(), buffer);
}

bool mlir::tile::ascend::isPrivate(Value buffer, Operation *loop) {
  SmallVector<Operation *> users = tl::collectBufferUsers(buffer);
  return llvm::all_of(
             users,
             [&](Operation *user) { return loop->isProperAncestor(user); }) &&
         isRenewed(buffer, loop);
}

namespace {
struct AscendPlanMemory
    : mlir::tile::ascend::impl::AscendPlanMemoryPassBase<AscendPlanMemory> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      return failed(plan(kernel, /*isTrial=*/false)) ? WalkResult::interrupt()
                                                     : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
