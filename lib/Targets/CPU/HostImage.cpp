//===- HostImage.cpp - object files in this process -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostImage.h"

#include "Tile/Driver/LinkObject.h"
#include "Tile/Driver/RuntimeSymbols.h"
#include "Tile/Targets/CPU/CPU.h"
#include "TileRuntime/Device.h"


using namespace mlir;
using namespace mlir::tile;

namespace {
class HostImage : public LoadedImage {
public:
  HostImage(LinkedObject code, TileRtHostBlock block)
      : code(std::move(code)), image{block} {}

  StringRef getBytes() const override {
    return {reinterpret_cast<const char *>(&image), sizeof(image)};
  }

private:
  LinkedObject code;
  TileRtHostImage image;
};
} // namespace

static llvm::Expected<std::unique_ptr<LoadedImage>> link(StringRef object,
                                                         StringRef entry) {
  if (!initializeCPU())
    return llvm::createStringError("LLVM does not know this machine");
  auto linked = linkObject(object, entry, getRuntimeSymbols());
  if (!linked)
    return linked.takeError();
  auto block = reinterpret_cast<TileRtHostBlock>(linked->entry);
  return std::make_unique<HostImage>(std::move(*linked), block);
}

std::unique_ptr<LoadedImage>
tile::loadHostImage(StringRef object, StringRef entry, std::string &error) {
  auto image = link(object, entry);
  if (image)
    return std::move(*image);
  error = llvm::toString(image.takeError());
  return nullptr;
}
