//===- NVPTX.cpp - PTX and cubins for NVIDIA GPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Emit/NVPTX.h"

#include "Ptxas.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

using Chip = ::tile::target::Target;

/// The chip that a name stands for, if it is NVIDIA's.
static FailureOr<const Chip *> lookupChip(Operation *op, StringRef name) {
  const Chip *chip = ::tile::target::lookupTarget(name);
  if (!chip)
    return op->emitError() << ::tile::target::describeUnknownTarget(name);
  if (chip->vendor != ::tile::target::Vendor::NVIDIA)
    return op->emitError() << "expected a target of NVIDIA for PTX, got '"
                           << name << "'";
  return chip;
}

static FailureOr<const Chip *> getChip(gpu::GPUModuleOp module,
                                       StringRef given) {
  if (auto target = module->getAttrOfType<TargetAttr>("tile.target"))
    return lookupChip(module, getTarget(target).name);
  if (given.empty())
    return module.emitError("names no chip; expected the attribute "
                            "'tile.target' or the option 'chip'");
  return lookupChip(module, given);
}

StringRef mlir::tile::findNVPTXChip(StringRef device) {
  // What a chip does not promise to its successors has an `a` at its end.
  for (StringRef suffix : {"a", ""})
    if (const Chip *chip =
            ::tile::target::lookupTarget((device + suffix).str()))
      return chip->name;
  return StringRef();
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(gpu::GPUModuleOp module, const Chip &chip) {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return module.emitError() << "LLVM cannot make PTX: " << reason;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, chip.arch, chip.codegenFeatures, llvm::TargetOptions(),
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return module.emitError() << "LLVM cannot make PTX for " << chip.arch;
  return machine;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

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
/// registers all along, and the assembler, which counts registers, moves what is
/// worth it itself. LLVM's own pipelines make code for mma.sync spill.
static LogicalResult optimize(gpu::GPUModuleOp module, llvm::Module &llvmModule,
                              llvm::TargetMachine &machine) {
  static constexpr StringRef passes =
      "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
      "simplifycfg,loop(loop-unroll-full),sroa,early-cse<memssa>,"
      "instcombine<no-verify-fixpoint>,gvn,simplifycfg,adce),"
      "cgscc(function-attrs)";
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager pipeline;
  if (llvm::Error error = builder.parsePassPipeline(pipeline, passes))
    return module.emitError()
           << "LLVM's passes failed: " << llvm::toString(std::move(error));
  pipeline.run(llvmModule, modules);
  return success();
}

static FailureOr<std::string> makePTX(gpu::GPUModuleOp module,
                                      const Chip &chip, unsigned optLevel) {
  auto machine = createMachine(module, chip);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule)
    return module.emitError("cannot be translated to LLVM IR");
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  makeAssemblyConvergent(*llvmModule);
  if (optLevel > 0 && failed(optimize(module, *llvmModule, **machine)))
    return failure();
  SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("LLVM cannot write PTX");
  passes.run(*llvmModule);
  return std::string(buffer.begin(), buffer.end());
}

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

static remark::RemarkOpts describe(StringRef name, StringRef function) {
  return remark::RemarkOpts::name(name)
      .category("tile-emit-nvptx")
      .function(function);
}

/// Announces what the assembler has said; with `strict`, what costs speed is an
/// error.
static LogicalResult judge(gpu::GPUModuleOp module,
                           const ptxas::Report &report, NVPTXImage &image,
                           bool strict) {
  bool good = true;
  for (NVPTXKernel &kernel : image.kernels) {
    auto found = report.kernels.find(kernel.name);
    if (found == report.kernels.end())
      continue;
    const NVPTXResources &used = kernel.resources = found->second;
    Operation *op = SymbolTable::lookupSymbolIn(module, kernel.name);
    remark::analysis(op->getLoc(), describe("Resources", kernel.name))
        << remark::metric("registers", used.registers)
        << remark::metric("spill stores", used.spillStores)
        << remark::metric("spill loads", used.spillLoads)
        << remark::metric("stack", used.stack);
    if (strict && used.spillStores + used.spillLoads > 0) {
      good = false;
      op->emitError() << "@" << kernel.name << " spills registers: "
                      << used.spillStores << " bytes of stores, "
                      << used.spillLoads << " bytes of loads, with "
                      << used.registers << " registers";
    }
  }
  for (StringRef line : report.losses) {
    remark::missed(module.getLoc(), describe("Assembler", image.function))
        << remark::reason("{0}", line);
    if (strict) {
      good = false;
      module.emitError() << "the assembler reports lost speed: " << line;
    }
  }
  return success(good);
}

static LogicalResult makeCubin(gpu::GPUModuleOp module, const Chip &chip,
                               NVPTXOutput output,
                               const NVPTXOptions &options,
                               NVPTXImage &image) {
  auto program = ptxas::find(module.getLoc(), options.ptxas);
  if (failed(program))
    return failure();
  if (program->empty()) {
    if (output == NVPTXOutput::CubinIfPossible)
      return success();
    return module.emitError(
        "a cubin needs NVIDIA's assembler, ptxas, which was not found; name "
        "it by the option 'ptxas' or TILE_PTXAS, or make PTX, which the "
        "driver compiles");
  }
  ptxas::Report report;
  if (failed(ptxas::assemble(module.getLoc(), *program, chip.arch,
                             options.optLevel, image.ptx, image.cubin,
                             report)))
    return failure();
  return judge(module, report, image, options.strict);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FailureOr<NVPTXImage> mlir::tile::emitNVPTX(gpu::GPUModuleOp module,
                                      NVPTXOutput output,
                                      const NVPTXOptions &options) {
  auto chip = getChip(module, options.chip);
  if (failed(chip))
    return failure();
  NVPTXImage image;
  image.chip = (*chip)->name.str();
  auto function = module->getAttrOfType<StringAttr>("tile.function");
  image.function = (function ? function.getValue() : module.getName()).str();
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    NVPTXKernel &entry = image.kernels.emplace_back();
    entry.name = kernel.getName().str();
    if (!kernel->hasAttr("tile.launch"))
      continue;
    auto metadata = getLaunchMetadata(kernel);
    if (failed(metadata))
      return failure();
    entry.metadata = std::move(*metadata);
  }
  if (image.kernels.empty())
    return module.emitError("holds no kernel");
  auto ptx = makePTX(module, **chip, options.optLevel);
  if (failed(ptx))
    return failure();
  image.ptx = std::move(*ptx);
  if (output != NVPTXOutput::PTX &&
      failed(makeCubin(module, **chip, output, options, image)))
    return failure();
  return image;
}

LogicalResult mlir::tile::lowerToNVVM(ModuleOp module,
                                      const NVPTXOptions &options) {
  PassManager pm(module.getContext());
  // Fails where the tool has no such options.
  (void)applyPassManagerCLOptions(pm);
  // Code of threads says itself what it is for.
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    TileToGPUPipelineOptions tiles;
    if (!options.chip.empty())
      tiles.chip = options.chip;
    buildTileToGPUPipeline(pm, tiles);
  }
  buildGPUToNVVMPipeline(pm, GPUToNVVMPipelineOptions());
  return pm.run(module);
}

FailureOr<std::vector<NVPTXImage>>
mlir::tile::compileNVPTX(ModuleOp module, NVPTXOutput output,
                   const NVPTXOptions &options) {
  if (failed(lowerToNVVM(module, options)))
    return failure();
  std::vector<NVPTXImage> images;
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    auto image = emitNVPTX(device, output, options);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
  }
  if (images.empty())
    return module.emitError("holds no gpu.module to make code from");
  return images;
}
