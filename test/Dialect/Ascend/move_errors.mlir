// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @copy_gm_to_ub_c1(%a: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.l1>
    // expected-error@+1 {{expected the target in 'ub', got 'l1'}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.l1>, memref<16x16xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c1_global() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    %y = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected the source in 'global', got 'ub'}}
    ascend.copy_gm_to_ub %x, %y : memref<16x16xf32, #tile.ub>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c2(%a: memref<1x16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected one or two dimensions, got 3}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.ub>, memref<1x16x16xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c2_element(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'source', got 'f16'}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.ub>, memref<16x16xf16>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c2_width(%a: memref<16x16xi4>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi4, #tile.ub>
    // expected-error@+1 {{expected elements of 1, 2, 4 or 8 bytes, got 'i4'}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xi4, #tile.ub>, memref<16x16xi4>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c3(%a: memref<16x3xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.copy_gm_to_ub %x, %a : memref<16x3xf32, #tile.ub>, memref<16x3xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c3_stride(%a: memref<16x16xf32, strided<[1, 16]>>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected an innermost stride of 1 in 'source', got}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.ub>, memref<16x16xf32, strided<[1, 16]>>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c4(%a: memref<17x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected at most 16 elements in dimension 0, got 17}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.ub>, memref<17x16xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c4_rank(%a: memref<16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected 'source' of rank 2, got 1}}
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf32, #tile.ub>, memref<16xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c5(%a: memref<16x16xf32>) {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected 'pad' of type 'f32', got 'f16'}}
    ascend.copy_gm_to_ub %x, %a pad(%z : f16) : memref<16x16xf32, #tile.ub>, memref<16x16xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c5_left(%a: memref<16x4xf32>) {
  %z = arith.constant 0.0 : f32
  %many = arith.constant 17 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected 0 to 16 columns in front, got 17}}
    ascend.copy_gm_to_ub %x, %a pad(%z, %many : f32, index) : memref<16x16xf32, #tile.ub>, memref<16x4xf32>
  }
  return
}

// -----

func.func @copy_gm_to_ub_c5_operands(%a: memref<16x4xf32>) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected 'pad' to have a value and at most a number of columns, got 2 operands, the last of type 'f32'}}
    ascend.copy_gm_to_ub %x, %a pad(%z, %z : f32, f32) : memref<16x16xf32, #tile.ub>, memref<16x4xf32>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c1(%a: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.l1>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.copy_ub_to_gm %a, %x : memref<16x16xf32>, memref<16x16xf32, #tile.l1>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c2(%a: memref<1x16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected one or two dimensions, got 3}}
    ascend.copy_ub_to_gm %a, %x : memref<1x16x16xf32>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c3(%a: memref<16x3xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x3xf32, #tile.ub>
    // expected-error@+1 {{expected rows to begin at multiples of 32 bytes, got a row of 12}}
    ascend.copy_ub_to_gm %a, %x : memref<16x3xf32>, memref<16x3xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c4(%a: memref<17x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{expected at most 16 elements in dimension 0, got 17}}
    ascend.copy_ub_to_gm %a, %x : memref<17x16xf32>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c6(%a: memref<16x16xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf32, #tile.ub>
    // expected-error@+1 {{'kind' needs 'atomic'}}
    ascend.copy_ub_to_gm %a, %x {kind = #ascend<reduce_kind max>} : memref<16x16xf32>, memref<16x16xf32, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c6_type(%a: memref<16x16xbf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xbf16, #tile.ub>
    // expected-error@+1 {{expected an element type with atomic max, got 'bf16'}}
    ascend.copy_ub_to_gm %a, %x {atomic, kind = #ascend<reduce_kind max>} : memref<16x16xbf16>, memref<16x16xbf16, #tile.ub>
  }
  return
}

// -----

func.func @copy_ub_to_gm_c5(%a: memref<16x16xi64>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi64, #tile.ub>
    // expected-error@+1 {{expected an element type with atomic addition, got 'i64'}}
    ascend.copy_ub_to_gm %a, %x {atomic} : memref<16x16xi64>, memref<16x16xi64, #tile.ub>
  }
  return
}

// -----

func.func @copy_gm_to_l1_c1(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.ub>
    // expected-error@+1 {{expected the target in 'l1', got 'ub'}}
    ascend.copy_gm_to_l1 %x, %a : memref<16x16xf16, #tile.ub>, memref<16x16xf16>
  }
  return
}

// -----

func.func @copy_gm_to_l1_c2(%a: memref<16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected two dimensions, got 1}}
    ascend.copy_gm_to_l1 %x, %a : memref<16x16xf16, #tile.l1>, memref<16xf16>
  }
  return
}

// -----

func.func @copy_gm_to_l1_c3(%a: memref<16x16xf16, strided<[1, 16]>>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected an innermost stride of 1 in 'source', got}}
    ascend.copy_gm_to_l1 %x, %a : memref<16x16xf16, #tile.l1>, memref<16x16xf16, strided<[1, 16]>>
  }
  return
}

// -----

func.func @copy_gm_to_l1_c4(%a: memref<17x16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected at most 16 elements in dimension 0, got 17}}
    ascend.copy_gm_to_l1 %x, %a : memref<16x16xf16, #tile.l1>, memref<17x16xf16>
  }
  return
}

// -----

func.func @copy_gm_to_l1_c5(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16400x16xf16, #tile.l1>
    // expected-error@+1 {{expected at most 16384 rows, got 16400}}
    ascend.copy_gm_to_l1 %x, %a : memref<16400x16xf16, #tile.l1>, memref<16x16xf16>
  }
  return
}

// -----

func.func @fill_l1_c1() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    %v = memref.subview %x[0, 0] [8, 16] [1, 1] : memref<16x16xf16, #tile.l1> to memref<8x16xf16, strided<[16, 1]>, #tile.l1>
    // expected-error@+1 {{expected a whole buffer}}
    ascend.fill_l1 %v, %z : memref<8x16xf16, strided<[16, 1]>, #tile.l1>, f16
  }
  return
}

// -----

func.func @fill_l1_c2() {
  %one = arith.constant 1 : i8
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xi8, #tile.l1>
    // expected-error@+1 {{expected the constant 0 for elements of type 'i8'}}
    ascend.fill_l1 %x, %one : memref<16x16xi8, #tile.l1>, i8
  }
  return
}

// -----

func.func @fill_l1_c3() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x16xf16, #tile.l1>
    // expected-error@+1 {{expected a value of type 'f16', got 'f32'}}
    ascend.fill_l1 %x, %z : memref<16x16xf16, #tile.l1>, f32
  }
  return
}
