//===- InsertBarriers.cpp - insertion of barriers -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InsertBarriers.h"

#include "Tile/Analysis/Hazards.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

void mlir::tile::insertMissingBarriers(KernelOp kernel, StringRef pass) {
  for (const MissingBarrier &missing : findMissingBarriers(kernel)) {
    OpBuilder b(missing.before);
    Location loc = missing.before->getLoc();
    if (missing.commits)
      AsyncCommitOp::create(b, loc);
    if (missing.waits)
      AsyncWaitOp::create(b, loc, /*pending=*/0);
    if (missing.waitsForStores)
      StoreWaitOp::create(b, loc, /*pending=*/0, missing.completesStores);
    if (missing.meets)
      BarrierOp::create(b, loc, missing.isAsync, missing.isGlobal);
    StringRef name = missing.meets   ? "Barrier"
                     : missing.waits ? "OwnCopies"
                                     : "StoreWait";
    remark::passed(loc, remark::RemarkOpts::name(name).category(pass))
        << remark::reason("between {0} and {1}{2}", describe(missing.first),
                          describe(missing.second),
                          missing.loop ? " in a later iteration" : "");
  }
}

namespace {
struct InsertBarriersPass
    : mlir::tile::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (failed(verifyParametersBound(getOperation())))
      return signalPassFailure();
    getOperation()->walk([](KernelOp kernel) {
      insertMissingBarriers(kernel, "tile-insert-barriers");
      divideStores(kernel);
    });
  }
};
} // namespace
