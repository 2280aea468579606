//===- CPUTargetInfo.cpp - properties of the CPU --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUTargetInfo.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

using namespace mlir;

FailureOr<mlir::tile::cpu::CPUTargetInfo>
mlir::tile::cpu::getCPUTargetInfo(Operation *op) {
  const ::tile::target::Target *chip = getTarget(op, "CPU");
  if (!chip)
    return failure();
  const ::tile::target::CPUSpec *cpu = chip->getCPU();
  CPUTargetInfo cpuInfo;
  cpuInfo.vectorBytes = cpu->vectorBytes;
  cpuInfo.vectorRegisters = cpu->vectorRegisters;
  cpuInfo.lineBytes = cpu->lineBytes;
  cpuInfo.rowBytes = cpu->rowBytes;
  cpuInfo.streamBytes = cpu->streamBytes;
  cpuInfo.prefetchLines = cpu->prefetchLines;
  cpuInfo.maxPrefetchLines = cpu->maxPrefetchLines;
  cpuInfo.prefetchBytes = cpu->prefetchBytes;
  return cpuInfo;
}
