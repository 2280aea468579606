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

FailureOr<std::pair<StringRef, int64_t>>
mlir::tile::splitExtent(StringRef text) {
  auto [name, number] = text.split('%');
  int64_t multiple = 0;
  if (name.size() != text.size() &&
      (!to_integer(number, multiple, 10) || multiple < 1))
    return failure();
  return std::pair(name, multiple);
}

ArgumentExtents::ArgumentExtents(FunctionOpInterface function) {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    SmallVector<int> &dims = places.emplace_back();
    auto memref = dyn_cast<MemRefType>(type);
    auto shape = function.getArgAttrOfType<StringAttr>(index, "tile.shape");
    if (!memref || !shape)
      continue;
    SmallVector<StringRef> parts;
    shape.getValue().split(parts, 'x');
    parts.resize(memref.getRank());
    for (auto [dim, text] : llvm::enumerate(parts)) {
      auto part = splitExtent(text);
      dims.push_back(-1);
      if (failed(part) || !memref.isDynamicDim(dim) ||
          !isLaunchSymbolName(part->first))
        continue;
      auto *known = llvm::find_if(named, [&](const ArgumentExtent &extent) {
        return extent.name == part->first;
      });
      dims.back() = known - named.begin();
      if (known == named.end()) {
        named.push_back({unsigned(index), unsigned(dim), part->first, 0});
        known = &named.back();
      }
      if (part->second != 0)
        known->multiple =
            known->multiple ? std::lcm(known->multiple, part->second)
                            : part->second;
    }
  }
}

ArgumentExtent ArgumentExtents::get(unsigned argument, unsigned dim) const {
  ArrayRef<int> dims = places[argument];
  if (dim < dims.size() && dims[dim] >= 0)
    return named[dims[dim]];
  return {argument, dim, {}, 0};
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
