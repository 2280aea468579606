// RUN: tile-opt-plain %s --convert-tile-to-ascend --split-input-file --verify-diagnostics

func.func @space(%y: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %s = tile.alloc : memref<16x16xf32, #tile.shared>
    // expected-error@+1 {{on Ascend, 'tile.atomic' combines a whole tile with a region of a global buffer}}
    tile.atomic add %x, %s : memref<16x16xf32, #tile.ub>, memref<16x16xf32, #tile.shared>
  }
  return
}

// -----

func.func @bits(%o: memref<16x16xi32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi32, #tile.ub>
    // expected-error@+1 {{on Ascend, global memory has no 'tile.atomic or' of 'i32', but add, max and min of f32, f16 and i32 and add of bf16; update a tile, and let one block store it}}
    tile.atomic or %x, %o : memref<16x16xi32, #tile.ub>, memref<16x16xi32>
  }
  return
}

// -----

func.func @brain(%o: memref<16x16xbf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xbf16, #tile.ub>
    // expected-error@+1 {{on Ascend, global memory has no 'tile.atomic min' of 'bf16', but add}}
    tile.atomic min %x, %o : memref<16x16xbf16, #tile.ub>, memref<16x16xbf16>
  }
  return
}

// -----

func.func @unsigned(%o: memref<16x16xi32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi32, #tile.ub>
    // expected-error@+1 {{on Ascend, 'tile.atomic max' of global memory compares signed elements; keep them with their highest bit inverted}}
    tile.atomic max %x, %o {is_unsigned} : memref<16x16xi32, #tile.ub>, memref<16x16xi32>
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
