//===- CPU.cpp - LLVM IR and object files for a CPU -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/CPU/CPU.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Driver/CallLLVM.h"
#include "Tile/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::tile;

/// The features that the machine has and lacks: its name alone does not tell
/// (hypervisors hide some).
static std::string getHostFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

bool mlir::tile::initializeCPU() {
  static const bool initialised = !llvm::InitializeNativeTarget() &&
                                  !llvm::InitializeNativeTargetAsmPrinter() &&
                                  !llvm::InitializeNativeTargetAsmParser();
  return initialised;
}

bool mlir::tile::isKnownCPU(StringRef cpu) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string reason;
  const llvm::Target *llvmTarget =
      initializeCPU() ? llvm::TargetRegistry::lookupTarget(triple, reason)
                      : nullptr;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      llvmTarget ? llvmTarget->createMCSubtargetInfo(triple, "", "") : nullptr);
  return info && info->isCPUStringValid(cpu);
}

std::string mlir::tile::findMissingFeature(StringRef cpu) {
  // The name of this machine promises more than a hypervisor may show of it.
  if (!initializeCPU() || cpu == llvm::sys::getHostCPUName())
    return "";
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string reason;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      llvmTarget ? llvmTarget->createMCSubtargetInfo(triple, cpu, "")
                 : nullptr);
  if (!info)
    return "";
  auto host = llvm::sys::getHostCPUFeatures();
  for (const llvm::SubtargetFeatureKV &feature :
       info->getAllProcessorFeatures()) {
    auto found = host.find(feature.Key);
    if (info->getFeatureBits()[feature.Value] && found != host.end() &&
        !found->second)
      return feature.Key;
  }
  return "";
}

static LogicalResult checkFeatures(ModuleOp module, StringRef features,
                                   const llvm::MCSubtargetInfo &info) {
  SmallVector<StringRef> names;
  features.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    StringRef bare = name.drop_front();
    bool known = (name.front() == '+' || name.front() == '-') &&
                 llvm::any_of(info.getAllProcessorFeatures(),
                              [&](const llvm::SubtargetFeatureKV &feature) {
                                return bare == feature.Key;
                              });
    if (!known)
      return module.emitError()
             << "unknown CPU feature '" << name
             << "'; expected '+name' or '-name' with a name that LLVM knows";
  }
  return success();
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
mlir::tile::createTargetMachine(ModuleOp module, const CPUTarget &target) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string reason;
  const llvm::Target *llvmTarget =
      initializeCPU() ? llvm::TargetRegistry::lookupTarget(triple, reason)
                      : nullptr;
  if (!llvmTarget)
    // untested: a build of LLVM without its own machine
    return module.emitError() << "LLVM cannot make code for this machine: "
                              << (reason.empty() ? triple.str() : reason);

  bool native = target.cpu.empty() || target.cpu == "native";
  std::string cpu =
      native ? std::string(llvm::sys::getHostCPUName()) : target.cpu;
  const ::tile::target::Target *record = lookupTarget(module);
  if (native && record && record->getCPU()) {
    cpu = record->arch.str();
    native = false;
  }
  // An unknown name would be a warning of LLVM's and code for the oldest CPU.
  std::unique_ptr<llvm::MCSubtargetInfo> generic(
      llvmTarget->createMCSubtargetInfo(triple, "", ""));
  if (!generic->isCPUStringValid(cpu))
    return module.emitError()
           << "unknown CPU '" << cpu << "' for " << triple.getArchName();
  if (failed(checkFeatures(module, target.features, *generic)))
    return failure();
  std::string features = native ? getHostFeatures() : std::string();
  if (!target.features.empty())
    features += (features.empty() ? "" : ",") + target.features;

  auto level = llvm::CodeGenOpt::getLevel(target.optLevel)
                   .value_or(llvm::CodeGenOptLevel::Aggressive);
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      /*CM=*/std::nullopt, level));
  if (!machine)
    // untested: LLVM makes code for the machine that it runs on
    return module.emitError()
           << "LLVM cannot make code for " << triple.str() << ", " << cpu;
  return machine;
}

/// The wall behind the pipeline: what is left has to have a form in LLVM IR. Code
/// of GPUs is not translated.
static LogicalResult verifyLowered(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    Dialect *dialect = op->getDialect();
    if (dialect &&
        dialect->getRegisteredInterface<LLVMTranslationDialectInterface>() &&
        !isa<UnrealizedConversionCastOp>(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' cannot be lowered to code for a CPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

std::unique_ptr<llvm::Module>
mlir::tile::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context,
                              const llvm::TargetMachine &machine) {
  if (failed(verifyLowered(module)))
    return nullptr;
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context, "tile");
  if (!result) {
    module.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  // LLVM's own preference for shorter vectors is for code that has few of them.
  std::string vectorBits = std::to_string(getVectorBits(machine));
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", vectorBits);
  }
  return result;
}

LogicalResult mlir::tile::optimize(ModuleOp module, llvm::Module &llvmModule,
                                   llvm::TargetMachine &machine,
                                   unsigned level) {
  std::string problem;
  llvm::Error error = callLLVM(llvmModule.getContext(), [&] {
    problem = llvm::toString(makeOptimizingTransformer(
        level, /*sizeLevel=*/0, &machine)(&llvmModule));
  });
  if (error)
    problem = llvm::toString(std::move(error));
  if (problem.empty())
    return success();
  // untested: they fail in no way known
  return module.emitError() << "LLVM cannot optimise this code: " << problem;
}

LogicalResult mlir::tile::writeMachineCode(ModuleOp module,
                                           llvm::Module &llvmModule,
                                           llvm::TargetMachine &machine,
                                           bool assembly, raw_ostream &os) {
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile
                       : llvm::CodeGenFileType::ObjectFile;
  auto code = generateCode(llvmModule, machine, type);
  if (!code)
    return module.emitError() << "LLVM cannot make machine code: "
                              << llvm::toString(code.takeError());
  os << *code;
  return success();
}

LogicalResult mlir::tile::emitCPU(ModuleOp module, llvm::TargetMachine &machine,
                                  unsigned optLevel, CPUOutput output,
                                  raw_ostream &os) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateToLLVMIR(module, context, machine);
  if (!llvmModule || failed(optimize(module, *llvmModule, machine, optLevel)))
    return failure();
  if (output == CPUOutput::LLVMIR) {
    llvmModule->print(os, /*AAW=*/nullptr);
    return success();
  }
  return writeMachineCode(module, *llvmModule, machine,
                          output == CPUOutput::Assembly, os);
}
