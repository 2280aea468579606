//===- VerifyInstructions.cpp - instructions that the IR names ------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Transforms/VerifyInstructions.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Transforms/AsyncCopy.h"
#include "Tile/Transforms/GemmLayouts.h"
#include "Tile/Transforms/LayoutState.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace ::tile::target;
using ::tile::layout::Result;

/// Code of a fragment is written out for each register of a thread. What is
/// beyond many times those that there are is a mistake that takes hours to
/// compile.
static LogicalResult verifyRegisters(AllocOp alloc, const Target &chip) {
  constexpr int64_t kRegisterFiles = 16;
  int64_t limit = kRegisterFiles * chip.getGPU()->maxRegistersPerThread;
  int64_t threads = alloc->getParentOfType<KernelOp>().getThreads();
  int64_t bits = getElementBits(alloc.getBuffer());
  for (int64_t extent :
       cast<MemRefType>(alloc.getBuffer().getType()).getShape())
    if (llvm::MulOverflow(bits, extent, bits))
      bits = std::numeric_limits<int64_t>::max();
  int64_t registers = llvm::divideCeil(bits / 32, threads);
  if (registers <= limit)
    return success();
  return alloc.emitOpError()
         << "expected a fragment of at most " << limit
         << " registers in each of " << threads << " threads on " << chip.name
         << ", got " << registers;
}

static LogicalResult verifyMemory(AllocOp alloc, const Target &chip) {
  MemorySpace space = getMemorySpace(alloc.getBuffer());
  if (space == MemorySpace::Fragment)
    return verifyRegisters(alloc, chip);
  bool hasTmem = chip.getGPU()->tmemColumns > 0;
  if (space == MemorySpace::Shared || space == MemorySpace::Local ||
      (space == MemorySpace::Tmem && hasTmem))
    return success();
  return alloc.emitOpError()
         << "expected memory that " << chip.name
         << " has (shared, fragment, local" << (hasTmem ? ", tmem" : "")
         << "), got '" << stringifyMemorySpace(space) << "'";
}

/// Each warp has the same whole number of instructions.
static LogicalResult verifyShares(GemmOp gemm, const MmaRow &row,
                                  const Target &chip) {
  MmaAttr attr = gemm.getInstructionAttr();
  // The warps of one instruction stand along M.
  int64_t group = row.threads / chip.getGPU()->warpSize;
  if (attr.getWarpsM() % group != 0)
    return gemm.emitOpError()
           << "expected a multiple of " << group << " warps along M for '"
           << stringifyInstruction(attr.getFamily()) << "', got "
           << attr.getWarpsM();
  std::tuple<StringRef, int64_t, int64_t> shares[] = {
      {"M", gemm.getM(), attr.getM() * (attr.getWarpsM() / group)},
      {"N", gemm.getN(), attr.getN() * attr.getWarpsN()},
      {"K", gemm.getK(), attr.getK()}};
  for (auto [name, extent, share] : shares)
    if (extent % share != 0)
      return gemm.emitOpError()
             << "expected " << name << " to be a multiple of " << share
             << ", which its instructions and warps cover, got " << extent;
  return success();
}

static LogicalResult verifyGemm(GemmOp gemm, const Target &chip) {
  for (Value tile : {gemm.getA(), gemm.getB(), gemm.getC()})
    if (getMemorySpace(tile) == MemorySpace::Local)
      return gemm.emitOpError()
             << "expected the block's tiles (shared, fragment), got one in "
                "'local', which each thread has for itself";
  MmaAttr attr = gemm.getInstructionAttr();
  if (!attr)
    return success();
  ::tile::layout::Threads threads =
      getThreads(gemm->getParentOfType<KernelOp>(), chip);
  if (attr.getWarpsM() * attr.getWarpsN() > threads.warps)
    return gemm.emitOpError()
           << "expected at most " << threads.warps << " warps, got "
           << attr.getWarpsM() << " x " << attr.getWarpsN();
  if (attr.getFamily() == Instruction::FMA)
    return success();
  Result<MmaChoice> choice = getMmaChoice(gemm, chip);
  if (!choice)
    return gemm.emitOpError() << choice.reason();
  return verifyShares(gemm, *choice->row, chip);
}

static LogicalResult verifyCopy(CopyOp copy, const Target &chip) {
  TransferAttr attr = copy.getInstructionAttr();
  if (!attr || attr.getFamily() == Instruction::Sync)
    return success();
  StringRef name = stringifyInstruction(attr.getFamily());
  std::optional<CopyFamily> family = symbolizeCopyFamily(name);
  Space from = getTargetSpace(getMemorySpace(copy.getSource()));
  Space to = getTargetSpace(getMemorySpace(copy.getTarget()));
  auto has = [&](const CopyRow &row) {
    bool isFamily = attr.getFamily() == Instruction::CpAsync
                        ? isAsyncCopy(row)
                        : row.family == family;
    return isFamily && row.from == from && row.to == to &&
           (attr.getBytes() == 0 || row.moves(attr.getBytes()));
  };
  if (llvm::any_of(chip.copies, has))
    return success();
  InFlightDiagnostic diag = copy.emitOpError()
                            << "cannot use '" << name << "'";
  if (attr.getBytes() != 0)
    diag << " of " << attr.getBytes() << " bytes";
  return diag << " from " << stringify(from) << " to " << stringify(to)
              << " on " << chip.name << ", which has no such copy";
}

LogicalResult mlir::tile::verifyInstructions(KernelOp kernel,
                                             const Target &chip) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<AllocOp>(op))
      return verifyMemory(alloc, chip);
    if (auto gemm = dyn_cast<GemmOp>(op))
      return verifyGemm(gemm, chip);
    if (auto copy = dyn_cast<CopyOp>(op))
      return verifyCopy(copy, chip);
    return success();
  });
  return failure(result.wasInterrupted());
}
