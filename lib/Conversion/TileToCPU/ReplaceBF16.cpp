//===- ReplaceBF16.cpp - bf16 as integers ---------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/TileToCPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tile {
#define GEN_PASS_DEF_REPLACEBF16PASS
#include "Tile/Conversion/TileToCPU/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

/// Types of bf16, and constants by their bits.
static void addReplacements(AttrTypeReplacer &replacer, Type integer) {
  replacer.addReplacement(
      [=](BFloat16Type) -> std::optional<std::pair<Type, WalkResult>> {
        return {{integer, WalkResult::advance()}};
      });
  replacer.addReplacement(
      [=](FloatAttr number) -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!number.getType().isBF16())
          return std::nullopt;
        APInt bits = number.getValue().bitcastToAPInt();
        return {{IntegerAttr::get(integer, bits), WalkResult::skip()}};
      });
  replacer.addReplacement(
      [=](DenseElementsAttr numbers)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!numbers.getElementType().isBF16())
          return std::nullopt;
        return {{numbers.bitcast(integer), WalkResult::skip()}};
      });
}

static void castTo(Type type, OpOperand &operand) {
  OpBuilder b(operand.getOwner());
  if (operand.get().getType() != type)
    operand.set(LLVM::BitcastOp::create(b, operand.getOwner()->getLoc(), type,
                                        operand.get()));
}

/// The other program was compiled for the types of the declaration.
static void castCall(LLVM::CallOp call, LLVM::LLVMFunctionType type) {
  for (auto [operand, expected] :
       llvm::zip(call.getArgOperandsMutable(), type.getParams()))
    castTo(expected, operand);
  if (!call->getNumResults() ||
      call.getResult().getType() == type.getReturnType())
    return;
  Value result = call.getResult();
  Type used = result.getType();
  result.setType(type.getReturnType());
  OpBuilder b(call->getContext());
  b.setInsertionPointAfter(call);
  auto cast = LLVM::BitcastOp::create(b, call.getLoc(), used, result);
  result.replaceAllUsesExcept(cast, cast);
}

namespace {
struct ReplaceBF16 : tile::impl::ReplaceBF16PassBase<ReplaceBF16> {
  void runOnOperation() override {
    AttrTypeReplacer replacer;
    addReplacements(replacer, IntegerType::get(&getContext(), 16));
    SymbolTable symbols(getOperation());
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      if (function.isExternal())
        return;
      // Other attributes are about the source.
      function.setFunctionType(cast<LLVM::LLVMFunctionType>(
          replacer.replace(function.getFunctionType())));
      for (Region &region : function->getRegions())
        for (Block &block : region)
          replaceIn(replacer, block);
    });
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      replacer.recursivelyReplaceElementsIn(global, /*replaceAttrs=*/true,
                                            /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    getOperation().walk([&](LLVM::CallOp call) {
      auto callee = call.getCallee();
      auto function = callee ? symbols.lookup<LLVM::LLVMFuncOp>(*callee)
                             : LLVM::LLVMFuncOp();
      if (function && function.isExternal())
        castCall(call, function.getFunctionType());
    });
  }

private:
  static void replaceIn(AttrTypeReplacer &replacer, Block &block) {
    for (BlockArgument argument : block.getArguments())
      argument.setType(replacer.replace(argument.getType()));
    for (Operation &op : block)
      replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true,
                                            /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
  }
};
} // namespace
