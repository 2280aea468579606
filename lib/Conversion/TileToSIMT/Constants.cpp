//===- Constants.cpp - constant buffers of kernels ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelConverter.h"

#include "Tile/Dialect/Tile/IR/Constants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::simt;

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
    std::optional<std::string> bytes = getConstantBytes(constant);
    if (!bytes)
      return constant.emitOpError("expected a constant with values of whole "
                                  "bytes on a GPU; pass the buffer as an "
                                  "argument");
    if (int64_t(bytes->size()) > kMaxConstantBytes)
      return constant.emitOpError()
             << "expected at most " << kMaxConstantBytes
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
