//===- HostKernel.cpp - a function as a kernel of the CPU device ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/HostKernel.h"

#include "TileRuntime/Metadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <optional>

using namespace mlir;
using namespace mlir::tile;
using llvm::json::Array;
using llvm::json::Object;
using JsonValue = llvm::json::Value;

namespace {
/// Builds the text for one function.
class Describer {
public:
  Describer(FunctionOpInterface function, StringRef target, StringRef chip)
      : function(function), target(target), chip(chip) {}

  FailureOr<std::string> run();

private:
  LogicalResult addArgument(unsigned index);
  LogicalResult addMemRef(unsigned index, MemRefType type, Object &info);
  LogicalResult addPacked(unsigned index, MemRefType type);
  void addPointers(unsigned index);
  void addNumbers(unsigned index, StringRef kind, int64_t rank);
  JsonValue getExtent(unsigned index, unsigned dim, StringRef name);
  std::string addSymbol(Object symbol, const Twine &name);

  InFlightDiagnostic fail(unsigned index) {
    return emitError(function.getArgument(index).getLoc())
           << "argument " << index << " of '@" << function.getName() << "': ";
  }

  FunctionOpInterface function;
  StringRef target, chip;
  Array arguments, symbols, parameters;
  /// Sizes that have a name, and where they come from.
  llvm::StringMap<std::pair<unsigned, unsigned>> named;
};
} // namespace

static std::optional<std::string> getElementName(Type type) {
  if (type.isIndex())
    return "i64";
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto integer = dyn_cast<IntegerType>(type))
    os << (integer.isUnsigned() ? "ui" : "i") << integer.getWidth();
  else
    os << type;
  static constexpr StringRef known[] = {
      "i1",  "i4",   "i8",  "i16", "i32", "i64",        "ui8",      "ui16",
      "ui32", "ui64", "f16", "bf16", "f32", "f64",       "f8E4M3FN", "f8E5M2",
      "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"};
  if (!llvm::is_contained(known, name))
    return std::nullopt;
  return name;
}

StringRef tile::getArgumentName(BlockArgument argument) {
  auto name = argument.getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

SmallVector<StringRef> tile::getExtentNames(FunctionOpInterface function,
                                            unsigned index, int64_t rank) {
  SmallVector<StringRef> names;
  if (auto shape = function.getArgAttrOfType<StringAttr>(index, "tile.shape"))
    shape.getValue().split(names, 'x');
  names.resize(rank);
  for (StringRef &name : names)
    if (name.empty() || !(llvm::isAlpha(name.front()) || name[0] == '_') ||
        name == "min" || name == "max" || name == "mod" || name == "ceildiv" ||
        name == "floordiv")
      name = "";
  return names;
}

std::string Describer::addSymbol(Object symbol, const Twine &name) {
  symbol["name"] = name.str();
  symbols.push_back(std::move(symbol));
  return name.str();
}

/// What a size must be: a number, a symbol, or anything.
JsonValue Describer::getExtent(unsigned index, unsigned dim, StringRef name) {
  auto type = cast<MemRefType>(function.getArgumentTypes()[index]);
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (name.empty())
    return nullptr;
  if (named.try_emplace(name, index, dim).second)
    addSymbol(Object{{"argument", int64_t(index)}, {"dim", int64_t(dim)}},
              name);
  return name.str();
}

void Describer::addPointers(unsigned index) {
  for (int i = 0; i < 2; ++i)
    parameters.push_back(
        Object{{"kind", "pointer"}, {"argument", int64_t(index)}});
  parameters.push_back(
      Object{{"kind", "value"}, {"value", 0}, {"type", "i64"}});
}

void Describer::addNumbers(unsigned index, StringRef kind, int64_t rank) {
  for (int64_t dim = 0; dim < rank; ++dim)
    parameters.push_back(Object{{"kind", kind.str()},
                                {"argument", int64_t(index)},
                                {"dim", dim},
                                {"type", "i64"}});
}

/// Elements of 4 bits are passed as bytes: half the last size, and half of the
/// strides before it.
LogicalResult Describer::addPacked(unsigned index, MemRefType type) {
  int64_t rank = type.getRank();
  int64_t last = rank ? type.getShape().back() : 1;
  if (!ShapedType::isDynamic(last) && last % 2 != 0)
    return fail(index) << "expected an even last size of packed elements, got "
                       << last;
  addPointers(index);
  auto half = [&](StringRef kind, int64_t dim) {
    std::string symbol = addSymbol(
        Object{
            {"argument", int64_t(index)}, {kind.str(), dim}, {"multiple", 2}},
        "_." + Twine(index) + "." + kind + "." + Twine(dim));
    parameters.push_back(Object{
        {"kind", "value"}, {"value", symbol + " 2 floordiv"}, {"type", "i64"}});
  };
  addNumbers(index, "size", rank - 1);
  half("dim", rank - 1);
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    half("stride", dim);
  parameters.push_back(
      Object{{"kind", "value"}, {"value", 1}, {"type", "i64"}});
  return success();
}

LogicalResult Describer::addMemRef(unsigned index, MemRefType type,
                                   Object &info) {
  int64_t rank = type.getRank(), offset = 0;
  SmallVector<int64_t> strides;
  if (rank > TILE_RT_MAX_RANK)
    return fail(index) << "expected a rank of at most " << TILE_RT_MAX_RANK
                       << ", got " << rank;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return fail(index) << "expected a layout with strides, got " << type;
  if (offset != 0 && !ShapedType::isDynamic(offset))
    return fail(index) << "expected a layout without an offset, got " << offset;
  SmallVector<StringRef> names = getExtentNames(function, index, rank);
  Array shape;
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(getExtent(index, dim, names[dim]));
  info["kind"] = "memref";
  info["shape"] = std::move(shape);
  bool packed = type.getElementType().isIntOrFloat() &&
                type.getElementTypeBitWidth() == 4;
  if (!type.getLayout().isIdentity()) {
    Array allowed;
    for (int64_t stride : strides)
      allowed.push_back(ShapedType::isDynamic(stride) ? JsonValue(nullptr)
                                                      : JsonValue(stride));
    info["strides"] = std::move(allowed);
  }
  if (packed && rank == 0)
    return fail(index) << "expected packed elements to have a dimension";
  if (packed)
    return addPacked(index, type);
  int64_t bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  info["align"] = std::max<int64_t>(bits / 8, 1);
  addPointers(index);
  addNumbers(index, "size", rank);
  addNumbers(index, "stride", rank);
  return success();
}

LogicalResult Describer::addArgument(unsigned index) {
  Type type = function.getArgumentTypes()[index];
  auto memref = dyn_cast<MemRefType>(type);
  std::optional<std::string> dtype =
      getElementName(memref ? memref.getElementType() : type);
  if (!dtype || (!memref && (*dtype == "i4" || *dtype == "f4E2M1FN")))
    return fail(index) << "expected a memref or a scalar of a type that the "
                          "runtime knows, got "
                       << type;
  Object info{{"dtype", *dtype}};
  StringRef name = getArgumentName(function.getArgument(index));
  if (!name.empty())
    info["name"] = name.str();
  if (memref) {
    if (failed(addMemRef(index, memref, info)))
      return failure();
  } else {
    info["kind"] = "scalar";
    parameters.push_back(
        Object{{"kind", "scalar"}, {"argument", int64_t(index)}});
  }
  arguments.push_back(std::move(info));
  return success();
}

FailureOr<std::string> Describer::run() {
  if (function.getNumResults() != 0)
    return function.emitError("expected a function without results; kernels "
                              "write their results to memrefs");
  if (function.getNumArguments() > TILE_RT_MAX_ARGUMENTS)
    return function.emitError()
           << "expected at most " << int(TILE_RT_MAX_ARGUMENTS)
           << " arguments, got " << function.getNumArguments();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(addArgument(i)))
      return failure();
  Object text{{"version", 1},
              {"kernel", function.getName().str()},
              {"target", target.str()},
              {"chip", chip.str()},
              {"arguments", std::move(arguments)},
              {"symbols", std::move(symbols)},
              {"parameters", std::move(parameters)},
              {"grid", Array{1}},
              {"block", Array{1}}};
  return llvm::formatv("{0:2}", JsonValue(std::move(text))).str() + "\n";
}

FailureOr<std::string> tile::describeHostKernel(FunctionOpInterface function,
                                                StringRef target,
                                                StringRef chip) {
  return Describer(function, target, chip).run();
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

std::string tile::getHostEntryName(StringRef function) {
  return ("_tile_host_" + function).str();
}

LogicalResult tile::addHostEntry(ModuleOp module, llvm::Module &llvmModule,
                                 StringRef function) {
  llvm::Function *callee = llvmModule.getFunction(function);
  if (!callee || callee->isDeclaration())
    // untested: lowering keeps public functions
    return module.emitError() << "'@" << function << "' was lost in lowering";
  llvm::LLVMContext &context = llvmModule.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, pointer, pointer},
                                       /*isVarArg=*/false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       getHostEntryName(function), llvmModule);
  // The CPU is part of the attributes.
  entry->setAttributes(
      callee->getAttributes().getFnAttrs().hasAttributes()
          ? llvm::AttributeList().addFnAttributes(
                context, llvm::AttrBuilder(
                             context, callee->getAttributes().getFnAttrs()))
          : llvm::AttributeList());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", entry));
  SmallVector<llvm::Value *> values;
  for (auto [i, parameter] : llvm::enumerate(callee->args())) {
    llvm::Value *slot =
        b.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), i);
    llvm::Value *address = b.CreateLoad(pointer, slot);
    // A truth value is a byte.
    if (parameter.getType()->isIntegerTy(1))
      values.push_back(
          b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), address), b.getInt8(0)));
    else
      values.push_back(b.CreateLoad(parameter.getType(), address));
  }
  b.CreateCall(callee, values);
  b.CreateRetVoid();
  callee->setLinkage(llvm::GlobalValue::InternalLinkage);
  // Nobody else calls it.
  if (auto *wrapper =
          llvmModule.getFunction(("_mlir_ciface_" + function).str()))
    wrapper->eraseFromParent();
  return success();
}
