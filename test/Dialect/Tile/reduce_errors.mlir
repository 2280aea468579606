// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%a: memref<64x32xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op expected 'dim' below the rank 2 of the source, got 2}}
  tile.reduce sum %a, %r dim(2) : memref<64x32xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c1_negative(%a: memref<64x32xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op expected 'dim' not to be negative, got -1}}
  tile.reduce sum %a, %r dim(-1) : memref<64x32xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c2(%a: memref<64x32xf32>, %r: memref<32xf32>) {
  // expected-error @below {{'tile.reduce' op expected the target to be 64 (64x32 without dimension 1), got 32}}
  tile.reduce sum %a, %r dim(1) : memref<64x32xf32>, memref<32xf32>
  return
}

// -----

func.func @reduce_c2_scalar(%a: memref<64xf32>, %r: memref<2xf32>) {
  // expected-error @below {{'tile.reduce' op expected the target to be a scalar (64 without dimension 0), got 2}}
  tile.reduce sum %a, %r dim(0) : memref<64xf32>, memref<2xf32>
  return
}

// -----

func.func @reduce_c3(%a: memref<64x?xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op expected buffers of static shape, got 'memref<64x?xf32>'}}
  tile.reduce sum %a, %r dim(1) : memref<64x?xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c3_types(%a: memref<64x32xf32>, %r: memref<64xf16>) {
  // expected-error @below {{'tile.reduce' op expected element type 'f32' as in the source, got 'f16'}}
  tile.reduce sum %a, %r dim(1) : memref<64x32xf32>, memref<64xf16>
  return
}

// -----

func.func @reduce_c3_widening(%a: memref<64x32xf16>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op expected element type 'f16' as in the source, got 'f32'}}
  tile.reduce max %a, %r dim(1) : memref<64x32xf16>, memref<64xf32>
  return
}

// -----

func.func @reduce_c3_index(%a: memref<64x32xindex>, %r: memref<64xindex>) {
  // expected-error @below {{'tile.reduce' op expected floats or signless integers, got 'index'}}
  tile.reduce sum %a, %r dim(1) : memref<64x32xindex>, memref<64xindex>
  return
}

// -----

func.func @reduce_c4(%a: memref<64x32xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op 'and' needs integers, got 'f32'}}
  tile.reduce and %a, %r dim(1) : memref<64x32xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c4_nan(%a: memref<64x32xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op 'propagate_nan' goes with max, min and absmax of floats, got 'sum' of 'f32'}}
  tile.reduce sum %a, %r dim(1) {propagate_nan} : memref<64x32xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c4_nan_integer(%a: memref<64x32xi32>, %r: memref<64xi32>) {
  // expected-error @below {{'tile.reduce' op 'propagate_nan' goes with max, min and absmax of floats, got 'max' of 'i32'}}
  tile.reduce max %a, %r dim(1) {propagate_nan} : memref<64x32xi32>, memref<64xi32>
  return
}

// -----

func.func @reduce_c4_unsigned(%a: memref<64x32xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.reduce' op 'is_unsigned' needs integers, got 'f32'}}
  tile.reduce sum %a, %r dim(1) {is_unsigned} : memref<64x32xf32>, memref<64xf32>
  return
}

// -----

func.func @reduce_c5(%a: memref<1xf32>) {
  // expected-error @below {{'tile.reduce' op expected source and target to be different buffers}}
  tile.reduce sum %a, %a dim(0) : memref<1xf32>, memref<1xf32>
  return
}
