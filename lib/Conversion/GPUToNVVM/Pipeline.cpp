//===- Pipeline.cpp - from threads to the LLVM dialect on NVIDIA GPUs -----===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Conversion/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tile;

/// Computes on small floats in f32, as on the CPU. Conversions of bf16 are left
/// to the machine, which has them.
static void addFloatPasses(OpPassManager &pm) {
  ExpandSmallFloatsPassOptions small;
  small.keepBF16 = true;
  // Integers first: the emulation would round them to f32 on the way.
  pm.addPass(createExpandSmallFloatsPass(small));
  pm.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16",       "f8E4M3FN",   "f8E5M2",
                            "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3",
                            "f8E3M4",     "f8E8M0FNU",  "f4E2M1FN"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(createExpandSmallFloatsPass(small));
  pm.addPass(createLowerGPUMathPass());
}

void tile::buildGPUToNVVMPipeline(OpPassManager &pm,
                                  const GPUToNVVMPipelineOptions &options) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerAffinePass());
  addFloatPasses(device);
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass());
  ConvertGPUModuleToNVVMPassOptions convert;
  convert.indexBitwidth = options.indexBitwidth;
  device.addPass(createConvertGPUModuleToNVVMPass(convert));
  device.addPass(createConvertNVVMToLLVMPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
}
