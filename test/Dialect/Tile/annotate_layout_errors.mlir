// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @annotate_layout_c1(%s: memref<8x32xf32>) {
  // expected-error @below {{'tile.annotate_layout' op expected a tile of static shape that is not global, got 'memref<8x32xf32>'}}
  tile.annotate_layout %s : memref<8x32xf32> as #tile.layout<[8: 8 offset][32: 32 offset*8]>
  return
}

// -----

func.func @annotate_layout_c1_static(%s: memref<8x?xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a tile of static shape that is not global, got 'memref<8x?xf32, #tile.shared>'}}
  tile.annotate_layout %s : memref<8x?xf32, #tile.shared> as #tile.layout<[8: 8 offset][32: 32 offset*8]>
  return
}

// -----

func.func @annotate_layout_c2(%s: memref<8x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a layout of 8x32, got one of 32x8}}
  tile.annotate_layout %s : memref<8x32xf32, #tile.shared> as #tile.layout<[32: 32 offset][8: 8 offset*32]>
  return
}

// -----

func.func @annotate_layout_c2_rank(%s: memref<8x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a layout of 8x32, got one of 256}}
  tile.annotate_layout %s : memref<8x32xf32, #tile.shared> as #tile.layout<[256: 256 offset]>
  return
}

// -----

func.func @annotate_layout_c3(%s: memref<64xf32, #tile.shared>) {
  // expected-error @below {{'tile.annotate_layout' op expected a layout that gives each element a place of its own, got #tile.layout<[64: 64 none]>}}
  tile.annotate_layout %s : memref<64xf32, #tile.shared> as #tile.layout<[64: 64 offset*0]>
  return
}

// -----

func.func @annotate_layout_kind(%s: memref<8x32xf32, #tile.shared>) {
  // expected-error @below {{invalid kind of attribute specified}}
  tile.annotate_layout %s : memref<8x32xf32, #tile.shared> as affine_map<(i, j) -> (j * 8 + i)>
  return
}
