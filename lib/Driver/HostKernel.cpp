//===- HostKernel.cpp - a function as a kernel of the CPU device ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/HostKernel.h"

#include "Tile/Conversion/LaunchMetadata.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/World/IR/World.h"
#include "TileRuntime/Metadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Describes the launch of one function.
class HostLaunchBuilder {
public:
  HostLaunchBuilder(FunctionOpInterface function, StringRef target,
                    StringRef chip)
      : function(function), target(target), chip(chip), metadata(function) {}

  FailureOr<std::string> run();

private:
  LogicalResult addArgument(unsigned index);
  LogicalResult addMemRef(unsigned index, MemRefType type);
  LogicalResult addPacked(unsigned index, MemRefType type);
  void addPointers(unsigned index);
  void addNumbers(LaunchParameterKind kind, unsigned index, int64_t rank);
  void addConstant(int64_t value) {
    metadata.addValue(getAffineConstantExpr(value, function.getContext()));
  }

  InFlightDiagnostic fail(unsigned index) {
    return emitError(function.getArgument(index).getLoc())
           << "argument " << index << " of '@" << function.getName() << "': ";
  }

  FunctionOpInterface function;
  StringRef target, chip;
  LaunchMetadataBuilder metadata;
};
} // namespace

void HostLaunchBuilder::addPointers(unsigned index) {
  for (int i = 0; i < 2; ++i)
    metadata.addParameter(LaunchParameterKind::Pointer, index);
  addConstant(0);
}

void HostLaunchBuilder::addNumbers(LaunchParameterKind kind, unsigned index,
                           int64_t rank) {
  for (int64_t dim = 0; dim < rank; ++dim)
    metadata.addParameter(kind, index, dim);
}

/// Elements of 4 bits are passed as bytes: half the last size, and half of the
/// strides before it.
LogicalResult HostLaunchBuilder::addPacked(unsigned index, MemRefType type) {
  int64_t rank = type.getRank();
  int64_t last = rank ? type.getShape().back() : 1;
  if (!ShapedType::isDynamic(last) && last % 2 != 0)
    return fail(index) << "expected an even last size of packed elements, got "
                       << last;
  addPointers(index);
  auto half = [&](LaunchSymbolKind kind, int64_t dim) {
    metadata.addValue(
        metadata.getMultiple(kind, index, dim, /*multiple=*/2).floorDiv(2));
  };
  addNumbers(LaunchParameterKind::Size, index, rank - 1);
  half(LaunchSymbolKind::Size, rank - 1);
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    half(LaunchSymbolKind::Stride, dim);
  addConstant(1);
  return success();
}

LogicalResult HostLaunchBuilder::addMemRef(unsigned index, MemRefType type) {
  int64_t rank = type.getRank(), offset = 0;
  SmallVector<int64_t> strides;
  if (rank > TILE_RT_MAX_RANK)
    return fail(index) << "expected a rank of at most " << TILE_RT_MAX_RANK
                       << ", got " << rank;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return fail(index) << "expected a layout with strides, got " << type;
  if (offset != 0 && !ShapedType::isDynamic(offset))
    return fail(index) << "expected a layout without an offset, got " << offset;
  bool packed = type.getElementType().isIntOrFloat() &&
                type.getElementTypeBitWidth() == 4;
  if (packed && rank == 0)
    return fail(index) << "expected packed elements to have a dimension";
  if (packed)
    return addPacked(index, type);
  addPointers(index);
  addNumbers(LaunchParameterKind::Size, index, rank);
  addNumbers(LaunchParameterKind::Stride, index, rank);
  return success();
}

LogicalResult HostLaunchBuilder::addArgument(unsigned index) {
  Type type = world::getLaunchType(function.getArgumentTypes()[index]);
  auto memref = dyn_cast<MemRefType>(type);
  std::string dtype =
      getRuntimeTypeName(memref ? memref.getElementType() : type);
  static constexpr StringRef known[] = {
      "i1",     "i4",         "i8",         "i16",       "i32",
      "i64",    "ui8",        "ui16",       "ui32",      "ui64",
      "f16",    "bf16",       "f32",        "f64",       "f8E4M3FN",
      "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"};
  if (!llvm::is_contained(known, dtype) ||
      (!memref && (dtype == "i4" || dtype == "f4E2M1FN")))
    return fail(index) << "expected a memref or a scalar of a type that the "
                          "runtime knows, got "
                       << type;
  if (memref)
    return addMemRef(index, memref);
  metadata.addParameter(LaunchParameterKind::Scalar, index);
  return success();
}

FailureOr<std::string> HostLaunchBuilder::run() {
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
  int64_t one = 1;
  LaunchMetadataBuilder::Shape shape;
  shape.kernel = function.getName();
  shape.runtime = target;
  shape.chip = chip;
  shape.grid = {getAffineConstantExpr(one, function.getContext())};
  shape.block = one;
  LaunchAttr launch = metadata.build(shape);
  if (!launch)
    return failure();
  return printLaunchMetadata(launch);
}

FailureOr<std::string> tile::describeHostKernel(FunctionOpInterface function,
                                                StringRef target,
                                                StringRef chip) {
  // The attributes are the dialect's, of which host code may have nothing.
  function.getContext()->loadDialect<TileDialect, world::WorldDialect>();
  return HostLaunchBuilder(function, target, chip).run();
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
