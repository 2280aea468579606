//===- SwapOperands.cpp - gemms with few rows -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = A * B is computed as the transpose of B' * A' where the instruction has
// more rows than A: the accumulator is transposed, with all that touches it.
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// An accumulator and what is done with it.
struct Accumulator {
  AllocOp alloc;
  SmallVector<GemmOp> gemms;
  SmallVector<Operation *> elements; // loads and stores of tile.parallel
  SmallVector<FillOp> fills;
  SmallVector<CopyOp> stores;
};
} // namespace

/// Whether the copy stores the whole accumulator as a plane of a global buffer
/// of floats.
static bool isPlainStore(CopyOp copy, MemRefType tile) {
  BufferRegion target = copy.getTargetRegion();
  ArrayRef<int64_t> sizes = target.sizes;
  return getMemorySpace(target.buffer) == MemorySpace::Global &&
         isa<Float16Type, BFloat16Type, Float32Type>(
             target.getType().getElementType()) &&
         !copy.getPrefer() && !copy.getCoalescedWidth() && !copy.getSaturate() &&
         !copy.getSignal() &&
         isWhole(copy.getSourceRegion()) && sizes.size() >= 2 &&
         sizes.take_back(2) == tile.getShape() &&
         llvm::all_of(sizes.drop_back(2), [](int64_t size) { return size == 1; });
}

/// All uses of an accumulator; none if there is one that stays as it is.
static std::optional<Accumulator> findUses(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (getMemorySpace(type) != MemorySpace::Fragment || type.getRank() != 2 ||
      !type.hasStaticShape() || !type.getElementType().isF32() ||
      alloc.getLayoutAttr())
    return std::nullopt;
  Accumulator uses{alloc, {}, {}, {}, {}};
  for (OpOperand &use : alloc.getBuffer().getUses()) {
    Operation *user = use.getOwner();
    auto gemm = dyn_cast<GemmOp>(user);
    auto copy = dyn_cast<CopyOp>(user);
    if (gemm && use.get() == gemm.getC() && gemm.getA() != use.get() &&
        gemm.getB() != use.get() && !gemm.getInstructionAttr() &&
        !gemm.getPrefer())
      uses.gemms.push_back(gemm);
    else if (copy && copy.getSource() == use.get() && isPlainStore(copy, type))
      uses.stores.push_back(copy);
    else if (auto fill = dyn_cast<FillOp>(user))
      uses.fills.push_back(fill);
    else if (isa<memref::LoadOp, memref::StoreOp>(user))
      uses.elements.push_back(user);
    else
      return std::nullopt;
  }
  if (uses.gemms.empty())
    return std::nullopt;
  return uses;
}

static GemmOp createSwapped(OpBuilder &b, GemmOp gemm, Value accumulator) {
  auto swapped = cast<GemmOp>(b.clone(*gemm));
  swapped.getAMutable().assign(gemm.getB());
  swapped.getBMutable().assign(gemm.getA());
  swapped.getCMutable().assign(accumulator);
  swapped.setTransposeA(!gemm.getTransposeB());
  swapped.setTransposeB(!gemm.getTransposeA());
  swapped.setAUnsigned(gemm.getBUnsigned());
  swapped.setBUnsigned(gemm.getAUnsigned());
  if (gemm.getPolicy() == WarpPolicy::FullRow)
    swapped.setPolicy(WarpPolicy::FullCol);
  else if (gemm.getPolicy() == WarpPolicy::FullCol)
    swapped.setPolicy(WarpPolicy::FullRow);
  return swapped;
}

/// Stores element by element what the copy stores, from an accumulator that is
/// the matrix or is `transposed`; elements outside of the buffer are dropped,
/// as the copy drops them.
static void storeElements(CopyOp copy, Value accumulator, bool transposed) {
  Location loc = copy.getLoc();
  OpBuilder b(copy);
  BufferRegion region = copy.getTargetRegion();
  auto tile = cast<MemRefType>(accumulator.getType());
  auto loop = ParallelOp::create(b, loc, ValueRange(), tile.getShape(),
                                 IntegerAttr(), LayoutAttr());
  Block *body = b.createBlock(&loop.getBody(), {},
                              SmallVector<Type>(2, b.getIndexType()), {loc, loc});
  Value row = body->getArgument(transposed ? 1 : 0);
  Value column = body->getArgument(transposed ? 0 : 1);
  SmallVector<Value> indices;
  Value isInside;
  for (unsigned dim = 0, rank = region.sizes.size(); dim < rank; ++dim) {
    Value index = affine::AffineApplyOp::create(b, loc, getOffset(region, dim),
                                                region.operands);
    if (dim + 2 >= rank)
      index = arith::AddIOp::create(b, loc, index,
                                    dim + 2 == rank ? row : column);
    Value extent = b.createOrFold<memref::DimOp>(loc, region.buffer, dim);
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index,
                                       extent);
    isInside = isInside ? arith::AndIOp::create(b, loc, isInside, fits) : fits;
    indices.push_back(index);
  }
  Value value =
      memref::LoadOp::create(b, loc, accumulator, body->getArguments());
  Type element = region.getType().getElementType();
  if (element != tile.getElementType())
    value = arith::TruncFOp::create(b, loc, element, value);
  auto guard = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  b.setInsertionPoint(guard.thenBlock()->getTerminator());
  memref::StoreOp::create(b, loc, value, region.buffer, indices);
  if (Attribute blocks = copy->getAttr(kClusterSumAttrName))
    loop->setAttr(kClusterSumAttrName, blocks);
  copy.erase();
}

void mlir::tile::storeClusterSums(KernelOp kernel) {
  SmallVector<CopyOp> copies;
  kernel.walk([&](CopyOp copy) {
    if (copy->hasAttr(kClusterSumAttrName))
      copies.push_back(copy);
  });
  for (CopyOp copy : copies)
    storeElements(copy, copy.getSource(), /*transposed=*/false);
}

/// Swaps the operands of the accumulator's gemms if all become faster.
static void trySwap(Accumulator &uses, const ::tile::target::Target &target) {
  if (llvm::any_of(uses.gemms, [&](GemmOp gemm) {
        return takesFastestFamily(gemm, target);
      }))
    return;
  OpBuilder b(uses.alloc);
  auto type = cast<MemRefType>(uses.alloc.getBuffer().getType());
  auto transposed = MemRefType::get({type.getDimSize(1), type.getDimSize(0)},
                                    type.getElementType(), AffineMap(),
                                    type.getMemorySpace());
  auto accumulator = AllocOp::create(b, uses.alloc.getLoc(), transposed,
                                     LayoutAttr(), IntegerAttr());
  SmallVector<GemmOp> swapped;
  for (GemmOp gemm : uses.gemms) {
    b.setInsertionPoint(gemm);
    swapped.push_back(createSwapped(b, gemm, accumulator.getBuffer()));
  }
  bool isFaster = llvm::all_of(swapped, [&](GemmOp gemm) {
    return takesFastestFamily(gemm, target);
  });
  for (GemmOp gemm : isFaster ? uses.gemms : swapped)
    gemm.erase();
  if (!isFaster) {
    accumulator.erase();
    return;
  }
  for (FillOp fill : uses.fills)
    fill->replaceUsesOfWith(uses.alloc.getBuffer(), accumulator.getBuffer());
  for (Operation *op : uses.elements) {
    unsigned first = op->getNumOperands() - 2;
    Value row = op->getOperand(first), column = op->getOperand(first + 1);
    op->setOperand(first, column);
    op->setOperand(first + 1, row);
    op->replaceUsesOfWith(uses.alloc.getBuffer(), accumulator.getBuffer());
  }
  for (CopyOp copy : uses.stores)
    storeElements(copy, accumulator.getBuffer(), /*transposed=*/true);
  remark::passed(uses.alloc.getLoc(), remark::RemarkOpts::name("SwappedOperands")
                                          .category("tile-select-instructions"))
      << remark::metric("rows", transposed.getDimSize(0))
      << remark::metric("columns", transposed.getDimSize(1));
  uses.alloc.erase();
}

void mlir::tile::swapOperands(KernelOp kernel,
                              const ::tile::target::Target &target) {
  SmallVector<AllocOp> allocs;
  kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
  for (AllocOp alloc : allocs)
    if (std::optional<Accumulator> uses = findUses(alloc))
      trySwap(*uses, target);
}
