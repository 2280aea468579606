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
      %x = tile.alloc : memref<32x24xf32, #tile.ub>
      %y = memref.subview %x[0, 0] [32, 20] [1, 1] : memref<32x24xf32, #tile.ub> to memref<32x20xf32, strided<[24, 1]>, #tile.ub>
      // expected-error@+1 {{expected rows of whole blocks of 32 bytes, got 80}}
      ascend.fixpipe %y, %c : memref<32x20xf32, strided<[24, 1]>, #tile.ub>, memref<32x20xf32, #tile.l0c>
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

// -----

func.func @copy_ub_to_l1_c1_path() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf16, #tile.ub>
    %p = tile.alloc : memref<32x32xf16, #tile.l1>
    // expected-error@+1 {{910B has no path from 'ub' to 'l1'; go through global memory}}
    ascend.copy_ub_to_l1 %p, %x : memref<32x32xf16, #tile.l1>, memref<32x32xf16, #tile.ub>
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c1() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<32x32xf16, #tile.ub>
      %p = tile.alloc : memref<32x32xf16, #tile.l0c>
      // expected-error@+1 {{expected the target in 'l1', got 'l0c'}}
      ascend.copy_ub_to_l1 %p, %x : memref<32x32xf16, #tile.l0c>, memref<32x32xf16, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c1_whole() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<16x32xf16, #tile.ub>
      %p = tile.alloc : memref<32x32xf16, #tile.l1>
      %q = memref.subview %p[16, 0] [16, 32] [1, 1]
        : memref<32x32xf16, #tile.l1> to memref<16x32xf16, strided<[32, 1], offset: 512>, #tile.l1>
      // expected-error@+1 {{expected a whole buffer}}
      ascend.copy_ub_to_l1 %q, %x : memref<16x32xf16, strided<[32, 1], offset: 512>, #tile.l1>, memref<16x32xf16, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c2() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<32x32xf32, #tile.ub>
      %p = tile.alloc : memref<32x32xf16, #tile.l1>
      // expected-error@+1 {{expected elements of type 'f16' in 'source', got 'f32'}}
      ascend.copy_ub_to_l1 %p, %x : memref<32x32xf16, #tile.l1>, memref<32x32xf32, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c3() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<16x32xf16, #tile.ub>
      %p = tile.alloc : memref<16x32xf16, #tile.l1>
      // expected-error@+1 {{expected 32x32 elements in 'target', got 16x32}}
      ascend.copy_ub_to_l1 %p, %x {halves} : memref<16x32xf16, #tile.l1>, memref<16x32xf16, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c4() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<1x20xf16, #tile.ub>
      %p = tile.alloc : memref<1x20xf16, #tile.l1>
      // expected-error@+1 {{expected rows of whole blocks of 32 bytes, got 40}}
      ascend.copy_ub_to_l1 %p, %x : memref<1x20xf16, #tile.l1>, memref<1x20xf16, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_to_l1_c5() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<4096x16xf16, #tile.ub>
      %p = tile.alloc : memref<4096x16xf16, #tile.l1>
      // expected-error@+1 {{expected at most 4095 rows, got 4096}}
      ascend.copy_ub_to_l1 %p, %x : memref<4096x16xf16, #tile.l1>, memref<4096x16xf16, #tile.ub>
    }
    return
  }
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @cross_wait_c2() {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{950 holds one pipe: name it, as in 'id(3) on mte2'}}
      ascend.cross_wait id(3)
    }
    return
  }
}

// -----

func.func @cross_wait_c2_all() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{910B holds all pipes of a core; name none}}
    ascend.cross_wait id(3) on v
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @cross_wait_c2_pipe() {
    tile.kernel (%b) in (1) {
      // expected-error@+1 {{950 holds no pipe 's'}}
      ascend.cross_wait id(3) on s
    }
    return
  }
}
