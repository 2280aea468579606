// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

// What 950 has between the cores and 910B has not.

func.func @fixpipe_c1_path() {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    %x = tile.alloc : memref<32x32xf32, #tile.ub>
    // expected-error@+1 {{910B has no path from 'l0c' to 'ub'; go through global memory}}
    ascend.fixpipe %x, %c : memref<32x32xf32, #tile.ub>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c5() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<32x20xf32, #tile.l0c>
      %x = tile.alloc : memref<32x32xf16, #tile.ub>
      %y = memref.subview %x[0, 0] [32, 20] [1, 1] : memref<32x32xf16, #tile.ub> to memref<32x20xf16, strided<[32, 1]>, #tile.ub>
      // expected-error@+1 {{expected rows of whole blocks of 32 bytes, got 40}}
      ascend.fixpipe %y, %c : memref<32x20xf16, strided<[32, 1]>, #tile.ub>, memref<32x20xf32, #tile.l0c>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c6(%o: memref<16x32xf32>) {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<32x32xf32, #tile.l0c>
      // expected-error@+1 {{'halves' needs a target in 'ub', got 'global'}}
      ascend.fixpipe %o, %c {halves} : memref<16x32xf32>, memref<32x32xf32, #tile.l0c>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c6_both() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<32x32xf32, #tile.l0c>
      %x = tile.alloc : memref<16x32xf32, #tile.ub>
      // expected-error@+1 {{'halves' and 'sub_block' exclude each other}}
      ascend.fixpipe %x, %c sub_block(0) {halves} : memref<16x32xf32, #tile.ub>, memref<32x32xf32, #tile.l0c>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c6_atomic() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<32x32xf32, #tile.l0c>
      %x = tile.alloc : memref<32x32xf32, #tile.ub>
      // expected-error@+1 {{'atomic' needs a target in 'global', got 'ub'}}
      ascend.fixpipe %x, %c {atomic} : memref<32x32xf32, #tile.ub>, memref<32x32xf32, #tile.l0c>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c7() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<33x32xf32, #tile.l0c>
      %x = tile.alloc : memref<16x32xf32, #tile.ub>
      // expected-error@+1 {{expected 32x32 elements in 'source', got 33x32}}
      ascend.fixpipe %x, %c {halves} : memref<16x32xf32, #tile.ub>, memref<33x32xf32, #tile.l0c>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @fixpipe_c7_core() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc : memref<32x32xf32, #tile.l0c>
      %x = tile.alloc : memref<32x32xf32, #tile.ub>
      // expected-error@+1 {{expected 'sub_block' below 2, got 2}}
      ascend.fixpipe %x, %c sub_block(2) : memref<32x32xf32, #tile.ub>, memref<32x32xf32, #tile.l0c>
    }
    return
  }
}
