//===- AscendKernel.cpp - the frame of kernels, and their launch ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendFunctions.h"
#include "AscendWriter.h"

#include "Tile/Dialect/Ascend/IR/VectorCores.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;
using tl::MemorySpace;

std::string mlir::tile::ascend::getKernelName(tl::KernelOp kernel) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  unsigned index = 0, count = 0;
  function.walk([&](tl::KernelOp other) {
    index += other->isBeforeInBlock(kernel) &&
             other->getBlock() == kernel->getBlock();
    ++count;
  });
  std::string name = function.getName().str() + "_kernel";
  return count > 1 ? name + std::to_string(index) : name;
}

SmallVector<KernelParameter>
mlir::tile::ascend::getKernelParameters(tl::KernelOp kernel) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(kernel.getBody(), outside);
  for (Value extent : kernel.getDynamicGrid())
    outside.insert(extent);
  SmallVector<KernelParameter> parameters;
  unsigned buffers = 0, scalars = 0;
  for (Value value : outside) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      continue;
    std::string name = "gm" + std::to_string(buffers++);
    parameters.push_back({value, std::nullopt, name});
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        parameters.push_back({value, dim, name + "_d" + std::to_string(dim)});
  }
  for (Value value : outside)
    if (!isa<MemRefType>(value.getType()) &&
        !value.getDefiningOp<arith::ConstantOp>())
      parameters.push_back(
          {value, std::nullopt, "s" + std::to_string(scalars++)});
  return parameters;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// GM buffers as tensors, and scalars in their types.
LogicalResult AscendWriter::writeParameters(tl::KernelOp kernel) {
  DenseMap<Value, std::string> buffers;
  DenseMap<Value, SmallVector<AffineExpr>> extents;
  std::map<std::string, SmallVector<std::string>> tensors; // by type
  auto parameters = getKernelParameters(kernel);
  for (const KernelParameter &parameter : parameters) {
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
      std::string value = parameter.name + "_value";
      setName(parameter.value, value);
      if (isa<FloatType>(parameter.value.getType()))
        line() << "const float " << value << " = *reinterpret_cast<const "
               << "float *>(&" << parameter.name << ");\n";
      else
        line() << "const " << *name << " " << value << " = " << *name << "("
               << parameter.name << ");\n";
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
    buffers[parameter.value] = "g" + parameter.name.substr(2);
    tensors[*element].push_back(buffers[parameter.value] + "(" +
                                parameter.name + ")");
  }
  for (auto &[element, names] : tensors)
    line() << "Global<" << element << "> " << llvm::join(names, ", ")
           << ";\n";
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
  line() << (cores > 1 ? "" : "const ") << "int64_t block = GetBlockIdx();\n";
  // The macro is a condition in parentheses, of an 'if' alone.
  if (cores > 1) {
    line() << "if ASCEND_IS_AIV {\n";
    line() << "  block /= " << cores << "; // vector cores\n";
    line() << "}\n";
  }
  for (auto [i, arg] : llvm::enumerate(args)) {
    std::string name = makeName(arg, "b");
    std::string extent = format(getExpr(grid[i]));
    bool isLast = i + 1 == args.size();
    line() << "const int64_t " << name << " = "
           << (isLast ? rest : rest + " % " + extent) << ";\n";
    rest = "(" + rest + " / " + extent + ")";
  }
}

/// For the vendor's compiler: what a program on the host finds by name.
void AscendWriter::writeLauncher(tl::KernelOp kernel) {
  std::string name = getKernelName(kernel);
  os << "\n#ifdef TILE_ASCEND_LAUNCH\nextern \"C\" void " << name
     << "_launch(uint32_t blocks, void *stream, const uint64_t *args) {\n"
     << "  " << name << "<<<blocks, nullptr, stream>>>(";
  for (auto [i, parameter] : llvm::enumerate(getKernelParameters(kernel))) {
    bool isBuffer =
        isa<MemRefType>(parameter.value.getType()) && !parameter.dim;
    os << (i ? ", " : "") << (isBuffer ? "(uint8_t *)" : "") << "args[" << i
       << "]";
  }
  os << ");\n}\n#endif\n";
}

void AscendWriter::collectWritten(tl::KernelOp kernel) {
  kernel.walk([&](InstructionOpInterface op) {
    SmallVector<tl::Access> accesses;
    if (auto access = dyn_cast<tl::TileAccessOpInterface>(op.getOperation()))
      access.getAccesses(accesses);
    for (const tl::Access &access : accesses)
      if (access.kind != tl::AccessKind::Read &&
          tl::getMemorySpace(access.region.buffer) ==
                                  tl::MemorySpace::Global)
        written.insert(tl::getBaseBuffer(access.region.buffer));
  });
}

LogicalResult AscendWriter::writeKernel(tl::KernelOp kernel) {
  spec = &getSpec(kernel);
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
  os << "extern \"C\" __global__ __aicore__ void " << getKernelName(kernel)
     << "(";
  bool first = true;
  for (const KernelParameter &parameter : getKernelParameters(kernel)) {
    bool isBuffer =
        isa<MemRefType>(parameter.value.getType()) && !parameter.dim;
    os << (first ? "" : ", ") << (isBuffer ? "GM_ADDR " : "int64_t ")
       << parameter.name;
    first = false;
  }
  os << ") {\n";
  line() << "KERNEL_TASK_TYPE_DEFAULT(" << kind << ");\n";
  line() << "InitSocState();\n";
  collectWritten(kernel);
  if (failed(writeParameters(kernel)))
    return failure();
  writeGrid(kernel);
  if (failed(writeBlock(kernel.getBody().front())))
    return failure();
  os << "}\n";
  writeLauncher(kernel);
  return success();
}

// What stands before the kernels where they use it.
static constexpr std::pair<StringLiteral, StringLiteral> kHelpers[] = {
    {"Global<", R"(
// A tensor at an address of GM.
template <typename T> struct Global : GlobalTensor<T> {
  __aicore__ inline Global(GM_ADDR address) { this->SetGlobalBuffer((__gm__ T *)address); }
};
)"},
    {"HAND_OVER(", R"(
// The second pipe waits until the first one has done what it was told before.
#define HAND_OVER(pipes, id) (SetFlag<HardEvent::pipes>(id), WaitFlag<HardEvent::pipes>(id))
)"}};

/// The functions that build the parameters of Fixpipe to UB, where they are
/// called.
static void writeFixpipeParams(StringRef text, raw_ostream &os) {
  constexpr StringLiteral type = "FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>";
  auto write = [&](StringRef comment, StringRef name, StringRef parameters,
                   ArrayRef<StringRef> fields) {
    if (!text.contains((name + "(").str()))
      return;
    os << "\n// " << comment << "\nstatic __aicore__ inline " << type << " "
       << name << "(uint16_t columns, uint16_t rows, uint16_t height, "
       << "uint32_t pitch" << parameters << ") {\n  " << type
       << " params(columns, rows, height, pitch);\n";
    for (StringRef field : fields)
      os << "  params." << field << ";\n";
    os << "  return params;\n}\n";
  };
  if (text.contains("rowsToUB"))
    os << "\nstatic constexpr FixpipeConfig rowsToUB = {CO2Layout::ROW_MAJOR, "
          "true};\n";
  write("Each vector core gets half of the rows.", "toBothCores", "",
        {"quantPre = QuantMode_t::NoQuant", "reluEn = false",
         "dualDstCtl = 1"});
  write("One vector core gets all rows.", "toOneCore",
        ", uint8_t core, QuantMode_t quant, bool relu",
        {"quantPre = quant", "reluEn = relu", "subBlockId = core"});
}

LogicalResult mlir::tile::ascend::writeAscendKernels(ModuleOp module,
                                                     raw_ostream &os) {
  os << "#include \"kernel_operator.h\"\n\nusing namespace AscendC;\n";
  std::string all;
  auto result = module.walk([&](tl::KernelOp kernel) {
    std::string text;
    llvm::raw_string_ostream whole(text);
    if (failed(AscendWriter(module.getContext(), whole).writeKernel(kernel)))
      return WalkResult::interrupt();
    all += "\n" + outlineRepeatedBlocks(text, getKernelName(kernel));
    return WalkResult::advance();
  });
  for (auto &[name, definition] : kHelpers)
    if (StringRef(all).contains(name))
      os << definition;
  writeFixpipeParams(all, os);
  writeChoices(all, "__aicore__ ", os);
  os << all;
  return failure(result.wasInterrupted());
}
