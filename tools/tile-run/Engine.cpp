//===- Engine.cpp - the MLIR side of tile-run -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ascend.h"

#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/InitAll.h"
#include "Tile/Targets/CPU/CPUEngine.h"
#include "Tile/Targets/NVIDIA/NVPTX.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace mlir;

/// An image together with what it points to.
struct DeviceCode {
  tile::NVPTXImage code;
  std::vector<const char *> kernels;
  TileRunImage image = {};
};

struct TileRunFile {
  TileRunFile() : context(MLIRContext::Threading::DISABLED) {}

  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::deque<std::vector<TileRunParameter>> parameters;
  std::deque<std::vector<const char *>> cases;
  std::vector<TileRunFunction> functions;
  std::unique_ptr<tile::CPUEngine> engine;
  std::deque<DeviceCode> device;
  AscendProgram ascend;
};

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// "file:line:column" of a location, as far as it is known.
static std::string formatPlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "tile-run";
  StringRef file = place.getFilename().getValue();
  if (file == "-")
    file = "<stdin>";
  // Line 0 is the file as a whole.
  if (place.getLine() == 0)
    return file.str();
  return llvm::formatv("{0}:{1}:{2}", file, place.getLine(), place.getColumn());
}

/// One line for each message, so that scripts can read them. Remarks are left
/// to tile-opt.
static LogicalResult printDiagnostic(Diagnostic &diag) {
  static constexpr const char *severities[] = {"note", "warning", "error",
                                               "remark"};
  if (diag.getSeverity() == DiagnosticSeverity::Remark)
    return success();
  auto print = [](Diagnostic &message) {
    std::string text = message.str();
    std::replace(text.begin(), text.end(), '\n', ' ');
    llvm::errs() << formatPlace(message.getLocation()) << ": "
                 << severities[unsigned(message.getSeverity())] << ": " << text
                 << "\n";
  };
  print(diag);
  for (Diagnostic &note : diag.getNotes())
    print(note);
  return success();
}

//===----------------------------------------------------------------------===//
// Description of functions
//===----------------------------------------------------------------------===//

static const char *save(TileRunFile &file, const Twine &text) {
  return file.strings.save(text).data();
}

static TileRtDType getDType(Type type) {
  if (type.isIndex())
    return TILE_RT_I64;
  if (type.isInteger(1))
    return TILE_RT_I1;
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto integer = dyn_cast<IntegerType>(type))
    os << (integer.isUnsigned() ? "ui" : "i") << integer.getWidth();
  else
    os << type;
  return tile_rt_dtype_from_name(name.c_str());
}

/// Fills in rank and shape, or says what is wrong.
static const char *describeMemRef(MemRefType type, TileRunParameter &p) {
  if (type.getRank() > TILE_RT_MAX_RANK)
    return "its rank is above 16";
  p.rank = int32_t(type.getRank());
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    p.shape[i] = ShapedType::isDynamic(extent) ? -1 : extent;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return "its layout has no strides";
  // What is passed is row-major.
  int64_t dense = 1;
  for (int32_t i = p.rank - 1; i >= 0; --i) {
    bool fits = ShapedType::isDynamic(strides[i]) ||
                (dense >= 0 && strides[i] == dense) || p.shape[i] == 1;
    // Behind a dynamic extent the dense stride is only known to be dynamic.
    if (!fits || (i == p.rank - 1 && strides[i] != 1))
      return "its layout is not row-major";
    dense = p.shape[i] < 0 || dense < 0 ? -1 : dense * p.shape[i];
  }
  if (!ShapedType::isDynamic(offset) && offset != 0)
    return "its layout has an offset";
  return nullptr;
}

static TileRunParameter describeParameter(TileRunFile &file,
                                          FunctionOpInterface function,
                                          unsigned index) {
  TileRunParameter p = {};
  Type type = function.getArgumentTypes()[index];
  p.type = save(file, llvm::formatv("{0}", type));
  Type element = type;
  p.scalar = !isa<MemRefType>(type);
  if (auto memref = dyn_cast<MemRefType>(type)) {
    p.problem = describeMemRef(memref, p);
    element = memref.getElementType();
  }
  p.dtype = getDType(element);
  if (p.dtype == TILE_RT_NONE || (p.scalar && tile_rt_dtype_bits(p.dtype) < 8))
    p.problem = "tile-run passes memrefs and scalars of i1 (i4 in memrefs) to "
                "i64, index, bf16, f16, f32, f64 and the small floats";
  auto getString = [&](StringRef name) -> const char * {
    auto attr = function.getArgAttrOfType<StringAttr>(index, name);
    return attr ? save(file, attr.getValue()) : nullptr;
  };
  p.sizes = getString("tile.shape");
  p.init = getString("tile.init");
  p.result = bool(function.getArgAttr(index, "tile.result"));
  return p;
}

static TileRunFunction describeFunction(TileRunFile &file,
                                        FunctionOpInterface function) {
  TileRunFunction f = {};
  f.name = save(file, function.getName());
  f.place = save(file, formatPlace(function.getLoc()));
  f.isPublic = function.isPublic();
  if (function.isExternal())
    f.problem = "has no body";
  else if (function.getNumResults() != 0)
    f.problem = "returns values; tile-run calls functions that write their "
                "results to memrefs";
  if (auto reference = function->getAttrOfType<SymbolRefAttr>("tile.reference"))
    f.reference = save(file, reference.getLeafReference().getValue());
  function->walk([&](Operation *op) {
    f.onDeviceOnly |= op->getName().getDialectNamespace() == "ascend";
  });
  auto getDouble = [&](StringRef name) {
    auto attr = function->getAttrOfType<FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : 0.0;
  };
  f.atol = getDouble("tile.atol");
  f.rtol = getDouble("tile.rtol");
  std::vector<const char *> &cases = file.cases.emplace_back();
  if (auto list = function->getAttrOfType<ArrayAttr>("tile.cases"))
    for (auto text : list.getAsRange<StringAttr>())
      cases.push_back(save(file, text.getValue()));
  f.caseCount = int32_t(cases.size());
  f.cases = cases.data();
  std::vector<TileRunParameter> &parameters = file.parameters.emplace_back();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    parameters.push_back(describeParameter(file, function, i));
  f.parameterCount = int32_t(parameters.size());
  f.parameters = parameters.data();
  return f;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

TileRunFile *tile_run_open(const char *path) {
  tile::addRuntimeSymbols();
  auto file = std::make_unique<TileRunFile>();
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &error);
  if (!buffer) {
    llvm::errs() << "tile-run: " << StringRef(error).drop_while([](char c) {
      return c == ' ';
    }) << "\n";
    return nullptr;
  }
  DialectRegistry registry;
  tile::registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  file->context.appendDialectRegistry(registry);
  file->context.printOpOnDiagnostic(false);
  file->context.getDiagEngine().registerHandler(printDiagnostic);
  file->sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  file->module = parseSourceFile<ModuleOp>(file->sources, &file->context);
  if (!file->module)
    return nullptr;
  for (auto function : file->module->getOps<FunctionOpInterface>())
    file->functions.push_back(describeFunction(*file, function));
  return file.release();
}

void tile_run_close(TileRunFile *file) { delete file; }

int32_t tile_run_function_count(const TileRunFile *file) {
  return int32_t(file->functions.size());
}

const TileRunFunction *tile_run_function(const TileRunFile *file,
                                         int32_t index) {
  return &file->functions[index];
}

bool tile_run_compile(TileRunFile *file, const char *const *names,
                      int32_t count, const char *const *references,
                      int32_t referenceCount,
                      const TileRunCompileOptions *options) {
  tile::CPUEngineOptions engineOptions;
  engineOptions.threads = options->threads;
  engineOptions.checkAssumptions = options->checkAssumptions;
  engineOptions.failedAssertion = options->failedAssertion;
  if (options->dump == TILE_RUN_DUMP_MLIR)
    engineOptions.dumpMLIR = &llvm::outs();
  if (options->dump == TILE_RUN_DUMP_LLVM)
    engineOptions.dumpLLVM = &llvm::outs();
  SmallVector<StringRef> entries(names, names + count);
  if (options->ascend &&
      !file->ascend.create(*file->module, entries,
                           options->chip ? options->chip : "",
                           options->failedAssertion,
                           options->dump == TILE_RUN_DUMP_MLIR))
    return false;
  llvm::erase_if(entries, [&](StringRef name) {
    return file->ascend.lookup(name) != nullptr;
  });
  entries.append(references, references + referenceCount);
  auto engine = tile::CPUEngine::create(*file->module, entries, engineOptions);
  llvm::outs().flush();
  if (failed(engine))
    return false;
  file->engine = std::move(*engine);
  return true;
}

TileRunCode tile_run_code(const TileRunFile *file, const char *name) {
  if (TileRunCode code = file->ascend.lookup(name))
    return code;
  return tile_run_reference_code(file, name);
}

TileRunCode tile_run_reference_code(const TileRunFile *file,
                                    const char *name) {
  std::string ignored;
  return file->engine->lookup(name, ignored);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A copy of the module with one function and what it needs.
static OwningOpRef<ModuleOp> extract(ModuleOp module, StringRef name) {
  OwningOpRef<ModuleOp> copy(module.clone());
  for (auto function : copy->getOps<FunctionOpInterface>()) {
    function.setVisibility(function.getName() == name
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
    // A mention in this attribute is not a need.
    function->removeAttr("tile.reference");
  }
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return succeeded(pm.run(*copy)) ? std::move(copy) : nullptr;
}

const TileRunImage *
tile_run_compile_device(TileRunFile *file, const char *name,
                        const TileRunDeviceOptions *options) {
  OwningOpRef<ModuleOp> module = extract(*file->module, name);
  if (!module)
    return nullptr;
  tile::NVPTXOptions how;
  how.chip = options->chip;
  how.ptxas = options->ptxas ? options->ptxas : "";
  auto images = tile::compileNVPTX(
      *module, tile::NVPTXOutput::CubinIfPossible, how);
  if (options->dump == TILE_RUN_DUMP_MLIR)
    llvm::outs() << *module << "\n";
  llvm::outs().flush();
  if (failed(images))
    return nullptr;
  auto found = llvm::find_if(*images, [&](const tile::NVPTXImage &image) {
    return image.function == name;
  });
  if (found == images->end()) {
    module->emitError() << "no device code of @" << name << " was made";
    return nullptr;
  }
  DeviceCode &code = file->device.emplace_back();
  code.code = std::move(*found);
  if (options->dump == TILE_RUN_DUMP_PTX)
    llvm::outs() << code.code.ptx;
  llvm::outs().flush();
  for (const tile::NVPTXKernel &kernel : code.code.kernels) {
    if (kernel.metadata.empty()) {
      module->emitError() << "kernel @" << kernel.name
                          << " has no attribute 'tile.launch'";
      return nullptr;
    }
    code.kernels.push_back(kernel.metadata.c_str());
  }
  const std::string &bytes = code.code.getCode();
  code.image = {code.code.chip.c_str(),
                bytes.data(),
                bytes.size(),
                code.code.cubin.empty() ? "ptx" : "cubin",
                int32_t(code.kernels.size()),
                code.kernels.data()};
  return &code.image;
}

const char *tile_run_find_chip(const char *device) {
  return tile::findNVPTXChip(device).data();
}
