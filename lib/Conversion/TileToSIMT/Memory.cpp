//===- Memory.cpp - buffers, views, single elements -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "Runs.h"

#include "Tile/Transforms/TileParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::Axis;
using ::tile::layout::Layout;

static Layout rowMajor(ArrayRef<int64_t> shape) {
  return *Layout::rowMajor(std::vector<int64_t>(shape.begin(), shape.end()));
}

static LogicalResult failAt(Operation *op, const std::string &reason) {
  return op->emitOpError() << "cannot be lowered to threads: " << reason;
}

namespace {

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

struct AllocModel
    : SIMTLoweringOpInterface::ExternalModel<AllocModel, AllocOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto alloc = cast<AllocOp>(op);
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    Buffer buffer;
    buffer.space = getMemorySpace(type);
    buffer.element = type.getElementType();
    buffer.shape = llvm::to_vector(type.getShape());
    if (LayoutAttr attr = alloc.getLayoutAttr())
      buffer.layout = getTileLayout(attr);
    else
      buffer.layout = rowMajor(type.getShape());
    switch (buffer.space) {
    case MemorySpace::Fragment:
      if (!alloc.getLayoutAttr())
        return alloc.emitOpError("expected a layout for the fragment; run "
                                 "'tile-infer-layout' first");
      buffer.base = l.createRegisters(op->getLoc(), buffer.element,
                                      std::max<int64_t>(
                                          1, buffer.layout.axisSize(Axis::Reg)));
      break;
    case MemorySpace::Local:
      buffer.base = l.createRegisters(op->getLoc(), buffer.element,
                                      type.getNumElements());
      break;
    case MemorySpace::Shared:
      buffer.base = l.getArena(op->getLoc(), *alloc.getOffset());
      break;
    default:
      return alloc.emitOpError()
             << "expected a buffer in shared, fragment or local memory on "
             << l.getTarget().name << ", got '"
             << stringifyMemorySpace(buffer.space) << "'";
    }
    l.setBuffer(alloc.getBuffer(), buffer);
    return success();
  }
};

template <typename OpTy>
struct ViewModel
    : SIMTLoweringOpInterface::ExternalModel<ViewModel<OpTy>, OpTy> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto view = cast<OpTy>(op);
    const Buffer *source = l.getBuffer(op, view.getSource());
    if (!source)
      return failure();
    auto type = cast<MemRefType>(view.getView().getType());
    Buffer buffer = *source;
    buffer.element = type.getElementType();
    buffer.shape = llvm::to_vector(type.getShape());
    buffer.argument.reset();
    if (buffer.space == MemorySpace::Global) {
      buffer.sizes.clear();
      buffer.strides.assign(type.getRank(), {});
      int64_t stride = 1;
      Builder &b = l.builder();
      for (int64_t dim = type.getRank(); dim-- > 0;) {
        buffer.strides[dim] = b.getIndexAttr(stride);
        stride *= type.getDimSize(dim);
      }
      for (int64_t size : type.getShape())
        buffer.sizes.push_back(b.getIndexAttr(size));
    } else {
      int64_t from = getElementBits(source->element);
      int64_t to = getElementBits(buffer.element);
      auto layout =
          from == to ? ::tile::layout::reshape(source->layout,
                                               type.getShape().vec())
                     : ::tile::layout::reinterpret(source->layout, from, to,
                                                   type.getShape().vec());
      if (!layout)
        return failAt(op, layout.reason());
      buffer.layout = *layout;
    }
    l.setBuffer(view.getView(), buffer);
    return success();
  }
};

/// A part of a shared tile.
static LogicalResult lowerPartOfTile(memref::SubViewOp view, const Buffer &tile,
                                     KernelLowering &l) {
  auto part = findPartOfTile(view, tile.layout);
  if (!part)
    return failAt(view, part.reason() + "; run 'tile-fold-views' first");
  Location loc = view.getLoc();
  Buffer buffer = tile;
  buffer.shape = llvm::to_vector(view.getType().getShape());
  buffer.layout = part->layout;
  buffer.base = l.getAddress(loc, tile, l.i32(loc, part->base[Axis::Offset]));
  l.setBuffer(view.getResult(), buffer);
  return success();
}

/// A part of a global buffer, with bounds of its own.
struct SubViewModel
    : SIMTLoweringOpInterface::ExternalModel<SubViewModel, memref::SubViewOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto view = cast<memref::SubViewOp>(op);
    const Buffer *source = l.getBuffer(op, view.getSource());
    if (!source)
      return failure();
    if (source->space == MemorySpace::Shared)
      return lowerPartOfTile(view, *source, l);
    if (source->space != MemorySpace::Global)
      return failAt(op, "expected a part of a buffer in memory; run "
                        "'tile-fold-views' first");
    if (getElementBits(source->element) == 4)
      return failAt(op, "expected elements of whole bytes in a part of a "
                        "buffer that a tile may leave");
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    auto getValue = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(b, loc, number);
    };
    auto multiply = [&](OpFoldResult lhs, OpFoldResult rhs) -> OpFoldResult {
      return b.createOrFold<arith::MulIOp>(loc, getValue(lhs), getValue(rhs));
    };
    Buffer buffer = *source;
    buffer.argument.reset();
    buffer.alignment = 1;
    buffer.shape = llvm::to_vector(view.getType().getShape());
    buffer.sizes.clear();
    buffer.strides.clear();
    llvm::SmallBitVector dropped = view.getDroppedDims();
    Value start = constantIndex(b, loc, 0);
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets())) {
      OpFoldResult stride = source->strides[dim];
      start = b.createOrFold<arith::AddIOp>(
          loc, start, getValue(multiply(offset, stride)));
      if (dropped[dim])
        continue;
      buffer.sizes.push_back(view.getMixedSizes()[dim]);
      OpFoldResult step = view.getMixedStrides()[dim];
      buffer.strides.push_back(isConstantIntValue(step, 1)
                                   ? stride
                                   : multiply(step, stride));
    }
    buffer.base = l.getAddress(loc, *source, start);
    l.setBuffer(view.getResult(), buffer);
    return success();
  }
};

struct StageModel
    : SIMTLoweringOpInterface::ExternalModel<StageModel, StageOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto stage = cast<StageOp>(op);
    const Buffer *source = l.getBuffer(op, stage.getSource());
    if (!source)
      return failure();
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    // Stages lie one after the other: the leading dimension has one stride.
    auto second = ::tile::layout::slice(source->layout, 0, 0);
    if (!second)
      return failAt(op, second.reason());
    Buffer buffer = *source;
    buffer.shape.erase(buffer.shape.begin());
    buffer.layout = second->layout;
    int64_t stride = 0;
    if (source->shape[0] > 1) {
      ::tile::layout::Coord next(source->shape.size(), 0);
      next[0] = 1;
      stride = source->layout.sum(next)[Axis::Offset];
    }
    Value offset = b.createOrFold<arith::MulIOp>(
        loc, l.toI32(loc, stage.getIndex()), l.i32(loc, stride));
    buffer.base = l.getAddress(loc, buffer, offset);
    l.setBuffer(stage.getView(), buffer);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

/// The register of a fragment that holds an element; none, with an error, if it
/// is not the same in all threads.
FailureOr<int64_t> getRegister(Operation *op, const Buffer &buffer,
                               ValueRange indices, KernelLowering &l) {
  ::tile::layout::Coord coord;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> part = l.getState<ParallelScope>().evaluate(index);
    // untested: verifyLayouts refuses it.
    if (!part || *part < 0 || *part >= buffer.shape[dim])
      return op->emitOpError()
             << "expected index " << dim
             << " of a fragment to be a coordinate of the parallel loop, which "
                "decides the register; go through a shared buffer";
    coord.push_back(*part);
  }
  return buffer.layout.sum(coord)[Axis::Reg];
}

// Of a local buffer whose elements are chosen by comparisons, which leaves them
// in registers, where the index is known at run time alone.
static constexpr int64_t kMaxChosenElements = 4;

/// Whether an element is one of a few, which one being known at run time.
bool isChosen(const Buffer &buffer, ValueRange indices) {
  return buffer.shape.size() == 1 && buffer.shape[0] <= kMaxChosenElements &&
         !getConstantIntValue(indices[0]);
}

/// Local buffers have an address for each element.
Value getLocalAddress(Operation *op, const Buffer &buffer, ValueRange indices,
                      KernelLowering &l) {
  OpBuilder &b = l.builder();
  Location loc = op->getLoc();
  Value offset = constantIndex(b, loc, 0);
  for (auto [index, extent] : llvm::zip(indices, buffer.shape)) {
    offset = b.createOrFold<arith::MulIOp>(loc, offset,
                                           constantIndex(b, loc, extent));
    offset = b.createOrFold<arith::AddIOp>(loc, offset, index);
  }
  offset = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), offset);
  return LLVM::GEPOp::create(b, loc, buffer.base.getType(),
                             getStorageType(buffer.element), buffer.base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value loadLocal(memref::LoadOp load, const Buffer &buffer, KernelLowering &l) {
  OpBuilder &b = l.builder();
  Location loc = load.getLoc();
  if (!isChosen(buffer, load.getIndices())) {
    Value address = getLocalAddress(load, buffer, load.getIndices(), l);
    Value value = LLVM::LoadOp::create(b, loc, getStorageType(buffer.element),
                                       address);
    return fromStorage(b, loc, value, buffer.element);
  }
  Value value = l.loadRegister(loc, buffer, buffer.shape[0] - 1);
  for (int64_t i = buffer.shape[0] - 1; i-- > 0;) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         load.getIndices()[0],
                                         constantIndex(b, loc, i));
    value = arith::SelectOp::create(b, loc, isHere,
                                    l.loadRegister(loc, buffer, i), value);
  }
  return value;
}

void storeLocal(memref::StoreOp store, const Buffer &buffer,
                KernelLowering &l) {
  OpBuilder &b = l.builder();
  Location loc = store.getLoc();
  Value value = store.getValueToStore();
  if (!isChosen(buffer, store.getIndices())) {
    Value address = getLocalAddress(store, buffer, store.getIndices(), l);
    LLVM::StoreOp::create(b, loc, toStorage(b, loc, value), address);
    return;
  }
  for (int64_t i = 0; i < buffer.shape[0]; ++i) {
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         store.getIndices()[0],
                                         constantIndex(b, loc, i));
    Value kept = arith::SelectOp::create(b, loc, isHere, value,
                                         l.loadRegister(loc, buffer, i));
    l.storeRegister(loc, kept, buffer, i);
  }
}

/// The loads, or stores, of neighbours that begin with `access`.
template <typename OpTy>
SmallVector<Operation *> findAccesses(OpTy access, const Buffer &buffer,
                                      KernelLowering &l) {
  int64_t most =
      l.getState<ParallelScope>().isInLoop ? getVectorRun(l, buffer) : 1;
  return findRun(access, buffer, most, [&](Operation *op) {
    auto next = dyn_cast<OpTy>(op);
    return next && next.getMemRef() == access.getMemRef()
               ? std::optional(SmallVector<Value>(next.getIndices()))
               : std::nullopt;
  });
}

/// Whether stores of the same loop, to global memory, follow.
bool precedesStores(memref::LoadOp load) {
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && getMemorySpace(store.getMemRef()) == MemorySpace::Global)
      return true;
  return false;
}

/// Nothing writes what the value was loaded from while the kernel runs.
void markConstant(Value value) {
  // What is behind the load makes an element of its bits.
  Operation *op = value.getDefiningOp();
  while (op && !isa<LLVM::LoadOp>(op))
    op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
  if (op)
    cast<LLVM::LoadOp>(op).setInvariant(true);
}

struct LoadModel
    : SIMTLoweringOpInterface::ExternalModel<LoadModel, memref::LoadOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto load = cast<memref::LoadOp>(op);
    if (takeDone(l, op))
      return success();
    const Buffer *buffer = l.getBuffer(op, load.getMemRef());
    if (!buffer)
      return failure();
    Location loc = op->getLoc();
    Value value;
    if (buffer->space == MemorySpace::Fragment) {
      FailureOr<int64_t> reg = getRegister(op, *buffer, load.getIndices(), l);
      if (failed(reg))
        return failure();
      value = l.loadRegister(loc, *buffer, *reg);
    } else if (buffer->space == MemorySpace::Local) {
      value = loadLocal(load, *buffer, l);
    } else {
      SmallVector<Operation *> run = findAccesses(load, *buffer, l);
      value = l.load(loc, *buffer,
                     l.getOffset(loc, *buffer, load.getIndices()), run.size());
      // Loads are to pass the stores; others were slower through the cache of
      // what is constant. Elements of 4 bits are put together of several loads.
      if (buffer->space == MemorySpace::Global && !buffer->mayBeWritten &&
          getElementBits(load.getMemRef()) >= 8 && precedesStores(load))
        markConstant(value);
      if (run.size() > 1) {
        for (auto [i, one] : llvm::enumerate(run))
          one->getResult(0).replaceAllUsesWith(vector::ExtractOp::create(
              l.builder(), loc, value, ArrayRef<int64_t>{int64_t(i)}));
        setDone(l, run);
        return success();
      }
    }
    op->getResult(0).replaceAllUsesWith(value);
    return success();
  }
};

struct StoreModel
    : SIMTLoweringOpInterface::ExternalModel<StoreModel, memref::StoreOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto store = cast<memref::StoreOp>(op);
    if (takeDone(l, op))
      return success();
    const Buffer *buffer = l.getBuffer(op, store.getMemRef());
    if (!buffer)
      return failure();
    Location loc = op->getLoc();
    Value value = store.getValueToStore();
    if (buffer->space == MemorySpace::Fragment) {
      FailureOr<int64_t> reg = getRegister(op, *buffer, store.getIndices(), l);
      if (failed(reg))
        return failure();
      l.storeRegister(loc, value, *buffer, *reg);
      return success();
    }
    if (buffer->space == MemorySpace::Local) {
      storeLocal(store, *buffer, l);
      return success();
    }
    SmallVector<Operation *> run = findAccesses(store, *buffer, l);
    auto write = [&] {
      SmallVector<Value> values;
      for (Operation *one : run)
        values.push_back(cast<memref::StoreOp>(one).getValueToStore());
      if (run.size() > 1)
        value = vector::FromElementsOp::create(
            l.builder(), loc, VectorType::get(run.size(), buffer->element),
            values);
      l.store(loc, value, *buffer,
              l.getOffset(loc, *buffer, store.getIndices()), run.size());
    };
    setDone(l, run);
    const auto &scope = l.getState<ParallelScope>();
    if (scope.isInLoop)
      l.inIf(loc, scope.writeGuard, write);
    else
      l.inFirstThread(loc, write);
    return success();
  }
};

struct DimModel
    : SIMTLoweringOpInterface::ExternalModel<DimModel, memref::DimOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto dim = cast<memref::DimOp>(op);
    auto type = cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index || *index < 0 || *index >= type.getRank())
      return op->emitOpError("expected a constant dimension of the buffer");
    OpFoldResult size = l.builder().getIndexAttr(type.getDimSize(*index));
    if (type.isDynamicDim(*index)) {
      const Buffer *buffer = l.getBuffer(op, dim.getSource());
      if (!buffer)
        return failure();
      size = buffer->sizes[*index];
    }
    op->getResult(0).replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(l.builder(), op->getLoc(), size));
    return success();
  }
};

} // namespace

void simt::attachMemoryModels(MLIRContext *context) {
  AllocOp::attachInterface<AllocModel>(*context);
  ReshapeOp::attachInterface<ViewModel<ReshapeOp>>(*context);
  ViewOp::attachInterface<ViewModel<ViewOp>>(*context);
  memref::SubViewOp::attachInterface<SubViewModel>(*context);
  StageOp::attachInterface<StageModel>(*context);
  memref::LoadOp::attachInterface<LoadModel>(*context);
  memref::StoreOp::attachInterface<StoreModel>(*context);
  memref::DimOp::attachInterface<DimModel>(*context);
}
