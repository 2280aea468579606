// RUN: tile-opt --split-input-file --verify-diagnostics %s

// The loads of fractals.

func.func @load_data_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.ub>
    %a = tile.alloc : memref<1024xf16, #tile.l0a>
    // expected-error@+1 {{expected the source in 'l1', got 'ub'}}
    ascend.load_data %a, %x repeat(4) stride(1) : memref<1024xf16, #tile.l0a>, memref<1024xf16, #tile.ub>
  }
  return
}

// -----

func.func @load_data_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.l1>
    %a = tile.alloc : memref<32x32xf16, #tile.l0a>
    // expected-error@+1 {{expected one or three dimensions in 'target', got 2}}
    ascend.load_data %a, %x repeat(4) stride(1) : memref<32x32xf16, #tile.l0a>, memref<1024xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_data_c2_types() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xbf16, #tile.l1>
    %a = tile.alloc : memref<4x16x16xf16, #tile.l0a>
    // expected-error@+1 {{expected elements of type 'f16' in 'source', got 'bf16'}}
    ascend.load_data %a, %x repeat(4) stride(1) : memref<4x16x16xf16, #tile.l0a>, memref<1024xbf16, #tile.l1>
  }
  return
}

// -----

func.func @load_data_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.l1>
    %a = tile.alloc : memref<512xf16, #tile.l0b>
    // expected-error@+1 {{expected 1024 elements in 'target', got 512}}
    ascend.load_data %a, %x repeat(4) stride(1) : memref<512xf16, #tile.l0b>, memref<1024xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_data_c3_fractals() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.l1>
    %a = tile.alloc : memref<4x16x32xf16, #tile.l0b>
    // expected-error@+1 {{expected 4x16x16 elements in 'target', got 4x16x32}}
    ascend.load_data %a, %x repeat(4) stride(1) : memref<4x16x32xf16, #tile.l0b>, memref<1024xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_data_c3_apart() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.l1>
    %a = tile.alloc : memref<2048xf16, #tile.l0a>
    %f = memref.reinterpret_cast %a to offset: [0], sizes: [4, 16, 16], strides: [272, 16, 1]
      : memref<2048xf16, #tile.l0a> to memref<4x16x16xf16, strided<[272, 16, 1]>, #tile.l0a>
    // expected-error@+1 {{expected dense fractals, a multiple of 256 elements apart, in 'target'}}
    ascend.load_data %f, %x repeat(4) stride(1)
      : memref<4x16x16xf16, strided<[272, 16, 1]>, #tile.l0a>, memref<1024xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_data_c3_source() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<1024xf16, #tile.l1>
    %a = tile.alloc : memref<4x16x16xf16, #tile.l0a>
    // expected-error@+1 {{expected 1792 elements in 'source', got 1024}}
    ascend.load_data %a, %x repeat(4) stride(2) : memref<4x16x16xf16, #tile.l0a>, memref<1024xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_transposed_c1() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2048xi8, #tile.ub>
    %a = tile.alloc : memref<2048xi8, #tile.l0a>
    // expected-error@+1 {{expected the source in 'l1', got 'ub'}}
    ascend.load_transposed %a, %x repeat(2) stride(1) gap(1) block_gap(0) : memref<2048xi8, #tile.l0a>, memref<2048xi8, #tile.ub>
  }
  return
}

// -----

func.func @load_transposed_c2() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2048xi8, #tile.l1>
    %a = tile.alloc : memref<32x64xi8, #tile.l0a>
    // expected-error@+1 {{expected one dimension, got 2}}
    ascend.load_transposed %a, %x repeat(2) stride(1) gap(1) block_gap(0) : memref<32x64xi8, #tile.l0a>, memref<2048xi8, #tile.l1>
  }
  return
}

// -----

func.func @load_transposed_c3() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<2048xi8, #tile.l1>
    %a = tile.alloc : memref<512xi8, #tile.l0b>
    // expected-error@+1 {{expected 2048 elements in 'target', got 512}}
    ascend.load_transposed %a, %x repeat(2) stride(1) gap(1) block_gap(0) : memref<512xi8, #tile.l0b>, memref<2048xi8, #tile.l1>
  }
  return
}

// -----

func.func @load_matrix_c1() attributes {tile.target = #tile.target<"950">} {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf16, #tile.ub>
    %a = tile.alloc : memref<1024xf16, #tile.l0a>
    // expected-error@+1 {{expected the source in 'l1', got 'ub'}}
    ascend.load_matrix %a, %x at [0, 0] size [2, 2] strides [2, 2] : memref<1024xf16, #tile.l0a>, memref<32x32xf16, #tile.ub>
  }
  return
}

// -----

func.func @load_matrix_c2() attributes {tile.target = #tile.target<"950">} {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x32xf16, #tile.l1>
    %a = tile.alloc : memref<32x32xf16, #tile.l0a>
    // expected-error@+1 {{expected one dimension, got 2}}
    ascend.load_matrix %a, %x at [0, 0] size [2, 2] strides [2, 2] : memref<32x32xf16, #tile.l0a>, memref<32x32xf16, #tile.l1>
  }
  return
}

// -----

func.func @load_matrix_c3() attributes {tile.target = #tile.target<"950">} {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.l1>
    %a = tile.alloc : memref<512xf16, #tile.l0a>
    // expected-error@+1 {{expected 2048 elements in 'target', got 512}}
    ascend.load_matrix %a, %x at [0, 0] size [4, 2] strides [4, 4] : memref<512xf16, #tile.l0a>, memref<64x32xf16, #tile.l1>
  }
  return
}
