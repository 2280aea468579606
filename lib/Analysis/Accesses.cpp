//===- Accesses.cpp - regions that an op accesses -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Accesses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

/// The region that an access of type `accessed` covers when it begins at `map(indices)`: one element, or the trailing
/// dimensions for a vector.
static Access makeAccess(AccessKind kind, OpOperand &buffer, AffineMap map,
                         ValueRange indices, Type accessed) {
  Access access;
  access.kind = kind;
  access.operand = &buffer;
  access.region.buffer = buffer.get();
  access.region.map = map;
  access.region.operands = llvm::to_vector(indices);
  MemRefType type = access.region.getType();
  access.region.sizes.assign(type.getRank(), 1);
  auto vector = dyn_cast<VectorType>(accessed);
  if (vector && accessed != type.getElementType())
    llvm::copy(vector.getShape(), access.region.sizes.end() - vector.getRank());
  return access;
}

static Access makeAccess(AccessKind kind, OpOperand &buffer, ValueRange indices,
                         Type accessed) {
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(indices.size(), accessed.getContext());
  return makeAccess(kind, buffer, map, indices, accessed);
}

/// The access of an upstream op; nothing for an op that is not known here.
static std::optional<Access> getUpstreamAccess(Operation *op) {
  using Result = std::optional<Access>;
  return TypeSwitch<Operation *, Result>(op)
      .Case<memref::LoadOp>([](auto load) {
        return makeAccess(AccessKind::Read, load.getMemrefMutable(),
                          load.getIndices(), load.getType());
      })
      .Case<memref::StoreOp>([](auto store) {
        return makeAccess(AccessKind::Write, store.getMemrefMutable(),
                          store.getIndices(), store.getValue().getType());
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([](auto rmw) {
        return makeAccess(AccessKind::Atomic, rmw.getMemrefMutable(),
                          rmw.getIndices(), rmw.getType());
      })
      .Case<vector::LoadOp>([](auto load) {
        return makeAccess(AccessKind::Read, load.getBaseMutable(),
                          load.getIndices(), load.getType());
      })
      .Case<vector::StoreOp>([](auto store) {
        return makeAccess(AccessKind::Write, store.getBaseMutable(),
                          store.getIndices(), store.getVectorType());
      })
      .Case<affine::AffineLoadOp, affine::AffineVectorLoadOp>([](auto load) {
        return makeAccess(AccessKind::Read, load.getMemrefMutable(),
                          load.getAffineMap(), load.getMapOperands(),
                          load.getType());
      })
      .Case<affine::AffineStoreOp, affine::AffineVectorStoreOp>([](auto store) {
        return makeAccess(AccessKind::Write, store.getMemrefMutable(),
                          store.getAffineMap(), store.getMapOperands(),
                          store.getValueToStore().getType());
      })
      .Default(Result());
}

/// Whether the op may read or write memory by itself, beside what its regions do.
static bool mayTouchMemory(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Read>() ||
           effects.hasEffect<MemoryEffects::Write>();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult tile::collectAccesses(Operation *op,
                                    SmallVectorImpl<Access> &accesses) {
  if (auto known = dyn_cast<TileAccessOpInterface>(op)) {
    known.getAccesses(accesses);
    return success();
  }
  if (std::optional<Access> access = getUpstreamAccess(op)) {
    accesses.push_back(*access);
    return success();
  }
  // Tile ops without the interface are hints, prints and allocations: their effects only keep them in place.
  return success(isa_and_nonnull<TileDialect>(op->getDialect()) ||
                 !mayTouchMemory(op));
}

AffineMap tile::getOffset(const BufferRegion &region, unsigned dim) {
  if (region.map)
    return region.map.getSubMap({dim});
  return AffineMap::getConstantMap(0, region.buffer.getContext());
}

bool tile::isCollective(Operation *op) {
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return atomic.isTileForm();
  return op->hasTrait<Collective>();
}

bool tile::isSingleElement(const BufferRegion &region) {
  return llvm::all_of(region.sizes, [](int64_t size) { return size == 1; });
}
