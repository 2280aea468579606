//===- AscendKernel.cpp - the frame of kernels, and their launch ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Dialect/Ascend/IR/VectorCores.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

std::string mlir::tile::ascend::getKernelName(tl::KernelOp kernel) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  // In the order of the text, which loops and branches of the host divide.
  unsigned index = 0, count = 0;
  function.walk([&](tl::KernelOp other) {
    if (other == kernel)
      index = count;
    ++count;
  });
  std::string name = function.getName().str() + "_kernel";
  return count > 1 ? name + std::to_string(index) : name;
}

/// Whether a kernel asks for the first extent of a buffer: it is no part of
/// addresses.
static bool hasFirstExtent(tl::KernelOp kernel, Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (!kernel->isProperAncestor(user))
      return false;
    if (auto dim = dyn_cast<memref::DimOp>(user))
      return dim.getConstantIndex().value_or(0) == 0;
    return !isa<memref::SubViewOp, memref::LoadOp, memref::StoreOp>(user);
  });
}

SmallVector<KernelParameter>
mlir::tile::ascend::getKernelParameters(tl::KernelOp kernel) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(kernel.getBody(), outside);
  // Coordinates are computed of all extents but the last one.
  for (OpFoldResult extent : ArrayRef(kernel.getMixedGrid()).drop_back())
    if (auto value = dyn_cast<Value>(extent))
      outside.insert(value);
  SmallVector<KernelParameter> parameters;
  llvm::StringSet<> names;
  // By the name in the source, or a number.
  auto getName = [&](StringRef kind, Value value) {
    std::string source = getSourceName(value),
                name = (kind + "_" + source).str();
    for (unsigned i = 0; source.empty() || !names.insert(name).second; ++i)
      source = name = (kind + Twine(i)).str();
    return name;
  };
  for (Value value : outside) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      continue;
    std::string name = getName("gm", value);
    parameters.push_back({value, std::nullopt, name});
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && (dim > 0 || hasFirstExtent(kernel, value)))
        parameters.push_back({value, dim, name + "_d" + std::to_string(dim)});
  }
  for (Value value : outside)
    if (!isa<MemRefType>(value.getType()) &&
        !value.getDefiningOp<arith::ConstantOp>())
      parameters.push_back({value, std::nullopt, getName("s", value)});
  return parameters;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// GM buffers as tensors, and scalars in their types.
LogicalResult AscendWriter::writeParameters(tl::KernelOp kernel) {
  DenseMap<Value, std::string> buffers;
  DenseMap<Value, SmallVector<AffineExpr>> extents;
  std::map<std::string, Statement> tensors; // by type
  auto parameters = getKernelParameters(kernel);
  for (const KernelParameter &parameter : parameters) {
    parameterNames.insert(parameter.name);
    auto type = dyn_cast<MemRefType>(parameter.value.getType());
    if (!type) {
      FailureOr<std::string> name =
          getTypeName(kernel, parameter.value.getType());
      if (failed(name))
        return failure();
      if (*name == "int64_t") {
        setName(parameter.value, parameter.name);
        continue;
      }
      bool isFloat = isa<FloatType>(parameter.value.getType());
      Statement &value =
          add(Statement::Constant,
              (isFloat ? "*reinterpret_cast<const float *>(&" : *name + "(") +
                  parameter.name + ")");
      value.type = isFloat ? "float" : *name;
      value.names = {parameter.name + "_value"};
      output.addVariable(value.type, value.names[0]);
      setName(parameter.value, value.names[0]);
      continue;
    }
    auto &shape = extents[parameter.value];
    if (shape.empty())
      for (int64_t extent : type.getShape())
        shape.push_back(number(extent));
    if (parameter.dim) {
      shape[*parameter.dim] = addVariable(parameter.name);
      continue;
    }
    FailureOr<std::string> element = getTypeName(kernel, type.getElementType());
    if (failed(element))
      return failure();
    if (!type.getLayout().isIdentity())
      return kernel.emitError()
             << "expected buffers in GM to be row-major, got " << type;
    std::string name = "g" + parameter.name.substr(2);
    parameterNames.insert(name);
    buffers[parameter.value] = name;
    Statement &tensor = tensors[*element];
    tensor.type = "Global<" + *element + ">";
    tensor.names.push_back(name);
    tensor.values.push_back(parameter.name);
    output.addVariable("GlobalTensor<" + *element + ">", name);
  }
  if (!tensors.empty())
    useHelper("Global");
  for (auto &[element, statement] : tensors) {
    add(Statement::Tensors) = statement;
    lists.back()->back().kind = Statement::Tensors;
  }
  for (auto &[value, shape] : extents)
    views[value] = makeView(buffers[value], shape);
  return success();
}

/// The coordinates of the block, the first one fastest.
void AscendWriter::writeGrid(tl::KernelOp kernel) {
  auto grid = kernel.getMixedGrid();
  Block::BlockArgListType args = kernel.getBody().getArguments();
  std::string rest = "block";
  int64_t cores = isMixed ? getNumVectorCores(kernel) : 1;
  output.addVariable("int64_t", "block");
  // The macro is a condition in parentheses, of an 'if' alone.
  if (cores > 1) {
    add(Statement::Plain, "int64_t block = GetBlockIdx()");
    Statement &vector = add(Statement::Section, "ASCEND_IS_AIV");
    open(vector.body);
    add(Statement::Plain, "block /= " + Twine(cores)).comment = "vector cores";
    close();
  } else {
    Statement &block = add(Statement::Constant, "GetBlockIdx()");
    block.type = "int64_t";
    block.names = {"block"};
  }
  for (auto [i, arg] : llvm::enumerate(args)) {
    bool isLast = i + 1 == args.size();
    std::string extent = isLast ? "" : format(getExpr(grid[i]));
    Statement &coordinate =
        add(Statement::Constant, isLast ? rest : rest + " % " + extent);
    coordinate.type = "int64_t";
    coordinate.names = {makeName(arg, "int64_t", "b")};
    rest = "(" + rest + " / " + extent + ")";
  }
}

/// For the vendor's compiler: what a program on the host finds by name.
void AscendWriter::writeLauncher(raw_ostream &os) {
  const std::string &name = output.entry.name;
  os << "\n#ifdef TILE_ASCEND_LAUNCH\nextern \"C\" void " << name
     << "_launch(uint32_t blocks, void *stream, const uint64_t *args) {\n";
  std::string call = name + "<<<blocks, nullptr, stream>>>(";
  for (auto [i, parameter] : llvm::enumerate(output.entry.parameters))
    call += (i ? ", " : "") +
            std::string(parameter.type == "GM_ADDR" ? "(uint8_t *)" : "") +
            "args[" + std::to_string(i) + "]";
  printLine(call + ");", 1, os);
  os << "}\n#endif\n";
}

void AscendWriter::collectWritten(tl::KernelOp kernel) {
  kernel.walk([&](InstructionOpInterface op) {
    SmallVector<tl::Access> accesses;
    if (auto access = dyn_cast<tl::TileAccessOpInterface>(op.getOperation()))
      access.getAccesses(accesses);
    for (const tl::Access &access : accesses)
      if (access.kind != tl::AccessKind::Read &&
          tl::getMemorySpace(access.region.buffer) == tl::MemorySpace::Global)
        written.insert(tl::getBaseBuffer(access.region.buffer));
  });
}

/// A file name in a comment, which ends where the line does and goes on behind
/// a backslash.
static std::string getComment(StringRef file) {
  std::string text = file.str();
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; }, '?');
  return text;
}

/// The text of a kernel with functions.
static std::string printShort(Kernel &kernel, FunctionOrder order,
                              bool gathersFirst) {
  if (gathersFirst)
    gatherConstants(kernel.entry.body, kernel);
  outlineRepeated(kernel, order);
  auto finish = [&](Statements &body) {
    shareBranches(body, kernel);
    rollLoops(kernel, body, 2, /*hasArrays=*/false);
    gatherConstants(body, kernel);
    dropCasts(body);
  };
  finish(kernel.entry.body);
  for (KernelFunction &function : kernel.functions)
    finish(function.body);
  dropUnused(kernel);
  std::string text;
  llvm::raw_string_ostream os(text);
  printKernel(kernel, os);
  return text;
}

LogicalResult AscendWriter::writeKernel(tl::KernelOp kernel,
                                        llvm::StringSet<> &functions,
                                        raw_ostream &os) {
  spec = &getSpec(kernel);
  if (auto place = kernel.getLoc()->findInstanceOf<FileLineColLoc>())
    file = place.getFilename();
  bool hasCube = false, hasVector = false;
  kernel.walk([&](InstructionOpInterface op) {
    (op.getCore() == Core::Cube ? hasCube : hasVector) = true;
  });
  // A section that holds flags alone runs too.
  for (SectionOp section : kernel.getBody().getOps<SectionOp>())
    (section.getCore() == Core::Cube ? hasCube : hasVector) = true;
  isMixed = hasCube && hasVector;
  StringRef kind = !hasCube                         ? "KERNEL_TYPE_AIV_ONLY"
                   : !hasVector                     ? "KERNEL_TYPE_AIC_ONLY"
                   : getNumVectorCores(kernel) == 1 ? "KERNEL_TYPE_MIX_AIC_1_1"
                                                    : "KERNEL_TYPE_MIX_AIC_1_2";
  output.entry.name = getKernelName(kernel);
  for (const KernelParameter &parameter : getKernelParameters(kernel)) {
    bool isBuffer =
        isa<MemRefType>(parameter.value.getType()) && !parameter.dim;
    output.entry.parameters.push_back(
        {isBuffer ? "GM_ADDR" : "int64_t", parameter.name});
    output.addVariable(output.entry.parameters.back().type, parameter.name);
  }
  open(output.prologue);
  add(Statement::Plain, "KERNEL_TASK_TYPE_DEFAULT(" + kind + ")");
  add(Statement::Plain, "InitSocState()");
  close();
  collectWritten(kernel);
  if (failed(writeParameters(kernel)))
    return failure();
  writeGrid(kernel);
  if (failed(writeBlock(kernel.getBody().front())))
    return failure();
  finishLine();
  orderFlags(output.entry.body);
  output.addVariable("int64_t", kCall);
  output.addVariable("int64_t", kRound);
  shareBranches(output.entry.body, output);
  rollLoops(output, output.entry.body, 3, /*hasArrays=*/true);
  dropUnused(output);
  walkLists(output.entry.body, [&](Statements &list) {
    for (const Statement &statement : list)
      if (statement.kind == Statement::HandOver)
        useHelper("HAND_OVER");
  });
  output.functionNames = functions;
  std::string shortest;
  Kernel best;
  for (FunctionOrder order : {FunctionOrder::Statements, FunctionOrder::Lines})
    for (bool gathersFirst : {false, true}) {
      Kernel copy = output;
      std::string text = printShort(copy, order, gathersFirst);
      if (shortest.empty() ||
          StringRef(text).count('\n') < StringRef(shortest).count('\n'))
        std::tie(shortest, best) = std::pair(std::move(text), std::move(copy));
    }
  if (!best.hasMembers())
    functions = best.functionNames;
  if (hasLines && file)
    os << "// " << getComment(llvm::sys::path::filename(file)) << "\n";
  os << shortest;
  writeLauncher(os);
  return success();
}

// What stands before the kernels where they use it.
static constexpr std::pair<StringLiteral, StringLiteral> kHelpers[] = {
    {"Global", R"(
// A tensor at an address of GM.
template <typename T> struct Global : GlobalTensor<T> {
  __aicore__ inline Global(GM_ADDR address) { this->SetGlobalBuffer((__gm__ T *)address); }
};
)"},
    {"HAND_OVER", R"(
// The second pipe waits until the first one has done what it was told before.
#define HAND_OVER(pipes, id) (SetFlag<HardEvent::pipes>(id), WaitFlag<HardEvent::pipes>(id))
)"}};

/// What the memories of a core are called.
static void writeMemories(const llvm::StringSet<> &used, raw_ostream &os) {
  SmallVector<std::string> positions;
  for (auto [memory, position] : {std::pair("UB", "VECCALC"),
                                  {"L1", "A1"},
                                  {"L0A", "A2"},
                                  {"L0B", "B2"},
                                  {"L0C", "CO1"},
                                  {"BT", "C2"}})
    if (used.contains(memory))
      positions.push_back(std::string(memory) + " = TPosition::" + position);
  if (positions.empty())
    return;
  os << "\n";
  printLine("static constexpr TPosition " + llvm::join(positions, ", ") + ";",
            0, os);
}

/// The functions that build the parameters of Fixpipe to UB, where they are
/// called.
static void writeFixpipeParams(const llvm::StringSet<> &used, raw_ostream &os) {
  constexpr StringLiteral type = "FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>";
  constexpr StringLiteral more = "uint16_t columns, uint16_t rows, uint16_t "
                                 "height, uint32_t pitch";
  auto write = [&](StringRef comment, StringRef name, const Twine &parameters,
                   StringRef fields) {
    if (!used.contains(name))
      return;
    os << "\n// " << comment << "\nstruct " << name << " : " << type << " {\n";
    printLine("__aicore__ inline " + name + "(" + parameters + ")", 1, os);
    os << "      : FixpipeParamsArch3510(columns, rows, height, pitch) { "
       << fields << " }\n};\n";
  };
  if (used.contains("rowsToUB"))
    os << "static constexpr FixpipeConfig rowsToUB = {CO2Layout::ROW_MAJOR, "
          "true};\n";
  write("Each vector core gets half of the rows.", "toBothCores", more,
        "dualDstCtl = 1;");
  write("One vector core gets all rows.", "toOneCore",
        more + ", uint8_t core, QuantMode_t quant, bool relu",
        "quantPre = quant; reluEn = relu; subBlockId = core;");
}

LogicalResult mlir::tile::ascend::writeAscendKernels(ModuleOp module,
                                                     bool hasLines,
                                                     raw_ostream &os) {
  os << "#include \"kernel_operator.h\"\n\nusing namespace AscendC;\n";
  std::string all;
  llvm::raw_string_ostream kernels(all);
  llvm::StringSet<> used;
  llvm::StringSet<> functions;
  auto result = module.walk([&](tl::KernelOp kernel) {
    AscendWriter writer(module.getContext(), hasLines);
    kernels << "\n";
    if (failed(writer.writeKernel(kernel, functions, kernels)))
      return WalkResult::interrupt();
    for (const auto &helper : writer.getHelpers())
      used.insert(helper.getKey());
    return WalkResult::advance();
  });
  for (auto &[name, definition] : kHelpers)
    if (used.contains(name))
      os << definition;
  writeMemories(used, os);
  writeFixpipeParams(used, os);
  writeChoices(used, "__aicore__ ", os);
  os << all;
  return failure(result.wasInterrupted());
}
