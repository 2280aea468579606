// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @sort32_c1() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<64xf32, #tile.l1>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    %r = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected the keys in 'ub', got 'l1'}}
    ascend.sort32 %r, %k, %i : memref<128xf32, #tile.ub>, memref<64xf32, #tile.l1>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @sort32_c2() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<2x32xf32, #tile.ub>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    %r = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected one dimension, got 2}}
    ascend.sort32 %r, %k, %i : memref<128xf32, #tile.ub>, memref<2x32xf32, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @sort32_c2_keys() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<64xf16, #tile.ub>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    %r = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'keys', got 'f16'}}
    ascend.sort32 %r, %k, %i : memref<128xf32, #tile.ub>, memref<64xf16, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @sort32_c3() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<40xf32, #tile.ub>
    %i = tile.alloc : memref<40xi32, #tile.ub>
    %r = tile.alloc : memref<80xf32, #tile.ub>
    // expected-error@+1 {{expected a multiple of 32 keys, got 40}}
    ascend.sort32 %r, %k, %i : memref<80xf32, #tile.ub>, memref<40xf32, #tile.ub>, memref<40xi32, #tile.ub>
  }
  return
}

// -----

func.func @sort32_c3_indices() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<64xf32, #tile.ub>
    %i = tile.alloc : memref<32xi32, #tile.ub>
    %r = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected 64 elements in 'indices', got 32}}
    ascend.sort32 %r, %k, %i : memref<128xf32, #tile.ub>, memref<64xf32, #tile.ub>, memref<32xi32, #tile.ub>
  }
  return
}

// -----

func.func @sort32_c4() {
  tile.kernel (%b) in (1) {
    %k = tile.alloc : memref<64xf32, #tile.ub>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    %r = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected 128 elements in 'target', got 64}}
    ascend.sort32 %r, %k, %i : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c1() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.l1>
    %m = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.merge_sort %m, %r lengths [32, 32] : memref<128xf32, #tile.ub>, memref<128xf32, #tile.l1>
  }
  return
}

// -----

func.func @merge_sort_c2() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<320xf32, #tile.ub>
    %m = tile.alloc : memref<320xf32, #tile.ub>
    // expected-error@+1 {{expected two to four lists, got 5}}
    ascend.merge_sort %m, %r lengths [32, 32, 32, 32, 32] : memref<320xf32, #tile.ub>, memref<320xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c2_length() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<20000xf32, #tile.ub>
    %m = tile.alloc : memref<20000xf32, #tile.ub>
    // expected-error@+1 {{expected lists of 1 to 4095 records, got 5000}}
    ascend.merge_sort %m, %r lengths [5000, 5000] : memref<20000xf32, #tile.ub>, memref<20000xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c3() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.ub>
    %m = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected 2 offsets, got 1}}
    ascend.merge_sort %m, %r lengths [32, 32] offsets [0] : memref<128xf32, #tile.ub>, memref<128xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c3_end() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.ub>
    %m = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected the list at record 40 to end within 64 records, got 72}}
    ascend.merge_sort %m, %r lengths [32, 32] offsets [0, 40] : memref<128xf32, #tile.ub>, memref<128xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c4() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.ub>
    %m = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected 128 elements in 'target', got 64}}
    ascend.merge_sort %m, %r lengths [32, 32] : memref<64xf32, #tile.ub>, memref<128xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c4_groups() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<256xf32, #tile.ub>
    %m = tile.alloc : memref<256xf32, #tile.ub>
    // expected-error@+1 {{expected the source to hold whole groups of 96 records, got 128}}
    ascend.merge_sort %m, %r lengths [32, 32, 32] : memref<256xf32, #tile.ub>, memref<256xf32, #tile.ub>
  }
  return
}

// -----

func.func @merge_sort_c5() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.ub>
    // expected-error@+1 {{expected source and target to be different}}
    ascend.merge_sort %r, %r lengths [32, 32] : memref<128xf32, #tile.ub>, memref<128xf32, #tile.ub>
  }
  return
}

// -----

func.func @gather_mask_c1() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf32, #tile.l1>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.gather_mask odd %i, %r : memref<64xi32, #tile.ub>, memref<128xf32, #tile.l1>
  }
  return
}

// -----

func.func @gather_mask_c2() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<128xf16, #tile.ub>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    // expected-error@+1 {{expected elements of 4 bytes, got 'f16'}}
    ascend.gather_mask odd %i, %r : memref<64xi32, #tile.ub>, memref<128xf16, #tile.ub>
  }
  return
}

// -----

func.func @gather_mask_c3() {
  tile.kernel (%b) in (1) {
    %r = tile.alloc : memref<32xf32, #tile.ub>
    %i = tile.alloc : memref<32xi32, #tile.ub>
    // expected-error@+1 {{expected 64 elements in 'source', got 32}}
    ascend.gather_mask odd %i, %r : memref<32xi32, #tile.ub>, memref<32xf32, #tile.ub>
  }
  return
}

// -----

func.func @gather_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<100xf32, #tile.l1>
    %o = tile.alloc : memref<64xi32, #tile.ub>
    %y = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected the source in 'ub', got 'l1'}}
    ascend.gather %y, %x, %o : memref<64xf32, #tile.ub>, memref<100xf32, #tile.l1>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @gather_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<100xf16, #tile.ub>
    %o = tile.alloc : memref<64xi32, #tile.ub>
    %y = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected elements of type 'f32' in 'source', got 'f16'}}
    ascend.gather %y, %x, %o : memref<64xf32, #tile.ub>, memref<100xf16, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @gather_c2_offsets() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<100xf32, #tile.ub>
    %o = tile.alloc : memref<64xi16, #tile.ub>
    %y = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected elements of type 'i32' in 'offsets', got 'i16'}}
    ascend.gather %y, %x, %o : memref<64xf32, #tile.ub>, memref<100xf32, #tile.ub>, memref<64xi16, #tile.ub>
  }
  return
}

// -----

func.func @gather_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<100xf32, #tile.ub>
    %o = tile.alloc : memref<32xi32, #tile.ub>
    %y = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{expected 64 elements in 'offsets', got 32}}
    ascend.gather %y, %x, %o : memref<64xf32, #tile.ub>, memref<100xf32, #tile.ub>, memref<32xi32, #tile.ub>
  }
  return
}

// -----

func.func @gather_c3_contiguous() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %o = tile.alloc : memref<64xi32, #tile.ub>
    %y = tile.alloc : memref<64xf32, #tile.ub>
    %v = memref.subview %x[0, 0] [16, 32] [1, 1] : memref<16x64xf32, #tile.ub> to memref<16x32xf32, strided<[64, 1]>, #tile.ub>
    // expected-error@+1 {{expected 'source' to be contiguous, got}}
    ascend.gather %y, %v, %o : memref<64xf32, #tile.ub>, memref<16x32xf32, strided<[64, 1]>, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}

// -----

func.func @gather_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<100xi8, #tile.ub>
    %o = tile.alloc : memref<64xi32, #tile.ub>
    %y = tile.alloc : memref<64xi8, #tile.ub>
    // expected-error@+1 {{910B has no Gather for 'i8'; it has i16, ui16, f16, bf16, i32, ui32, f32}}
    ascend.gather %y, %x, %o : memref<64xi8, #tile.ub>, memref<100xi8, #tile.ub>, memref<64xi32, #tile.ub>
  }
  return
}
