//===- Scalars.cpp - elements that the scalar unit reads and writes -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Tile/Analysis/Bounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// Where an element of a tile is in its matrix.
FailureOr<SmallVector<Value>>
KernelLowering::getMatrixIndices(Operation *op, Value buffer,
                                 ValueRange indices, Value &matrix) {
  matrix = getMatrixOf(op, buffer);
  if (!matrix)
    return failure();
  Location loc = op->getLoc();
  ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
  SmallVector<Value> used;
  SmallVector<int64_t> extents;
  for (auto [index, extent] : llvm::zip_equal(indices, shape))
    if (extent != 1) {
      used.push_back(index);
      extents.push_back(extent);
    }
  if (used.empty())
    return SmallVector<Value>{constantIndex(loc, 0)};
  if (used.size() == 1)
    return used;
  Value row = used.front();
  for (size_t dim = 1; dim + 1 < used.size(); ++dim)
    row = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(b, loc, row, constantIndex(loc, extents[dim])),
        used[dim]);
  return SmallVector<Value>{row, used.back()};
}

Value KernelLowering::createGlobalRead(Operation *op, Value buffer,
                                       ValueRange indices) {
  Location loc = op->getLoc();
  tl::BufferRegion region = tl::getWholeRegion(buffer);
  region.operands = llvm::to_vector(indices);
  region.map =
      AffineMap::getMultiDimIdentityMap(region.operands.size(), b.getContext());
  region.sizes.assign(region.operands.size(), 1);
  Value inside;
  for (tl::OpenBounds open : tl::findOpenBounds(op, region)) {
    Value index = indices[open.dim];
    Value extent = memref::DimOp::create(b, loc, buffer, open.dim);
    // As an unsigned number, a negative one is large.
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, extent);
    inside =
        inside ? arith::AndIOp::create(b, loc, inside, isInside) : isInside;
  }
  auto read = [&](OpBuilder &at) -> Value {
    return memref::LoadOp::create(at, loc, buffer, indices);
  };
  if (!inside)
    return read(b);
  Value safe = getSafeValue(op, buffer);
  auto branch = scf::IfOp::create(
      b, loc, inside,
      [&](OpBuilder &then, Location) {
        Value value = read(then);
        scf::YieldOp::create(then, loc, value);
      },
      [&](OpBuilder &otherwise, Location) {
        scf::YieldOp::create(otherwise, loc, safe);
      });
  return branch.getResult(0);
}

/// Whether instructions are written for the buffer itself, which then is no
/// matrix of ours.
static bool isByHand(Value buffer) {
  Value base = tl::getBaseBuffer(buffer);
  Operation *alloc = base.getDefiningOp();
  return (alloc && alloc->hasAttr(AscendDialect::kAddressAttr)) ||
         llvm::any_of(base.getUsers(), [](Operation *user) {
           return isa<InstructionOpInterface, memref::SubViewOp>(user);
         });
}

LogicalResult KernelLowering::lowerLoad(memref::LoadOp load) {
  MemorySpace space = tl::getMemorySpace(load.getMemRef());
  if (space == MemorySpace::Global) {
    load.replaceAllUsesWith(
        createGlobalRead(load, load.getMemRef(), load.getIndices()));
    return success();
  }
  if (isByHand(load.getMemRef())) {
    load.replaceAllUsesWith(b.clone(*load.getOperation())->getResult(0));
    return success();
  }
  Value matrix;
  auto indices =
      getMatrixIndices(load, load.getMemRef(), load.getIndices(), matrix);
  if (failed(indices))
    return failure();
  load.replaceAllUsesWith(
      memref::LoadOp::create(b, load.getLoc(), matrix, *indices).getResult());
  return success();
}

LogicalResult KernelLowering::lowerStore(memref::StoreOp store) {
  if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::Global)
    return store.emitError("the scalar unit does not write to global memory on "
                           "Ascend: its cache is not written back; fill a tile "
                           "and copy it");
  if (isByHand(store.getMemRef())) {
    b.clone(*store.getOperation());
    return success();
  }
  Value matrix;
  auto indices =
      getMatrixIndices(store, store.getMemRef(), store.getIndices(), matrix);
  if (failed(indices))
    return failure();
  memref::StoreOp::create(b, store.getLoc(), store.getValue(), matrix,
                          *indices);
  return success();
}
