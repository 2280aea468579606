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

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Threads of a block that pads, and rows that it has of a vector for each.
static constexpr int64_t kThreads = 128, kRows = 4;

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

bool mlir::tile::canPad(CopyOp copy, KernelOp kernel) {
  auto loop = dyn_cast<PipelinedOp>(copy->getParentOp());
  auto argument = dyn_cast<BlockArgument>(copy.getSource());
  if (!loop || loop.getStages() < 2 || copy.getPrefer() || !argument ||
      argument.getOwner() != kernel->getBlock())
    return false;
  auto type = cast<MemRefType>(argument.getType());
  int64_t rank = type.getRank();
  Type element = type.getElementType();
  bool isOperand = llvm::any_of(copy.getTarget().getUsers(),
                                llvm::IsaPred<GemmOp>);
  return isOperand && getMemorySpace(copy.getTarget()) == MemorySpace::Shared &&
         rank >= 2 && rank <= 3 && type.getLayout().isIdentity() &&
         type.isDynamicDim(rank - 1) && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() % 8 == 0 && isRead(argument, kernel) &&
         isShared(copy, kernel);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Of each dimension what the tiles that the kernel copies are multiples of.
static SmallVector<int64_t> getTile(BlockArgument argument, KernelOp kernel,
                                    int64_t vector) {
  SmallVector<int64_t> tile(cast<MemRefType>(argument.getType()).getRank(), 1);
  tile.back() = vector;
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

/// The blocks that copy an argument, in all and along each dimension.
struct OperandPadding::Blocks {
  SmallVector<int64_t> tile;
  SmallVector<Value> along;
  Value all;
};

OperandPadding::Blocks OperandPadding::countBlocks(OpBuilder &b,
                                                   BlockArgument argument,
                                                   Value workspace) {
  Location loc = argument.getLoc();
  int64_t rank = cast<MemRefType>(argument.getType()).getRank();
  Blocks blocks;
  blocks.tile.assign(rank, 1);
  blocks.tile[rank - 1] =
      kThreads * 8 * gpu.vectorBytes / getElementBits(argument);
  blocks.tile[rank - 2] = kRows;
  for (auto [dim, extent] : llvm::enumerate(blocks.tile)) {
    Value along = getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(
            b, loc, b.getAffineDimExpr(0).ceilDiv(extent),
            {memref::getMixedSize(b, loc, workspace, dim)}));
    blocks.along.push_back(along);
    blocks.all = blocks.all ? arith::MulIOp::create(b, loc, blocks.all, along)
                                  .getResult()
                            : along;
  }
  return blocks;
}

/// Copies the tile of a number, which is below that of the blocks; what lies
/// outside of the argument is zero.
static void createCopies(OpBuilder &b, BlockArgument argument, Value workspace,
                         ArrayRef<int64_t> tile, ArrayRef<Value> along,
                         Value part, Value number) {
  Location loc = argument.getLoc();
  int64_t rank = tile.size();
  // Neighbours go along a row.
  SmallVector<Value> ids(rank);
  for (int64_t dim = rank; dim-- > 0;) {
    ids[dim] = dim == 0 ? number
                        : arith::RemUIOp::create(b, loc, number, along[dim])
                              .getResult();
    if (dim != 0)
      number = arith::DivUIOp::create(b, loc, number, along[dim]);
  }
  SmallVector<AffineExpr> begin;
  for (auto [dim, extent] : llvm::enumerate(tile))
    begin.push_back(b.getAffineDimExpr(dim) * extent);
  auto map = AffineMapAttr::get(AffineMap::get(rank, 0, begin, b.getContext()));
  auto sizes = b.getDenseI64ArrayAttr(tile);
  CopyOp::create(b, loc, argument, ids, part, ValueRange(), map, sizes,
                 AffineMapAttr(), DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
  CopyOp::create(b, loc, part, ValueRange(), workspace, ids, AffineMapAttr(),
                 DenseI64ArrayAttr(), map, sizes, /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
}

/// The first blocks have the first argument, and so on.
void OperandPadding::createBody(KernelOp kernel,
                                ArrayRef<BlockArgument> arguments,
                                ArrayRef<Blocks> blocks) {
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  SmallVector<Value> parts;
  for (auto [argument, own] : llvm::zip(arguments, blocks)) {
    auto type = MemRefType::get(
        ArrayRef(own.tile).take_back(2),
        cast<MemRefType>(argument.getType()).getElementType(), AffineMap(),
        MemorySpaceAttr::get(b.getContext(), MemorySpace::Fragment));
    parts.push_back(AllocOp::create(b, argument.getLoc(), type, LayoutAttr(),
                                    IntegerAttr())
                        .getBuffer());
  }
  Value number = kernel.getBody().getArgument(0);
  for (size_t i = 0; i < arguments.size(); ++i) {
    Location loc = arguments[i].getLoc();
    const Blocks &own = blocks[i];
    OpBuilder inner = b;
    Value rest;
    if (i + 1 < arguments.size()) {
      rest = arith::SubIOp::create(b, loc, number, own.all);
      Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          number, own.all);
      auto branch =
          scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/true);
      inner = branch.getThenBodyBuilder();
      b = branch.getElseBodyBuilder();
    }
    createCopies(inner, arguments[i], workspaces[arguments[i]], own.tile,
                 own.along, parts[i], number);
    number = rest;
  }
}

Value OperandPadding::getWorkspace(BlockArgument argument, KernelOp version) {
  Value &workspace = workspaces[argument];
  if (workspace)
    return workspace;
  OpBuilder b(first);
  int64_t vector = 8 * gpu.vectorBytes / getElementBits(argument);
  return workspace = allocate(b, argument, getTile(argument, version, vector));
}

void OperandPadding::pad(KernelOp version, ArrayRef<BlockArgument> arguments) {
  versions.push_back({version.getFactsAttr(), llvm::to_vector(arguments)});
  for (BlockArgument argument : arguments) {
    Value workspace = getWorkspace(argument, version);
    version.walk([&](CopyOp copy) {
      if (copy.getSource() == argument && canPad(copy, version))
        copy.getSourceMutable().assign(workspace);
    });
  }
}

/// A kernel with the facts that copies these arguments.
void OperandPadding::addForm(OpBuilder &b, ArrayAttr facts,
                             ArrayRef<BlockArgument> arguments) {
  Location loc = first.getLoc();
  SmallVector<Blocks> blocks;
  Value all;
  for (BlockArgument argument : arguments) {
    blocks.push_back(countBlocks(b, argument, workspaces[argument]));
    all = all ? arith::AddIOp::create(b, loc, all, blocks.back().all)
                    .getResult()
              : blocks.back().all;
  }
  auto kernel = KernelOp::create(
      b, loc, all ? ValueRange(all) : ValueRange(),
      all ? ShapedType::kDynamic : int64_t(0), kThreads, DenseI64ArrayAttr(),
      IntegerAttr(), /*persistent_grid=*/false, facts);
  kernel->setAttr(kPadsAttrName, b.getUnitAttr());
  kernel.getBody().emplaceBlock().addArgument(b.getIndexType(), loc);
  createBody(kernel, arguments, blocks);
}

void OperandPadding::addKernel() {
  OpBuilder b(first);
  addForm(b, fast, {});
  for (const auto &[facts, arguments] : versions)
    addForm(b, facts, arguments);
  addForm(b, b.getArrayAttr({}), {});
}
