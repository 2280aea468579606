//===- SelectStores.cpp - results through shared memory -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a matrix instruction hold few neighbours of a row each: written
// from registers, results leave in pieces of 4 bytes. Through a shared tile
// they leave as whole rows, and the block goes on while they do.
//
//===----------------------------------------------------------------------===//

#include "SelectInstructions.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/TensorCopy.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using ::tile::layout::fail;
using ::tile::layout::Result;
using ::tile::layout::Status;

/// Whether a fragment holds sums of matrix instructions, converted or not.
static bool holdsAccumulator(Value fragment, DenseSet<Value> &seen) {
  return seen.insert(fragment).second && llvm::any_of(fragment.getUsers(), [&](Operation *user) {
    if (auto gemm = dyn_cast<GemmOp>(user))
      return gemm.getC() == fragment && gemm.getInstructionAttr() &&
             gemm.getInstructionAttr().hasFragments();
    auto copy = dyn_cast<CopyOp>(user);
    return copy && copy.getTarget() == fragment &&
           getMemorySpace(copy.getSource()) == MemorySpace::Fragment &&
           holdsAccumulator(copy.getSource(), seen);
  });
}

/// Bytes of the shared tiles when no pipeline has more than a few stages.
static int64_t countSharedBytes(KernelOp kernel, const GPUSpec &gpu) {
  constexpr int64_t kFewStages = 3;
  int64_t bytes = 0;
  kernel.walk([&](AllocOp alloc) {
    Value buffer = alloc.getBuffer();
    if (getMemorySpace(buffer) != MemorySpace::Shared)
      return;
    int64_t stages = 1;
    for (Operation *user : buffer.getUsers())
      if (auto loop = dyn_cast<PipelinedOp>(user->getParentOp());
          loop && isa<CopyOp>(user) && cast<CopyOp>(user).getTarget() == buffer)
        stages = std::max(stages, int64_t(loop.getStages()));
    bytes += std::min(stages, kFewStages) *
             llvm::alignTo(getBufferBytes(cast<MemRefType>(buffer.getType())),
                           gpu.sharedAlign);
  });
  return bytes;
}

/// Whether an engine may write the buffer: that is ordered by the end of the
/// kernel only.
static Status checkTarget(Operation *op, Value buffer) {
  Value base = getBaseBuffer(buffer);
  if (!getDescribedBuffer(buffer))
    return fail("expected an argument or a workspace of the function, or a "
                "reshape of one, as target");
  bool isAlone = true;
  op->getParentOfType<KernelOp>().walk([&](Operation *other) {
    isAlone &=
        other == op || llvm::none_of(other->getOperands(), [&](Value value) {
          return isa<MemRefType>(value.getType()) &&
                 getBaseBuffer(value) == base;
        });
  });
  if (!isAlone)
    return fail("expected the only use of the target in the kernel");
  return ::tile::layout::Success{};
}

static Status checkRoom(KernelOp kernel, int64_t bytes, const GPUSpec &gpu) {
  constexpr int64_t kBarrierBytes = 1024;
  int64_t used = countSharedBytes(kernel, gpu) + kBarrierBytes;
  if (used + bytes > gpu.sharedBytesPerBlock)
    return fail("expected room for ", bytes,
                " bytes of shared memory in addition to ", used, ", got ",
                gpu.sharedBytesPerBlock);
  return ::tile::layout::Success{};
}

/// Whether there is room for the copy to go through a shared tile, and an
/// instruction that fills it.
static Status checkStore(CopyOp copy, const Target &target) {
  auto kernel = cast<KernelOp>(copy->getParentOp());
  const GPUSpec &gpu = *target.getGPU();
  auto isStoreMatrix = [](const CopyRow *row) {
    return row->family == CopyFamily::LdMatrix;
  };
  if (!gpu.tma ||
      llvm::none_of(findCopies(target, Space::Register, Space::Shared,
                               gpu.vectorBytes),
                    isStoreMatrix))
    return fail(target.name.str(), " has no tensor copies or no stmatrix");
  auto type = cast<MemRefType>(copy.getSource().getType());
  return checkRoom(kernel, type.getNumElements() * 2, gpu);
}

/// The fragment that the copy writes, perhaps in another shape.
static Value getFragment(CopyOp copy) {
  auto view = copy.getSource().getDefiningOp<ReshapeOp>();
  return view ? view.getSource() : copy.getSource();
}

/// Copies the fragment to a new shared tile, and that to the target.
static CopyOp insertTile(CopyOp copy) {
  auto kernel = cast<KernelOp>(copy->getParentOp());
  Value fragment = getFragment(copy);
  auto type = cast<MemRefType>(fragment.getType());
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::Shared);
  auto element = cast<MemRefType>(copy.getTarget().getType()).getElementType();
  auto tile = AllocOp::create(
      b, copy.getLoc(),
      MemRefType::get(type.getShape(), element, AffineMap(), space),
      LayoutAttr(), IntegerAttr());
  b.setInsertionPoint(copy);
  auto inner = cast<CopyOp>(b.clone(*copy));
  inner.getSourceMutable().assign(fragment);
  inner.getTargetMutable().assign(tile.getBuffer());
  inner.getTargetIndicesMutable().clear();
  inner.removeTargetMapAttr();
  inner.removeTargetSizesAttr();
  inner.removeInstructionAttr();
  Value source = tile.getBuffer();
  if (fragment != copy.getSource()) {
    auto shape = cast<MemRefType>(copy.getSource().getType()).getShape();
    source = ReshapeOp::create(
        b, copy.getLoc(), MemRefType::get(shape, element, AffineMap(), space),
        source);
  }
  copy.getSourceMutable().assign(source);
  copy.getSourceIndicesMutable().clear();
  copy.removeSourceMapAttr();
  copy.removeSourceSizesAttr();
  copy.setIsUnsigned(false);
  copy.setSaturate(false);
  copy.removeInstructionAttr();
  return inner;
}

/// Undoes insertTile.
static void removeTile(CopyOp copy, CopyOp inner, Value source,
                       TransferAttr instruction) {
  Operation *tile = inner.getTarget().getDefiningOp();
  Operation *view = copy.getSource().getDefiningOp();
  copy.getSourceMutable().assign(source);
  copy.setIsUnsigned(inner.getIsUnsigned());
  copy.setSaturate(inner.getSaturate());
  copy.setInstructionAttr(instruction);
  inner.erase();
  if (view != tile)
    view->erase();
  tile->erase();
}

LogicalResult mlir::tile::stageStore(CopyOp copy, const Target &target) {
  DenseSet<Value> seen;
  auto type = cast<MemRefType>(copy.getTarget().getType());
  if (!isa<KernelOp>(copy->getParentOp()) || copy.getPrefer() ||
      copy.getCoalescedWidth() ||
      getMemorySpace(copy.getSource()) != MemorySpace::Fragment ||
      getMemorySpace(type) != MemorySpace::Global ||
      !isa<Float16Type, BFloat16Type>(type.getElementType()) ||
      !isWhole(copy.getSourceRegion()) ||
      !holdsAccumulator(getFragment(copy), seen))
    return success();
  auto opts = remark::RemarkOpts::name("StagedStore")
                  .category("tile-select-instructions");
  Status ok = checkStore(copy, target);
  if (ok) {
    TransferAttr before = copy.getInstructionAttr();
    Value source = copy.getSource();
    CopyOp inner = insertTile(copy);
    ok = checkTarget(copy, copy.getTarget());
    if (ok)
      ok = selectTensorCopy(copy, target);
    if (ok) {
      remark::passed(copy.getLoc(), opts) << "stmatrix and tma";
      return selectCopy(inner, target, /*async=*/false);
    }
    // Rows that begin anywhere take an instruction for each element of a lane.
    TransferAttr rows = getCopyForm(copy, target).instruction;
    if (rows.getBytes() < target.getGPU()->vectorBytes) {
      remark::passed(copy.getLoc(), opts)
          << "stmatrix and rows of threads, no tma: " + ok.reason();
      copy.setInstructionAttr(rows);
      return selectCopy(inner, target, /*async=*/false);
    }
    removeTile(copy, inner, source, before);
  }
  remark::missed(copy.getLoc(), opts)
      << remark::reason("no stmatrix and tma: {0}", ok.reason());
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic sums
//===----------------------------------------------------------------------===//

CopyOp mlir::tile::createWholeCopy(OpBuilder &b, Location loc, Value from,
                                   Value to) {
  return CopyOp::create(b, loc, from, ValueRange(), to, ValueRange(),
                        AffineMapAttr(), DenseI64ArrayAttr(), AffineMapAttr(),
                        DenseI64ArrayAttr(), /*is_unsigned=*/false,
                        /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                        TransferAttr(), /*signal=*/Value());
}

/// What a copy of the tile to the target would be done with, if by tensor maps.
static Result<TransferAttr> selectTransfer(AtomicOp op, Value tile,
                                           const Target &target) {
  OpBuilder b(op);
  CopyOp store = createWholeCopy(b, op.getLoc(), tile, op.getTarget());
  store.getTargetIndicesMutable().assign(op.getTargetIndices());
  store.setTargetMapAttr(op.getTargetMapAttr());
  store.setTargetSizesAttr(op.getTargetSizesAttr());
  Status ok = selectTensorCopy(store, target);
  TransferAttr transfer = store.getInstructionAttr();
  store.erase();
  if (!ok)
    return ok.failure();
  return transfer;
}

LogicalResult mlir::tile::stageAtomic(AtomicOp op, const Target &target) {
  const GPUSpec &gpu = *target.getGPU();
  DenseSet<Value> seen;
  if (!gpu.tma || !op.isTileForm() || op.getKind() != AtomicKind::Add ||
      isa<KernelOp>(op->getParentOp()) ||
      getMemorySpace(op.getValue()) != MemorySpace::Fragment ||
      getMemorySpace(op.getTarget()) != MemorySpace::Global ||
      !holdsAccumulator(op.getValue(), seen))
    return success();
  auto type = cast<MemRefType>(op.getValue().getType());
  if (!type.getElementType().isF32())
    return success();
  auto kernel = op->getParentOfType<KernelOp>();
  auto opts = remark::RemarkOpts::name("StagedAtomic")
                  .category("tile-select-instructions");
  Status ok = checkTarget(op, op.getTarget());
  if (ok)
    ok = checkRoom(kernel, type.getNumElements() * 4, gpu);
  if (!ok) {
    remark::missed(op.getLoc(), opts) << remark::reason("{0}", ok.reason());
    return success();
  }
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto space = MemorySpaceAttr::get(b.getContext(), MemorySpace::Shared);
  auto tile = AllocOp::create(b, op.getLoc(),
                              MemRefType::get(type.getShape(),
                                              type.getElementType(),
                                              AffineMap(), space),
                              LayoutAttr(), IntegerAttr());
  Result<TransferAttr> transfer =
      selectTransfer(op, tile.getBuffer(), target);
  if (!transfer) {
    tile.erase();
    remark::missed(op.getLoc(), opts)
        << remark::reason("{0}", transfer.reason());
    return success();
  }
  b.setInsertionPoint(op);
  CopyOp inner = createWholeCopy(b, op.getLoc(), op.getValue(), tile.getBuffer());
  op.getValueMutable().assign(tile.getBuffer());
  op.setInstructionAttr(*transfer);
  remark::passed(op.getLoc(), opts) << "tma";
  return selectCopy(inner, target, /*async=*/false);
}
