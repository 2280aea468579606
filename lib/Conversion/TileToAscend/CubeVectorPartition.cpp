//===- CubeVectorPartition.cpp - sections of the two kinds of cores -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossCoreTransfer.h"
#include "Tile/Conversion/TileToAscend/Passes.h"

#include "Tile/Analysis/Accesses.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ASCENDSPLITMIXKERNELSPASS
#include "Tile/Conversion/TileToAscend/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

/// The core that an op runs on; nothing for scalar code, which both run.
static std::optional<Core> getCoreOf(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return instruction.getCore();
  if (auto attr = op->getAttrOfType<CoreAttr>(AscendDialect::kCoreAttr))
    return attr.getValue();
  // The scalar unit of a vector core alone reaches UB.
  if (auto store = dyn_cast<memref::StoreOp>(op))
    if (tl::getMemorySpace(store.getMemRef()) == MemorySpace::UB)
      return Core::Vector;
  return std::nullopt;
}

/// No flag orders what the two do to other buffers than those that they
/// exchange tiles through.
static LogicalResult verifyGlobals(tl::KernelOp kernel) {
  struct Use {
    Operation *op[2] = {nullptr, nullptr};
    bool writes = false;
  };
  DenseMap<Value, Use> uses;
  auto result = kernel.walk([&](InstructionOpInterface op) {
    SmallVector<tl::Access> accesses;
    (void)tl::collectAccesses(op, accesses);
    for (const tl::Access &access : accesses) {
      Value base = tl::getBaseBuffer(access.region.buffer);
      if (tl::getMemorySpace(base) != MemorySpace::Global ||
          base.getDefiningOp<memref::AllocOp>())
        continue;
      Use &use = uses[base];
      use.op[unsigned(op.getCore())] = op;
      use.writes |= access.kind != tl::AccessKind::Read;
      if (!use.writes || !use.op[0] || !use.op[1])
        continue;
      InFlightDiagnostic diag = op->emitError(
          "one core writes a global buffer that the other core uses; nothing "
          "orders the two");
      diag.attachNote(use.op[1 - unsigned(op.getCore())]->getLoc())
          << "the other core's instruction is here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What the other core alone needs goes. The cube core has no way to UB.
static LogicalResult eraseUnused(SectionOp section) {
  bool changed = true;
  while (changed) {
    changed = false;
    section.getBody().walk([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      op->erase();
      changed = true;
    });
  }
  auto result = section.walk([&](memref::LoadOp load) {
    if (section.getCore() != Core::Cube ||
        tl::getMemorySpace(load.getMemRef()) != MemorySpace::UB)
      return WalkResult::advance();
    InFlightDiagnostic diag = load.emitError(
        "the cube core uses an element of 'ub', which it cannot reach; read it "
        "from global memory");
    diag.attachNote(load->getUsers().begin()->getLoc()) << "it is used here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult split(tl::KernelOp kernel, bool hasCube) {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> code;
  for (Operation &op : body)
    if (!isa<tl::AllocOp>(op))
      code.push_back(&op);
  OpBuilder b = OpBuilder::atBlockEnd(&body);
  for (Core core : {Core::Cube, Core::Vector}) {
    auto section = SectionOp::create(b, kernel.getLoc(), core);
    OpBuilder inner =
        OpBuilder::atBlockBegin(&section.getBody().emplaceBlock());
    if (core == Core::Cube && !hasCube)
      continue;
    IRMapping mapping;
    for (Operation *op : code)
      inner.clone(*op, mapping);
    section.walk([&](Operation *op) {
      std::optional<Core> of = getCoreOf(op);
      op->removeAttr(AscendDialect::kCoreAttr);
      if (of && *of != core)
        op->erase();
    });
    if (failed(eraseUnused(section)))
      return failure();
  }
  for (Operation *op : llvm::reverse(code))
    op->erase();
  return success();
}

namespace {
struct AscendSplitMixKernels
    : tl::impl::AscendSplitMixKernelsPassBase<AscendSplitMixKernels> {
  void runOnOperation() override {
    auto result = getOperation()->walk([](tl::KernelOp kernel) {
      bool has[2] = {false, false};
      kernel.walk([&](InstructionOpInterface op) {
        has[unsigned(op.getCore())] = true;
      });
      // Where both vector cores share the rows, and what the cube core did is
      // folded away, an empty section keeps the kernel on both.
      bool hasCube = has[unsigned(Core::Cube)];
      if (kernel->removeDiscardableAttr(AscendDialect::kSubBlockTiledAttr))
        has[unsigned(Core::Cube)] = true;
      bool isSplit = !kernel.getBody().getOps<SectionOp>().empty();
      if (isSplit || !has[0] || !has[1])
        return WalkResult::skip();
      if (failed(verifyGlobals(kernel)))
        return WalkResult::interrupt();
      return failed(split(kernel, hasCube)) ? WalkResult::interrupt()
                                            : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
