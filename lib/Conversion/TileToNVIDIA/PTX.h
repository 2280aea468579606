//===- PTX.h - registers and types of PTX instructions -------- -*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETONVIDIA_PTX_H
#define TILE_LIB_CONVERSION_TILETONVIDIA_PTX_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

namespace mlir::tile::nvidia {

/// "e4m3", "f16": a type's name in PTX.
StringRef getPTXType(::tile::target::ElementType type);

/// 87 for 8.7: the version of PTX that code for the chip has.
unsigned getPTXVersion(const ::tile::target::Target &chip);

/// Elements packed into registers of 32 bits, lowest first; f32 and f64 stay.
SmallVector<Value> packRegisters(simt::KernelLowering &l, Location loc,
                                 ArrayRef<Value> elements);
SmallVector<Value> unpackRegisters(simt::KernelLowering &l, Location loc,
                                   ValueRange registers, Type element,
                                   int64_t count);

} // namespace mlir::tile::nvidia

#endif // TILE_LIB_CONVERSION_TILETONVIDIA_PTX_H
