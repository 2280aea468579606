//===- EmitCLauncher.cpp - the launcher of a kernel, in C -----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitCLauncher.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tile;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static constexpr const char *kCuda =
#include "C/Cuda.inc"
    ;
static constexpr const char *kCudaWorkspace =
#include "C/CudaWorkspace.inc"
    ;
static constexpr const char *kHip =
#include "C/Hip.inc"
    ;
static constexpr const char *kHipWorkspace =
#include "C/HipWorkspace.inc"
    ;

const CDevice *tile::getCDevice(StringRef target) {
  static constexpr CDevice devices[] = {
      {"cuda", "Cuda", "TILE_RT_DL_CUDA", kCuda, kCudaWorkspace},
      {"hip", "Hip", "TILE_RT_DL_ROCM", kHip, kHipWorkspace}};
  for (const CDevice &device : devices)
    if (device.name == target)
      return &device;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string makeIdentifier(StringRef name) {
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

std::vector<std::string> tile::getCNames(const TileRtMetadata &metadata) {
  std::vector<std::string> names;
  llvm::StringSet<> used;
  for (int32_t i = 0; i < metadata.argumentCount; ++i) {
    std::string name = makeIdentifier(metadata.arguments[i].name);
    // A letter in front keeps it apart from keywords and from our own names.
    name = name.empty() ? "arg" + std::to_string(i) : "a_" + name;
    while (!used.insert(name).second)
      name += "_";
    names.push_back(name);
  }
  return names;
}

std::string tile::getCType(const TileRtArgumentInfo &argument) {
  if (!argument.scalar)
    return "const TileRtDLTensor *";
  switch (argument.dtype) {
  case TILE_RT_I1:
    return "bool ";
  case TILE_RT_F32:
    return "float ";
  case TILE_RT_F64:
    return "double ";
  case TILE_RT_I8:
  case TILE_RT_I16:
  case TILE_RT_I32:
  case TILE_RT_I64:
    return formatv("int{0}_t ", tile_rt_dtype_bits(argument.dtype));
  default:
    // Unsigned numbers, and the bits of small floats.
    return formatv("uint{0}_t ", tile_rt_dtype_bits(argument.dtype));
  }
}

std::string tile::getWho(const TileRtMetadata &metadata, int32_t argument) {
  StringRef name = metadata.arguments[argument].name;
  std::string who = formatv("@{0}: argument {1}", metadata.kernel, argument);
  return name.empty() ? who : who + " (" + name.str() + ")";
}

std::string tile::getParameterList(const TileRtMetadata &metadata) {
  std::string list;
  for (auto [i, name] : llvm::enumerate(getCNames(metadata)))
    list += getCType(metadata.arguments[i]) + name + ", ";
  return list + "void *stream";
}

std::string tile::getArgumentList(const TileRtMetadata &metadata) {
  return llvm::join(getCNames(metadata), ", ") +
         (metadata.argumentCount ? ", " : "") + "stream";
}

//===----------------------------------------------------------------------===//
// The launcher
//===----------------------------------------------------------------------===//

namespace {
class Launcher {
public:
  Launcher(raw_ostream &os, const CVariant &variant)
      : os(os), variant(variant), m(*variant.metadata),
        device(getCDevice(m.target)), names(getCNames(m)) {}

  void write();
  /// What it does for a version, behind the checks of the general form.
  void writeVersion();

private:
  void writeNumbers();
  void writeVersions();
  /// What must hold for a version to be launched.
  std::string condition(const TileRtConditionInfo &c) const;
  std::string expr(const TileRtExpr &e) const;
  std::string symbol(int32_t index) const { return formatv("s[{0}]", index); }
  /// "argument 0 (x): dimension 1"
  std::string source(int32_t index) const;
  void checkTensors();
  void bindSymbols();
  void checkShapes(int32_t argument);
  void writeNumber(StringRef name, const TileRtExpr &e, StringRef what,
                   StringRef max);
  void writeParameters();
  void writeMap(int32_t index);
  void launchHost();
  void launchDevice();

  raw_ostream &os;
  const CVariant &variant;
  const TileRtMetadata &m;
  const CDevice *device; ///< null for a CPU
  std::vector<std::string> names;
};
} // namespace

std::string Launcher::expr(const TileRtExpr &e) const {
  static const char *const calls[] = {
      "",          "",           "opAdd", "opSub", "opMul",
      "opCeildiv", "opFloordiv", "opMod", "opMin", "opMax"};
  std::vector<std::string> stack;
  for (int32_t i = 0; i < e.count; ++i) {
    const TileRtExprItem &item = e.items[i];
    if (item.op == TILE_RT_OP_CONSTANT) {
      stack.push_back(formatv("INT64_C({0})", item.value));
    } else if (item.op == TILE_RT_OP_SYMBOL) {
      stack.push_back(symbol(int32_t(item.value)));
    } else {
      std::string right = stack.back();
      stack.pop_back();
      stack.back() =
          formatv("{0}(&bad, {1}, {2})", calls[item.op], stack.back(), right);
    }
  }
  return stack.empty() ? "INT64_C(0)" : stack.back();
}

std::string Launcher::source(int32_t index) const {
  const TileRtSymbolInfo &s = m.symbols[index];
  if (s.kind > TILE_RT_SYMBOL_SCALAR)
    return "symbol " + std::string(s.name);
  std::string who = StringRef(getWho(m, s.argument)).split(": ").second.str();
  if (s.kind == TILE_RT_SYMBOL_SIZE)
    return who + ": dimension " + std::to_string(s.dim);
  if (s.kind == TILE_RT_SYMBOL_STRIDE)
    return who + ": stride of dimension " + std::to_string(s.dim);
  return who;
}

void Launcher::checkTensors() {
  std::string id = "{TILE_RT_DL_CPU, 0}";
  if (device)
    id = formatv("{{{0}, ordinal}", device->dlpack);
  for (int32_t i = 0; i < m.argumentCount; ++i) {
    const TileRtArgumentInfo &a = m.arguments[i];
    if (a.scalar)
      continue;
    TileRtTensor like = {};
    like.dtype = a.dtype;
    TileRtDLDataType type = tile_rt_tensor_to_dlpack(&like).dtype;
    os << formatv("  const Expected e{0} = {{\"{1}\", \"{2}\", {{{3}, {4}, "
                  "1}, {5}, {6}, {7}};\n",
                  i, getWho(m, i), tile_rt_dtype_name(a.dtype), int(type.code),
                  int(type.bits), a.rank, a.align, id)
       << formatv("  if (!checkTensor(report, &e{0}, {1}))\n"
                  "    return false;\n",
                  i, names[i]);
  }
}

void Launcher::bindSymbols() {
  os << formatv("  int64_t s[{0}] = {{0};\n", std::max(m.symbolCount, 1))
     << "  bool bad = false;\n  (void)s;\n";
  for (int32_t i = 0; i < m.symbolCount; ++i) {
    const TileRtSymbolInfo &s = m.symbols[i];
    std::string value;
    if (s.kind == TILE_RT_SYMBOL_SIZE)
      value = formatv("{0}->shape[{1}]", names[s.argument], s.dim);
    else if (s.kind == TILE_RT_SYMBOL_STRIDE)
      value = formatv("strideSymbol({0}, {1}, {2})", names[s.argument], s.dim,
                      s.multiple);
    else if (s.kind == TILE_RT_SYMBOL_SCALAR)
      value = "(int64_t)" + names[s.argument];
    else if (s.kind == TILE_RT_SYMBOL_VALUE)
      value = expr(s.value);
    else
      value = device ? "code->multiprocessors" : "1";
    os << formatv("  {0} = {1}; /* {2} */\n", symbol(i), value, s.name);
    auto demand = [&](StringRef condition, StringRef relation, int64_t limit) {
      os << formatv("  if ({0})\n    return fail(report, \"@{1}: {2}: expected "
                    "{3} {4} {5}, got %\" PRId64, {6});\n",
                    condition, m.kernel, source(i), s.name, relation, limit,
                    symbol(i));
    };
    if (s.multiple != 1)
      demand(formatv("{0} % INT64_C({1}) != 0", symbol(i), s.multiple).str(),
             "to be a multiple of", s.multiple);
    if (s.min != INT64_MIN)
      demand(formatv("{0} < INT64_C({1})", symbol(i), s.min).str(),
             "to be at least", s.min);
    if (s.max != INT64_MAX)
      demand(formatv("{0} > INT64_C({1})", symbol(i), s.max).str(),
             "to be at most", s.max);
  }
}

void Launcher::checkShapes(int32_t argument) {
  const TileRtArgumentInfo &a = m.arguments[argument];
  const std::string &name = names[argument], who = getWho(m, argument);
  for (int32_t d = 0; d < a.rank; ++d) {
    const TileRtExpr &e = a.shape[d];
    if (!e.count)
      continue;
    std::string expected = "%\" PRId64 \"";
    if (e.count == 1 && e.items[0].op == TILE_RT_OP_SYMBOL) {
      int32_t from = int32_t(e.items[0].value);
      const TileRtSymbolInfo &s = m.symbols[from];
      // Where it is defined, it is what it is.
      if (s.kind == TILE_RT_SYMBOL_SIZE && s.argument == argument && s.dim == d)
        continue;
      expected = formatv("{0} = %\" PRId64 \" ({1})", s.name, source(from));
    }
    os << formatv("  if ({0}->shape[{1}] != {2})\n"
                  "    return fail(report, \"{3}: dimension {1}: expected {4}, "
                  "got %\" PRId64, {2}, {0}->shape[{1}]);\n",
                  name, d, expr(e), who, expected);
  }
  if (!a.strides) {
    os << formatv("  if (!checkDense(report, e{0}.who, {1}))\n"
                  "    return false;\n",
                  argument, name);
    return;
  }
  for (int32_t d = 0; d < a.rank; ++d)
    if (a.strides[d].count)
      os << formatv("  if (!checkStride(report, e{0}.who, {1}, {2}, {3}))\n"
                    "    return false;\n",
                    argument, name, d, expr(a.strides[d]));
}

void Launcher::writeNumber(StringRef name, const TileRtExpr &e, StringRef what,
                           StringRef max) {
  if (tile_rt_expr_is_constant(&e) && e.items[0].value >= 0 &&
      e.items[0].value <= INT32_MAX) {
    os << formatv("  const int64_t {0} = {1};\n", name, e.items[0].value);
    return;
  }
  os << formatv("  const int64_t {0} = {1};\n"
                "  if (bad || {0} < 0 || {0} > {2})\n"
                "    return fail(report, \"@{3}: {4}: expected a number of 0 "
                "to %\" PRId64 \", got %\" PRId64, (int64_t){2}, {0});\n",
                name, expr(e), max, m.kernel, what);
}

void Launcher::writeMap(int32_t index) {
  const TileRtMapInfo &map = m.maps[index];
  os << formatv("  _Alignas(64) unsigned char map{0}[128] = {{0};\n  {{\n"
                "    const uint64_t sizes[] = {{",
                index);
  for (int32_t d = 0; d < map.rank; ++d)
    os << (d ? ", " : "") << "(uint64_t)" << expr(map.sizes[d]);
  // One more, so that it is never empty.
  os << "};\n    const uint64_t strides[] = {";
  for (int32_t d = 0; d + 1 < map.rank; ++d)
    os << "(uint64_t)" << expr(map.strides[d]) << ", ";
  os << "0};\n    const uint32_t box[] = {";
  for (int32_t d = 0; d < map.rank; ++d)
    os << (d ? ", " : "") << map.box[d];
  os << "}, steps[] = {";
  for (int32_t d = 0; d < map.rank; ++d)
    os << (d ? ", " : "") << map.elementStrides[d];
  int promotion = map.l2Promotion == 256 ? 3 : map.l2Promotion / 64;
  bool isArgument = map.argument >= 0;
  std::string who = isArgument ? getWho(m, map.argument)
                               : "@" + std::string(m.kernel) + ": workspace";
  // Without a launch there is no workspace.
  std::string exists =
      isArgument ? "!isEmpty(" + names[map.argument] + ")" : "workspace";
  std::string base =
      isArgument ? formatv("(void *)(uintptr_t)addressOf({0}, {1})",
                           names[map.argument], expr(map.offset))
                       .str()
                 : formatv("(char *)workspace + {0}", expr(map.offset)).str();
  os << formatv(
      "};\n    if (bad)\n      return fail(report, \"@{0}: tensor map {1}: "
      "expected numbers of 64 bits\");\n"
      "    /* No map describes what is empty, and no kernel copies from it. "
      "*/\n"
      "    if ({5} && !cudaCheck(report, \"{2}: tensor map {1}\", "
      "cuda.tiled(map{1}, "
      "{3}, {4}, {6}, sizes, strides, box, "
      "steps, {7}, {8}, {9}, {10})))\n      return false;\n  }\n",
      m.kernel, index, who, int(map.type), map.rank, exists, base,
      int(map.interleave), int(map.swizzle), promotion, int(map.fillNaN));
}

void Launcher::writeParameters() {
  for (int32_t i = 0; i < m.mapCount; ++i)
    writeMap(i);
  std::string list;
  for (int32_t i = 0; i < m.parameterCount; ++i) {
    const TileRtParameterInfo &p = m.parameters[i];
    std::string name = formatv("p{0}", i), type = "int64_t", value;
    switch (p.kind) {
    case TILE_RT_PARAMETER_POINTER:
      type = "uint64_t";
      value = formatv("addressOf({0}, {1})", names[p.argument], expr(p.value));
      break;
    case TILE_RT_PARAMETER_SIZE:
      value = formatv("{0}->shape[{1}]", names[p.argument], p.dim);
      break;
    case TILE_RT_PARAMETER_STRIDE:
      value = formatv("strideOf({0}, {1})", names[p.argument], p.dim);
      break;
    case TILE_RT_PARAMETER_VALUE:
      value = expr(p.value);
      break;
    case TILE_RT_PARAMETER_SCALAR:
      list += "&" + names[p.argument] + ", ";
      continue;
    case TILE_RT_PARAMETER_TENSOR_MAP:
      list += formatv("map{0}, ", p.argument).str();
      continue;
    case TILE_RT_PARAMETER_WORKSPACE:
      type = "uint64_t";
      value = formatv("(uint64_t)(uintptr_t)workspace + (uint64_t)({0})",
                      expr(p.value));
      break;
    }
    list += "&" + name + ", ";
    if (p.dtype != TILE_RT_I32 || p.kind == TILE_RT_PARAMETER_POINTER ||
        p.kind == TILE_RT_PARAMETER_WORKSPACE) {
      os << formatv("  {0} {1} = {2};\n", type, name, value);
      continue;
    }
    os << formatv("  int32_t {0} = (int32_t)({1});\n"
                  "  if ({0} != {1})\n    return fail(report, \"@{2}: "
                  "parameter {3}: expected a number of 32 bits, got %\" "
                  "PRId64, {1});\n",
                  name, value, m.kernel, i);
  }
  os << formatv("  if (bad)\n    return fail(report, \"@{0}: expected numbers "
                "of 64 bits\");\n",
                m.kernel)
     << "  void *parameters[] = {" << list << "NULL};\n";
}

void Launcher::launchHost() {
  os << "  if (!g0 || !g1 || !g2)\n    return true;\n";
  writeParameters();
  os << "  const uint32_t grid[] = {(uint32_t)g0, (uint32_t)g1, "
        "(uint32_t)g2};\n"
        "  uint32_t block[3];\n"
        "  void *shared = NULL;\n"
        "  (void)stream;\n"
        "  for (block[2] = 0; block[2] < grid[2]; ++block[2])\n"
        "    for (block[1] = 0; block[1] < grid[1]; ++block[1])\n"
        "      for (block[0] = 0; block[0] < grid[0]; ++block[0])\n"
     << formatv("        {0}(parameters, block, grid, shared);\n",
                variant.symbol);
  if (variant.allocates)
    os << formatv("  return hadMemory(report, \"@{0}\");\n", m.kernel);
  else
    os << "  return true;\n";
}

void Launcher::launchDevice() {
  os << "  if (!g0 || !g1 || !g2)\n    return true;\n"
     << formatv("  if (!code->function && !{2}Load(report, code, image_{0}, "
                "\"{1}\"))\n    return false;\n",
                variant.imageID, m.kernel, device->name);
  if (m.workspace.count)
    os << formatv("  void *workspace = NULL;\n"
                  "  bool captured = false;\n"
                  "  if (run && !{0}Workspace(report, code, stream, "
                  "workspaceBytes, &workspace, &captured))\n"
                  "    return false;\n",
                  device->name);
  writeParameters();
  os << "  if (!run)\n    return true;\n";
  os << formatv("  static const uint32_t cluster[] = {{{0}, {1}, {2}};\n",
                m.cluster[0], m.cluster[1], m.cluster[2])
     << formatv("  {3}Launch launch = {{.grid = {{(uint32_t)g0, (uint32_t)g1, "
                "(uint32_t)g2}, .block = {{{0}, {1}, {2}}, .shared = "
                "(uint32_t)shared, .stream = stream};\n",
                m.block[0], m.block[1], m.block[2], device->type)
     << formatv("  return {2}Launch(report, code, &launch, cluster, {0}, {1}, "
                "parameters)",
                m.cooperative ? "true" : "false", m.pdl ? "true" : "false",
                device->name);
  if (m.workspace.count)
    os << formatv(" &&\n         {0}Release(report, stream, workspace, "
                  "captured)",
                  device->name);
  os << ";\n";
}

std::string Launcher::condition(const TileRtConditionInfo &c) const {
  const std::string &name = names[c.argument];
  if (c.kind == TILE_RT_CONDITION_ADDRESS)
    return formatv("addressOf({0}, 0) % {1} == 0", name, c.multiple);
  std::string number = c.kind == TILE_RT_CONDITION_SIZE
                           ? formatv("{0}->shape[{1}]", name, c.dim).str()
                           : formatv("strideOf({0}, {1})", name, c.dim).str();
  std::string text;
  if (c.min != INT64_MIN)
    text = formatv("{0} >= INT64_C({1})", number, c.min);
  if (c.multiple != 1)
    text += formatv("{0}{1} % INT64_C({2}) == 0", text.empty() ? "" : " && ",
                    number, c.multiple);
  return text.empty() ? "true" : text;
}

/// The first version whose conditions hold stands in for the kernel.
void Launcher::writeVersions() {
  for (int32_t i = 0; i < m.versionCount; ++i) {
    const TileRtMetadata &version = m.versions[i];
    std::vector<std::string> conditions;
    for (int32_t c = 0; c < version.conditionCount; ++c)
      conditions.push_back(condition(version.conditions[c]));
    os << formatv("  if ({0}) {{\n"
                  "    static {4}Code versions[k{4}Devices];\n"
                  "    {4}Code *own = &versions[ordinal];\n"
                  "    if (!own->known)\n"
                  "      *own = *{5}Get(report, ordinal);\n"
                  "    return launch_{1}_v{2}(own, run, {3}, report);\n  }\n",
                  llvm::join(conditions, " &&\n      "), variant.id, i + 1,
                  getArgumentList(m), device->type, device->name);
  }
}

void Launcher::writeNumbers() {
  static const char *const axes[] = {"grid.x", "grid.y", "grid.z"};
  for (int d = 0; d < 3; ++d)
    writeNumber(formatv("g{0}", d).str(), m.grid[d], axes[d], "UINT32_MAX");
  if (device)
    writeNumber("shared", m.shared, "shared", "INT32_MAX");
  if (device && m.workspace.count)
    writeNumber("workspaceBytes", m.workspace, "workspace", "INT64_MAX / 2");
}

void Launcher::writeVersion() {
  os << formatv("\nstatic bool launch_{0}({2}Code *code, bool run, {1}, const "
                "Report *report) {{\n",
                variant.id, getParameterList(m), device->type);
  bindSymbols();
  writeNumbers();
  launchDevice();
  os << "}\n";
}

void Launcher::write() {
  os << formatv(
      "\nstatic bool launch_{0}({1}{2}, const Report *report) {{\n", variant.id,
      device ? device->type + std::string("Code *code, int ordinal, bool run, ")
             : std::string(),
      getParameterList(m));
  checkTensors();
  bindSymbols();
  for (int32_t i = 0; i < m.argumentCount; ++i)
    if (!m.arguments[i].scalar)
      checkShapes(i);
  if (device)
    writeVersions();
  writeNumbers();
  if (device)
    launchDevice();
  else
    launchHost();
  os << "}\n";
}

void tile::writeLauncher(raw_ostream &os, const CVariant &variant) {
  for (int32_t i = 0; i < variant.metadata->versionCount; ++i) {
    CVariant version = variant;
    version.metadata = &variant.metadata->versions[i];
    version.id += "_v" + std::to_string(i + 1);
    Launcher(os, version).writeVersion();
  }
  Launcher(os, variant).write();
}
