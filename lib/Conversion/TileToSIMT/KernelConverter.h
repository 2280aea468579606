//===- KernelConverter.h - a kernel as a function of one thread  -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_KERNELCONVERTER_H
#define TILE_LIB_CONVERSION_TILETOSIMT_KERNELCONVERTER_H

#include "Tile/Conversion/TileToSIMT/SIMTTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::simt {

/// Whether all types and ops of the kernel are for GPUs, and for this one.
LogicalResult verifyKernel(KernelOp kernel, func::FuncOp host,
                           const ::tile::target::Target &chip);

/// The name of a kernel on the device, and of the one of which it is a version;
/// the same where it is none.
struct KernelName {
  StringRef own, general;
};

/// The address of the data of a constant, a variable of `module` that its first
/// use makes.
FailureOr<Value> createConstant(OpBuilder &b, memref::GetGlobalOp constant,
                                gpu::GPUModuleOp module, int64_t alignment);

/// Marks gemms whose A stays in the registers of threads over a loop, before
/// anything of the kernel is converted.
void markKeptOperands(KernelOp kernel);

/// Makes `kernel`, which is left empty, a function of `module`.
LogicalResult convertKernel(KernelOp kernel, func::FuncOp host,
                            gpu::GPUModuleOp module, KernelName name,
                            TargetAttr target, const SIMTTarget &simt);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_KERNELCONVERTER_H
