//===- Machine.cpp - what the passes know of the CPU ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Tile/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace target = ::tile::target;

static std::string getCPUNames() {
  SmallVector<StringRef> names;
  for (const target::Target &known : target::targets())
    if (known.getCPU())
      names.push_back(known.name);
  return llvm::join(names, ", ");
}

std::optional<mlir::tile::cpu::Machine>
mlir::tile::cpu::lookupMachine(StringRef name) {
  const target::Target *chip = target::lookupTarget(name);
  const target::CPUSpec *cpu = chip ? chip->getCPU() : nullptr;
  if (!cpu)
    return std::nullopt;
  Machine machine;
  machine.vectorBytes = cpu->vectorBytes;
  machine.vectorRegisters = cpu->vectorRegisters;
  machine.ldexp = cpu->ldexp;
  machine.lineBytes = cpu->lineBytes;
  machine.rowBytes = cpu->rowBytes;
  machine.streamBytes = cpu->streamBytes;
  machine.prefetchLines = cpu->prefetchLines;
  machine.maxPrefetchLines = cpu->maxPrefetchLines;
  machine.prefetchBytes = cpu->prefetchBytes;
  return machine;
}

FailureOr<mlir::tile::cpu::Machine>
mlir::tile::cpu::getMachine(Operation *root, StringRef name) {
  if (std::optional<Machine> machine = lookupMachine(name))
    return *machine;
  if (!target::lookupTarget(name))
    return root->emitError() << target::describeUnknownTarget(name);
  return root->emitError() << "expected a CPU as target, got '" << name
                           << "'; known CPU targets: " << getCPUNames();
}
