//===- DeviceCode.cpp - code from modules of device code ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/DeviceCode.h"

#include "Tile/Conversion/LaunchMetadata.h"
#include "Tile/Driver/CallLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;

std::string devicecode::getFunctionName(gpu::GPUModuleOp module) {
  for (Operation &op : module.getOps())
    if (auto launch = op.getAttrOfType<LaunchAttr>("tile.launch");
        launch && !launch.getFunction().empty())
      return launch.getFunction().str();
  return module.getName().str();
}

LogicalResult
devicecode::forEachKernel(gpu::GPUModuleOp module, StringRef marker,
                          function_ref<void(StringRef, std::string)> add) {
  bool any = false;
  SmallVector<LaunchAttr> versions;
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!kernel->hasAttr(marker))
      continue;
    any = true;
    auto launch = kernel->getAttrOfType<LaunchAttr>("tile.launch");
    // A version is launched in place of its general form, which is behind it.
    if (launch && !launch.getGeneral().empty()) {
      versions.push_back(launch);
      continue;
    }
    for (LaunchAttr version : versions)
      if (!launch || version.getGeneral() != launch.getKernel())
        return kernel.emitError()
               << "expected '" << version.getGeneral()
               << "', the general form of the version '" << version.getKernel()
               << "', got '" << kernel.getName() << "'";
    add(kernel.getName(),
        launch ? printLaunchMetadata(launch, versions,
                                     kernel->getAttr("world.copies"))
               : "");
    versions.clear();
  }
  if (!versions.empty())
    return module.emitError()
           << "expected '" << versions.front().getGeneral()
           << "', the general form of the version '"
           << versions.front().getKernel() << "', got no such kernel";
  return any ? success() : module.emitError("holds no kernel");
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createMachine(gpu::GPUModuleOp module, const devicecode::Chip &chip,
              const devicecode::Backend &backend) {
  backend.initialise();
  llvm::Triple triple(backend.triple);
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    // untested: a build of LLVM without GPUs
    return module.emitError()
           << "LLVM cannot make " << backend.product << ": " << reason;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, chip.arch, chip.codegenFeatures, llvm::TargetOptions(),
      backend.relocation, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    // untested: chips of the records are known to LLVM
    return module.emitError()
           << "LLVM cannot make " << backend.product << " for " << chip.arch;
  return machine;
}

static std::unique_ptr<llvm::Module> translate(gpu::GPUModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule) {
    module.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  return llvmModule;
}

static LogicalResult optimize(gpu::GPUModuleOp module, llvm::Module &llvmModule,
                              llvm::TargetMachine &machine,
                              devicecode::Optimize optimize) {
  LogicalResult result = failure();
  llvm::Error error = callLLVM(llvmModule.getContext(), [&] {
    result = optimize(llvmModule, machine);
  });
  if (error)
    // untested: the passes end the process in no way known
    return module.emitError() << "LLVM cannot optimise this code: "
                              << llvm::toString(std::move(error));
  return result;
}

/// Optimises a module and makes code of it.
static FailureOr<std::string> generate(gpu::GPUModuleOp module,
                                       llvm::Module &llvmModule,
                                       llvm::TargetMachine &machine,
                                       const devicecode::Backend &backend,
                                       llvm::CodeGenFileType type,
                                       devicecode::Optimize prepare) {
  if (failed(optimize(module, llvmModule, machine, prepare)))
    return failure();
  auto code = generateCode(llvmModule, machine, type);
  if (!code)
    return module.emitError() << "LLVM cannot make " << backend.product << ": "
                              << llvm::toString(code.takeError());
  return std::move(*code);
}

FailureOr<std::string> devicecode::makeCode(gpu::GPUModuleOp module,
                                            const Chip &chip,
                                            const Backend &backend,
                                            llvm::CodeGenFileType type,
                                            Optimize optimize) {
  auto machine = createMachine(module, chip, backend);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  auto llvmModule = translate(module, context, **machine);
  if (!llvmModule)
    return failure();
  return generate(module, *llvmModule, **machine, backend, type, optimize);
}

std::unique_ptr<llvm::Module> devicecode::makeModule(gpu::GPUModuleOp module,
                                                     const Chip &chip,
                                                     const Backend &backend,
                                                     llvm::LLVMContext &context,
                                                     Optimize optimize) {
  auto machine = createMachine(module, chip, backend);
  if (failed(machine))
    return nullptr;
  auto llvmModule = translate(module, context, **machine);
  if (llvmModule &&
      failed(::optimize(module, *llvmModule, **machine, optimize)))
    return nullptr;
  return llvmModule;
}

//===----------------------------------------------------------------------===//
// Kernel by kernel
//===----------------------------------------------------------------------===//

/// Leaves one kernel, and what it may use. With `suffix`, what is shared by
/// several kernels gets a name of its own.
static void isolate(llvm::Module &module, StringRef kernel, StringRef suffix) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration())
      continue;
    bool isKernel = function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
    if (isKernel && function.getName() != kernel)
      function.eraseFromParent();
    else if (!isKernel)
      function.setName(function.getName() + suffix);
  }
  for (llvm::GlobalVariable &global :
       llvm::make_early_inc_range(module.globals())) {
    if (global.use_empty() && global.hasLocalLinkage())
      global.eraseFromParent();
    else if (!global.getName().starts_with("llvm."))
      global.setName(global.getName() + suffix);
  }
}

FailureOr<std::vector<std::string>>
devicecode::makeAssemblyOfKernels(gpu::GPUModuleOp module, const Chip &chip,
                                  const Backend &backend, Optimize optimize) {
  auto machine = createMachine(module, chip, backend);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  auto llvmModule = translate(module, context, **machine);
  if (!llvmModule)
    return failure();
  SmallVector<std::string> kernels;
  for (llvm::Function &function : *llvmModule)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      kernels.push_back(function.getName().str());
  if (kernels.size() < 2) {
    auto code = generate(module, *llvmModule, **machine, backend,
                         llvm::CodeGenFileType::AssemblyFile, optimize);
    if (failed(code))
      return failure();
    return std::vector<std::string>{std::move(*code)};
  }
  // Contexts of LLVM belong to one thread.
  SmallString<0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  // The order of uses decides what passes do first.
  llvm::WriteBitcodeToFile(*llvmModule, os,
                           /*ShouldPreserveUseListOrder=*/true);
  std::vector<std::string> parts(kernels.size());
  auto make = [&](size_t i) -> LogicalResult {
    llvm::LLVMContext own;
    auto part = llvm::cantFail(
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "kernels"), own));
    isolate(*part, kernels[i], i ? "$" + kernels[i] : "");
    auto ownMachine = createMachine(module, chip, backend);
    if (failed(ownMachine))
      return failure();
    auto code = generate(module, *part, **ownMachine, backend,
                         llvm::CodeGenFileType::AssemblyFile, optimize);
    if (succeeded(code))
      parts[i] = std::move(*code);
    return success(succeeded(code));
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, kernels.size(),
                                      make)))
    return failure();
  return parts;
}

llvm::Error devicecode::runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::PipelineTuningOptions tuning,
    function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build) {
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
  llvm::ModulePassManager pipeline;
  if (llvm::Error error = build(builder, pipeline))
    return error;
  pipeline.run(module, modules);
  return llvm::Error::success();
}
