//===- AMDGPU.cpp - code objects for AMD GPUs -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/AMD/AMDGPU.h"

#include "CodeObject.h"
#include "Tile/Targets/GPU/DeviceCode.h"
#include "Tile/Conversion/GPUToLLVM.h"
#include "Tile/Conversion/GPUToROCDL/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static void initialiseLLVM() {
  static const bool initialised = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    return true;
  }();
  (void)initialised;
}

static void optimize(llvm::Module &llvmModule, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  static constexpr const llvm::OptimizationLevel *levels[] = {
      &llvm::OptimizationLevel::O0, &llvm::OptimizationLevel::O1,
      &llvm::OptimizationLevel::O2, &llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  // What is worth unrolling is unrolled: copies of a loop around matrix
  // instructions would only take registers.
  tuning.LoopUnrolling = false;
  const llvm::OptimizationLevel &level = *levels[std::min(optLevel, 3u)];
  auto build = [&](llvm::PassBuilder &builder,
                   llvm::ModulePassManager &pipeline) {
    pipeline = optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                             : builder.buildPerModuleDefaultPipeline(level);
    return llvm::Error::success();
  };
  llvm::cantFail(devicecode::runPasses(llvmModule, machine, tuning, build));
}

/// Assembly, or an object file that has yet to be linked.
static FailureOr<std::string> makeCode(gpu::GPUModuleOp module,
                                       const devicecode::Chip &chip,
                                       AMDGPUOutput output, unsigned optLevel) {
  const devicecode::Backend backend = {"amdgcn-amd-amdhsa", "code for AMD GPUs",
                                       llvm::Reloc::PIC_, initialiseLLVM};
  auto type = output == AMDGPUOutput::Assembly
                  ? llvm::CodeGenFileType::AssemblyFile
                  : llvm::CodeGenFileType::ObjectFile;
  return devicecode::makeCode(
      module, chip, backend, type,
      [&](llvm::Module &llvmModule, llvm::TargetMachine &machine) {
        optimize(llvmModule, machine, optLevel);
        return success();
      });
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

FailureOr<AMDGPUImage> mlir::tile::emitAMDGPU(gpu::GPUModuleOp module,
                                              AMDGPUOutput output,
                                              const AMDGPUOptions &options) {
  auto chip = getDeviceChip(module, options.chip, ::tile::target::Vendor::AMD,
                            "a GPU of AMD as target");
  if (failed(chip))
    return failure();
  AMDGPUImage image;
  image.chip = (*chip)->name.str();
  image.function = devicecode::getFunctionName(module);
  if (failed(devicecode::forEachKernel(
          module, ROCDL::ROCDLDialect::getKernelFuncAttrName(),
          [&](StringRef name, std::string metadata) {
            image.kernels.push_back({name.str(), std::move(metadata), {}});
          })))
    return failure();
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
  return devicecode::lower(
      module, options.chip.empty() ? StringRef("gfx942") : options.chip,
      [&](OpPassManager &pm) {
        GPUToROCDLPipelineOptions threads;
        threads.chip = options.chip;
        buildGPUToROCDLPipeline(pm, threads);
      });
}

FailureOr<std::vector<AMDGPUImage>>
mlir::tile::compileAMDGPU(ModuleOp module, AMDGPUOutput output,
                          const AMDGPUOptions &options) {
  if (failed(lowerToROCDL(module, options)))
    return failure();
  return devicecode::emitAll<AMDGPUImage>(module, [&](gpu::GPUModuleOp device) {
    return emitAMDGPU(device, output, options);
  });
}
