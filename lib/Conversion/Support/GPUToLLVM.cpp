//===- GPUToLLVM.cpp - device code to the LLVM dialect --------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToLLVM.h"

#include "Tile/Conversion/ApplyPatterns.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult mlir::tile::verifyIndexBitwidth(MLIRContext *context,
                                              unsigned bits) {
  if (bits == 32 || bits == 64)
    return success();
  return emitError(UnknownLoc::get(context))
         << "expected index-bitwidth to be 32 or 64, got " << bits;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Bits of a number or vector of numbers, 0 for anything else.
static int64_t countBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (auto vector = dyn_cast<VectorType>(type))
    bits *= vector.getNumElements();
  return bits;
}

static LogicalResult verifyShuffles(gpu::GPUModuleOp module) {
  auto verify = [](gpu::ShuffleOp op) -> WalkResult {
    int64_t bits = countBits(op.getValue().getType());
    if (bits >= 1 && bits <= 64)
      return success();
    return op.emitError() << "expected a value of 1 to 64 bits to shuffle, got "
                          << op.getValue().getType();
  };
  return failure(module.walk(verify).wasInterrupted());
}

LogicalResult
ShuffleLowering::matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Value value = adaptor.getValue();
  Type type = value.getType();
  // Whole words: an i48 is carried as an i64.
  int64_t bits = countBits(type);
  Type number = rewriter.getIntegerType(bits);
  Type padded = rewriter.getIntegerType(llvm::alignTo(bits, 32));
  bool isPadded = bits > 32 && number != padded;
  if (isPadded) {
    value = rewriter.createOrFold<LLVM::BitcastOp>(loc, number, value);
    value = LLVM::ZExtOp::create(rewriter, loc, padded, value);
  }
  SmallVector<Value> words =
      LLVM::decomposeValue(rewriter, loc, value, rewriter.getI32Type());
  Value valid;
  shuffle(rewriter, op, adaptor, words, valid);
  Value result =
      LLVM::composeValue(rewriter, loc, words, isPadded ? padded : type);
  if (isPadded) {
    result = LLVM::TruncOp::create(rewriter, loc, number, result);
    result = rewriter.createOrFold<LLVM::BitcastOp>(loc, type, result);
  }
  if (!valid)
    valid = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                     rewriter.getBoolAttr(true));
  rewriter.replaceOp(op, {result, valid});
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Vector ops that the patterns of the LLVM dialect do not know.
static LogicalResult lowerVectors(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInterleaveToShufflePatterns(patterns);
  return applyPatternsToNamed(module, std::move(patterns));
}

/// Blocks that do the same become one, which the types of LLVM would hide.
static void mergeBlocks(gpu::GPUModuleOp module) {
  IRRewriter rewriter(module.getContext());
  (void)simplifyRegions(rewriter, module->getRegions());
}

static LogicalResult verifyDone(gpu::GPUModuleOp module,
                                const DeviceLowering &lowering) {
  WalkResult result = module.walk([&](Operation *op) {
    if (op == module.getOperation() || isa<UnrealizedConversionCastOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) ||
        op->getDialect() == lowering.dialect)
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' cannot be lowered to code for " << lowering.machine;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::tile::lowerToLLVM(gpu::GPUModuleOp module,
                                      const DeviceLowering &lowering) {
  if (failed(verifyShuffles(module)) || failed(lowerVectors(module)))
    return failure();
  mergeBlocks(module);
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(lowering.indexBitwidth);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  lowering.populate(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  // Before those of the gpu dialect, which call libraries of the devices.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/2);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);

  // Not upstream's target, which refuses LLVM's square root and the like.
  LLVMConversionTarget target(*context);
  target.addLegalDialect(lowering.dialect->getNamespace());
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  ConversionConfig config;
  config.allowPatternRollback = false;
  if (failed(applyPartialConversion(module, target, std::move(patterns), config)))
    return failure();
  return verifyDone(module, lowering);
}
