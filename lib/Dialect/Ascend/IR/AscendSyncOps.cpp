//===- AscendSyncOps.cpp - verifiers of flags, barriers and sections ------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "Tile/Dialect/Ascend/IR/Engines.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace ascend = mlir::tile::ascend;
namespace target = ::tile::target;

static LogicalResult verifyId(Operation *op, int64_t id, int64_t count) {
  if (id >= 0 && id < count)
    return success();
  return op->emitOpError() << "expected 'id' below " << count << ", got "
                           << id;
}

static LogicalResult verifyFlag(Operation *op, Pipe src, Pipe dst, int64_t id) {
  const target::Target *chip = getChip(op);
  if (!chip)
    return success();
  const target::AscendSpec &spec = *chip->getAscend();
  auto from = getEngine(src), to = getEngine(dst);
  bool exists = false;
  SmallVector<StringRef> legal;
  for (const target::AscendFlagPair &pair : spec.flagPairs) {
    if (!from || pair.src != *from)
      continue;
    exists |= to && pair.dst == *to;
    if (!llvm::is_contained(legal, target::stringify(pair.dst)))
      legal.push_back(target::stringify(pair.dst));
  }
  if (!exists)
    return op->emitOpError()
           << chip->name << " has no flags from '" << stringifyPipe(src)
           << "' to '" << stringifyPipe(dst) << "'; from '"
           << stringifyPipe(src) << "' they go to "
           << (legal.empty() ? "nowhere" : llvm::join(legal, ", "));
  return verifyId(op, id, spec.userEventIds);
}

LogicalResult SetFlagOp::verify() {
  // ascend.set_flag C1, C2
  return verifyFlag(*this, getSrc(), getDst(), getId());
}

LogicalResult WaitFlagOp::verify() {
  // ascend.wait_flag C1, C2
  return verifyFlag(*this, getSrc(), getDst(), getId());
}

LogicalResult SetAtomicOp::verify() {
  // ascend.set_atomic C1
  return getType() ? expectAtomic(*this, *getType(),
                                  getKind().value_or(ReduceKind::Sum))
                   : success();
}

LogicalResult PipeBarrierOp::verify() {
  // ascend.pipe_barrier C1
  const target::Target *chip = getChip(*this);
  if (!chip || getPipe() == Pipe::All)
    return success();
  auto engine = getEngine(getPipe());
  SmallVector<StringRef> legal;
  for (const target::AscendBarrier &barrier : chip->getAscend()->barriers)
    for (target::Engine other : barrier.engines) {
      if (other == *engine)
        return success();
      if (!llvm::is_contained(legal, target::stringify(other)))
        legal.push_back(target::stringify(other));
    }
  return emitOpError() << chip->name << " has no barrier of '"
                       << stringifyPipe(getPipe()) << "'; it has "
                       << llvm::join(legal, ", ") << ", all";
}

/// Until ascend-insert-sync drops what is implied and gives ids, flags of
/// transfers have numbers.
static LogicalResult verifyCrossId(Operation *op, int64_t id,
                                   const target::AscendSpec &spec) {
  bool isNumber = op->hasAttr(AscendDialect::kCrossCoreTransferAttr) &&
                  !op->getParentOfType<SectionOp>();
  return verifyId(op, id,
                  isNumber ? spec.crossFlagIds : spec.crossUserFlagIds);
}

LogicalResult CrossCoreSetFlagOp::verify() {
  // ascend.cross_core_set_flag C1
  const target::AscendSpec &spec = getSpec(*this);
  auto engine = getEngine(getPipe());
  if (!engine || !llvm::is_contained(spec.crossSetEngines, *engine))
    return emitOpError() << (getChip(*this) ? getChip(*this)->name : "it")
                         << " raises no flag of other cores from '"
                         << stringifyPipe(getPipe()) << "'";
  // ascend.cross_core_set_flag C2
  return verifyCrossId(*this, getId(), spec);
}

LogicalResult CrossCoreWaitFlagOp::verify() {
  // ascend.cross_core_wait_flag C1
  const target::AscendSpec &spec = getSpec(*this);
  if (failed(verifyCrossId(*this, getId(), spec)))
    return failure();
  // ascend.cross_core_wait_flag C2
  const target::Target *chip = getChip(*this);
  if (!chip)
    return success();
  if (spec.crossWaitOnePipe && !getPipe())
    return emitOpError() << chip->name << " holds one pipe: name it, as in "
                         << "'id(" << getId() << ") on mte2'";
  if (!spec.crossWaitOnePipe && getPipe())
    return emitOpError() << chip->name
                         << " holds all pipes of a core; name none";
  auto engine = getPipe() ? getEngine(*getPipe()) : std::nullopt;
  if (getPipe() &&
      (!engine || !llvm::is_contained(spec.crossSetEngines, *engine)))
    return emitOpError() << chip->name << " holds no pipe '"
                         << stringifyPipe(*getPipe()) << "'";
  return success();
}

LogicalResult SectionOp::verifyRegions() {
  // ascend.section C1
  if (!isa<mlir::tile::KernelOp>((*this)->getParentOp()))
    return emitOpError("expected to be directly in a 'tile.kernel'");
  // ascend.section C2
  auto result = getBody().walk([&](InstructionOpInterface op) {
    if (op.getCore() == getCore())
      return WalkResult::advance();
    op->emitOpError() << "is an instruction of the "
                      << stringifyCore(op.getCore())
                      << " core, in a section of the "
                      << stringifyCore(getCore()) << " core";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LeaveLoopOp::verify() {
  // ascend.leave_loop C1
  if (!isa<scf::ForOp>((*this)->getParentOp()))
    return emitOpError("expected to be directly in an 'scf.for'");
  return success();
}
