//===- MissedRemark.h - what a kernel does not get --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_LIB_TRANSFORMS_MISSEDREMARK_H
#define TILE_LIB_TRANSFORMS_MISSEDREMARK_H

#include "Tile/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile {

/// A missed remark at `op`. What only a further version of a kernel lacks is no
/// loss, but an analysis.
inline remark::detail::InFlightRemark remarkMissed(Operation *op,
                                                   remark::RemarkOpts opts) {
  auto kernel = op->getParentOfType<KernelOp>();
  for (Operation *before = kernel ? kernel->getPrevNode() : nullptr; before;
       before = before->getPrevNode())
    if (auto other = dyn_cast<KernelOp>(before)) {
      if (other.isConditional())
        return remark::analysis(op->getLoc(), opts);
      break;
    }
  return remark::missed(op->getLoc(), opts);
}

} // namespace mlir::tile

#endif // TILE_LIB_TRANSFORMS_MISSEDREMARK_H
