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

/// The dimension of the buffer for each of the grid: there may be more rows than
/// a grid has blocks in all but its first dimension.
static SmallVector<int64_t> getGridOrder(int64_t rank) {
  SmallVector<int64_t> order{rank - 2, rank - 1};
  if (rank == 3)
    order.push_back(0);
  return order;
}

static KernelOp createKernel(OpBuilder &b, BlockArgument argument,
                             ArrayRef<OpFoldResult> grid, ArrayAttr facts) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> extents;
  dispatchIndexOpFoldResults(grid, dynamic, extents);
  Location loc = argument.getLoc();
  auto kernel = KernelOp::create(b, loc, dynamic, extents, kThreads,
                                 DenseI64ArrayAttr(), IntegerAttr(),
                                 /*persistent_grid=*/false, facts);
  kernel->setAttr(kPadsAttrName,
                  b.getI64IntegerAttr(argument.getArgNumber()));
  Block *body = &kernel.getBody().emplaceBlock();
  for (size_t dim = 0; dim < grid.size(); ++dim)
    body->addArgument(b.getIndexType(), loc);
  return kernel;
}

/// Copies a tile of the argument; what lies outside of it is zero.
static void createBody(KernelOp kernel, BlockArgument argument, Value padded,
                       ArrayRef<int64_t> tile) {
  Location loc = kernel.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  MLIRContext *context = b.getContext();
  int64_t rank = tile.size();
  auto type = MemRefType::get(
      tile.take_back(2), cast<MemRefType>(argument.getType()).getElementType(),
      AffineMap(), MemorySpaceAttr::get(context, MemorySpace::Fragment));
  Value part =
      AllocOp::create(b, loc, type, LayoutAttr(), IntegerAttr()).getBuffer();
  SmallVector<AffineExpr> begin(rank);
  for (auto [id, dim] : llvm::enumerate(getGridOrder(rank)))
    begin[dim] = getAffineDimExpr(id, context) * tile[dim];
  auto map = AffineMapAttr::get(AffineMap::get(rank, 0, begin, context));
  auto sizes = b.getDenseI64ArrayAttr(tile);
  ValueRange ids = kernel.getBody().front().getArguments();
  CopyOp::create(b, loc, argument, ids, part, ValueRange(), map, sizes,
                 AffineMapAttr(), DenseI64ArrayAttr(), /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
  CopyOp::create(b, loc, part, ValueRange(), padded, ids, AffineMapAttr(),
                 DenseI64ArrayAttr(), map, sizes, /*is_unsigned=*/false,
                 /*saturate=*/false, InstructionAttr(), IntegerAttr(),
                 TransferAttr(), /*signal=*/Value());
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

/// It copies where a version that reads the copy is launched, and only there.
void OperandPadding::addKernel(BlockArgument argument, Value workspace) {
  OpBuilder b(first);
  Location loc = argument.getLoc();
  int64_t rank = cast<MemRefType>(argument.getType()).getRank();
  SmallVector<int64_t> tile(rank, 1);
  tile[rank - 1] = kThreads * 8 * gpu.vectorBytes / getElementBits(argument);
  tile[rank - 2] = kRows;
  SmallVector<OpFoldResult> grid, none(rank, b.getIndexAttr(0));
  for (int64_t dim : getGridOrder(rank))
    grid.push_back(affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).ceilDiv(tile[dim]),
        {memref::getMixedSize(b, loc, workspace, dim)}));
  createKernel(b, argument, none, fast);
  for (const auto &[facts, arguments] : versions) {
    bool copies = llvm::is_contained(arguments, argument);
    KernelOp kernel = createKernel(b, argument, copies ? ArrayRef(grid) : none,
                                   facts);
    if (copies)
      createBody(kernel, argument, workspace, tile);
  }
  createKernel(b, argument, none, b.getArrayAttr({}));
}

void OperandPadding::addKernels() {
  for (auto [argument, workspace] : workspaces)
    addKernel(argument, workspace);
}
