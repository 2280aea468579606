//===- LinkObject.cpp - object files in this process ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/LinkObject.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::tile;
namespace orc = llvm::orc;

LinkedObject::LinkedObject(std::unique_ptr<orc::LLJIT> jit, void *entry)
    : jit(std::move(jit)), entry(entry) {}
LinkedObject::LinkedObject(LinkedObject &&) = default;
LinkedObject::~LinkedObject() = default;

namespace {
/// Finds what this library itself may call: the program, and what this library
/// was loaded with. A program that loads it for itself alone, as Python does,
/// does not have the compiler's library, whose functions convert numbers where
/// the processor does not (`__truncdfhf2`) and divide those of 128 bits.
class OwnSymbols : public orc::DefinitionGenerator {
public:
  explicit OwnSymbols(char prefix) : prefix(prefix) {}

  llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind,
                            orc::JITDylib &library, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet &names) override {
    orc::SymbolMap found;
    for (const auto &name : names) {
      StringRef text = *name.first;
      if (prefix != '\0' && !text.consume_front(StringRef(&prefix, 1)))
        continue;
      if (void *address = dlsym(RTLD_DEFAULT, text.str().c_str()))
        found[name.first] = {orc::ExecutorAddr::fromPtr(address),
                             llvm::JITSymbolFlags::Exported};
    }
    return found.empty()
               ? llvm::Error::success()
               : library.define(orc::absoluteSymbols(std::move(found)));
  }

private:
  char prefix; // of names in object files
};
} // namespace

/// A lookup says what depends on a function that is missing; which one that is,
/// the session reports by itself.
static llvm::Expected<orc::ExecutorAddr> findEntry(orc::LLJIT &jit,
                                                   StringRef entry) {
  std::string reasons;
  jit.getExecutionSession().setErrorReporter([&](llvm::Error error) {
    reasons += (reasons.empty() ? "" : "; ") + llvm::toString(std::move(error));
  });
  auto address = jit.lookup(entry);
  jit.getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  if (address || reasons.empty())
    return address;
  llvm::consumeError(address.takeError());
  return llvm::createStringError(reasons);
}

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
  library.addGenerator(
      std::make_unique<OwnSymbols>((*jit)->getDataLayout().getGlobalPrefix()));
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, entry)))
    return error;
  auto address = findEntry(**jit, entry);
  if (!address)
    return address.takeError();
  return LinkedObject(std::move(*jit), address->toPtr<void *>());
}
