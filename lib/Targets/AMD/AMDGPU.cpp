//===- AMDGPU.cpp - code objects for AMD GPUs -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/AMD/AMDGPU.h"

#include "CodeObject.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Targets/GPU/DeviceCode.h"

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

static const devicecode::Backend backend = {"amdgcn-amd-amdhsa",
                                            "code for AMD GPUs",
                                            llvm::Reloc::PIC_, initialiseLLVM};

/// Assembly, or an object file that has yet to be linked.
static FailureOr<std::string> makeCode(gpu::GPUModuleOp module,
                                       const devicecode::Chip &chip,
                                       llvm::CodeGenFileType type,
                                       unsigned optLevel) {
  return devicecode::makeCode(
      module, chip, backend, type,
      [&](llvm::Module &llvmModule, llvm::TargetMachine &machine) {
        optimize(llvmModule, machine, optLevel);
        return success();
      });
}

std::unique_ptr<llvm::Module>
mlir::tile::makeAMDGPUModule(gpu::GPUModuleOp module, unsigned optLevel,
                             llvm::LLVMContext &context) {
  const ::tile::target::Target *chip = getTarget(module, "AMD");
  if (!chip)
    return nullptr;
  return devicecode::makeModule(
      module, *chip, backend, context,
      [&](llvm::Module &llvmModule, llvm::TargetMachine &machine) {
        optimize(llvmModule, machine, optLevel);
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

static remark::RemarkOpts describe(StringRef name, StringRef function) {
  return remark::RemarkOpts::name(name)
      .category("tile-emit-amdgpu")
      .function(function);
}

/// Announces the resources of a kernel; with `strict`, going through memory for
/// registers is an error.
static LogicalResult announce(Operation *op, StringRef kernel,
                              const codeobject::Resources &used, bool strict) {
  remark::analysis(op->getLoc(), describe("Resources", kernel))
      << remark::metric("registers", used.vectorRegisters)
      << remark::metric("accumulators", used.accumulators)
      << remark::metric("scalar registers", used.scalarRegisters)
      << remark::metric("spills", used.vectorSpills)
      << remark::metric("scalar spills", used.scalarSpills)
      << remark::metric("scratch", used.scratch);
  if (used.vectorSpills + used.scalarSpills + used.scratch == 0)
    return success();
  remark::missed(op->getLoc(), describe("Spills", kernel))
      << remark::reason("{0} vector and {1} scalar registers are spilled, and "
                        "{2} bytes of scratch memory used",
                        used.vectorSpills, used.scalarSpills, used.scratch);
  // Scalar registers go to lanes of vector registers, not to memory; LLVM
  // leaves their places in the frame, 4 bytes each.
  int64_t memory = std::max<int64_t>(0, used.scratch - 4 * used.scalarSpills);
  if (!strict || used.vectorSpills + memory == 0)
    return success();
  return op->emitError() << "@" << kernel << " spills " << used.vectorSpills
                         << " vector registers and uses " << memory
                         << " bytes of scratch memory, with "
                         << used.vectorRegisters << " registers";
}

static LogicalResult addCodeObject(gpu::GPUModuleOp module, StringRef object,
                                   const GPUCodeOptions &options,
                                   GPUImage &image) {
  Artifact linked{"hsaco", ""};
  auto linker = codeobject::findLinker(module.getLoc(), options.tool);
  if (failed(linker) ||
      failed(codeobject::link(module.getLoc(), *linker, object, linked.bytes)))
    return failure();
  image.artifacts.push_back(std::move(linked));
  auto resources = codeobject::readResources(module.getLoc(), object);
  if (failed(resources))
    return failure();
  bool good = true;
  for (const GPUKernel &kernel : image.kernels)
    good &= succeeded(announce(SymbolTable::lookupSymbolIn(module, kernel.name),
                               kernel.name, resources->lookup(kernel.name),
                               options.strict));
  return success(good);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FailureOr<GPUImage> mlir::tile::emitAMDGPU(gpu::GPUModuleOp module,
                                           const GPUCodeOptions &options) {
  const ::tile::target::Target *chip = getTarget(module, "AMD");
  if (!chip)
    return failure();
  GPUImage image;
  image.chip = chip->name.str();
  image.function = devicecode::getFunctionName(module);
  if (failed(devicecode::forEachKernel(
          module, ROCDL::ROCDLDialect::getKernelFuncAttrName(),
          [&](StringRef name, std::string metadata) {
            image.kernels.push_back({name.str(), std::move(metadata)});
          })))
    return failure();
  if (options.image != "amdgcn") {
    auto object = makeCode(module, *chip, llvm::CodeGenFileType::ObjectFile,
                           options.optLevel);
    if (failed(object) ||
        failed(addCodeObject(module, *object, options, image)))
      return failure();
  }
  if (image.artifacts.empty() || options.assembly) {
    auto text = makeCode(module, *chip, llvm::CodeGenFileType::AssemblyFile,
                         options.optLevel);
    if (failed(text))
      return failure();
    image.artifacts.push_back({"amdgcn", std::move(*text)});
  }
  return image;
}
