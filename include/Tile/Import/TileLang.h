//===- TileLang.h - programs of TileLang ------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads kernels that TileLang has traced, as tvm.ir.save_json writes them, and
// says them in the tile dialect. docs/tilelang.md has what becomes of what.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_IMPORT_TILELANG_H
#define TILE_IMPORT_TILELANG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tile {

/// A module with the function of a PrimFunc, or with those of an IRModule, in
/// TVM's JSON. The module verifies. Null, after errors at the lines of the
/// Python source, if there is something that it cannot say; a hint that it
/// leaves out is a remark. `name` is the file in errors about the JSON itself.
OwningOpRef<ModuleOp> importTileLang(StringRef json, StringRef name,
                                     MLIRContext *context);

/// Adds --import-tilelang to a translation tool.
void registerTileLangTranslations();

} // namespace mlir::tile

#endif // TILE_IMPORT_TILELANG_H
