//===- TileToSIMT.cpp - kernels become functions of one thread ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Tile/Analysis/Bounds.h"
#include "Tile/Conversion/TileToSIMT/Passes.h"
#include "Tile/Conversion/TileToSIMT/Launch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTTILETOGPUPASS
#include "Tile/Conversion/TileToSIMT/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static constexpr StringLiteral kArenaName = "tile_shared";

namespace {
/// Turns one kernel into one function.
class KernelConverter {
public:
  KernelConverter(KernelOp kernel, func::FuncOp host, gpu::GPUModuleOp module,
                  StringRef name, TargetAttr target, const SIMTTarget &simt)
      : kernel(kernel), host(host), module(module), name(name), target(target),
        simt(simt) {}

  LogicalResult run();

private:
  LogicalResult verifyElements();
  LogicalResult bindCaptures();
  LogicalResult bindBuffer(BlockArgument argument);
  /// A host value, computed again in the kernel.
  FailureOr<Value> rematerialize(Value value);
  void bindThreads();
  void proveBounds();
  FailureOr<SmallVector<int64_t>> getCluster();
  LogicalResult finish();

  KernelOp kernel;
  func::FuncOp host;
  gpu::GPUModuleOp module;
  StringRef name;
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

/// Gives each shared buffer and ring that has no place one of its own; returns
/// the bytes of all.
static int64_t placeShared(KernelOp kernel,
                           const ::tile::target::GPUSpec &gpu) {
  auto planned = kernel->getAttrOfType<IntegerAttr>("tile.shared_bytes");
  int64_t end = planned ? planned.getInt() : 0;
  kernel.walk([&](AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    if (getMemorySpace(type) != MemorySpace::Shared || alloc.getOffset())
      return;
    int64_t elements = type.getNumElements();
    if (LayoutAttr layout = alloc.getLayoutAttr())
      elements =
          getTileLayout(layout).axisSize(::tile::layout::Axis::Offset);
    int64_t bits = getStorageType(type.getElementType()).getIntOrFloatBitWidth();
    int64_t begin = llvm::alignTo(end, gpu.sharedAlign);
    alloc.setOffset(begin);
    end = begin + llvm::divideCeil(elements * std::max<int64_t>(bits, 4), 8);
  });
  kernel.walk([&](RingOp ring) {
    if (ring.getOffset())
      return;
    int64_t begin = llvm::alignTo(end, std::max<int64_t>(1, gpu.barrierBytes));
    ring.setOffset(begin);
    end = begin + gpu.slotBarrierBytes() * ring.getRing().getType().getStages();
  });
  return end;
}

void KernelConverter::proveBounds() {
  kernel.walk([&](CopyOp copy) {
    auto prove = [&](const BufferRegion &region) {
      return getMemorySpace(region.buffer) == MemorySpace::Global
                 ? findProvenDims(copy, region)
                 : SmallVector<bool>(region.sizes.size(), true);
    };
    auto &[source, target] = lowering->inside[copy];
    source = prove(copy.getSourceRegion());
    target = prove(copy.getTargetRegion());
  });
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
  // Strides of the identity layout follow from the sizes.
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim) {
    if (buffer.strides[dim])
      continue;
    Value below = getValueOrCreateConstantIndexOp(b, host.getLoc(),
                                                  buffer.strides[dim + 1]);
    Value size = getValueOrCreateConstantIndexOp(b, host.getLoc(),
                                                 buffer.sizes[dim + 1]);
    buffer.strides[dim] =
        arith::MulIOp::create(b, host.getLoc(), below, size).getResult();
  }
  buffer.argument = index;
  lowering->setBuffer(argument, buffer);
  return success();
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
  if (!isPure(op) || op->getNumRegions() != 0 ||
      isa<MemRefType>(value.getType())) {
    InFlightDiagnostic diag = kernel.emitError(
        "expected the kernel to use arguments of the function and numbers "
        "computed from them");
    diag.attachNote(op->getLoc()) << "it uses this value of the host";
    return diag;
  }
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
  // What was cloned may ask for sizes of arguments.
  for (Operation &op : llvm::make_early_inc_range(*entry))
    if (isa<memref::DimOp>(op) && failed(lowering->lower(&op)))
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
  for (auto [argument, dim] : llvm::zip(kernel.getBody().getArguments(), dims)) {
    Value block = gpu::BlockIdOp::create(b, loc, dim);
    grid.ids.push_back(block);
    argument.replaceAllUsesWith(block);
  }
}

LogicalResult KernelConverter::verifyElements() {
  for (auto [index, type] : llvm::enumerate(host.getArgumentTypes()))
    if (!isa<MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return host.emitError() << "argument " << index
                              << ": expected a buffer or a number, got "
                              << type;
  WalkResult result = kernel.walk([](Operation *op) {
    auto verify = [&](Type type) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || memref.getElementType().isIntOrIndexOrFloat())
        return success();
      return LogicalResult(op->emitOpError()
                           << "expected buffers of integers, floats or "
                              "indices on a GPU, got "
                           << type);
    };
    for (Type type : op->getOperandTypes())
      if (failed(verify(type)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verify(type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What the op needs and the chip lacks; empty if nothing, or if the lowering of
/// the op will tell.
static StringRef findMissing(Operation *op,
                             const ::tile::target::Target &chip) {
  using ::tile::target::CopyFamily;
  using ::tile::target::Feature;
  auto hasCopies = [&](CopyFamily family) {
    return llvm::any_of(chip.copies, [&](const ::tile::target::CopyRow &row) {
      return row.family == family;
    });
  };
  if (isa<RolesOp, TakeTurnOp, PassTurnOp>(op) && !chip.has(Feature::NamedBarriers))
    return "barriers for a part of the threads";
  if (isa<AsyncCommitOp, AsyncWaitOp>(op) && !hasCopies(CopyFamily::CpAsync))
    return "asynchronous copies of threads";
  auto copy = dyn_cast<CopyOp>(op);
  TransferAttr choice = copy ? copy.getInstructionAttr() : TransferAttr();
  if (choice && choice.getFamily() == Instruction::CpAsync &&
      !hasCopies(CopyFamily::CpAsync))
    return "asynchronous copies of threads";
  return "";
}

/// Ops that were written, or scheduled, for another chip.
static LogicalResult verifyFeatures(KernelOp kernel,
                                    const ::tile::target::Target &chip) {
  WalkResult result = kernel->walk([&](Operation *op) {
    StringRef missing = findMissing(op, chip);
    if (missing.empty())
      return WalkResult::advance();
    op->emitOpError() << "cannot be lowered to threads of " << chip.name
                      << ", which has no " << missing;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelConverter::run() {
  if (failed(verifyElements()) ||
      failed(verifyFeatures(kernel, getTarget(target))))
    return failure();
  const ::tile::target::Target &chip = getTarget(target);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  function = gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  launch = std::make_unique<LaunchBuilder>(host, function, *chip.getGPU());
  Block *entry = &function.getBody().front();
  b.setInsertionPointToStart(entry);
  Value arena = LLVM::AddressOfOp::create(b, loc, getArena(module, *chip.getGPU()));
  lowering = std::make_unique<KernelLowering>(
      kernel, function, chip, simt, arena, placeShared(kernel, *chip.getGPU()),
      *launch);
  proveBounds();
  lowering->builder().setInsertionPointToEnd(entry);
  if (failed(bindCaptures()))
    return failure();
  lowering->builder().setInsertionPointToEnd(entry);
  bindThreads();
  grid.isPersistent = kernel->hasAttr("tile.persistent_grid");
  lowering->setGrid(grid);
  for (auto hint : kernel.getBody().getOps<SafeValueOp>())
    lowering->setSafeValue(hint.getBuffer(), hint.getValue());
  entry->getOperations().splice(entry->end(),
                                kernel.getBody().front().getOperations());
  Operation *first = lowering->threads().thread.getDefiningOp();
  for (auto it = std::next(first->getIterator()); it != entry->end();) {
    Operation *op = &*it++;
    if (failed(lowering->lower(op)))
      return failure();
  }
  lowering->eraseDeferred();
  lowering->builder().setInsertionPointToEnd(entry);
  simt.finishKernel(*lowering, loc);
  b.setInsertionPointToEnd(entry);
  gpu::ReturnOp::create(b, loc);
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
                                        .category("convert-tile-to-gpu"))
        << remark::reason("{0} has no clusters", target.getChip());
    return SmallVector<int64_t>();
  }
  for (int64_t extent : *given)
    blocks = extent > limit ? limit + 1 : blocks * extent;
  if (blocks > limit)
    return kernel.emitError()
           << "expected a cluster of at most " << limit << " blocks on "
           << target.getChip() << ", got " << formatShape(*given);
  return llvm::to_vector(*given);
}

LogicalResult KernelConverter::finish() {
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
  SmallVector<OpFoldResult> extents = kernel.getMixedGrid();
  return launch->finish(kernel,
                        {extents, threads, lowering->getSharedBytes(), *cluster,
                         grid.isPersistent},
                        simt.getRuntime(), target.getChip());
}

/// What is left that only L2 knows: its ops, and buffers in any op.
static LogicalResult verifyLowered(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool hasBuffer =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
    if (!isa<TileDialect>(op->getDialect()) &&
        !isa<memref::MemRefDialect>(op->getDialect()) && !hasBuffer)
      return WalkResult::advance();
    op->emitOpError("cannot be lowered to threads of a GPU");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The function goes, and with it all that its kernels do not compute again.
static LogicalResult verifyHost(func::FuncOp host) {
  if (host.getNumResults() != 0)
    return host.emitError() << "expected a function with kernels to have no "
                               "results, got "
                            << host.getNumResults();
  for (Operation &op : host.getOps())
    if (!isa<KernelOp, AssumeOp, func::ReturnOp>(op) && !isPure(&op))
      return op.emitError() << "'" << op.getName()
                            << "' cannot be run beside kernels of a GPU; "
                               "expected numbers of the launch only";
  return success();
}

static void attachModels(MLIRContext *context) {
  context->loadDialect<TileDialect, memref::MemRefDialect>();
  attachAtomicModels(context);
  attachControlModels(context);
  attachCopyModels(context);
  attachGemmModels(context);
  attachMemoryModels(context);
  attachPipelineModels(context);
  attachReduceModels(context);
  attachTopKModels(context);
  attachWarpSpecializationModels(context);
}

namespace {
struct ConvertTileToGPU
    : mlir::tile::impl::ConvertTileToGPUPassBase<ConvertTileToGPU> {
  using ConvertTileToGPUPassBase::ConvertTileToGPUPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    attachModels(context);
    auto *dialect = context->getOrLoadDialect<TileDialect>();
    for (const auto &target : SIMTTargets::get(dialect).getTargets())
      target->loadDialects(context);
    return success();
  }

  void runOnOperation() override {
    const ::tile::target::Target *chip = ::tile::target::lookupTarget(target);
    if (!chip) {
      getOperation().emitError()
          << ::tile::target::describeUnknownTarget(target);
      return signalPassFailure();
    }
    if (!chip->getGPU()) {
      getOperation().emitError()
          << "expected a GPU as target, got '" << target << "'";
      return signalPassFailure();
    }
    simt = SIMTTargets::lookup(&getContext(), *chip);
    if (!simt) {
      getOperation().emitError()
          << "cannot be lowered to threads of '" << target
          << "': no SIMT target that supports it is registered";
      return signalPassFailure();
    }
    auto attr = TargetAttr::get(&getContext(), target);
    for (auto host :
         llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(convert(host, attr)))
        return signalPassFailure();
  }

  LogicalResult convert(func::FuncOp host, TargetAttr attr) {
    SmallVector<KernelOp> kernels;
    host.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return success();
    for (KernelOp kernel : kernels)
      if (kernel->getBlock() != &host.getBody().front()) {
        InFlightDiagnostic diag = kernel.emitError(
            "expected the kernel to be launched once, at the top of its "
            "function");
        diag.attachNote(kernel->getParentOp()->getLoc()) << "it stands in here";
        return diag;
      }
    OpBuilder b(host);
    auto module = gpu::GPUModuleOp::create(b, host.getLoc(),
                                           (host.getName() + "_gpu").str());
    module->setAttr("tile.target", attr);
    module->setAttr("tile.function", b.getStringAttr(host.getName()));
    for (auto [i, kernel] : llvm::enumerate(kernels)) {
      std::string name = (host.getName() + "_" + Twine(i)).str();
      if (failed(KernelConverter(kernel, host, module, name, attr, *simt).run()))
        return failure();
    }
    if (failed(verifyHost(host)))
      return failure();
    // What is left may use the function's arguments: it must outlive the test.
    if (failed(verifyLowered(module)))
      return failure();
    host.erase();
    return success();
  }

  const SIMTTarget *simt = nullptr;
};
} // namespace
