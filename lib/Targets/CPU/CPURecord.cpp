//===- CPURecord.cpp - the target record of a CPU -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/Target.h"
#include "Tile/Targets/CPU/CPU.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

StringRef mlir::tile::getTargetRecord(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  if (machine.getTargetTriple().isAArch64())
    return "neon";
  if (!machine.getTargetTriple().isX86())
    return "generic";
  if (info.checkFeatures("+avx512f"))
    return "avx512";
  if (info.checkFeatures("+avx2"))
    return "x86-64-v3";
  return "generic";
}

unsigned mlir::tile::getVectorBits(const llvm::TargetMachine &machine) {
  StringRef record = getTargetRecord(machine);
  return 8 * ::tile::target::lookupTarget(record)->getCPU()->vectorBytes;
}
