//===- SyncModel.h - engines and flags of Ascend ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCMODEL_H
#define TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCMODEL_H

#include "Tile/Analysis/Dependence.h"
#include "Tile/Dialect/Ascend/IR/Engines.h"

namespace mlir::tile::ascend {

using ::tile::target::Engine;

/// An AI core: the scalar unit issues instructions to pipes, which flags and
/// barriers order.
class AscendSyncModel : public SyncModel {
public:
  explicit AscendSyncModel(const ::tile::target::AscendSpec &spec)
      : spec(spec) {}

  std::optional<Engine> getEngine(Operation *op) const override;
  std::optional<SyncEvent> getSync(Operation *op) const override;
  bool isOrdered(Operation *earlier, Operation *later,
                 Engine engine) const override;
  int64_t getMostCrossFlags() const override { return spec.crossCounterMax; }

  /// Before the first instruction of a core.
  static OrderState getStart() { return {Engine::S, Engine::FIX}; }

private:
  const ::tile::target::AscendSpec &spec;
};

/// What is wrong with a flag; null if nothing is.
const char *getFlagProblem(BlockOrder::Outcome outcome);

/// The core that an op says it runs on.
std::optional<Core> getCoreOf(Operation *op);

} // namespace mlir::tile::ascend

#endif // TILE_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCMODEL_H
