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
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

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
/// A buffer and when it is alive, in positions of the text, both included.
struct Lifetime {
  tl::AllocOp alloc;
  unsigned begin = ~0u, end = 0;
  int64_t bytes = 0, address = -1;

  bool meets(const Lifetime &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

class Planner {
public:
  explicit Planner(tl::KernelOp kernel, bool isTrial = false)
      : kernel(kernel), isTrial(isTrial) {
    number();
  }
  LogicalResult run();
  bool isCarried(ArrayRef<Operation *> users, Block *block, Value buffer);

private:
  void number();
  Lifetime getLifetime(tl::AllocOp alloc);
  LogicalResult place(MemorySpace space, MutableArrayRef<Lifetime> buffers);
  LogicalResult checkGiven(MemorySpace space, ArrayRef<Lifetime *> given);
  LogicalResult reportOverflow(Lifetime last, MemorySpace space,
                               int64_t capacity,
                               ArrayRef<Lifetime *> placed);

  tl::KernelOp kernel;
  bool isTrial; // gives no addresses and says nothing
  DenseMap<Operation *, std::pair<unsigned, unsigned>> positions;
};
} // namespace

void Planner::number() {
  unsigned next = 0;
  std::function<void(Operation *)> visit = [&](Operation *op) {
    unsigned begin = next++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        visit(&inner);
    positions[op] = {begin, next++};
  };
  visit(kernel);
}

/// All ops that touch the buffer, through views too.
static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<ViewLikeOpInterface>(user))
      collectUsers(user->getResult(0), users);
    else
      users.push_back(user);
  }
}

/// Whether a part that begins at the origin is all that any op touches: what lies
/// outside of it is padding.
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
  if (!isa<InstructionOpInterface>(op))
    return false;
  SmallVector<tl::Access> accesses;
  (void)tl::collectAccesses(op, accesses);
  bool writes = false;
  for (const tl::Access &access : accesses) {
    if (tl::getBaseBuffer(access.region.buffer) != buffer)
      continue;
    if (access.kind != tl::AccessKind::Write)
      return false;
    auto part = access.region.buffer.getDefiningOp<memref::SubViewOp>();
    writes = access.region.getType() == buffer.getType() ||
             (part && isAllInUse(part, buffer));
  }
  return writes;
}

/// Whether an iteration of the loop around `block` may read what an earlier one
/// wrote. The users are those inside of the block.
bool Planner::isCarried(ArrayRef<Operation *> users, Block *block,
                        Value buffer) {
  unsigned defined = ~0u;
  for (Operation *user : users)
    if (user->getBlock() == block && defines(user, buffer))
      defined = std::min(defined, positions[user].first);
  return llvm::any_of(users, [&](Operation *user) {
    if (positions[user].first >= defined)
      return false;
    // Before: writes alone, of what lies outside.
    SmallVector<tl::Access> accesses;
    (void)tl::collectAccesses(user, accesses);
    return llvm::any_of(accesses, [&](const tl::Access &access) {
      return access.kind != tl::AccessKind::Write &&
             tl::getBaseBuffer(access.region.buffer) == buffer;
    });
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

Lifetime Planner::getLifetime(tl::AllocOp alloc) {
  Lifetime life;
  life.alloc = alloc;
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  life.bytes = getAllocatedBytes(type);
  if (auto known = alloc->getAttrOfType<IntegerAttr>(
          AscendDialect::kAddressAttr))
    life.address = known.getInt();
  SmallVector<Operation *> users;
  collectUsers(alloc.getBuffer(), users);
  if (users.empty()) {
    life.begin = life.end = positions[alloc].first;
    return life;
  }
  if (isOfBothCores(tl::getMemorySpace(alloc.getBuffer()), users)) {
    std::tie(life.begin, life.end) = positions[kernel];
    return life;
  }
  // The innermost block around all users.
  Block *block = users.front()->getBlock();
  for (Operation *user : users)
    while (!block->findAncestorOpInBlock(*user))
      block = block->getParentOp()->getBlock();
  // Outwards, as long as a loop carries the content. A slot of a loop is kept
  // for it.
  bool isSlot = alloc->hasAttr(AscendDialect::kSlotsAttr);
  while (block->getParentOp() != kernel) {
    Operation *parent = block->getParentOp();
    if (isa<SectionOp>(parent))
      break;
    bool isLoop = isa<LoopLikeOpInterface>(parent);
    if (isLoop && !isSlot && !isCarried(users, block, alloc.getBuffer()))
      break;
    block = parent->getBlock();
    if (isLoop)
      isSlot = false;
  }
  for (Operation *user : users) {
    auto [begin, end] = positions[block->findAncestorOpInBlock(*user)];
    life.begin = std::min(life.begin, begin);
    life.end = std::max(life.end, end);
  }
  return life;
}

static std::string formatBytes(int64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

LogicalResult Planner::reportOverflow(Lifetime last, MemorySpace space,
                                      int64_t capacity,
                                      ArrayRef<Lifetime *> placed) {
  int64_t total = last.bytes;
  for (Lifetime *other : placed)
    if (other->meets(last))
      total += other->bytes;
  if (isTrial)
    return failure();
  InFlightDiagnostic diag = last.alloc.emitError()
                            << "does not fit '"
                            << tl::stringifyMemorySpace(space) << "': "
                            << formatBytes(total) << " are alive at once, "
                            << capacity << " are there";
  for (Lifetime *other : placed)
    if (other->meets(last))
      diag.attachNote(other->alloc.getLoc())
          << "alive: " << other->alloc.getBuffer().getType() << ", "
          << formatBytes(other->bytes) << " at " << other->address;
  return diag;
}

/// Addresses that are given may share bytes as those that are planned may.
LogicalResult Planner::checkGiven(MemorySpace space,
                                  ArrayRef<Lifetime *> given) {
  for (size_t i = 0; i < given.size(); ++i)
    for (Lifetime *other : given.take_front(i)) {
      Value buffer = given[i]->alloc.getBuffer();
      ByteRange a = getByteRange(buffer),
                c = getByteRange(other->alloc.getBuffer());
      if (!given[i]->meets(*other) || !mayOverlap(a, c))
        continue;
      if (isTrial)
        return failure();
      InFlightDiagnostic diag = given[i]->alloc.emitOpError()
                                << buffer.getType() << " has bytes " << a.begin
                                << " to " << a.end - 1 << " of '"
                                << tl::stringifyMemorySpace(space)
                                << "', of which another buffer has bytes "
                                << c.begin << " to " << c.end - 1
                                << " while both are alive";
      diag.attachNote(other->alloc.getLoc())
          << "the other one is " << other->alloc.getBuffer().getType()
          << "; leave an address out, and a free place is found";
      return diag;
    }
  return success();
}

LogicalResult Planner::place(MemorySpace space,
                             MutableArrayRef<Lifetime> buffers) {
  const target::AscendSpec &spec = getSpec(kernel);
  const target::AscendMemory *memory =
      spec.findMemory(tl::getTargetSpace(space));
  if (!memory)
    return buffers.front().alloc.emitError()
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
  SmallVector<Lifetime *> order, placed;
  for (Lifetime &life : buffers)
    (life.address >= 0 ? placed : order).push_back(&life);
  if (failed(checkGiven(space, placed)))
    return failure();
  llvm::stable_sort(order, [](Lifetime *a, Lifetime *c) {
    return a->begin < c->begin;
  });
  int64_t most = 0;
  for (Lifetime *life : order) {
    // The lowest gap between those that are alive at the same time.
    SmallVector<Lifetime *> others;
    for (Lifetime *other : placed)
      if (other->meets(*life))
        others.push_back(other);
    llvm::sort(others, [](Lifetime *a, Lifetime *c) {
      return a->address < c->address;
    });
    int64_t address = 0;
    for (Lifetime *other : others) {
      if (address + life->bytes <= other->address)
        break;
      address = std::max(
          address, int64_t(llvm::alignTo(other->address + other->bytes, align)));
    }
    if (address + life->bytes > capacity)
      return reportOverflow(*life, space, capacity, placed);
    life->address = address;
    most = std::max(most, address + life->bytes);
    if (!isTrial)
      life->alloc->setAttr(
          AscendDialect::kAddressAttr,
          IntegerAttr::get(IntegerType::get(kernel.getContext(), 64),
                           address));
    placed.push_back(life);
  }
  if (isTrial)
    return success();
  remark::passed(kernel.getLoc(), remark::RemarkOpts::name("PlannedMemory")
                                      .category("ascend-plan-memory"))
      << remark::metric("memory", tl::stringifyMemorySpace(space))
      << remark::metric("buffers", unsigned(buffers.size()))
      << remark::metric("bytes", int(most));
  return success();
}

LogicalResult Planner::run() {
  std::map<MemorySpace, SmallVector<Lifetime>> spaces;
  kernel.walk([&](tl::AllocOp alloc) {
    spaces[tl::getMemorySpace(alloc.getBuffer())].push_back(getLifetime(alloc));
  });
  for (auto &[space, buffers] : spaces)
    if (failed(place(space, buffers)))
      return failure();
  return success();
}

bool mlir::tile::ascend::fitsMemory(tl::KernelOp kernel) {
  return succeeded(Planner(kernel, /*isTrial=*/true).run());
}

bool mlir::tile::ascend::isRenewed(Value buffer, Operation *loop) {
  SmallVector<Operation *> users;
  collectUsers(buffer, users);
  llvm::erase_if(users, [&](Operation *user) {
    return !loop->isProperAncestor(user);
  });
  return !Planner(loop->getParentOfType<tl::KernelOp>())
              .isCarried(users, &loop->getRegion(0).front(), buffer);
}

bool mlir::tile::ascend::isPrivate(Value buffer, Operation *loop) {
  SmallVector<Operation *> users;
  collectUsers(buffer, users);
  return llvm::all_of(users,
                      [&](Operation *user) {
                        return loop->isProperAncestor(user);
                      }) &&
         isRenewed(buffer, loop);
}

namespace {
struct AscendPlanMemory
    : mlir::tile::ascend::impl::AscendPlanMemoryPassBase<AscendPlanMemory> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      return failed(Planner(kernel).run()) ? WalkResult::interrupt()
                                           : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
