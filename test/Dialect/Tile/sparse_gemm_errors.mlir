// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @sparse_gemm_c1(%a: memref<64xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected buffers of 2 dimensions, got 'memref<64xf16, #tile.shared>'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c1_static(%a: memref<?x32xf16>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected buffers of static shape, got 'memref<?x32xf16>'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<?x32xf16>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_k(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<32x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected K to agree: twice 32 in 'a' (64x32), 32 in 'b' (32x8)}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<32x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_odd(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<8x65xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected K to agree: twice 32 in 'a' (64x32), 65 in 'b' (8x65)}}
  tile.sparse_gemm %a by %e, %b, %c {transpose_b} : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<8x65xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_m(%a: memref<64x32xf16, #tile.shared>, %e: memref<32x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<32x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected M to agree: 64 in 'a' (64x32), 32 in 'c' (32x8)}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<32x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_n(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x16xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected N to agree: 8 in 'b' (64x8), 16 in 'c' (64x16)}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x16xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_words(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x2xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of 4 bits for each of 16 groups of 64 rows, in whole words, got 64x2 of 'i16'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x2xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_rows(%a: memref<64x32xf16, #tile.shared>, %e: memref<32x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of 4 bits for each of 16 groups of 64 rows, in whole words, got 32x4 of 'i16'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_transposed(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of 4 bits for each of 16 groups of 64 rows, in whole words, got 64x4 of 'i16'}}
  tile.sparse_gemm %a by %e, %b, %c {transpose_metadata} : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_part(%a: memref<64x10xf16, #tile.shared>, %e: memref<64x1xi16, #tile.shared>, %b: memref<20x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of 4 bits for each of 5 groups of 64 rows, in whole words, got 64x1 of 'i16'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x10xf16, #tile.shared>, memref<64x1xi16, #tile.shared>, memref<20x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c2_pairs(%a: memref<64x32xf32, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf32, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of 4 bits for each of 32 groups of 64 rows, in whole words, got 64x4 of 'i16'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf32, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf32, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c3(%a: memref<64x32xf64, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf64, #tile.shared>, %c: memref<64x8xf64, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op unsupported operand types 'f64' and 'f64'; expected f16, bf16, f32 or i8 twice, or two f8 types}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf64, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf64, #tile.shared>, memref<64x8xf64, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c3_mixed(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xbf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op unsupported operand types 'f16' and 'bf16'; expected f16, bf16, f32 or i8 twice, or two f8 types}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xbf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c3_sums(%a: memref<64x32xbf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xbf16, #tile.shared>, %c: memref<64x8xf16, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op unsupported element types 'bf16', 'bf16' -> 'f16'; expected 'f32' or 'bf16' for 'c'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xbf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xbf16, #tile.shared>, memref<64x8xf16, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c4(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x1xi64, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected metadata of i8, i16 or i32, got 'i64'}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x1xi64, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c5(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected f32 operands for 'precision(tf32)', got 'f16'}}
  tile.sparse_gemm %a by %e, %b, %c precision(tf32) : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c5_unsigned(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected integers for 'a_unsigned' and 'b_unsigned', got 'f16'}}
  tile.sparse_gemm %a by %e, %b, %c {a_unsigned} : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c6(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16>, %b: memref<64x8xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected tiles, got 'metadata' in global memory; copy it to shared memory or a fragment first}}
  tile.sparse_gemm %a by %e, %b, %c : memref<64x32xf16, #tile.shared>, memref<64x4xi16>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.shared>
  return
}

// -----

func.func @sparse_gemm_c6_same(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x32xf16, #tile.shared>, %c: memref<64x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.sparse_gemm' op expected 'c' to be another buffer than the operands}}
  tile.sparse_gemm %a by %e, %b, %a : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x32xf16, #tile.shared>, memref<64x32xf16, #tile.shared>
  return
}
