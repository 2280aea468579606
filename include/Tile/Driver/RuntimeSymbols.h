//===- RuntimeSymbols.h - the runtime's functions for a JIT -----*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program links one library of the runtime, static or shared, and no target
// links either. So a program that runs kernels on the CPU says where the
// functions are that their code calls.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_RUNTIMESYMBOLS_H
#define TILE_DRIVER_RUNTIMESYMBOLS_H

#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/Print.h"
#include "TileRuntime/World.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tile {

/// Addresses of functions that generated code calls, by name. Written before
/// the first kernel is loaded, read from any thread after it.
llvm::StringMap<void *> &getRuntimeSymbols();

/// Adds the functions of the runtime that the including program links.
inline void addRuntimeSymbols() {
  auto add = [](StringRef name, auto *function) {
    getRuntimeSymbols()[name] = reinterpret_cast<void *>(function);
  };
  add("tile_rt_parallel_for", &tile_rt_parallel_for);
  add("tile_rt_num_threads", &tile_rt_num_threads);
  add("tile_rt_scratch", &tile_rt_scratch);
  add("tile_rt_note_missing_memory", &tile_rt_note_missing_memory);
  add("tile_rt_print_begin", &tile_rt_print_begin);
  add("tile_rt_print_index", &tile_rt_print_index);
  add("tile_rt_print_float", &tile_rt_print_float);
  add("tile_rt_print_integer", &tile_rt_print_integer);
  add("tile_rt_signal_add", &tile_rt_signal_add);
  add("tile_rt_signal_set", &tile_rt_signal_set);
  add("tile_rt_wait_ge", &tile_rt_wait_ge);
  add("tile_rt_wait_eq", &tile_rt_wait_eq);
}

} // namespace mlir::tile

#endif // TILE_DRIVER_RUNTIMESYMBOLS_H
