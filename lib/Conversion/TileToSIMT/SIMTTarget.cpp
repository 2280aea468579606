//===- SIMTTarget.cpp - a vendor's GPUs for the common lowering -----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;
using ::tile::layout::fail;
using ::tile::layout::Result;

SIMTTarget::~SIMTTarget() = default;

SIMTTargets &SIMTTargets::get(TileDialect *dialect) {
  if (auto *targets = dialect->getRegisteredInterface<SIMTTargets>())
    return *targets;
  return dialect->addInterface<SIMTTargets>();
}

const SIMTTarget *SIMTTargets::lookup(MLIRContext *context,
                                      const ::tile::target::Target &chip) {
  auto *dialect = context->getLoadedDialect<TileDialect>();
  for (const auto &target : llvm::reverse(get(dialect).getTargets()))
    if (target->supports(chip))
      return target.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Hooks for any chip
//===----------------------------------------------------------------------===//

Value SIMTTarget::makeOpaque(KernelLowering &, Location, Value index) const {
  return index;
}

Value SIMTTarget::makeThreadOpaque(KernelLowering &, Location,
                                   Value number) const {
  return number;
}

Value SIMTTarget::voteAtBarrier(KernelLowering &, Location, Value, int64_t,
                                Value, bool) const {
  return {};
}

void SIMTTarget::fenceAsyncEngines(KernelLowering &, Location, bool) const {}

void SIMTTarget::abort(KernelLowering &l, Location loc, StringRef) const {
  LLVM::Trap::create(l.builder(), loc);
}

LogicalResult SIMTTarget::copyTensor(KernelLowering &l, CopyOp op, Value,
                                     std::optional<AtomicKind>) const {
  return op.emitOpError() << "cannot use a tensor copy on "
                          << l.getTarget().name;
}

Result<std::string> SIMTTarget::copyMatrices(KernelLowering &l, Location,
                                             const FragmentCopy &copy) const {
  return fail(l.getTarget().name.str(), " has no instruction that ",
              copy.isStore ? "stores" : "loads", " matrices");
}

LogicalResult SIMTTarget::emitMma(KernelLowering &l, GemmOp op) const {
  StringRef family = stringifyInstruction(op.getInstructionAttr().getFamily());
  InFlightDiagnostic diag =
      op.emitOpError() << "cannot be lowered with '" << family << "' on "
                       << l.getTarget().name << "; expected fma";
  llvm::SmallSetVector<StringRef, 4> others;
  for (const ::tile::target::MmaRow &row : l.getTarget().mmas)
    others.insert(::tile::target::stringify(row.family));
  others.remove(family);
  for (StringRef other : others)
    diag << (other == others.back() ? " or " : ", ") << other;
  return diag;
}

LogicalResult SIMTTarget::waitForMma(KernelLowering &l, GemmWaitOp op) const {
  return op.emitOpError() << "waits for asynchronous gemms, which "
                          << l.getTarget().name << " does not have";
}

//===----------------------------------------------------------------------===//
// Hooks for chips whose record asks for them
//===----------------------------------------------------------------------===//

[[noreturn]] static void missing() {
  llvm_unreachable("the record of the chip has what its SIMTTarget has not");
}

void SIMTTarget::setCluster(gpu::GPUFuncOp, ArrayRef<int64_t>) const {
  missing();
}

void SIMTTarget::partialBarrier(KernelLowering &, Location, Value,
                                int64_t) const {
  missing();
}

void SIMTTarget::arriveAtBarrier(KernelLowering &, Location, Value,
                                 int64_t) const {
  missing();
}

void SIMTTarget::warpBarrier(KernelLowering &, Location) const { missing(); }

Value SIMTTarget::electLane(KernelLowering &, Location) const { missing(); }

void SIMTTarget::setRegisterBudget(KernelLowering &, Location, int64_t,
                                   bool) const {
  missing();
}

void SIMTTarget::updateRun(KernelLowering &, Location, AtomicKind, Value,
                           ValueRange) const {
  missing();
}

void SIMTTarget::copyAsync(KernelLowering &, Location, Value, Value,
                           int64_t) const {
  missing();
}

void SIMTTarget::commitAsyncCopies(KernelLowering &, Location) const {
  missing();
}

void SIMTTarget::waitForAsyncCopies(KernelLowering &, Location,
                                    int64_t) const {
  missing();
}

void SIMTTarget::initBarrier(KernelLowering &, Location, Value,
                             int64_t) const {
  missing();
}

void SIMTTarget::fenceBarrierInit(KernelLowering &, Location) const {
  missing();
}

void SIMTTarget::arriveExpectingBytes(KernelLowering &, Location, Value,
                                      int64_t) const {
  missing();
}

void SIMTTarget::arrive(KernelLowering &, Location, Value) const { missing(); }

Value SIMTTarget::tryWait(KernelLowering &, Location, Value, Value) const {
  missing();
}

void SIMTTarget::waitForTensorStores(KernelLowering &, Location, int64_t,
                                     bool) const {
  missing();
}
