//===- TensorCopy.cpp - copies by the tensor copy engine ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"
#include "SharedMatrix.h"

#include "Tile/Conversion/TileToSIMT/Launch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

namespace mlir::tile::nvidia {
/// Of a kernel: whether it started stores, whose source must outlive them.
struct TensorStores {
  bool exist = false;
};
} // namespace mlir::tile::nvidia

namespace {
class TensorCopyEmitter {
public:
  TensorCopyEmitter(KernelLowering &l, CopyOp op, Value barrier)
      : l(l), b(l.builder()), loc(op.getLoc()), op(op), barrier(barrier) {}

  LogicalResult emit();

private:
  LogicalResult check(const BufferRegion &global, const BufferRegion &local,
                      const Buffer &shared);
  /// Emits one copy for each box of the tile.
  void forEachBox(const BufferRegion &global, const Buffer &shared,
                  function_ref<void(ValueRange, Value)> body);

  void emitLoad(const BufferRegion &global, const Buffer &shared, Value map);
  void emitStore(const BufferRegion &global, const Buffer &shared, Value map);

  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  CopyOp op;
  Value barrier;
  unsigned argument = 0;
  SharedMatrix matrix;
  SmallVector<int64_t> box;
  int64_t rowDim = -1, boxRows = 1;
};
} // namespace

LogicalResult TensorCopyEmitter::check(const BufferRegion &global,
                                       const BufferRegion &local,
                                       const Buffer &shared) {
  const auto *tma = l.getGPU().tma;
  const Buffer *whole = l.getBuffer(op, global.buffer);
  if (!whole)
    return failure();
  if (!whole->argument)
    return op.emitOpError("expected a tensor copy of an argument of the "
                          "function, which is described at launch");
  argument = *whole->argument;
  int64_t bits = getStorageType(shared.element).getIntOrFloatBitWidth();
  auto matched = matchSharedMatrix(shared.layout, bits / 8);
  if (!matched)
    return op.emitOpError() << "cannot use a tensor copy: " << matched.reason();
  matrix = *matched;
  // Boxes cover all of a tile, whose rows lie along the last dimension.
  if (ArrayRef(local.sizes) != ArrayRef(shared.shape) ||
      global.sizes.back() != matrix.columns)
    return op.emitOpError()
           << "cannot use a tensor copy: expected the rows of a whole tile to "
              "be rows of the region, got "
           << formatShape(local.sizes) << " of a tile of "
           << formatShape(shared.shape) << " and a region of "
           << formatShape(global.sizes);
  box = global.sizes;
  for (int64_t dim = box.size() - 1; dim-- > 0;)
    if (box[dim] != 1)
      rowDim = dim;
  box.back() = matrix.blockColumns;
  if (rowDim >= 0) {
    boxRows = std::min(box[rowDim], tma->maxBox);
    while (box[rowDim] % boxRows != 0)
      --boxRows;
    box[rowDim] = boxRows;
  }
  if (int64_t(box.size()) > tma->maxRank || box.back() > tma->maxBox ||
      box.back() * bits / 8 % tma->innerBoxMultiple != 0)
    return op.emitOpError()
           << "cannot use a tensor copy: expected a box of at most "
           << tma->maxRank << " dimensions, up to " << tma->maxBox
           << " wide and of a multiple of " << tma->innerBoxMultiple
           << " bytes, got " << formatShape(box);
  return success();
}

void TensorCopyEmitter::forEachBox(
    const BufferRegion &global, const Buffer &shared,
    function_ref<void(ValueRange, Value)> body) {
  SmallVector<Value> origin = expandMap(b, loc, global.map, global.operands);
  for (Value &index : origin)
    index = l.toI32(loc, index);
  auto plus = [&](Value v, int64_t n) {
    return n == 0 ? v
                  : b.createOrFold<arith::AddIOp>(loc, v, l.i32(loc, n));
  };
  for (int64_t column = 0; column < matrix.columns;
       column += matrix.blockColumns)
    for (int64_t row = 0; row < matrix.rows; row += boxRows) {
      // The engine takes the fastest dimension first.
      SmallVector<Value> at;
      for (int64_t dim = origin.size(); dim-- > 0;) {
        int64_t shift = dim + 1 == int64_t(origin.size()) ? column
                        : dim == rowDim                   ? row
                                                          : 0;
        at.push_back(plus(origin[dim], shift));
      }
      int64_t elements =
          matrix.getByteOffset(row, column) / matrix.elementBytes;
      body(at, l.getAddress(loc, shared, l.i32(loc, elements)));
    }
}

void TensorCopyEmitter::emitLoad(const BufferRegion &global,
                                 const Buffer &shared, Value map) {
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  forEachBox(global, shared, [&](ValueRange at, Value address) {
    Value target = LLVM::AddrSpaceCastOp::create(b, loc, cluster, address);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, loc, target, map, at, barrier, ValueRange(), Value(), Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, nullptr, Value());
  });
}

/// Before it stands a barrier with a fence, behind it `tile.store_wait`.
void TensorCopyEmitter::emitStore(const BufferRegion &global,
                                  const Buffer &shared, Value map) {
  l.getState<nvidia::TensorStores>().exist = true;
  l.inFirstThread(loc, [&] {
    forEachBox(global, shared, [&](ValueRange at, Value address) {
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, loc, map, address, at, Value(), NVVM::TMAStoreMode::TILE, Value());
    });
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  });
}

LogicalResult TensorCopyEmitter::emit() {
  BufferRegion from = withOffsets(op.getSourceRegion());
  BufferRegion to = withOffsets(op.getTargetRegion());
  bool isLoad = getMemorySpace(from.buffer) == MemorySpace::Global;
  const BufferRegion &global = isLoad ? from : to;
  const BufferRegion &local = isLoad ? to : from;
  const Buffer *shared = l.getBuffer(op, local.buffer);
  if (!shared || failed(check(global, local, *shared)))
    return failure();
  Value map = l.getLaunch().getTensorMap({argument, box, matrix.swizzleBytes});
  if (isLoad)
    emitLoad(global, *shared, map);
  else
    emitStore(global, *shared, map);
  return success();
}

LogicalResult NVIDIASIMTTarget::copyTensor(KernelLowering &l, CopyOp op,
                                       Value barrier) const {
  if (!l.getGPU().tma)
    return SIMTTarget::copyTensor(l, op, barrier);
  return TensorCopyEmitter(l, op, barrier).emit();
}

/// The thread that started them waits.
void NVIDIASIMTTarget::waitForTensorStores(KernelLowering &l, Location loc,
                                       int64_t pending) const {
  l.inFirstThread(loc, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(l.builder(), loc, pending,
                                         l.builder().getUnitAttr());
  });
}

/// Shared memory must outlive its readers.
void NVIDIASIMTTarget::finishKernel(KernelLowering &l, Location loc) const {
  if (l.getState<nvidia::TensorStores>().exist)
    waitForTensorStores(l, loc, /*pending=*/0);
}
