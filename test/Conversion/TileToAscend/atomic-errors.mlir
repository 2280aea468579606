// RUN: tile-opt-plain %s --convert-tile-to-ascend --split-input-file --verify-diagnostics

func.func @kind(%o: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{on Ascend, 'tile.atomic' adds a whole tile to a region of a global buffer}}
    tile.atomic max %x, %o : memref<16x16xf32, #tile.ub>, memref<16x16xf32>
  }
  return
}

// -----

func.func @path(%o: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{910B has no path from 'l1' to 'global'}}
    tile.atomic add %x, %o : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
  }
  return
}
