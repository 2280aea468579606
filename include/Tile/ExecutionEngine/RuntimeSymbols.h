//===- RuntimeSymbols.h - what generated code calls -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H
#define TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H

#include "TileRuntime/ParallelFor.h"
#include "TileRuntime/Print.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ExecutionEngine/Orc/Core.h"

namespace mlir::tile {

template <typename Function>
llvm::orc::ExecutorSymbolDef getRuntimeSymbol(Function *function) {
  return {llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

/// The functions of the runtime that generated code calls, for a JIT: they are
/// those of this program, which links one library of the runtime, static or
/// shared. So they are looked up where this is included. `intern` mangles.
inline llvm::orc::SymbolMap getRuntimeSymbols(
    llvm::function_ref<llvm::orc::SymbolStringPtr(StringRef)> intern) {
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

} // namespace mlir::tile

#endif // TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H
