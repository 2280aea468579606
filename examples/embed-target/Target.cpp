//===- Target.cpp - a target outside of the tree --------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target "portable": code for the oldest CPU of this machine's kind. It has
// a record of its own chip, a pipeline of the public conversions, and a code
// generator: LLVM's programs and the C compiler make a shared library of LLVM
// IR, which this process loads.
//
//   tile-run --load-target=libportable.so --target=portable file.mlir
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"
#include "Tile/Conversion/TileToCPU/Passes.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/HostKernel.h"
#include "Tile/Driver/Tool.h"
#include "Tile/Target/Register.h"
#include "Tile/Transforms/Passes.h"
#include "TileRuntime/Device.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"

#include <dlfcn.h>

// The header of the linalg passes declares a function mlir::tile.
namespace mlir {
std::unique_ptr<Pass> createConvertLinalgToLoopsPass();
} // namespace mlir

using namespace mlir;
using namespace mlir::tile;
namespace target = ::tile::target;

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

static constexpr const char *kChip = "portable-16";

/// Vectors of 16 bytes, which are scalars where a machine has none.
static void registerChip() {
  static target::CPUSpec figures = *target::lookupTarget("generic")->getCPU();
  figures.vectorBytes = 16;
  figures.vectorRegisters = 8;
  target::Target record = {};
  record.name = kChip;
  record.vendor = target::Vendor::CPU;
  record.arch = "generic";
  record.products = "any";
  record.cpu = &figures;
  target::registerTarget(record);
}

//===----------------------------------------------------------------------===//
// The back end
//===----------------------------------------------------------------------===//

namespace {
class PortableBackend : public Backend {
public:
  StringRef getName() const override { return "portable"; }
  std::vector<std::string> getChips() const override { return {kChip}; }
  std::vector<std::string> getKinds() const override {
    return {"library", "llvmir", "mlir"};
  }
  std::string getFingerprint(const CompileOptions &) const override {
    return describeFile(LLVM_TOOLS "/llc") + describeFile(HOST_CC);
  }
  void buildPipeline(OpPassManager &pm, ModuleOp module,
                     const CompileOptions &options) const override;
  LogicalResult compile(ModuleOp module, const CompileOptions &options,
                        std::vector<CompiledKernel> &kernels) const override {
    return compileFunctions(
        module, options, [&](ModuleOp copy, StringRef name) {
          return compileFunction(copy, name, options, kernels);
        });
  }
  std::unique_ptr<LoadedImage> load(const CompiledKernel &kernel,
                                    std::string &error) const override;

private:
  LogicalResult compileFunction(ModuleOp module, StringRef name,
                                const CompileOptions &options,
                                std::vector<CompiledKernel> &kernels) const;
};

/// Holds the library of an image, which the runtime's CPU device runs.
class LoadedLibrary : public LoadedImage {
public:
  LoadedLibrary(void *library, TileRtHostBlock block)
      : library(library), image{block} {}
  ~LoadedLibrary() override { dlclose(library); }
  StringRef getBytes() const override {
    return {reinterpret_cast<const char *>(&image), sizeof(image)};
  }

private:
  void *library;
  TileRtHostImage image;
};
} // namespace

void PortableBackend::buildPipeline(OpPassManager &pm, ModuleOp,
                                    const CompileOptions &options) const {
  buildTileFrontEnd(pm, {options.chip, kChip, "CPU"});
  ConvertTileToCPUPassOptions convert;
  convert.checkAssumptions = options.checkAssumptions;
  pm.addPass(createConvertTileToCPUPass(convert));
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createPackSubBytePass());
  pm.addPass(createCanonicalizerPass());
  addSmallFloatPasses(pm);
  pm.addPass(createExpandMathPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// Makes a shared library of a text of LLVM IR, by three programs.
static FailureOr<std::string> link(ModuleOp module, unsigned optLevel,
                                   StringRef text) {
  Location loc = module.getLoc();
  tool::TemporaryFile ir, optimized, object, library;
  std::string level = "-O" + std::to_string(optLevel), log;
  if (failed(ir.create(loc, "ll")) || failed(optimized.create(loc, "bc")) ||
      failed(object.create(loc, "o")) || failed(library.create(loc, "so")) ||
      failed(ir.write(loc, text)))
    return failure();
  StringRef optimize[] = {LLVM_TOOLS "/opt", level, ir.path, "-o",
                          optimized.path};
  StringRef generate[] = {
      LLVM_TOOLS "/llc", level, "-filetype=obj", "-relocation-model=pic",
      optimized.path,    "-o",  object.path};
  StringRef join[] = {HOST_CC, "-shared", object.path,
                      "-lm",   "-o",      library.path};
  if (failed(tool::run(loc, optimize, ir, "the LLVM IR", log)) ||
      failed(tool::run(loc, generate, optimized, "the bitcode", log)) ||
      failed(tool::run(loc, join, object, "the object", log)))
    return failure();
  return library.read();
}

LogicalResult
PortableBackend::compileFunction(ModuleOp module, StringRef name,
                                 const CompileOptions &options,
                                 std::vector<CompiledKernel> &kernels) const {
  // "cpu" is the device of the runtime that runs the code.
  auto metadata = describeHostKernel(
      module.lookupSymbol<FunctionOpInterface>(name), "cpu", kChip);
  if (failed(metadata) || failed(lower(module, *this, options)))
    return failure();
  llvm::LLVMContext context;
  auto llvmModule = translateModuleToLLVMIR(module, context, "portable");
  if (!llvmModule || failed(addHostEntry(module, *llvmModule, name)))
    return failure();
  Artifact text{"llvmir", ""};
  llvm::raw_string_ostream(text.bytes) << *llvmModule;
  auto library = link(module, options.optLevel, text.bytes);
  if (failed(library))
    return failure();
  CompiledKernel kernel{name.str(), *metadata, {{"library", *library}}};
  if (llvm::is_contained(options.emit, "llvmir"))
    kernel.artifacts.push_back(std::move(text));
  addModuleText(module, options, kernel);
  kernels.push_back(std::move(kernel));
  return success();
}

std::unique_ptr<LoadedImage> PortableBackend::load(const CompiledKernel &kernel,
                                                   std::string &error) const {
  MLIRContext context;
  Location loc = UnknownLoc::get(&context);
  tool::TemporaryFile file;
  if (failed(file.create(loc, "so")) ||
      failed(file.write(loc, kernel.artifacts.front().bytes)))
    return nullptr;
  void *library = dlopen(file.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *entry = library
                    ? dlsym(library, getHostEntryName(kernel.function).c_str())
                    : nullptr;
  if (entry)
    return std::make_unique<LoadedLibrary>(
        library, reinterpret_cast<TileRtHostBlock>(entry));
  error = dlerror();
  return nullptr;
}

extern "C" void tileRegisterTarget() {
  registerChip();
  registerBackend(std::make_unique<PortableBackend>());
}
