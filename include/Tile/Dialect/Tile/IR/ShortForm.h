//===- ShortForm.h - printing of the short form -----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser takes the short form of ops wherever it takes the long one. The
// printer writes it where it is asked to, and where reading it gives back what
// was printed.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_SHORTFORM_H
#define TILE_DIALECT_TILE_IR_SHORTFORM_H

namespace mlir::tile {

/// Whether ops are printed in the short form: no, unless a tool has the option
/// --print-short-form and it is given.
bool printsShortForm();

/// Adds the option --print-short-form to a tool.
void registerShortFormCLOptions();

} // namespace mlir::tile

#endif // TILE_DIALECT_TILE_IR_SHORTFORM_H
