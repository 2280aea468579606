//===- World.cpp - signals between ranks ----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of a block signals and polls; the block meets before and after. A
// wait that lasts too long writes a report to the table of the rank and lets
// the block go on: the launch ends, and whoever launched it reads the report.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Tile/Conversion/TileToSIMT/RankTarget.h"

#include "Tile/Dialect/World/IR/World.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

RankTargets &RankTargets::get(TileDialect *dialect) {
  if (auto *targets = dialect->getRegisteredInterface<RankTargets>())
    return *targets;
  return dialect->addInterface<RankTargets>();
}

const RankTarget *RankTargets::lookup(MLIRContext *context,
                                      const ::tile::target::Target &chip) {
  auto *dialect = context->getLoadedDialect<TileDialect>();
  for (const auto &target : llvm::reverse(get(dialect).targets))
    if (target->supports(chip))
      return target.get();
  return nullptr;
}

/// Null, with an error, where there is none.
static const RankTarget *getRankTarget(Operation *op, KernelLowering &l) {
  const RankTarget *target =
      RankTargets::lookup(op->getContext(), l.getTarget());
  if (!target)
    op->emitOpError() << "cannot be lowered to threads of "
                      << l.getTarget().name
                      << ", which runs one rank; ranks run on the CPU, as "
                         "threads, and on NVIDIA GPUs";
  return target;
}

/// A producer of copies is one thread alone.
static void meet(KernelLowering &l, Location loc) {
  if (l.threads().size() > 1)
    l.barrier(loc);
}

/// The address of the flag; null, with an error, where there is none.
template <typename OpTy> static Value getFlag(OpTy op, KernelLowering &l) {
  const Buffer *flags = l.getBuffer(op, op.getFlags());
  if (!flags)
    return {};
  Location loc = op.getLoc();
  return l.getAddress(loc, *flags,
                      l.getOffset(loc, *flags, ValueRange{op.getIndex()}));
}

/// A load that is one access, of which the compiler assumes nothing.
static Value loadAtomically(OpBuilder &b, Location loc, Type type,
                            Value address, LLVM::AtomicOrdering ordering) {
  return LLVM::LoadOp::create(b, loc, type, address,
                              type.getIntOrFloatBitWidth() / 8,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false, /*isInvariantGroup=*/false,
                              ordering);
}

/// What the others of the block wrote happens before, by the barrier; what the
/// copy engine wrote for this thread, when it is complete.
static void gatherWrites(KernelLowering &l, Location loc) {
  meet(l, loc);
  if (l.getGPU().tma)
    l.getSIMT().waitForTensorStores(l, loc, /*pending=*/0,
                                    /*isComplete=*/true);
}

namespace {
struct SignalModel
    : SIMTLoweringOpInterface::ExternalModel<SignalModel, world::SignalOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto signal = cast<world::SignalOp>(op);
    const RankTarget *target = getRankTarget(op, l);
    if (!target)
      return failure();
    Value flag = getFlag(signal, l);
    if (!flag)
      return failure();
    Location loc = op->getLoc();
    if (signal.getDeferred())
      return defer(signal, flag, l);
    gatherWrites(l, loc);
    const Buffer *table = nullptr;
    if (signal.getWorld() && !(table = l.getBuffer(op, signal.getWorld())))
      return failure();
    l.inFirstThread(loc, [&] {
      l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/true);
      if (table)
        signalAll(signal, flag, *table, *target, l);
      else
        signalOne(signal, flag, /*isRelease=*/true, *target, l);
    });
    return success();
  }

private:
  /// Every thread keeps it: they are alike, so the registers are uniform.
  static LogicalResult defer(world::SignalOp op, Value flag,
                             KernelLowering &l) {
    const Buffer *room = l.getBuffer(op, op.getDeferred());
    if (!room)
      return failure();
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    Type word = b.getI64Type();
    Value value = op.getValue();
    if (value.getType() != word)
      value = arith::ExtSIOp::create(b, loc, word, value);
    l.storeRegister(loc, LLVM::PtrToIntOp::create(b, loc, word, flag), *room, 0);
    l.storeRegister(loc, value, *room, 1);
    return success();
  }

  static void signalOne(world::SignalOp op, Value flag, bool isRelease,
                        const RankTarget &target, KernelLowering &l) {
    Value value = op.getValue();
    if (!op.getSet())
      return target.add(l, op.getLoc(), flag, value, isRelease);
    LLVM::StoreOp::create(l.builder(), op.getLoc(), value, flag,
                          value.getType().getIntOrFloatBitWidth() / 8,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          isRelease ? LLVM::AtomicOrdering::release
                                    : LLVM::AtomicOrdering::monotonic);
  }

  /// One fence, and then the flag of each rank, as far away as its table. Each
  /// rank begins with itself, so that not all go to the same one.
  static void signalAll(world::SignalOp op, Value flag, const Buffer &table,
                        const RankTarget &target, KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    Type word = b.getI64Type();
    auto number = [&](int64_t n) -> Value {
      return arith::ConstantIntOp::create(b, loc, n, 64);
    };
    Value words = l.getAddress(loc, table, constantIndex(b, loc, 0));
    auto load = [&](Value at) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, words.getType(), word, words,
                                          ArrayRef<LLVM::GEPArg>{at});
      return LLVM::LoadOp::create(b, loc, word, address);
    };
    auto loadTable = [&](Value rank) {
      return load(arith::AddIOp::create(b, loc, rank,
                                        number(world::kTableOfRanks)));
    };
    Value rank = load(number(world::kTableRank));
    Value size = load(number(world::kTableSize));
    Value here = loadTable(rank);
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel,
                          /*syncscope=*/StringRef());
    auto loop = scf::ForOp::create(b, loc, number(0), size, number(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = arith::RemUIOp::create(
        b, loc,
        arith::AddIOp::create(b, loc, rank, loop.getInductionVar()), size);
    Value away = arith::SubIOp::create(b, loc, loadTable(next), here);
    Value there = LLVM::GEPOp::create(b, loc, flag.getType(), b.getI8Type(),
                                      flag, ArrayRef<LLVM::GEPArg>{away});
    signalOne(op, there, /*isRelease=*/false, target, l);
  }
};

/// Two words: the address of the flag, zero if there is none, and what is added.
struct CreateDeferredModel
    : SIMTLoweringOpInterface::ExternalModel<CreateDeferredModel,
                                             world::CreateDeferredOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    Buffer room;
    room.space = MemorySpace::Local;
    room.element = b.getI64Type();
    room.shape = {2};
    room.base = l.createRegisters(loc, room.element, 2);
    l.storeRegister(loc, arith::ConstantIntOp::create(b, loc, 0, 64), room, 0);
    l.setBuffer(op->getResult(0), room);
    return success();
  }
};

struct FlushModel
    : SIMTLoweringOpInterface::ExternalModel<FlushModel, world::FlushOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto deferred = cast<world::FlushOp>(op).getDeferred();
    const RankTarget *target = getRankTarget(op, l);
    const Buffer *room = target ? l.getBuffer(op, deferred) : nullptr;
    if (!room)
      return failure();
    OpBuilder &b = l.builder();
    Location loc = op->getLoc();
    gatherWrites(l, loc);
    Value none = arith::ConstantIntOp::create(b, loc, 0, 64);
    Value flag = l.loadRegister(loc, *room, 0);
    Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         flag, none);
    l.inFirstThread(loc, [&] {
      l.inIf(loc, isFull, [&] {
        l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/true);
        Value value = l.loadRegister(loc, *room, 1);
        Type type = deferred.getType().getElement();
        if (type != value.getType())
          value = arith::TruncIOp::create(b, loc, type, value);
        auto pointer = LLVM::LLVMPointerType::get(b.getContext());
        target->add(l, loc, LLVM::IntToPtrOp::create(b, loc, pointer, flag),
                    value, /*isRelease=*/true);
      });
    });
    l.storeRegister(loc, none, *room, 0);
    return success();
  }
};

/// The words of a table in which a rank says what it waited for.
class Report {
public:
  Report(KernelLowering &l, Location loc, const Buffer &table)
      : l(l), loc(loc), table(table),
        end(getValueOrCreateConstantIndexOp(l.builder(), loc, table.sizes[0])) {
  }

  Value getAddress(world::ReportWord word) {
    Value back = constantIndex(l.builder(), loc,
                               world::kNumReportWords - int64_t(word));
    Value at = arith::SubIOp::create(l.builder(), loc, end, back);
    return l.getAddress(loc, table, at);
  }
  Value load(world::ReportWord word) {
    return loadAtomically(l.builder(), loc, l.builder().getI64Type(),
                          getAddress(word), LLVM::AtomicOrdering::monotonic);
  }
  void store(world::ReportWord word, Value value) {
    OpBuilder &b = l.builder();
    if (value.getType() != b.getI64Type())
      value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
    LLVM::StoreOp::create(b, loc, value, getAddress(word));
  }

private:
  KernelLowering &l;
  Location loc;
  const Buffer &table;
  Value end;
};

struct WaitModel
    : SIMTLoweringOpInterface::ExternalModel<WaitModel, world::WaitOp> {
  LogicalResult lowerToThreads(Operation *op, KernelLowering &l) const {
    auto wait = cast<world::WaitOp>(op);
    const RankTarget *target = getRankTarget(op, l);
    if (!target)
      return failure();
    if (!wait.getTable())
      return op->emitOpError("expected the table of its rank, in which it "
                             "reports that nobody signals; run 'world-resolve' "
                             "first");
    const Buffer *table = l.getBuffer(op, wait.getTable());
    Value flag = getFlag(wait, l);
    if (!table || !flag)
      return failure();
    Location loc = op->getLoc();
    l.inFirstThread(loc, [&] { poll(wait, flag, *table, *target, l); });
    meet(l, loc);
    // What threads of other ranks wrote may be read by the copy engine.
    l.getSIMT().fenceAsyncEngines(l, loc, /*isGlobal=*/true);
    return success();
  }

private:
  static Value isThere(world::WaitOp op, Value value, OpBuilder &b) {
    auto predicate = op.getCondition() == world::SignalCondition::GE
                         ? arith::CmpIPredicate::sge
                         : arith::CmpIPredicate::eq;
    return arith::CmpIOp::create(b, op.getLoc(), predicate, value,
                                 op.getValue());
  }

  /// Looks once, and then again and again until it is late.
  static void poll(world::WaitOp op, Value flag, const Buffer &table,
                   const RankTarget &target, KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    Type type = op.getValue().getType();
    auto look = [&] {
      return loadAtomically(b, loc, type, flag, LLVM::AtomicOrdering::acquire);
    };
    Value first = look();
    Value isOpen = arith::XOrIOp::create(
        b, loc, isThere(op, first, b),
        arith::ConstantIntOp::create(b, loc, 1, 1));
    if (op.getCondition() == world::SignalCondition::GE &&
        !getConstantIntValue(op.getValue()))
      reportNoTarget(op, first, table, l);
    l.inIf(loc, isOpen, [&] {
      Report report(l, loc, table);
      Value start = target.readNanoseconds(l, loc);
      Value limit = report.load(world::ReportWord::Timeout);
      OpBuilder::InsertionGuard guard(b);
      auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
      b.createBlock(&loop.getBefore());
      Value value = look();
      Value isDone = isThere(op, value, b);
      Value now = target.readNanoseconds(l, loc);
      Value passed = arith::SubIOp::create(b, loc, now, start);
      Value isLate = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                           passed, limit);
      // Once a wait of the rank was in vain, none is worth its time.
      Value hasFailed = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne,
          report.load(world::ReportWord::Claimed),
          arith::ConstantIntOp::create(b, loc, 0, 64));
      Value isOver = arith::OrIOp::create(b, loc, isLate, hasFailed);
      Value isInVain = arith::AndIOp::create(
          b, loc, isOver,
          arith::XOrIOp::create(b, loc, isDone,
                                arith::ConstantIntOp::create(b, loc, 1, 1)));
      l.inIf(loc, isInVain, [&] { write(op, value, report, l); });
      Value goesOn = arith::XOrIOp::create(
          b, loc, arith::OrIOp::create(b, loc, isDone, isOver),
          arith::ConstantIntOp::create(b, loc, 1, 1));
      scf::ConditionOp::create(b, loc, goesOn, ValueRange());
      b.createBlock(&loop.getAfter());
      scf::YieldOp::create(b, loc);
    });
  }

  /// A value that nobody has to signal for, as one that was rounded down, would
  /// be a wait for nothing.
  static void reportNoTarget(world::WaitOp op, Value value, const Buffer &table,
                             KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    Value one = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(op.getValue().getType(), 1));
    Value isNone = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         op.getValue(), one);
    l.inIf(loc, isNone, [&] {
      Report report(l, loc, table);
      write(op, value, report, l);
    });
  }

  /// The first wait of the rank that is in vain reports itself.
  static void write(world::WaitOp op, Value value, Report &report,
                    KernelLowering &l) {
    OpBuilder &b = l.builder();
    Location loc = op.getLoc();
    auto number = [&](int64_t n) -> Value {
      return arith::ConstantIntOp::create(b, loc, n, 64);
    };
    Value before = LLVM::AtomicRMWOp::create(
        b, loc, LLVM::AtomicBinOp::xchg,
        report.getAddress(world::ReportWord::Claimed), number(1),
        LLVM::AtomicOrdering::monotonic);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          before, number(0));
    l.inIf(loc, isFirst, [&] {
      auto place = loc->findInstanceOf<FileLineColLoc>();
      report.store(world::ReportWord::Line,
                   number(place ? place.getLine() : 0));
      report.store(world::ReportWord::Column,
                   number(place ? place.getColumn() : 0));
      report.store(world::ReportWord::Wanted, op.getValue());
      report.store(world::ReportWord::Got, value);
      report.store(world::ReportWord::Condition,
                   number(int64_t(op.getCondition())));
    });
  }
};
} // namespace

void simt::attachWorldModels(MLIRContext *context) {
  context->loadDialect<world::WorldDialect>();
  world::SignalOp::attachInterface<SignalModel>(*context);
  world::WaitOp::attachInterface<WaitModel>(*context);
  world::CreateDeferredOp::attachInterface<CreateDeferredModel>(*context);
  world::FlushOp::attachInterface<FlushModel>(*context);
}
