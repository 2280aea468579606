//===- AscendHost.cpp - the host's side of kernels, as C text -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AscendWriter.h"

#include "Tile/Dialect/Tile/IR/Constants.h"
#include "Tile/Targets/Ascend/Ascend.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tile::ascend;
namespace tl = mlir::tile;

namespace {
/// A function around kernels. Its arguments come as the CPU passes them. On the
/// model, buffers are the host's; on a device they are the device's.
class HostWriter : public AscendWriter {
public:
  HostWriter(MLIRContext *context, bool isDevice)
      : AscendWriter(context), isDevice(isDevice) {}
  LogicalResult writeFunction(FunctionOpInterface function, raw_ostream &os);

private:
  LogicalResult writeOp(Operation *op) override;
  LogicalResult writeLaunch(tl::KernelOp kernel);
  LogicalResult writeNumber(FunctionOpInterface function, BlockArgument arg);
  LogicalResult writeElement(Operation *op, Value buffer, ValueRange indices,
                             Value stored);
  void writeWorkspace(Value buffer, ArrayRef<OpFoldResult> shape);
  LogicalResult writeConstant(memref::GetGlobalOp constant);
  std::string getBytes(Value buffer);

  bool isDevice;
  SmallVector<std::string> workspaces;
};
} // namespace

std::string HostWriter::getBytes(Value buffer) {
  int64_t bits = cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
  AffineExpr bytes = number(bits / 8);
  for (AffineExpr size : views[buffer].sizes)
    bytes = size * bytes;
  return format(bytes);
}

void HostWriter::writeWorkspace(Value buffer, ArrayRef<OpFoldResult> shape) {
  SmallVector<AffineExpr> sizes;
  for (OpFoldResult extent : shape)
    sizes.push_back(getExpr(extent));
  std::string name = makeName(buffer, "void *", "workspace");
  views[buffer] = makeView(name, sizes);
  line() << "void *" << name << " = "
         << (isDevice ? "tileWorkspace(&host, " : "calloc(1, ")
         << getBytes(buffer) << (isDevice ? ");\n" : " + 1);\n");
  workspaces.push_back(name);
}

/// A constant buffer is in the host's code, and kernels read a copy.
LogicalResult HostWriter::writeConstant(memref::GetGlobalOp constant) {
  std::optional<std::string> bytes = tl::getConstantBytes(constant);
  if (!bytes)
    return constant.emitOpError("expected a constant with values of whole "
                                "bytes on an NPU; pass the buffer as an "
                                "argument");
  if (int64_t(bytes->size()) > tl::kMaxConstantBytes)
    return constant.emitOpError()
           << "expected at most " << tl::kMaxConstantBytes
           << " bytes of constants around kernels of an NPU, got "
           << bytes->size() << "; pass the buffer as an argument";
  Value buffer = constant.getResult();
  SmallVector<OpFoldResult> shape = getAsIndexOpFoldResult(
      constant.getContext(), constant.getType().getShape());
  writeWorkspace(buffer, shape);
  std::string name = views[buffer].tensor, words;
  llvm::raw_string_ostream text(words);
  for (size_t at = 0; at < bytes->size(); at += 8) {
    uint64_t word = 0;
    for (size_t i = at, end = std::min(at + 8, bytes->size()); i < end; ++i)
      word |= uint64_t(uint8_t((*bytes)[i])) << (8 * (i - at));
    text << (at ? ", " : "") << llvm::format_hex(word, 0) << "u";
  }
  if (bytes->empty())
    return success();
  line() << "static const uint64_t " << name << "_data[] = {" << words
         << "};\n";
  if (isDevice)
    line() << useHelper("tileCopy") << "(&host, " << name << ", " << name
           << "_data, " << bytes->size() << ", 1);\n";
  else
    line() << "memcpy(" << name << ", " << name << "_data, " << bytes->size()
           << ");\n";
  return success();
}

LogicalResult HostWriter::writeLaunch(tl::KernelOp kernel) {
  auto parameters = getKernelParameters(kernel);
  Statement &launch = add(Statement::Braces);
  open(launch.body);
  SmallVector<std::string> args;
  for (const KernelParameter &parameter : parameters) {
    Value value = parameter.value;
    std::string text;
    if (parameter.dim)
      text = "tileAscendScalar(" + format(views[value].sizes[*parameter.dim]) +
             ")";
    else if (isa<MemRefType>(value.getType()))
      text = "tileAscendBuffer(" + views[value].tensor + ", " +
             getBytes(value) + ")";
    else if (isa<FloatType>(value.getType()))
      text = "tileAscendFloat(" + getText(value) + ")";
    else
      text = "tileAscendScalar(" + getText(value) + ")";
    args.push_back(text);
  }
  // One more, as C has no empty arrays.
  args.push_back("tileAscendScalar(0)");
  line() << "const TileAscendArg args[] = {" << llvm::join(args, ", ") << "}";
  AffineExpr blocks = number(1);
  // A negative extent has no blocks.
  for (OpFoldResult extent : kernel.getMixedGrid()) {
    std::string text = format(getExpr(extent));
    bool isKnown = getConstantIntValue(extent).value_or(-1) >= 0;
    blocks = blocks *
             (isKnown ? getExpr(extent)
                      : addVariable("(" + text + " > 0 ? " + text + " : 0)"));
  }
  std::string name = getKernelName(kernel);
  const ::tile::target::Target *chip = getChip(kernel);
  if (isDevice)
    line() << "tileLaunch(&host, \"" << name << "_launch\", " << format(blocks)
           << ", args);\n";
  else
    line() << "tileAscendHostLaunch(\"" << (chip ? chip->name : StringRef())
           << "\", \"" << name << "\", " << name << ", " << format(blocks)
           << ", args, " << parameters.size() << ");\n";
  close();
  return success();
}

/// An element that host code loads, or the one that it stores. On a device it
/// is copied when the kernels before have run.
LogicalResult HostWriter::writeElement(Operation *op, Value buffer,
                                       ValueRange indices, Value stored) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  if (!type.isF32() && !type.isIndex() &&
      !(type.isInteger() && type.getIntOrFloatBitWidth() >= 8))
    return op->emitError("host code around kernels of an NPU accesses elements "
                         "of f32 and of integers of 8 to 64 bits, got ")
           << type << "; have a kernel convert it, or load it in the kernel";
  FailureOr<std::string> name = getTypeName(op, type);
  if (failed(name))
    return failure();
  const View &view = views[buffer];
  AffineExpr offset = view.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    offset = offset + stride * getExpr(OpFoldResult(index));
  std::string at = "(" + *name + " *)" + view.tensor + " + " +
                   formatExpr(offset, /*isNonNegative=*/true);
  std::string value = stored ? makeName("element")
                             : makeName(op->getResult(0), *name, "element");
  std::string first = stored     ? getText(stored)
                      : isDevice ? "0"
                                 : "*(" + at + ")";
  line() << (stored || !isDevice ? "const " : "") << *name << " " << value
         << " = " << first << ";\n";
  if (isDevice && stored)
    line() << useHelper("tileCopy") << "(&host, " << at << ", &" << value
           << ", sizeof(" << value << "), 1);\n";
  else if (isDevice)
    line() << useHelper("tileCopy") << "(&host, &" << value << ", " << at
           << ", sizeof(" << value << "), 2);\n";
  else if (stored)
    line() << "*(" << at << ") = " << value << ";\n";
  return success();
}

LogicalResult HostWriter::writeOp(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return writeElement(op, load.getMemRef(), load.getIndices(), {});
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return writeElement(op, store.getMemRef(), store.getIndices(),
                        store.getValue());
  if (auto kernel = dyn_cast<tl::KernelOp>(op))
    return writeLaunch(kernel);
  if (auto alloc = dyn_cast<tl::AllocOp>(op)) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    writeWorkspace(
        alloc.getBuffer(),
        getMixedValues(type.getShape(), alloc.getExtents(), op->getContext()));
    return success();
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    writeWorkspace(alloc.getMemref(), alloc.getMixedSizes());
    return success();
  }
  // With the function.
  if (isa<memref::DeallocOp>(op))
    return success();
  if (isa<func::ReturnOp>(op)) {
    if (isDevice)
      line() << "return tileEnd(&host);\n";
    else
      for (const std::string &name : workspaces)
        line() << "free(" << name << ");\n";
    return success();
  }
  if (isa<tl::AssumeOp>(op))
    return success();
  if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
    return writeConstant(constant);
  for (Type type : op->getResultTypes())
    if (isa<FloatType>(type) && !type.isF32() && !isa<arith::ConstantOp>(op))
      return op->emitError(
                 "host code around kernels of an NPU computes with f32 "
                 "and integers, got ")
             << type << "; compute it in the kernel";
  return AscendWriter::writeOp(op);
}

/// A number that the function takes. C has no floats of 16 bits: a kernel takes
/// them as f32.
LogicalResult HostWriter::writeNumber(FunctionOpInterface function,
                                      BlockArgument arg) {
  Type type = arg.getType();
  FailureOr<std::string> name = getTypeName(function, type);
  if (failed(name))
    return failure();
  std::string at = "arguments[" + std::to_string(arg.getArgNumber()) + "]",
              read;
  if (type.isF16() || type.isBF16()) {
    name = std::string("float");
    read =
        useHelper(type.isF16() ? "tileHalf" : "tileBFloat16") + "(" + at + ")";
  } else if (isa<FloatType>(type) && !type.isF32()) {
    return function.emitError(
               "host code around kernels of an NPU takes numbers "
               "of f32, f16, bf16 and integers, got ")
           << type << "; pass it in a buffer";
  } else {
    read = "*(" + *name + " *)" + at;
  }
  std::string value = makeName(arg, *name, "a");
  line() << "const " << *name << " " << value << " = " << read << ";\n";
  line() << "(void)" << value << ";\n";
  return success();
}

LogicalResult HostWriter::writeFunction(FunctionOpInterface function,
                                        raw_ostream &os) {
  if (isDevice) {
    os << "int tile_host_" << function.getName()
       << "(void **arguments, void *stream, char *error, size_t room) {\n";
    unsigned count = 0;
    function.walk([&](Operation *op) {
      count += isa<memref::AllocOp, memref::GetGlobalOp>(op) ||
               (isa<tl::AllocOp>(op) && !op->getParentOfType<tl::KernelOp>());
    });
    line() << "void *workspaces[" << count + 1 << "];\n";
    line() << "TileHost host = {stream, error, room, workspaces, 0, 0};\n";
    if (function.getNumArguments() == 0)
      line() << "(void)arguments;\n";
  } else {
    function.walk([&](tl::KernelOp kernel) {
      os << "extern void " << getKernelName(kernel) << "(void);\n";
    });
    os << "\nvoid tile_host_" << function.getName() << "(void **arguments) {\n";
  }
  for (BlockArgument arg : function.getArguments()) {
    unsigned i = arg.getArgNumber();
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type) {
      if (failed(writeNumber(function, arg)))
        return failure();
      continue;
    }
    std::string memref = makeName(arg, "TileAscendMemRef *", "m"),
                data = memref + "_data";
    line() << "const TileAscendMemRef *" << memref
           << " = *(TileAscendMemRef **)arguments[" << i << "];\n";
    line() << "void *" << data << " = " << memref << "->aligned;\n";
    line() << "(void)" << data << ";\n";
    SmallVector<AffineExpr> sizes;
    for (auto [dim, extent] : llvm::enumerate(type.getShape()))
      sizes.push_back(ShapedType::isDynamic(extent)
                          ? addVariable(memref + "->sizesAndStrides[" +
                                        std::to_string(dim) + "]")
                          : number(extent));
    views[arg] = makeView(data, sizes);
  }
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return function.emitError("expected one block around kernels");
  if (failed(writeBlock(function.getFunctionBody().front())))
    return failure();
  finishLine();
  printStatements(output.entry.body, 1, os);
  os << "}\n";
  return success();
}

static StringRef getHalfText() {
  return R"(
/* The value of an f16. */
static inline float tileHalf(const void *data) {
  uint16_t bits;
  uint32_t word;
  float value;
  memcpy(&bits, data, sizeof(bits));
  word = (uint32_t)(bits & 0x7fff) << 13 | ((bits & 0x7c00) == 0x7c00) * 0x7f800000u;
  memcpy(&value, &word, sizeof(value));
  /* The exponents are 112 apart; what is no number stays so. */
  value *= 5.192296858534828e33f;
  return bits & 0x8000 ? -value : value;
}
)";
}

static StringRef getBFloat16Text() {
  return R"(
/* The value of a bf16. */
static inline float tileBFloat16(const void *data) {
  uint16_t bits;
  uint32_t word;
  float value;
  memcpy(&bits, data, sizeof(bits));
  word = (uint32_t)bits << 16;
  memcpy(&value, &word, sizeof(value));
  return value;
}
)";
}

LogicalResult mlir::tile::ascend::writeAscendHost(ModuleOp module,
                                                  bool isDevice,
                                                  raw_ostream &os) {
  if (isDevice)
    os << getAscendDeviceText();
  else
    os << "#include \"tile_ascend_host.h\"\n";
  std::string all;
  llvm::raw_string_ostream functions(all);
  llvm::StringSet<> used;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    bool hasKernels = false;
    function.walk([&](tl::KernelOp) { hasKernels = true; });
    if (!hasKernels)
      continue;
    functions << "\n";
    HostWriter writer(module.getContext(), isDevice);
    if (failed(writer.writeFunction(function, functions)))
      return failure();
    for (const auto &helper : writer.getHelpers())
      used.insert(helper.getKey());
  }
  if (used.contains("tileCopy"))
    os << getAscendElementText();
  if (used.contains("tileHalf"))
    os << getHalfText();
  if (used.contains("tileBFloat16"))
    os << getBFloat16Text();
  writeChoices(used, "", os);
  os << all;
  return success();
}
