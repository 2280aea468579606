// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @binary_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the target in 'ub', got 'l1'}}
    ascend.binary add %x, %x, %x : memref<16x64xf32, #tile.l1>, memref<16x64xf32, #tile.l1>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @binary_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'rhs', got 16x32}}
    ascend.binary add %x, %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @binary_c4_column() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected 16x8 elements in 'rhs', got 16x16}}
    ascend.binary add %x, %x, %y rhs(column) : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @binary_c3(%n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %v = memref.subview %x[0, 0] [1, %n] [1, 1] : memref<16x64xf32, #tile.ub> to memref<?xf32, strided<[1]>, #tile.ub>
    // expected-error@+1 {{expected a static shape and an innermost stride of 1 in 'target', got}}
    ascend.binary add %v, %v, %v : memref<?xf32, strided<[1]>, #tile.ub>, memref<?xf32, strided<[1]>, #tile.ub>, memref<?xf32, strided<[1]>, #tile.ub>
  }
  return
}

// -----

func.func @binary_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xbf16, #tile.ub>
    // expected-error@+1 {{910B has no Add for 'bf16'; it has i16, f16, i32, f32}}
    ascend.binary add %x, %x, %x : memref<16x64xbf16, #tile.ub>, memref<16x64xbf16, #tile.ub>, memref<16x64xbf16, #tile.ub>
  }
  return
}

// -----

func.func @binary_c5_bits() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi64, #tile.ub>
    // expected-error@+1 {{910B has no And for 'i64'; it has i16, ui16}}
    ascend.binary and %x, %x, %x : memref<16x64xi64, #tile.ub>, memref<16x64xi64, #tile.ub>, memref<16x64xi64, #tile.ub>
  }
  return
}

// -----

func.func @mul_add_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the target in 'ub', got 'l1'}}
    ascend.mul_add %x, %x, %x : memref<16x64xf32, #tile.l1>, memref<16x64xf32, #tile.l1>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @mul_add_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'addend', got 'f16'}}
    ascend.mul_add %x, %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<16x64xf16, #tile.ub>
  }
  return
}

// -----

func.func @mul_add_c3(%n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %v = memref.subview %x[0, 0] [1, %n] [1, 1] : memref<16x64xf32, #tile.ub> to memref<?xf32, strided<[1]>, #tile.ub>
    // expected-error@+1 {{expected a static shape and an innermost stride of 1 in 'target', got}}
    ascend.mul_add %v, %v, %v : memref<?xf32, strided<[1]>, #tile.ub>, memref<?xf32, strided<[1]>, #tile.ub>, memref<?xf32, strided<[1]>, #tile.ub>
  }
  return
}

// -----

func.func @mul_add_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'factor', got 16x32}}
    ascend.mul_add %x, %y, %x : memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @mul_add_c4_row() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<32xf32, #tile.ub>
    // expected-error@+1 {{expected 64 elements in 'addend', got 32}}
    ascend.mul_add %x, %x, %y addend(row) : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<32xf32, #tile.ub>
  }
  return
}

// -----

func.func @mul_add_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi32, #tile.ub>
    // expected-error@+1 {{910B has no FusedMulAdd for 'i32'; it has f16, f32}}
    ascend.mul_add %x, %x, %x : memref<16x64xi32, #tile.ub>, memref<16x64xi32, #tile.ub>, memref<16x64xi32, #tile.ub>
  }
  return
}

// -----

func.func @scalar_c6() {
  %s = arith.constant 17 : i16
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi16, #tile.ub>
    // expected-error@+1 {{expected a shift of 0 to 16, got 17}}
    ascend.scalar shru %x, %x, %s : memref<16x64xi16, #tile.ub>, memref<16x64xi16, #tile.ub>, i16
  }
  return
}

// -----

func.func @scalar_c2() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    // expected-error@+1 {{expected a value of type 'f32', got 'f16'}}
    ascend.scalar muls %x, %x, %z : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, f16
  }
  return
}

// -----

func.func @unary_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi32, #tile.ub>
    // expected-error@+1 {{910B has no Exp for 'i32'; it has f16, f32}}
    ascend.unary exp %x, %x : memref<16x64xi32, #tile.ub>, memref<16x64xi32, #tile.ub>
  }
  return
}

// -----

func.func @cast_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf16, #tile.ub>
    %y = tile.alloc : memref<16x64xbf16, #tile.ub>
    // expected-error@+1 {{910B has no Cast from 'bf16' to 'f16'; from there it goes to i32, f32}}
    ascend.cast rint %x, %y : memref<16x64xf16, #tile.ub>, memref<16x64xbf16, #tile.ub>
  }
  return
}

// -----

func.func @duplicate_index(%one: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xindex, #tile.ub>
    // expected-error@+1 {{expected integers or floats in 'target', got 'memref<64xindex, #tile.ub>'}}
    ascend.duplicate %x, %one : memref<64xindex, #tile.ub>, index
  }
  return
}

// -----

func.func @duplicate_c4() {
  %one = arith.constant 1 : i8
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi8, #tile.ub>
    // expected-error@+1 {{910B has no Duplicate for 'i8'; it has i16, ui16, f16, bf16, i32, ui32, f32}}
    ascend.duplicate %x, %one : memref<16x64xi8, #tile.ub>, i8
  }
  return
}

// -----

func.func @reduce_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<8xf32, #tile.ub>
    // expected-error@+1 {{expected 16 elements in 'target', got 8}}
    ascend.reduce max %y, %x : memref<8xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @reduce_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x128xf32, #tile.ub>
    %y = tile.alloc : memref<16xf32, #tile.ub>
    // expected-error@+1 {{expected rows of at most 64 elements, got 128}}
    ascend.reduce max %y, %x : memref<16xf32, #tile.ub>, memref<16x128xf32, #tile.ub>
  }
  return
}

// -----

func.func @reduce_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x8xf32, #tile.ub>
    // expected-error@+1 {{expected one dimension, got 2}}
    ascend.reduce max %y, %x : memref<16x8xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @brcb_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %y = tile.alloc : memref<16xf32, #tile.ub>
    // expected-error@+1 {{expected 16x8 elements in 'target', got 16x16}}
    ascend.brcb %x, %y : memref<16x16xf32, #tile.ub>, memref<16xf32, #tile.ub>
  }
  return
}

// -----

func.func @brcb_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %y = tile.alloc : memref<16xf32, #tile.ub>
    %v = memref.subview %x[0, 0] [16, 8] [1, 1] : memref<16x16xf32, #tile.ub> to memref<16x8xf32, strided<[16, 1]>, #tile.ub>
    // expected-error@+1 {{expected rows of the target to follow one another}}
    ascend.brcb %v, %y : memref<16x8xf32, strided<[16, 1]>, #tile.ub>, memref<16xf32, #tile.ub>
  }
  return
}

// -----

func.func @compare_c2() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %m = tile.alloc : memref<128xi16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'i8' in 'target', got 'i16'}}
    ascend.compare lt %m, %x, %z : memref<128xi16, #tile.ub>, memref<16x64xf32, #tile.ub>, f32
  }
  return
}

// -----

func.func @compare_c3() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16xf32, #tile.ub>
    %m = tile.alloc : memref<2xi8, #tile.ub>
    // expected-error@+1 {{expected a multiple of 256 bytes, got 64}}
    ascend.compare lt %m, %x, %z : memref<2xi8, #tile.ub>, memref<16xf32, #tile.ub>, f32
  }
  return
}

// -----

func.func @compare_c3_contiguous() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %m = tile.alloc : memref<64xi8, #tile.ub>
    %v = memref.subview %x[0, 0] [16, 32] [1, 1] : memref<16x64xf32, #tile.ub> to memref<16x32xf32, strided<[64, 1]>, #tile.ub>
    // expected-error@+1 {{expected 'source' to be contiguous, got}}
    ascend.compare lt %m, %v, %z : memref<64xi8, #tile.ub>, memref<16x32xf32, strided<[64, 1]>, #tile.ub>, f32
  }
  return
}

// -----

func.func @compare_c4_integers(%z: i32) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi32, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{expected 'eq' for 'i32', got 'lt'}}
    ascend.compare lt %m, %x, %z : memref<128xi8, #tile.ub>, memref<16x64xi32, #tile.ub>, i32
  }
  return
}

// -----

func.func @select_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xbf16, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{910B has no Select for 'bf16'; it has f16, f32}}
    ascend.select %x, %m, %x, %x : memref<16x64xbf16, #tile.ub>, memref<128xi8, #tile.ub>, memref<16x64xbf16, #tile.ub>, memref<16x64xbf16, #tile.ub>
  }
  return
}

// -----

func.func @select_c2_scalar(%a: i32) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi32, #tile.ub>
    %m = tile.alloc : memref<128xi8, #tile.ub>
    // expected-error@+1 {{expected 'rhs' to be a matrix, or a float of the target's type, got 'i32'}}
    ascend.select %x, %m, %x, %a : memref<16x64xi32, #tile.ub>, memref<128xi8, #tile.ub>, memref<16x64xi32, #tile.ub>, i32
  }
  return
}
