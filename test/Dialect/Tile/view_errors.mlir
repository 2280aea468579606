// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @view_c1(%t: memref<64x32xf16, #tile.fragment>) {
  // expected-error @below {{'tile.view' op cannot reinterpret the bits of a buffer in 'fragment' memory}}
  %r = tile.view %t : memref<64x32xf16, #tile.fragment> to memref<64x32xi16, #tile.fragment>
  return
}

// -----

func.func @view_c1_cube(%t: memref<64x32xf16, #tile.l0a>) {
  // expected-error @below {{'tile.view' op cannot reinterpret the bits of a buffer in 'l0a' memory}}
  %r = tile.view %t : memref<64x32xf16, #tile.l0a> to memref<64x32xi16, #tile.l0a>
  return
}

// -----

func.func @view_c1_space(%t: memref<8xf16, #tile.shared>) {
  // expected-error @below {{'tile.view' op expected memory space 'shared' as in the source, got 'local'}}
  %r = tile.view %t : memref<8xf16, #tile.shared> to memref<8xi16, #tile.local>
  return
}

// -----

func.func @view_c2(%t: memref<64x16xf16>) {
  // expected-error @below {{'tile.view' op expected 16384 bits as in the source, got 8192}}
  %r = tile.view %t : memref<64x16xf16> to memref<256xf32>
  return
}

// -----

func.func @view_c2_static(%t: memref<64xf16>) {
  // expected-error @below {{'tile.view' op expected a buffer of static shape, got 'memref<?xi16>'}}
  %r = tile.view %t : memref<64xf16> to memref<?xi16>
  return
}

// -----

func.func @view_c2_size(%t: memref<0xf16>) {
  // expected-error @below {{'tile.view' op expected a buffer of less than 2^63 bits, got 'memref<4611686018427387904xi64>'}}
  %r = tile.view %t : memref<0xf16> to memref<4611686018427387904xi64>
  return
}

// -----

func.func @view_c3(%t: memref<64xf16, strided<[2]>>) {
  // expected-error @below {{'tile.view' op expected the identity layout, got 'memref<64xf16, strided<[2]>>'}}
  %r = tile.view %t : memref<64xf16, strided<[2]>> to memref<64xi16>
  return
}

// -----

func.func @view_c3_bits(%t: memref<64xi1>) {
  // expected-error @below {{'tile.view' op expected elements of 4, 8, 16, 32 or 64 bits, got 'i1'}}
  %r = tile.view %t : memref<64xi1> to memref<8xi8>
  return
}

// -----

func.func @view_c3_index(%t: memref<8xindex>) {
  // expected-error @below {{'tile.view' op expected elements of 4, 8, 16, 32 or 64 bits, got 'index'}}
  %r = tile.view %t : memref<8xindex> to memref<8xi64>
  return
}
