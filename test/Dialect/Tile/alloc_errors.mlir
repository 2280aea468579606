// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @alloc_c1() {
  // expected-error @below {{'tile.alloc' op expected 1 extent for 'memref<?xf32>', got 0}}
  %a = tile.alloc : memref<?xf32>
  return
}

// -----

func.func @alloc_c1_extents() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected 1 extent for 'memref<?xf32, #tile.shared>', got 0; an extent that is not a constant is computed from a 'tile.param'}}
    %a = tile.alloc : memref<?xf32, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c1_extents_of_static(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected 0 extents for 'memref<4xf32, #tile.shared>', got 1}}
    %a = tile.alloc(%n) : memref<4xf32, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c1_empty() {
  // expected-error @below {{'tile.alloc' op expected positive extents, got 4x0}}
  %a = tile.alloc : memref<4x0xf32>
  return
}

// -----

func.func @alloc_c1_size() {
  // 2^30 * 2^29 * 16 bits are 2^63.
  // expected-error @below {{'tile.alloc' op expected a buffer of less than 2^63 bits, got 'memref<1073741824x536870912xf16>'}}
  %a = tile.alloc : memref<1073741824x536870912xf16>
  return
}

// -----

func.func @alloc_c2() {
  // expected-error @below {{'tile.alloc' op expected the identity layout, got 'memref<8x8xf32, strided<[1, 8]>>'; use 'tile.annotate_layout' for a layout}}
  %a = tile.alloc : memref<8x8xf32, strided<[1, 8]>>
  return
}

// -----

func.func @alloc_c2_elements() {
  // expected-error @below {{'tile.alloc' op expected floats, signless integers or indices, got 'vector<4xf32>'}}
  %a = tile.alloc : memref<8xvector<4xf32>>
  return
}

// -----

func.func @alloc_c2_signed() {
  // Signedness is an attribute of the ops that read, as in arith.
  // expected-error @below {{'tile.alloc' op expected floats, signless integers or indices, got 'ui8'}}
  %a = tile.alloc : memref<8xui8>
  return
}

// -----

func.func @alloc_c3() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a buffer in global memory to be allocated outside of 'tile.kernel'}}
    %a = tile.alloc : memref<8xf32>
  }
  return
}

// -----

func.func @alloc_c3_host() {
  // expected-error @below {{'tile.alloc' op expected a buffer in 'shared' memory to be allocated inside of 'tile.kernel'}}
  %a = tile.alloc : memref<8xf32, #tile.shared>
  return
}

// -----

module @alloc_c3_module {
  // expected-error @below {{'tile.alloc' op expected a function around the buffer, which lives as long as a call of it}}
  %a = tile.alloc : memref<8xf32>
}

// -----

func.func @alloc_c4() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a buffer in 'tmem' memory to have 2 dimensions, got 1}}
    %a = tile.alloc : memref<128xf32, #tile.tmem>
  }
  return
}

// -----

func.func @alloc_c5() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout of shape 64x32, got 32x64}}
    %a = tile.alloc {layout = #tile.layout<[32: 32 offset*64][64: 64 offset]>} : memref<64x32xf16, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c5_fragment() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout that goes to registers of threads, got #tile.layout<[64: 64 offset]>}}
    %a = tile.alloc {layout = #tile.layout<[64: 64 offset]>} : memref<64xf16, #tile.fragment>
  }
  return
}

// -----

func.func @alloc_c5_shared() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout that goes to offsets of a memory, got #tile.layout<[64: 2 reg, 32 lane]>}}
    %a = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf16, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c6() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected 'offset' to go with shared memory and not to be negative, got -16 in 'shared' memory}}
    %a = tile.alloc {offset = -16 : i64} : memref<64xf16, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c6_fragment() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected 'offset' to go with shared memory and not to be negative, got 16 in 'fragment' memory}}
    %a = tile.alloc {offset = 16 : i64} : memref<64xf16, #tile.fragment>
  }
  return
}

// -----

func.func @alloc_c7() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout that gives each element a place of its own, got #tile.layout<[64: 64 none]>}}
    %a = tile.alloc {layout = #tile.layout<[64: 64 offset*0]>} : memref<64xf16, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c7_overlap() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout that gives each element a place of its own, got #tile.layout<[8: 8 offset*4][8: 8 offset]>}}
    %a = tile.alloc {layout = #tile.layout<[8: 8 offset*4][8: 8 offset]>} : memref<8x8xf16, #tile.shared>
  }
  return
}

// -----

func.func @alloc_c7_fragment() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected a layout that gives each element a place of its own, got #tile.layout<[64: 2 none, 32 lane]>}}
    %a = tile.alloc {layout = #tile.layout<[64: 2 none, 32 lane]>} : memref<64xf16, #tile.fragment>
  }
  return
}
