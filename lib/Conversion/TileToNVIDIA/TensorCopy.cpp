//===- TensorCopy.cpp - copies by the tensor copy engine ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIASIMTTarget.h"

#include "Tile/Conversion/TileToSIMT/Launch.h"
#include "Tile/Conversion/TileToSIMT/Teams.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Transforms/TensorCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

namespace mlir::tile::nvidia {
/// Of a kernel: whether it started stores, whose source must outlive them, and
/// whether a thread of each warpgroup starts some.
struct TensorStores {
  bool exist = false, areOfGroups = false;
};
} // namespace mlir::tile::nvidia

/// Runs in the first thread of each warpgroup.
static void inFirstOfGroups(KernelLowering &l, Location loc,
                            function_ref<void()> body) {
  OpBuilder &b = l.builder();
  Value place = arith::RemUIOp::create(b, loc, l.threads().thread,
                                       l.i32(loc, l.getGPU().groupThreads()));
  l.inIf(loc,
         arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place,
                               l.i32(loc, 0)),
         body);
}

namespace {
class TensorCopyEmitter {
public:
  TensorCopyEmitter(KernelLowering &l, CopyOp op, Value barrier,
                    std::optional<AtomicKind> update)
      : l(l), b(l.builder()), loc(op.getLoc()), op(op), barrier(barrier),
        update(update) {}

  LogicalResult emit();

private:
  LogicalResult check(const BufferRegion &global, const Buffer &shared);
  LogicalResult shareOut(const Buffer &shared);
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
  std::optional<AtomicKind> update;
  Value described;
  TensorBoxes boxes;
  /// The blocks that share the tile, or warpgroups that divide it, and the
  /// number of this one among them.
  int64_t blocks = 1;
  Value rank;
};
} // namespace

LogicalResult TensorCopyEmitter::check(const BufferRegion &global,
                                       const Buffer &shared) {
  described = getDescribedBuffer(global.buffer);
  if (!described)
    return op.emitOpError("expected a tensor copy of an argument or a "
                          "workspace of the function, which is described at "
                          "launch");
  auto matched = matchTensorCopy(op, shared.layout, *l.getGPU().tma);
  if (!matched)
    return op.emitOpError() << "cannot use a tensor copy: " << matched.reason();
  boxes = *matched;
  return op->hasAttr(kMulticastAttrName) || op->hasAttr(kWarpgroupsAttrName)
             ? shareOut(shared)
             : success();
}

/// Each block of the cluster, or each warpgroup, copies as many rows of the tile.
LogicalResult TensorCopyEmitter::shareOut(const Buffer &shared) {
  auto multicast = op->getAttrOfType<IntegerAttr>(kMulticastAttrName);
  int64_t group = l.getGPU().groupThreads();
  blocks = multicast ? multicast.getInt() : l.threads().size() / group;
  int64_t rows = shared.layout.extent(0);
  if (!multicast != !barrier || shared.layout.rank() < 2 ||
      rows % (kSwizzleRows * blocks) != 0 || boxes.tile.boxes.extent(0) != 1)
    return op.emitOpError()
           << (multicast ? "expected the copy that blocks share to load"
                         : "expected the copy that warpgroups share to store")
           << " a multiple of " << kSwizzleRows * blocks
           << " rows, which one box holds, got " << rows;
  for (auto [dim, extent] : llvm::zip(boxes.tileDims, boxes.box))
    if (dim == 0)
      extent /= blocks;
  rank = multicast
             ? Value(NVVM::ClusterId::create(b, loc, b.getI32Type()))
             : Value(arith::DivUIOp::create(b, loc, l.threads().thread,
                                            l.i32(loc, group)));
  return success();
}

void TensorCopyEmitter::forEachBox(
    const BufferRegion &global, const Buffer &shared,
    function_ref<void(ValueRange, Value)> body) {
  SmallVector<Value> origin = expandMap(b, loc, global.map, global.operands);
  for (Value &index : origin)
    index = l.toI32(loc, index);
  const ::tile::layout::Layout &starts = boxes.tile.boxes;
  Value part;
  if (rank) {
    ::tile::layout::Coord next(starts.rank(), 0);
    next[0] = shared.layout.extent(0) / blocks;
    for (auto [dim, index] : llvm::zip(boxes.tileDims, origin))
      if (dim == 0)
        index = arith::AddIOp::create(
            b, loc, index,
            arith::MulIOp::create(b, loc, rank, l.i32(loc, next[0])));
    part = arith::MulIOp::create(
        b, loc, rank,
        l.i32(loc, shared.layout.at(next)[::tile::layout::Axis::Offset]));
  }
  for (int64_t number = 0; number < boxes.numBoxes(); ++number) {
    // Boxes of one block of columns come one after the other.
    ::tile::layout::Coord at;
    int64_t rest = number;
    for (int dim = 0; dim < starts.rank(); ++dim) {
      at.push_back(rest % starts.extent(dim));
      rest /= starts.extent(dim);
    }
    // The engine takes the fastest dimension first.
    SmallVector<Value> coordinates;
    for (int64_t dim = origin.size(); dim-- > 0;) {
      int tileDim = boxes.tileDims[dim];
      int64_t shift = tileDim < 0 ? 0 : at[tileDim] * boxes.box[dim];
      coordinates.push_back(shift == 0 ? origin[dim]
                                       : b.createOrFold<arith::AddIOp>(
                                             loc, origin[dim],
                                             l.i32(loc, shift)));
    }
    Value start = l.i32(loc, starts.at(at)[::tile::layout::Axis::Offset]);
    if (part)
      start = arith::AddIOp::create(b, loc, start, part);
    body(coordinates, l.getAddress(loc, shared, start));
  }
}

void TensorCopyEmitter::emitLoad(const BufferRegion &global,
                                 const Buffer &shared, Value map) {
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Value mask;
  if (rank)
    mask = arith::ConstantIntOp::create(b, loc, (1 << blocks) - 1, 16);
  forEachBox(global, shared, [&](ValueRange at, Value address) {
    Value target = LLVM::AddrSpaceCastOp::create(b, loc, cluster, address);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, loc, target, map, at, barrier, ValueRange(), mask, Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, nullptr, Value());
  });
}

/// Before it stands a barrier with a fence, behind it `tile.store_wait`.
void TensorCopyEmitter::emitStore(const BufferRegion &global,
                                  const Buffer &shared, Value map) {
  auto &stores = l.getState<nvidia::TensorStores>();
  stores.exist = true;
  stores.areOfGroups |= bool(rank) || l.getState<Teams>().count > 1;
  auto start = [&] {
    forEachBox(global, shared, [&](ValueRange at, Value address) {
      if (update)
        NVVM::CpAsyncBulkTensorReduceOp::create(
            b, loc, map, address, NVVM::TMAReduxKind::ADD,
            NVVM::TMAStoreMode::TILE, at, Value());
      else
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            b, loc, map, address, at, Value(), NVVM::TMAStoreMode::TILE,
            Value());
    });
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  };
  if (rank)
    inFirstOfGroups(l, loc, start);
  else
    l.inFirstThread(loc, start);
}

LogicalResult TensorCopyEmitter::emit() {
  BufferRegion from = withOffsets(op.getSourceRegion());
  BufferRegion to = withOffsets(op.getTargetRegion());
  bool isLoad = getMemorySpace(from.buffer) == MemorySpace::Global;
  const BufferRegion &global = isLoad ? from : to;
  const BufferRegion &local = isLoad ? to : from;
  const Buffer *shared = l.getBuffer(op, local.buffer);
  if (!shared || failed(check(global, *shared)))
    return failure();
  Value map = l.getLaunch().getTensorMap(
      {described, global.getType(), boxes.box,
       ::tile::layout::swizzleBytes(boxes.tile.swizzle)});
  if (isLoad)
    emitLoad(global, *shared, map);
  else
    emitStore(global, *shared, map);
  return success();
}

LogicalResult
NVIDIASIMTTarget::copyTensor(KernelLowering &l, CopyOp op, Value barrier,
                             std::optional<AtomicKind> update) const {
  if (!l.getGPU().tma)
    return SIMTTarget::copyTensor(l, op, barrier, update);
  return TensorCopyEmitter(l, op, barrier, update).emit();
}

/// Whether a thread of each warpgroup starts stores of the kernel, which may
/// come later.
static bool areOfGroups(KernelLowering &l) {
  auto &stores = l.getState<nvidia::TensorStores>();
  stores.areOfGroups |= l.getState<Teams>().count > 1;
  Operation *function = l.builder().getInsertionBlock()->getParentOp();
  if (!isa<gpu::GPUFuncOp>(function))
    function = function->getParentOfType<gpu::GPUFuncOp>();
  function->walk([&](CopyOp copy) {
    stores.areOfGroups |= copy->hasAttr(kWarpgroupsAttrName);
  });
  return stores.areOfGroups;
}

/// The threads that started them wait.
void NVIDIASIMTTarget::waitForTensorStores(KernelLowering &l, Location loc,
                                       int64_t pending,
                                       bool isComplete) const {
  auto wait = [&] {
    OpBuilder &b = l.builder();
    NVVM::CpAsyncBulkWaitGroupOp::create(
        b, loc, uint32_t(pending), isComplete ? UnitAttr() : b.getUnitAttr());
  };
  if (areOfGroups(l))
    inFirstOfGroups(l, loc, wait);
  else
    l.inFirstThread(loc, wait);
}

/// Shared memory must outlive its readers.
void NVIDIASIMTTarget::finishKernel(KernelLowering &l, Location loc) const {
  if (l.getState<nvidia::TensorStores>().exist)
    waitForTensorStores(l, loc, /*pending=*/0, /*isComplete=*/false);
}
