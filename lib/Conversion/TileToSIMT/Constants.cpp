//===- Constants.cpp - constant buffers of kernels ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

/// The assembler reads them as text, several characters a byte.
static constexpr int64_t kMaxBytes = int64_t(4) << 20;

static void append(std::string &bytes, const APInt &number) {
  APInt whole = number.zext(llvm::alignTo(number.getBitWidth(), 8));
  for (unsigned bit = 0; bit < whole.getBitWidth(); bit += 8)
    bytes.push_back(char(whole.extractBitsAsZExtValue(8, bit)));
}

/// The data; none where the attribute keeps them in a way that is not known.
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

FailureOr<Value> simt::createConstant(OpBuilder &b, memref::GetGlobalOp constant,
                                      gpu::GPUModuleOp module,
                                      int64_t alignment) {
  Location loc = constant.getLoc();
  auto type = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  // With a dot, which names of kernels do not have.
  std::string name = ("tile_constant." + constant.getName()).str();
  if (!module.lookupSymbol(name)) {
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        constant, constant.getNameAttr());
    std::optional<std::string> bytes;
    if (global && global.getConstant() && global.getInitialValue())
      bytes = getBytes(*global.getInitialValue());
    MemRefType memref = constant.getType();
    // A resource may have any number of bytes.
    if (!bytes || !memref.getLayout().isIdentity() ||
        getElementBits(memref) < 8 ||
        int64_t(bytes->size()) != getBufferBytes(memref))
      return constant.emitOpError("expected a constant with values of whole "
                                  "bytes on a GPU; pass the buffer as an "
                                  "argument");
    if (int64_t(bytes->size()) > kMaxBytes)
      return constant.emitOpError()
             << "expected at most " << kMaxBytes
             << " bytes of constants in the code of a GPU, got "
             << bytes->size() << "; pass the buffer as an argument";
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(
        top, global.getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), bytes->size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getStringAttr(*bytes), alignment, /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(b, loc, type, name).getResult();
}
