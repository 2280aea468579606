// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

// What 950 has between the cores and 910B has not.

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
      // expected-error@+1 {{expected a whole buffer, or whole columns of blocks of one}}
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
      %x = tile.alloc : memref<16x64xf16, #tile.ub>
      %p = tile.alloc : memref<16x64xf16, #tile.l1>
      // expected-error@+1 {{expected 32x64 elements in 'target', got 16x64}}
      ascend.copy_ub_to_l1 %p, %x {halves} : memref<16x64xf16, #tile.l1>, memref<16x64xf16, #tile.ub>
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
