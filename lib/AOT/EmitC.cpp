//===- EmitC.cpp - kernels as C files -------------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/AOT/EmitC.h"

#include "EmitCLauncher.h"
#include "Tile/Driver/HostKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using llvm::formatv;

static constexpr const char *kHeader =
#include "C/Header.inc"
    ;
static constexpr const char *kCommon =
#include "C/Common.inc"
    ;
static constexpr const char *kWorkspace =
#include "C/Workspace.inc"
    ;
static constexpr const char *kTVMFFI =
#include "C/TVMFFI.inc"
    ;

/// What host code may call, and what stands for it where no runtime is.
static constexpr std::pair<const char *, const char *> kHostFunctions[] = {
    {
        "tile_rt_parallel_for",
#include "C/HostParallelFor.inc"
    },
    {
        "tile_rt_num_threads",
#include "C/HostNumThreads.inc"
    },
    {
        "tile_rt_scratch",
#include "C/HostScratch.inc"
    },
    {
        "tile_rt_note_missing_memory",
#include "C/HostMemory.inc"
    },
    {
        "tile_rt_print_",
#include "C/HostPrint.inc"
    },
};

namespace {
/// One launch for one target.
struct Compiled {
  const Backend *backend;
  size_t target; ///< of the options'
  CompiledKernel kernel;
  std::shared_ptr<TileRtMetadata> metadata;
};

/// Writes the files of one kernel.
class FileWriter {
public:
  FileWriter(ModuleOp module, const EmitCOptions &options,
             std::vector<Compiled> &compiled)
      : module(module), options(options), compiled(compiled),
        first(*compiled.front().metadata),
        function(compiled.front().kernel.function),
        name(options.prefix + function) {}

  FailureOr<CFile> run();

private:
  LogicalResult addVariant(const Compiled &from);
  LogicalResult addHostCode(const Compiled &from, CVariant &variant);
  std::vector<const CVariant *> getLaunches(StringRef chip) const;
  void addImage(const CVariant &variant);
  void writeDeviceDispatch(const CDevice &device,
                           ArrayRef<const CVariant *> launches);
  void writeHostFunctions();
  void writeDispatch(StringRef target);
  void writeEntry();
  void writeTVMFFI();
  std::string getSourceWho(int32_t argument) const;
  std::string getPrototype() const;
  std::string getHeader() const;

  ModuleOp module;
  const EmitCOptions &options;
  std::vector<Compiled> &compiled;
  const TileRtMetadata &first;
  std::string function; ///< of the source
  std::string name;     ///< in C
  std::vector<CVariant> variants;
  std::string code, text; ///< code of devices, and C around it
  llvm::raw_string_ostream codeOS{code}, os{text};
};
} // namespace

static std::string makeIdentifier(StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

static bool isIdentifier(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         makeIdentifier(text) == text;
}

/// As messages about an argument begin that do not come from one kernel.
std::string FileWriter::getSourceWho(int32_t argument) const {
  return "@" + function + ":" +
         StringRef(getWho(first, argument)).split(':').second.str();
}

//===----------------------------------------------------------------------===//
// Code for CPUs
//===----------------------------------------------------------------------===//

/// What a CPU must have, as __builtin_cpu_supports spells it; null for a CPU
/// that cannot be asked.
static std::optional<std::vector<StringRef>> getFeatures(StringRef cpu) {
  if (cpu == "generic" || cpu == "x86-64")
    return std::vector<StringRef>();
  if (cpu == "x86-64-v2")
    return std::vector<StringRef>{"sse4.2", "popcnt"};
  if (cpu == "x86-64-v3")
    return std::vector<StringRef>{"avx2", "bmi", "bmi2", "fma"};
  if (cpu == "x86-64-v4")
    return std::vector<StringRef>{"avx512f", "avx512bw", "avx512cd", "avx512dq",
                                  "avx512vl"};
  return std::nullopt;
}

static bool isSymbolChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
}

/// Whether a line is of no use in a C file: what only a whole file may say.
static bool isDropped(StringRef line) {
  return line.empty() || line.starts_with("#") || line.starts_with(".file") ||
         line.starts_with(".ident") || line.starts_with(".addrsig");
}

/// Assembly that can stand in a C file: what it defines is renamed, the entry
/// to `symbol` and the rest by `id`.
static std::string adaptAssembly(StringRef text, StringRef id, StringRef entry,
                                 StringRef symbol) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  llvm::StringMap<std::string> renamed;
  for (StringRef line : lines)
    if (StringRef label = line.take_while(isSymbolChar);
        line.drop_front(label.size()).starts_with(":"))
      renamed[label] = label == entry ? symbol.str()
                       : label.starts_with(".L")
                           ? (".L" + id + "_" + label.drop_front(2)).str()
                           : ("tile_" + id + "_" + label).str();
  std::string result;
  for (StringRef line : lines) {
    if (isDropped(line.trim()))
      continue;
    bool isText = line.trim().starts_with(".asci");
    while (!line.empty()) {
      StringRef token = line.take_while(isSymbolChar);
      if (token.empty())
        token = line.take_front();
      auto found = renamed.find(token);
      result += !isText && found != renamed.end() ? found->second : token.str();
      line = line.drop_front(token.size());
    }
    result += '\n';
  }
  return result;
}

static void writeString(raw_ostream &os, StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    os << "    \"";
    for (char c : line.ltrim('\t')) {
      if (c == '"' || c == '\\')
        os << '\\';
      if (c == '\t')
        os << ' ';
      else
        os << c;
    }
    os << "\\n\"\n";
  }
}

LogicalResult FileWriter::addHostCode(const Compiled &from, CVariant &variant) {
  auto features = getFeatures(from.metadata->chip);
  if (!features)
    return module.emitError()
           << "expected a CPU that a program can ask for (generic, x86-64, "
              "x86-64-v2, x86-64-v3, x86-64-v4), got '"
           << from.metadata->chip << "'; a C file is for other machines too";
  StringRef assembly = from.kernel.artifacts.back().bytes;
  std::string entry = getHostEntryName(function);
  variant.symbol = "tile_host_" + function + "_" + variant.id;
  variant.allocates = assembly.contains("tile_rt_note_missing_memory");
  std::string adapted =
      adaptAssembly(assembly, variant.id, entry, variant.symbol);
  // Compilers need not take strings of such length, but gcc and clang do.
  codeOS << "\n/* Code for " << variant.id << ". */\n"
         << "#pragma GCC diagnostic push\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
            "__asm__(\n    \".pushsection .text\\n\"\n    \".hidden "
         << variant.symbol << "\\n\"\n";
  writeString(codeOS, adapted);
  codeOS
      << "    \".popsection\\n\");\n#pragma GCC diagnostic pop\n\nextern void "
      << variant.symbol
      << "(void *const *, const uint32_t *, const uint32_t *, void *);\n";
  codeOS << "\nstatic bool runs_" << variant.id << "(void) {\n"
         << (features->empty() ? "" : "  __builtin_cpu_init();\n")
         << "  return true";
  for (StringRef feature : *features)
    codeOS << "\n      && __builtin_cpu_supports(\"" << feature << "\")";
  codeOS << ";\n}\n";
  return success();
}

void FileWriter::writeHostFunctions() {
  for (auto [function, definition] : kHostFunctions)
    if (StringRef(code).contains(function))
      os << definition;
}

//===----------------------------------------------------------------------===//
// Code for GPUs
//===----------------------------------------------------------------------===//

void FileWriter::addImage(const CVariant &variant) {
  codeOS << "\n/* Code for " << variant.metadata->chip
         << ". */\nstatic const unsigned char image_" << variant.id << "["
         << variant.image.size() << "] = {";
  for (auto [i, byte] : llvm::enumerate(variant.image))
    codeOS << (i % 20 ? "" : "\n    ") << unsigned((unsigned char)byte) << ",";
  codeOS << "};\n";
}

/// What is launched, one after the other, on one chip.
std::vector<const CVariant *> FileWriter::getLaunches(StringRef chip) const {
  std::vector<const CVariant *> launches;
  for (const CVariant &variant : variants)
    if (variant.chip == chip)
      launches.push_back(&variant);
  return launches;
}

/// Whether the kernel or a version of it has one.
static bool needsWorkspace(const TileRtMetadata &kernel) {
  return kernel.workspace.count != 0 ||
         llvm::any_of(ArrayRef(kernel.versions, kernel.versionCount),
                      [](const TileRtMetadata &version) {
                        return version.workspace.count != 0;
                      });
}

LogicalResult FileWriter::addVariant(const Compiled &from) {
  CVariant variant;
  variant.metadata = from.metadata.get();
  variant.chip = makeIdentifier(from.backend->getName().str() + "_" +
                                variant.metadata->chip);
  variant.id = variant.chip;
  size_t launches = llvm::count_if(compiled, [&](const Compiled &other) {
    return other.target == from.target;
  });
  if (launches > 1)
    variant.id += "_" + std::to_string(getLaunches(variant.chip).size());
  if (variant.metadata->argumentCount != first.argumentCount)
    // untested: targets agree in what functions take
    return module.emitError()
           << "expected '@" << function << "' to have " << first.argumentCount
           << " arguments for each target, got "
           << variant.metadata->argumentCount << " for "
           << variant.metadata->chip;
  if (needsWorkspace(*variant.metadata) &&
      (!getCDevice(variant.metadata->target) ||
       variant.metadata->workspaceZeroed))
    // untested: other targets allocate for themselves
    return module.emitError() << "'@" << function
                              << "' needs a workspace, which the C file of a "
                                 "kernel has not; use the runtime";
  if (from.backend->getName() == "cpu") {
    if (failed(addHostCode(from, variant)))
      return failure();
  } else {
    variant.image = from.kernel.artifacts.front().bytes;
    variant.imageID = variant.id;
    for (const CVariant *other : getLaunches(variant.chip))
      if (other->image == variant.image)
        variant.imageID = other->imageID;
    if (variant.imageID == variant.id)
      addImage(variant);
  }
  variants.push_back(std::move(variant));
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

std::string FileWriter::getPrototype() const {
  return "bool " + name + "(" + getParameterList(first) +
         ", char *error, size_t size)";
}

std::string FileWriter::getHeader() const {
  std::string guard = StringRef(makeIdentifier(name)).upper() + "_H";
  return formatv(
      "/* @{0}, made by tile. */\n#ifndef {1}\n#define {1}\n\n{2}\n"
      "/* Checks the arguments and runs the kernel, on the device of the first "
      "tensor;\n   for a GPU, queues it in the stream (null: the default one). "
      "Otherwise returns\n   false and writes a line to `error`, of at most "
      "`size` bytes, a NUL included. */\n{3};\n\n"
      "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
      function, guard, kHeader, getPrototype());
}

/// The condition that a device runs code for a chip.
static std::string getRuns(const CDevice &device, StringRef chip) {
  if (StringRef(device.name) == "hip")
    return formatv("hipRuns(device, \"{0}\")", chip);
  unsigned number = 0;
  (void)chip.drop_front(3).consumeInteger(10, number);
  return formatv("cudaRuns(device, {0}, {1}, {2})", number / 10, number % 10,
                 llvm::isDigit(chip.back()) ? "false" : "true");
}

/// Runs the launches of one chip, where the device runs its code. Arguments are
/// checked for all of them before any is made.
void FileWriter::writeDeviceDispatch(const CDevice &device,
                                     ArrayRef<const CVariant *> launches) {
  std::string slots, calls;
  auto call = [&](size_t index, bool run) {
    calls +=
        formatv("{0}launch_{1}(codes[{2}], ordinal, {3}, {4}, report)",
                calls.empty() ? "" : " &&\n             ", launches[index]->id,
                index, run ? "true" : "false", getArgumentList(first));
  };
  for (size_t i = 0; i < launches.size(); ++i) {
    os << formatv("  static {1}Code code_{0}[k{1}Devices];\n", launches[i]->id,
                  device.type);
    slots += formatv("{0}&code_{1}[ordinal]", i ? ", " : "", launches[i]->id);
    if (launches.size() > 1)
      call(i, /*run=*/false);
  }
  for (size_t i = 0; i < launches.size(); ++i)
    call(i, /*run=*/true);
  os << formatv("  if (device && {0}) {{\n"
                "    {1}Code *codes[] = {{{2}};\n"
                "    for (int i = 0; i < {3}; ++i)\n"
                "      if (!codes[i]->known)\n        *codes[i] = *device;\n"
                "    if ({4}Enter(report, device, &before)) {{\n"
                "      good = {5};\n"
                "      {4}Leave(device, before);\n    }\n"
                "    pthread_mutex_unlock(&{4}Lock);\n    return good;\n  }\n",
                getRuns(device, launches.front()->metadata->chip), device.type,
                slots, launches.size(), device.name, calls);
}

/// Picks the code for one kind of device.
void FileWriter::writeDispatch(StringRef target) {
  const CDevice *device = getCDevice(target);
  os << "\nstatic bool run_" << target << "(" << (device ? "int ordinal, " : "")
     << getParameterList(first) << ", const Report *report) {\n";
  if (device)
    os << formatv("  int before = 0;\n  bool good = false;\n"
                  "  pthread_mutex_lock(&{0}Lock);\n"
                  "  {1}Code *device = {0}Get(report, ordinal);\n",
                  device->name, device->type);
  std::string known;
  for (const CVariant &variant : variants) {
    std::vector<const CVariant *> launches = getLaunches(variant.chip);
    if (variant.metadata->target != target || launches.front() != &variant)
      continue;
    known += (known.empty() ? "" : ", ") + std::string(variant.metadata->chip);
    if (device)
      writeDeviceDispatch(*device, launches);
    else
      os << formatv("  if (runs_{0}())\n    return launch_{0}({1}, report);\n",
                    variant.id, getArgumentList(first));
  }
  if (device)
    os << formatv(
        "  if (device)\n    fail(report, \"@{0}: expected a device that runs "
        "{1}, got %s\", device->chip);\n"
        "  pthread_mutex_unlock(&{2}Lock);\n  return false;\n}\n",
        function, known, device->name);
  else
    os << formatv("  return fail(report, \"@{0}: expected a CPU that runs "
                  "{1}\");\n}\n",
                  function, known);
}

void FileWriter::writeEntry() {
  std::vector<std::string> targets;
  for (const CVariant &variant : variants)
    if (!llvm::is_contained(targets, variant.metadata->target))
      targets.push_back(variant.metadata->target);
  for (const std::string &target : targets)
    writeDispatch(target);
  os << "\n" << getPrototype() << " {\n  const Report r = {error, size};\n";
  int32_t tensor = 0;
  while (tensor < first.argumentCount && first.arguments[tensor].scalar)
    ++tensor;
  if (tensor == first.argumentCount) {
    os << "  return run_" << targets.front() << "("
       << (getCDevice(targets.front()) ? "0, " : "") << getArgumentList(first)
       << ", &r);\n}\n";
    return;
  }
  std::string from = getCNames(first)[tensor];
  os << formatv("  if (!{0})\n    return fail(&r, \"{1}: expected a tensor of "
                "{2}, got null\");\n  switch ({0}->device.device_type) {{\n",
                from, getSourceWho(tensor),
                tile_rt_dtype_name(first.arguments[tensor].dtype));
  for (const std::string &target : targets) {
    const CDevice *device = getCDevice(target);
    if (device)
      os << "  case " << device->dlpack << ":\n";
    else
      os << "  case TILE_RT_DL_CPU:\n  case TILE_RT_DL_CUDA_HOST:\n"
            "  case TILE_RT_DL_ROCM_HOST:\n";
    os << "    return run_" << target << "("
       << (device ? from + "->device.device_id, " : "")
       << getArgumentList(first) << ", &r);\n";
  }
  os << formatv("  default:\n    return fail(&r, \"{0}: expected memory of a "
                "device of {1}, got %s:%d\", deviceName({2}->device."
                "device_type), (int){2}->device.device_id);\n  }\n}\n",
                getSourceWho(tensor), llvm::join(targets, " or "), from);
}

//===----------------------------------------------------------------------===//
// TVM-FFI
//===----------------------------------------------------------------------===//

void FileWriter::writeTVMFFI() {
  os << kTVMFFI
     << formatv("\n__attribute__((visibility(\"default\"))) int\n"
                "__tvm_ffi_{0}(void *handle, const FFIAny *args, int32_t "
                "count, FFIAny *result);\n\nint\n__tvm_ffi_{0}(void *handle, "
                "const FFIAny *args, int32_t count, FFIAny *result) {{\n"
                "  char error[1024] = \"\";\n  const Report r = {{error, "
                "sizeof(error)};\n  void *stream = NULL;\n"
                "  (void)handle;\n"
                "  if (count != {1}) {{\n    fail(&r, \"@{0}: expected {1} "
                "arguments, got %d\", (int)count);\n"
                "    return ffiFail(error);\n  }\n",
                function, first.argumentCount);
  std::vector<std::string> names = getCNames(first);
  bool hasStream = false;
  for (int32_t i = 0; i < first.argumentCount; ++i) {
    const TileRtArgumentInfo &a = first.arguments[i];
    std::string type = getCType(a), dtype = tile_rt_dtype_name(a.dtype);
    if (!a.scalar) {
      os << formatv("  const TileRtDLTensor *{0} = ffiTensor(&args[{1}]);\n"
                    "  if (!{0})\n    return ffiFail(\"{2}: expected a tensor "
                    "of {3}\");\n",
                    names[i], i, getSourceWho(i), dtype);
      if (!hasStream)
        os << formatv("  if ({0}->device.device_type != TILE_RT_DL_CPU && "
                      "TVMFFIEnvGetStream)\n    stream = TVMFFIEnvGetStream("
                      "{0}->device.device_type, {0}->device.device_id);\n",
                      names[i]);
      hasStream = true;
      continue;
    }
    bool isFloat = a.dtype == TILE_RT_F32 || a.dtype == TILE_RT_F64;
    os << formatv("  {0} n{1};\n  if (!{2}(&args[{1}], &n{1}))\n    return "
                  "ffiFail(\"{3}: expected a scalar of {4}\");\n"
                  "  const {5}{6} = ({5})n{1};\n",
                  isFloat ? "double" : "int64_t", i,
                  isFloat ? "ffiNumber" : "ffiInteger", getSourceWho(i), dtype,
                  type, names[i]);
  }
  os << formatv("  if (!{0}({1}, error, sizeof(error)))\n    return "
                "ffiFail(error);\n  result->type = kFFINone;\n"
                "  result->padding = 0;\n"
                "  result->value.integer = 0;\n  return 0;\n}\n",
                name, getArgumentList(first));
}

FailureOr<CFile> FileWriter::run() {
  if (!isIdentifier(name))
    return module.emitError()
           << "expected the prefix to make an identifier of C, got '" << name
           << "'";
  for (const Compiled &one : compiled)
    if (failed(addVariant(one)))
      return failure();
  os << "/* @" << function
     << ", made by tile. */\n"
        "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include \""
     << name << ".h\"\n\n#include <pthread.h>\n"
     << (StringRef(code).contains("image_") ? "#include <dlfcn.h>\n" : "")
     << kCommon;
  writeHostFunctions();
  bool hasWorkspace = llvm::any_of(variants, [](const CVariant &variant) {
    return needsWorkspace(*variant.metadata);
  });
  if (hasWorkspace)
    os << kWorkspace;
  for (const char *target : {"cuda", "hip"})
    if (llvm::any_of(variants, [&](const CVariant &variant) {
          return variant.metadata->target == StringRef(target);
        }))
      os << getCDevice(target)->code
         << (hasWorkspace ? getCDevice(target)->workspace : "");
  os << code;
  for (const CVariant &variant : variants)
    writeLauncher(os, variant);
  writeEntry();
  if (options.tvmFFI)
    writeTVMFFI();
  return CFile{name, getHeader(), text};
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Compiles a copy of the module for one target.
static LogicalResult compileFor(ModuleOp module, size_t target,
                                const EmitCOptions &options,
                                std::vector<Compiled> &compiled) {
  std::string chip, problem;
  const Backend *backend =
      lookupBackend(options.targets[target], chip, problem);
  if (!backend)
    return module.emitError() << problem;
  if (backend->getName() != "cpu" && !getCDevice(backend->getName()))
    return module.emitError()
           << "expected targets of a C file (cpu, cuda, hip), got '"
           << backend->getName() << "'";
  CompileOptions given;
  given.chip = chip;
  given.optLevel = options.optLevel;
  if (backend->getName() == "cpu")
    given.emit = {"asm"};
  std::vector<CompiledKernel> kernels;
  OwningOpRef<ModuleOp> copy(module.clone());
  if (failed(backend->compile(*copy, given, kernels)))
    return failure();
  for (CompiledKernel &kernel : kernels) {
    TileRtError error;
    std::shared_ptr<TileRtMetadata> metadata(
        tile_rt_metadata_parse(kernel.metadata.data(), kernel.metadata.size(),
                               &error),
        tile_rt_metadata_free);
    if (!metadata)
      // untested: the backend has written it
      return module.emitError() << "launch metadata: " << error.message;
    compiled.push_back({backend, target, std::move(kernel), metadata});
  }
  return success();
}

FailureOr<std::vector<CFile>> tile::emitC(ModuleOp module,
                                          const EmitCOptions &options) {
  // By function, in the order of the module.
  std::vector<std::string> order;
  std::map<std::string, std::vector<Compiled>> functions;
  for (size_t target = 0; target < options.targets.size(); ++target) {
    std::vector<Compiled> compiled;
    if (failed(compileFor(module, target, options, compiled)))
      return failure();
    for (Compiled &one : compiled) {
      std::vector<Compiled> &known = functions[one.kernel.function];
      if (known.empty())
        order.push_back(one.kernel.function);
      for (const Compiled &other : known)
        if (other.target != one.target && other.backend == one.backend &&
            StringRef(other.metadata->chip) == one.metadata->chip)
          return module.emitError()
                 << "expected each target once, got " << one.backend->getName()
                 << ":" << one.metadata->chip << " twice";
      known.push_back(std::move(one));
    }
  }
  std::vector<CFile> files;
  for (const std::string &name : order) {
    auto file = FileWriter(module, options, functions[name]).run();
    if (failed(file))
      return failure();
    files.push_back(std::move(*file));
  }
  return files;
}
