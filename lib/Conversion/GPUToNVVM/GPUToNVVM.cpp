//===- GPUToNVVM.cpp - device code to the LLVM and NVVM dialects ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTGPUMODULETONVVMPASS
#include "Tile/Conversion/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

namespace {

/// Upstream's lowering of functions drops byval, and knows less of kernels.
struct LowerFunction : ConvertOpToLLVMPattern<gpu::GPUFuncOp> {
  LowerFunction(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getNumWorkgroupAttributions() || op.getNumPrivateAttributions())
      return rewriter.notifyMatchFailure(op, "has memory attributions");
    TypeConverter::SignatureConversion signature(
        op.getFunctionType().getNumInputs());
    Type type = getTypeConverter()->convertFunctionSignature(
        op.getFunctionType(), /*isVariadic=*/false,
        /*useBarePtrCallConv=*/false, signature);
    if (!type)
      return failure();
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getName() != gpu::GPUDialect::getKernelFuncAttrName())
        attributes.push_back(attribute);
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getName(), type, LLVM::Linkage::External,
        /*dsoLocal=*/false, LLVM::CConv::C, /*comdat=*/nullptr, attributes);
    if (op.isKernel())
      setKernelAttributes(op, function, rewriter);
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(),
                                           *getTypeConverter(), &signature)))
      return failure();
    if (ArrayAttr arguments = op.getAllArgAttrs())
      function.setAllArgAttrs(arguments);
    if (op.isKernel())
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (function.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
          function.setArgAttr(
              i, NVVM::NVVMDialect::getGridConstantAttrName(),
              rewriter.getUnitAttr());
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void setKernelAttributes(gpu::GPUFuncOp op, LLVM::LLVMFuncOp function,
                                  OpBuilder &b) {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    if (auto size = op.getKnownBlockSizeAttr()) {
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), size);
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        b.getI32IntegerAttr(1));
      // Where the lowering of gpu.thread_id looks for it in an llvm.func.
      function->setAttr("gpu.known_block_size", size);
    }
    if (auto size = op.getKnownGridSizeAttr())
      function->setAttr("gpu.known_grid_size", size);
  }
};

/// Any value of up to 64 bits, in pieces of 32.
struct LowerShuffle : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  LowerShuffle(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type type = value.getType();
    int64_t bits = bitWidth(type);
    Type i32 = rewriter.getI32Type();
    Type word = rewriter.getIntegerType(bits);
    Type padded = rewriter.getIntegerType(bits <= 32 ? 32 : 64);
    Value number = LLVM::BitcastOp::create(rewriter, loc, word, value);
    if (word != padded)
      number = LLVM::ZExtOp::create(rewriter, loc, padded, number);
    Value valid, result;
    if (bits <= 32) {
      result = shuffle(rewriter, op, adaptor, number, valid);
    } else {
      Value shift = constant(rewriter, loc, padded, 32);
      Value low = LLVM::TruncOp::create(rewriter, loc, i32, number);
      Value high = LLVM::LShrOp::create(rewriter, loc, number, shift);
      high = LLVM::TruncOp::create(rewriter, loc, i32, high);
      low = shuffle(rewriter, op, adaptor, low, valid);
      high = shuffle(rewriter, op, adaptor, high, valid);
      low = LLVM::ZExtOp::create(rewriter, loc, padded, low);
      high = LLVM::ZExtOp::create(rewriter, loc, padded, high);
      high = LLVM::ShlOp::create(rewriter, loc, high, shift);
      result = LLVM::OrOp::create(rewriter, loc, low, high);
    }
    if (word != padded)
      result = LLVM::TruncOp::create(rewriter, loc, word, result);
    result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    if (!valid)
      valid = constant(rewriter, loc, rewriter.getI1Type(), 1);
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

  static LogicalResult verify(gpu::ShuffleOp op) {
    int64_t bits = bitWidth(op.getValue().getType());
    if (bits >= 1 && bits <= 64)
      return success();
    return op.emitError() << "expected a value of 1 to 64 bits to shuffle, got "
                          << op.getValue().getType();
  }

private:
  static int64_t bitWidth(Type type) {
    int64_t count = 1;
    if (auto vector = dyn_cast<VectorType>(type)) {
      count = vector.getNumElements();
      type = vector.getElementType();
    }
    return type.isIntOrFloat() ? count * type.getIntOrFloatBitWidth() : 0;
  }

  static Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }

  static NVVM::ShflKind kindOf(gpu::ShuffleMode mode) {
    switch (mode) {
    case gpu::ShuffleMode::XOR:
      return NVVM::ShflKind::bfly;
    case gpu::ShuffleMode::UP:
      return NVVM::ShflKind::up;
    case gpu::ShuffleMode::DOWN:
      return NVVM::ShflKind::down;
    case gpu::ShuffleMode::IDX:
      return NVVM::ShflKind::idx;
    }
    llvm_unreachable("unknown mode");
  }

  /// Shuffles a word among segments of `width` lanes of the warp, all of which
  /// take part.
  static Value shuffle(OpBuilder &b, gpu::ShuffleOp op, OpAdaptor adaptor,
                       Value word, Value &valid) {
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    Value all = constant(b, loc, i32, -1);
    // The upper lane in bits 0 to 4, the mask of the segment from bit 8 on.
    Value lanes = constant(b, loc, i32, 32);
    Value outside =
        LLVM::SubOp::create(b, loc, lanes, adaptor.getWidth());
    Value clamp =
        LLVM::ShlOp::create(b, loc, outside, constant(b, loc, i32, 8));
    // Shuffles upwards are clamped at the segment's first lane instead.
    if (op.getMode() != gpu::ShuffleMode::UP)
      clamp = LLVM::OrOp::create(b, loc, clamp, constant(b, loc, i32, 31));
    NVVM::ShflKind kind = kindOf(op.getMode());
    if (op.getValid().use_empty())
      return NVVM::ShflOp::create(b, loc, i32, all, word, adaptor.getOffset(),
                                  clamp, kind, UnitAttr());
    Type pair = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                 {i32, b.getI1Type()});
    Value both =
        NVVM::ShflOp::create(b, loc, pair, all, word, adaptor.getOffset(),
                             clamp, kind, b.getUnitAttr());
    valid = LLVM::ExtractValueOp::create(b, loc, both, 1);
    return LLVM::ExtractValueOp::create(b, loc, both, 0);
  }
};

struct ConvertGPUModuleToNVVM
    : tile::impl::ConvertGPUModuleToNVVMPassBase<ConvertGPUModuleToNVVM> {
  using ConvertGPUModuleToNVVMPassBase::ConvertGPUModuleToNVVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (indexBitwidth != 32 && indexBitwidth != 64)
      return emitError(UnknownLoc::get(context))
             << "expected index-bitwidth to be 32 or 64, got "
             << indexBitwidth.getValue();
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    WalkResult shuffles = module.walk([](gpu::ShuffleOp op) {
      return WalkResult(LowerShuffle::verify(op));
    });
    if (shuffles.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet vectors(&getContext());
    vector::populateVectorBroadcastLoweringPatterns(vectors);
    vector::populateVectorStepLoweringPatterns(vectors);
    vector::populateVectorInterleaveToShufflePatterns(vectors);
    if (failed(applyPatternsGreedily(module, std::move(vectors))))
      return signalPassFailure();
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(indexBitwidth);
    LLVMTypeConverter converter(&getContext(), options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    populateGpuToNVVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    // Before those of the GPU patterns, which call libdevice.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    patterns.add<LowerFunction, LowerShuffle>(converter);

    // Not upstream's target, which refuses LLVM's square root and the like.
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
        failed(verifyDone(module)))
      return signalPassFailure();
    module.walk([](LLVM::LLVMFuncOp function) {
      function->removeAttr("gpu.known_block_size");
      function->removeAttr("gpu.known_grid_size");
    });
    module.walk([](LLVM::BrOp op) { adoptAnnotation(op); });
    module.walk([](LLVM::CondBrOp op) { adoptAnnotation(op); });
  }

  /// The lowering of loops leaves what was said of a loop next to the branch,
  /// where the translation does not look.
  template <typename OpTy> static void adoptAnnotation(OpTy op) {
    auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
        op->removeAttr("llvm.loop_annotation"));
    if (annotation)
      op.setLoopAnnotationAttr(annotation);
  }

  /// Names the first op that no pattern took.
  static LogicalResult verifyDone(gpu::GPUModuleOp module) {
    WalkResult result = module.walk([&](Operation *op) {
      if (op == module.getOperation() ||
          isa<UnrealizedConversionCastOp>(op) ||
          isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' cannot be lowered to code for an NVIDIA GPU";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
