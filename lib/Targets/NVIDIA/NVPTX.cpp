//===- NVPTX.cpp - PTX and cubins for NVIDIA GPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/NVIDIA/NVPTX.h"

#include "Ptxas.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Targets/GPU/DeviceCode.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::tile;

using devicecode::Chip;

StringRef mlir::tile::findNVPTXChip(StringRef device) {
  // What a chip does not promise to its successors has an `a` at its end.
  for (StringRef suffix : {"a", ""})
    if (const Chip *chip =
            ::tile::target::lookupTarget((device + suffix).str()))
      return chip->name;
  return StringRef();
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

static void initialiseLLVM() {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
}

/// Inline assembly may synchronise threads: where it stands relative to
/// branches must not change. MLIR has no way to say so.
static void makeAssemblyConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallInst>(&instruction))
        if (call->isInlineAsm())
          call->setConvergent();
}

/// Short on purpose: what LLVM moves out of loops on top of that stays in
/// registers all along, and the assembler, which counts registers, moves what
/// is worth it itself. LLVM's own pipelines make code for mma.sync spill.
static LogicalResult optimize(gpu::GPUModuleOp module, llvm::Module &llvmModule,
                              llvm::TargetMachine &machine) {
  static constexpr StringRef passes =
      "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
      "simplifycfg,loop(loop-unroll-full),sroa,early-cse<memssa>,"
      "instcombine<no-verify-fixpoint>,gvn,simplifycfg,adce,infer-alignment),"
      "cgscc(function-attrs)";
  llvm::Error error = devicecode::runPasses(
      llvmModule, machine, llvm::PipelineTuningOptions(),
      [](llvm::PassBuilder &builder, llvm::ModulePassManager &pipeline) {
        return builder.parsePassPipeline(pipeline, passes);
      });
  if (error)
    // untested: the pipeline is a constant
    return module.emitError()
           << "LLVM's passes failed: " << llvm::toString(std::move(error));
  return success();
}

static const devicecode::Backend backend = {
    "nvptx64-nvidia-cuda", "PTX", /*relocation=*/std::nullopt, initialiseLLVM};

static LogicalResult prepare(gpu::GPUModuleOp module, llvm::Module &llvmModule,
                             llvm::TargetMachine &machine, unsigned optLevel) {
  makeAssemblyConvergent(llvmModule);
  return optLevel == 0 ? success() : optimize(module, llvmModule, machine);
}

/// PTX of one program, of which parts beyond the first need no header.
static FailureOr<std::string> makePTX(gpu::GPUModuleOp module, const Chip &chip,
                                      unsigned optLevel) {
  auto parts = devicecode::makeAssemblyOfKernels(
      module, chip, backend,
      [&](llvm::Module &llvmModule, llvm::TargetMachine &machine) {
        return prepare(module, llvmModule, machine, optLevel);
      });
  if (failed(parts))
    return failure();
  std::string ptx = std::move(parts->front());
  for (StringRef part : ArrayRef(*parts).drop_front())
    ptx += part.split(".address_size 64\n").second;
  return ptx;
}

std::unique_ptr<llvm::Module>
mlir::tile::makeNVPTXModule(gpu::GPUModuleOp module, unsigned optLevel,
                            llvm::LLVMContext &context) {
  const Chip *chip = getTarget(module, "NVIDIA");
  if (!chip)
    return nullptr;
  return devicecode::makeModule(
      module, *chip, backend, context,
      [&](llvm::Module &llvmModule, llvm::TargetMachine &machine) {
        return prepare(module, llvmModule, machine, optLevel);
      });
}

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

static remark::RemarkOpts describe(StringRef name, StringRef function) {
  return remark::RemarkOpts::name(name)
      .category("tile-emit-nvptx")
      .function(function);
}

/// Announces the messages of the assembler; with `strict`, losses of speed are
/// errors.
static LogicalResult announce(gpu::GPUModuleOp module,
                              const ptxas::Report &report,
                              const GPUImage &image, bool strict) {
  bool good = true;
  for (const GPUKernel &kernel : image.kernels) {
    auto found = report.kernels.find(kernel.name);
    if (found == report.kernels.end())
      continue;
    const ptxas::Resources &used = found->second;
    Operation *op = SymbolTable::lookupSymbolIn(module, kernel.name);
    remark::analysis(op->getLoc(), describe("Resources", kernel.name))
        << remark::metric("registers", used.registers)
        << remark::metric("spill stores", used.spillStores)
        << remark::metric("spill loads", used.spillLoads)
        << remark::metric("stack", used.stack);
    if (strict && used.spillStores + used.spillLoads > 0) {
      good = false;
      op->emitError() << "@" << kernel.name
                      << " spills registers: " << used.spillStores
                      << " bytes of stores, " << used.spillLoads
                      << " bytes of loads, with " << used.registers
                      << " registers";
    }
  }
  for (StringRef line : report.perfWarnings) {
    remark::missed(module.getLoc(), describe("Assembler", image.function))
        << remark::reason("{0}", line);
    if (strict) {
      good = false;
      module.emitError() << "the assembler reports a performance warning: "
                         << line;
    }
  }
  return success(good);
}

/// Makes the cubin of the image's PTX, its first artefact; leaves it out where
/// it is not asked for and there is no assembler.
static LogicalResult addCubin(gpu::GPUModuleOp module, const Chip &chip,
                              const GPUCodeOptions &options, GPUImage &image) {
  auto program = ptxas::find(module.getLoc(), options.tool);
  if (failed(program))
    return failure();
  if (program->empty()) {
    if (options.image.empty())
      return success();
    // untested: where NVIDIA's package is installed, it is found
    return module.emitError(
        "a cubin needs NVIDIA's assembler, ptxas, which was not found; name "
        "it by the option 'ptxas' or TILE_PTXAS, or make PTX, which the "
        "driver compiles");
  }
  ptxas::Report report;
  Artifact cubin{"cubin", ""};
  if (failed(ptxas::assemble(module.getLoc(), *program, chip.arch,
                             options.optLevel, image.artifacts.front().bytes,
                             cubin.bytes, report)))
    return failure();
  image.artifacts.insert(image.artifacts.begin(), std::move(cubin));
  return announce(module, report, image, options.strict);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FailureOr<GPUImage> mlir::tile::emitNVPTX(gpu::GPUModuleOp module,
                                          const GPUCodeOptions &options) {
  const Chip *chip = getTarget(module, "NVIDIA");
  if (!chip)
    return failure();
  GPUImage image;
  image.chip = chip->name.str();
  image.function = devicecode::getFunctionName(module);
  if (failed(devicecode::forEachKernel(
          module, NVVM::NVVMDialect::getKernelFuncAttrName(),
          [&](StringRef name, std::string metadata) {
            image.kernels.push_back({name.str(), std::move(metadata)});
          })))
    return failure();
  auto ptx = makePTX(module, *chip, options.optLevel);
  if (failed(ptx))
    return failure();
  image.artifacts.push_back({"ptx", std::move(*ptx)});
  if (options.image != "ptx" && failed(addCubin(module, *chip, options, image)))
    return failure();
  return image;
}
