//===- PrefetchBlocks.cpp - the next block's reads under this one's work --===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of blocks is that of LowerKernel: the first coordinate varies
// fastest, and a thread runs a range of them one after the other. The last
// block of a range fetches what another thread reads; that is a row too much in
// a range.
//
//===----------------------------------------------------------------------===//

#include "CPUTargetInfo.h"
#include "Tile/Analysis/Accesses.h"
#include "Tile/Conversion/TileToCPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_PREFETCHBLOCKSPASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// More than anything real; sums and small multiples of it are still numbers.
static constexpr int64_t kMany = int64_t(1) << 48;

static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? kMany : std::min(product, kMany);
}

namespace {

/// A region of global memory that a block reads in long rows.
struct LongRows {
  BufferRegion region;
  int64_t rowLines; // cache lines of a row
  int64_t lines;    // of all rows

  int64_t getElementBytes() const {
    return region.getType().getElementTypeBitWidth() / 8;
  }
};

/// How a loop is cut: dimensions before `dim` become loops around the pieces,
/// `dim` itself is cut into steps.
struct Split {
  unsigned dim;
  int64_t step, pieces;
};

/// Ops that compute something from the coordinates of a block.
struct Slice {
  llvm::SetVector<Operation *> ops;
  bool dependsOnBlock = false;
};

/// Works on one kernel.
class BlockPrefetcher {
public:
  BlockPrefetcher(KernelOp kernel, const cpu::CPUTargetInfo &cpuInfo)
      : kernel(kernel), cpuInfo(cpuInfo) {}
  void run();

private:
  LogicalResult addToSlice(Value value, Slice &slice);
  bool hasLongRows(const BufferRegion &region);
  void addRead(const BufferRegion &region);
  void collectReads();
  ParallelOp findLongestLoop();
  std::optional<Split> chooseSplit(ParallelOp loop, int64_t lines);
  void mapNextBlock(OpBuilder &b, Location loc, IRMapping &map);
  void miss(const std::string &reason);
  int64_t countLines();

  KernelOp kernel;
  const cpu::CPUTargetInfo &cpuInfo;
  SmallVector<LongRows> reads;
  llvm::SetVector<Operation *> slice; // computes where they are
};

} // namespace

//===----------------------------------------------------------------------===//
// What is fetched
//===----------------------------------------------------------------------===//

/// Adds what computes `value` within the kernel; fails if that is not pure.
LogicalResult BlockPrefetcher::addToSlice(Value value, Slice &slice) {
  if (!kernel.getBody().isAncestor(value.getParentRegion()))
    return success();
  Operation *def = value.getDefiningOp();
  if (!def) {
    slice.dependsOnBlock = true;
    return success();
  }
  if (slice.ops.contains(def))
    return success();
  if (!isPure(def) || def->getNumRegions() != 0)
    return failure();
  for (Value operand : def->getOperands())
    if (failed(addToSlice(operand, slice)))
      return failure();
  slice.ops.insert(def);
  return success();
}

/// Whether the region has contiguous rows of known extent that are worth it.
bool BlockPrefetcher::hasLongRows(const BufferRegion &region) {
  MemRefType type = region.getType();
  if (type.getRank() == 0 || !type.isLastDimUnitStride() ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      llvm::any_of(region.sizes, ShapedType::isDynamic))
    return false;
  int64_t width = type.getElementTypeBitWidth() / 8;
  return cpuInfo.lineBytes % width == 0 &&
         region.sizes.back() * width >= cpuInfo.rowBytes;
}

static bool isSameRegion(const BufferRegion &a, const BufferRegion &b) {
  return a.buffer == b.buffer && a.map == b.map && a.operands == b.operands &&
         a.sizes == b.sizes;
}

/// Adds the region if its rows are long and not those of every block.
void BlockPrefetcher::addRead(const BufferRegion &region) {
  auto isKnown = [&](const LongRows &rows) {
    return isSameRegion(rows.region, region);
  };
  if (!hasLongRows(region) || llvm::any_of(reads, isKnown))
    return;
  Slice places;
  LogicalResult pure = addToSlice(region.buffer, places);
  for (Value operand : region.operands)
    if (succeeded(pure))
      pure = addToSlice(operand, places);
  if (failed(pure))
    return miss("where the next block reads does not follow from its "
                "coordinates by pure ops");
  if (!places.dependsOnBlock)
    return;
  slice.insert_range(places.ops);
  LongRows rows{region, 0, 0};
  rows.rowLines = llvm::divideCeil(region.sizes.back() * rows.getElementBytes(),
                                   cpuInfo.lineBytes);
  rows.lines = rows.rowLines;
  for (int64_t size : ArrayRef(region.sizes).drop_back())
    rows.lines = multiply(rows.lines, size);
  reads.push_back(rows);
}

void BlockPrefetcher::collectReads() {
  for (Operation &op : kernel.getBody().getOps()) {
    SmallVector<Access> accesses;
    if (op.getNumRegions() != 0 || !isCollective(&op) ||
        failed(collectAccesses(&op, accesses)))
      continue;
    for (const Access &access : accesses)
      if (access.kind == AccessKind::Read &&
          getMemorySpace(access.region.buffer) == MemorySpace::Global)
        addRead(access.region);
  }
}

int64_t BlockPrefetcher::countLines() {
  int64_t lines = 0;
  for (const LongRows &rows : reads)
    lines += std::min(rows.lines, kMany);
  return lines;
}

//===----------------------------------------------------------------------===//
// The loop that hides it
//===----------------------------------------------------------------------===//

static int64_t countIterations(ParallelOp loop) {
  int64_t count = 1;
  for (int64_t extent : loop.getStaticExtents())
    count = multiply(count, extent);
  return count;
}

/// The loop with most to do; null if there is none of static extents.
ParallelOp BlockPrefetcher::findLongestLoop() {
  ParallelOp longest;
  int64_t most = 0;
  for (auto loop : kernel.getBody().getOps<ParallelOp>()) {
    if (!loop.getDynamicExtents().empty() || countIterations(loop) == kMany)
      continue;
    int64_t work = 0;
    loop.getBody().walk([&](Operation *) { ++work; });
    work = multiply(work, countIterations(loop));
    if (work > most) {
      most = work;
      longest = loop;
    }
  }
  return longest;
}

/// Pieces that leave `prefetchLines` to each, of whole vectors; none if too
/// many lines would remain for one.
std::optional<Split> BlockPrefetcher::chooseSplit(ParallelOp loop,
                                                  int64_t lines) {
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  int64_t wanted = llvm::divideCeil(lines, cpuInfo.prefetchLines);
  int64_t size =
      llvm::alignTo(std::max<int64_t>(countIterations(loop) / wanted, 1),
                    cpuInfo.vectorBytes);
  Split split{unsigned(extents.size() - 1), 0, 1};
  int64_t inner = 1;
  for (; split.dim > 0 && extents[split.dim] * inner < size; --split.dim)
    inner *= extents[split.dim];
  split.step = std::clamp<int64_t>(size / inner, 1, extents[split.dim]);
  split.pieces = llvm::divideCeil(extents[split.dim], split.step);
  for (int64_t extent : extents.take_front(split.dim))
    split.pieces *= extent;
  if (int64_t(llvm::divideCeil(lines, split.pieces)) > cpuInfo.maxPrefetchLines)
    return std::nullopt;
  return split;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Maps the coordinates of this block to those of the next one, one past the
/// grid for the last.
void BlockPrefetcher::mapNextBlock(OpBuilder &b, Location loc, IRMapping &map) {
  Value zero = constant(b, loc, 0), one = constant(b, loc, 1);
  Value carry = one;
  SmallVector<OpFoldResult> grid = kernel.getMixedGrid();
  for (auto [i, arg] : llvm::enumerate(kernel.getBody().getArguments())) {
    Value next = arith::AddIOp::create(b, loc, arg, carry);
    if (i + 1 < grid.size()) {
      Value extent = getValueOrCreateConstantIndexOp(b, loc, grid[i]);
      Value wraps =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, extent);
      next = arith::SelectOp::create(b, loc, wraps, zero, next);
      carry = arith::SelectOp::create(b, loc, wraps, one, zero);
    }
    map.map(arg, next);
  }
}

namespace {

/// Rows of the next block, ready for prefetches of single lines.
class RowPrefetcher {
public:
  /// `map` leads from values of this block to those of the next one.
  RowPrefetcher(OpBuilder &b, Location loc, const LongRows &rows,
                const IRMapping &map, const cpu::CPUTargetInfo &cpuInfo)
      : b(b), loc(loc), rows(rows), cpuInfo(cpuInfo) {
    const BufferRegion &region = rows.region;
    buffer = map.lookupOrDefault(region.buffer);
    SmallVector<Value> operands;
    for (Value operand : region.operands)
      operands.push_back(map.lookupOrDefault(operand));
    for (unsigned dim = 0, e = region.sizes.size(); dim < e; ++dim) {
      AffineMap offset = getOffset(region, dim);
      offsets.push_back(
          b.createOrFold<affine::AffineApplyOp>(loc, offset, operands));
      extents.push_back(isKnownInside(offset, dim)
                            ? Value()
                            : b.createOrFold<memref::DimOp>(loc, buffer, dim));
    }
  }

  /// Those lines that belong to piece number `piece`.
  void emit(Value piece, int64_t pieces) {
    int64_t share = llvm::divideCeil(rows.lines, pieces);
    Value first = arith::MulIOp::create(b, loc, piece, constant(b, loc, share));
    Value last = arith::AddIOp::create(b, loc, first, constant(b, loc, share));
    if (share * pieces != rows.lines)
      last = arith::MinSIOp::create(b, loc, last, constant(b, loc, rows.lines));
    auto loop = scf::ForOp::create(b, loc, first, last, constant(b, loc, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    emitLine(loop.getInductionVar());
  }

private:
  bool isKnownInside(AffineMap offset, unsigned dim) {
    int64_t extent = rows.region.getType().getDimSize(dim);
    auto first = dyn_cast<AffineConstantExpr>(offset.getResult(0));
    return first && first.getValue() >= 0 && !ShapedType::isDynamic(extent) &&
           first.getValue() + rows.region.sizes[dim] <= extent;
  }

  /// Where line number `line` begins, counted from the first element of the
  /// region.
  SmallVector<Value> getPosition(Value line) {
    ArrayRef<int64_t> sizes = rows.region.sizes;
    auto divide = [&](Value v, int64_t n) {
      return std::pair<Value, Value>(
          b.createOrFold<arith::DivUIOp>(loc, v, constant(b, loc, n)),
          b.createOrFold<arith::RemUIOp>(loc, v, constant(b, loc, n)));
    };
    SmallVector<Value> position(sizes.size());
    Value row, inRow = line;
    if (rows.lines != rows.rowLines)
      std::tie(row, inRow) = divide(line, rows.rowLines);
    position.back() = arith::MulIOp::create(
        b, loc, inRow,
        constant(b, loc, cpuInfo.lineBytes / rows.getElementBytes()));
    for (int64_t dim = sizes.size() - 2; dim >= 0; --dim) {
      if (sizes[dim] == 1)
        continue;
      bool outermost = llvm::all_of(sizes.take_front(dim),
                                    [](int64_t size) { return size == 1; });
      position[dim] = row;
      if (!outermost)
        std::tie(row, position[dim]) = divide(row, sizes[dim]);
    }
    return position;
  }

  /// A prefetch does not fault, but what lies outside of the buffer is no use.
  void emitLine(Value line) {
    SmallVector<Value> indices = getPosition(line);
    Value inside;
    for (auto [index, offset, extent] : llvm::zip(indices, offsets, extents)) {
      index =
          index ? b.createOrFold<arith::AddIOp>(loc, index, offset) : offset;
      if (!extent)
        continue;
      // One unsigned comparison covers both sides.
      Value test = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         index, extent);
      inside = inside ? arith::AndIOp::create(b, loc, inside, test).getResult()
                      : test;
    }
    OpBuilder::InsertionGuard guard(b);
    if (inside) {
      auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    // Into all levels: the next block begins as soon as this one ends.
    memref::PrefetchOp::create(b, loc, buffer, indices, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }

  OpBuilder &b;
  Location loc;
  const LongRows &rows;
  const cpu::CPUTargetInfo &cpuInfo;
  Value buffer;
  SmallVector<Value> offsets;
  SmallVector<Value> extents; // null where the region is known to lie inside
};

} // namespace

/// Cuts `loop` into pieces, with what `atPiece` emits ahead of each.
static void splitLoop(OpBuilder &b, ParallelOp loop, const Split &split,
                      function_ref<void(Value piece)> atPiece) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = loop.getLoc();
  ArrayRef<int64_t> extents = loop.getStaticExtents();
  Value zero = constant(b, loc, 0), one = constant(b, loc, 1);
  SmallVector<Value> outer;
  Value piece = zero;
  int64_t steps = llvm::divideCeil(extents[split.dim], split.step);
  for (unsigned dim = 0; dim <= split.dim; ++dim) {
    Value count = constant(b, loc, dim == split.dim ? steps : extents[dim]);
    auto nest = scf::ForOp::create(b, loc, zero, count, one);
    b.setInsertionPointToStart(nest.getBody());
    piece = b.createOrFold<arith::AddIOp>(
        loc, b.createOrFold<arith::MulIOp>(loc, piece, count),
        nest.getInductionVar());
    outer.push_back(nest.getInductionVar());
  }
  atPiece(piece);

  Value begin = arith::MulIOp::create(b, loc, outer.pop_back_val(),
                                      constant(b, loc, split.step));
  SmallVector<int64_t> rest(extents.drop_front(split.dim));
  SmallVector<Value> dynamic;
  rest.front() = split.step;
  if (extents[split.dim] % split.step != 0) {
    Value left = arith::SubIOp::create(
        b, loc, constant(b, loc, extents[split.dim]), begin);
    dynamic.push_back(
        arith::MinSIOp::create(b, loc, left, constant(b, loc, split.step)));
    rest.front() = ShapedType::kDynamic;
  }
  // By name: what threads do with the loop has no meaning here.
  NamedAttribute attr(ParallelOp::getStaticExtentsAttrName(loop->getName()),
                      b.getDenseI64ArrayAttr(rest));
  auto inner = ParallelOp::create(b, loc, TypeRange(), dynamic, attr);
  inner.getBody().takeBody(loop.getBody());
  Block &body = inner.getBody().front();
  b.setInsertionPointToStart(&body);
  for (Value value : outer) {
    body.getArgument(0).replaceAllUsesWith(value);
    body.eraseArgument(0);
  }
  BlockArgument first = body.getArgument(0);
  Value index = arith::AddIOp::create(b, loc, begin, first);
  first.replaceAllUsesExcept(index, index.getDefiningOp());
  loop.erase();
}

void BlockPrefetcher::miss(const std::string &reason) {
  remark::missed(kernel.getLoc(),
                 remark::RemarkOpts::name("PrefetchedNextBlock")
                     .category("tile-prefetch-blocks"))
      << remark::reason("{0}", reason);
}

void BlockPrefetcher::run() {
  collectReads();
  if (reads.empty())
    return;
  int64_t lines = countLines();
  if (lines > cpuInfo.prefetchBytes / cpuInfo.lineBytes)
    return miss(
        llvm::formatv("a block reads {0} bytes, of which at most {1} may "
                      "wait in the cache",
                      lines * cpuInfo.lineBytes, cpuInfo.prefetchBytes));
  ParallelOp loop = findLongestLoop();
  if (!loop)
    return miss(
        "no 'tile.parallel' of static extents to hide the reads behind");
  std::optional<Split> split = chooseSplit(loop, lines);
  if (!split)
    return miss(llvm::formatv("the longest 'tile.parallel' has {0} iterations "
                              "for {1} cache lines",
                              countIterations(loop), lines));

  OpBuilder b(loop);
  Location loc = loop.getLoc();
  IRMapping map;
  mapNextBlock(b, loc, map);
  for (Operation *op : slice)
    b.clone(*op, map);
  SmallVector<RowPrefetcher> prefetchers;
  for (const LongRows &rows : reads)
    prefetchers.emplace_back(b, loc, rows, map, cpuInfo);
  splitLoop(b, loop, *split, [&](Value piece) {
    for (RowPrefetcher &prefetcher : prefetchers)
      prefetcher.emit(piece, split->pieces);
  });
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("PrefetchedNextBlock")
                     .category("tile-prefetch-blocks"))
      << remark::metric("lines", lines)
      << remark::metric("pieces", split->pieces);
}

namespace {
struct PrefetchBlocksPass
    : mlir::tile::impl::PrefetchBlocksPassBase<PrefetchBlocksPass> {
  using PrefetchBlocksPassBase::PrefetchBlocksPassBase;

  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    FailureOr<cpu::CPUTargetInfo> cpuInfo =
        cpu::getCPUTargetInfo(getOperation());
    if (failed(cpuInfo))
      return signalPassFailure();
    getOperation()->walk(
        [&](KernelOp kernel) { BlockPrefetcher(kernel, *cpuInfo).run(); });
  }
};
} // namespace
