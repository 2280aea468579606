//===- KernelConverter.cpp - a kernel as a function of one thread ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "AsyncPipeline.h"
#include "ClusterReduce.h"
#include "ClusterSum.h"
#include "Models.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/TileToSIMT/Launch.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Transforms/LaunchGrid.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static constexpr StringLiteral kArenaName = "tile_shared";

namespace {
/// Turns one kernel into one function.
class KernelConverter {
public:
  KernelConverter(KernelOp kernel, func::FuncOp host, gpu::GPUModuleOp module,
                  KernelName name, TargetAttr target, const SIMTTarget &simt)
      : kernel(kernel), host(host), module(module), name(name), target(target),
        simt(simt) {}

  LogicalResult run();

private:
  void createFunction();
  LogicalResult lowerBody();
  LogicalResult bindCaptures();
  LogicalResult bindBuffer(BlockArgument argument);
  LogicalResult bindWorkspace(AllocOp alloc);
  LogicalResult bindConstant(memref::GetGlobalOp constant);
  /// Strides that the buffer has none for: those of row-major order.
  void completeStrides(Buffer &buffer);
  LogicalResult checkPacked(unsigned index, MemRefType type,
                            ArrayRef<int64_t> strides);
  /// A host value, computed again in the kernel.
  FailureOr<Value> rematerialize(Value value);
  /// Null where that is not known yet.
  FailureOr<Value> rematerializeDim(memref::DimOp dim);
  void bindThreads();
  void proveBounds();
  FailureOr<SmallVector<int64_t>> getCluster();
  LogicalResult checkHalfStores();
  LogicalResult checkSharedStages(ArrayRef<int64_t> cluster);
  LogicalResult finish();

  KernelOp kernel;
  func::FuncOp host;
  gpu::GPUModuleOp module;
  KernelName name;
  TargetAttr target;
  const SIMTTarget &simt;
  Grid grid;
  gpu::GPUFuncOp function;
  std::unique_ptr<LaunchBuilder> launch;
  std::unique_ptr<KernelLowering> lowering;
  DenseMap<Value, Value> known;
};
} // namespace

static LLVM::GlobalOp getArena(gpu::GPUModuleOp module,
                               const ::tile::target::GPUSpec &gpu) {
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(kArenaName))
    return global;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(
      b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, kArenaName, Attribute(),
      gpu.sharedAlign, /*addrSpace=*/3);
}

/// Gives each shared buffer and pipeline that has no place one of its own;
/// returns the bytes of all.
static int64_t placeShared(KernelOp kernel,
                           const ::tile::target::GPUSpec &gpu) {
  int64_t end = kernel.getSharedBytes().value_or(0);
  kernel.walk([&](AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    if (getMemorySpace(type) != MemorySpace::Shared || alloc.getOffset())
      return;
    int64_t elements = type.getNumElements();
    if (LayoutAttr layout = alloc.getLayoutAttr())
      elements =
          getTileLayout(layout).axisSize(::tile::layout::Axis::Offset);
    int64_t begin = llvm::alignTo(end, gpu.sharedAlign);
    alloc.setOffset(begin);
    end = begin + llvm::divideCeil(elements * getElementBits(type), 8);
  });
  kernel.walk([&](CreatePipelineOp pipeline) {
    if (pipeline.getOffset())
      return;
    int64_t begin = llvm::alignTo(end, std::max<int64_t>(1, gpu.barrierBytes));
    pipeline.setOffset(begin);
    end = begin + gpu.stageBarrierBytes() *
                      pipeline.getPipeline().getType().getStages();
  });
  return end;
}

void KernelConverter::proveBounds() {
  kernel.walk([&](CopyOp copy) {
    auto find = [&](const BufferRegion &region) {
      return getMemorySpace(region.buffer) == MemorySpace::Global
                 ? findOpenBounds(copy, region)
                 : SmallVector<OpenBounds>();
    };
    auto prove = [](const BufferRegion &region, ArrayRef<OpenBounds> open) {
      SmallVector<bool> proven(region.sizes.size(), true);
      for (OpenBounds bounds : open)
        proven[bounds.dim] = false;
      return proven;
    };
    BufferRegion from = copy.getSourceRegion(), to = copy.getTargetRegion();
    SmallVector<OpenBounds> source = find(from), target = find(to);
    bool mayBeginBefore = llvm::any_of(source, [&](OpenBounds bounds) {
      return bounds.lower && bounds.dim + 1 == from.sizes.size();
    });
    lowering->getState<ProvenBounds>().copies[copy] = {
        prove(from, source), prove(to, target), mayBeginBefore};
  });
}

/// Rows of 4-bit elements are whole bytes, as on all targets.
LogicalResult KernelConverter::checkPacked(unsigned index, MemRefType type,
                                           ArrayRef<int64_t> strides) {
  if (getElementBits(type) != 4 || type.getRank() == 0)
    return success();
  unsigned last = type.getRank() - 1;
  if (type.isDynamicDim(last))
    launch->requireMultiple(LaunchSymbolKind::Size, index, last, 2);
  else if (type.getDimSize(last) % 2 != 0)
    return host.emitError()
           << "argument " << index
           << ": expected an even last size of packed elements, got "
           << type.getDimSize(last);
  if (!type.getLayout().isIdentity())
    for (unsigned dim = 0; dim < last; ++dim)
      if (ShapedType::isDynamic(strides[dim]))
        launch->requireMultiple(LaunchSymbolKind::Stride, index, dim, 2);
  return success();
}

void KernelConverter::completeStrides(Buffer &buffer) {
  OpBuilder b = lowering->builder();
  Location loc = host.getLoc();
  for (int64_t dim = int64_t(buffer.strides.size()) - 2; dim >= 0; --dim) {
    if (buffer.strides[dim])
      continue;
    Value below =
        getValueOrCreateConstantIndexOp(b, loc, buffer.strides[dim + 1]);
    Value size = getValueOrCreateConstantIndexOp(b, loc, buffer.sizes[dim + 1]);
    buffer.strides[dim] = arith::MulIOp::create(b, loc, below, size).getResult();
  }
}

LogicalResult KernelConverter::bindWorkspace(AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (getElementBits(type) == 4 && type.getRank() != 0 &&
      (type.isDynamicDim(type.getRank() - 1) || type.getShape().back() % 2))
    return alloc.emitError() << "expected an even static last size of packed "
                                "elements, got "
                             << type << "; allocate bytes";
  FailureOr<Value> base = launch->getWorkspace(alloc);
  if (failed(base))
    return failure();
  OpBuilder b = lowering->builder();
  Buffer buffer;
  buffer.element = type.getElementType();
  buffer.shape = llvm::to_vector(type.getShape());
  buffer.base = *base;
  buffer.alignment = lowering->getGPU().vectorBytes;
  for (OpFoldResult extent :
       getMixedValues(type.getShape(), alloc.getExtents(), b.getContext())) {
    auto value = dyn_cast<Value>(extent);
    FailureOr<Value> inside = value ? rematerialize(value) : value;
    if (failed(inside))
      return failure();
    buffer.sizes.push_back(value ? OpFoldResult(*inside) : extent);
  }
  int64_t stride = 1;
  buffer.strides.assign(type.getRank(), {});
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    buffer.strides[dim] = b.getIndexAttr(stride);
    if (type.isDynamicDim(dim))
      break;
    stride *= type.getDimSize(dim);
  }
  completeStrides(buffer);
  lowering->setBuffer(alloc.getBuffer(), buffer);
  return success();
}

LogicalResult KernelConverter::bindConstant(memref::GetGlobalOp constant) {
  MemRefType type = constant.getType();
  OpBuilder b = lowering->builder();
  Buffer buffer;
  buffer.element = type.getElementType();
  buffer.shape = llvm::to_vector(type.getShape());
  buffer.alignment = lowering->getGPU().vectorBytes;
  FailureOr<Value> base = createConstant(b, constant, module, buffer.alignment);
  if (failed(base))
    return failure();
  buffer.base = *base;
  for (int64_t extent : type.getShape())
    buffer.sizes.push_back(b.getIndexAttr(extent));
  for (int64_t stride : computeSuffixProduct(type.getShape()))
    buffer.strides.push_back(b.getIndexAttr(stride));
  buffer.mayBeWritten = false;
  lowering->setBuffer(constant, buffer);
  return success();
}

/// Whether some op of the kernel may write to the argument, or another rank,
/// for whom the kernel waits.
static bool mayWrite(KernelOp kernel, BlockArgument argument) {
  auto writes = [&](const Access &access) {
    return access.kind != AccessKind::Read &&
           getBaseBuffer(access.region.buffer) == argument;
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isa<world::WaitOp>(op))
      return WalkResult::interrupt();
    SmallVector<Access> accesses;
    bool isKnown = succeeded(collectAccesses(op, accesses));
    return isKnown && llvm::none_of(accesses, writes)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

LogicalResult KernelConverter::bindBuffer(BlockArgument argument) {
  auto type = cast<MemRefType>(argument.getType());
  unsigned index = argument.getArgNumber();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return host.emitError() << "argument " << index
                            << ": expected strides without an offset, got "
                            << type;
  if (failed(checkPacked(index, type, strides)))
    return failure();
  OpBuilder b = lowering->builder();
  Buffer buffer;
  buffer.element = type.getElementType();
  buffer.shape = llvm::to_vector(type.getShape());
  buffer.base = launch->getPointer(index);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    buffer.sizes.push_back(ShapedType::isDynamic(size)
                               ? OpFoldResult(launch->getSize(index, dim))
                               : OpFoldResult(b.getIndexAttr(size)));
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (!ShapedType::isDynamic(stride))
      buffer.strides.push_back(b.getIndexAttr(stride));
    else if (!type.getLayout().isIdentity())
      buffer.strides.push_back(launch->getStride(index, dim));
    else
      buffer.strides.push_back(Attribute());
  }
  completeStrides(buffer);
  buffer.argument = buffer.owner = index;
  buffer.alignment = launch->getAlignment(index);
  buffer.mayBeWritten = mayWrite(kernel, argument);
  lowering->setBuffer(argument, buffer);
  return success();
}

FailureOr<Value> KernelConverter::rematerializeDim(memref::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  if (failed(rematerialize(dim.getSource())))
    return failure();
  // Views are lowered, and known, only later.
  if (dim.getSource().getDefiningOp<ViewLikeOpInterface>() || !index)
    return Value();
  const Buffer *buffer = lowering->getBuffer(kernel, dim.getSource());
  if (!buffer)
    return failure();
  if (*index < 0 || *index >= int64_t(buffer->sizes.size()))
    return Value();
  return known[dim] = getValueOrCreateConstantIndexOp(
             lowering->builder(), dim.getLoc(), buffer->sizes[*index]);
}

FailureOr<Value> KernelConverter::rematerialize(Value value) {
  if (Value done = known.lookup(value))
    return done;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &host.getBody().front() ||
        isa<MemRefType>(value.getType()))
      return value;
    return known[value] = launch->getScalar(argument.getArgNumber());
  }
  Operation *op = value.getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    if (failed(bindWorkspace(alloc)))
      return failure();
    return known[value] = value;
  }
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op)) {
    if (failed(bindConstant(constant)))
      return failure();
    return known[value] = value;
  }
  // The host executes it, too: it need not be speculatable.
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0) {
    InFlightDiagnostic diag = kernel.emitError(
        "expected the kernel to use arguments and workspaces of the function, "
        "views of them, and numbers computed from them");
    diag.attachNote(op->getLoc()) << "it uses this value of the host";
    return diag;
  }
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (FailureOr<Value> size = rematerializeDim(dim);
        failed(size) || *size)
      return size;
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> inside = rematerialize(operand);
    if (failed(inside))
      return failure();
    mapping.map(operand, *inside);
  }
  Operation *clone = lowering->builder().clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    known[from] = to;
  return known[value];
}

LogicalResult KernelConverter::bindCaptures() {
  llvm::SetVector<Value> captures;
  getUsedValuesDefinedAbove(kernel.getBody(), kernel.getBody(), captures);
  // The extents of the grid are asked for by persistent loops.
  for (BlockArgument argument : host.getArguments())
    if (isa<MemRefType>(argument.getType()) &&
        (captures.contains(argument) || !argument.use_empty()))
      if (failed(bindBuffer(argument)))
        return failure();
  OpBuilder &b = lowering->builder();
  Block *entry = &function.getBody().front();
  for (Value capture : captures) {
    FailureOr<Value> inside = rematerialize(capture);
    if (failed(inside))
      return failure();
    capture.replaceUsesWithIf(*inside, [&](OpOperand &use) {
      return kernel->isProperAncestor(use.getOwner());
    });
  }
  for (OpFoldResult extent : kernel.getMixedGrid()) {
    FailureOr<Value> inside =
        isa<Attribute>(extent)
            ? FailureOr<Value>(getValueOrCreateConstantIndexOp(
                  b, kernel.getLoc(), extent))
            : rematerialize(cast<Value>(extent));
    if (failed(inside))
      return failure();
    grid.extents.push_back(*inside);
  }
  // What was cloned may be views, and ask for their sizes.
  for (Operation &op : llvm::make_early_inc_range(*entry))
    if (isa<memref::DimOp, ViewLikeOpInterface>(op) &&
        failed(lowering->lower(&op)))
      return failure();
  return success();
}

void KernelConverter::bindThreads() {
  OpBuilder &b = lowering->builder();
  Location loc = kernel.getLoc();
  ThreadGroup &group = lowering->threads();
  group.lanes = lowering->getTarget().getGPU()->warpSize;
  group.warps = llvm::divideCeil(kernel.getThreads(), group.lanes);
  Value id = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  group.thread = arith::IndexCastOp::create(b, loc, b.getI32Type(), id);
  group.lane = arith::RemUIOp::create(b, loc, group.thread,
                                      lowering->i32(loc, group.lanes));
  group.warp = arith::DivUIOp::create(b, loc, group.thread,
                                      lowering->i32(loc, group.lanes));
  static constexpr gpu::Dimension dims[] = {
      gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  Value rest;
  if (flattensGrid(kernel, *lowering->getTarget().getGPU()))
    rest = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  for (auto [argument, dim, extent] :
       llvm::zip(kernel.getBody().getArguments(), dims, grid.extents)) {
    Value block;
    if (rest) {
      block = arith::RemUIOp::create(b, loc, rest, extent);
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    } else {
      block = gpu::BlockIdOp::create(b, loc, dim);
    }
    grid.ids.push_back(block);
    argument.replaceAllUsesWith(block);
  }
}

void KernelConverter::createFunction() {
  const ::tile::target::Target &chip = getTarget(target);
  const ::tile::target::GPUSpec &gpu = *chip.getGPU();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  function = gpu::GPUFuncOp::create(b, loc, name.own,
                                  b.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  if (Attribute blocks = kernel->getAttr(kResidentBlocksAttrName))
    function->setAttr(kResidentBlocksAttrName, blocks);
  launch = std::make_unique<LaunchBuilder>(host, kernel, function, gpu);
  b.setInsertionPointToStart(&function.getBody().front());
  Value arena = LLVM::AddressOfOp::create(b, loc, getArena(module, gpu));
  lowering = std::make_unique<KernelLowering>(kernel, function, chip, simt,
                                              arena, placeShared(kernel, gpu),
                                              *launch);
}

/// The ops of the kernel, one after the other, in the function.
LogicalResult KernelConverter::lowerBody() {
  Block *entry = &function.getBody().front();
  entry->getOperations().splice(entry->end(),
                                kernel.getBody().front().getOperations());
  Operation *first = lowering->threads().thread.getDefiningOp();
  for (auto it = std::next(first->getIterator()); it != entry->end();) {
    Operation *op = &*it++;
    if (failed(lowering->lower(op)))
      return failure();
  }
  lowering->eraseDeferred();
  OpBuilder &b = lowering->builder();
  b.setInsertionPointToEnd(entry);
  simt.finishKernel(*lowering, kernel.getLoc());
  leaveCluster(*lowering, kernel.getLoc());
  b.setInsertionPointToEnd(entry);
  gpu::ReturnOp::create(b, kernel.getLoc());
  return success();
}

LogicalResult KernelConverter::run() {
  createFunction();
  proveBounds();
  Block *entry = &function.getBody().front();
  lowering->builder().setInsertionPointToEnd(entry);
  if (failed(bindCaptures()))
    return failure();
  lowering->builder().setInsertionPointToEnd(entry);
  bindThreads();
  grid.isPersistent = kernel.getPersistentGrid();
  lowering->setGrid(grid);
  for (auto hint : kernel.getBody().getOps<PaddingValueOp>())
    lowering->setPaddingValue(hint.getBuffer(), hint.getValue());
  if (failed(prepareClusterReduces(kernel, *lowering)) || failed(lowerBody()))
    return failure();
  return finish();
}

/// The extents of a cluster; none on a chip without clusters: they do not
/// change what a kernel computes.
FailureOr<SmallVector<int64_t>> KernelConverter::getCluster() {
  const ::tile::target::Target &chip = lowering->getTarget();
  std::optional<ArrayRef<int64_t>> given = kernel.getCluster();
  if (!given)
    return SmallVector<int64_t>();
  int64_t limit = chip.getGPU()->maxClusterSize, blocks = 1;
  if (!chip.has(::tile::target::Feature::Clusters)) {
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Cluster")
                                        .category("convert-tile-to-simt"))
        << remark::reason("{0} has no clusters", target.getChip());
    return SmallVector<int64_t>();
  }
  for (int64_t extent : *given)
    blocks = extent > limit ? limit + 1 : blocks * extent;
  if (blocks > limit)
    return kernel.emitError()
           << "expected a cluster of at most " << limit << " blocks on "
           << target.getChip() << ", got " << formatShape(*given);
  // Blocks that stay have numbers in the place of coordinates.
  if (kernel.getPersistentGrid())
    return SmallVector<int64_t>{blocks};
  return llvm::to_vector(*given);
}

/// Words around single elements of 4 bits must not reach past the buffer.
LogicalResult KernelConverter::checkHalfStores() {
  for (unsigned index : lowering->getHalfStores()) {
    auto type = cast<MemRefType>(host.getArgumentTypes()[index]);
    int64_t unit = 8 * kAtomicBytes / getElementBits(type), known = 1;
    for (int64_t size : type.getShape())
      known *= ShapedType::isDynamic(size) ? 1 : size;
    unsigned last = type.getRank() - 1;
    if (known % unit == 0)
      continue;
    if (!type.isDynamicDim(last))
      return host.emitError()
             << "argument " << index << ": expected a multiple of " << unit
             << " elements, because single ones of 4 bits are stored, got "
             << type << "; store to a shared tile and copy that";
    launch->requireMultiple(LaunchSymbolKind::Size, index, last, unit);
  }
  return success();
}

/// The blocks that share a tile are all of the cluster.
LogicalResult KernelConverter::checkSharedStages(ArrayRef<int64_t> cluster) {
  int64_t blocks = 1;
  for (int64_t extent : cluster)
    blocks *= extent;
  for (auto &[handle, pipeline] : lowering->getState<Pipelines>().states)
    if (pipeline.blocks > 1 && pipeline.blocks != blocks)
      return kernel.emitError()
             << "expected a cluster of " << pipeline.blocks
             << " blocks, which share a tile, got " << blocks;
  for (int64_t summands : lowering->getState<ClusterSums>().blocks)
    if (summands != blocks || kernel.getPersistentGrid())
      return kernel.emitError() << "expected a cluster of " << summands
                                << " blocks, which add up a tile once, got "
                                << (kernel.getPersistentGrid()
                                        ? "blocks that stay, in clusters of "
                                        : "")
                                << blocks;
  return success();
}

LogicalResult KernelConverter::finish() {
  if (failed(checkHalfStores()))
    return failure();
  lowering->orderHalfLoads();
  int64_t limit = lowering->getTarget().getGPU()->sharedBytesPerBlock;
  if (lowering->getSharedBytes() > limit)
    return kernel.emitError()
           << "expected at most " << limit << " bytes of shared memory on "
           << target.getChip() << ", got " << lowering->getSharedBytes();
  // Whole warps: a target may add threads.
  int64_t threads = lowering->getNumThreads();
  FailureOr<SmallVector<int64_t>> cluster = getCluster();
  if (failed(cluster))
    return failure();
  if (!cluster->empty())
    simt.setCluster(function, *cluster);
  if (failed(checkSharedStages(*cluster)))
    return failure();
  SmallVector<OpFoldResult> extents = kernel.getMixedGrid();
  if (flattensGrid(kernel, *lowering->getTarget().getGPU())) {
    int64_t blocks = 1;
    for (OpFoldResult extent : extents)
      blocks *= *getConstantIntValue(extent);
    extents = {OpFoldResult(lowering->builder().getIndexAttr(blocks))};
  }
  return launch->finish(kernel,
                        {extents, threads, lowering->getSharedBytes(), *cluster,
                         grid.isPersistent, name.general},
                        simt.getRuntime(), target.getChip());
}

LogicalResult simt::convertKernel(KernelOp kernel, func::FuncOp host,
                                  gpu::GPUModuleOp module, KernelName name,
                                  TargetAttr target, const SIMTTarget &simt) {
  markKeptOperands(kernel);
  return KernelConverter(kernel, host, module, name, target, simt).run();
}
