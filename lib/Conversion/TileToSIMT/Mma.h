//===- Mma.h - products by matrix instructions ------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOSIMT_MMA_H
#define TILE_LIB_CONVERSION_TILETOSIMT_MMA_H

#include "Lowering.h"

namespace mlir::tile::simt {

/// The chosen instruction and its fragments.
struct MmaInstruction {
  ::tile::target::MmaChoice choice;
  ::tile::target::ElementType a, b, c;
  ::tile::layout::Layout aFragment, bFragment, cFragment;

  int64_t m() const { return choice.row->m; }
  int64_t n() const { return choice.n; }
  int64_t k() const { return choice.row->k; }
};

/// Finds the row that the op's attribute means; an error at the op if there is
/// none.
FailureOr<MmaInstruction> findInstruction(GemmOp op, KernelLowering &l);

/// The instances of the instruction that cover the accumulator: for each, where
/// it begins in the first warp, and its registers of the accumulator in the
/// order of the instruction's fragment.
struct MmaInstance {
  int64_t m, n;
  SmallVector<int64_t> registers;
};
FailureOr<SmallVector<MmaInstance>> findInstances(GemmOp op,
                                                  const MmaInstruction &mma,
                                                  const Buffer &c,
                                                  const ThreadGroup &threads);

/// "e4m3", "f16": a type's name in PTX.
StringRef getPTXType(::tile::target::ElementType type);

/// Elements packed into registers of 32 bits, lowest first; f32 and f64 stay.
SmallVector<Value> packRegisters(KernelLowering &l, Location loc,
                                 ArrayRef<Value> elements);
SmallVector<Value> unpackRegisters(KernelLowering &l, Location loc,
                                   ValueRange registers, Type element,
                                   int64_t count);

/// An asm statement that must not be moved or duplicated, with results.
SmallVector<Value> emitAsm(KernelLowering &l, Location loc, const Twine &text,
                           TypeRange results, StringRef constraints,
                           ValueRange operands);

LogicalResult emitWarpMma(GemmOp op, KernelLowering &l);
LogicalResult emitWarpgroupMma(GemmOp op, KernelLowering &l);
LogicalResult emitMfma(GemmOp op, KernelLowering &l);
LogicalResult emitGemmWait(GemmWaitOp op, KernelLowering &l);

} // namespace mlir::tile::simt

#endif // TILE_LIB_CONVERSION_TILETOSIMT_MMA_H
