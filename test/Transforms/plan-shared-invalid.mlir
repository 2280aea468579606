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

// -----

// Exchanges of tile.topk: bins, candidates, what is found; 13088 bytes in units of 128.
func.func @exchanges(%x: memref<57000xf32>) {
  // expected-error @below {{'tile.kernel' op needs 241184 bytes of shared memory, but sm_90a has 232448 for a block}}
  // expected-note @below {{13184 bytes are for exchanges between threads}}
  tile.kernel (%b) in (1) {
    // expected-note @below {{228000 bytes of 'memref<57000xf32, #tile.shared>' are live; use smaller tiles or fewer stages}}
    %part = tile.alloc : memref<57000xf32, #tile.shared>
    %best = tile.alloc : memref<64xf32, #tile.fragment>
    %at = tile.alloc : memref<64xi32, #tile.fragment>
    tile.copy %x, %part : memref<57000xf32>, memref<57000xf32, #tile.shared>
    tile.topk %part, %best, %at : memref<57000xf32, #tile.shared>, memref<64xf32, #tile.fragment>, memref<64xi32, #tile.fragment>
  }
  return
}
