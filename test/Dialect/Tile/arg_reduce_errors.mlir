// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @arg_reduce_c1(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'dim' below the rank 2 of the source, got 2}}
  tile.arg_reduce max %x, %v, %p dim(2) : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c1_negative(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'dim' not to be negative, got -1}}
  tile.arg_reduce max %x, %v, %p dim(-1) : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c2(%x: memref<64x32xf32, #tile.shared>, %v: memref<32xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'values' to be 64 (64x32 without dimension 1), got 32}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xf32, #tile.shared>, memref<32xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c2_indices(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<32xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'indices' to be 64 (64x32 without dimension 1), got 32}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<32xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c2_static(%x: memref<?x32xf32>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected a tile of static shape, got 'memref<?x32xf32>'}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<?x32xf32>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c2_empty(%x: memref<64x0xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected a positive extent of dimension 1, got 64x0}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x0xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c2_vector(%x: memref<32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'values' to be 1 (32 without dimension 0), got 64}}
  tile.arg_reduce max %x, %v, %p dim(0) : memref<32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c3(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'max' or 'min', got 'sum'}}
  tile.arg_reduce sum %x, %v, %p dim(1) : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c3_values(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf16, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected element type 'f32' as in the source, got 'f16'}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xf32, #tile.shared>, memref<64xf16, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c3_indices(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi64, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected 'indices' of i32, got 'i64'}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi64, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c3_index(%x: memref<64x32xindex, #tile.shared>, %v: memref<64xindex, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected floats or signless integers, got 'index'}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xindex, #tile.shared>, memref<64xindex, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c4(%x: memref<64x32xf32, #tile.shared>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op 'is_unsigned' needs integers, got 'f32'}}
  tile.arg_reduce max %x, %v, %p dim(1) {is_unsigned} : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c5(%x: memref<64x32xf32>, %v: memref<64xf32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected a tile, got 'source' in global memory; copy it to shared memory or a fragment first}}
  tile.arg_reduce max %x, %v, %p dim(1) : memref<64x32xf32>, memref<64xf32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @arg_reduce_c5_same(%x: memref<64x32xi32, #tile.shared>, %p: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.arg_reduce' op expected source, values and indices to be different buffers}}
  tile.arg_reduce max %x, %p, %p dim(1) : memref<64x32xi32, #tile.shared>, memref<64xi32, #tile.shared>, memref<64xi32, #tile.shared>
  return
}
