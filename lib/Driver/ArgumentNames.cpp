//===- ArgumentNames.cpp - the names that a text has for arguments --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/ArgumentNames.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

/// The identifier behind the '%' at a place of the text.
static StringRef getNameAt(ArrayRef<StringRef> lines, FileLineColLoc place) {
  if (place.getLine() == 0 || place.getLine() > lines.size() ||
      place.getColumn() == 0)
    return {};
  StringRef rest = lines[place.getLine() - 1].drop_front(std::min<size_t>(
      place.getColumn() - 1, lines[place.getLine() - 1].size()));
  if (!rest.consume_front("%"))
    return {};
  return rest.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

void tile::nameArguments(ModuleOp module, StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto function : module.getOps<FunctionOpInterface>())
    for (BlockArgument argument : function.isExternal()
                                      ? MutableArrayRef<BlockArgument>()
                                      : function.getArguments()) {
      auto place = dyn_cast<FileLineColLoc>(argument.getLoc());
      StringRef name = place ? getNameAt(lines, place) : StringRef();
      if (!name.empty())
        argument.setLoc(
            NameLoc::get(StringAttr::get(module.getContext(), name), place));
    }
}
