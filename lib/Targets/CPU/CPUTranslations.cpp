//===- CPUTranslations.cpp - the CPU's part of tile-translate -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Backend.h"
#include "Tile/Targets/CPU/CPU.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Constructed on registration, so that other tools do not show the options.
struct Options {
  llvm::cl::OptionCategory category{"CPU code"};
  llvm::cl::opt<std::string> cpu{
      "cpu",
      llvm::cl::desc("CPU to make code for, by LLVM's name; 'native' (the "
                     "default) is this machine"),
      llvm::cl::value_desc("name"), llvm::cl::init("native"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> features{
      "cpu-features", llvm::cl::desc("features to add to the CPU's or remove"),
      llvm::cl::value_desc("+a,-b"), llvm::cl::cat(category)};
  llvm::cl::opt<int> optLevel{
      "opt-level",
      llvm::cl::desc("LLVM optimisation level, 0 to 3; by default 3, and 0 for "
                     "--tile-to-llvmir"),
      llvm::cl::init(-1), llvm::cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

static void addTranslation(const Backend &backend, StringRef name,
                           StringRef description, CPUOutput output) {
  TranslateFromMLIRRegistration registration(
      name, description,
      [&backend, output](ModuleOp module, raw_ostream &os) -> LogicalResult {
        int level = options->optLevel;
        if (options->optLevel.getNumOccurrences() == 0)
          level = output == CPUOutput::LLVMIR ? 0 : 3;
        if (level < 0 || level > 3)
          return module.emitError()
                 << "expected --opt-level to be 0 to 3, got " << level;
        auto machine = createTargetMachine(
            module, {options->cpu, options->features, unsigned(level)});
        CompileOptions given;
        if (options->cpu.getNumOccurrences() != 0)
          given.chip = options->cpu;
        given.features = options->features;
        given.optLevel = unsigned(level);
        return failed(machine) || failed(lower(module, backend, given))
                   ? failure()
                   : emitCPU(module, **machine, level, output, os);
      },
      registerDialects);
}

void tile::registerCPUTranslations(const Backend &backend) {
  *options;
  addTranslation(backend, "tile-to-llvmir", "lower to LLVM IR for a CPU",
                 CPUOutput::LLVMIR);
  addTranslation(backend, "tile-to-object",
                 "compile to an object file for a CPU", CPUOutput::Object);
  addTranslation(backend, "tile-to-asm", "compile to assembly for a CPU",
                 CPUOutput::Assembly);
}
