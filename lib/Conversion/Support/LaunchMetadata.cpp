//===- LaunchMetadata.cpp - the launch of a kernel ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/LaunchMetadata.h"

#include "Tile/Dialect/World/IR/World.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tile;

StringRef mlir::tile::getArgumentName(BlockArgument argument) {
  auto name = argument.getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

LaunchMetadataBuilder::LaunchMetadataBuilder(FunctionOpInterface function)
    : function(function), extents(function) {}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

AffineExpr LaunchMetadataBuilder::find(LaunchSymbolKind kind, int64_t argument,
                                       int64_t dim, int64_t multiple,
                                       ArrayRef<AffineExpr> values) {
  for (auto [i, symbol] : llvm::enumerate(symbols))
    if (symbol.getKind() == kind && symbol.getArgument() == argument &&
        symbol.getDim() == dim && symbol.getMultiple() == multiple &&
        symbol.getValues() == values)
      return getAffineSymbolExpr(i, function.getContext());
  return {};
}

AffineExpr
LaunchMetadataBuilder::findOrAdd(LaunchSymbolKind kind, int64_t argument,
                                 int64_t dim, int64_t multiple,
                                 ArrayRef<AffineExpr> values,
                                 const Twine &name, int64_t least) {
  if (AffineExpr known = find(kind, argument, dim, multiple, values))
    return known;
  std::string text = name.str();
  // The program may use our names for sizes.
  while (llvm::any_of(symbols, [&](LaunchSymbolAttr symbol) {
    return symbol.getName() == text;
  }))
    text += "_";
  MLIRContext *context = function.getContext();
  symbols.push_back(LaunchSymbolAttr::get(context, text, kind, argument, dim,
                                          multiple, least, values));
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

static std::string getPlace(unsigned argument, unsigned dim) {
  return std::to_string(argument) + "." + std::to_string(dim);
}

AffineExpr LaunchMetadataBuilder::getSize(unsigned argument, unsigned dim) {
  auto type = cast<MemRefType>(
      world::getLaunchType(function.getArgumentTypes()[argument]));
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), function.getContext());
  ArgumentExtent extent = extents.get(argument, dim);
  std::string name = extent.name.empty()
                         ? "size" + getPlace(argument, dim)
                         : extent.name.str();
  return findOrAdd(LaunchSymbolKind::Size, extent.argument, extent.dim,
                   std::max<int64_t>(extent.multiple, 1), {}, name,
                   extent.multiple ? 1 : kAny);
}

AffineExpr LaunchMetadataBuilder::getStride(unsigned argument, unsigned dim) {
  auto type = cast<MemRefType>(
      world::getLaunchType(function.getArgumentTypes()[argument]));
  int64_t stride = type.getStridesAndOffset().first[dim];
  if (!ShapedType::isDynamic(stride))
    return getAffineConstantExpr(stride, function.getContext());
  return findOrAdd(LaunchSymbolKind::Stride, argument, dim, 1, {},
                   "stride" + getPlace(argument, dim));
}

AffineExpr LaunchMetadataBuilder::getScalar(unsigned argument) {
  return findOrAdd(LaunchSymbolKind::Scalar, argument, -1, 1, {},
                   "scalar" + Twine(argument));
}

AffineExpr LaunchMetadataBuilder::getMultiprocessors() {
  return findOrAdd(LaunchSymbolKind::Multiprocessors, -1, -1, 1, {},
                   "multiprocessors");
}

AffineExpr LaunchMetadataBuilder::getMultiple(LaunchSymbolKind kind,
                                              unsigned argument, unsigned dim,
                                              int64_t multiple) {
  return findOrAdd(kind, argument, dim, multiple, {},
                   stringifyLaunchSymbolKind(kind) + getPlace(argument, dim));
}

AffineExpr LaunchMetadataBuilder::combine(LaunchSymbolKind kind, AffineExpr lhs,
                                          AffineExpr rhs) {
  return findOrAdd(kind, -1, -1, 1, {lhs, rhs},
                   stringifyLaunchSymbolKind(kind) + Twine(symbols.size()));
}

bool LaunchMetadataBuilder::isNonNegative(AffineExpr expression) const {
  SmallVector<std::optional<int64_t>> lower(symbols.size()),
      upper(symbols.size());
  auto holds = [&](AffineExpr expr) {
    std::optional<int64_t> bound = getBoundForAffineExpr(
        expr, /*numDims=*/0, symbols.size(), lower, upper, /*isUpper=*/false);
    return bound && *bound >= 0;
  };
  for (auto [symbol, bound] : llvm::zip(symbols, lower)) {
    LaunchSymbolKind kind = symbol.getKind();
    if (kind == LaunchSymbolKind::Size ||
        kind == LaunchSymbolKind::Multiprocessors ||
        (kind == LaunchSymbolKind::Min &&
         llvm::all_of(symbol.getValues(), holds)) ||
        (kind == LaunchSymbolKind::Max &&
         llvm::any_of(symbol.getValues(), holds)))
      bound = 0;
  }
  return holds(expression);
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

void LaunchMetadataBuilder::addParameter(LaunchParameterKind kind,
                                         int64_t argument, int64_t dim) {
  parameters.push_back(LaunchParameterAttr::get(function.getContext(), kind,
                                                argument, dim, /*map=*/-1,
                                                AffineExpr(), Type()));
}

void LaunchMetadataBuilder::addExpression(LaunchParameterKind kind,
                                          AffineExpr value) {
  parameters.push_back(LaunchParameterAttr::get(
      function.getContext(), kind, /*argument=*/-1, /*dim=*/-1, /*map=*/-1,
      value, Type()));
}

void LaunchMetadataBuilder::addTensorMapParameter(int64_t map,
                                                  AffineExpr begin) {
  parameters.push_back(LaunchParameterAttr::get(
      function.getContext(), LaunchParameterKind::TensorMap, /*argument=*/-1,
      /*dim=*/-1, map, begin, Type()));
}

AffineExpr LaunchMetadataBuilder::getStatedSize(unsigned argument,
                                                unsigned dim) {
  if (const StatedExtent *stated = extents.getFormula(argument, dim))
    if (const ArgumentExtent *from = extents.find(stated->name))
      return getAffineBinaryOpExpr(
          *stated->formula, getSize(from->argument, from->dim),
          getAffineConstantExpr(stated->number, function.getContext()));
  if (!extents.get(argument, dim).name.empty())
    return getSize(argument, dim);
  return find(LaunchSymbolKind::Size, argument, dim, 1, {});
}

/// A number that nothing else depends on may have any value.
LaunchArgumentAttr LaunchMetadataBuilder::describe(unsigned argument,
                                                   int64_t align) {
  MLIRContext *context = function.getContext();
  Type type = world::getLaunchType(function.getArgumentTypes()[argument]);
  auto memref = dyn_cast<MemRefType>(type);
  StringRef name;
  if (!function.isExternal())
    name = getArgumentName(function.getArgument(argument));
  if (!memref)
    return LaunchArgumentAttr::get(context, name, type, /*align=*/1, {}, {});
  SmallVector<AffineExpr> shape, strides;
  for (auto [dim, size] : llvm::enumerate(memref.getShape()))
    shape.push_back(ShapedType::isStatic(size) ? getSize(argument, dim)
                                               : getStatedSize(argument, dim));
  if (!memref.getLayout().isIdentity())
    for (auto [dim, stride] :
         llvm::enumerate(memref.getStridesAndOffset().first))
      strides.push_back(
          ShapedType::isStatic(stride)
              ? getStride(argument, dim)
              : find(LaunchSymbolKind::Stride, argument, dim, 1, {}));
  Type element = memref.getElementType();
  if (auto stated =
          function.getArgAttrOfType<IntegerAttr>(argument, "tile.align"))
    align = stated.getInt();
  else if (!align)
    align = element.isIndex()
                ? 8
                : std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
  return LaunchArgumentAttr::get(context, name, type, align, shape, strides);
}

LaunchAttr LaunchMetadataBuilder::build(const Shape &shape) {
  SmallVector<LaunchArgumentAttr> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(describe(i, shape.align));
  // Divisors and sizes are the program's. The types are spelled out for the
  // overload that is not a template.
  auto emitError = [&] { return function.emitError("cannot be launched: "); };
  return LaunchAttr::getChecked(
      function_ref<InFlightDiagnostic()>(emitError), function.getContext(),
      shape.kernel, function.getName(), shape.runtime, shape.chip,
      ArrayRef<LaunchSymbolAttr>(symbols),
      ArrayRef<LaunchArgumentAttr>(arguments), ArrayRef<TensorMapAttr>(maps),
      ArrayRef<LaunchParameterAttr>(parameters), ArrayRef(shape.grid),
      shape.block, shape.cluster, shape.shared, shape.workspace,
      shape.general, shape.conditions);
}
