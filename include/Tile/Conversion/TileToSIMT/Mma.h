//===- Mma.h - matrix instructions and accumulators -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_CONVERSION_TILETOSIMT_MMA_H
#define TILE_CONVERSION_TILETOSIMT_MMA_H

#include "Tile/Conversion/TileToSIMT/Lowering.h"

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

/// Instructions whose accumulator is in registers.
LogicalResult verifyAccumulator(Operation *op, Value c);

/// Finds the row that the op's attribute means; an error at the op if there is
/// none.
FailureOr<MmaInstruction> findInstruction(GemmOp op, KernelLowering &l);

/// That of a row and the types it is to have; nothing without the accumulator's
/// fragment.
std::optional<MmaInstruction>
makeInstruction(const ::tile::target::MmaChoice &choice,
                const ::tile::target::MmaTypes &types);

/// The instances of the instruction that cover the accumulator: for each, where
/// it begins in the first warp, and its registers of the accumulator in the
/// order of the instruction's fragment.
struct MmaInstance {
  int64_t m, n;
  SmallVector<int64_t> registers;
};
FailureOr<SmallVector<MmaInstance>> findInstances(Operation *op,
                                                  const MmaInstruction &mma,
                                                  const Buffer &c,
                                                  const ThreadGroup &threads);

} // namespace mlir::tile::simt

#endif // TILE_CONVERSION_TILETOSIMT_MMA_H
