// Flags of two rounds that are the same one by the arithmetic of ranks: the signals of the first round end the wait of the second. No
// rule sees it, since indices are computed; the SIMT model reports what is then read too early.

// REQUIRES: tile-run, nvidia
// RUN: not env TILE_SIMT_SEED=1 tile-run %s --target=cuda --device=model --chip=sm_90a --no-notes --check=none --ranks=3 2>&1 | FileCheck %s
// CHECK: overlap.mlir:[[@LINE+24]]:5: store: race in global memory {{.*}} read (load at {{.*}}overlap.mlir:[[@LINE+29]]:5)

func.func @rounds(%w: !world.ranks, %x: memref<64xf32>, %first: memref<64xf32, #world.symmetric>, %second: memref<64xf32, #world.symmetric>,
                  %flags: memref<2xi64, #world.symmetric> {tile.init = "zeros"}, %y: memref<64xf32> {tile.result}) {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %n = world.size %w
    %c1 = arith.constant 1 : index
    %after = arith.addi %r, %c1 : index
    %right = arith.remui %after, %n : index
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t

    %to = world.peer %first at %w[%right]
    %flag = world.peer %flags at %w[%right]
    tile.copy %t, %to
    world.signal %flag[0] add 1
    %arrived = world.wait %flags[0] ge 1
    %mine = world.acquire %first after %arrived
    tile.copy %mine, %t

    // Meant to be 1, and 0 for any number of ranks but 1.
    %other = arith.divui %c1, %n : index
    %too = world.peer %second at %w[%right]
    tile.copy %t, %too
    %again = world.peer %flags at %w[%right]
    world.signal %again[%other] add 1
    %also = world.wait %flags[%other] ge 1
    %theirs = world.acquire %second after %also
    tile.copy %theirs, %t
    tile.copy %t, %y
  }
  return
}
