//===- PadOperands.cpp - operands whose rows begin anywhere ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a product read each row many times, and where rows are no multiple
// of a vector each time element by element. A kernel before it copies them once
// to whole tiles, with zeros behind what there is.
//
//===----------------------------------------------------------------------===//

#include "PadOperands.h"

#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Threads of a block that pads, and the rows of its tile, of which a warp has
/// one vector for each lane at a time.
static constexpr int64_t kThreads = 128, kRows = 16;

//===----------------------------------------------------------------------===//
// What is padded
//===----------------------------------------------------------------------===//

/// Whether several blocks copy the same.
static bool isShared(CopyOp copy, KernelOp kernel) {
  Block &body = kernel.getBody().front();
  return llvm::any_of(body.getArguments(), [&](BlockArgument id) {
    return kernel.getStaticGrid()[id.getArgNumber()] != 1 &&
           llvm::all_of(copy.getSourceIndices(), [&](Value index) {
             return getTrend(index, id) == Trend::Constant;
           });
  });
}

/// Whether the kernel does no more with the buffer than to read it, and what
/// lies outside reads as zeros.
static bool isRead(Value buffer, KernelOp kernel) {
  return !kernel
              .walk([&](Operation *op) {
                auto copy = dyn_cast<CopyOp>(op);
                bool reads = isa<memref::LoadOp, memref::DimOp>(op) ||
                             (copy && copy.getTarget() != buffer);
                return llvm::is_contained(op->getOperands(), buffer) && !reads
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

bool mlir::tile::isOperandOfGemm(CopyOp copy) {
  return llvm::any_of(copy.getTarget().getUsers(), llvm::IsaPred<GemmOp>);
}

bool mlir::tile::canPad(CopyOp copy, KernelOp kernel) {
  auto loop = dyn_cast<PipelinedOp>(copy->getParentOp());
  auto argument = dyn_cast<BlockArgument>(copy.getSource());
  if (!loop || loop.getStages() < 2 || copy.getPrefer() || !argument ||
      argument.getOwner() != kernel->getBlock())
    return false;
  auto type = cast<MemRefType>(argument.getType());
  int64_t rank = type.getRank();
  Type element = type.getElementType();
  // Codes and their scales become an operand in the loop.
  bool multiplies = !loop.getBody().getOps<GemmOp>().empty();
  return multiplies && getMemorySpace(copy.getTarget()) == MemorySpace::Shared &&
         rank >= 2 && rank <= 3 && type.getLayout().isIdentity() &&
         type.isDynamicDim(rank - 1) && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() % 8 == 0 && isRead(argument, kernel) &&
         isShared(copy, kernel);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Of each dimension what tiles are multiples of: those that the kernel copies,
/// and these.
static SmallVector<int64_t> getTile(BlockArgument argument, KernelOp kernel,
                                    ArrayRef<int64_t> least) {
  SmallVector<int64_t> tile(least);
  kernel.walk([&](CopyOp copy) {
    if (copy.getSource() == argument)
      for (auto [extent, size] :
           llvm::zip(tile, copy.getSourceRegion().sizes))
        extent = std::lcm(extent, size);
  });
  return tile;
}

/// A workspace for the argument, of whole tiles.
static Value allocate(OpBuilder &b, BlockArgument argument,
                      ArrayRef<int64_t> tile) {
  Location loc = argument.getLoc();
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<Value> extents;
  SmallVector<int64_t> shape;
  for (int64_t dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    AffineExpr whole = b.getAffineDimExpr(0).ceilDiv(tile[dim]) * tile[dim];
    if (!type.isDynamicDim(dim)) {
      shape.push_back(llvm::alignTo(type.getDimSize(dim), tile[dim]));
      continue;
    }
    shape.push_back(ShapedType::kDynamic);
    extents.push_back(affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 0, whole),
        memref::DimOp::create(b, loc, argument, dim).getResult()));
  }
  return AllocOp::create(b, loc, MemRefType::get(shape, type.getElementType()),
                         extents, LayoutAttr(), IntegerAttr())
      .getBuffer();
}

/// A number of 32 bits, as which blocks are counted: a division of 64 takes as
/// long as the copy of a tile.
static Value toI32(OpBuilder &b, Location loc, Value index) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
}

/// Where the tile lies that a block copies, out of the block's number.
static SmallVector<Value> getPlace(OpBuilder &b, Location loc, Value block,
                                   ArrayRef<Value> counts) {
  SmallVector<Value> place(counts.size());
  for (size_t dim = counts.size(); dim-- > 1;) {
    Value count = toI32(b, loc, counts[dim]);
    Value rest = arith::RemUIOp::create(b, loc, block, count);
    place[dim] = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), rest);
    block = arith::DivUIOp::create(b, loc, block, count);
  }
  place[0] = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), block);
  return place;
}

/// Copies a tile of the argument; what lies outside of it is zero.
static void createCopy(OpBuilder &b, const PaddedOperand &operand,
                       Value block) {
  Location loc = operand.argument.getLoc();
  ArrayRef<int64_t> tile = operand.tile;
  SmallVector<Value> place = getPlace(b, loc, block, operand.counts);
  SmallVector<AffineExpr> begin;
  for (auto [dim, extent] : llvm::enumerate(tile)) {
    begin.push_back(b.getAffineDimExpr(dim) * extent);
    // The remainder of a division is beyond the analysis of bounds.
    Value isInside = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sle,
        affine::AffineApplyOp::create(
            b, loc, AffineMap::get(1, 0, (b.getAffineDimExpr(0) + 1) * extent),
            place[dim]),
        memref::DimOp::create(b, loc, operand.workspace, dim));
    AssumeOp::create(b, loc, isInside);
  }
  auto map = AffineMapAttr::get(
      AffineMap::get(tile.size(), 0, begin, b.getContext()));
  auto sizes = b.getDenseI64ArrayAttr(tile);
  CopyOp::create(b, loc, operand.argument, place, operand.workspace, place, map,
                 sizes, map, sizes, /*is_unsigned=*/false, /*saturate=*/false,
                 InstructionAttr(), IntegerAttr(), TransferAttr(),
                 /*signal=*/Value());
}

/// Each block copies a tile of one of the operands.
static void createBody(OpBuilder &b, ArrayRef<const PaddedOperand *> operands,
                       Value block) {
  const PaddedOperand &operand = *operands.front();
  Location loc = operand.argument.getLoc();
  if (operands.size() == 1)
    return createCopy(b, operand, block);
  Value count = toI32(b, loc, operand.count);
  Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, block,
                                      count);
  auto branch = scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  createCopy(b, operand, block);
  b.setInsertionPointToStart(branch.elseBlock());
  createBody(b, operands.drop_front(),
             arith::SubIOp::create(b, loc, block, count));
}

PaddedOperand &OperandPadding::getOperand(BlockArgument argument,
                                          KernelOp version) {
  PaddedOperand &operand = operands[argument];
  if (operand.workspace)
    return operand;
  OpBuilder b(first);
  Location loc = argument.getLoc();
  int64_t rank = cast<MemRefType>(argument.getType()).getRank();
  int64_t vector = 8 * gpu.vectorBytes / getElementBits(argument);
  operand.argument = argument;
  operand.tile.assign(rank, 1);
  operand.tile[rank - 1] = gpu.warpSize * vector;
  operand.tile[rank - 2] = kRows;
  operand.workspace =
      allocate(b, argument, getTile(argument, version, operand.tile));
  for (auto [dim, extent] : llvm::enumerate(operand.tile)) {
    Value count = getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(
            b, loc, b.getAffineDimExpr(0).ceilDiv(extent),
            {memref::getMixedSize(b, loc, operand.workspace, dim)}));
    operand.counts.push_back(count);
    operand.count =
        dim ? arith::MulIOp::create(b, loc, operand.count, count) : count;
  }
  return operand;
}

void OperandPadding::pad(KernelOp version, ArrayRef<BlockArgument> arguments) {
  versions.push_back({version.getFactsAttr(), llvm::to_vector(arguments)});
  for (BlockArgument argument : arguments) {
    Value workspace = getOperand(argument, version).workspace;
    version.walk([&](CopyOp copy) {
      if (copy.getSource() == argument && canPad(copy, version))
        copy.getSourceMutable().assign(workspace);
    });
  }
}

void OperandPadding::addVersion(ArrayAttr facts,
                                ArrayRef<BlockArgument> arguments) {
  OpBuilder b(first);
  Location loc = first.getLoc();
  SmallVector<const PaddedOperand *> padded;
  SmallVector<int64_t> numbers;
  Value blocks;
  for (BlockArgument argument : arguments) {
    const PaddedOperand &operand = operands[argument];
    padded.push_back(&operand);
    numbers.push_back(argument.getArgNumber());
    blocks = blocks ? arith::AddIOp::create(b, loc, blocks, operand.count)
                    : operand.count;
  }
  int64_t grid = blocks ? ShapedType::kDynamic : 0;
  auto kernel = KernelOp::create(
      b, loc, blocks ? ValueRange(blocks) : ValueRange(), grid, kThreads,
      DenseI64ArrayAttr(), IntegerAttr(), /*persistent_grid=*/false, facts);
  kernel->setAttr(kPadsAttrName, b.getDenseI64ArrayAttr(numbers));
  Block *body = &kernel.getBody().emplaceBlock();
  Value block = body->addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(body);
  if (blocks)
    createBody(b, padded, toI32(b, loc, block));
}

void OperandPadding::addKernels() {
  addVersion(fast, {});
  for (const auto &[facts, arguments] : versions)
    addVersion(facts, arguments);
  addVersion(Builder(first.getContext()).getArrayAttr({}), {});
}
