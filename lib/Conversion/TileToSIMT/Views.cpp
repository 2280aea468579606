//===- Views.cpp - buffers that are other buffers' memory ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

namespace {
/// Where a buffer begins in its memory: what its type says. The rest is in the
/// address of the buffer.
int64_t getKnownOffset(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isKnown = succeeded(type.getStridesAndOffset(strides, offset)) &&
                 !ShapedType::isDynamic(offset);
  return isKnown ? offset : 0;
}

struct StridedMetadataModel
    : SIMTLoweringOpInterface::ExternalModel<StridedMetadataModel,
                                             memref::ExtractStridedMetadataOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto metadata = cast<memref::ExtractStridedMetadataOp>(op);
    const Buffer *source = l.getBuffer(op, metadata.getSource());
    if (!source)
      return failure();
    if (source->space != MemorySpace::Global)
      // untested: world-resolve asks global buffers only.
      return op->emitOpError("expected a global buffer on a GPU");
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    auto replace = [&](Value result, OpFoldResult with) {
      if (!result.use_empty())
        result.replaceAllUsesWith(
            getValueOrCreateConstantIndexOp(b, loc, with));
    };
    replace(metadata.getOffset(),
            b.getIndexAttr(getKnownOffset(metadata.getSource())));
    for (auto [result, size] : llvm::zip(metadata.getSizes(), source->sizes))
      replace(result, size);
    for (auto [result, stride] :
         llvm::zip(metadata.getStrides(), source->strides))
      replace(result, stride);
    return success();
  }
};

/// A buffer that begins elsewhere in the memory, where the offset says.
struct ReinterpretCastModel
    : SIMTLoweringOpInterface::ExternalModel<ReinterpretCastModel,
                                             memref::ReinterpretCastOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto cast = mlir::cast<memref::ReinterpretCastOp>(op);
    const Buffer *source = l.getBuffer(op, cast.getSource());
    if (!source)
      return failure();
    if (source->space != MemorySpace::Global ||
        getElementBits(source->element) < 8)
      // untested: world-verify sees to it.
      return op->emitOpError(
          "expected a global buffer of whole bytes on a GPU");
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Buffer buffer = *source;
    buffer.argument.reset();
    buffer.alignment = 1;
    buffer.mayBeWritten = true;
    buffer.shape = llvm::to_vector(cast.getType().getShape());
    buffer.sizes = cast.getMixedSizes();
    buffer.strides = cast.getMixedStrides();
    Value offset =
        getValueOrCreateConstantIndexOp(b, loc, cast.getMixedOffsets()[0]);
    if (int64_t begin = getKnownOffset(cast.getSource()))
      offset = b.createOrFold<arith::SubIOp>(
          loc, offset, arith::ConstantIndexOp::create(b, loc, begin));
    buffer.base = l.getAddress(loc, *source, offset);
    l.setBuffer(cast.getResult(), buffer);
    return success();
  }
};

/// The same memory, of which the type knows more or less.
struct MemRefCastModel
    : SIMTLoweringOpInterface::ExternalModel<MemRefCastModel, memref::CastOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto cast = mlir::cast<memref::CastOp>(op);
    const Buffer *source = l.getBuffer(op, cast.getSource());
    auto type = dyn_cast<MemRefType>(cast.getType());
    if (!source)
      return failure();
    if (!type || source->space != MemorySpace::Global)
      // untested: casts of tiles are folded.
      return op->emitOpError("expected a global buffer of known rank on a GPU");
    Buffer buffer = *source;
    buffer.argument.reset();
    buffer.shape = llvm::to_vector(type.getShape());
    l.setBuffer(cast.getResult(), buffer);
    return success();
  }
};

OpFoldResult multiply(OpBuilder &b, Location loc, OpFoldResult lhs,
                      OpFoldResult rhs) {
  return getAsOpFoldResult(b.createOrFold<arith::MulIOp>(
      loc, getValueOrCreateConstantIndexOp(b, loc, lhs),
      getValueOrCreateConstantIndexOp(b, loc, rhs)));
}

/// The elements of a row-major buffer in other dimensions.
LogicalResult reshapeBuffer(Operation *op, KernelLowering &l, Value view,
                            Value of, ArrayRef<OpFoldResult> sizes) {
  const Buffer *source = l.getBuffer(op, of);
  if (!source)
    return failure();
  if (source->space != MemorySpace::Global ||
      !cast<MemRefType>(of.getType()).getLayout().isIdentity())
    return op->emitOpError("expected a row-major global buffer on a GPU, got ")
           << of.getType() << "; take the part of the view instead";
  OpBuilder &b = l.builder();
  Location loc = op->getLoc();
  Buffer buffer = *source;
  buffer.argument.reset();
  buffer.shape = llvm::to_vector(cast<MemRefType>(view.getType()).getShape());
  buffer.sizes.assign(sizes.begin(), sizes.end());
  buffer.strides.assign(sizes.size(), b.getIndexAttr(1));
  for (size_t dim = sizes.size(); dim-- > 1;)
    buffer.strides[dim - 1] =
        multiply(b, loc, buffer.strides[dim], sizes[dim]);
  l.setBuffer(view, buffer);
  return success();
}

struct CollapseModel
    : SIMTLoweringOpInterface::ExternalModel<CollapseModel,
                                             memref::CollapseShapeOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto collapse = cast<memref::CollapseShapeOp>(op);
    const Buffer *source = l.getBuffer(op, collapse.getSrc());
    if (!source)
      return failure();
    OpBuilder &b = l.builder();
    SmallVector<OpFoldResult> sizes;
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      sizes.push_back(b.getIndexAttr(1));
      for (int64_t dim : group)
        sizes.back() =
            multiply(b, op->getLoc(), sizes.back(), source->sizes[dim]);
    }
    return reshapeBuffer(op, l, collapse.getResult(), collapse.getSrc(), sizes);
  }
};

struct ExpandModel
    : SIMTLoweringOpInterface::ExternalModel<ExpandModel,
                                             memref::ExpandShapeOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto expand = cast<memref::ExpandShapeOp>(op);
    return reshapeBuffer(op, l, expand.getResult(), expand.getSrc(),
                         expand.getMixedOutputShape());
  }
};
} // namespace

void simt::attachViewModels(MLIRContext *context) {
  memref::ExtractStridedMetadataOp::attachInterface<StridedMetadataModel>(
      *context);
  memref::ReinterpretCastOp::attachInterface<ReinterpretCastModel>(*context);
  memref::CastOp::attachInterface<MemRefCastModel>(*context);
  memref::CollapseShapeOp::attachInterface<CollapseModel>(*context);
  memref::ExpandShapeOp::attachInterface<ExpandModel>(*context);
}
