//===- HostImage.cpp - object files in this process -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostImage.h"

#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/Targets/CPU/CPU.h"
#include "TileRuntime/Device.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::tile;
namespace orc = llvm::orc;

namespace {
class HostImage : public LoadedImage {
public:
  HostImage(std::unique_ptr<orc::LLJIT> jit, TileRtHostBlock block)
      : jit(std::move(jit)), image{block} {}

  StringRef getBytes() const override {
    return {reinterpret_cast<const char *>(&image), sizeof(image)};
  }

private:
  std::unique_ptr<orc::LLJIT> jit;
  TileRtHostImage image;
};
} // namespace

static llvm::Expected<std::unique_ptr<LoadedImage>> link(StringRef object,
                                                         StringRef entry) {
  if (!initializeCPU())
    return llvm::createStringError("LLVM does not know this machine");
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  orc::JITDylib &library = (*jit)->getMainJITDylib();
  orc::SymbolMap symbols;
  for (const auto &symbol : getRuntimeSymbols())
    symbols[(*jit)->mangleAndIntern(symbol.first())] = {
        orc::ExecutorAddr::fromPtr(symbol.second),
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
  auto block = address->toPtr<TileRtHostBlock>();
  return std::make_unique<HostImage>(std::move(*jit), block);
}

std::unique_ptr<LoadedImage>
tile::loadHostImage(StringRef object, StringRef entry, std::string &error) {
  auto image = link(object, entry);
  if (image)
    return std::move(*image);
  error = llvm::toString(image.takeError());
  return nullptr;
}
