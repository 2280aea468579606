//===- LegalizeAccesses.cpp - explicit bounds of accesses -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis/Bounds.h"
#include "Tile/Analysis/IndexRanges.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_LEGALIZEACCESSESPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Rewrites the accesses of one kernel.
class KernelLegalizer {
public:
  explicit KernelLegalizer(KernelOp kernel) : kernel(kernel), ranges(kernel) {}
  LogicalResult run();

private:
  /// What a read of `type` outside of `buffer` yields; null, with an error at
  /// `op`, if there is no such value.
  Value getPaddingValue(OpBuilder &b, Operation *op, Value buffer, Type type);
  LogicalResult legalize(Operation *op);
  SmallVector<OpenBounds> findOpen(Operation *op, const BufferRegion &region);
  LogicalResult guardScalar(Operation *op, const BufferRegion &region,
                            ArrayRef<OpenBounds> open);
  void joinGuards(scf::IfOp guard, const BufferRegion &region,
                  ArrayRef<OpenBounds> open);
  LogicalResult clampRead(memref::LoadOp load, ArrayRef<OpenBounds> open);
  LogicalResult maskVector(Operation *op, const Access &access,
                           ArrayRef<OpenBounds> open);

  KernelOp kernel;
  IndexRanges ranges;
  unsigned numGuarded = 0, numProven = 0;

  /// Branches that yield padding.
  SmallVector<scf::IfOp> padded;

  /// The last branch around ops without results, and what it asks.
  struct Guard {
    scf::IfOp branch;
    BufferRegion region;
    SmallVector<OpenBounds> open;
  };
  std::optional<Guard> lastGuard;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static Value materializeOffset(OpBuilder &b, Location loc,
                               const BufferRegion &region, unsigned dim) {
  AffineMap map = getOffset(region, dim);
  if (auto input = dyn_cast<AffineDimExpr>(map.getResult(0)))
    return region.operands[input.getPosition()];
  return affine::AffineApplyOp::create(b, loc, map, region.operands);
}

static Value materializeExtent(OpBuilder &b, Location loc, Value buffer,
                               unsigned dim) {
  int64_t extent = cast<MemRefType>(buffer.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent))
    return memref::DimOp::create(b, loc, buffer, dim);
  return arith::ConstantIndexOp::create(b, loc, extent);
}

/// `a` and `b`, either of which may be absent.
static Value conjoin(OpBuilder &builder, Location loc, Value a, Value b) {
  return a ? arith::AndIOp::create(builder, loc, a, b).getResult() : b;
}

/// The conjunction of the open bounds of `index`, which is an index or a vector
/// of indices.
static Value checkIndex(OpBuilder &b, Location loc, Value index, Value extent,
                        OpenBounds open, Value condition) {
  auto splat = [&](Value value) -> Value {
    if (auto vector = dyn_cast<VectorType>(index.getType()))
      return vector::BroadcastOp::create(b, loc, vector, value);
    return value;
  };
  if (open.lower) {
    Type type = getElementTypeOrSelf(index.getType());
    Value zero =
        splat(arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0)));
    condition = conjoin(
        b, loc, condition,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, zero));
  }
  if (open.upper)
    condition = conjoin(b, loc, condition,
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              index, splat(extent)));
  return condition;
}

/// The number that an index is cast from, in whose type NPUs compare; or the
/// index itself, where that type cannot hold the extent.
static Value findNumber(Value index, int64_t extent) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (!cast || !cast.getIn().getType().isSignlessInteger())
    return index;
  unsigned width = cast.getIn().getType().getIntOrFloatBitWidth();
  return width > 63 || extent < int64_t(1) << (width - 1) ? cast.getIn()
                                                          : index;
}

/// Whether the first element of the region lies in the open bounds; null if
/// there are none.
static Value checkFirst(OpBuilder &b, Location loc, const BufferRegion &region,
                        ArrayRef<OpenBounds> open) {
  Value condition;
  for (OpenBounds bounds : open) {
    Value index = materializeOffset(b, loc, region, bounds.dim), extent;
    int64_t size = region.getType().getDimSize(bounds.dim);
    if (getMemorySpace(region.buffer) != MemorySpace::Global &&
        ShapedType::isStatic(size)) {
      index = findNumber(index, size);
      extent = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(index.getType(), size));
    } else if (bounds.upper) {
      extent = materializeExtent(b, loc, region.buffer, bounds.dim);
    }
    condition = checkIndex(b, loc, index, extent, bounds, condition);
  }
  return condition;
}

/// Whether one of the indices was read from memory, or computed from that.
static bool comesFromData(ValueRange indices) {
  return llvm::any_of(indices, [](Value index) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    return succeeded(getBackwardSlice(index, &slice, options)) &&
           llvm::any_of(slice, llvm::IsaPred<memref::LoadOp,
                                             affine::AffineLoadOp>);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value KernelLegalizer::getPaddingValue(OpBuilder &b, Operation *op,
                                       Value buffer, Type type) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value hint = findPaddingValue(kernel, buffer);
  if (hint) {
    // A constant may stand in the kernel, behind the access.
    Operation *constant = hint.getDefiningOp();
    if (constant && kernel->isAncestor(constant))
      hint = b.clone(*constant)->getResult(0);
    if (hint.getType() != type)
      hint = vector::BroadcastOp::create(b, op->getLoc(), type, hint);
    return hint;
  }
  TypedAttr zero = b.getZeroAttr(type);
  if (zero)
    return arith::ConstantOp::create(b, op->getLoc(), zero);
  op->emitOpError() << "no padding value for elements of " << element
                    << "; give one with 'tile.padding_value'";
  return {};
}

/// Whether two regions of one buffer have the same first element in the
/// dimensions of open bounds.
static bool isSameCondition(const BufferRegion &x, ArrayRef<OpenBounds> xOpen,
                            const BufferRegion &y, ArrayRef<OpenBounds> yOpen) {
  return x.buffer == y.buffer &&
         llvm::equal(xOpen, yOpen, [&](OpenBounds a, OpenBounds b) {
           if (a.dim != b.dim || a.lower != b.lower || a.upper != b.upper)
             return false;
           AffineMap xMap = getOffset(x, a.dim), yMap = getOffset(y, a.dim);
           SmallVector<Value> xOperands(x.operands), yOperands(y.operands);
           affine::fullyComposeAffineMapAndOperands(&xMap, &xOperands);
           affine::fullyComposeAffineMapAndOperands(&yMap, &yOperands);
           affine::canonicalizeMapAndOperands(&xMap, &xOperands);
           affine::canonicalizeMapAndOperands(&yMap, &yOperands);
           return xMap == yMap && xOperands == yOperands;
         });
}

/// Whether an update of global memory may be done behind `op` instead of in
/// front of it.
static bool commutesWithUpdate(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load ? getMemorySpace(load.getMemRef()) != MemorySpace::Global
              : op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// Neighbouring updates under one condition share a branch, in which they may
/// be one instruction.
void KernelLegalizer::joinGuards(scf::IfOp guard, const BufferRegion &region,
                                 ArrayRef<OpenBounds> open) {
  if (lastGuard && lastGuard->branch->getBlock() == guard->getBlock() &&
      isSameCondition(lastGuard->region, lastGuard->open, region, open) &&
      getMemorySpace(region.buffer) == MemorySpace::Global) {
    Operation *next = lastGuard->branch->getNextNode();
    while (next != guard && commutesWithUpdate(next))
      next = next->getNextNode();
    if (next == guard) {
      Block &earlier = *lastGuard->branch.thenBlock();
      earlier.getTerminator()->erase();
      guard.thenBlock()->getOperations().splice(guard.thenBlock()->begin(),
                                                earlier.getOperations());
      lastGuard->branch.erase();
    }
  }
  lastGuard = Guard{guard, region, SmallVector<OpenBounds>(open)};
}

LogicalResult KernelLegalizer::guardScalar(Operation *op,
                                           const BufferRegion &region,
                                           ArrayRef<OpenBounds> open) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> safe;
  for (Type type : op->getResultTypes()) {
    safe.push_back(getPaddingValue(b, op, region.buffer, type));
    if (!safe.back())
      return failure();
  }
  Value condition = checkFirst(b, loc, region, open);
  auto guard = scf::IfOp::create(b, loc, op->getResultTypes(), condition,
                                 /*withElseRegion=*/!safe.empty());
  op->replaceAllUsesWith(guard);
  if (safe.empty()) {
    op->moveBefore(guard.thenYield());
    joinGuards(guard, region, open);
    return success();
  }
  b.setInsertionPointToEnd(guard.thenBlock());
  auto yield = scf::YieldOp::create(b, loc, op->getResults());
  op->moveBefore(yield);
  b.setInsertionPointToEnd(guard.elseBlock());
  scf::YieldOp::create(b, loc, safe);
  padded.push_back(guard);
  return success();
}

/// Whether the values are the same, or equal constants.
static bool areEqual(OperandRange xs, OperandRange ys) {
  return llvm::equal(xs, ys, [](Value x, Value y) {
    Attribute a, b;
    return x == y || (matchPattern(x, m_Constant(&a)) &&
                      matchPattern(y, m_Constant(&b)) && a == b);
  });
}

/// A branch of the program that yields what it reads, or else the padding, is
/// one with the guard in it: threads have all their reads under way where a
/// branch stands around each, and not a branch in a branch.
static void joinOuter(scf::IfOp guard) {
  auto outer = dyn_cast<scf::IfOp>(guard->getParentOp());
  if (!outer || guard->getBlock() != outer.thenBlock() ||
      outer.thenYield()->getPrevNode() != guard ||
      outer.thenYield().getResults() != guard.getResults() ||
      !areEqual(outer.elseYield().getResults(), guard.elseYield().getResults()))
    return;
  auto isFree = [](Operation &op) {
    return op.getNumRegions() == 0 && isPure(&op);
  };
  auto before =
      llvm::make_range(guard->getBlock()->begin(), guard->getIterator());
  if (!llvm::all_of(before, isFree) ||
      !llvm::all_of(outer.elseBlock()->without_terminator(), isFree))
    return;
  for (Operation &op : llvm::make_early_inc_range(before))
    op.moveBefore(outer);
  // What is computed too early decides nothing.
  OpBuilder b(outer);
  Location loc = guard.getLoc();
  Value never = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  outer.getConditionMutable().assign(arith::SelectOp::create(
      b, loc, outer.getCondition(), guard.getCondition(), never));
  scf::YieldOp inner = guard.thenYield();
  outer.thenYield()->setOperands(inner.getOperands());
  inner->erase();
  guard->getBlock()->getOperations().splice(guard->getIterator(),
                                            guard.thenBlock()->getOperations());
  guard.erase();
}

/// A read of a tile needs no branch: its index is moved into the tile, and what
/// is read there does not count.
LogicalResult KernelLegalizer::clampRead(memref::LoadOp load,
                                         ArrayRef<OpenBounds> open) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  Value condition;
  for (OpenBounds bounds : open) {
    OpOperand &index = load.getIndicesMutable()[bounds.dim];
    int64_t extent = load.getMemRefType().getDimSize(bounds.dim);
    Value number = findNumber(index.get(), extent);
    Type type = number.getType();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
    };
    Value inside = arith::MinSIOp::create(b, loc, number, constant(extent - 1));
    inside = arith::MaxSIOp::create(b, loc, inside, constant(0));
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, inside);
    condition = conjoin(b, loc, condition, same);
    index.set(type.isIndex() ? inside
                             : arith::IndexCastOp::create(
                                   b, loc, b.getIndexType(), inside));
  }
  Value safe = getPaddingValue(b, load, load.getMemRef(), load.getType());
  if (!safe)
    return failure();
  b.setInsertionPointAfter(load);
  auto select = arith::SelectOp::create(b, loc, condition, load, safe);
  load.getResult().replaceAllUsesExcept(select, select);
  return success();
}

/// The value that a vector store writes; null for other ops.
static Value getStoredVector(Operation *op) {
  if (auto store = dyn_cast<affine::AffineWriteOpInterface>(op))
    return store.getValueToStore();
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getValueToStore();
  return {};
}

/// The vector that an op reads or writes; null for an instruction of a chip,
/// which has its own rules about bounds.
static VectorType getAccessedVector(Operation *op, const Access &access) {
  Value vector = getStoredVector(op);
  if (access.kind == AccessKind::Read)
    vector = op->getNumResults() == 1 ? op->getResult(0) : Value();
  return vector ? dyn_cast<VectorType>(vector.getType()) : VectorType();
}

LogicalResult KernelLegalizer::maskVector(Operation *op, const Access &access,
                                          ArrayRef<OpenBounds> open) {
  const BufferRegion &region = access.region;
  bool isRead = access.kind == AccessKind::Read;
  VectorType type = getAccessedVector(op, access);
  if (type.getRank() != 1)
    return op->emitOpError()
           << "a vector of " << type.getRank()
           << " dimensions may leave the bounds of the "
           << (getMemorySpace(region.buffer) == MemorySpace::Global
                   ? "global buffer"
                   : "tile")
           << "; access it in vectors of 1 dimension";
  OpBuilder b(op);
  Location loc = op->getLoc();
  unsigned inner = region.sizes.size() - 1;
  SmallVector<Value> indices;
  for (unsigned dim = 0; dim <= inner; ++dim)
    indices.push_back(materializeOffset(b, loc, region, dim));

  // The lanes run along the last dimension; the others hold for all lanes or
  // for none.
  auto maskType = VectorType::get(type.getShape(), b.getI1Type());
  Value mask;
  if (open.back().dim == inner) {
    auto laneType = VectorType::get(type.getShape(), b.getIndexType());
    Value lanes = vector::StepOp::create(b, loc, laneType);
    Value first = vector::BroadcastOp::create(b, loc, laneType, indices.back());
    lanes = arith::AddIOp::create(b, loc, lanes, first);
    Value extent = materializeExtent(b, loc, region.buffer, inner);
    mask = checkIndex(b, loc, lanes, extent, open.back(), mask);
    open = open.drop_back();
  }
  if (Value outer = checkFirst(b, loc, region, open))
    mask = conjoin(b, loc, mask,
                   vector::BroadcastOp::create(b, loc, maskType, outer));
  if (isRead) {
    Value safe = getPaddingValue(b, op, region.buffer, type);
    if (!safe)
      return failure();
    op->replaceAllUsesWith(vector::MaskedLoadOp::create(
        b, loc, type, region.buffer, indices, mask, safe));
  } else {
    vector::MaskedStoreOp::create(b, loc, region.buffer, indices, mask,
                                  getStoredVector(op));
  }
  op->erase();
  return success();
}

/// Tiles are small enough for the ranges of types and masks to matter.
SmallVector<OpenBounds> KernelLegalizer::findOpen(Operation *op,
                                                  const BufferRegion &region) {
  SmallVector<OpenBounds> open = findOpenBounds(op, region);
  if (getMemorySpace(region.buffer) == MemorySpace::Global)
    return open;
  llvm::erase_if(
      open, [&](OpenBounds &bounds) { return ranges.close(region, bounds); });
  return open;
}

LogicalResult KernelLegalizer::legalize(Operation *op) {
  SmallVector<Access> accesses;
  if (failed(collectAccesses(op, accesses)))
    return success();
  for (const Access &access : accesses) {
    SmallVector<OpenBounds> open = findOpen(op, access.region);
    if (open.empty()) {
      numProven += getMemorySpace(access.region.buffer) == MemorySpace::Global;
      continue;
    }
    bool isTile = getMemorySpace(access.region.buffer) != MemorySpace::Global;
    const ::tile::target::Target *target = lookupTarget(op);
    bool isVectorMachine = target && !target->getCPU() && !target->getGPU();
    auto load = dyn_cast<memref::LoadOp>(op);
    // Machines that have neither threads nor branches in a loop read along
    // affine indices by instructions; they store element by element, and their
    // lowering guards what comes from data.
    if (isTile && isVectorMachine &&
        (!load || !comesFromData(access.region.operands)))
      continue;
    ++numGuarded;
    if (load && isTile)
      return clampRead(load, open);
    return isSingleElement(access.region) ? guardScalar(op, access.region, open)
                                          : maskVector(op, access, open);
  }
  return success();
}

LogicalResult KernelLegalizer::run() {
  SmallVector<Operation *> work;
  kernel.walk([&](Operation *op) {
    SmallVector<Access> accesses;
    // Instructions of a chip on tiles have rules of their own.
    if (isCollective(op) || failed(collectAccesses(op, accesses)))
      return;
    if (llvm::any_of(accesses, [&](const Access &access) {
          bool isTile =
              getMemorySpace(access.region.buffer) != MemorySpace::Global;
          return isSingleElement(access.region) ||
                 ((!isTile || !isa_and_nonnull<TileDialect>(op->getDialect())) &&
                  getAccessedVector(op, access));
        }))
      work.push_back(op);
  });
  for (Operation *op : work)
    if (failed(legalize(op)))
      return failure();
  const ::tile::target::Target *target = lookupTarget(kernel);
  if (target && target->getGPU())
    llvm::for_each(padded, joinOuter);
  if (numGuarded + numProven > 0)
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("GuardedAccesses")
                                        .category("tile-legalize-accesses"))
        << remark::metric("guarded", numGuarded)
        << remark::metric("proven", numProven);
  return success();
}

namespace {
struct LegalizeAccessesPass
    : mlir::tile::impl::LegalizeAccessesPassBase<LegalizeAccessesPass> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())) ||
        failed(verifyDimensionNumbers(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      return failed(KernelLegalizer(kernel).run()) ? WalkResult::interrupt()
                                                   : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
