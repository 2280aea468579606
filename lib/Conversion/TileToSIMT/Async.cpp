//===- Async.cpp - rings, roles, tensor copies ----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Async.h"

#include "Launch.h"
#include "Mma.h"
#include "SharedMatrix.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

static Value barrierAt(KernelLowering &l, Location loc, Value base,
                       Value slot) {
  return LLVM::GEPOp::create(l.builder(), loc, base.getType(),
                             l.builder().getI64Type(), base,
                             ArrayRef<LLVM::GEPArg>{slot});
}

static Value loadCursor(KernelLowering &l, Location loc, Value cursor) {
  return LLVM::LoadOp::create(l.builder(), loc, l.builder().getI32Type(),
                              cursor);
}

/// Spins until the phase with this parity has ended.
static void waitFor(KernelLowering &l, Location loc, Value barrier,
                    Value parity) {
  OpBuilder &b = l.builder();
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), barrier,
                                               parity, Value());
  Value again = arith::XOrIOp::create(
      b, loc, done, arith::ConstantIntOp::create(b, loc, 1, 1));
  scf::ConditionOp::create(b, loc, again, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, loc);
}

/// Moves a cursor to the next slot; the parity changes with each round.
static void advance(KernelLowering &l, Location loc, const Ring &ring) {
  OpBuilder &b = l.builder();
  Value slot = loadCursor(l, loc, ring.slot);
  Value phase = loadCursor(l, loc, ring.phase);
  Value next = arith::AddIOp::create(b, loc, slot, l.i32(loc, 1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      l.i32(loc, ring.stages));
  next = arith::SelectOp::create(b, loc, wraps, l.i32(loc, 0), next);
  Value flipped = arith::XOrIOp::create(b, loc, phase, l.i32(loc, 1));
  LLVM::StoreOp::create(b, loc, next, ring.slot);
  LLVM::StoreOp::create(
      b, loc, arith::SelectOp::create(b, loc, wraps, flipped, phase),
      ring.phase);
}

namespace {

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

struct RingModel : SIMTLoweringOpInterface::ExternalModel<RingModel, RingOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    if (!l.getTarget().has(::tile::target::Feature::MBarrierTx))
      return op->emitOpError() << "needs barriers that count bytes, which "
                               << l.getTarget().name << " does not have";
    auto ringOp = cast<RingOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Ring ring;
    ring.stages = ringOp.getRing().getType().getStages();
    int64_t offset = *ringOp.getOffset();
    ring.full = l.getArena(loc, offset);
    ring.empty = l.getArena(loc, offset + l.getGPU().barrierBytes * ring.stages);
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        l.threads().thread, l.i32(loc, 0));
    l.inIf(loc, first, [&] {
      for (int64_t slot = 0; slot < ring.stages; ++slot) {
        auto init = [&](Value base, int64_t arrivals) {
          NVVM::MBarrierInitOp::create(
              b, loc, barrierAt(l, loc, base, l.i32(loc, slot)),
              l.i32(loc, arrivals), Value());
        };
        init(ring.full, 1);
        init(ring.empty, l.threads().warps);
      }
      NVVM::FenceMbarrierInitOp::create(b, loc);
    });
    gpu::BarrierOp::create(b, loc);
    ring.slot = l.createRegisters(loc, b.getI32Type(), 1);
    ring.phase = l.createRegisters(loc, b.getI32Type(), 1);
    l.rings[ringOp.getRing()] = ring;
    return success();
  }
};

struct AcquireModel
    : SIMTLoweringOpInterface::ExternalModel<AcquireModel, ProducerAcquireOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto acquire = cast<ProducerAcquireOp>(op);
    const Ring &ring = l.rings[acquire.getRing()];
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Value slot = loadCursor(l, loc, ring.slot);
    // A new barrier counts as one whose previous phase has ended.
    Value parity = arith::XOrIOp::create(
        b, loc, loadCursor(l, loc, ring.phase), l.i32(loc, 1));
    waitFor(l, loc, barrierAt(l, loc, ring.empty, slot), parity);
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, TypeRange(), barrierAt(l, loc, ring.full, slot),
        l.i32(loc, acquire.getBytes()), NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, Value());
    acquire.getSlot().replaceAllUsesWith(l.toIndex(loc, slot));
    return success();
  }
};

struct WaitModel
    : SIMTLoweringOpInterface::ExternalModel<WaitModel, ConsumerWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto wait = cast<ConsumerWaitOp>(op);
    const Ring &ring = l.rings[wait.getRing()];
    Location loc = op->getLoc();
    Value slot = loadCursor(l, loc, ring.slot);
    waitFor(l, loc, barrierAt(l, loc, ring.full, slot),
            loadCursor(l, loc, ring.phase));
    wait.getSlot().replaceAllUsesWith(l.toIndex(loc, slot));
    return success();
  }
};

struct CommitModel
    : SIMTLoweringOpInterface::ExternalModel<CommitModel, ProducerCommitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    advance(l, op->getLoc(), l.rings[cast<ProducerCommitOp>(op).getRing()]);
    return success();
  }
};

struct ReleaseModel
    : SIMTLoweringOpInterface::ExternalModel<ReleaseModel, ConsumerReleaseOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    const Ring &ring = l.rings[cast<ConsumerReleaseOp>(op).getRing()];
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    // One lane speaks for its warp when all its lanes have read.
    NVVM::SyncWarpOp::create(b, loc, l.i32(loc, -1));
    Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        l.threads().lane, l.i32(loc, 0));
    Value slot = loadCursor(l, loc, ring.slot);
    l.inIf(loc, first, [&] {
      NVVM::MBarrierArriveOp::create(b, loc, TypeRange(),
                                     barrierAt(l, loc, ring.empty, slot),
                                     Value());
    });
    advance(l, loc, ring);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// The barrier of a warpgroup's turn: the warpgroup before it arrives there, it
/// waits. Barriers 0 and 1 are those of the block and of the consumer.
static constexpr int64_t kFirstTurnBarrier = 2;

static Value getGroupNumber(KernelLowering &l, Location loc) {
  Value group = arith::DivUIOp::create(l.builder(), loc, l.threads().thread,
                                       l.i32(loc, l.getGPU().groupThreads()));
  // Known to be the same in all lanes.
  return gpu::ShuffleOp::create(l.builder(), loc, group, l.i32(loc, 0),
                                l.i32(loc, l.threads().lanes),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

static void passTurn(KernelLowering &l, Location loc, Value to) {
  Value barrier = arith::AddIOp::create(l.builder(), loc, to,
                                        l.i32(loc, kFirstTurnBarrier));
  emitAsm(l, loc, "bar.arrive $0, " + Twine(2 * l.getGPU().groupThreads()) + ";", {},
          "r,~{memory}", barrier);
}

struct TakeTurnModel
    : SIMTLoweringOpInterface::ExternalModel<TakeTurnModel, TakeTurnOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Value barrier = arith::AddIOp::create(b, loc, getGroupNumber(l, loc),
                                          l.i32(loc, kFirstTurnBarrier));
    NVVM::BarrierOp::create(b, loc, Type(), barrier,
                            l.i32(loc, 2 * l.getGPU().groupThreads()), {}, {});
    return success();
  }
};

struct PassTurnModel
    : SIMTLoweringOpInterface::ExternalModel<PassTurnModel, PassTurnOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Value next = arith::AddIOp::create(b, loc, getGroupNumber(l, loc),
                                       l.i32(loc, 1));
    Value groups = l.i32(loc, l.threads().size() / l.getGPU().groupThreads());
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        groups);
    passTurn(l, loc, arith::SelectOp::create(b, loc, wraps, l.i32(loc, 0),
                                             next));
    return success();
  }
};

/// The last warpgroup lets the first one begin.
static void beginTurns(KernelLowering &l, Location loc) {
  OpBuilder &b = l.builder();
  int64_t groups = l.threads().size() / l.getGPU().groupThreads();
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     getGroupNumber(l, loc),
                                     l.i32(loc, groups - 1));
  l.inIf(loc, last, [&] { passTurn(l, loc, l.i32(loc, 0)); });
}

struct StoreWaitModel
    : SIMTLoweringOpInterface::ExternalModel<StoreWaitModel, StoreWaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    if (!l.getTarget().getGPU()->tma)
      return op->emitOpError() << "needs tensor copies, which "
                               << l.getTarget().name << " does not have";
    l.waitForStores(op->getLoc(), cast<StoreWaitOp>(op).getPending());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

struct RolesModel
    : SIMTLoweringOpInterface::ExternalModel<RolesModel, RolesOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto roles = cast<RolesOp>(op);
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    l.extraThreads = l.getTarget().getProducerThreads();
    ThreadGroup consumers = l.threads();
    Value isProducer = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::uge, consumers.thread,
        l.i32(loc, consumers.size()));
    auto branch = scf::IfOp::create(b, loc, isProducer, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    setRegisters(roles.getProducerRegisters(), false, l, loc);
    Value warp = gpu::ShuffleOp::create(b, loc, consumers.warp, l.i32(loc, 0),
                                        l.i32(loc, consumers.lanes),
                                        gpu::ShuffleMode::IDX)
                     .getShuffleResult();
    Value works = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp,
                                        l.i32(loc, consumers.warps));
    auto worker = scf::IfOp::create(b, loc, works, false);
    b.setInsertionPointToStart(worker.thenBlock());
    Value elected = NVVM::ElectSyncOp::create(b, loc, b.getI1Type(), Value());
    auto one = scf::IfOp::create(b, loc, elected, false);
    b.setInsertionPointToStart(one.thenBlock());
    ThreadGroup alone;
    alone.lanes = alone.warps = 1;
    alone.lane = alone.warp = alone.thread = l.i32(loc, 0);
    if (failed(run(roles.getProducer(), one.thenBlock(), alone, l)))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
    setRegisters(roles.getConsumerRegisters(), true, l, loc);
    consumers.barrier = 1;
    bool hasTurns = roles.getConsumer()
                        .walk([](TakeTurnOp) { return WalkResult::interrupt(); })
                        .wasInterrupted();
    if (hasTurns)
      beginTurns(l, loc);
    return run(roles.getConsumer(), branch.elseBlock(), consumers, l);
  }

private:
  static void setRegisters(int64_t count, bool more, KernelLowering &l,
                           Location loc) {
    if (count == 0)
      return;
    NVVM::SetMaxRegisterOp::create(
        l.builder(), loc, count,
        more ? NVVM::SetMaxRegisterAction::increase
             : NVVM::SetMaxRegisterAction::decrease);
  }

  static LogicalResult run(Region &region, Block *to, const ThreadGroup &group,
                           KernelLowering &l) {
    OpBuilder &b = l.builder();
    b.setInsertionPoint(to->getTerminator());
    for (auto &[value, ring] : l.rings)
      for (Value cursor : {ring.slot, ring.phase})
        LLVM::StoreOp::create(b, value.getLoc(), l.i32(value.getLoc(), 0),
                              cursor);
    llvm::SaveAndRestore<ThreadGroup> threads(l.threads(), group);
    SmallVector<Operation *> ops;
    for (Operation &op : region.front())
      ops.push_back(&op);
    to->getOperations().splice(to->getTerminator()->getIterator(),
                               region.front().getOperations());
    for (Operation *op : ops)
      if (failed(l.lower(op)))
        return failure();
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

bool simt::isTensorCopy(CopyOp copy) {
  TransferAttr choice = copy.getInstructionAttr();
  if (!choice || choice.getFamily() != Instruction::TMA)
    return false;
  // A load that no ring waits for is made by the threads.
  return copy.getSignal() ||
         getMemorySpace(copy.getTarget()) == MemorySpace::Global;
}

namespace {
class TensorCopyEmitter {
public:
  TensorCopyEmitter(CopyOp op, KernelLowering &l)
      : op(op), l(l), b(l.builder()), loc(op.getLoc()) {}

  LogicalResult emit();

private:
  LogicalResult check(const BufferRegion &global, const BufferRegion &local,
                      const Buffer &shared);
  /// Emits one copy for each box of the tile.
  void forEachBox(const BufferRegion &global, const Buffer &shared,
                  function_ref<void(ValueRange, Value)> body);

  CopyOp op;
  KernelLowering &l;
  OpBuilder &b;
  Location loc;
  SharedMatrix matrix;
  SmallVector<int64_t> box;
  int64_t rowDim = -1, boxRows = 1;
};
} // namespace

LogicalResult TensorCopyEmitter::check(const BufferRegion &global,
                                       const BufferRegion &local,
                                       const Buffer &shared) {
  const auto *tma = l.getTarget().getGPU()->tma;
  if (!tma)
    return op.emitOpError() << "cannot use a tensor copy on "
                            << l.getTarget().name;
  if (!l.arguments.count(global.buffer))
    return op.emitOpError("expected a tensor copy of an argument of the "
                          "function, which is described at launch");
  int64_t bits = getStorageType(shared.element).getIntOrFloatBitWidth();
  auto matched = matchSharedMatrix(shared.layout, bits / 8);
  if (!matched)
    return op.emitOpError() << "cannot use a tensor copy: " << matched.reason();
  matrix = *matched;
  // Boxes cover all of a tile, whose rows lie along the last dimension.
  if (ArrayRef(local.sizes) != ArrayRef(shared.shape) ||
      global.sizes.back() != matrix.columns)
    return op.emitOpError()
           << "cannot use a tensor copy: expected the rows of a whole tile to "
              "be rows of the region, got "
           << formatShape(local.sizes) << " of a tile of "
           << formatShape(shared.shape) << " and a region of "
           << formatShape(global.sizes);
  box = global.sizes;
  for (int64_t dim = box.size() - 1; dim-- > 0;)
    if (box[dim] != 1)
      rowDim = dim;
  box.back() = matrix.blockColumns;
  if (rowDim >= 0) {
    boxRows = std::min(box[rowDim], tma->maxBox);
    while (box[rowDim] % boxRows != 0)
      --boxRows;
    box[rowDim] = boxRows;
  }
  if (int64_t(box.size()) > tma->maxRank || box.back() > tma->maxBox ||
      box.back() * bits / 8 % tma->innerBoxMultiple != 0)
    return op.emitOpError()
           << "cannot use a tensor copy: expected a box of at most "
           << tma->maxRank << " dimensions, up to " << tma->maxBox
           << " wide and of a multiple of " << tma->innerBoxMultiple
           << " bytes, got " << formatShape(box);
  return success();
}

void TensorCopyEmitter::forEachBox(
    const BufferRegion &global, const Buffer &shared,
    function_ref<void(ValueRange, Value)> body) {
  SmallVector<Value> origin = expandMap(b, loc, global.map, global.operands);
  for (Value &index : origin)
    index = l.toI32(loc, index);
  auto plus = [&](Value v, int64_t n) {
    return n == 0 ? v
                  : b.createOrFold<arith::AddIOp>(loc, v, l.i32(loc, n));
  };
  for (int64_t column = 0; column < matrix.columns;
       column += matrix.blockColumns)
    for (int64_t row = 0; row < matrix.rows; row += boxRows) {
      // The engine takes the fastest dimension first.
      SmallVector<Value> at;
      for (int64_t dim = origin.size(); dim-- > 0;) {
        int64_t shift = dim + 1 == int64_t(origin.size()) ? column
                        : dim == rowDim                   ? row
                                                          : 0;
        at.push_back(plus(origin[dim], shift));
      }
      int64_t elements = matrix.getByteOffset(row, column) / matrix.elementBytes;
      body(at, l.getAddress(loc, shared, l.i32(loc, elements)));
    }
}

LogicalResult TensorCopyEmitter::emit() {
  BufferRegion from = withOffsets(op.getSourceRegion());
  BufferRegion to = withOffsets(op.getTargetRegion());
  bool isLoad = getMemorySpace(from.buffer) == MemorySpace::Global;
  const BufferRegion &global = isLoad ? from : to;
  const BufferRegion &local = isLoad ? to : from;
  const Buffer *shared = l.getBuffer(op, local.buffer);
  if (!shared || failed(check(global, local, *shared)))
    return failure();
  Value map = l.getLaunch().getTensorMap(
      {l.arguments[global.buffer], box, matrix.swizzleBytes});
  if (isLoad) {
    const Ring &ring = l.rings[op.getSignal()];
    Value barrier =
        barrierAt(l, loc, ring.full, loadCursor(l, loc, ring.slot));
    auto cluster = LLVM::LLVMPointerType::get(b.getContext(), 7);
    forEachBox(global, *shared, [&](ValueRange at, Value address) {
      Value target = LLVM::AddrSpaceCastOp::create(b, loc, cluster, address);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, loc, target, map, at, barrier, ValueRange(), Value(), Value(),
          NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, nullptr, Value());
    });
    return success();
  }
  // Before it stands a barrier with a fence, behind it `tile.store_wait`.
  l.hasTensorStores = true;
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      l.threads().thread, l.i32(loc, 0));
  l.inIf(loc, first, [&] {
    forEachBox(global, *shared, [&](ValueRange at, Value address) {
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          b, loc, map, address, at, Value(), NVVM::TMAStoreMode::TILE,
          Value());
    });
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  });
  return success();
}

void KernelLowering::waitForStores(Location loc, int64_t pending) {
  // The thread that started them waits.
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      group.thread, i32(loc, 0));
  inIf(loc, first, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, pending, b.getUnitAttr());
  });
}

LogicalResult simt::emitTensorCopy(CopyOp copy, KernelLowering &l) {
  return TensorCopyEmitter(copy, l).emit();
}

void simt::attachAsyncModels(MLIRContext *context) {
  RingOp::attachInterface<RingModel>(*context);
  ProducerAcquireOp::attachInterface<AcquireModel>(*context);
  ProducerCommitOp::attachInterface<CommitModel>(*context);
  ConsumerWaitOp::attachInterface<WaitModel>(*context);
  ConsumerReleaseOp::attachInterface<ReleaseModel>(*context);
  RolesOp::attachInterface<RolesModel>(*context);
  TakeTurnOp::attachInterface<TakeTurnModel>(*context);
  PassTurnOp::attachInterface<PassTurnModel>(*context);
  StoreWaitOp::attachInterface<StoreWaitModel>(*context);
}
