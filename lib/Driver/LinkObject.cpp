//===- LinkObject.cpp - object files in this process ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/LinkObject.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::tile;
namespace orc = llvm::orc;

LinkedObject::LinkedObject(std::unique_ptr<orc::LLJIT> jit, void *entry)
    : jit(std::move(jit)), entry(entry) {}
LinkedObject::LinkedObject(LinkedObject &&) = default;
LinkedObject::~LinkedObject() = default;

llvm::Expected<LinkedObject>
tile::linkObject(StringRef object, StringRef entry,
                 const llvm::StringMap<void *> &functions) {
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  orc::JITDylib &library = (*jit)->getMainJITDylib();
  orc::SymbolMap symbols;
  for (const auto &function : functions)
    symbols[(*jit)->mangleAndIntern(function.first())] = {
        orc::ExecutorAddr::fromPtr(function.second),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error = library.define(orc::absoluteSymbols(symbols)))
    return error;
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, entry)))
    return error;
  auto address = (*jit)->lookup(entry);
  if (!address)
    return address.takeError();
  return LinkedObject(std::move(*jit), address->toPtr<void *>());
}
