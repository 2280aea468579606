// RUN: tile-opt %s --tile-set-target=chip=sm_100a --tile-select-instructions --tile-infer-layout --verify-diagnostics

// What one tile needs can contradict what another one needs: an error, not an endless search.
func.func @tmem_gemm(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    %t = tile.alloc : memref<64x64xf16, #tile.tmem>
    %d = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %f : memref<64x64xf16>, memref<64x64xf16, #tile.fragment>
    tile.copy %f, %t : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.tmem>
    tile.copy %b, %s : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    // expected-error @below {{has no layouts of its tiles that fit together; copy one of them to shared memory first}}
    tile.gemm %t, %s, %d {clear} : memref<64x64xf16, #tile.tmem>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %d, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
