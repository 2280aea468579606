//===- KernelLowering.cpp - one kernel on its way to instructions ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Tile/Conversion/TotalArithmetic.h"
#include "Tile/Conversion/TileToAscend/Passes.h"
#include "Tile/Dialect/Ascend/IR/VectorCores.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOASCENDPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

/// Whether an op leaves a tile without NaN, if it had none before.
static bool keepsNumbers(Operation *op, Value tile) {
  if (auto fill = dyn_cast<tl::FillOp>(op)) {
    APFloat value(0.0);
    return matchPattern(fill.getValue(), m_ConstantFloat(&value)) &&
           !value.isNaN();
  }
  if (auto copy = dyn_cast<tl::CopyOp>(op))
    return copy.getTarget() != tile;
  if (auto reduce = dyn_cast<tl::ReduceOp>(op)) {
    bool isLimit = reduce.getKind() == tl::ReduceKind::Max ||
                   reduce.getKind() == tl::ReduceKind::Min ||
                   reduce.getKind() == tl::ReduceKind::AbsMax;
    return reduce.getTarget() != tile ||
           (isLimit && reduce.getCombine() && !reduce.getPropagateNan());
  }
  return isa<memref::LoadOp>(op);
}

KernelLowering::KernelLowering(tl::KernelOp kernel)
    : kernel(kernel), chip(*getChip(kernel)), spec(*chip.getAscend()),
      b(kernel.getContext()), buffers(kernel, b) {
  for (auto hint : kernel.getBody().getOps<tl::PaddingValueOp>())
    paddingValues[hint.getBuffer()] = hint.getValue();
  bool hasVector = false, hasCube = false;
  kernel.walk([&](tl::AllocOp alloc) {
    MemorySpace space = tl::getMemorySpace(alloc.getBuffer());
    hasVector |= space == MemorySpace::UB;
    hasCube |= space == MemorySpace::L1 || space == MemorySpace::L0C;
    if (llvm::all_of(alloc->getUsers(), [&](Operation *user) {
          return keepsNumbers(user, alloc.getBuffer());
        }))
      numbers.insert(alloc.getBuffer());
  });
  isMixed = hasVector && hasCube;
}

bool KernelLowering::isShared(Operation *op) const {
  if (!isMixed || getNumVectorCores(kernel) == 1)
    return true;
  for (; !isa<tl::KernelOp>(op); op = op->getParentOp())
    if (op->hasAttr(AscendDialect::kSubBlockTiledAttr))
      return true;
  return false;
}

Value KernelLowering::constantIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value KernelLowering::constantOf(Location loc, Type element, double value) {
  return createConstant(b, loc, element, value);
}

Value KernelLowering::getPaddingValue(Operation *op, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value hint = paddingValues.lookup(buffer);
  if (!hint)
    return constantOf(op->getLoc(), element, 0);
  Operation *constant = hint.getDefiningOp();
  if (constant && kernel->isAncestor(constant))
    return b.clone(*constant)->getResult(0);
  return hint;
}

LogicalResult KernelLowering::lowerPhase(LoweringPhase phase) {
  SmallVector<AscendLoweringOpInterface> work;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](AscendLoweringOpInterface op) {
    if (op.getLoweringPhase() == phase)
      work.push_back(op);
    return op.ownsBody() ? WalkResult::skip() : WalkResult::advance();
  });
  // What is around goes last.
  if (phase != LoweringPhase::Instructions)
    std::reverse(work.begin(), work.end());
  for (AscendLoweringOpInterface op : work) {
    b.setInsertionPoint(op);
    if (failed(op.lowerToInstructions(*this)))
      return failure();
    if (phase != LoweringPhase::Buffers || op->use_empty())
      op->erase();
  }
  return success();
}

LogicalResult KernelLowering::run() {
  for (LoweringPhase phase : {LoweringPhase::Instructions,
                              LoweringPhase::Control, LoweringPhase::Buffers})
    if (failed(lowerPhase(phase)))
      return failure();
  fuseProducts(*this);
  // What is left of these is scalar code.
  kernel.getBody().walk(
      [](Operation *op) { mlir::tile::makeConversionTotal(op); });
  return success();
}

/// Whether an op may be part of a lowered kernel: buffers, instructions, and
/// scalar code, which reaches tiles by `memref` alone.
static bool isLowered(Operation *op) {
  if (isa_and_nonnull<tl::TileDialect>(op->getDialect()))
    return isa<tl::AllocOp, tl::ViewOp>(op);
  if (isa_and_nonnull<AscendDialect, memref::MemRefDialect>(op->getDialect()))
    return true;
  return llvm::none_of(op->getOperands(), [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return type && tl::getMemorySpace(type) != tl::MemorySpace::Global;
  });
}

static LogicalResult verifyLowered(tl::KernelOp kernel) {
  auto result = kernel.getBody().walk([](Operation *op) {
    if (isLowered(op))
      return WalkResult::advance();
    if (isa<tl::PrintOp, tl::DeviceAssertOp>(op))
      op->emitError() << "on Ascend, '" << op->getName()
                      << "' cannot be lowered; run the kernel on the CPU";
    else
      op->emitError() << "'" << op->getName()
                      << "' cannot be lowered to Ascend";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A kernel reads constant buffers as what host code gives to it.
static void moveConstantsOut(tl::KernelOp kernel) {
  SmallVector<memref::GetGlobalOp> constants;
  kernel.getBody().walk(
      [&](memref::GetGlobalOp op) { constants.push_back(op); });
  for (memref::GetGlobalOp constant : constants)
    constant->moveBefore(kernel);
}

namespace {
struct ConvertTileToAscend
    : tl::impl::ConvertTileToAscendPassBase<ConvertTileToAscend> {
  LogicalResult initialize(MLIRContext *context) override {
    attachModels(context);
    return success();
  }

  void runOnOperation() override {
    if (failed(tl::verifyParametersBound(getOperation())))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([](tl::KernelOp kernel) {
      if (!getChip(kernel)) {
        kernel.emitError("expected 'tile.target' to be an Ascend chip");
        return WalkResult::interrupt();
      }
      if (kernel.getFacts()) {
        kernel.emitError("expected a kernel without versions on an Ascend "
                         "chip; leave 'facts' and all but one version out");
        return WalkResult::interrupt();
      }
      moveConstantsOut(kernel);
      if (failed(KernelLowering(kernel).run()) || failed(verifyLowered(kernel)))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
