//===- InferMemory.cpp - the memories of tiles ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeparateCores.h"

#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDINFERMEMORYPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// Whether the memory is left to the compiler.
static bool isAbstract(MemorySpace space) {
  return space == MemorySpace::Shared || space == MemorySpace::Fragment ||
         space == MemorySpace::Local;
}

static void setSpace(Value buffer, MemorySpace space) {
  auto type = cast<MemRefType>(buffer.getType());
  buffer.setType(MemRefType::get(
      type.getShape(), type.getElementType(), type.getLayout(),
      tl::MemorySpaceAttr::get(type.getContext(), space)));
  for (Operation *user : buffer.getUsers())
    if (isa<tl::ReshapeOp, tl::ViewOp>(user))
      setSpace(user->getResult(0), space);
}

/// Ops that touch the buffer or a view of it.
static void collectUsers(Value buffer, SmallVectorImpl<OpOperand *> &users) {
  for (OpOperand &use : buffer.getUses()) {
    if (isa<tl::ReshapeOp, tl::ViewOp>(use.getOwner()))
      collectUsers(use.getOwner()->getResult(0), users);
    else
      users.push_back(&use);
  }
}

/// The memory that one use needs; nothing if it does with any.
static std::optional<MemorySpace> getNeed(OpOperand *use) {
  Operation *op = use->getOwner();
  if (auto gemm = dyn_cast<tl::GemmOp>(op))
    return use->get() == gemm.getC() ? MemorySpace::L0C : MemorySpace::L1;
  if (isa<tl::FillOp, tl::AnnotateLayoutOp>(op))
    return std::nullopt;
  if (auto atomic = dyn_cast<tl::AtomicOp>(op))
    if (atomic.isTileForm() && atomic.getValue() == use->get())
      return std::nullopt;
  if (auto copy = dyn_cast<tl::CopyOp>(op)) {
    tl::BufferRegion side = copy.getSource() == use->get()
                                ? copy.getSourceRegion()
                                : copy.getTargetRegion();
    // Rows of a matrix of the cube lie in pieces, and it has two dimensions.
    if (side.sizes != side.getType().getShape() ||
        side.getType().getRank() != 2)
      return MemorySpace::UB;
    Value other = copy.getSource() == use->get() ? copy.getTarget()
                                                 : copy.getSource();
    if (tl::getMemorySpace(other) == MemorySpace::Global)
      return std::nullopt;
  }
  return MemorySpace::UB;
}

static LogicalResult inferSpace(tl::AllocOp alloc) {
  SmallVector<OpOperand *> users;
  collectUsers(alloc.getBuffer(), users);
  std::optional<MemorySpace> space;
  Operation *reason = nullptr;
  for (OpOperand *use : users) {
    std::optional<MemorySpace> need = getNeed(use);
    if (!need || need == space)
      continue;
    if (!space) {
      space = need;
      reason = use->getOwner();
      continue;
    }
    InFlightDiagnostic diag =
        alloc.emitError() << "the buffer is needed in '"
                          << tl::stringifyMemorySpace(*space) << "' and in '"
                          << tl::stringifyMemorySpace(*need)
                          << "'; copy it between two buffers";
    diag.attachNote(reason->getLoc())
        << "'" << tl::stringifyMemorySpace(*space) << "' here";
    diag.attachNote(use->getOwner()->getLoc())
        << "'" << tl::stringifyMemorySpace(*need) << "' here";
    return diag;
  }
  setSpace(alloc.getBuffer(), space.value_or(MemorySpace::UB));
  remark::passed(alloc.getLoc(), remark::RemarkOpts::name("InferredMemory")
                                     .category("ascend-infer-memory"))
      << remark::metric("memory", tl::stringifyMemorySpace(
                                      space.value_or(MemorySpace::UB)));
  return success();
}

/// A tile that both cores need is one of the vector unit.
static LogicalResult separate(tl::AllocOp alloc) {
  SmallVector<OpOperand *> users;
  collectUsers(alloc.getBuffer(), users);
  bool isOperand = false, isResult = false, isVector = false;
  for (OpOperand *use : users) {
    std::optional<MemorySpace> need = getNeed(use);
    isOperand |= need == MemorySpace::L1;
    isResult |= need == MemorySpace::L0C;
    isVector |= need == MemorySpace::UB;
  }
  if (isOperand && (isResult || isVector)) {
    tl::ascend::separateOperand(alloc);
    isVector = true;
  }
  return isResult && isVector ? tl::ascend::separateAccumulator(alloc)
                              : success();
}

namespace {
struct AscendInferMemory
    : tl::impl::AscendInferMemoryPassBase<AscendInferMemory> {
  void runOnOperation() override {
    SmallVector<tl::AllocOp> shared;
    auto isOpen = [](tl::AllocOp alloc) {
      return alloc->getParentOfType<tl::KernelOp>() &&
             isAbstract(tl::getMemorySpace(alloc.getBuffer()));
    };
    getOperation()->walk([&](tl::AllocOp alloc) {
      if (isOpen(alloc))
        shared.push_back(alloc);
    });
    for (tl::AllocOp alloc : shared)
      if (failed(separate(alloc)))
        return signalPassFailure();
    auto result = getOperation()->walk([&](tl::AllocOp alloc) {
      if (!isOpen(alloc))
        return WalkResult::advance();
      return failed(inferSpace(alloc)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
