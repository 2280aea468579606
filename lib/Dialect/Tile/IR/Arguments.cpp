//===- Arguments.cpp - what a call of a function must fulfil --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Arguments.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"
#include "Tile/Dialect/Tile/IR/Verification.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// "K" and "2" of "ceildiv(K, 2)" or "K * 2"; the kind is that of the op.
static std::optional<AffineExprKind>
splitFormula(StringRef text, StringRef &name, StringRef &number) {
  using Kind = AffineExprKind;
  for (auto [call, kind] : {std::pair("ceildiv(", Kind::CeilDiv),
                            {"floordiv(", Kind::FloorDiv}})
    if (StringRef rest = text;
        rest.consume_front(call) && rest.consume_back(")")) {
      std::tie(name, number) = rest.split(',');
      return kind;
    }
  size_t at = text.find_first_of("*+-");
  if (at == StringRef::npos)
    return std::nullopt;
  name = text.take_front(at);
  number = text.drop_front(at + 1);
  return text[at] == '*' ? Kind::Mul : Kind::Add;
}

FailureOr<StatedExtent> mlir::tile::parseExtent(StringRef text) {
  StatedExtent extent;
  StringRef number;
  text = text.trim(' ');
  if ((extent.formula = splitFormula(text, extent.name, number))) {
    extent.name = extent.name.trim(' ');
    bool isSum = *extent.formula == AffineExprKind::Add;
    if (!isLaunchSymbolName(extent.name) ||
        !to_integer(number.trim(' '), extent.number, 10) ||
        extent.number < (isSum ? 0 : 1))
      return failure();
    if (isSum && text.contains('-'))
      extent.number = -extent.number;
    return extent;
  }
  std::tie(extent.name, number) = text.split('%');
  if (extent.name.size() != text.size() &&
      (!to_integer(number, extent.multiple, 10) || extent.multiple < 1))
    return failure();
  return extent;
}

SmallVector<StringRef> mlir::tile::splitShape(StringRef shape) {
  SmallVector<StringRef> parts;
  shape.split(parts, 'x');
  return parts;
}

ArgumentExtents::ArgumentExtents(FunctionOpInterface function) {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    places.emplace_back();
    auto shaped = dyn_cast<ShapedType>(type);
    auto shape = function.getArgAttrOfType<StringAttr>(index, "tile.shape");
    if (!shaped || !shaped.hasRank() || !shape)
      continue;
    SmallVector<StringRef> parts = splitShape(shape.getValue());
    parts.resize(shaped.getRank());
    places.back().resize(parts.size(), -1);
    for (auto [dim, text] : llvm::enumerate(parts))
      if (auto stated = parseExtent(text);
          succeeded(stated) && shaped.isDynamicDim(dim) &&
          isLaunchSymbolName(stated->name))
        add(index, dim, *stated);
  }
}

void ArgumentExtents::add(unsigned argument, unsigned dim,
                          const StatedExtent &stated) {
  if (stated.formula) {
    formulas.insert({{argument, dim}, stated});
    return;
  }
  auto *known = llvm::find_if(named, [&](const ArgumentExtent &extent) {
    return extent.name == stated.name;
  });
  places[argument][dim] = known - named.begin();
  if (known == named.end())
    known = &named.emplace_back(
        ArgumentExtent{argument, dim, stated.name, 0});
  if (stated.multiple != 0)
    known->multiple = known->multiple
                          ? std::lcm(known->multiple, stated.multiple)
                          : stated.multiple;
}

ArgumentExtent ArgumentExtents::get(unsigned argument, unsigned dim) const {
  ArrayRef<int> dims = places[argument];
  if (dim < dims.size() && dims[dim] >= 0)
    return named[dims[dim]];
  return {argument, dim, {}, 0};
}

const ArgumentExtent *ArgumentExtents::find(StringRef name) const {
  auto *known = llvm::find_if(named, [&](const ArgumentExtent &extent) {
    return extent.name == name;
  });
  return known == named.end() ? nullptr : known;
}

const StatedExtent *ArgumentExtents::getFormula(unsigned argument,
                                                unsigned dim) const {
  auto it = formulas.find({argument, dim});
  return it == formulas.end() ? nullptr : &it->second;
}

FunctionOpInterface mlir::tile::getFunctionOf(Value buffer) {
  auto argument = dyn_cast_or_null<BlockArgument>(buffer);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  return dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The multiple that the facts of a kernel state; 1 if none does.
static int64_t findMultiple(KernelOp kernel, FactKind kind, unsigned argument,
                            unsigned dim) {
  if (kernel.getFacts())
    for (FactAttr fact : kernel.getFactsAttr().getAsRange<FactAttr>())
      if (fact.getKind() == kind && fact.getArgument() == argument &&
          fact.getDim() == dim)
        return fact.getMultiple();
  return 1;
}

int64_t mlir::tile::getAlignment(KernelOp kernel, BlockArgument argument,
                                 int64_t usual) {
  unsigned index = argument.getArgNumber();
  int64_t element = std::max<int64_t>(getElementBits(argument) / 8, 1);
  FunctionOpInterface function = getFunctionOf(argument);
  int64_t known = kernel.getFacts() ? element : std::max(usual, element);
  if (auto stated =
          function
              ? function.getArgAttrOfType<IntegerAttr>(index, "tile.align")
              : IntegerAttr())
    known = std::max(element, stated.getInt());
  return std::max(known, findMultiple(kernel, FactKind::Address, index, 0));
}

int64_t mlir::tile::getStrideMultiple(KernelOp kernel, BlockArgument argument,
                                      unsigned dim) {
  return findMultiple(kernel, FactKind::Stride, argument.getArgNumber(), dim);
}
