// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @copy_c1(%a: memref<64x64xf16>, %t: memref<64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 2 offsets for 'memref<64x64xf16>', got 1}}
  tile.copy %a[0], %t : memref<64x64xf16>, memref<64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c1_one(%a: memref<64xf16>, %t: memref<64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 1 offset for 'memref<64xf16, #tile.shared>', got 2}}
  tile.copy %a, %t[0, 0] : memref<64xf16>, memref<64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c1_divisor(%a: memref<64xf16>, %t: memref<8xf16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.copy' op expected divisors of at least 1, got 0}}
  tile.copy %a[%i ceildiv (8 - 8)], %t : memref<64xf16>, memref<8xf16, #tile.shared>
  return
}

// -----

func.func @copy_c1_operands(%a: memref<64xf16>, %t: memref<64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 1 index operands for the source, got 0}}
  "tile.copy"(%a, %t) <{operandSegmentSizes = array<i32: 1, 0, 1, 0, 0>, sourceMap = affine_map<(i) -> (i)>}>
      : (memref<64xf16>, memref<64xf16, #tile.shared>) -> ()
  return
}

// -----

func.func @copy_c1_sizes(%a: memref<64x64xf16>, %t: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 2 sizes for 'memref<64x64xf16>', got 1}}
  tile.copy %a[0, 0] [64], %t : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c1_positive(%a: memref<64xf16>, %t: memref<64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected positive sizes, got 0}}
  tile.copy %a, %t[0] [0] : memref<64xf16>, memref<64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c2(%a: memref<?xf16>, %b: memref<64xf16>) {
  // expected-error @below {{'tile.copy' op cannot tell the size of the copy: give sizes to one of the regions}}
  tile.copy %a, %b[0] : memref<?xf16>, memref<64xf16>
  return
}

// -----

func.func @copy_c3(%a: memref<64x32xf16>, %t: memref<32x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected regions of equal size, got 64x32 and 32x64}}
  tile.copy %a, %t : memref<64x32xf16>, memref<32x64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c3_room(%a: memref<4x4xf16>, %b: memref<?xf16>) {
  // expected-error @below {{'tile.copy' op expected the target to have room for 4x4, got 'memref<?xf16>'}}
  tile.copy %a, %b[0] : memref<4x4xf16>, memref<?xf16>
  return
}

// -----

func.func @copy_c4(%a: memref<64x64xf16>, %t: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op region exceeds dimension 1 of the target (offset 32 + size 64 > 64)}}
  tile.copy %a, %t[0, 32] : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c4_negative(%t: memref<64xf16, #tile.shared>, %a: memref<8xf16>) {
  // expected-error @below {{'tile.copy' op region exceeds dimension 0 of the source (offset -1 < 0)}}
  tile.copy %t[-1], %a : memref<64xf16, #tile.shared>, memref<8xf16>
  return
}

// -----

func.func @copy_c4_overflow(%a: memref<8xf16>, %t: memref<64xf16, #tile.shared>) {
  // expected-error @below {{'tile.copy' op region exceeds dimension 0 of the target (offset 9223372036854775807 + size 8 > 64)}}
  tile.copy %a, %t[9223372036854775807] : memref<8xf16>, memref<64xf16, #tile.shared>
  return
}

// -----

func.func @copy_c5(%a: memref<64xindex>, %t: memref<64xi32, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected floats or signless integers, got 'index' in the source}}
  tile.copy %a, %t : memref<64xindex>, memref<64xi32, #tile.shared>
  return
}

// -----

func.func @copy_c5_signed(%a: memref<64xi8>, %t: memref<64xsi8, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected floats or signless integers, got 'si8' in the target}}
  tile.copy %a, %t : memref<64xi8>, memref<64xsi8, #tile.shared>
  return
}

// -----

func.func @copy_c6(%t: memref<8x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected source and target not to overlap}}
  tile.copy %t[0, 0] [4, 8], %t[3, 0] : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>
  return
}

// -----

func.func @copy_c6_whole(%t: memref<f32>) {
  // expected-error @below {{'tile.copy' op expected source and target not to overlap}}
  tile.copy %t, %t : memref<f32>, memref<f32>
  return
}

// -----

func.func @copy_c7(%a: memref<64xf32>, %t: memref<64xf32, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 'prefer' to name a copy instruction (sync, cp_async, bulk, tma, ldmatrix), got 'wgmma'}}
  tile.copy %a, %t prefer(wgmma) : memref<64xf32>, memref<64xf32, #tile.shared>
  return
}

// -----

func.func @copy_c7_width(%a: memref<64xf32>, %t: memref<64xf32, #tile.shared>) {
  // expected-error @below {{'tile.copy' op expected 'coalesced_width' to be a positive power of two, got 3}}
  tile.copy %a, %t {coalesced_width = 3} : memref<64xf32>, memref<64xf32, #tile.shared>
  return
}

// -----

func.func @copy_in_parallel(%a: memref<64xf32>, %t: memref<64xf32, #tile.shared>) {
  // expected-note @below {{the loop is here}}
  tile.parallel (%i) in (8) {
    // expected-error @below {{'tile.copy' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
    tile.copy %a, %t : memref<64xf32>, memref<64xf32, #tile.shared>
  }
  return
}
