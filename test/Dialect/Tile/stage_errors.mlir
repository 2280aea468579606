// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @stage_c1(%t: memref<2x64x32xf16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.stage' op expected 'memref<64x32xf16, #tile.shared>', the source without its leading dimension, got 'memref<32x64xf16, #tile.shared>'}}
  %s = tile.stage %t[%i] : memref<2x64x32xf16, #tile.shared> to memref<32x64xf16, #tile.shared>
  return
}

// -----

func.func @stage_c1_space(%t: memref<2x64x32xf16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.stage' op expected 'memref<64x32xf16, #tile.shared>', the source without its leading dimension, got 'memref<64x32xf16>'}}
  %s = tile.stage %t[%i] : memref<2x64x32xf16, #tile.shared> to memref<64x32xf16>
  return
}

// -----

func.func @stage_c1_scalar(%t: memref<f16, #tile.shared>, %i: index) {
  // expected-error @below {{'tile.stage' op expected a source of rank 1 or more, got 'memref<f16, #tile.shared>'}}
  %s = tile.stage %t[%i] : memref<f16, #tile.shared> to memref<f16, #tile.shared>
  return
}
