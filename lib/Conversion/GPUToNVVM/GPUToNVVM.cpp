//===- GPUToNVVM.cpp - device code to the LLVM and NVVM dialects ----------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToNVVM/Passes.h"

#include "Tile/Conversion/GPUToLLVM.h"
#include "Tile/Dialect/Tile/IR/KernelAttrs.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTGPUMODULETONVVMPASS
#include "Tile/Conversion/GPUToNVVM/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

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
          function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
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
      auto blocks = op->getAttrOfType<IntegerAttr>(kResidentBlocksAttrName);
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        b.getI32IntegerAttr(blocks ? blocks.getInt() : 1));
      // Where the lowering of gpu.thread_id looks for it in an llvm.func.
      function->setAttr("gpu.known_block_size", size);
    }
    if (auto size = op.getKnownGridSizeAttr())
      function->setAttr("gpu.known_grid_size", size);
  }
};

/// All lanes of the warp take part.
struct LowerShuffle : ShuffleLowering {
  using ShuffleLowering::ShuffleLowering;

private:
  void shuffle(OpBuilder &b, gpu::ShuffleOp op, OpAdaptor adaptor,
               MutableArrayRef<Value> words, Value &valid) const override {
    for (Value &word : words)
      word = shuffle(b, op, adaptor, word, valid);
  }

  static Value constant(OpBuilder &b, Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                    b.getI32IntegerAttr(value));
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
    Value all = constant(b, loc, -1);
    // The upper lane in bits 0 to 4, the mask of the segment from bit 8 on.
    Value lanes = constant(b, loc, 32);
    Value outside = LLVM::SubOp::create(b, loc, lanes, adaptor.getWidth());
    Value clamp = LLVM::ShlOp::create(b, loc, outside, constant(b, loc, 8));
    // Shuffles upwards are clamped at the segment's first lane instead.
    if (op.getMode() != gpu::ShuffleMode::UP)
      clamp = LLVM::OrOp::create(b, loc, clamp, constant(b, loc, 31));
    NVVM::ShflKind kind = kindOf(op.getMode());
    if (op.getValid().use_empty())
      return NVVM::ShflOp::create(b, loc, i32, all, word, adaptor.getOffset(),
                                  clamp, kind, UnitAttr());
    Type pair =
        LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, b.getI1Type()});
    Value both =
        NVVM::ShflOp::create(b, loc, pair, all, word, adaptor.getOffset(),
                             clamp, kind, b.getUnitAttr());
    valid = LLVM::ExtractValueOp::create(b, loc, both, 1);
    return LLVM::ExtractValueOp::create(b, loc, both, 0);
  }
};

struct ConvertGPUModuleToNVVM
    : mlir::tile::impl::ConvertGPUModuleToNVVMPassBase<ConvertGPUModuleToNVVM> {
  using ConvertGPUModuleToNVVMPassBase::ConvertGPUModuleToNVVMPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return verifyIndexBitwidth(context, indexBitwidth);
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    auto populate = [](LLVMTypeConverter &converter,
                       RewritePatternSet &patterns) {
      configureGpuToNVVMTypeConverter(converter);
      populateGpuToNVVMConversionPatterns(converter, patterns);
      patterns.add<LowerFunction, LowerShuffle>(converter);
    };
    auto *dialect = getContext().getLoadedDialect<NVVM::NVVMDialect>();
    if (failed(lowerToLLVM(
            module, {dialect, "an NVIDIA GPU", indexBitwidth, populate})))
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
  template <typename OpTy>
  static void adoptAnnotation(OpTy op) {
    auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
        op->removeAttr("llvm.loop_annotation"));
    if (annotation)
      op.setLoopAnnotationAttr(annotation);
  }
};

} // namespace
