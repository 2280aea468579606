//===- RegisterOperands.cpp - operands that are read again and again ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of several warps read both operands from shared memory, each
// time. With few columns, A takes as much of its bandwidth as B: where A is the
// same in all iterations of a loop, or for several gemms of one, its rows are
// loaded to registers once.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Indexed.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// A shared tile, what fills it, and the gemms of one loop whose A it is.
struct Operand {
  AllocOp alloc;
  SmallVector<Operation *> fills;
  SmallVector<GemmOp> gemms; // in the order of the program
};
} // namespace

/// Of an instruction with more columns, the rows of A are a small part of what
/// it reads.
static constexpr int64_t kMostColumns = 64;

static bool mayTakeRegisters(GemmOp gemm, Value tile) {
  MmaAttr attr = gemm.getInstructionAttr();
  return gemm.getA() == tile && gemm.getB() != tile && !gemm.getTransposeA() &&
         !gemm.getAsync() && attr && attr.isAsynchronous() &&
         getMemorySpace(gemm.getC()) == MemorySpace::Fragment &&
         attr.getN() <= kMostColumns;
}

/// Whether the op does not write to the tile, as far as is known.
static bool onlyReads(Operation *op, Value tile) {
  SmallVector<Access> accesses;
  return !isa<ViewLikeOpInterface>(op) &&
         succeeded(collectAccesses(op, accesses)) &&
         llvm::all_of(accesses, [&](const Access &access) {
           return access.region.buffer != tile ||
                  access.kind == AccessKind::Read;
         });
}

/// Whether a gemm beside it adds to the same sums from another A, which stays
/// in shared memory: the smaller part of a product gains nothing.
static bool isPartOfProduct(GemmOp gemm) {
  return llvm::any_of(gemm.getC().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<GemmOp>(user);
    return other && other->getBlock() == gemm->getBlock() &&
           other.getC() == gemm.getC() && other.getA() != gemm.getA();
  });
}

static std::optional<Operand> findOperand(AllocOp alloc) {
  Value tile = alloc.getBuffer();
  if (getMemorySpace(tile) != MemorySpace::Shared)
    return std::nullopt;
  Operand operand{alloc, {}, {}};
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    auto copy = dyn_cast<CopyOp>(user);
    auto gemm = dyn_cast<GemmOp>(user);
    if (isa<CopyOp, GatherOp>(user) && &use == &getFilledTile(user)) {
      if (copy && !isWhole(copy.getTargetRegion()))
        return std::nullopt;
      operand.fills.push_back(user);
    } else if (gemm && mayTakeRegisters(gemm, tile)) {
      operand.gemms.push_back(gemm);
    } else if (!onlyReads(user, tile)) {
      return std::nullopt;
    }
  }
  if (operand.gemms.empty() || operand.fills.empty() ||
      llvm::any_of(operand.gemms, [&](GemmOp gemm) {
        return isPartOfProduct(gemm) ||
               gemm->getBlock() != operand.gemms.front()->getBlock() ||
               gemm.getInstructionAttr() !=
                   operand.gemms.front().getInstructionAttr();
      }))
    return std::nullopt;
  llvm::sort(operand.gemms,
             [](GemmOp a, GemmOp b) { return a->isBeforeInBlock(b); });
  return operand;
}

/// Whether all fills stand in front of `op`, in its block or in one around it.
static bool areBefore(ArrayRef<Operation *> fills, Operation *op) {
  return llvm::all_of(fills, [&](Operation *fill) {
    Operation *here = fill->getBlock()->findAncestorOpInBlock(*op);
    return here && fill->isBeforeInBlock(here);
  });
}

/// Where the rows are loaded; null if that would be for each gemm.
static Operation *findPlace(const Operand &operand) {
  Operation *first = operand.gemms.front();
  Operation *loop = first->getParentOp();
  if (!isa<LoopLikeOpInterface>(loop))
    return nullptr;
  if (areBefore(operand.fills, loop))
    return loop;
  bool isHere = llvm::all_of(operand.fills, [&](Operation *fill) {
    return fill->getBlock() == first->getBlock();
  });
  return operand.gemms.size() > 1 && isHere && areBefore(operand.fills, first)
             ? first
             : nullptr;
}

/// Whether a thread has registers for its rows beside all other fragments.
static bool hasRoom(GemmOp gemm, KernelOp kernel,
                    const ::tile::target::Target &target) {
  constexpr int64_t otherRegisters = 32; // addresses, at the least
  auto type = cast<MemRefType>(gemm.getA().getType());
  int64_t warps = gemm.getInstructionAttr().getWarpsM();
  int64_t bits = type.getNumElements() * getElementBits(type) /
                 (warps * target.getGPU()->warpSize);
  return countFragmentRegisters(kernel) + int64_t(llvm::divideCeil(bits, 32)) +
             otherRegisters <=
         getConsumerRegisters(kernel, target);
}

LogicalResult
mlir::tile::keepOperands(KernelOp kernel,
                         const ::tile::target::Target &target) {
  // Blocks that hide each other's waits gain nothing, and registers are what
  // bounds their number.
  if (estimateResidentBlocks(kernel, target) >= kManyBlocks)
    return success();
  SmallVector<AllocOp> allocs;
  kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
  for (AllocOp alloc : allocs) {
    std::optional<Operand> operand = findOperand(alloc);
    Operation *place = operand ? findPlace(*operand) : nullptr;
    if (!place || !hasRoom(operand->gemms.front(), kernel, target))
      continue;
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    OpBuilder b(alloc);
    auto fragment = AllocOp::create(
        b, alloc.getLoc(),
        MemRefType::get(
            type.getShape(), type.getElementType(), AffineMap(),
            MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment)),
        LayoutAttr(), IntegerAttr());
    b.setInsertionPoint(place);
    CopyOp copy = createWholeCopy(b, operand->gemms.front().getLoc(),
                                  alloc.getBuffer(), fragment.getBuffer());
    if (failed(selectCopy(copy, target, /*async=*/false)))
      return failure();
    for (GemmOp gemm : operand->gemms)
      gemm.getAMutable().assign(fragment.getBuffer());
    remark::passed(alloc.getLoc(), remark::RemarkOpts::name("RegisterOperand")
                                       .category("tile-select-instructions"))
        << remark::reason(place == operand->gemms.front().getOperation()
                              ? "several gemms read it"
                              : "the loop does not change it")
        << remark::metric("gemms", operand->gemms.size());
  }
  return success();
}
