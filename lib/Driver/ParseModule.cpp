//===- ParseModule.cpp - modules with the names of arguments --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/ParseModule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// Names the arguments of a block by their identifiers in the text.
static void nameArguments(const AsmParserState::BlockDefinition &block) {
  for (auto [argument, definition] :
       llvm::zip(block.block->getArguments(), block.arguments)) {
    const char *begin = definition.loc.Start.getPointer();
    StringRef name(begin, definition.loc.End.getPointer() - begin);
    if (name.consume_front("%") && isa<FileLineColLoc>(argument.getLoc()))
      argument.setLoc(NameLoc::get(
          StringAttr::get(argument.getContext(), name), argument.getLoc()));
  }
}

OwningOpRef<ModuleOp>
mlir::tile::parseModule(const llvm::SourceMgr &sources, MLIRContext *context) {
  const llvm::MemoryBuffer *text =
      sources.getMemoryBuffer(sources.getMainFileID());
  ParserConfig config(context);
  if (isBytecode(text->getMemBufferRef()))
    return parseSourceFile<ModuleOp>(sources, config);
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  auto module = detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, context,
      FileLineColLoc::get(context, text->getBufferIdentifier(), 0, 0));
  if (!module)
    return module;
  for (auto function : module->getOps<FunctionOpInterface>())
    if (!function.isExternal())
      if (const auto *entry = state.getBlockDef(&function.front()))
        nameArguments(*entry);
  return module;
}
