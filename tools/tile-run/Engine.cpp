//===- Engine.cpp - the MLIR side of tile-run -----------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "Tile/Analysis/Accesses.h"
#include "Tile/Conversion/LinalgToTile/Passes.h"
#include "Tile/CostModel/Describe.h"
#include "Tile/CostModel/Tuning.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/KernelForms.h"
#include "Tile/Driver/Notes.h"
#include "Tile/Driver/OutputFile.h"
#include "Tile/Driver/ParseModule.h"
#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/InitAll.h"
#include "Tile/Transforms/InlineCalls.h"
#include "TileRuntime/Metadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace mlir;

/// An image together with what it refers to.
struct CompiledFunction {
  std::vector<mlir::tile::CompiledKernel> code;
  std::vector<const char *> kernels;
  std::shared_ptr<TileRtMetadata> metadata; ///< of the first kernel
  std::unique_ptr<mlir::tile::LoadedImage> loaded;
  TileRunImage image = {};
  /// Of each kernel, where their code is made by launches.
  std::vector<std::unique_ptr<mlir::tile::FormImages>> forms;
  std::vector<TileRtImageSource> sources;
  std::string bitcode;
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
  std::deque<CompiledFunction> compiled;
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

/// The place of the one op of the function that writes to the argument; empty
/// if there is none or more than one.
static std::string findWriter(FunctionOpInterface function, unsigned index) {
  if (function.isExternal())
    return "";
  SmallVector<Operation *> writers;
  function->walk([&](Operation *op) {
    SmallVector<mlir::tile::Access> accesses;
    if (failed(mlir::tile::collectAccesses(op, accesses)))
      return;
    if (llvm::any_of(accesses, [&](const mlir::tile::Access &access) {
          return access.kind != mlir::tile::AccessKind::Read &&
                 mlir::tile::getBaseBuffer(access.region.buffer) ==
                     function.getArgument(index);
        }))
      writers.push_back(op);
  });
  return writers.size() == 1 ? formatPlace(writers.front()->getLoc()) : "";
}

/// Its number, which the options take, and its name.
static std::string formatArgument(FunctionOpInterface function,
                                  unsigned index) {
  std::string text = llvm::formatv("argument {0}", index);
  if (!function.isExternal())
    if (auto name =
            function.getArgument(index).getLoc()->findInstanceOf<NameLoc>())
      text += " (%" + name.getName().str() + ")";
  return text;
}

/// The argument that says which ranks run the function together; its extents
/// are `ranks` where `tile.shape` does not name them.
static void describeWorld(TileRunFile &file, mlir::tile::world::RanksType type,
                          TileRunParameter &p) {
  p.world = true;
  p.scalar = false;
  p.problem = nullptr;
  p.dtype = TILE_RT_I64;
  p.rank = int32_t(type.getShape().size());
  std::string sizes;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    bool isOpen = ShapedType::isDynamic(extent);
    p.shape[i] = isOpen ? -1 : extent;
    sizes += (i ? "x" : "") + (isOpen ? "ranks" : std::to_string(extent));
  }
  if (!p.sizes)
    p.sizes = save(file, sizes);
}

static TileRunParameter describeParameter(TileRunFile &file,
                                          FunctionOpInterface function,
                                          unsigned index) {
  TileRunParameter p = {};
  Type type = function.getArgumentTypes()[index];
  p.name = save(file, formatArgument(function, index));
  if (std::string writer = findWriter(function, index); !writer.empty())
    p.writer = save(file, writer);
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
  if (auto ranks = dyn_cast<mlir::tile::world::RanksType>(type))
    describeWorld(file, ranks, p);
  if (auto memref = dyn_cast<MemRefType>(type))
    p.symmetric = mlir::tile::world::isReachable(memref);
  return p;
}

/// Puts the dimensions of the world in front of those of a tensor.
static void addRanks(TileRunFile &file, const TileRunParameter &world,
                     TileRunParameter &p) {
  if (p.scalar || p.problem)
    return;
  if (p.rank + world.rank > TILE_RT_MAX_RANK) {
    p.problem = "its rank is too high with the dimensions of the world";
    return;
  }
  std::string sizes = world.sizes;
  bool hasNames = true;
  for (int32_t d = 0; d < p.rank && !p.sizes; ++d) {
    hasNames &= p.shape[d] >= 0;
    sizes += "x" + std::to_string(p.shape[d]);
  }
  if (p.sizes)
    sizes += std::string("x") + p.sizes;
  p.sizes = hasNames ? save(file, sizes) : nullptr;
  std::copy_backward(p.shape, p.shape + p.rank, p.shape + p.rank + world.rank);
  std::copy_n(world.shape, world.rank, p.shape);
  p.rank += world.rank;
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
  for (StringRef name : {"tile.reference", "world.reference"})
    if (auto reference = function->getAttrOfType<SymbolRefAttr>(name))
      f.reference = save(file, reference.getLeafReference().getValue());
  f.hasKernels = mlir::tile::launchesKernels(function);
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
  auto world = llvm::find_if(
      parameters, [](const TileRunParameter &p) { return p.world; });
  for (TileRunParameter &p : parameters)
    if (world != parameters.end() && !p.world)
      addRanks(file, *world, p);
  f.parameterCount = int32_t(parameters.size());
  f.parameters = parameters.data();
  return f;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

TileRunFile *tile_run_open(const char *path) {
  auto file = std::make_unique<TileRunFile>();
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::tile::openInput(path, &error);
  if (!buffer) {
    llvm::errs() << "tile-run: " << StringRef(error).drop_while([](char c) {
      return c == ' ';
    }) << "\n";
    return nullptr;
  }
  DialectRegistry registry;
  mlir::tile::registerAllDialects(registry);
  file->context.appendDialectRegistry(registry);
  file->context.printOpOnDiagnostic(false);
  file->context.getDiagEngine().registerHandler(printDiagnostic);
  file->sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  file->module = mlir::tile::parseModule(file->sources, &file->context);
  if (!file->module || failed(mlir::tile::convertTensorFunctions(*file->module)))
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

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

bool tile_run_load_target(const char *path, TileRtError *error) {
  std::string reason;
  return mlir::tile::loadTarget(path, reason) ||
         tile_rt_fail(error, "--load-target: %s", reason.c_str());
}

bool tile_run_has_target(const char *name, TileRtError *error) {
  mlir::tile::registerAllTargets();
  std::string known;
  for (const mlir::tile::Backend *backend : mlir::tile::getBackends()) {
    if (backend->getName() == name)
      return true;
    known += (known.empty() ? "" : ", ") + backend->getName().str();
  }
  return tile_rt_fail(error, "--target: unknown target '%s'; available: %s",
                      name, known.c_str());
}

bool tile_run_has_chip(const char *target, const char *chip,
                       TileRtError *error) {
  mlir::tile::registerAllTargets();
  const mlir::tile::Backend *other = nullptr;
  for (const mlir::tile::Backend *backend : mlir::tile::getBackends()) {
    if (!llvm::is_contained(backend->getChips(), chip))
      continue;
    if (backend->getName() == target)
      return true;
    if (!other)
      other = backend;
  }
  // A CPU has more names than records.
  if (!other)
    return true;
  return tile_rt_fail(error, "--chip: '%s' is a chip of '%s'; give --target=%s",
                      chip, other->getName().str().c_str(),
                      other->getName().str().c_str());
}

const char *tile_run_find_chip(const char *target, const char *device) {
  static std::string chip;
  std::string ignored, error;
  const mlir::tile::Backend *backend = mlir::tile::lookupBackend(target, ignored, error);
  chip = backend ? backend->findChip(device) : "";
  return chip.empty() ? nullptr : chip.c_str();
}

void tile_run_on_assertion(int (*function)(const char *message)) {
  mlir::tile::addRuntimeSymbols();
  // This is how the lowering of cf.assert prints its message.
  mlir::tile::getRuntimeSymbols()["puts"] = reinterpret_cast<void *>(function);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The kind of artefact that --dump-ir prints, or nothing.
static StringRef getDumpKind(TileRunDump dump) {
  static constexpr StringRef kinds[] = {"", "mlir", "llvmir", "ptx"};
  return kinds[dump];
}

/// Lets launches make the code of kernels.
static void addSources(CompiledFunction &function,
                       const mlir::tile::Backend &backend,
                       const mlir::tile::CompileOptions &options) {
  for (const mlir::tile::CompiledKernel &kernel : function.code) {
    auto make = [&backend, &kernel, options](size_t form,
                                             mlir::tile::CompiledKernel &made,
                                             std::string &error) {
      return mlir::tile::compileForm(backend, kernel, form, options, made,
                                     error);
    };
    function.forms.push_back(std::make_unique<mlir::tile::FormImages>(
        backend, kernel.forms.size(), make));
    function.sources.push_back({mlir::tile::FormImages::getImage,
                                /*release=*/nullptr,
                                function.forms.back().get()});
  }
}

/// Fills in the image of compiled kernels, which share their code.
static bool load(CompiledFunction &function, const mlir::tile::Backend &backend,
                 ModuleOp module, const mlir::tile::CompileOptions &options) {
  std::string reason;
  for (const mlir::tile::CompiledKernel &kernel : function.code)
    function.kernels.push_back(kernel.metadata.c_str());
  const mlir::tile::CompiledKernel &first = function.code.front();
  TileRtError error;
  function.metadata.reset(tile_rt_metadata_parse(first.metadata.data(),
                                                 first.metadata.size(), &error),
                          tile_rt_metadata_free);
  bool lazy = !first.forms.empty();
  if (!function.metadata)
    reason = error.message;
  else if (!lazy && !(function.loaded = backend.load(first, reason)) &&
           reason.empty())
    reason = "unknown";
  if (!function.metadata || (!lazy && !function.loaded)) {
    module.emitError("the code cannot be loaded: ") << reason;
    return false;
  }
  if (lazy)
    addSources(function, backend, options);
  StringRef bytes = lazy ? StringRef() : function.loaded->getBytes();
  function.image = {function.metadata->target,
                    function.metadata->chip,
                    bytes.data(),
                    bytes.size(),
                    lazy ? function.sources.data() : nullptr,
                    lazy ? "" : first.artifacts.front().kind.c_str(),
                    function.bitcode.data(),
                    function.bitcode.size(),
                    int32_t(function.kernels.size()),
                    function.kernels.data()};
  return true;
}

void tile_run_enable_notes(TileRunFile *file) {
  mlir::tile::enableNotes(file->context);
}

/// The bitcode for the SIMT model is that of its own back end, which keeps the
/// places of instructions.
static bool addBitcode(CompiledFunction &function, StringRef target,
                       ModuleOp module, mlir::tile::CompileOptions options) {
  std::string ignored, error;
  const mlir::tile::Backend *model =
      mlir::tile::lookupBackend((target + "-model").str(), ignored, error);
  std::vector<mlir::tile::CompiledKernel> kernels;
  options.emit = {"bitcode"};
  if (!model || failed(model->compile(module, options, kernels)))
    return false;
  for (const mlir::tile::CompiledKernel &kernel : kernels)
    if (kernel.function == options.functions.front())
      function.bitcode = kernel.find("bitcode")->bytes;
  return true;
}

const TileRunImage *tile_run_compile(TileRunFile *file, const char *name,
                                     const TileRunCompileOptions *options) {
  mlir::tile::CompileOptions given;
  std::string ignored, error;
  const mlir::tile::Backend *backend =
      mlir::tile::lookupBackend(options->target, ignored, error);
  given.chip = options->chip ? options->chip : "";
  given.checkAssumptions = options->checkAssumptions;
  given.poisonTiles = options->poisonTiles;
  given.functions = {name};
  given.lazyVersions = options->lazy;
  StringRef dump = getDumpKind(options->dump);
  if (!dump.empty())
    given.emit = {dump.str()};
  OwningOpRef<ModuleOp> module =
      mlir::tile::cloneFunctions(*file->module, {name});
  // The CPU is the measure for all targets.
  if (StringRef(options->target) == "cpu")
    module->walk([](Operation *op) { op->removeAttr("tile.target"); });
  CompiledFunction &function = file->compiled.emplace_back();
  std::vector<std::string> parameters(
      options->parameters, options->parameters + options->parameterCount);
  if (!backend || failed(mlir::tile::addBindings(*module, parameters)) ||
      (options->tuning &&
       failed(mlir::tile::applyTuning(*module, options->tuning, given.chip, name,
                                options->sizes))))
    return nullptr;
  if (options->withBitcode &&
      !addBitcode(function, options->target,
                  *OwningOpRef<ModuleOp>(module->clone()), given))
    return nullptr;
  if (failed(backend->compile(*module, given, function.code)))
    return nullptr;
  // Those of functions that it calls have been compiled, too.
  llvm::erase_if(function.code, [&](const mlir::tile::CompiledKernel &kernel) {
    return kernel.function != name;
  });
  if (function.code.empty()) {
    module->emitError() << "no device code of @" << name << " was made";
    return nullptr;
  }
  if (const mlir::tile::Artifact *text = function.code.front().find(dump))
    if (std::error_code problem = mlir::tile::writeOutput("-", text->bytes)) {
      module->emitError() << "cannot print the code: " << problem.message();
      return nullptr;
    }
  return load(function, *backend, *module, given) ? &function.image : nullptr;
}

/// Estimates a function for sizes. Errors are reported.
static FailureOr<::tile::cost::Estimate>
estimate(TileRunFile *file, const char *name,
         const TileRunCompileOptions *options, const char *sizes,
         mlir::tile::ChipRates &chip) {
  OwningOpRef<ModuleOp> module(file->module->clone());
  std::vector<std::string> parameters(
      options->parameters, options->parameters + options->parameterCount);
  mlir::tile::EstimateOptions given{
      options->chip ? options->chip : "", sizes, {name}};
  if (failed(mlir::tile::addBindings(*module, parameters)) ||
      (options->tuning &&
       failed(mlir::tile::applyTuning(*module, options->tuning, given.chip,
                                      name, sizes))))
    return failure();
  auto result = mlir::tile::estimate(*module, given);
  auto found = mlir::tile::findChipRates(*module, given.chip);
  if (failed(result) || failed(found))
    return failure();
  chip = *found;
  return result;
}

bool tile_run_estimate(TileRunFile *file, const char *name,
                       const TileRunCompileOptions *options, const char *sizes,
                       const char *format) {
  mlir::tile::ChipRates chip;
  auto result = estimate(file, name, options, sizes, chip);
  if (failed(result))
    return false;
  std::string text = StringRef(format) == "json"
                         ? ::tile::cost::formatJSON(*result, *chip.target)
                         : ::tile::cost::formatText(*result, *chip.target);
  if (std::error_code problem = mlir::tile::writeOutput("-", text)) {
    file->module->emitError()
        << "cannot print the estimate: " << problem.message();
    return false;
  }
  return true;
}

TileRunWork tile_run_find_work(TileRunFile *file, const char *name,
                               const TileRunCompileOptions *options,
                               const char *sizes) {
  ScopedDiagnosticHandler silent(&file->context,
                                 [](Diagnostic &) { return success(); });
  mlir::tile::ChipRates chip;
  auto result = estimate(file, name, options, sizes, chip);
  TileRunWork work = {};
  if (failed(result) || !result->problem.empty())
    return work;
  for (const ::tile::cost::KernelEstimate &kernel : result->kernels) {
    double launches = double(kernel.launches);
    work.operations += launches * (kernel.tensorOps + kernel.scalarOps);
    work.bytes += launches * kernel.dramBytes;
    work.bound += launches * kernel.rooflineSeconds;
  }
  return work;
}
