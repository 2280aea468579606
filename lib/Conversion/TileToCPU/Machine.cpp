//===- Machine.cpp - what the passes know of the CPU ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

using namespace mlir;

FailureOr<mlir::tile::cpu::Machine> mlir::tile::cpu::getMachine(Operation *op) {
  const ::tile::target::Target *chip = getTarget(op, "CPU");
  if (!chip)
    return failure();
  const ::tile::target::CPUSpec *cpu = chip->getCPU();
  Machine machine;
  machine.vectorBytes = cpu->vectorBytes;
  machine.vectorRegisters = cpu->vectorRegisters;
  machine.lineBytes = cpu->lineBytes;
  machine.rowBytes = cpu->rowBytes;
  machine.streamBytes = cpu->streamBytes;
  machine.prefetchLines = cpu->prefetchLines;
  machine.maxPrefetchLines = cpu->maxPrefetchLines;
  machine.prefetchBytes = cpu->prefetchBytes;
  return machine;
}
