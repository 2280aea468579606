//===- GPUToROCDL.cpp - device code to the LLVM and ROCDL dialects --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToROCDL/Passes.h"

#include "Tile/Dialect/Tile/IR/TileAttrs.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTGPUMODULETOROCDLPASS
#include "Tile/Conversion/GPUToROCDL/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                  b.getI32IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

namespace {
/// Any value of up to 64 bits, in pieces of 32, all lanes of the wave taking
/// part.
struct LowerShuffle : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  LowerShuffle(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    Type i32 = rewriter.getI32Type();
    std::optional<int64_t> step = getConstantIntValue(op.getOffset());
    Value lane, source, valid;
    bool withinRow = op.getMode() == gpu::ShuffleMode::XOR && step &&
                     isSingleStep(*step) && op.getValid().use_empty();
    if (!withinRow) {
      lane = getLane(rewriter, loc);
      source = getSource(rewriter, op, adaptor, lane, valid);
    }
    SmallVector<Value> words;
    for (Value word : LLVM::decomposeValue(rewriter, loc, value, i32))
      words.push_back(withinRow ? exchange(rewriter, loc, word, *step)
                                : permute(rewriter, loc, word, source));
    Value result =
        LLVM::composeValue(rewriter, loc, words, value.getType());
    if (!valid)
      valid = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(),
                                       rewriter.getBoolAttr(true));
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

  static LogicalResult verify(gpu::ShuffleOp op) {
    Type type = op.getValue().getType();
    int64_t bits = 0;
    if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
      bits = element.getIntOrFloatBitWidth();
    if (auto vector = dyn_cast<VectorType>(type))
      bits *= vector.getNumElements();
    if (bits >= 1 && bits <= 64)
      return success();
    return op.emitError() << "expected a value of 1 to 64 bits to shuffle, got "
                          << type;
  }

private:
  static bool isSingleStep(int64_t step) {
    return llvm::is_contained({1, 2, 4, 8, 16}, step);
  }

  /// The value of the lane whose number differs in the bit `step`, in the same
  /// half of the wave.
  static Value exchange(OpBuilder &b, Location loc, Value word, int64_t step) {
    Type i32 = b.getI32Type();
    auto dpp = [&](int32_t control) -> Value {
      return ROCDL::DPPUpdateOp::create(b, loc, i32, word, word, control,
                                        /*rowMask=*/0xf, /*bankMask=*/0xf,
                                        /*boundCtrl=*/true);
    };
    // Controls of DPP: [isa] "Data Parallel Processing". A permutation of four
    // lanes has two bits for each; a rotation of a row of 16 by 8 is an
    // exchange.
    if (step == 1)
      return dpp(0b10'11'00'01);
    if (step == 2)
      return dpp(0b01'00'11'10);
    if (step == 8)
      return dpp(/*row_ror:8*/ 0x128);
    // The bit mask form: an XOR, an OR and an AND of the lane's five bits.
    return ROCDL::DsSwizzleOp::create(b, loc, i32, word,
                                      constant(b, loc, step << 10 | 0x1f));
  }

  static Value permute(OpBuilder &b, Location loc, Value word, Value lane) {
    Value bytes = LLVM::ShlOp::create(b, loc, lane, constant(b, loc, 2));
    return ROCDL::DsBpermuteOp::create(b, loc, b.getI32Type(), bytes, word);
  }

  static Value getLane(OpBuilder &b, Location loc) {
    Type i32 = b.getI32Type();
    Value all = constant(b, loc, -1);
    Value low = ROCDL::MbcntLoOp::create(b, loc, i32, all, constant(b, loc, 0),
                                         ArrayAttr(), ArrayAttr());
    return ROCDL::MbcntHiOp::create(b, loc, i32, all, low, ArrayAttr(),
                                    ArrayAttr());
  }

  /// The lane to read from: this one where the other is outside of the segment
  /// of `width` lanes.
  static Value getSource(OpBuilder &b, gpu::ShuffleOp op, OpAdaptor adaptor,
                         Value lane, Value &valid) {
    Location loc = op.getLoc();
    Value offset = adaptor.getOffset(), width = adaptor.getWidth();
    Value mask = LLVM::SubOp::create(b, loc, width, constant(b, loc, 1));
    Value inverse = LLVM::XOrOp::create(b, loc, mask, constant(b, loc, -1));
    Value first = LLVM::AndOp::create(b, loc, lane, inverse);
    Value other;
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR:
      other = LLVM::XOrOp::create(b, loc, lane, offset);
      break;
    case gpu::ShuffleMode::UP:
      other = LLVM::SubOp::create(b, loc, lane, offset);
      break;
    case gpu::ShuffleMode::DOWN:
      other = LLVM::AddOp::create(b, loc, lane, offset);
      break;
    case gpu::ShuffleMode::IDX:
      other = LLVM::AddOp::create(b, loc, first, offset);
      break;
    }
    Value distance = LLVM::SubOp::create(b, loc, other, first);
    valid = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, distance,
                                 width);
    return LLVM::SelectOp::create(b, loc, valid, other, lane);
  }
};

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

/// Counts of blocks are the first three words behind the arguments: LLVM's User
/// Guide for AMDGPU, "Code Object V5 Kernel Argument Metadata". (Upstream calls
/// a device library.)
struct LowerGridDim : ConvertOpToLLVMPattern<gpu::GridDimOp> {
  LowerGridDim(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/10) {}

  LogicalResult
  matchAndRewrite(gpu::GridDimOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto constants = LLVM::LLVMPointerType::get(rewriter.getContext(), 4);
    Value block =
        LLVM::CallIntrinsicOp::create(
            rewriter, loc, constants,
            rewriter.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
            .getResult(0);
    Value place = LLVM::GEPOp::create(
        rewriter, loc, constants, i32, block,
        ArrayRef<LLVM::GEPArg>{int32_t(op.getDimension())});
    Value count = LLVM::LoadOp::create(rewriter, loc, i32, place);
    if (getTypeConverter()->getIndexTypeBitwidth() > 32)
      count = LLVM::ZExtOp::create(rewriter, loc, getIndexType(), count);
    rewriter.replaceOp(op, count);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ConvertGPUModuleToROCDL
    : mlir::tile::impl::ConvertGPUModuleToROCDLPassBase<ConvertGPUModuleToROCDL> {
  using ConvertGPUModuleToROCDLPassBase::ConvertGPUModuleToROCDLPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (indexBitwidth != 32 && indexBitwidth != 64)
      return emitError(UnknownLoc::get(context))
             << "expected index-bitwidth to be 32 or 64, got "
             << indexBitwidth.getValue();
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<amdgpu::Chipset> chipset = getChipset(module);
    if (failed(chipset) || failed(verifyShuffles(module)))
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
    RewritePatternSet patterns(&getContext());
    populateGpuToROCDLConversionPatterns(converter, patterns,
                                         gpu::amd::Runtime::Unknown, *chipset);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    // Before those of the GPU patterns, which call device libraries.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    patterns.add<LowerShuffle, LowerGridDim>(converter);

    // Not upstream's target, which refuses LLVM's square root and the like.
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<ROCDL::ROCDLDialect>();
    target.addIllegalDialect<gpu::GPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    if (failed(applyPartialConversion(module, target, std::move(patterns))) ||
        failed(verifyDone(module)))
      return signalPassFailure();
    module.walk([](LLVM::LLVMFuncOp function) { describeLaunch(function); });
  }

private:
  /// The chip by the attribute of the module, or by the option.
  FailureOr<amdgpu::Chipset> getChipset(gpu::GPUModuleOp module) {
    const ::tile::target::Target *chipRecord = nullptr;
    if (auto attr = module->getAttrOfType<mlir::tile::TargetAttr>("tile.target"))
      chipRecord = &mlir::tile::getTarget(attr);
    else if (!chip.empty())
      chipRecord = ::tile::target::lookupTarget(chip);
    else
      return module.emitError("names no chip; expected the attribute "
                              "'tile.target' or the option 'chip'");
    if (!chipRecord)
      return module.emitError() << ::tile::target::describeUnknownTarget(chip);
    if (chipRecord->vendor != ::tile::target::Vendor::AMD)
      return module.emitError() << "expected a GPU of AMD as target, got '"
                                << chipRecord->name << "'";
    return amdgpu::Chipset::parse(chipRecord->arch);
  }

  static LogicalResult verifyShuffles(gpu::GPUModuleOp module) {
    return failure(module
                       .walk([](gpu::ShuffleOp op) {
                         return WalkResult(LowerShuffle::verify(op));
                       })
                       .wasInterrupted());
  }

  /// Workgroups have one size, which LLVM may count on.
  static void describeLaunch(LLVM::LLVMFuncOp function) {
    Builder b(function.getContext());
    auto required = function->getAttrOfType<DenseI32ArrayAttr>(
        "rocdl.reqd_work_group_size");
    if (!required)
      return;
    int64_t threads = 1;
    for (int32_t extent : required.asArrayRef())
      threads *= extent;
    std::string range = std::to_string(threads) + "," + std::to_string(threads);
    function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(range));
  }

  /// Names the first op that no pattern took.
  static LogicalResult verifyDone(gpu::GPUModuleOp module) {
    WalkResult result = module.walk([&](Operation *op) {
      if (op == module.getOperation() || isa<UnrealizedConversionCastOp>(op) ||
          isa<LLVM::LLVMDialect, ROCDL::ROCDLDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' cannot be lowered to code for an AMD GPU";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
