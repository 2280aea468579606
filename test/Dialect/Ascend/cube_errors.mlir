// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @load_l0a_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x64xf16, #tile.l1>
    %a = tile.alloc : memref<32x64xf16, #tile.l0b>
    // expected-error@+1 {{expected the target in 'l0a', got 'l0b'}}
    ascend.load_l0a %a, %x : memref<32x64xf16, #tile.l0b>, memref<32x64xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_l0a_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.l1>
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    // expected-error@+1 {{expected 32x64 elements in 'source', got 64x32}}
    ascend.load_l0a %a, %x : memref<32x64xf16, #tile.l0a>, memref<64x32xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_l0a_c2(%n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.l1>
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    %v = memref.subview %x[0, 0] [%n, 32] [1, 1] : memref<64x32xf16, #tile.l1> to memref<?x32xf16, strided<[32, 1]>, #tile.l1>
    // expected-error@+1 {{expected a static shape in 'source', got}}
    ascend.load_l0a %a, %v : memref<32x64xf16, #tile.l0a>, memref<?x32xf16, strided<[32, 1]>, #tile.l1>
  }
  return
}

// -----

func.func @load_l0a_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x16xf16, #tile.l1>
    %a = tile.alloc : memref<16x16xf16, #tile.l0a>
    %v = memref.subview %x[8, 0] [16, 16] [1, 1] : memref<32x16xf16, #tile.l1> to memref<16x16xf16, strided<[16, 1], offset: 128>, #tile.l1>
    // expected-error@+1 {{expected 'source' to be whole blocks of 16x16 elements, got 16 in dimension 0 from 8 on}}
    ascend.load_l0a %a, %v : memref<16x16xf16, #tile.l0a>, memref<16x16xf16, strided<[16, 1], offset: 128>, #tile.l1>
  }
  return
}

// -----

func.func @load_l0b_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.l1>
    %a = tile.alloc : memref<64x32xf16, #tile.l0a>
    // expected-error@+1 {{expected the target in 'l0b', got 'l0a'}}
    ascend.load_l0b %a, %x : memref<64x32xf16, #tile.l0a>, memref<64x32xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_l0b_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xbf16, #tile.l1>
    %a = tile.alloc : memref<64x32xf16, #tile.l0b>
    // expected-error@+1 {{expected elements of type 'f16' in 'source', got 'bf16'}}
    ascend.load_l0b %a, %x : memref<64x32xf16, #tile.l0b>, memref<64x32xbf16, #tile.l1>
  }
  return
}

// -----

func.func @load_l0b_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x64xf16, #tile.l1>
    %a = tile.alloc : memref<64x32xf16, #tile.l0b>
    // expected-error@+1 {{expected 64x32 elements in 'source', got 32x64}}
    ascend.load_l0b %a, %x : memref<64x32xf16, #tile.l0b>, memref<32x64xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_l0b_c4() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<40x16xf16, #tile.l1>
    %a = tile.alloc : memref<8x16xf16, #tile.l0b>
    %v = memref.subview %x[16, 0] [8, 16] [1, 1] : memref<40x16xf16, #tile.l1> to memref<8x16xf16, strided<[16, 1], offset: 256>, #tile.l1>
    // expected-error@+1 {{expected 'source' to be whole blocks of 16x16 elements, got 8 in dimension 0 from 16 on}}
    ascend.load_l0b %a, %v : memref<8x16xf16, #tile.l0b>, memref<8x16xf16, strided<[16, 1], offset: 256>, #tile.l1>
  }
  return
}

// -----

// Up to the end of the buffer.
func.func @load_l0b_end() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<40x16xf16, #tile.l1>
    %a = tile.alloc : memref<8x16xf16, #tile.l0b>
    %v = memref.subview %x[32, 0] [8, 16] [1, 1] : memref<40x16xf16, #tile.l1> to memref<8x16xf16, strided<[16, 1], offset: 512>, #tile.l1>
    ascend.load_l0b %a, %v : memref<8x16xf16, #tile.l0b>, memref<8x16xf16, strided<[16, 1], offset: 512>, #tile.l1>
  }
  return
}

// -----

func.func @load_l0a_c4_dynamic(%n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x16xf16, #tile.l1>
    %a = tile.alloc : memref<16x16xf16, #tile.l0a>
    %v = memref.subview %x[%n, 0] [16, 16] [1, 1] : memref<64x16xf16, #tile.l1> to memref<16x16xf16, strided<[16, 1], offset: ?>, #tile.l1>
    // expected-error@+1 {{expected constant offsets and strides of 1 in 'source'}}
    ascend.load_l0a %a, %v : memref<16x16xf16, #tile.l0a>, memref<16x16xf16, strided<[16, 1], offset: ?>, #tile.l1>
  }
  return
}

// -----

func.func @load_l0a_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xi8, #tile.l1>
    %a = tile.alloc : memref<32x32xi8, #tile.l0a>
    %v = memref.subview %x[16, 0] [32, 32] [1, 1] : memref<64x32xi8, #tile.l1> to memref<32x32xi8, strided<[32, 1], offset: 512>, #tile.l1>
    ascend.load_l0a %a, %v : memref<32x32xi8, #tile.l0a>, memref<32x32xi8, strided<[32, 1], offset: 512>, #tile.l1>
    // expected-error@+1 {{expected 'source' to be whole blocks of 32x32 elements, got 32 in dimension 0 from 16 on}}
    ascend.load_l0a %a, %v {transpose} : memref<32x32xi8, #tile.l0a>, memref<32x32xi8, strided<[32, 1], offset: 512>, #tile.l1>
  }
  return
}

// -----

func.func @load_l0b_c5() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xi8, #tile.l1>
    %a = tile.alloc : memref<32x32xi8, #tile.l0b>
    %v = memref.subview %x[16, 0] [32, 32] [1, 1] : memref<64x32xi8, #tile.l1> to memref<32x32xi8, strided<[32, 1], offset: 512>, #tile.l1>
    // expected-error@+1 {{expected 'source' to be whole blocks of 32x32 elements, got 32 in dimension 0 from 16 on}}
    ascend.load_l0b %a, %v : memref<32x32xi8, #tile.l0b>, memref<32x32xi8, strided<[32, 1], offset: 512>, #tile.l1>
  }
  return
}

// -----

func.func @fill_l0a_c1() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x16xf16, #tile.l0b>
    // expected-error@+1 {{expected the target in 'l0a', got 'l0b'}}
    ascend.fill_l0a %a, %z : memref<32x16xf16, #tile.l0b>, f16
  }
  return
}

// -----

func.func @fill_l0a_c2() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x16xf16, #tile.l0a>
    // expected-error@+1 {{expected a value of type 'f16', got 'f32'}}
    ascend.fill_l0a %a, %z : memref<32x16xf16, #tile.l0a>, f32
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
func.func @fill_l0a_c3() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x16xf16, #tile.l0a>
    // expected-error@+1 {{950 does not fill 'l0a'; fill 'l1' and load from there}}
    ascend.fill_l0a %a, %z : memref<32x16xf16, #tile.l0a>, f16
  }
  return
}
}

// -----

func.func @mmad_c1(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    %w = tile.alloc : memref<64x32xf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.ub>
    // expected-error@+1 {{expected the target in 'l0c', got 'ub'}}
    ascend.mmad %c, %a, %w init(%t) : memref<32x32xf32, #tile.ub>, memref<32x64xf16, #tile.l0a>, memref<64x32xf16, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c2(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    %w = tile.alloc : memref<32x32xf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected K to agree: 64 in 'lhs' (32x64), 32 in 'rhs' (32x32)}}
    ascend.mmad %c, %a, %w init(%t) : memref<32x32xf32, #tile.l0c>, memref<32x64xf16, #tile.l0a>, memref<32x32xf16, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c3(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x32xf16, #tile.l0a>
    %w = tile.alloc : memref<32x32xbf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{910B has no Mmad of 'f16' and 'bf16' to 'f32'; convert both to one of f16, bf16, f32}}
    ascend.mmad %c, %a, %w init(%t) : memref<32x32xf32, #tile.l0c>, memref<32x32xf16, #tile.l0a>, memref<32x32xbf16, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c3_f8(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x32xf8E4M3FN, #tile.l0a>
    %w = tile.alloc : memref<32x32xf8E4M3FN, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{910B has no Mmad of 'f8E4M3FN' and 'f8E4M3FN' to 'f32'; convert both to one of f16, bf16, f32}}
    ascend.mmad %c, %a, %w init(%t) : memref<32x32xf32, #tile.l0c>, memref<32x32xf8E4M3FN, #tile.l0a>, memref<32x32xf8E4M3FN, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c4(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<4096x16xf16, #tile.l0a>
    %w = tile.alloc : memref<16x16xf16, #tile.l0b>
    %c = tile.alloc : memref<4096x16xf32, #tile.l0c>
    // expected-error@+1 {{expected 'm' between 1 and 4095, got 4096}}
    ascend.mmad %c, %a, %w init(%t) : memref<4096x16xf32, #tile.l0c>, memref<4096x16xf16, #tile.l0a>, memref<16x16xf16, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c5_rows(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<16x32xf16, #tile.l0a>
    %w = tile.alloc : memref<32x32xf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    %v = memref.subview %c[0, 0] [16, 32] [1, 1] : memref<32x32xf32, #tile.l0c> to memref<16x32xf32, strided<[32, 1]>, #tile.l0c>
    // expected-error@+1 {{expected all rows of the buffer in 'target', got 16}}
    ascend.mmad %v, %a, %w init(%t) : memref<16x32xf32, strided<[32, 1]>, #tile.l0c>, memref<16x32xf16, #tile.l0a>, memref<32x32xf16, #tile.l0b>
  }
  return
}

// -----

func.func @mmad_c5_columns(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x32xf16, #tile.l0a>
    %w = tile.alloc : memref<32x16xf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    %v = memref.subview %c[0, 8] [32, 16] [1, 1] : memref<32x32xf32, #tile.l0c> to memref<32x16xf32, strided<[32, 1], offset: 8>, #tile.l0c>
    // expected-error@+1 {{expected 'target' to be whole blocks of 32x16 elements, got 16 in dimension 1 from 8 on}}
    ascend.mmad %v, %a, %w init(%t) : memref<32x16xf32, strided<[32, 1], offset: 8>, #tile.l0c>, memref<32x32xf16, #tile.l0a>, memref<32x16xf16, #tile.l0b>
  }
  return
}

// -----

func.func @fixpipe_c1(%o: memref<32x32xf32>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.ub>
    // expected-error@+1 {{expected the source in 'l0c', got 'ub'}}
    ascend.fixpipe %o, %c : memref<32x32xf32>, memref<32x32xf32, #tile.ub>
  }
  return
}

// -----

func.func @fixpipe_c2(%o: memref<32x32xf32, strided<[1, 32]>>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected an innermost stride of 1 in 'target', got}}
    ascend.fixpipe %o, %c : memref<32x32xf32, strided<[1, 32]>>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @fixpipe_c3(%o: memref<33x32xf32>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected at most 32 elements in dimension 0, got 33}}
    ascend.fixpipe %o, %c : memref<33x32xf32>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @fixpipe_c4(%o: memref<32x32xi8>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected 'f32', 'f16' or 'bf16' for a source of 'f32', got 'i8'}}
    ascend.fixpipe %o, %c : memref<32x32xi8>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @fixpipe_c4_integer(%o: memref<32x32xf16>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xi32, #tile.l0c>
    // expected-error@+1 {{expected 'i32' for a source of 'i32', got 'f16'}}
    ascend.fixpipe %o, %c : memref<32x32xf16>, memref<32x32xi32, #tile.l0c>
  }
  return
}

// -----

func.func @fill_l0b_c1() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<16x32xf16, #tile.l0a>
    // expected-error@+1 {{expected the target in 'l0b', got 'l0a'}}
    ascend.fill_l0b %a, %z : memref<16x32xf16, #tile.l0a>, f16
  }
  return
}

// -----

func.func @fill_l0b_c2() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<16x32xf16, #tile.l0b>
    // expected-error@+1 {{expected a value of type 'f16', got 'f32'}}
    ascend.fill_l0b %a, %z : memref<16x32xf16, #tile.l0b>, f32
  }
  return
}

// -----

module attributes {tile.target = #tile.target<"950">} {
func.func @fill_l0b_c3() {
  %z = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<16x32xf16, #tile.l0b>
    // expected-error@+1 {{950 does not fill 'l0b'; fill 'l1' and load from there}}
    ascend.fill_l0b %a, %z : memref<16x32xf16, #tile.l0b>, f16
  }
  return
}
}
