// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @binary_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'lhs', got 'f16'}}
    ascend.binary add %x, %y, %x : memref<16x64xf32, #tile.ub>, memref<16x64xf16, #tile.ub>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @scalar_c1() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.scalar muls %x, %y, %z : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.l1>, f32
  }
  return
}

// -----

func.func @scalar_c2_source() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'source', got 'f16'}}
    ascend.scalar muls %x, %y, %z : memref<16x64xf32, #tile.ub>, memref<16x64xf16, #tile.ub>, f32
  }
  return
}

// -----

func.func @scalar_c3() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    %y = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.scalar muls %x, %y, %z : memref<16x3xf32, #tile.ub>, memref<16x3xf32, #tile.ub>, f32
  }
  return
}

// -----

func.func @scalar_c4() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'source', got 16x32}}
    ascend.scalar muls %x, %y, %z : memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>, f32
  }
  return
}

// -----

func.func @unary_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.unary exp %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @unary_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'source', got 'f16'}}
    ascend.unary exp %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf16, #tile.ub>
  }
  return
}

// -----

func.func @unary_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    %y = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.unary exp %x, %y : memref<16x3xf32, #tile.ub>, memref<16x3xf32, #tile.ub>
  }
  return
}

// -----

func.func @unary_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'source', got 16x32}}
    ascend.unary exp %x, %y : memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.copy_ub %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @copy_ub_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected a source of 32 bits like the target, got 'f16'}}
    ascend.copy_ub %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf16, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    %y = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.copy_ub %x, %y : memref<16x3xf32, #tile.ub>, memref<16x3xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'source', got 16x32}}
    ascend.copy_ub %x, %y : memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @cast_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.cast rint %x, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.l1>
  }
  return
}

// -----

func.func @cast_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2x8x64xf32, #tile.ub>
    %y = tile.alloc : memref<2x8x64xf32, #tile.ub>
    // expected-error@+1 {{expected one or two dimensions, got 3}}
    ascend.cast rint %x, %y : memref<2x8x64xf32, #tile.ub>, memref<2x8x64xf32, #tile.ub>
  }
  return
}

// -----

func.func @cast_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    %y = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.cast rint %x, %y : memref<16x3xf32, #tile.ub>, memref<16x3xf32, #tile.ub>
  }
  return
}

// -----

func.func @cast_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x32xf32, #tile.ub>
    // expected-error@+1 {{expected 16x64 elements in 'source', got 16x32}}
    ascend.cast rint %x, %y : memref<16x64xf32, #tile.ub>, memref<16x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @scalar_c5() {
  %z = arith.constant 0.0 : bf16
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xbf16, #tile.ub>
    // expected-error@+1 {{910B has no Muls for 'bf16'; it has i16, f16, i32, f32}}
    ascend.scalar muls %x, %x, %z : memref<16x64xbf16, #tile.ub>, memref<16x64xbf16, #tile.ub>, bf16
  }
  return
}

// -----

func.func @copy_ub_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xi64, #tile.ub>
    // expected-error@+1 {{910B has no Copy for 'i64'; it has i16, ui16, f16, bf16, i32, ui32, f32}}
    ascend.copy_ub %x, %x : memref<16x64xi64, #tile.ub>, memref<16x64xi64, #tile.ub>
  }
  return
}

// -----

func.func @duplicate_c1() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.l1>
    // expected-error@+1 {{expected the target in 'ub', got 'l1'}}
    ascend.duplicate %x, %z : memref<16x64xf32, #tile.l1>, f32
  }
  return
}

// -----

func.func @duplicate_c2() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf16, #tile.ub>
    // expected-error@+1 {{expected a value of type 'f16', got 'f32'}}
    ascend.duplicate %x, %z : memref<16x64xf16, #tile.ub>, f32
  }
  return
}

// -----

func.func @duplicate_c3() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.duplicate %x, %z : memref<16x3xf32, #tile.ub>, f32
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
  func.func @copy_ub_c5_bytes() {
    tile.kernel (%b) in (1) {
      %x = tile.alloc : memref<16x64xi8, #tile.ub>
      // expected-error@+1 {{expected elements of 16 or 32 bits, got 'i8'}}
      ascend.copy_ub %x, %x : memref<16x64xi8, #tile.ub>, memref<16x64xi8, #tile.ub>
    }
    return
  }
}
