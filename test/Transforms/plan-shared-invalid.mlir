// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-plan-shared --split-input-file --verify-diagnostics -mlir-print-op-on-diagnostic=false

func.func @overflow(%a: memref<256x128xf32>) {
  // expected-error @below {{'tile.kernel' op needs 262144 bytes of shared memory, but sm_90a has 232448 for a block}}
  tile.kernel (%b) in (1) {
    // expected-note @below {{131072 bytes of 'memref<256x128xf32, #tile.shared>' are live; use smaller tiles or fewer stages}}
    %x = tile.alloc : memref<256x128xf32, #tile.shared>
    // expected-note @below {{131072 bytes of 'memref<2x128x128xf32, #tile.shared>' are live; use smaller tiles or fewer stages}}
    %y = tile.alloc : memref<2x128x128xf32, #tile.shared>
    %r = tile.reshape %y : memref<2x128x128xf32, #tile.shared> to memref<256x128xf32, #tile.shared>
    tile.copy %a, %x : memref<256x128xf32>, memref<256x128xf32, #tile.shared>
    tile.copy %a, %r : memref<256x128xf32>, memref<256x128xf32, #tile.shared>
    tile.copy %x, %a : memref<256x128xf32, #tile.shared>, memref<256x128xf32>
  }
  return
}
