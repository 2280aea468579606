//===- Machine.h - what the passes know of the CPU --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_TILETOCPU_MACHINE_H
#define TILE_LIB_CONVERSION_TILETOCPU_MACHINE_H

#include "mlir/IR/Operation.h"

namespace mlir::tile::cpu {

/// The figures of a CPU record that the passes use; what each means stands in
/// TargetSpec.td.
struct Machine {
  int64_t vectorBytes, vectorRegisters;
  int64_t lineBytes;
  int64_t rowBytes, streamBytes;
  int64_t prefetchLines, maxPrefetchLines, prefetchBytes;

  int64_t getLanes(Type element) const {
    return vectorBytes / (element.getIntOrFloatBitWidth() / 8);
  }
};

/// The machine that `op` is compiled for; an error if that is no CPU.
FailureOr<Machine> getMachine(Operation *op);

} // namespace mlir::tile::cpu

#endif // TILE_LIB_CONVERSION_TILETOCPU_MACHINE_H
