// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt

// Copies that cannot be lowered say why and what to do.

func.func @local(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<8xf32, #tile.local>
    tile.parallel (%i) in (8) attributes {layout = #tile.layout<[8: 8 lane]>} {
      %v = memref.load %a[%i] : memref<8xf32>
      memref.store %v, %x[%c0] : memref<8xf32, #tile.local>
    }
    // expected-error @below {{cannot copy a buffer of which each thread has one with content of its own; use a fragment}}
    tile.copy %x, %a : memref<8xf32, #tile.local>, memref<8xf32>
  }
  return
}

// -----

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

func.func @part(%a: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %p = memref.subview %a[0, 32] [64, 32] [1, 1] : memref<64x64xf32> to memref<64x32xf32, strided<[64, 1], offset: 32>>
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{expected a tensor copy of an argument or a workspace of the function, which is described at launch}}
    tile.copy %s, %p {instruction = #tile.transfer<tma>} : memref<64x32xf32, #tile.shared>, memref<64x32xf32, strided<[64, 1], offset: 32>>
  }
  return
}

// -----

func.func @half_byte_box(%a: memref<64x32xi4>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(3, 3, 3)>} : memref<64x32xi4, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: expected elements of whole bytes, got 4 bits}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x32xi4, #tile.shared>, memref<64x32xi4>
  }
  return
}

// -----

func.func @padded_box(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*36][32: 32 offset]>} : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: tile of 64x32: expected boxes 128 bytes aligned, got boxes 144 bytes apart}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x32xf32, #tile.shared>, memref<64x32xf32>
  }
  return
}

// -----

func.func @part_of_tile(%a: memref<32x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: expected the whole tile, got a part}}
    tile.copy %s[32, 0], %a {instruction = #tile.transfer<tma>} : memref<64x32xf32, #tile.shared>, memref<32x32xf32>
  }
  return
}

// -----

func.func @column(%a: memref<32x1xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<32xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: expected the last dimension of the tile to be that of the tensor}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<32xf32, #tile.shared>, memref<32x1xf32>
  }
  return
}

// -----

func.func @many_boxes(%a: memref<64x512xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x512xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: tile of 64x512: expected at most 64 boxes, got 128}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x512xf32, #tile.shared>, memref<64x512xf32>
  }
  return
}

// -----

func.func @no_matrices(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<16x16xf16, #tile.shared>
    %f = tile.alloc {layout = #tile.layout<[16: 8 reg, 2 lane*16][16: 16 lane]>} : memref<16x16xf16, #tile.fragment>
    tile.copy %a, %s : memref<16x16xf16>, memref<16x16xf16, #tile.shared>
    // expected-error @below {{cannot use 'ldmatrix' on sm_90a: }}
    tile.copy %s, %f prefer(ldmatrix) : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.fragment>
  }
  return
}

// -----

func.func @large_fill(%a: memref<65536x65536xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    // expected-error@+1 {{expected fewer than 262144 elements for each of 128 threads, got 4294967296 in all; divide them among blocks, or write a 'tile.parallel', which is a loop}}
    tile.fill %a, %zero : memref<65536x65536xf32>
  }
  return
}

// -----

func.func @large_copy(%a: memref<8589934592x4294967296xi8>, %c: memref<8589934592x4294967296xi8>) {
  tile.kernel (%b) in (1) threads(128) {
    // expected-error@+1 {{got 9223372036854775807 in all}}
    tile.copy %a, %c : memref<8589934592x4294967296xi8>, memref<8589934592x4294967296xi8>
  }
  return
}
