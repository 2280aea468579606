//===- GPUToLLVM.h - device code to the LLVM dialect ------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings to the dialects of the vendors' GPUs share. Each brings
// its own patterns; arithmetic, vectors and branches are the same everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_GPUTOLLVM_H
#define TILE_CONVERSION_GPUTOLLVM_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::tile {

LogicalResult verifyIndexBitwidth(MLIRContext *context, unsigned bits);

/// A value of 1 to 64 bits is shuffled in words of 32.
class ShuffleLowering : public ConvertOpToLLVMPattern<gpu::ShuffleOp> {
public:
  ShuffleLowering(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final;

protected:
  /// Replaces the words by those of the other lane. `valid` stays null where
  /// nobody asks for it.
  virtual void shuffle(OpBuilder &b, gpu::ShuffleOp op, OpAdaptor adaptor,
                       MutableArrayRef<Value> words, Value &valid) const = 0;
};

/// What the lowering for a vendor's GPUs brings.
struct DeviceLowering {
  Dialect *dialect;  ///< of the vendor's instructions
  StringRef machine; ///< in messages: "an AMD GPU"
  unsigned indexBitwidth;
  /// Adds the conversions of types, and the patterns of the gpu dialect.
  function_ref<void(LLVMTypeConverter &, RewritePatternSet &)> populate;
};

/// Lowers a module to the LLVM dialect and that of the vendor. The error names
/// the first op that no pattern takes.
LogicalResult lowerToLLVM(gpu::GPUModuleOp module,
                          const DeviceLowering &lowering);

} // namespace mlir::tile

#endif // TILE_CONVERSION_GPUTOLLVM_H
