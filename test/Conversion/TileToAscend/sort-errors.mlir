// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

func.func @topk_rows() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<4x1xf32, #tile.ub>
    %v = tile.alloc : memref<4x1xf32, #tile.ub>
    %p = tile.alloc : memref<4x1xi32, #tile.ub>
    // expected-error@+1 {{on Ascend, several rows of one element cannot be sorted; expected rows of 2 or more, got a source of 1}}
    tile.topk %x, %v, %p : memref<4x1xf32, #tile.ub>, memref<4x1xf32, #tile.ub>, memref<4x1xi32, #tile.ub>
  }
  return
}

// -----

func.func @topk_values() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<4x8xf32, #tile.ub>
    %v = tile.alloc : memref<4x1xf32, #tile.ub>
    %p = tile.alloc : memref<4x1xi32, #tile.ub>
    // expected-error@+1 {{on Ascend, several rows of one element cannot be sorted; expected rows of 2 or more, got values of 1}}
    tile.topk %x, %v, %p : memref<4x8xf32, #tile.ub>, memref<4x1xf32, #tile.ub>, memref<4x1xi32, #tile.ub>
  }
  return
}

// -----

func.func @topk_length() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<20000xf32, #tile.ub>
    %v = tile.alloc : memref<8xf32, #tile.ub>
    %p = tile.alloc : memref<8xi32, #tile.ub>
    // expected-error@+1 {{Ascend sorts rows of at most 16380 elements, and combines with at most 4095, got 20000 and 8; take the row in parts}}
    tile.topk %x, %v, %p : memref<20000xf32, #tile.ub>, memref<8xf32, #tile.ub>, memref<8xi32, #tile.ub>
  }
  return
}

// -----

func.func @store(%a: memref<8xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{the scalar unit does not write to global memory on Ascend: its cache is not written back; fill a tile and copy it}}
    memref.store %x, %a[%c0] : memref<8xf32>
  }
  return
}

// -----

func.func @scan_type() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xi32, #tile.ub>
    // expected-error@+1 {{on Ascend, a scan is of floats of at most 32 bits or of signed i32, got unsigned 'i32'}}
    tile.scan max %x, %x dim(0) {is_unsigned} : memref<64xi32, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @scan_middle() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2x8x16xf32, #tile.ub>
    // expected-error@+1 {{dimension 1 of 2x8x16 is neither the first nor the last of a matrix; transpose the tile}}
    tile.scan sum %x, %x dim(1) : memref<2x8x16xf32, #tile.ub>, memref<2x8x16xf32, #tile.ub>
  }
  return
}
