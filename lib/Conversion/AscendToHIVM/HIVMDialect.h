//===- HIVMDialect.h - ops of HIVM ------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// AscendNPU-IR is another program with an MLIR of its own. Its dialect is known
// here as far as it is printed: ops with inputs, an output and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_CONVERSION_ASCENDTOHIVM_HIVMDIALECT_H
#define TILE_LIB_CONVERSION_ASCENDTOHIVM_HIVMDIALECT_H

#include "mlir/IR/Builders.h"

namespace mlir::tile::hivm {

/// Loads the dialects `hivm` and `hacc`.
void loadDialects(MLIRContext &context);

/// `#name<value>`, where the name has that of its dialect before it.
Attribute getAttr(MLIRContext *context, StringRef name, StringRef value);

/// `hivm.hir.name ins(…) outs(…)`. Attributes stand where HIVM has them: those
/// of `flags` before the operands, those of `options` behind them, and `kind`
/// behind the name.
struct Instruction {
  StringRef name;
  SmallVector<Value> ins;
  Value out;
  StringRef kind = "";
  SmallVector<NamedAttribute> flags = {};
  SmallVector<NamedAttribute> options = {};
  Value padding = {}; // of a load
};
void create(OpBuilder &b, Location loc, const Instruction &instruction);

/// The number of the block, an i64.
Value createBlockIndex(OpBuilder &b, Location loc);

} // namespace mlir::tile::hivm

#endif // TILE_LIB_CONVERSION_ASCENDTOHIVM_HIVMDIALECT_H
