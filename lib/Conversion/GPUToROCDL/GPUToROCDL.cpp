//===- GPUToROCDL.cpp - device code to the LLVM and ROCDL dialects --------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/GPUToROCDL/Passes.h"

#include "Tile/Conversion/GPUToLLVM.h"
#include "Tile/Dialect/Tile/IR/TileTarget.h"
#include "Tile/Target/Target.h"

#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::tile {
#define GEN_PASS_DEF_CONVERTGPUMODULETOROCDLPASS
#include "Tile/Conversion/GPUToROCDL/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                  b.getI32IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

namespace {
/// All lanes of the wave take part.
struct LowerShuffle : ShuffleLowering {
  using ShuffleLowering::ShuffleLowering;

private:
  void shuffle(OpBuilder &b, gpu::ShuffleOp op, OpAdaptor adaptor,
               MutableArrayRef<Value> words, Value &valid) const override {
    Location loc = op.getLoc();
    std::optional<int64_t> step = getConstantIntValue(op.getOffset());
    bool withinRow = op.getMode() == gpu::ShuffleMode::XOR && step &&
                     isSingleStep(*step) && op.getValid().use_empty();
    if (withinRow) {
      for (Value &word : words)
        word = exchange(b, loc, word, *step);
      return;
    }
    Value source = getSource(b, op, adaptor, getLane(b, loc), valid);
    for (Value &word : words)
      word = permute(b, loc, word, source);
  }

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
    valid =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, distance, width);
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
    Value place =
        LLVM::GEPOp::create(rewriter, loc, constants, i32, block,
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
    : mlir::tile::impl::ConvertGPUModuleToROCDLPassBase<
          ConvertGPUModuleToROCDL> {
  using ConvertGPUModuleToROCDLPassBase::ConvertGPUModuleToROCDLPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return verifyIndexBitwidth(context, indexBitwidth);
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    const ::tile::target::Target *target = getTarget(module, "AMD");
    if (!target)
      return signalPassFailure();
    FailureOr<amdgpu::Chipset> chipset =
        amdgpu::Chipset::parse(target->arch);
    if (failed(chipset))
      return signalPassFailure();
    auto populate = [&](LLVMTypeConverter &converter,
                        RewritePatternSet &patterns) {
      populateGpuToROCDLConversionPatterns(
          converter, patterns, gpu::amd::Runtime::Unknown, *chipset);
      patterns.add<LowerShuffle, LowerGridDim>(converter);
    };
    auto *dialect = getContext().getLoadedDialect<ROCDL::ROCDLDialect>();
    if (failed(lowerToLLVM(module,
                           {dialect, "an AMD GPU", indexBitwidth, populate})))
      return signalPassFailure();
    module.walk([](LLVM::LLVMFuncOp function) { describeLaunch(function); });
  }

private:
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
};

} // namespace
