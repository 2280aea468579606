//===- SumInClusters.cpp - sums of parts without a second kernel ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Multicast.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/SymbolicExpr.h"
#include "Tile/Analysis/Trend.h"
#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"
#include "Tile/Transforms/ClusterPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SUMINCLUSTERSPASS
#include "Tile/Transforms/ClusterPasses.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kCategory = "tile-sum-in-clusters";

namespace {
/// A workspace of parts: the op that stores them in one kernel, and what the
/// next one does with them.
struct Parts {
  AllocOp workspace;
  Operation *store = nullptr; // CopyOp or memref::StoreOp
  CopyOp gather, result;
  ReduceOp sum;

  MemRefType getType() const {
    return cast<MemRefType>(AllocOp(workspace).getBuffer().getType());
  }
  KernelOp getProducer() const { return store->getParentOfType<KernelOp>(); }
  KernelOp getConsumer() const { return gather->getParentOfType<KernelOp>(); }
  Value getResult() const { return CopyOp(result).getTarget(); }
};

class PartsJoiner {
public:
  PartsJoiner(const Parts &parts, const ::tile::target::Target &target)
      : parts(parts), target(target),
        exprs(parts.store->getContext(), [](Operation *) {
          return SymbolicExprs::Identity::Computation;
        }) {}

  /// Why the parts cannot be added up in a cluster; empty if they can.
  std::string findObstacle();
  void join();

private:
  std::string findObstacleOfStore();
  std::string findObstacleOfLoop(ParallelOp loop);
  std::string findObstacleOfSize();
  std::string findObstacleOfResult();
  bool variesAmongParts(ValueRange values);
  bool isAlone();
  bool coversResult();
  bool hasSizeOfResult();
  AffineExpr getExtent(unsigned dim);
  AffineExpr getGridExtent(unsigned dim);

  Parts parts;
  const ::tile::target::Target &target;
  SymbolicExprs exprs;
  BlockArgument coordinate; // of the producer: the number of the part
};
} // namespace

//===----------------------------------------------------------------------===//
// The kernel that makes the parts
//===----------------------------------------------------------------------===//

static BufferRegion getTargetRegion(Operation *store) {
  SmallVector<Access> accesses;
  (void)collectAccesses(store, accesses);
  for (const Access &access : accesses)
    if (access.kind == AccessKind::Write)
      return access.region;
  return {};
}

/// The offset in a dimension, if it is one value.
static Value getOffsetValue(const BufferRegion &region, unsigned dim) {
  if (!region.map)
    return {};
  AffineExpr expr = region.map.getResult(dim);
  if (auto position = dyn_cast<AffineDimExpr>(expr))
    return region.operands[position.getPosition()];
  if (auto position = dyn_cast<AffineSymbolExpr>(expr))
    return region.operands[region.map.getNumDims() + position.getPosition()];
  return {};
}

bool PartsJoiner::variesAmongParts(ValueRange values) {
  return llvm::any_of(values, [&](Value value) {
    return value == coordinate ||
           (!isa<MemRefType>(value.getType()) &&
            getTrend(value, coordinate) != Trend::Constant);
  });
}

/// An element of a fragment goes to the workspace, and nothing else happens.
std::string PartsJoiner::findObstacleOfLoop(ParallelOp loop) {
  auto store = cast<memref::StoreOp>(parts.store);
  auto load = store.getValueToStore().getDefiningOp<memref::LoadOp>();
  if (!load || getMemorySpace(load.getMemRef()) != MemorySpace::Fragment ||
      !load.getMemRefType().getElementType().isF32() ||
      !llvm::equal(load.getIndices(), loop.getBody().front().getArguments()) ||
      loop.getStaticExtents() != load.getMemRefType().getShape())
    return "what is stored is not an element of a fragment of f32";
  bool isSimple =
      !loop.getBody()
           .walk([&](Operation *op) {
             bool isFragment =
                 isa<memref::LoadOp>(op) && op != load &&
                 getMemorySpace(op->getOperand(0)) != MemorySpace::Global;
             bool isKnown = isa<scf::IfOp, scf::YieldOp, memref::LoadOp>(op) ||
                            op == store || isMemoryEffectFree(op);
             return isKnown && !isFragment ? WalkResult::advance()
                                           : WalkResult::interrupt();
           })
           .wasInterrupted();
  if (!isSimple)
    return "the loop that stores the parts does something else";
  // The coordinate is the number of the part and nothing else.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getBody(), captured);
  captured.remove(coordinate);
  int64_t uses = llvm::count_if(coordinate.getUses(), [&](OpOperand &use) {
    return loop->isProperAncestor(use.getOwner());
  });
  if (uses != 1 || variesAmongParts(captured.getArrayRef()))
    return "parts of one element lie in different places";
  return "";
}

std::string PartsJoiner::findObstacleOfStore() {
  KernelOp producer = parts.getProducer();
  BufferRegion region = getTargetRegion(parts.store);
  Value number = region.buffer ? getOffsetValue(region, 0) : Value();
  coordinate = dyn_cast_or_null<BlockArgument>(number);
  if (!coordinate || coordinate.getOwner() != &producer.getBody().front())
    return "no coordinate of a block is the number of its part";
  int64_t blocks = parts.getType().getDimSize(0);
  if (producer.getStaticGrid()[coordinate.getArgNumber()] != blocks)
    return llvm::formatv("expected {0} blocks for as many parts", blocks);
  if (blocks != kPair)
    return llvm::formatv(
        "expected {0} parts, got {1}: clusters that are larger "
        "than a pair leave processors idle",
        kPair, blocks);
  if (producer.getCluster() || producer.getPersistentGrid() ||
      !producer.getBody().getOps<RasterizeOp>().empty())
    return "the kernel has clusters, or an order, of its own";
  if (auto loop = parts.store->getParentOfType<ParallelOp>())
    return loop->getParentOp() == producer
               ? findObstacleOfLoop(loop)
               : "the parts are stored in a loop or branch";
  auto copy = cast<CopyOp>(parts.store);
  auto type = cast<MemRefType>(copy.getSource().getType());
  if (copy->getParentOp() != producer)
    return "the parts are stored in a loop or branch";
  if (getMemorySpace(type) != MemorySpace::Fragment ||
      !copy.getSource().getDefiningOp<AllocOp>() ||
      !type.getElementType().isF32() || type.getRank() != 2 ||
      !isWhole(copy.getSourceRegion()) || region.sizes[0] != 1 ||
      ArrayRef(region.sizes).take_back(2) != type.getShape())
    return "what is stored is not a matrix of f32 in a fragment";
  AffineMap place = region.map.dropResult(0);
  for (auto [position, operand] : llvm::enumerate(region.operands)) {
    unsigned dims = place.getNumDims();
    bool isUsed = position < dims ? place.isFunctionOfDim(position)
                                  : place.isFunctionOfSymbol(position - dims);
    if (isUsed && variesAmongParts(operand))
      return "parts of one element lie in different places";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The kernel that adds them up
//===----------------------------------------------------------------------===//

/// Nothing between the kernels, and nothing in the first one, touches the
/// result.
bool PartsJoiner::isAlone() {
  KernelOp producer = parts.getProducer(), consumer = parts.getConsumer();
  if (producer->getBlock() != consumer->getBlock() ||
      !producer->isBeforeInBlock(consumer))
    return false;
  for (Operation *op = producer->getNextNode(); op != consumer;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<AllocOp>(op))
      return false;
  Value result = parts.getResult();
  Operation *origin = result.getDefiningOp();
  if (getMemorySpace(result) != MemorySpace::Global ||
      (origin &&
       !(isa<AllocOp>(origin) && origin->getBlock() == producer->getBlock() &&
         origin->isBeforeInBlock(producer))))
    return false;
  return !producer
              .walk([&](Operation *op) {
                return llvm::any_of(op->getOperands(),
                                    [&](Value operand) {
                                      return isa<MemRefType>(
                                                 operand.getType()) &&
                                             getBaseBuffer(operand) == result;
                                    }) &&
                               !isa<memref::DimOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// An extent of the result, by any of the ops that ask for it.
AffineExpr PartsJoiner::getExtent(unsigned dim) {
  Value result = parts.getResult();
  auto type = cast<MemRefType>(result.getType());
  if (!type.isDynamicDim(dim))
    return exprs.getConstant(type.getDimSize(dim));
  for (Operation *user : result.getUsers())
    if (auto extent = dyn_cast<memref::DimOp>(user);
        extent && extent.getConstantIndex() == dim)
      return exprs.get(extent.getResult());
  return {};
}

/// Elements of the workspace lie in the result, and the other way round.
bool PartsJoiner::hasSizeOfResult() {
  MemRefType type = parts.getType();
  auto result = cast<MemRefType>(parts.getResult().getType());
  if (result.getRank() + 1 != type.getRank() || type.isDynamicDim(0))
    return false;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    AffineExpr own =
        type.isDynamicDim(dim + 1)
            ? exprs.get(parts.workspace
                            .getExtents()[type.getDynamicDimIndex(dim + 1)])
            : exprs.getConstant(type.getDimSize(dim + 1));
    AffineExpr extent = getExtent(dim);
    if (!own || !extent || exprs.getDifference(own, extent) != 0)
      return false;
  }
  return true;
}

AffineExpr PartsJoiner::getGridExtent(unsigned dim) {
  return exprs.get(parts.getConsumer().getMixedGrid()[dim]);
}

/// Whether the tiles of the second kernel are those of the workspace, and all
/// of the result.
bool PartsJoiner::coversResult() {
  BufferRegion from = parts.gather.getSourceRegion();
  BufferRegion to = parts.result.getTargetRegion();
  MLIRContext *context = from.buffer.getContext();
  auto getExpr = [&](const BufferRegion &region, unsigned dim) -> AffineExpr {
    if (!region.map)
      return getAffineConstantExpr(0, context);
    SmallVector<AffineExpr> found =
        composeExprs(region.map, region.operands,
                     [&](Value value) { return exprs.get(value); });
    return found[dim];
  };
  AffineExpr first = getExpr(from, 0);
  if (first != exprs.getConstant(0) ||
      from.sizes[0] != parts.getType().getDimSize(0) ||
      ArrayRef(from.sizes).drop_front() != ArrayRef(to.sizes))
    return false;
  llvm::SmallDenseSet<AffineExpr> taken;
  for (auto [dim, size] : llvm::enumerate(to.sizes)) {
    AffineExpr offset = getExpr(to, dim), extent = getExtent(dim);
    if (!offset || !extent || getExpr(from, dim + 1) != offset)
      return false;
    auto known = dyn_cast<AffineConstantExpr>(extent);
    if (offset == exprs.getConstant(0) && known && known.getValue() <= size)
      continue;
    bool covers = false;
    for (BlockArgument argument :
         parts.getConsumer().getBody().getArguments()) {
      if (exprs.getDifference(offset, exprs.get(argument) * size) != 0 ||
          !taken.insert(offset).second)
        continue;
      AffineExpr blocks = getGridExtent(argument.getArgNumber());
      auto count = dyn_cast_or_null<AffineConstantExpr>(blocks);
      covers = known && count
                   ? count.getValue() * size >= known.getValue()
                   : blocks &&
                         exprs.getDifference(blocks, extent.ceilDiv(size)) == 0;
    }
    if (!covers)
      return false;
  }
  return true;
}

std::string PartsJoiner::findObstacleOfResult() {
  KernelOp consumer = parts.getConsumer();
  for (Operation &op : consumer.getBody().front())
    if (&op != parts.gather && &op != parts.sum && &op != parts.result &&
        !isa<AllocOp>(op) && !isMemoryEffectFree(&op))
      return "the second kernel does something else";
  auto element = dyn_cast<FloatType>(
      cast<MemRefType>(parts.getResult().getType()).getElementType());
  if (!element || element.getWidth() > 32 || element.getWidth() < 16)
    return "the result has no elements of f32, or of floats of 16 bits";
  if (!isAlone())
    return "the result is used before the second kernel";
  return hasSizeOfResult() && coversResult()
             ? ""
             : "the tiles of the second kernel are not known to be the result";
}

/// Blocks exchange the tile through shared memory.
std::string PartsJoiner::findObstacleOfSize() {
  Value tile = isa<CopyOp>(parts.store) ? cast<CopyOp>(parts.store).getSource()
                                        : cast<memref::StoreOp>(parts.store)
                                              .getValueToStore()
                                              .getDefiningOp<memref::LoadOp>()
                                              .getMemRef();
  int64_t bytes = getBufferBytes(cast<MemRefType>(tile.getType()));
  int64_t most = target.getGPU()->sharedBytesPerBlock / 2;
  return bytes <= most
             ? ""
             : llvm::formatv("expected a tile of at most {0} bytes, got {1}",
                             most, bytes)
                   .str();
}

std::string PartsJoiner::findObstacle() {
  for (auto find :
       {&PartsJoiner::findObstacleOfStore, &PartsJoiner::findObstacleOfSize,
        &PartsJoiner::findObstacleOfResult})
    if (std::string obstacle = (this->*find)(); !obstacle.empty())
      return obstacle;
  return "";
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

void PartsJoiner::join() {
  KernelOp producer = parts.getProducer();
  OpBuilder b(parts.store);
  Location loc = parts.store->getLoc();
  Value result = parts.getResult();
  int64_t blocks = parts.getType().getDimSize(0);
  SmallVector<int64_t> cluster(producer.getStaticGrid().size(), 1);
  cluster[coordinate.getArgNumber()] = blocks;
  producer.setCluster(cluster);
  Operation *marked = parts.store->getParentOfType<ParallelOp>();
  if (auto store = dyn_cast<memref::StoreOp>(parts.store)) {
    Value value = store.getValueToStore();
    Type element = cast<MemRefType>(result.getType()).getElementType();
    if (value.getType() != element)
      value = arith::TruncFOp::create(b, loc, element, value);
    memref::StoreOp::create(b, loc, value, result,
                            store.getIndices().drop_front());
  } else {
    auto copy = cast<CopyOp>(parts.store);
    BufferRegion region = copy.getTargetRegion();
    marked = CopyOp::create(
        b, loc, copy.getSource(), copy.getSourceIndices(), result,
        region.operands, copy.getSourceMapAttr(), copy.getSourceSizesAttr(),
        AffineMapAttr::get(region.map.dropResult(0)),
        b.getDenseI64ArrayAttr(ArrayRef(region.sizes).drop_front()), UnitAttr(),
        UnitAttr(), copy.getPreferAttr(), copy.getCoalescedWidthAttr(),
        TransferAttr(), Value());
  }
  parts.store->erase();
  marked->setAttr(kClusterSumAttrName, b.getI64IntegerAttr(blocks));
  remark::passed(marked->getLoc(),
                 remark::RemarkOpts::name("ClusterSum").category(kCategory))
      << remark::metric("blocks", blocks);
  parts.getConsumer().erase();
  parts.workspace.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The workspace's two users and what follows from them, if they look like
/// parts and their sum.
static std::optional<Parts> matchParts(AllocOp workspace) {
  Parts parts;
  parts.workspace = workspace;
  for (Operation *user : workspace.getBuffer().getUsers()) {
    auto copy = dyn_cast<CopyOp>(user);
    if (copy && copy.getSource() == workspace.getBuffer() && !parts.gather)
      parts.gather = copy;
    else if (isa<CopyOp, memref::StoreOp>(user) && !parts.store &&
             user->getParentOfType<KernelOp>())
      parts.store = user;
    else
      return std::nullopt;
  }
  if (!parts.store || !parts.gather)
    return std::nullopt;
  Value all = parts.gather.getTarget();
  if (!all.getDefiningOp<AllocOp>() || !isWhole(parts.gather.getTargetRegion()))
    return std::nullopt;
  auto consumer = dyn_cast<KernelOp>(parts.gather->getParentOp());
  if (!consumer)
    return std::nullopt;
  for (auto reduce : consumer.getBody().getOps<ReduceOp>())
    if (reduce.getSource() == all && reduce.getKind() == ReduceKind::Sum &&
        reduce.getDim() == 0 && !reduce.getCombine() && !parts.sum)
      parts.sum = reduce;
  if (!parts.sum)
    return std::nullopt;
  for (auto copy : consumer.getBody().getOps<CopyOp>())
    if (copy.getSource() == parts.sum.getTarget() && !parts.result &&
        isWhole(copy.getSourceRegion()))
      parts.result = copy;
  auto isF32 = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType().isF32();
  };
  if (!isF32(workspace.getBuffer()) || !isF32(all) ||
      !isF32(parts.sum.getTarget()))
    return std::nullopt;
  if (!parts.result || !parts.gather->isBeforeInBlock(parts.sum) ||
      !parts.sum->isBeforeInBlock(parts.result))
    return std::nullopt;
  return parts;
}

namespace {
struct SumInClustersPass
    : mlir::tile::impl::SumInClustersPassBase<SumInClustersPass> {
  using SumInClustersPassBase::SumInClustersPassBase;

  void runOnOperation() override {
    const ::tile::target::Target *chip = getTarget(getOperation(), "GPU");
    if (!chip)
      return signalPassFailure();
    if (!chip->has(::tile::target::Feature::Clusters))
      return;
    SmallVector<Parts> found;
    getOperation()->walk([&](AllocOp alloc) {
      if (getMemorySpace(alloc.getBuffer()) == MemorySpace::Global)
        if (std::optional<Parts> parts = matchParts(alloc))
          found.push_back(*parts);
    });
    for (const Parts &parts : found) {
      PartsJoiner joiner(parts, *chip);
      std::string obstacle = joiner.findObstacle();
      if (obstacle.empty())
        joiner.join();
      else
        remark::missed(
            parts.store->getLoc(),
            remark::RemarkOpts::name("ClusterSum").category(kCategory))
            << remark::reason("{0}", obstacle);
    }
  }
};
} // namespace
