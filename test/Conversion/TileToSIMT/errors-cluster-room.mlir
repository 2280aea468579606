// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --convert-tile-to-simt

func.func @unplanned(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  tile.kernel (%z) in (2) threads(128) cluster(2) {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 32, 32], %sum
    // expected-error @below {{expected 'tile.cluster_room' (tile-plan-shared) beside 'tile.cluster_sum'}}
    tile.copy %sum, %c {tile.cluster_sum = 2}
  }
  return
}
