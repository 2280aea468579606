//===- CrossCoreTransfer.cpp - cross-core transfers -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The cores of a block exchange tiles through GM, or directly where the chip
// has the path. Each exchange has two flags: "full" from the core that writes,
// "free" from the one that has read. The reader sets "free" once before
// anything, and the writer waits for the last one at the end.
//
//===----------------------------------------------------------------------===//

#include "CrossCoreTransfer.h"
#include "GlobalTransfer.h"

#include "Tile/Dialect/Ascend/IR/VectorCores.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
namespace target = ::tile::target;
using tl::MemorySpace;

namespace {
/// One exchange: its flags, and the pipes that write and read.
class CrossCoreTransfer {
public:
  CrossCoreTransfer(OpBuilder &b, Operation *op, Value target, Value source,
                    bool halves);
  LogicalResult run(Value first);

private:
  LogicalResult verify() const;
  /// A matrix of one row or column is a line in UB.
  bool isLine() const { return (fromCube ? to : from).getRank() == 1; }
  bool canLand() const;
  Operation *findLastLoad() const;
  void createThroughGlobal(Value first);
  void createLanding();
  void createLoadedByCube(Operation *last);
  void createCredit();

  int64_t full() const { return 2 * number; }
  int64_t free() const { return 2 * number + 1; }
  Core writer() const { return fromCube ? Core::Cube : Core::Vector; }
  Core reader() const { return fromCube ? Core::Vector : Core::Cube; }
  void mark(Operation *op, Core core) {
    op->setAttr(AscendDialect::kCoreAttr, CoreAttr::get(b.getContext(), core));
    op->setAttr(AscendDialect::kCrossCoreTransferAttr,
                b.getI64IntegerAttr(number));
  }
  void set(Core core, Pipe pipe, int64_t id) {
    mark(CrossCoreSetFlagOp::create(b, loc, pipe, id), core);
  }
  void wait(Core core, Pipe pipe, int64_t id) {
    auto held = spec.crossWaitOnePipe ? PipeAttr::get(b.getContext(), pipe)
                                      : PipeAttr();
    mark(CrossCoreWaitFlagOp::create(b, loc, b.getI64IntegerAttr(id), held),
         core);
  }

  OpBuilder &b;
  Operation *op;
  Location loc;
  tl::KernelOp kernel;
  const target::AscendSpec &spec;
  Value target, source;
  MemRefType to, from;
  bool fromCube, halves;
  int64_t number = 0;
  Pipe writing, reading;
};
} // namespace

/// A buffer in GM with a tile for each block; the tile of this block.
static Value createWorkspace(OpBuilder &b, tl::KernelOp kernel, Location loc,
                             int64_t number, ArrayRef<int64_t> shape,
                             Type element) {
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
    buffer.getDefiningOp()->setAttr(AscendDialect::kCrossCoreTransferAttr,
                                    b.getI64IntegerAttr(number));
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
  if (getNumVectorCores(b.getInsertionBlock()->getParentOp()) == 1)
    return build();
  Value sub = SubBlockOp::create(b, loc, b.getIndexType());
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sub,
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

/// A matrix of one row or column of a workspace as a line.
static Value getLine(OpBuilder &b, Location loc, Value part) {
  auto type = cast<MemRefType>(part.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets(2, zero), strides(2, one);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), type.getShape());
  auto line = memref::SubViewOp::inferRankReducedResultType(
      {type.getNumElements()}, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(line), part,
                                   offsets, sizes, strides);
}

CrossCoreTransfer::CrossCoreTransfer(OpBuilder &b, Operation *op, Value target,
                                     Value source, bool halves)
    : b(b), op(op), loc(op->getLoc()),
      kernel(op->getParentOfType<tl::KernelOp>()), spec(getSpec(op)),
      target(target), source(source), to(cast<MemRefType>(target.getType())),
      from(cast<MemRefType>(source.getType())),
      fromCube(tl::getMemorySpace(from) == MemorySpace::L0C), halves(halves),
      writing(fromCube ? Pipe::FIX : Pipe::MTE3), reading(Pipe::MTE2) {
  kernel.walk([&](Operation *other) {
    if (auto transfer = other->getAttrOfType<IntegerAttr>(
            AscendDialect::kCrossCoreTransferAttr))
      number = std::max(number, transfer.getInt() + 1);
  });
}

LogicalResult CrossCoreTransfer::verify() const {
  if (2 * (number + 1) > spec.crossFlagIds)
    return op->emitError() << "expected at most " << spec.crossFlagIds / 2
                           << " tiles to go from core to core";
  auto [cube, vector] = fromCube ? std::pair(from, to) : std::pair(to, from);
  bool isSame =
      isLine() ? cube.getNumElements() ==
                     vector.getNumElements() *
                         (halves ? getNumVectorCores(kernel) : 1)
               : vector.getRank() == 2 &&
                     cube.getDimSize(1) == vector.getDimSize(1) &&
                     (halves || cube.getDimSize(0) == vector.getDimSize(0));
  if (!isSame)
    return op->emitError() << "expected both sides of a tile that goes from "
                              "core to core to have the same extents, got "
                           << tl::formatShape(from.getShape()) << " and "
                           << tl::formatShape(to.getShape());
  if (!fromCube && from.getElementType() != to.getElementType())
    return op->emitError() << "expected elements of type "
                           << to.getElementType() << " for 'l1', got "
                           << from.getElementType();
  return success();
}

//===----------------------------------------------------------------------===//
// The ways
//===----------------------------------------------------------------------===//

void CrossCoreTransfer::createThroughGlobal(Value first) {
  Value space = createWorkspace(
      b, kernel, loc, number, fromCube ? from.getShape() : to.getShape(),
      fromCube ? to.getElementType() : from.getElementType());
  Value part = space; // of a vector core
  if (first)
    part = getHalf(b, loc, space, first,
                   fromCube ? to.getDimSize(0) : from.getDimSize(0));
  if (isLine())
    part = getLine(b, loc, part);
  wait(writer(), writing, free());
  auto store = [&] {
    CopyUbToGmOp::create(b, loc, part, source, /*atomic=*/false,
                         /*checked=*/false, ReduceKindAttr());
  };
  if (fromCube)
    FixpipeOp::create(b, loc, space, source);
  else if (first)
    store();
  else
    createOnce(b, loc, store);
  set(writer(), writing, full());
  wait(reader(), reading, full());
  if (fromCube) {
    CopyGmToUbOp::create(b, loc, target, part, Value());
  } else {
    if (hasOpenRows(op, to))
      FillL1Op::create(b, loc, target,
                       arith::ConstantOp::create(
                           b, loc, b.getZeroAttr(to.getElementType())));
    CopyGmToL1Op::create(b, loc, target, space);
  }
  set(reader(), reading, free());
}

/// Whether rows are whole blocks, as Fixpipe to UB and copies to L1 need them.
static bool hasWholeBlocks(MemRefType type, const target::AscendSpec &spec) {
  return type.getDimSize(1) * type.getElementTypeBitWidth() %
             (8 * spec.blockBytes) ==
         0;
}

bool CrossCoreTransfer::canLand() const {
  return fromCube && !isLine() &&
         hasPath(op, MemorySpace::L0C, MemorySpace::UB) &&
         hasWholeBlocks(to, spec);
}

/// L0C to a tile of UB that nothing else touches. A wait holds one pipe: the
/// vector unit takes the tile over and says that it is free, and what uses it
/// then waits for the vector unit.
void CrossCoreTransfer::createLanding() {
  reading = Pipe::V;
  Value landing;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    auto type = MemRefType::get(
        to.getShape(), to.getElementType(), AffineMap(),
        tl::MemorySpaceAttr::get(b.getContext(), MemorySpace::UB));
    landing =
        tl::AllocOp::create(b, loc, type, tl::LayoutAttr(), IntegerAttr());
  }
  wait(writer(), writing, free());
  FixpipeOp::create(b, loc, landing, source, /*relu=*/false, /*atomic=*/false,
                    halves);
  set(writer(), writing, full());
  wait(reader(), reading, full());
  CopyUbOp::create(b, loc, target, landing);
  set(reader(), reading, free());
}

/// The last op of the block behind the transfer that has a gemm of the tile in
/// L1, if only gemms in this block access it.
Operation *CrossCoreTransfer::findLastLoad() const {
  if (fromCube || isLine() || !hasPath(op, MemorySpace::UB, MemorySpace::L1) ||
      !hasWholeBlocks(from, spec) || hasOpenRows(op, to) ||
      from.getDimSize(0) > spec.maxBlockCount ||
      !target.getDefiningOp<tl::AllocOp>())
    return nullptr;
  Operation *last = nullptr;
  for (Operation *user : target.getUsers()) {
    if (user == op)
      continue;
    Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
    if (!isa<tl::GemmOp>(user) || !at || at->isBeforeInBlock(op))
      return nullptr;
    if (!last || last->isBeforeInBlock(at))
      last = at;
  }
  return last;
}

/// UB to L1, from where gemms load it. Behind them it is free.
void CrossCoreTransfer::createLoadedByCube(Operation *last) {
  reading = Pipe::MTE1;
  wait(writer(), writing, free());
  if (halves)
    CopyUbToL1Op::create(b, loc, target, source, /*halves=*/true);
  else
    createOnce(b, loc, [&] {
      CopyUbToL1Op::create(b, loc, target, source,
                           /*halves=*/false);
    });
  set(writer(), writing, full());
  wait(reader(), reading, full());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(last);
  set(reader(), reading, free());
}

void CrossCoreTransfer::createCredit() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  set(reader(), reading, free());
  b.setInsertionPointToEnd(&kernel.getBody().front());
  wait(writer(), writing, free());
}

static void remarkWay(Operation *op, StringRef way) {
  remark::passed(op->getLoc(), remark::RemarkOpts::name("CrossCoreTransfer")
                                   .category("convert-tile-to-ascend"))
      << remark::metric("way", way);
}

LogicalResult CrossCoreTransfer::run(Value first) {
  if (failed(verify()))
    return failure();
  Operation *last = findLastLoad();
  if (canLand())
    createLanding();
  else if (last)
    createLoadedByCube(last);
  else
    createThroughGlobal(first);
  remarkWay(op, canLand() || last ? "direct" : "global");
  createCredit();
  return success();
}

LogicalResult mlir::tile::ascend::createCrossCoreTransfer(
    OpBuilder &b, Operation *op, Value target, Value source, Value first) {
  return CrossCoreTransfer(b, op, target, source, /*halves=*/first != Value())
      .run(first);
}
