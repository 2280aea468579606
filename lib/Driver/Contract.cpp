//===- Contract.cpp - what the text of a function promises ----------------===//
//-----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Contract.h"

#include "Tile/Driver/HostKernel.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;
using namespace mlir::tile;
using llvm::json::Array;
using llvm::json::Object;

FunctionContract tile::getContract(FunctionOpInterface function) {
  FunctionContract contract;
  for (BlockArgument argument : function.getArguments()) {
    ArgumentContract &one = contract.emplace_back();
    one.name = getArgumentName(argument).str();
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      for (StringRef extent :
           getExtentNames(function, argument.getArgNumber(), type.getRank()))
        one.extents.push_back(extent.str());
  }
  return contract;
}

/// Makes sizes with the name of an earlier one equal to it. Only a size that is
/// a symbol of its own, so anything so far, is changed: its symbol stays.
static void equateSizes(Array &arguments, const FunctionContract &contract) {
  std::map<std::string, std::string> first;
  for (auto [argument, known] : llvm::zip(arguments, contract)) {
    Object *info = argument.getAsObject();
    Array *shape = info ? info->getArray("shape") : nullptr;
    if (!shape || shape->size() != known.extents.size())
      continue;
    for (auto [size, name] : llvm::zip(*shape, known.extents)) {
      auto symbol = size.getAsString();
      if (name.empty() || !symbol || symbol->contains(' '))
        continue;
      auto [where, isNew] = first.try_emplace(name, symbol->str());
      if (!isNew)
        size = where->second;
    }
  }
}

std::string tile::addContract(const std::string &metadata,
                              const FunctionContract &contract) {
  auto parsed = llvm::json::parse(metadata);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return metadata;
  }
  Object *text = parsed->getAsObject();
  Array *arguments = text ? text->getArray("arguments") : nullptr;
  if (!arguments || arguments->size() != contract.size())
    return metadata;
  for (auto [argument, known] : llvm::zip(*arguments, contract))
    if (Object *info = argument.getAsObject();
        info && !known.name.empty() && !info->get("name"))
      (*info)["name"] = known.name;
  equateSizes(*arguments, contract);
  return llvm::formatv("{0:2}", *parsed).str() + "\n";
}
