//===- tile-lsp-server.cpp - language server for .mlir files --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Driver/Version.h"
#include "Tile/InitAll.h"
#include "Tile/LanguageServer/LanguageServer.h"

#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::tile::setToolName("tile-lsp-server");
  mlir::DialectRegistry registry;
  mlir::tile::registerAllDialects(registry);
  return mlir::tile::runLanguageServer(argc, argv, registry);
}
