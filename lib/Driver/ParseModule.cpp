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
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// All of a pipe or device, if it has an end within `most` bytes.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readStream(llvm::sys::fs::file_t file, StringRef name, size_t most) {
  SmallVector<char> text;
  for (;;) {
    size_t size = text.size();
    text.resize_for_overwrite(size + (1 << 16));
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
        file, MutableArrayRef(text).drop_front(size));
    if (!count)
      return count.takeError();
    text.truncate(size + *count);
    if (*count == 0)
      return llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(text.data(), text.size()), name);
    if (text.size() > most)
      return llvm::createStringError("expected at most %zu bytes from a pipe "
                                     "or device, got more",
                                     most);
  }
}

std::unique_ptr<llvm::MemoryBuffer>
mlir::tile::openInput(StringRef path, std::string *error) {
  llvm::sys::fs::file_status status;
  bool isStandard = path == "-";
  if (!isStandard && (llvm::sys::fs::status(path, status) ||
                      status.type() == llvm::sys::fs::file_type::regular_file ||
                      status.type() == llvm::sys::fs::file_type::directory_file))
    return openInputFile(path, error);
  llvm::sys::fs::file_t file = llvm::sys::fs::getStdinHandle();
  if (!isStandard) {
    auto opened = llvm::sys::fs::openNativeFileForRead(path);
    if (!opened) {
      *error = ("cannot open input file '" + path +
                "': " + llvm::toString(opened.takeError()))
                   .str();
      return nullptr;
    }
    file = *opened;
  }
  auto text = readStream(file, isStandard ? "<stdin>" : path, size_t(256) << 20);
  if (!isStandard)
    llvm::sys::fs::closeFile(file);
  if (text)
    return std::move(*text);
  *error = ("cannot read '" + path + "': " + llvm::toString(text.takeError()))
               .str();
  return nullptr;
}

/// Names the arguments of a block by their identifiers in the text.
/// A location with the name that a value has in the text.
static Location addName(Location loc, SMRange range) {
  const char *begin = range.Start.getPointer();
  StringRef name(begin, range.End.getPointer() - begin);
  if (!name.consume_front("%") || !isa<FileLineColLoc>(loc))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

static bool nestsTooDeep(StringRef text) {
  // Statements, behind `do`, have a limit and a message of their own.
  int64_t depth = 0, ofStatements = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '{') {
      if (ofStatements || text.take_front(i).rtrim().ends_with(" do"))
        ++ofStatements;
      else if (++depth > tile::kMostBraces)
        return true;
    } else if (c == '}') {
      int64_t &innermost = ofStatements ? ofStatements : depth;
      innermost = std::max<int64_t>(innermost - 1, 0);
    }
  }
  return false;
}

bool mlir::tile::nestsTooDeep(const llvm::MemoryBuffer &buffer,
                              StringRef marker) {
  if (isBytecode(buffer.getMemBufferRef()))
    return false;
  SmallVector<StringRef> parts;
  if (marker.empty())
    parts.push_back(buffer.getBuffer());
  else
    buffer.getBuffer().split(parts, marker);
  return llvm::any_of(parts, [](StringRef part) { return ::nestsTooDeep(part); });
}

OwningOpRef<ModuleOp>
mlir::tile::parseModule(const llvm::SourceMgr &sources, MLIRContext *context) {
  const llvm::MemoryBuffer *text =
      sources.getMemoryBuffer(sources.getMainFileID());
  ParserConfig config(context);
  if (isBytecode(text->getMemBufferRef()))
    return parseSourceFile<ModuleOp>(sources, config);
  if (nestsTooDeep(*text)) {
    emitError(FileLineColLoc::get(context, text->getBufferIdentifier(), 0, 0))
        << "expected braces to nest at most " << kMostBraces << " deep";
    return {};
  }
  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  auto module = mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, context,
      FileLineColLoc::get(context, text->getBufferIdentifier(), 0, 0));
  if (!module)
    return module;
  for (const auto &definition : state.getBlockDefs())
    for (auto [argument, at] :
         llvm::zip(definition.block->getArguments(), definition.arguments))
      argument.setLoc(addName(argument.getLoc(), at.loc));
  for (const auto &definition : state.getOpDefs())
    if (definition.op->getNumResults() == 1 &&
        definition.resultGroups.size() == 1)
      definition.op->setLoc(addName(definition.op->getLoc(),
                                    definition.resultGroups[0].definition.loc));
  return module;
}
