//===- RuntimeSymbols.h - what generated code calls -------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H
#define TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ExecutionEngine/Orc/Core.h"

namespace mlir::tile {

/// The functions of the runtime that generated code calls, for a JIT: they are
/// those of this program. `intern` mangles a name.
llvm::orc::SymbolMap getRuntimeSymbols(
    function_ref<llvm::orc::SymbolStringPtr(StringRef)> intern);

/// One more such function.
template <typename Function>
llvm::orc::ExecutorSymbolDef getRuntimeSymbol(Function *function) {
  return {llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

} // namespace mlir::tile

#endif // TILE_EXECUTIONENGINE_RUNTIMESYMBOLS_H
