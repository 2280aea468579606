//===- SIMTModel.cpp - kernels on the SIMT model --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/SIMTModel.h"

#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Driver/CallLLVM.h"
#include "Tile/Driver/LinkObject.h"
#include "Tile/Targets/GPU/DeviceCode.h"
#include "tile_simt_model.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tile;
namespace orc = llvm::orc;

static constexpr llvm::StringLiteral kCode = "tile_simt_code";

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHost() {
  static const bool failed = llvm::InitializeNativeTarget() ||
                             llvm::InitializeNativeTargetAsmPrinter();
  if (failed)
    return llvm::createStringError("LLVM does not know this machine");
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  // Its conversions to bf16 take subnormal numbers for zero; those of GPUs do
  // not.
  if (builder->getTargetTriple().isX86())
    builder->addFeatures({"-avx512bf16", "-avxneconvert"});
  // A multiplication and an addition are two roundings where they are two
  // instructions.
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return builder->createTargetMachine();
}

static llvm::Expected<std::string>
makeObject(llvm::Module &module, const ::tile::target::Target &chip) {
  auto machine = createHost();
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  if (llvm::Error error =
          retargetToModel(module, chip.name, unsigned(chip.getGPU()->warpSize)))
    return error;
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("the SIMT model made a wrong module: " +
                                   reason);
  return generateCode(module, **machine, llvm::CodeGenFileType::ObjectFile);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

namespace {
class SIMTImage : public LoadedImage {
public:
  SIMTImage(LinkedObject code, TileSimtProgram *program)
      : code(std::move(code)), image{program} {}
  ~SIMTImage() override { tileSimtUnload(image.program); }

  StringRef getBytes() const override {
    return {reinterpret_cast<const char *>(&image), sizeof(image)};
  }

private:
  LinkedObject code;
  TileSimtImage image;
};
} // namespace

static llvm::Expected<std::unique_ptr<LoadedImage>> link(StringRef object) {
  auto machine = createHost();
  if (!machine)
    return machine.takeError();
  llvm::StringMap<void *> functions;
  auto define = [&](StringRef name, auto *function) {
    functions[name] = reinterpret_cast<void *>(function);
  };
  define("tile_simt_load", tile_simt_load);
  define("tile_simt_store", tile_simt_store);
  define("tile_simt_atomic", tile_simt_atomic);
  define("tile_simt_update", tile_simt_update);
  define("tile_simt_fence", tile_simt_fence);
  define("tile_simt_execute", tile_simt_execute);
  define("tile_simt_shared", tile_simt_shared);
  define("__truncsfbf2", tile_simt_to_bf16);
  define("__truncdfbf2", tile_simt_double_to_bf16);
  define("__truncsfhf2", tile_simt_to_f16);
  define("__truncdfhf2", tile_simt_double_to_f16);
  define("__extendhfsf2", tile_simt_from_f16);
  auto linked = linkObject(object, kCode, functions);
  if (!linked)
    return linked.takeError();
  char reason[512];
  TileSimtProgram *program = tileSimtLoad(
      static_cast<const TileSimtCode *>(linked->entry), reason, sizeof(reason));
  if (!program)
    return llvm::createStringError(StringRef(reason));
  return std::make_unique<SIMTImage>(std::move(*linked), program);
}

llvm::Expected<std::unique_ptr<LoadedImage>>
mlir::tile::loadSIMTBitcode(StringRef bitcode, StringRef chip) {
  const ::tile::target::Target *target = ::tile::target::lookupTarget(chip);
  if (!target || !target->getGPU())
    return llvm::createStringError("expected a chip of a GPU, got '" + chip +
                                   "'");
  llvm::LLVMContext context;
  auto module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "bitcode"), context);
  if (!module)
    return module.takeError();
  auto object = makeObject(**module, *target);
  if (!object)
    return object.takeError();
  return link(*object);
}

//===----------------------------------------------------------------------===//
// The back end
//===----------------------------------------------------------------------===//

namespace {
class SIMTModelBackend : public Backend {
public:
  explicit SIMTModelBackend(const GPUBackend &gpu)
      : gpu(gpu), name(gpu.getName().str() + "-model") {}

  StringRef getName() const override { return name; }
  std::vector<std::string> getChips() const override { return gpu.getChips(); }
  std::string findChip(StringRef device) const override {
    return gpu.findChip(device);
  }
  std::vector<std::string> getKinds() const override {
    return {"object", "bitcode", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &options) const override {
    return gpu.getFingerprint(options);
  }
  void buildPipeline(OpPassManager &pm, ModuleOp module,
                     const CompileOptions &options) const override {
    gpu.buildPipeline(pm, module, options);
  }
  void buildCodePipeline(OpPassManager &pm,
                         const CompileOptions &options) const override {
    gpu.buildCodePipeline(pm, options);
  }
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override;
  LogicalResult compileForm(ModuleOp module, const CompileOptions &options,
                            std::vector<Artifact> &artifacts) const override;
  std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                    std::string &error) const override;

private:
  FailureOr<Artifact> makeArtifact(gpu::GPUModuleOp device,
                                   const CompileOptions &options) const;
  LogicalResult lowerToLLVM(ModuleOp module,
                            const CompileOptions &options) const;

  const GPUBackend &gpu;
  std::string name;
};
} // namespace

FailureOr<Artifact>
SIMTModelBackend::makeArtifact(gpu::GPUModuleOp device,
                               const CompileOptions &options) const {
  const ::tile::target::Target *chip = getTarget(device, "GPU");
  if (!chip)
    return failure();
  llvm::LLVMContext context;
  auto llvmModule = gpu.makeModule(device, options.optLevel, context);
  if (!llvmModule)
    return failure();
  if (llvm::is_contained(options.emit, "bitcode")) {
    Artifact artifact{"bitcode", ""};
    llvm::raw_string_ostream os(artifact.bytes);
    llvm::WriteBitcodeToFile(*llvmModule, os);
    return artifact;
  }
  auto object = makeObject(*llvmModule, *chip);
  if (!object)
    return device.emitError() << llvm::toString(object.takeError());
  return Artifact{"object", std::move(*object)};
}

/// LLVM keeps the places of instructions in functions that say where they are.
static LogicalResult addPlaces(ModuleOp module) {
  PassManager pm(module.getContext());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  return pm.run(module);
}

LogicalResult
SIMTModelBackend::lowerToLLVM(ModuleOp module,
                              const CompileOptions &options) const {
  return failure(failed(lower(module, gpu, options)) ||
                 failed(addPlaces(module)));
}

LogicalResult
SIMTModelBackend::compile(ModuleOp module, const CompileOptions &options,
                          std::vector<CompiledKernel> &kernels) const {
  auto compileRest = [&]() -> LogicalResult {
    if (failed(lowerToLLVM(module, options)))
      return failure();
    for (auto device : module.getOps<gpu::GPUModuleOp>()) {
      auto artifact = makeArtifact(device, options);
      if (failed(artifact))
        return failure();
      std::string function = devicecode::getFunctionName(device);
      if (failed(devicecode::forEachKernel(
              device, "tile.launch", [&](StringRef, std::string metadata) {
                kernels.push_back(
                    {function, std::move(metadata), {*artifact}, {}});
              })))
        return failure();
    }
    return success();
  };
  if (failed(gpu.compileKernels(module, options, kernels, compileRest)))
    return failure();
  for (CompiledKernel &kernel : kernels)
    addModuleText(module, options, kernel);
  return success();
}

LogicalResult
SIMTModelBackend::compileForm(ModuleOp module, const CompileOptions &options,
                              std::vector<Artifact> &artifacts) const {
  if (failed(lowerToLLVM(module, options)))
    return failure();
  auto artifact =
      makeArtifact(*module.getOps<gpu::GPUModuleOp>().begin(), options);
  if (failed(artifact))
    return failure();
  artifacts.push_back(std::move(*artifact));
  return success();
}

std::unique_ptr<LoadedImage>
SIMTModelBackend::load(const CompiledKernel &kernel, std::string &error) const {
  const Artifact *object = kernel.find("object");
  if (!object) {
    error = "expected code for this machine, got bitcode";
    return nullptr;
  }
  auto image = link(object->bytes);
  if (image)
    return std::move(*image);
  error = llvm::toString(image.takeError());
  return nullptr;
}

std::unique_ptr<Backend>
mlir::tile::createSIMTModelBackend(const GPUBackend &gpu) {
  return std::make_unique<SIMTModelBackend>(gpu);
}
