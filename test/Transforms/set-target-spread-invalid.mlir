// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=sm_80
// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=gfx942
// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=910B

// Where blocks share no memory, a sum of a part of the row would be taken for that of the row.
func.func @sum(%x: memref<8x1024xf32>) {
  tile.kernel (%b, %part) in (8, 2) threads(64) cluster(1, 2) {
    %row = tile.alloc : memref<1x512xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, %part * 512] [1, 512], %row : memref<8x1024xf32>, memref<1x512xf32, #tile.fragment>
    // expected-error-re @below {{combines parts of rows in several blocks, and {{.*}} has no clusters; reduce whole rows}}
    tile.reduce sum %row, %sum dim(1) {tile.spread = 2} : memref<1x512xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
  }
  return
}
