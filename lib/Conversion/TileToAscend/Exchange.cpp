//===- Exchange.cpp - tiles that go from core to core ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The cores of a block exchange tiles through GM. Each exchange has a buffer
// there and two flags: "full" from the core that writes, "free" from the one
// that has read. The reader says "free" once before anything, and the writer
// hears the last one at the end.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Lowering.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

namespace {
/// The flags of one exchange.
struct Ring {
  OpBuilder &b;
  Location loc;
  int64_t number;
  Core writer;

  int64_t full() const { return 2 * number; }
  int64_t free() const { return 2 * number + 1; }
  Core reader() const {
    return writer == Core::Cube ? Core::Vector : Core::Cube;
  }
  void mark(Operation *op, Core core) {
    op->setAttr(AscendDialect::kCoreAttr, CoreAttr::get(b.getContext(), core));
    op->setAttr(AscendDialect::kRingAttr, b.getI64IntegerAttr(number));
  }
  void set(Core core, Pipe pipe, int64_t id) {
    mark(CrossSetOp::create(b, loc, pipe, id), core);
  }
  void wait(Core core, int64_t id) {
    mark(CrossWaitOp::create(b, loc, id), core);
  }
};
} // namespace

/// A buffer in GM with a tile for each block; the tile of this block.
static Value createWorkspace(OpBuilder &b, tl::KernelOp kernel, Location loc,
                             ArrayRef<int64_t> shape, Type element) {
  SmallVector<Value> grid;
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    grid = getValueOrCreateConstantIndexOp(b, loc, kernel.getMixedGrid());
    // A negative extent has no blocks.
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), blocks;
    for (Value extent : grid) {
      Value count = arith::MaxSIOp::create(b, loc, extent, zero);
      blocks = blocks ? arith::MulIOp::create(b, loc, blocks, count).getResult()
                      : count;
    }
    SmallVector<int64_t> whole{ShapedType::kDynamic};
    llvm::append_range(whole, shape);
    buffer = memref::AllocOp::create(b, loc, MemRefType::get(whole, element),
                                     blocks);
    b.setInsertionPointAfter(kernel);
    memref::DeallocOp::create(b, loc, buffer);
  }
  Value block = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [arg, extent] :
       llvm::reverse(llvm::zip(kernel.getBody().getArguments(), grid)))
    block = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, block, extent), arg);
  SmallVector<OpFoldResult> offsets(shape.size() + 1, b.getIndexAttr(0)),
      sizes(shape.size() + 1, b.getIndexAttr(1)),
      strides(shape.size() + 1, b.getIndexAttr(1));
  offsets[0] = block;
  for (auto [i, extent] : llvm::enumerate(shape))
    sizes[i + 1] = b.getIndexAttr(extent);
  auto type = memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(type), buffer,
                                   offsets, sizes, strides);
}

void mlir::tile::ascend::createOnce(OpBuilder &b, Location loc,
                                    llvm::function_ref<void()> build) {
  Value sub = SubBlockOp::create(b, loc, b.getIndexType());
  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, sub,
      arith::ConstantIndexOp::create(b, loc, 0));
  auto guard = scf::IfOp::create(b, loc, isFirst);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPoint(guard.thenYield());
  build();
}

/// The rows of a workspace that begin at `first`.
static Value getHalf(OpBuilder &b, Location loc, Value space, Value first,
                     int64_t rows) {
  auto type = cast<MemRefType>(space.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return memref::SubViewOp::create(
      b, loc, space, {first, zero},
      {b.getIndexAttr(rows), b.getIndexAttr(type.getDimSize(1))}, {one, one});
}

LogicalResult mlir::tile::ascend::createExchange(OpBuilder &b, Operation *op,
                                                 Value target, Value source,
                                                 Value first) {
  Location loc = op->getLoc();
  auto kernel = op->getParentOfType<tl::KernelOp>();
  const target::AscendSpec &spec = getSpec(op);
  int64_t next = 0;
  kernel.walk([&](Operation *other) {
    if (auto ring = other->getAttrOfType<IntegerAttr>(AscendDialect::kRingAttr))
      next = std::max(next, ring.getInt() + 1);
  });
  auto from = cast<MemRefType>(source.getType()),
       to = cast<MemRefType>(target.getType());
  bool fromCube = tl::getMemorySpace(from) == MemorySpace::L0C;
  if (spec.crossWaitOnePipe)
    return op->emitError() << "kernels of both cores are not lowered for "
                           << getChip(op)->name;
  if (2 * (next + 1) > spec.crossUserFlagIds)
    return op->emitError() << "expected at most "
                           << spec.crossUserFlagIds / 2
                           << " tiles to go from core to core";
  if (from.getRank() != 2 || to.getRank() != 2 ||
      from.getDimSize(1) != to.getDimSize(1) ||
      (!first && from.getDimSize(0) != to.getDimSize(0)))
    return op->emitError() << "a tile that goes from core to core has two "
                              "dimensions above 1, got "
                           << tl::formatShape(from.getShape());
  Ring ring{b, loc, next, fromCube ? Core::Cube : Core::Vector};
  if (!fromCube && from.getElementType() != to.getElementType())
    return op->emitError() << "expected elements of type "
                           << to.getElementType() << " for 'l1', got "
                           << from.getElementType();
  Value space = createWorkspace(
      b, kernel, loc, fromCube ? from.getShape() : to.getShape(),
      fromCube ? to.getElementType() : from.getElementType());
  Value part = space; // of a vector core
  if (first)
    part = getHalf(b, loc, space, first,
                   fromCube ? to.getDimSize(0) : from.getDimSize(0));
  ring.wait(ring.writer, ring.free());
  if (fromCube)
    FixpipeOp::create(b, loc, space, source);
  else if (first)
    CopyUbToGmOp::create(b, loc, part, source);
  else
    createOnce(b, loc, [&] { CopyUbToGmOp::create(b, loc, space, source); });
  ring.set(ring.writer, fromCube ? Pipe::FIX : Pipe::MTE3, ring.full());
  ring.wait(ring.reader(), ring.full());
  if (fromCube) {
    CopyGmToUbOp::create(b, loc, target, part, Value());
  } else {
    if (hasOpenRows(op, to))
      FillL1Op::create(b, loc, target,
                       arith::ConstantOp::create(
                           b, loc, b.getZeroAttr(to.getElementType())));
    CopyGmToL1Op::create(b, loc, target, space);
  }
  ring.set(ring.reader(), Pipe::MTE2, ring.free());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  ring.set(ring.reader(), Pipe::MTE2, ring.free());
  b.setInsertionPointToEnd(&kernel.getBody().front());
  ring.wait(ring.writer, ring.free());
  return success();
}
