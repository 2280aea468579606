// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @topk_c1(%x: memref<4x64xf32, #tile.shared>, %v: memref<2x8xf32, #tile.shared>, %p: memref<2x8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected the extents of 'values' to be those of the source (4x64) up to the last one, got 2x8}}
  tile.topk %x, %v, %p : memref<4x64xf32, #tile.shared>, memref<2x8xf32, #tile.shared>, memref<2x8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c1_rank(%x: memref<4x64xf32, #tile.shared>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected the extents of 'values' to be those of the source (4x64) up to the last one, got 8}}
  tile.topk %x, %v, %p : memref<4x64xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c1_indices(%x: memref<4x64xf32, #tile.shared>, %v: memref<4x8xf32, #tile.shared>, %p: memref<4x16xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected 'indices' to be 4x8 like 'values', got 4x16}}
  tile.topk %x, %v, %p : memref<4x64xf32, #tile.shared>, memref<4x8xf32, #tile.shared>, memref<4x16xi32, #tile.shared>
  return
}

// -----

func.func @topk_c1_static(%x: memref<?xf32>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected buffers of static shape, got 'memref<?xf32>'}}
  tile.topk %x, %v, %p : memref<?xf32>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c1_empty(%x: memref<4x0xf32, #tile.shared>, %v: memref<4x0xf32, #tile.shared>, %p: memref<4x0xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected rows of one element or more, got 4x0 and 4x0}}
  tile.topk %x, %v, %p : memref<4x0xf32, #tile.shared>, memref<4x0xf32, #tile.shared>, memref<4x0xi32, #tile.shared>
  return
}

// -----

func.func @topk_c2(%x: memref<64xf32, #tile.shared>, %v: memref<100xf32, #tile.shared>, %p: memref<100xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected at most the 64 elements of a row, got 100}}
  tile.topk %x, %v, %p : memref<64xf32, #tile.shared>, memref<100xf32, #tile.shared>, memref<100xi32, #tile.shared>
  return
}

// -----

func.func @topk_c3(%x: memref<64xi32, #tile.shared>, %v: memref<8xi32, #tile.shared>, %p: memref<8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected elements of f32, f16 or bf16, got 'i32'}}
  tile.topk %x, %v, %p : memref<64xi32, #tile.shared>, memref<8xi32, #tile.shared>, memref<8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c3_values(%x: memref<64xf16, #tile.shared>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected element type 'f16' as in the source, got 'f32'}}
  tile.topk %x, %v, %p : memref<64xf16, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c3_indices(%x: memref<64xf32, #tile.shared>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi64, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected 'indices' of i32, got 'i64'}}
  tile.topk %x, %v, %p : memref<64xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi64, #tile.shared>
  return
}

// -----

func.func @topk_c4(%x: memref<64xf32>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected a tile, got 'source' in global memory; copy it to shared memory or a fragment first}}
  tile.topk %x, %v, %p : memref<64xf32>, memref<8xf32, #tile.shared>, memref<8xi32, #tile.shared>
  return
}

// -----

func.func @topk_c4_indices(%x: memref<64xf32, #tile.shared>, %v: memref<8xf32, #tile.shared>, %p: memref<8xi32>) {
  // expected-error @below {{'tile.topk' op expected a tile, got 'indices' in global memory; copy it to shared memory or a fragment first}}
  tile.topk %x, %v, %p : memref<64xf32, #tile.shared>, memref<8xf32, #tile.shared>, memref<8xi32>
  return
}

// -----

func.func @topk_c4_same(%x: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.topk' op expected source and values to be different buffers}}
  tile.topk %x, %x, %p : memref<64xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}
