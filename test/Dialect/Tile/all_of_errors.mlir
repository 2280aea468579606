// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @all_of_c1(%m: memref<64xf32, #tile.shared>) {
  // expected-error @below {{'tile.all_of' op expected integer elements, got 'f32'}}
  %r = tile.all_of %m : memref<64xf32, #tile.shared>
  return
}

// -----

func.func @all_of_c1_static(%m: memref<?xi8>) {
  // expected-error @below {{'tile.all_of' op expected buffers of static shape, got 'memref<?xi8>'}}
  %r = tile.all_of %m : memref<?xi8>
  return
}

// -----

func.func @all_of_c1_global(%m: memref<64xi8>) {
  // expected-error @below {{'tile.all_of' op expected a tile, got a buffer in global memory; copy it to shared memory or a fragment first}}
  %r = tile.all_of %m : memref<64xi8>
  return
}
