// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%t: memref<64x32xf16>) {
  // expected-error @below {{'tile.reshape' op expected element type 'f16' as in the source, got 'f32'; use 'tile.view' to reinterpret bits}}
  %r = tile.reshape %t : memref<64x32xf16> to memref<1024xf32>
  return
}

// -----

func.func @reshape_c1_space(%t: memref<64x32xf16, #tile.shared>) {
  // expected-error @below {{'tile.reshape' op expected memory space 'shared' as in the source, got 'global'}}
  %r = tile.reshape %t : memref<64x32xf16, #tile.shared> to memref<2048xf16>
  return
}

// -----

func.func @reshape_c2(%t: memref<64x32xf16>) {
  // expected-error @below {{'tile.reshape' op expected 2048 elements as in the source, got 1024}}
  %r = tile.reshape %t : memref<64x32xf16> to memref<1024xf16>
  return
}

// -----

func.func @reshape_c2_static(%t: memref<64x?xf16>) {
  // expected-error @below {{'tile.reshape' op expected a buffer of static shape, got 'memref<64x?xf16>'}}
  %r = tile.reshape %t : memref<64x?xf16> to memref<1024xf16>
  return
}

// -----

func.func @reshape_c2_size(%t: memref<4294967296x4294967296xf16>) {
  // The number of elements, 2^64, wraps to 0.
  // expected-error @below {{'tile.reshape' op expected a buffer of less than 2^63 bits, got 'memref<4294967296x4294967296xf16>'}}
  %r = tile.reshape %t : memref<4294967296x4294967296xf16> to memref<0xf16>
  return
}

// -----

func.func @reshape_c3(%t: memref<64x32xf16, strided<[64, 1]>>) {
  // expected-error @below {{'tile.reshape' op expected the identity layout, got 'memref<64x32xf16, strided<[64, 1]>>'}}
  %r = tile.reshape %t : memref<64x32xf16, strided<[64, 1]>> to memref<2048xf16>
  return
}
