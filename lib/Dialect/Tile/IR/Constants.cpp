//===- Constants.cpp - constant buffers -----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Dialect/Tile/IR/Constants.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

static void append(std::string &bytes, const APInt &number) {
  APInt whole = number.zext(llvm::alignTo(number.getBitWidth(), 8));
  for (unsigned bit = 0; bit < whole.getBitWidth(); bit += 8)
    bytes.push_back(char(whole.extractBitsAsZExtValue(8, bit)));
}

static std::optional<std::string> getBytes(Attribute value) {
  std::string bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    ArrayRef<char> data = blob->getData();
    return std::string(data.begin(), data.end());
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    for (const APFloat &number : dense.getValues<APFloat>())
      append(bytes, number.bitcastToAPInt());
  else
    for (const APInt &number : dense.getValues<APInt>())
      append(bytes, number);
  return bytes;
}

std::optional<std::string>
mlir::tile::getConstantBytes(memref::GetGlobalOp constant) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      constant, constant.getNameAttr());
  MemRefType type = constant.getType();
  if (!global || !global.getConstant() || !global.getInitialValue() ||
      !type.getLayout().isIdentity() || getElementBits(type) < 8)
    return std::nullopt;
  // A resource may have any number of bytes.
  std::optional<std::string> bytes = getBytes(*global.getInitialValue());
  return bytes && int64_t(bytes->size()) == getBufferBytes(type) ? bytes
                                                                 : std::nullopt;
}
