//===- AMDSIMTTarget.cpp - instructions of AMD GPUs -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMDSIMTTarget.h"

#include "Tile/Conversion/TileToAMD/TileToAMD.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::amd;
using namespace mlir::tile::simt;

void mlir::tile::registerTileToAMD(DialectRegistry &registry) {
  registerSIMTTarget<AMDSIMTTarget>(registry);
}

bool AMDSIMTTarget::supports(const ::tile::target::Target &chip) const {
  return chip.vendor == ::tile::target::Vendor::AMD;
}

void AMDSIMTTarget::loadDialects(MLIRContext *context) const {
  context->loadDialect<ROCDL::ROCDLDialect>();
}

unsigned AMDSIMTTarget::getPrivateAddressSpace() const {
  return ROCDL::ROCDLDialect::kPrivateMemoryAddressSpace;
}

/// An empty instruction whose operand and result are one scalar register.
Value AMDSIMTTarget::makeOpaque(KernelLowering &l, Location loc,
                                Value index) const {
  OpBuilder &b = l.builder();
  Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  Value opaque = emitAsm(b, loc, "", b.getI64Type(), "=s,0", number)[0];
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), opaque);
}

LogicalResult AMDSIMTTarget::emitMma(KernelLowering &l, GemmOp op) const {
  Instruction family = op.getInstructionAttr().getFamily();
  if (family == Instruction::MFMA || family == Instruction::WMMA)
    return emitWaveMma(op, l);
  return SIMTTarget::emitMma(l, op);
}
