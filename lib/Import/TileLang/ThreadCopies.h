//===- ThreadCopies.h - copies by single threads ----------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_IMPORT_TILELANG_THREADCOPIES_H
#define TILE_LIB_IMPORT_TILELANG_THREADCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tile::tilelang {

/// A loop over threads that does nothing but copy elements from global to
/// shared memory, of which each names its own, is a copy of the region that
/// they are together. What each thread copies is found by counting through all
/// of them; places may depend on values outside of the loop by a sum.
///
/// Where some of the threads of a block have nothing else to do, the block has
/// only the others.
void raiseThreadCopies(func::FuncOp function);

} // namespace mlir::tile::tilelang

#endif // TILE_LIB_IMPORT_TILELANG_THREADCOPIES_H
