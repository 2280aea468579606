//===- LaunchMetadata.cpp - attributes as the runtime's JSON --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Targets/GPU/DeviceCode.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

/// Converts an attribute; `path` says where it stands, for errors.
static FailureOr<llvm::json::Value> convert(Attribute attr, Operation *op,
                                            const Twine &path) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    llvm::json::Object object;
    for (NamedAttribute member : dictionary) {
      StringRef name = member.getName().getValue();
      auto value = convert(member.getValue(), op, path + "." + name);
      if (failed(value))
        return failure();
      object.try_emplace(name.str(), std::move(*value));
    }
    return llvm::json::Value(std::move(object));
  }
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    llvm::json::Array array;
    for (auto [i, element] : llvm::enumerate(list)) {
      auto value = convert(element, op, path + "[" + Twine(i) + "]");
      if (failed(value))
        return failure();
      array.push_back(std::move(*value));
    }
    return llvm::json::Value(std::move(array));
  }
  if (isa<UnitAttr>(attr))
    return llvm::json::Value(nullptr);
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return llvm::json::Value(boolean.getValue());
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (integer && integer.getValue().isSignedIntN(64))
    return llvm::json::Value(integer.getValue().getSExtValue());
  if (auto string = dyn_cast<StringAttr>(attr))
    return llvm::json::Value(string.getValue().str());
  return op->emitError() << path
                         << ": expected a dictionary, an array, an integer of "
                            "64 bits, a string, a bool or unit (null), got "
                         << attr;
}

FailureOr<std::string> mlir::tile::getLaunchMetadata(Operation *kernel) {
  auto launch = kernel->getAttrOfType<DictionaryAttr>("tile.launch");
  if (!launch)
    // untested: the tools look first
    return kernel->emitError("expected a kernel with the attribute "
                             "'tile.launch', which says how it is launched");
  auto value = convert(launch, kernel, "tile.launch");
  if (failed(value))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", *value) << "\n";
  return text;
}
