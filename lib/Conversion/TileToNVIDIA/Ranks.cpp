//===- Ranks.cpp - NVIDIA GPUs as ranks -----------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include "Tile/Conversion/TileToSIMT/Lowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::nvidia;
using namespace mlir::tile::simt;

bool NVIDIARankTarget::supports(const ::tile::target::Target &chip) const {
  return chip.vendor == ::tile::target::Vendor::NVIDIA;
}

/// LLVM 22 drops order and scope of atomicrmw.
void NVIDIARankTarget::add(KernelLowering &l, Location loc, Value address,
                           Value value, bool isRelease) const {
  bool isWide = value.getType().getIntOrFloatBitWidth() == 64;
  std::string text = llvm::formatv("red.{0}.sys.global.add.{1} [$0], $1;",
                                   isRelease ? "release" : "relaxed",
                                   isWide ? "u64" : "u32");
  emitAsm(l.builder(), loc, text, {},
          isWide ? "l,l,~{memory}" : "l,r,~{memory}", {address, value});
}

Value NVIDIARankTarget::readNanoseconds(KernelLowering &l,
                                        Location loc) const {
  OpBuilder &b = l.builder();
  return NVVM::GlobalTimerOp::create(b, loc, b.getI64Type());
}
