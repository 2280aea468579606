// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @transpose_c1(%a: memref<64x32xf16>, %b: memref<64x32xf16>) {
  // expected-error @below {{'tile.transpose' op expected the target to be 32x64, the transposed source, got 64x32}}
  tile.transpose %a, %b : memref<64x32xf16>, memref<64x32xf16>
  return
}

// -----

func.func @transpose_c1_rank(%a: memref<64x32xf16>, %b: memref<2048xf16>) {
  // expected-error @below {{'tile.transpose' op expected buffers of 2 dimensions, got 'memref<2048xf16>'}}
  tile.transpose %a, %b : memref<64x32xf16>, memref<2048xf16>
  return
}

// -----

func.func @transpose_c1_static(%a: memref<64x?xf16>, %b: memref<?x64xf16>) {
  // expected-error @below {{'tile.transpose' op expected a buffer of static shape, got 'memref<64x?xf16>'}}
  tile.transpose %a, %b : memref<64x?xf16>, memref<?x64xf16>
  return
}

// -----

func.func @transpose_c2(%a: memref<64x32xf16>, %b: memref<32x64xf32>) {
  // expected-error @below {{'tile.transpose' op expected element type 'f16' as in the source, got 'f32'}}
  tile.transpose %a, %b : memref<64x32xf16>, memref<32x64xf32>
  return
}

// -----

func.func @transpose_c3(%a: memref<32x32xf16>) {
  // expected-error @below {{'tile.transpose' op expected source and target to be different buffers}}
  tile.transpose %a, %a : memref<32x32xf16>, memref<32x32xf16>
  return
}
