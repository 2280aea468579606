//===- Engines.h - pipes and the engines of the tables ----------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_ASCEND_IR_ENGINES_H
#define TILE_DIALECT_ASCEND_IR_ENGINES_H

#include "Tile/Dialect/Ascend/IR/Ascend.h"

namespace mlir::tile::ascend {

// Pipes are the engines of a core in the order of the tables, and all of them.
static_assert(unsigned(::tile::target::Engine::FIX) -
                  unsigned(::tile::target::Engine::S) ==
              unsigned(Pipe::FIX));

/// The engine of a pipe; nothing for all pipes.
inline std::optional<::tile::target::Engine> getEngine(Pipe pipe) {
  using ::tile::target::Engine;
  if (pipe == Pipe::All)
    return std::nullopt;
  return Engine(unsigned(Engine::S) + unsigned(pipe));
}

inline Pipe getPipe(::tile::target::Engine engine) {
  return Pipe(unsigned(engine) - unsigned(::tile::target::Engine::S));
}

} // namespace mlir::tile::ascend

#endif // TILE_DIALECT_ASCEND_IR_ENGINES_H
