// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @reduce_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.l1>
    %y = tile.alloc : memref<16xf32, #tile.ub>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.reduce max %y, %x : memref<16xf32, #tile.ub>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @reduce_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    %y = tile.alloc : memref<16xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.reduce max %y, %x : memref<16xf32, #tile.ub>, memref<16x3xf32, #tile.ub>
  }
  return
}

// -----

func.func @reduce_c6() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi32, #tile.ub>
    %y = tile.alloc : memref<16xi32, #tile.ub>
    // expected-error@+1 {{910B has no WholeReduceMax for 'i32'; it has f16, f32}}
    ascend.reduce max %y, %x : memref<16xi32, #tile.ub>, memref<16x64xi32, #tile.ub>
  }
  return
}

// -----

func.func @brcb_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x8xf32, #tile.ub>
    %y = tile.alloc : memref<16xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.brcb %x, %y : memref<16x8xf32, #tile.ub>, memref<16xf32, #tile.l1>
  }
  return
}

// -----

func.func @brcb_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x8xf32, #tile.ub>
    // expected-error@+1 {{expected one dimension, got 2}}
    ascend.brcb %x, %x : memref<16x8xf32, #tile.ub>, memref<16x8xf32, #tile.ub>
  }
  return
}

// -----

func.func @brcb_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x4xi64, #tile.ub>
    %y = tile.alloc : memref<16xi64, #tile.ub>
    // expected-error@+1 {{910B has no Brcb for 'i64'; it has i16, ui16, f16, bf16, i32, ui32, f32}}
    ascend.brcb %x, %y : memref<16x4xi64, #tile.ub>, memref<16xi64, #tile.ub>
  }
  return
}

// -----

func.func @compare_c1() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.l1>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.compare lt %m, %x, %z : memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.l1>, f32
  }
  return
}

// -----

func.func @compare_c2_mask() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %m = tile.alloc : memref<64xi8, #tile.ub>
    // expected-error@+1 {{expected 128 elements in 'target', got 64}}
    ascend.compare lt %m, %x, %z : memref<64xi8, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
  }
  return
}

// -----

func.func @compare_c4(%z: i16) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi16, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{910B has no Compare for 'i16'; it has f16, i32, f32}}
    ascend.compare eq %m, %x, %z : memref<128xi8, #tile.ub>, memref<16x64xi16, #tile.ub>, i16
  }
  return
}

// -----

func.func @select_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.l1>
    // expected-error@+1 {{expected the mask in 'ub', got 'l1'}}
    ascend.select %x, %m, %x, %x : memref<16x64xf32, #tile.ub>, memref<128xi8, #tile.l1>, memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @select_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %m = tile.alloc : memref<128xi16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'i8' in 'mask', got 'i16'}}
    ascend.select %x, %m, %x, %x : memref<16x64xf32, #tile.ub>, memref<128xi16, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @select_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'rhs', got 16x32}}
    ascend.select %x, %m, %x, %y : memref<16x64xf32, #tile.ub>, memref<128xi8, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>
  }
  return
}
