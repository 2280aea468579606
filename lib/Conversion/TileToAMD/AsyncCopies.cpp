//===- AsyncCopies.cpp - loads to LDS, and waits for groups of them -------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave waits until at most N of its vector memory operations are under way,
// N being part of the instruction. They end in order, so N has to be at most
// the number of loads to LDS that the wave has issued since the group that it
// waits for; other loads and stores between them only make the wait longer.
// That number depends on branches: on loops that end, and tiles at the edge. So
// the kernel counts what it issues, group by group, in scalar registers, and
// compares the count with what groups amount to that are complete. Where it is
// less, the wave waits for all.
//
//===----------------------------------------------------------------------===//

#include "AMDSIMTTarget.h"

#include "Tile/Transforms/AsyncCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::amd;
using namespace mlir::tile::simt;

/// S_WAITCNT of gfx9: vmcnt in two parts, expcnt, lgkmcnt; the highest count is
/// no wait. [isa] MI300, "S_WAITCNT".
static constexpr int64_t kMaxCount = 63, kMaxLDS = 15;
static void emitWait(OpBuilder &b, Location loc, int64_t loads,
                     int64_t accesses = kMaxLDS) {
  constexpr int64_t kExports = 0x7 << 4;
  int64_t counts = (loads & 15) | kExports | accesses << 8 | (loads >> 4) << 14;
  ROCDL::SWaitcntOp::create(b, loc, b.getI32IntegerAttr(counts));
}

namespace {
/// The loads to LDS of one kernel.
struct AsyncCopies {
  bool isKnown = false;
  /// How many loads a complete group may have.
  llvm::SmallSetVector<int64_t, 4> sizes;
  /// Counts of loads: of the open group, and of the last ones, the latest first.
  Value issued;
  SmallVector<Value> groups;
  /// Of what these loads write.
  LLVM::AliasScopeAttr scope;
};
} // namespace

/// The widths that loads to LDS have: that which is known to be aligned, and the
/// widest, for which the kernel looks itself.
static SmallVector<int64_t, 2> getWidths(CopyOp copy,
                                         const ::tile::target::Target &chip) {
  SmallVector<int64_t, 2> widths{copy.getInstructionAttr().getBytes()};
  for (const ::tile::target::CopyRow &row : chip.copies)
    if (isLinearCopy(row))
      widths.push_back(row.widths.back());
  return widths;
}

/// The sizes of the groups, and how many of them a wait leaves under way: no more
/// than there are loads to count.
static int64_t collectGroups(KernelLowering &l, AsyncCopies &copies) {
  int64_t proven = 0, widest = 0, pending = 0;
  auto close = [&] {
    for (int64_t size : {proven, widest})
      if (size != 0)
        copies.sizes.insert(size);
    proven = widest = 0;
  };
  l.getFunction().walk([&](Operation *op) {
    if (isa<AsyncCommitOp>(op))
      close();
    if (auto wait = dyn_cast<AsyncWaitOp>(op))
      pending = std::max<int64_t>(pending, wait.getPending());
    auto copy = dyn_cast<CopyOp>(op);
    TransferAttr choice = copy ? copy.getInstructionAttr() : TransferAttr();
    if (!choice || choice.getFamily() != Instruction::CpAsync)
      return;
    BufferRegion region = copy.getTargetRegion();
    int64_t bytes = llvm::divideCeil(
        ShapedType::getNumElements(region.sizes) * getElementBits(region.buffer),
        8);
    SmallVector<int64_t, 2> widths = getWidths(copy, l.getTarget());
    auto count = [&](int64_t width) {
      return llvm::divideCeil(bytes, std::max<int64_t>(width, 1) *
                                         l.threads().size());
    };
    proven += count(widths.front());
    widest += count(widths.back());
  });
  close();
  return std::min(pending, kMaxCount);
}

static Value load(KernelLowering &l, Location loc, Value variable) {
  return LLVM::LoadOp::create(l.builder(), loc, l.builder().getI32Type(),
                              variable);
}

static void store(KernelLowering &l, Location loc, Value value,
                  Value variable) {
  LLVM::StoreOp::create(l.builder(), loc, value, variable);
}

/// A count that is 0 where the kernel begins.
static Value createCount(KernelLowering &l, Location loc) {
  OpBuilder &b = l.builder();
  Value variable = l.createRegisters(loc, b.getI32Type(), 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(variable);
  store(l, loc, l.i32(loc, 0), variable);
  return variable;
}

static AsyncCopies &getCopies(KernelLowering &l, Location loc) {
  auto &copies = l.getState<AsyncCopies>();
  if (copies.isKnown)
    return copies;
  copies.isKnown = true;
  int64_t pending = collectGroups(l, copies);
  for (int64_t i = 0; i < pending; ++i)
    copies.groups.push_back(createCount(l, loc));
  copies.issued = createCount(l, loc);
  MLIRContext *context = l.builder().getContext();
  auto name = StringAttr::get(context, "loads to LDS");
  copies.scope = LLVM::AliasScopeAttr::get(
      context, name, LLVM::AliasScopeDomainAttr::get(context, name, {}), {});
  return copies;
}

void AMDSIMTTarget::copyAsync(KernelLowering &l, Location loc, Value to,
                              Value from, int64_t bytes) const {
  OpBuilder &b = l.builder();
  AsyncCopies &copies = getCopies(l, loc);
  ROCDL::GlobalLoadLDSOp::create(
      b, loc, from, to, b.getI32IntegerAttr(bytes),
      /*offset=*/b.getI32IntegerAttr(0), /*aux=*/b.getI32IntegerAttr(0),
      b.getArrayAttr(copies.scope), ArrayAttr(), ArrayAttr());
  Value count = arith::AddIOp::create(b, loc, load(l, loc, copies.issued),
                                      l.i32(loc, 1));
  store(l, loc, count, copies.issued);
}

void AMDSIMTTarget::commitAsyncCopies(KernelLowering &l, Location loc) const {
  AsyncCopies &copies = getCopies(l, loc);
  for (size_t i = copies.groups.size(); i-- > 0;)
    store(l, loc,
          load(l, loc, i == 0 ? copies.issued : copies.groups[i - 1]),
          copies.groups[i]);
  store(l, loc, l.i32(loc, 0), copies.issued);
}

void AMDSIMTTarget::waitForAsyncCopies(KernelLowering &l, Location loc,
                                       int64_t pending) const {
  OpBuilder &b = l.builder();
  AsyncCopies &copies = getCopies(l, loc);
  pending = std::min<int64_t>(pending, copies.groups.size());
  SmallVector<int64_t> counts;
  for (int64_t size : copies.sizes)
    if (pending > 0)
      counts.push_back(std::min(kMaxCount, size * pending));
  llvm::sort(counts, std::greater<>());
  counts.erase(llvm::unique(counts), counts.end());
  if (counts.empty())
    return emitWait(b, loc, 0);
  Value issued = load(l, loc, copies.issued);
  for (Value group : ArrayRef(copies.groups).take_front(pending))
    issued = arith::AddIOp::create(b, loc, issued, load(l, loc, group));
  // Of lanes that were out of bounds the first may know of fewer loads.
  issued = ROCDL::ReadfirstlaneOp::create(b, loc, b.getI32Type(), issued);
  OpBuilder::InsertionGuard guard(b);
  for (int64_t count : counts) {
    Value enough = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         issued, l.i32(loc, count));
    auto branch = scf::IfOp::create(b, loc, enough, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emitWait(b, loc, count);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  emitWait(b, loc, 0);
}

/// The number of the wave is a scalar, and with it the places of its loads, which
/// the instruction takes from a scalar register.
static void makeWaveScalar(KernelLowering &l) {
  OpBuilder b(l.getFunction().getContext());
  Value wave = l.threads().warp;
  b.setInsertionPointAfterValue(wave);
  auto scalar = ROCDL::ReadfirstlaneOp::create(b, wave.getLoc(),
                                               wave.getType(), wave);
  wave.replaceAllUsesExcept(scalar, scalar);
}

/// Nothing under way that a wait has left: LLVM, which takes any load to LDS for
/// one of whatever LDS holds, is told that reads and writes of LDS need not wait
/// for it.
static void separateAccesses(gpu::GPUFuncOp function,
                             LLVM::AliasScopeAttr scope) {
  ArrayAttr scopes = ArrayAttr::get(function.getContext(), scope);
  function.walk([&](LLVM::AliasAnalysisOpInterface op) {
    if (isa<ROCDL::GlobalLoadLDSOp>(op))
      return;
    bool isShared = llvm::any_of(op.getAccessedOperands(), [](Value pointer) {
      auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
      return type && type.getAddressSpace() ==
                         ROCDL::ROCDLDialect::kSharedMemoryAddressSpace;
    });
    if (isShared)
      op.setNoAliasScopes(scopes);
  });
}

/// A fence of the workgroup waits for all loads to LDS, so the barriers of a
/// kernel that leaves some under way have the rest of it: a wait for the
/// accesses of LDS, and fences that only keep LLVM from moving accesses.
static void replaceBarriers(gpu::GPUFuncOp function) {
  SmallVector<gpu::BarrierOp> barriers;
  function.walk([&](gpu::BarrierOp barrier) { barriers.push_back(barrier); });
  for (gpu::BarrierOp barrier : barriers) {
    OpBuilder b(barrier);
    Location loc = barrier.getLoc();
    auto fence = [&](LLVM::AtomicOrdering ordering) {
      LLVM::FenceOp::create(b, loc, ordering, "wavefront");
    };
    emitWait(b, loc, kMaxCount, /*accesses=*/0);
    fence(LLVM::AtomicOrdering::release);
    ROCDL::SBarrierOp::create(b, loc);
    fence(LLVM::AtomicOrdering::acquire);
    barrier.erase();
  }
}

void AMDSIMTTarget::finishKernel(KernelLowering &l, Location) const {
  auto &copies = l.getState<AsyncCopies>();
  if (!copies.scope)
    return;
  makeWaveScalar(l);
  separateAccesses(l.getFunction(), copies.scope);
  if (!copies.groups.empty())
    replaceBarriers(l.getFunction());
}
