//===- PipelineParts.cpp - parts of pipelined loops -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineParts.h"

#include "CrossCoreTransfer.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Ascend/Transforms/Memory.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

SmallVector<PartTouch> mlir::tile::ascend::getTouches(Operation *op) {
  SmallVector<PartTouch> touches;
  op->walk([&](Operation *inner) {
    auto instruction = dyn_cast<InstructionOpInterface>(inner);
    SmallVector<tl::Access> accesses;
    if (!instruction && !isa<memref::LoadOp, memref::StoreOp>(inner))
      return;
    (void)tl::collectAccesses(inner, accesses);
    for (const tl::Access &access : accesses)
      touches.push_back({tl::getBaseBuffer(access.region.buffer),
                         instruction ? instruction.getPipe() : Pipe::S,
                         access.kind != tl::AccessKind::Read});
  });
  return touches;
}

SmallVector<PartTouch> mlir::tile::ascend::getTouches(const LoopPart &part) {
  llvm::SetVector<Operation *> ops(part.ops.begin(), part.ops.end());
  for (size_t next = 0; next < ops.size(); ++next) {
    llvm::SetVector<Value> used(ops[next]->operand_begin(),
                                ops[next]->operand_end());
    getUsedValuesDefinedAbove(ops[next]->getRegions(), used);
    for (Value value : used)
      if (Operation *def = value.getDefiningOp();
          def && def->getBlock() == ops[next]->getBlock())
        ops.insert(def);
  }
  SmallVector<PartTouch> touches;
  for (Operation *op : ops)
    llvm::append_range(touches, getTouches(op));
  return touches;
}

bool mlir::tile::ascend::isTransferFlag(Operation *op) {
  return isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(op) &&
         op->hasAttr(AscendDialect::kCrossCoreTransferAttr);
}

bool mlir::tile::ascend::isWorkspace(Value buffer) {
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->hasAttr(AscendDialect::kCrossCoreTransferAttr);
}

int64_t mlir::tile::ascend::getTransferNumber(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(AscendDialect::kCrossCoreTransferAttr)
      .getInt();
}

/// The cores that an op, and what is inside of it, runs on.
static std::pair<bool, bool> getCores(Operation *op) {
  bool cube = false, vector = false;
  op->walk([&](Operation *inner) {
    std::optional<Core> core;
    if (auto instruction = dyn_cast<InstructionOpInterface>(inner))
      core = instruction.getCore();
    else if (auto attr =
                 inner->getAttrOfType<CoreAttr>(AscendDialect::kCoreAttr))
      core = attr.getValue();
    else if (isa<memref::LoadOp, memref::StoreOp>(inner))
      for (const PartTouch &touch : getTouches(inner))
        if (tl::getMemorySpace(touch.base) == MemorySpace::UB)
          core = Core::Vector;
    cube |= core == Core::Cube;
    vector |= core == Core::Vector;
  });
  return {cube, vector};
}

static bool isScalar(Operation *op) {
  auto [cube, vector] = getCores(op);
  return !cube && !vector;
}

std::optional<StringRef> mlir::tile::ascend::findObstacle(scf::ForOp loop) {
  if (loop.getNumRegionIterArgs() != 0)
    return "the loop carries values";
  std::optional<StringRef> obstacle;
  loop.getBody()->walk([&](Operation *op) {
    bool isCross = isa<CrossCoreSetFlagOp, CrossCoreWaitFlagOp>(op);
    if (isa<SetFlagOp, WaitFlagOp, PipeBarrierOp>(op) ||
        (isCross && !isTransferFlag(op)))
      obstacle = "the loop has flags of its own";
    else if (isCross && op->getBlock() != loop.getBody())
      obstacle = "tiles go from core to core in a loop or branch inside";
  });
  if (obstacle)
    return obstacle;
  for (Operation &op : *loop.getBody()) {
    auto [cube, vector] = getCores(&op);
    if (cube && vector)
      obstacle = "a loop or branch inside has instructions of both cores";
    if (!cube && !vector && !isMemoryEffectFree(&op) &&
        !isa<memref::LoadOp>(op))
      obstacle = "the loop writes memory from scalar code";
  }
  return obstacle;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
class PartFinder {
public:
  explicit PartFinder(scf::ForOp loop) : loop(loop) {}
  SmallVector<LoopPart> run();

private:
  bool isOwn(Value buffer);
  bool dependsBackwards(const LoopPart &a, const LoopPart &c);
  void sink(unsigned from);
  bool isLoad(Operation *op, Value buffer);
  void sinkLoads(unsigned from);
  std::optional<unsigned> findNextUse(unsigned from, size_t index);
  void merge();

  scf::ForOp loop;
  SmallVector<LoopPart> parts;
  DenseMap<Value, bool> own;
  DenseSet<Value> written;
};
} // namespace

/// Buffers that can have a copy for each iteration, or have one already.
bool PartFinder::isOwn(Value buffer) {
  if (isWorkspace(buffer))
    return true; // with its flags
  if (!buffer.getDefiningOp<tl::AllocOp>())
    return false;
  auto [at, isNew] = own.try_emplace(buffer, false);
  if (isNew)
    at->second = isPrivate(buffer, loop);
  return at->second;
}

/// Whether `a` of an iteration must wait for `c` of the one before, or uses a
/// value that only the other one computes.
bool PartFinder::dependsBackwards(const LoopPart &a, const LoopPart &c) {
  DenseSet<Operation *> later(c.ops.begin(), c.ops.end());
  for (Operation *op : a.ops)
    for (Operation *user : op->getUsers())
      if (Operation *top = loop.getBody()->findAncestorOpInBlock(*user))
        if (later.contains(top))
          return true;
  for (Operation *first : a.ops)
    for (const PartTouch &x : getTouches(first)) {
      if (isOwn(x.base))
        continue;
      for (Operation *second : c.ops)
        for (const PartTouch &y : getTouches(second))
          if (x.base == y.base && (x.writes || y.writes))
            return true;
    }
  return false;
}

/// The next part of the same core that touches what the instruction writes, if
/// the instruction may as well stand there.
std::optional<unsigned> PartFinder::findNextUse(unsigned from, size_t index) {
  Operation *op = parts[from].ops[index];
  auto instruction = dyn_cast<InstructionOpInterface>(op);
  if (!instruction ||
      (instruction.getPipe() != Pipe::V && instruction.getPipe() != Pipe::M))
    return std::nullopt;
  SmallVector<PartTouch> touches = getTouches(op);
  bool isCarried = llvm::any_of(touches, [&](const PartTouch &touch) {
    return touch.writes && !isOwn(touch.base);
  });
  if (!isCarried)
    return std::nullopt;
  for (unsigned number = from; number < parts.size(); ++number) {
    if (number != from && parts[number].core != parts[from].core)
      continue;
    auto ops = ArrayRef(parts[number].ops);
    if (number == from)
      ops = ops.drop_front(index + 1);
    for (Operation *other : ops)
      for (const PartTouch &theirs : getTouches(other))
        for (const PartTouch &mine : touches) {
          if (theirs.base != mine.base)
            continue;
          if (mine.writes && number != from)
            return number;
          if (mine.writes || theirs.writes)
            return std::nullopt;
        }
  }
  return std::nullopt;
}

/// Puts off what an earlier part need not compute.
void PartFinder::sink(unsigned from) {
  for (size_t index = parts[from].ops.size(); index-- > 0;) {
    std::optional<unsigned> to = findNextUse(from, index);
    if (!to)
      continue;
    auto &ops = parts[from].ops;
    parts[*to].ops.insert(parts[*to].ops.begin(), ops[index]);
    ops.erase(ops.begin() + index);
  }
}

/// Whether all that the op does is to fill the buffer, or to load it from
/// global memory that the loop does not write.
bool PartFinder::isLoad(Operation *op, Value buffer) {
  return llvm::all_of(getTouches(op), [&](const PartTouch &touch) {
    if (touch.base == buffer)
      return touch.writes && touch.pipe == Pipe::MTE2;
    return !touch.writes && !isWorkspace(touch.base) &&
           tl::getMemorySpace(touch.base) == MemorySpace::Global &&
           !written.contains(touch.base);
  });
}

/// Puts off loads of tiles that a later part of the core alone uses: its
/// iterations are not as far ahead, so fewer tiles are there at once.
void PartFinder::sinkLoads(unsigned from) {
  llvm::MapVector<Value, SmallVector<Operation *>> loads;
  for (Operation *op : parts[from].ops)
    for (const PartTouch &touch : getTouches(op))
      if (auto &ops = loads[touch.base]; !llvm::is_contained(ops, op))
        ops.push_back(op);
  for (auto &[buffer, ops] : loads) {
    if (!buffer.getDefiningOp<tl::AllocOp>() || !isOwn(buffer) ||
        !llvm::all_of(ops, [&, buffer = buffer](Operation *op) {
          return isLoad(op, buffer);
        }))
      continue;
    auto usesIt = [&, buffer = buffer](const LoopPart &part) {
      return llvm::any_of(getTouches(part), [&](const PartTouch &touch) {
        return touch.base == buffer;
      });
    };
    auto next = llvm::find_if(llvm::drop_begin(parts, from + 1), usesIt);
    if (next == parts.end() || next->core != parts[from].core)
      continue;
    llvm::erase_if(parts[from].ops, [&, &ops = ops](Operation *op) {
      return llvm::is_contained(ops, op);
    });
    next->ops.insert(next->ops.begin(), ops.begin(), ops.end());
  }
}

/// Parts that cannot be taken apart become one.
void PartFinder::merge() {
  for (size_t first = 0; first < parts.size(); ++first)
    for (size_t last = parts.size(); --last > first;) {
      if (!dependsBackwards(parts[first], parts[last]))
        continue;
      for (size_t next = first + 1; next <= last; ++next) {
        llvm::append_range(parts[first].ops, parts[next].ops);
        if (parts[first].core != parts[next].core)
          parts[first].core = std::nullopt;
      }
      parts.erase(parts.begin() + first + 1, parts.begin() + last + 1);
      return merge();
    }
}

SmallVector<LoopPart> PartFinder::run() {
  for (const PartTouch &touch : getTouches(loop))
    if (touch.writes)
      written.insert(touch.base);
  SmallVector<Operation *> waits;
  auto add = [&](Operation *op) {
    Core core = getCores(op).first ? Core::Cube : Core::Vector;
    bool begins = parts.empty() || parts.back().core != core;
    // A wait stands with what waits: the other core may go on in between.
    if (begins && isa<CrossCoreWaitFlagOp>(op)) {
      waits.push_back(op);
      return;
    }
    if (begins) {
      parts.push_back({core, {}});
      llvm::erase_if(waits, [&](Operation *wait) {
        bool isOfCore = getCores(wait) == getCores(op);
        if (isOfCore)
          parts.back().ops.push_back(wait);
        return isOfCore;
      });
    }
    parts.back().ops.push_back(op);
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isScalar(&op))
      add(&op);
  for (Operation *wait : waits)
    parts.push_back({getCores(wait).first ? Core::Cube : Core::Vector, {wait}});
  for (unsigned number = 0; number < parts.size(); ++number)
    sink(number);
  for (unsigned number = 0; number < parts.size(); ++number)
    sinkLoads(number);
  llvm::erase_if(parts, [](const LoopPart &part) { return part.ops.empty(); });
  merge();
  return std::move(parts);
}

SmallVector<LoopPart> mlir::tile::ascend::getLoopParts(scf::ForOp loop) {
  return PartFinder(loop).run();
}

/// Where a part copies a tile of the other core that each iteration has its own
/// of, and what it has before the copy does not touch the tile: the copy's ops.
static std::pair<size_t, size_t> findCopy(const LoopPart &part) {
  Operation *loop = part.ops.front()->getParentOp();
  for (size_t first = 0; first < part.ops.size(); ++first) {
    auto wait = dyn_cast<CrossCoreWaitFlagOp>(part.ops[first]);
    if (!wait || !isTransferFlag(wait) ||
        int64_t(wait.getId()) != 2 * getTransferNumber(wait))
      continue;
    size_t last = first + 1;
    auto isRelease = [&](Operation *op) {
      return isa<CrossCoreSetFlagOp>(op) && isTransferFlag(op) &&
             getTransferNumber(op) == getTransferNumber(wait);
    };
    while (last < part.ops.size() && !isRelease(part.ops[last]))
      ++last;
    if (last == part.ops.size() ||
        cast<CrossCoreSetFlagOp>(part.ops[last]).getPipe() != Pipe::MTE2)
      continue;
    DenseSet<Value> copied;
    for (Operation *op : ArrayRef(part.ops).slice(first, last - first))
      for (const PartTouch &touch : getTouches(op))
        copied.insert(touch.base);
    bool isFirst =
        llvm::none_of(ArrayRef(part.ops).take_front(first), [&](Operation *op) {
          return llvm::any_of(getTouches(op), [&](const PartTouch &touch) {
            return copied.contains(touch.base);
          });
        });
    bool isOwn = llvm::all_of(copied, [&](Value buffer) {
      return isWorkspace(buffer) || isPrivate(buffer, loop);
    });
    if (isFirst && isOwn)
      return {first, last + 1};
  }
  return {0, 0};
}

SmallVector<LoopPart>
mlir::tile::ascend::separateCopies(ArrayRef<LoopPart> parts) {
  SmallVector<LoopPart> separate;
  for (LoopPart part : parts) {
    while (part.core && !part.ops.empty()) {
      auto [first, last] = findCopy(part);
      if (first == last)
        break;
      auto *begin = part.ops.begin();
      separate.push_back({part.core,
                          SmallVector<Operation *>(begin + first, begin + last),
                          /*isCopy=*/true});
      part.ops.erase(begin + first, begin + last);
    }
    if (!part.ops.empty())
      separate.push_back(std::move(part));
  }
  return separate;
}
