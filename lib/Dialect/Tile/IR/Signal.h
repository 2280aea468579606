//===- Signal.h - the pipeline that a copy fills ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_DIALECT_TILE_IR_SIGNAL_H
#define TILE_LIB_DIALECT_TILE_IR_SIGNAL_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tile {

/// `signal(%pipeline : type)`, if it is there.
inline ParseResult
parseSignal(OpAsmParser &parser,
            std::optional<OpAsmParser::UnresolvedOperand> &signal, Type &type) {
  if (failed(parser.parseOptionalKeyword("signal")))
    return success();
  return failure(
      parser.parseLParen() || parser.parseOperand(signal.emplace()) ||
      parser.parseColonType(type) || parser.parseRParen());
}

inline void printSignal(OpAsmPrinter &printer, Value signal) {
  if (signal)
    printer << " signal(" << signal << " : " << signal.getType() << ")";
}

} // namespace mlir::tile

#endif // TILE_LIB_DIALECT_TILE_IR_SIGNAL_H
