//===- GuardedRows.cpp - rows that are copied on a condition --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedRows.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static bool isInside(Value value, ParallelOp loop) {
  return loop->isAncestor(value.getParentBlock()->getParentOp());
}

static bool isEntry(memref::LoadOp load, ParallelOp loop) {
  auto type = cast<MemRefType>(load.getMemref().getType());
  return isInside(load, loop) && getMemorySpace(type) == MemorySpace::Global &&
         (type.getElementType().isInteger(32) ||
          type.getElementType().isInteger(64));
}

memref::LoadOp tilelang::getListEntry(Value index, ParallelOp loop) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto load = cast ? cast.getIn().getDefiningOp<memref::LoadOp>()
                   : memref::LoadOp();
  return load && isInside(index, loop) && isEntry(load, loop)
             ? load
             : memref::LoadOp();
}

/// The same, as an index or as the list has it.
static bool isListEntry(Value value, ParallelOp loop) {
  auto load = value.getDefiningOp<memref::LoadOp>();
  return getListEntry(value, loop) ||
         (load && isEntry(load, loop));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

namespace {
/// An entry is at most `limit`, less one if it is below it; no limit: it is not
/// negative, which a row of a gather never is.
struct RowBound {
  Value limit;
  bool isBelow = false;
};
} // namespace

static std::optional<RowBound> getBound(arith::CmpIOp compare,
                                        ParallelOp loop) {
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  Value entry = compare.getLhs(), limit = compare.getRhs();
  if (!isListEntry(entry, loop)) {
    std::swap(entry, limit);
    switch (predicate) {
    case P::slt:
      predicate = P::sgt;
      break;
    case P::sle:
      predicate = P::sge;
      break;
    case P::sgt:
      predicate = P::slt;
      break;
    case P::sge:
      predicate = P::sle;
      break;
    default:
      break;
    }
  }
  std::optional<int64_t> number = getConstantIntValue(limit);
  if (!isListEntry(entry, loop) || (!number && isInside(limit, loop)))
    return std::nullopt;
  if (predicate == P::slt || predicate == P::sle)
    return RowBound{limit, predicate == P::slt};
  if ((predicate == P::sge && number == 0) ||
      ((predicate == P::sgt || predicate == P::ne) && number == -1))
    return RowBound{};
  return std::nullopt;
}

/// The bounds that a condition is all of; false if it is something else.
static bool collectBounds(Value condition, ParallelOp loop,
                          SmallVectorImpl<RowBound> &bounds) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return collectBounds(both.getLhs(), loop, bounds) &&
           collectBounds(both.getRhs(), loop, bounds);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<RowBound> bound =
      compare ? getBound(compare, loop) : std::nullopt;
  if (bound)
    bounds.push_back(*bound);
  return bound.has_value();
}

bool tilelang::isRowGuard(Value condition, ParallelOp loop) {
  SmallVector<RowBound> bounds;
  return collectBounds(condition, loop, bounds);
}

/// In front of the loops around, as far as the limits are known there; null if
/// these are in different places.
static Operation *findPlace(ArrayRef<RowBound> bounds, ParallelOp loop) {
  Block *body = &loop->getParentOfType<KernelOp>().getBody().front();
  Operation *place = body->findAncestorOpInBlock(*loop);
  for (RowBound bound : bounds)
    if (bound.limit && !getConstantIntValue(bound.limit) &&
        body->getParentOp()->isProperAncestor(
            bound.limit.getParentBlock()->getParentOp()))
      return nullptr;
  return place;
}

/// Whether a flag that is stored says what the conditions say together.
bool tilelang::saysWhichRows(Value flag, ArrayRef<Value> guards,
                             ParallelOp loop) {
  SmallVector<RowBound> said, asked;
  if (!flag.getType().isInteger(1) || !collectBounds(flag, loop, said))
    return false;
  for (Value guard : guards)
    if (!collectBounds(guard, loop, asked))
      return false;
  auto holds = [](ArrayRef<RowBound> all, const RowBound &bound) {
    return llvm::any_of(all, [&](const RowBound &other) {
      std::optional<int64_t> number =
          bound.limit ? getConstantIntValue(bound.limit) : std::nullopt;
      return other.isBelow == bound.isBelow &&
             (other.limit == bound.limit ||
              (number && other.limit &&
               getConstantIntValue(other.limit) == number));
    });
  };
  return llvm::all_of(said, [&](auto &b) { return holds(asked, b); }) &&
         llvm::all_of(asked, [&](auto &b) { return holds(said, b); });
}

bool tilelang::canGuardRows(ArrayRef<Value> guards, ParallelOp loop) {
  SmallVector<RowBound> bounds;
  for (Value guard : guards)
    if (!collectBounds(guard, loop, bounds))
      return false;
  return findPlace(bounds, loop) != nullptr;
}

Value tilelang::guardRows(Value buffer, unsigned dim, ArrayRef<Value> guards,
                          ParallelOp loop) {
  SmallVector<RowBound> bounds;
  for (Value guard : guards)
    collectBounds(guard, loop, bounds);
  llvm::erase_if(bounds, [](const RowBound &bound) { return !bound.limit; });
  if (bounds.empty())
    return buffer;
  OpBuilder b(findPlace(bounds, loop));
  Location loc = loop.getLoc();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    offsets.push_back(b.getIndexAttr(0));
    strides.push_back(b.getIndexAttr(1));
    sizes.push_back(memref::getMixedSize(b, loc, buffer, i));
  }
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value rows = getValueOrCreateConstantIndexOp(b, loc, sizes[dim]);
  for (const RowBound &bound : bounds) {
    Value end = bound.limit;
    if (std::optional<int64_t> constant = getConstantIntValue(end))
      end = number(*constant);
    else if (!end.getType().isIndex())
      end = arith::IndexCastOp::create(b, loc, b.getIndexType(), end);
    if (!bound.isBelow)
      end = arith::AddIOp::create(b, loc, end, number(1));
    end = arith::MaxSIOp::create(b, loc, end, number(0));
    rows = arith::MinSIOp::create(b, loc, rows, end);
  }
  sizes[dim] = rows;
  return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

memref::LoadOp tilelang::findComputedFrom(Value value, ParallelOp loop) {
  memref::LoadOp found;
  SmallVector<Value> list = {value};
  llvm::DenseSet<Value> seen;
  while (!list.empty()) {
    Value next = list.pop_back_val();
    if (!isInside(next, loop) || !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    auto load = dyn_cast_or_null<memref::LoadOp>(op);
    if (!op || (load && found && found != load) ||
        (!load && (!isPure(op) || op->getNumRegions() != 0)))
      return {};
    if (load)
      found = load;
    else
      llvm::append_range(list, op->getOperands());
  }
  return found;
}

static Value cloneInto(OpBuilder &b, Value value, IRMapping &map,
                       Operation *root) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !root->isAncestor(op))
    return value;
  for (Value operand : op->getOperands())
    map.map(operand, cloneInto(b, operand, map, root));
  b.clone(*op, map);
  return map.lookup(value);
}

Value tilelang::cloneComputed(OpBuilder &b, Value value, memref::LoadOp load,
                              Value with) {
  IRMapping map;
  map.map(load.getResult(), with);
  return cloneInto(b, value, map, load->getParentOfType<ParallelOp>());
}

/// Whether both are at the same constant places.
static bool haveOnePlace(memref::LoadOp load, memref::StoreOp store) {
  return llvm::all_of(llvm::zip(load.getIndices(), store.getIndices()),
                      [](auto pair) {
                        auto a = getConstantIntValue(std::get<0>(pair));
                        return a && a == getConstantIntValue(std::get<1>(pair));
                      });
}

static void forwardLocal(AllocOp alloc, ParallelOp loop) {
  memref::StoreOp store;
  SmallVector<memref::LoadOp> loads;
  for (Operation *user : alloc->getUsers()) {
    if (!loop->isProperAncestor(user))
      return;
    if (auto load = dyn_cast<memref::LoadOp>(user))
      loads.push_back(load);
    else if (auto made = dyn_cast<memref::StoreOp>(user); made && !store)
      store = made;
    else
      return;
  }
  for (memref::LoadOp load : loads) {
    Operation *place =
        store ? store->getBlock()->findAncestorOpInBlock(*load) : nullptr;
    if (!place || !store->isBeforeInBlock(place) ||
        !haveOnePlace(load, store))
      return;
  }
  for (memref::LoadOp load : loads) {
    load.replaceAllUsesWith(store.getValue());
    load.erase();
  }
  if (store)
    store.erase();
  alloc.erase();
}

/// The variable whose value is an index of the load; null if there is none.
static AllocOp findLocalIndex(memref::LoadOp load) {
  for (Value index : load.getIndices())
    if (auto cast = index.getDefiningOp<arith::IndexCastOp>())
      if (auto local = cast.getIn().getDefiningOp<memref::LoadOp>())
        if (getMemorySpace(local.getMemref()) == MemorySpace::Local)
          return local.getMemref().getDefiningOp<AllocOp>();
  return {};
}

void tilelang::forwardLocals(ParallelOp loop) {
  llvm::SetVector<AllocOp> allocs;
  loop.walk([&](memref::StoreOp store) {
    auto load = store.getValue().getDefiningOp<memref::LoadOp>();
    AllocOp alloc = load ? findLocalIndex(load) : AllocOp();
    if (alloc && getMemorySpace(store.getMemref()) == MemorySpace::Shared &&
        getMemorySpace(load.getMemref()) == MemorySpace::Global)
      allocs.insert(alloc);
  });
  for (AllocOp alloc : allocs)
    forwardLocal(alloc, loop);
}
