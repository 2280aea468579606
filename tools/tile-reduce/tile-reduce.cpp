//===- tile-reduce.cpp - shrinks a failing .mlir file ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/ParseModule.h"
#include "Tile/Driver/Version.h"
#include "Tile/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Whether an argument is a file that upstream's tool would read without end, or
/// that the parser could not go down into.
static bool isRefused(StringRef argument) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(argument, status))
    return false;
  if (status.type() == llvm::sys::fs::file_type::character_file) {
    llvm::errs() << argument << ": expected a file, a pipe or '-', got a device\n";
    return true;
  }
  if (!llvm::sys::fs::is_regular_file(status))
    return false;
  auto text = llvm::MemoryBuffer::getFile(argument);
  if (!text || !tile::nestsTooDeep(**text))
    return false;
  llvm::errs() << argument << ": expected braces to nest at most "
               << tile::kMostBraces << " deep\n";
  return true;
}

int main(int argc, char **argv) {
  tile::setToolName("tile-reduce");
  if (llvm::any_of(llvm::ArrayRef(argv, argc).drop_front(), isRefused))
    return 1;
  tile::registerAllPasses();
  DialectRegistry registry;
  tile::registerAllDialects(registry);
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context));
}
