//===- Debug.cpp - assumptions, assertions, printing ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::cpu;

void cpu::callRuntime(OpBuilder &b, Operation *op, StringRef name,
                      ValueRange args) {
  auto module = op->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto function = func::FuncOp::create(
        b, op->getLoc(), name, b.getFunctionType(args.getTypes(), {}));
    function.setPrivate();
  }
  func::CallOp::create(b, op->getLoc(), name, TypeRange{}, args);
}

Value cpu::createString(OpBuilder &b, Operation *op, StringRef text) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
    name = "tile_message_" + std::to_string(i);
  return LLVM::createGlobalString(op->getLoc(), b, name, text.str() + '\0',
                                  LLVM::Linkage::Internal);
}

namespace {

struct LowerPrint : OpRewritePattern<PrintOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PrintOp op,
                                PatternRewriter &rewriter) const override {
    Value message = createString(rewriter, op, op.getMessage());
    auto type = dyn_cast<MemRefType>(op.getValue().getType());
    if (!type) {
      printValue(rewriter, op, message, {}, op.getValue());
    } else {
      buildLoops(rewriter, op.getLoc(), type.getShape(),
                 [&](OpBuilder &b, Location loc, ValueRange ivs) {
                   Value v = memref::LoadOp::create(b, loc, op.getValue(), ivs);
                   printValue(b, op, message, ivs, v);
                 });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void printValue(OpBuilder &b, PrintOp op, Value message,
                         ValueRange indices, Value value) {
    Location loc = op.getLoc();
    auto toI64 = [&](Value v) -> Value {
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), v);
    };
    callRuntime(b, op, "tile_rt_print_begin", message);
    for (Value index : indices)
      callRuntime(b, op, "tile_rt_print_index", toI64(index));
    if (isa<FloatType>(value.getType()))
      return callRuntime(b, op, "tile_rt_print_float",
                         castElement(b, loc, value, b.getF64Type()));
    value = value.getType().isIndex()
                ? toI64(value)
                : castElement(b, loc, value, b.getI64Type());
    callRuntime(b, op, "tile_rt_print_integer", value);
  }
};

struct LowerDeviceAssert : OpRewritePattern<DeviceAssertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DeviceAssertOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<cf::AssertOp>(op, op.getCondition(),
                                              op.getMessage());
    return success();
  }
};

struct LowerAssume : OpRewritePattern<AssumeOp> {
  LowerAssume(MLIRContext *context, bool check)
      : OpRewritePattern(context), check(check) {}
  LogicalResult matchAndRewrite(AssumeOp op,
                                PatternRewriter &rewriter) const override {
    if (check)
      rewriter.replaceOpWithNewOp<cf::AssertOp>(op, op.getCondition(),
                                                "assumption does not hold");
    else
      rewriter.replaceOpWithNewOp<LLVM::AssumeOp>(op, op.getCondition());
    return success();
  }
  bool check;
};

} // namespace

void cpu::populateDebugPatterns(RewritePatternSet &patterns,
                                const LoweringOptions &options) {
  patterns.add<LowerPrint, LowerDeviceAssert>(patterns.getContext());
  patterns.add<LowerAssume>(patterns.getContext(), options.checkAssumptions);
}
