// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%a: memref<64x64xf16, #tile.shared>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected a source in global memory, got 'shared'}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xf16, #tile.shared>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c1_tile(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16>) {
  // expected-error @below {{'tile.gather' op expected a tile, got a target in global memory}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16>
  return
}

// -----

func.func @gather_c1_type(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf32, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected element type 'f16' as in the source, got 'f32'; gather first and convert with 'tile.copy'}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf32, #tile.shared>
  return
}

// -----

func.func @gather_c1_index(%a: memref<64x64xindex>, %l: memref<64xi32>, %s: memref<64x64xindex, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected floats or signless integers, got 'index'}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xindex>, memref<64xi32>, memref<64x64xindex, #tile.shared>
  return
}

// -----

func.func @gather_c2(%a: memref<64x64xf16>, %l: memref<64xf32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected a list of i32 or i64 in global or shared memory, got 'memref<64xf32>'}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xf16>, memref<64xf32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c2_fragment(%a: memref<64x64xf16>, %l: memref<64xi32, #tile.fragment>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected a list of i32 or i64 in global or shared memory, got 'memref<64xi32, #tile.fragment>'}}
  tile.gather %a[0, 0] by %l[0], %s : memref<64x64xf16>, memref<64xi32, #tile.fragment>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c2_entries(%a: memref<64x64xf16>, %l: memref<64xi32, #tile.shared>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected the entries to lie inside of dimension 0 of the list, got 64 of 64 from offset 1}}
  tile.gather %a[0, 0] by %l[1], %s : memref<64x64xf16>, memref<64xi32, #tile.shared>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected 2 offsets for 'memref<64x64xf16>', got 1}}
  tile.gather %a[0] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_list(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected 1 offset for 'memref<64xi32>', got 2}}
  tile.gather %a[0, 0] by %l[0, 0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_sizes(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected 2 sizes for 'memref<64x64xf16>', got 1}}
  tile.gather %a[0, 0] [64] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_positive(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected positive sizes, got 0}}
  tile.gather %a[0, 0] [0, 64] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_rank(%a: memref<4x64x32xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected sizes for 'memref<4x64x32xf16>', as the tile has 2 dimensions}}
  tile.gather %a[0, 0, 0] by %l[0], %s : memref<4x64x32xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c4(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected 'dim' below the rank 2 of the source, got 2}}
  tile.gather %a[0, 0] by %l[0] dim(2), %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c5(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<32x64xf16, #tile.shared>) {
  // expected-error @below {{'tile.gather' op expected regions of equal size, got 64x32 and 32x64}}
  tile.gather %a[0, 0] [64, 32] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<32x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_operands(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.gather' op expected 0 index operands, got 1}}
  "tile.gather"(%a, %i, %l, %s) <{sourceMap = affine_map<() -> (0, 0)>, listMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}>
      : (memref<64x64xf16>, index, memref<64xi32>, memref<64x64xf16, #tile.shared>) -> ()
  return
}

// -----

func.func @gather_offsets(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{expected offsets in brackets}}
  tile.gather %a by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_list(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>) {
  // expected-error @below {{expected offsets and no sizes}}
  tile.gather %a[0, 0] by %l, %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c3_divisor(%a: memref<64x64xf16>, %l: memref<64xi32>, %s: memref<64x64xf16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.gather' op expected divisors of at least 1, got 0}}
  tile.gather %a[0, %i mod (1 - 1)] by %l[0], %s : memref<64x64xf16>, memref<64xi32>, memref<64x64xf16, #tile.shared>
  return
}

// -----

func.func @gather_c6(%a: memref<64x64xf16>, %l: memref<64xi32, #tile.shared>, %s: memref<64x64xf16, #tile.shared>, %p: !tile.pipeline<2>) {
  // expected-error @below {{'tile.gather' op expected a shared target and a global list with 'signal'}}
  tile.gather %a[0, 0] by %l[0], %s signal(%p : !tile.pipeline<2>) : memref<64x64xf16>, memref<64xi32, #tile.shared>, memref<64x64xf16, #tile.shared>
  return
}
