// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=sm_80 --tile-select-instructions --tile-infer-layout --tile-plan-shared --convert-tile-to-simt

func.func @no_clusters(%a: memref<2x32x32xf32>, %c: memref<32x32xf32>) {
  tile.kernel (%z) in (2) threads(128) cluster(2) {
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a[%z, 0, 0] [1, 32, 32], %sum
    // expected-error @below {{expected a chip with clusters for 'tile.cluster_sum', got sm_80; add the parts up in a second kernel}}
    tile.copy %sum, %c {tile.cluster_sum = 2}
  }
  return
}
