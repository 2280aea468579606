//===- AMDGPU.cpp - code objects for AMD GPUs -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Emit/AMDGPU.h"

#include "CodeObject.h"
#include "Tile/Conversion/GPUToROCDL/Passes.h"
#include "Tile/Conversion/Passes.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Emit/NVPTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;

using Chip = ::tile::target::Target;

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

static FailureOr<const Chip *> getChip(gpu::GPUModuleOp module,
                                       StringRef given) {
  StringRef name = given;
  if (auto target = module->getAttrOfType<TargetAttr>("tile.target"))
    name = getTarget(target).name;
  if (name.empty())
    return module.emitError("names no chip; expected the attribute "
                            "'tile.target' or the option 'chip'");
  const Chip *chip = ::tile::target::lookupTarget(name);
  if (!chip)
    return module.emitError() << ::tile::target::describeUnknownTarget(name);
  if (chip->vendor != ::tile::target::Vendor::AMD)
    return module.emitError()
           << "expected a GPU of AMD as target, got '" << name << "'";
  return chip;
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(gpu::GPUModuleOp module, const Chip &chip) {
  static const bool initialised = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return module.emitError() << "LLVM cannot make code for AMD GPUs: "
                              << reason;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, chip.arch, chip.codegenFeatures, llvm::TargetOptions(),
      llvm::Reloc::PIC_, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return module.emitError() << "LLVM cannot make code for " << chip.arch;
  return machine;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static void optimize(llvm::Module &llvmModule, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  static constexpr const llvm::OptimizationLevel *levels[] = {
      &llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
      &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  // What is worth unrolling is unrolled: copies of a loop around matrix
  // instructions would only take registers.
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const llvm::OptimizationLevel &level = *levels[std::min(optLevel, 3u)];
  llvm::ModulePassManager pipeline =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                    : builder.buildPerModuleDefaultPipeline(level);
  pipeline.run(llvmModule, modules);
}

/// Assembly, or an object file that has yet to be linked.
static FailureOr<std::string> makeCode(gpu::GPUModuleOp module,
                                       const Chip &chip, AMDGPUOutput output,
                                       unsigned optLevel) {
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
  optimize(*llvmModule, **machine, optLevel);
  SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  auto type = output == AMDGPUOutput::Assembly
                  ? llvm::CodeGenFileType::AssemblyFile
                  : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type))
    return module.emitError("LLVM cannot write code for AMD GPUs");
  passes.run(*llvmModule);
  return std::string(buffer.begin(), buffer.end());
}

//===----------------------------------------------------------------------===//
// What the code takes
//===----------------------------------------------------------------------===//

static remark::RemarkOpts describe(StringRef name, StringRef function) {
  return remark::RemarkOpts::name(name)
      .category("tile-emit-amdgpu")
      .function(function);
}

/// Announces what a kernel takes; with `strict`, going through memory for it is
/// an error.
static LogicalResult judge(Operation *op, const AMDGPUKernel &kernel,
                           bool strict) {
  const AMDGPUResources &used = kernel.resources;
  remark::analysis(op->getLoc(), describe("Resources", kernel.name))
      << remark::metric("registers", used.vectorRegisters)
      << remark::metric("accumulators", used.accumulators)
      << remark::metric("scalar registers", used.scalarRegisters)
      << remark::metric("spills", used.vectorSpills)
      << remark::metric("scalar spills", used.scalarSpills)
      << remark::metric("scratch", used.scratch);
  if (used.vectorSpills + used.scalarSpills + used.scratch == 0)
    return success();
  remark::missed(op->getLoc(), describe("Spills", kernel.name))
      << remark::reason("{0} vector and {1} scalar registers are spilled, and "
                        "{2} bytes of scratch memory used",
                        used.vectorSpills, used.scalarSpills, used.scratch);
  // Scalar registers go to lanes of vector registers, not to memory.
  if (!strict || used.vectorSpills + used.scratch == 0)
    return success();
  return op->emitError() << "@" << kernel.name << " spills "
                         << used.vectorSpills << " vector registers and uses "
                         << used.scratch << " bytes of scratch memory, with "
                         << used.vectorRegisters << " registers";
}

static LogicalResult makeHSACO(gpu::GPUModuleOp module, StringRef object,
                               const AMDGPUOptions &options,
                               AMDGPUImage &image) {
  auto linker = codeobject::findLinker(module.getLoc(), options.lld);
  if (failed(linker) ||
      failed(codeobject::link(module.getLoc(), *linker, object, image.hsaco)))
    return failure();
  auto resources = codeobject::readResources(module.getLoc(), object);
  if (failed(resources))
    return failure();
  bool good = true;
  for (AMDGPUKernel &kernel : image.kernels) {
    kernel.resources = resources->lookup(kernel.name);
    Operation *op = SymbolTable::lookupSymbolIn(module, kernel.name);
    good &= succeeded(judge(op, kernel, options.strict));
  }
  return success(good);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FailureOr<AMDGPUImage>
mlir::tile::emitAMDGPU(gpu::GPUModuleOp module, AMDGPUOutput output,
                       const AMDGPUOptions &options) {
  auto chip = getChip(module, options.chip);
  if (failed(chip))
    return failure();
  AMDGPUImage image;
  image.chip = (*chip)->name.str();
  auto function = module->getAttrOfType<StringAttr>("tile.function");
  image.function = (function ? function.getValue() : module.getName()).str();
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName()))
      continue;
    AMDGPUKernel &entry = image.kernels.emplace_back();
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
  auto code = makeCode(module, **chip, output, options.optLevel);
  if (failed(code))
    return failure();
  if (output == AMDGPUOutput::Assembly)
    image.assembly = std::move(*code);
  else if (failed(makeHSACO(module, *code, options, image)))
    return failure();
  return image;
}

LogicalResult mlir::tile::lowerToROCDL(ModuleOp module,
                                       const AMDGPUOptions &options) {
  PassManager pm(module.getContext());
  // Fails where the tool has no such options.
  (void)applyPassManagerCLOptions(pm);
  // Code of threads says itself what it is for.
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    TileToGPUPipelineOptions tiles;
    tiles.chip = options.chip.empty() ? "gfx942" : options.chip;
    buildTileToGPUPipeline(pm, tiles);
  }
  GPUToROCDLPipelineOptions threads;
  threads.chip = options.chip;
  buildGPUToROCDLPipeline(pm, threads);
  return pm.run(module);
}

FailureOr<std::vector<AMDGPUImage>>
mlir::tile::compileAMDGPU(ModuleOp module, AMDGPUOutput output,
                          const AMDGPUOptions &options) {
  if (failed(lowerToROCDL(module, options)))
    return failure();
  std::vector<AMDGPUImage> images;
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    auto image = emitAMDGPU(device, output, options);
    if (failed(image))
      return failure();
    images.push_back(std::move(*image));
  }
  if (images.empty())
    return module.emitError("holds no gpu.module to make code from");
  return images;
}
