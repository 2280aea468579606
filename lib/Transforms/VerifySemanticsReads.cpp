//===- VerifySemanticsReads.cpp - reads of what nobody wrote --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifySemantics.h"

#include "Tile/Analysis/UnwrittenReads.h"

using namespace mlir;
using namespace mlir::tile;

LogicalResult tile::verifyReads(Operation *root) {
  SmallVector<UnwrittenRead> found = findUnwrittenReads(root);
  for (UnwrittenRead &unwritten : found) {
    InFlightDiagnostic diag =
        unwritten.read->emitOpError()
        << "reads what nobody has written; write it before, as by 'tile.fill' "
           "or 'tile.copy'";
    diag.attachNote(unwritten.tile.getLoc()) << "the tile is allocated here";
    if (unwritten.firstWrite)
      diag.attachNote(unwritten.firstWrite->getLoc())
          << "the first write is here";
  }
  return success(found.empty());
}
