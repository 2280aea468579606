//===- RuntimeSymbols.cpp - what generated code calls ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/ExecutionEngine/RuntimeSymbols.h"

#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/Print.h"

using namespace mlir;
using namespace mlir::tile;

llvm::orc::SymbolMap tile::getRuntimeSymbols(
    function_ref<llvm::orc::SymbolStringPtr(StringRef)> intern) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[intern(name)] = getRuntimeSymbol(function);
  };
  add("tile_rt_parallel_for", &tile_rt_parallel_for);
  add("tile_rt_num_threads", &tile_rt_num_threads);
  add("tile_rt_scratch", &tile_rt_scratch);
  add("tile_rt_print_begin", &tile_rt_print_begin);
  add("tile_rt_print_index", &tile_rt_print_index);
  add("tile_rt_print_float", &tile_rt_print_float);
  add("tile_rt_print_integer", &tile_rt_print_integer);
  return symbols;
}
