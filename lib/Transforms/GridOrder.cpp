//===- GridOrder.cpp - the order in which blocks start --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridOrder.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

RasterizeOp mlir::tile::findRasterize(KernelOp kernel) {
  auto hints = kernel.getBody().getOps<RasterizeOp>();
  return hints.empty() ? RasterizeOp() : *hints.begin();
}

std::optional<int64_t> mlir::tile::countBlocks(KernelOp kernel) {
  int64_t blocks = 1;
  for (int64_t extent : kernel.getStaticGrid()) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    blocks *= extent;
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// The time that blocks take
//===----------------------------------------------------------------------===//

/// The dynamic bounds of the kernel's pipelined loops. What is the end of one
/// loop and the beginning of another is in neither list.
static std::pair<SmallVector<Value>, SmallVector<Value>>
collectBounds(KernelOp kernel) {
  SmallVector<Value> lower, upper;
  kernel.walk([&](PipelinedOp loop) {
    SmallVector<OpFoldResult> bounds = loop.getMixedBounds();
    if (auto value = dyn_cast<Value>(bounds[0]))
      lower.push_back(value);
    if (auto value = dyn_cast<Value>(bounds[1]))
      upper.push_back(value);
  });
  for (Value value : SmallVector<Value>(lower))
    if (auto *same = llvm::find(upper, value); same != upper.end()) {
      upper.erase(same);
      lower.erase(llvm::find(lower, value));
    }
  return {lower, upper};
}

/// How the trips of all pipelined loops together change along a dimension.
static Trend getTimeTrend(KernelOp kernel, unsigned dim) {
  Value coordinate = kernel.getBody().getArgument(dim);
  auto [lower, upper] = collectBounds(kernel);
  Trend trend = Trend::Constant;
  for (Value bound : lower)
    trend = combine(trend, negate(getTrend(bound, coordinate)));
  for (Value bound : upper)
    trend = combine(trend, getTrend(bound, coordinate));
  return trend;
}

/// Whether a value of the kernel is computed from memory.
static bool isLoaded(Value value, KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (!op || !kernel->isProperAncestor(op))
    return false;
  return isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isLoaded(operand, kernel); });
}

std::string mlir::tile::findUnequalTime(KernelOp kernel) {
  for (unsigned dim = 0, e = kernel.getStaticGrid().size(); dim < e; ++dim) {
    Trend trend = getTimeTrend(kernel, dim);
    if (trend == Trend::Growing || trend == Trend::Shrinking)
      return "its loops take more iterations in some blocks than in others";
  }
  WalkResult result = kernel.walk([&](PipelinedOp loop) {
    bool loaded = llvm::any_of(loop.getDynamicBounds(), [&](Value bound) {
      return isLoaded(bound, kernel);
    });
    return loaded ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? "the iterations of its loops depend on data"
                                 : "";
}

//===----------------------------------------------------------------------===//
// Longest first
//===----------------------------------------------------------------------===//

/// Bytes of the tensors that blocks along `dim` read in common; none if they
/// are dynamic.
static std::optional<int64_t> getCommonBytes(KernelOp kernel, unsigned dim) {
  Value coordinate = kernel.getBody().getArgument(dim);
  llvm::SmallSetVector<Value, 4> common;
  kernel.walk([&](CopyOp copy) {
    bool isCommon = llvm::all_of(copy.getSourceIndices(), [&](Value index) {
      return getTrend(index, coordinate) == Trend::Constant;
    });
    if (isCommon && copy->getParentOfType<PipelinedOp>() &&
        getMemorySpace(copy.getSource()) == MemorySpace::Global)
      common.insert(getBaseBuffer(copy.getSource()));
  });
  int64_t bits = 0;
  for (Value buffer : common) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.hasStaticShape())
      return std::nullopt;
    bits += type.getNumElements() * getElementBits(buffer);
  }
  return bits / 8;
}

/// How many blocks next to each other in the other dimension of the plane run
/// together: what they read fits into half of the L2 cache, and all groups have
/// about the same size.
static int64_t getGroup(KernelOp kernel, unsigned dim,
                        const ::tile::target::Target &target) {
  constexpr int64_t kDefaultGroup = 16;
  ArrayRef<int64_t> grid = kernel.getStaticGrid();
  std::optional<int64_t> blocks = countBlocks(kernel);
  std::optional<int64_t> bytes = getCommonBytes(kernel, dim);
  if (!blocks || *blocks == 0 || !bytes)
    return kDefaultGroup;
  int64_t others = grid[1 - dim];
  int64_t bytesOfOne = std::max<int64_t>(*bytes * grid[dim] / *blocks, 1);
  int64_t most = std::clamp<int64_t>(
      target.getGPU()->defaultL2Bytes / 2 / bytesOfOne, 1, others);
  return llvm::divideCeil(others, llvm::divideCeil(others, most));
}

/// Counts a coordinate down instead of up.
static void reverse(KernelOp kernel, unsigned dim) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  Value coordinate = kernel.getBody().getArgument(dim);
  Value extent =
      getValueOrCreateConstantIndexOp(b, loc, kernel.getMixedGrid()[dim]);
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  auto reversed = affine::AffineApplyOp::create(
      b, loc, AffineMap::get(1, 1, s0 - 1 - d0), ValueRange{coordinate, extent});
  coordinate.replaceAllUsesExcept(reversed, reversed);
}

void mlir::tile::orderByTime(KernelOp kernel,
                             const ::tile::target::Target &target) {
  unsigned rank = kernel.getStaticGrid().size();
  for (unsigned dim = 0; dim < rank; ++dim) {
    Trend trend = getTimeTrend(kernel, dim);
    if (trend != Trend::Growing && trend != Trend::Shrinking)
      continue;
    if (rank > 1 && dim < 2 && !findRasterize(kernel)) {
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      RasterizeOp::create(b, kernel.getLoc(), getGroup(kernel, dim, target),
                          dim == 0 ? RasterOrder::Row : RasterOrder::Column);
    }
    if (trend == Trend::Growing)
      reverse(kernel, dim);
    remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("LongestFirst").category(kOrderCategory))
        << remark::metric("dimension", dim)
        << remark::metric("reversed", trend == Trend::Growing);
    return;
  }
}

//===----------------------------------------------------------------------===//
// Stores side by side
//===----------------------------------------------------------------------===//

/// Whether blocks along a coordinate touch other places along a dimension.
static bool isAlong(Value coordinate, const BufferRegion &region,
                    unsigned dim) {
  AffineMap offset = getOffset(region, dim);
  for (auto [number, operand] : llvm::enumerate(region.operands)) {
    bool isUsed = number < offset.getNumDims()
                      ? offset.isFunctionOfDim(number)
                      : offset.isFunctionOfSymbol(number - offset.getNumDims());
    if (isUsed && getTrend(operand, coordinate) != Trend::Constant)
      return true;
  }
  return false;
}

/// Whether the rows that a block writes are a fourth of what a warp writes at a
/// time, or longer. Shorter ones meet in the cache in any order.
static bool writesLongRows(Operation *op, const BufferRegion &region,
                           const ::tile::target::GPUSpec &gpu) {
  int64_t row = region.sizes.empty() ? 1 : region.sizes.back();
  if (auto loop = op->getParentOfType<ParallelOp>())
    row = loop.getStaticExtents().back();
  return ShapedType::isDynamic(row) ||
         row * getElementBits(region.buffer) >=
             8 * gpu.vectorBytes * gpu.warpSize / 4;
}

/// Whether blocks along y write rows side by side, and those along x never do.
/// Not of kernels with loops, which read for longer than they write.
static bool writesAlongY(KernelOp kernel,
                         const ::tile::target::GPUSpec &gpu) {
  Block &body = kernel.getBody().front();
  Value x = body.getArgument(0), y = body.getArgument(1);
  bool writes = false;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op) && !isa<ParallelOp>(op))
      return WalkResult::interrupt();
    SmallVector<Access> accesses;
    if (failed(collectAccesses(op, accesses)))
      return WalkResult::advance();
    for (const Access &access : accesses) {
      const BufferRegion &region = access.region;
      if (access.kind == AccessKind::Read ||
          getMemorySpace(region.buffer) != MemorySpace::Global)
        continue;
      int64_t last = region.getType().getRank() - 1;
      if (last < 0 || isAlong(x, region, last) || !isAlong(y, region, last) ||
          !writesLongRows(op, region, gpu))
        return WalkResult::interrupt();
      writes = true;
    }
    return WalkResult::advance();
  });
  return writes && !result.wasInterrupted();
}

void mlir::tile::orderByStores(KernelOp kernel,
                               const ::tile::target::Target &target) {
  if (kernel.getStaticGrid().size() < 2 || findRasterize(kernel) ||
      !writesAlongY(kernel, *target.getGPU()))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  RasterizeOp::create(b, kernel.getLoc(), /*group=*/1, RasterOrder::Column);
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("StoreOrder").category(kOrderCategory))
      << remark::reason("blocks along y write side by side");
}

//===----------------------------------------------------------------------===//
// The point of a block
//===----------------------------------------------------------------------===//

void mlir::tile::remapBlocks(KernelOp kernel, RasterizeOp hint) {
  Block &body = kernel.getBody().front();
  Location loc = hint.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  // Of a cluster, the blocks stay neighbours.
  auto getCluster = [&](unsigned dim) {
    std::optional<ArrayRef<int64_t>> cluster = kernel.getCluster();
    return cluster ? (*cluster)[dim] : 1;
  };
  auto divide = [&](Value value, unsigned dim) -> Value {
    if (getCluster(dim) == 1)
      return value;
    return arith::DivUIOp::create(
        b, loc, value,
        arith::ConstantIndexOp::create(b, loc, getCluster(dim)));
  };
  SmallVector<Value> grid;
  for (auto [dim, extent] : llvm::enumerate(kernel.getMixedGrid()))
    grid.push_back(
        divide(getValueOrCreateConstantIndexOp(b, loc, extent), dim));
  bool isColumn = hint.getOrder() == RasterOrder::Column;
  // Groups are of extents along `m`.
  unsigned m = isColumn ? 0 : 1, n = 1 - m;
  Value x = body.getArgument(0), y = body.getArgument(1);
  // Groups of one size, known here, leave the range of coordinates provable.
  int64_t group =
      std::max<int64_t>(1, int64_t(hint.getGroup()) / getCluster(m));
  int64_t extent = kernel.getStaticGrid()[m];
  bool isEven = group == 1;
  if (!ShapedType::isDynamic(extent)) {
    extent /= getCluster(m);
    group = std::clamp<int64_t>(extent, 1, group);
    isEven = extent % group == 0;
  }
  Value size = arith::ConstantIndexOp::create(b, loc, group);
  Value number = arith::AddIOp::create(
      b, loc, divide(x, 0),
      arith::MulIOp::create(b, loc, divide(y, 1), grid[0]));
  Value groupSize = arith::MulIOp::create(b, loc, size, grid[n]);
  Value groupIndex = arith::DivUIOp::create(b, loc, number, groupSize);
  Value inGroup = arith::RemUIOp::create(b, loc, number, groupSize);
  Value first = arith::MulIOp::create(b, loc, groupIndex, size);
  Value rows = size;
  if (!isEven)
    rows = arith::MinUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, grid[m], first), size);
  Value along = arith::AddIOp::create(
      b, loc, first, arith::RemUIOp::create(b, loc, inGroup, rows));
  Value across = arith::DivUIOp::create(b, loc, inGroup, rows);
  auto getPoint = [&](Value clusterAt, unsigned dim) -> Value {
    if (getCluster(dim) == 1)
      return clusterAt;
    Value extents = arith::ConstantIndexOp::create(b, loc, getCluster(dim));
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, clusterAt, extents),
        arith::RemUIOp::create(b, loc, body.getArgument(dim), extents));
  };
  along = getPoint(along, m);
  across = getPoint(across, n);
  Operation *last = &*std::prev(b.getInsertionPoint());
  auto isLater = [&](OpOperand &use) {
    Operation *owner = body.findAncestorOpInBlock(*use.getOwner());
    return last->isBeforeInBlock(owner);
  };
  body.getArgument(m).replaceUsesWithIf(along, isLater);
  body.getArgument(n).replaceUsesWithIf(across, isLater);
  remark::passed(loc, remark::RemarkOpts::name("Swizzle").category(kOrderCategory))
      << remark::metric("group", group);
  hint.erase();
}
