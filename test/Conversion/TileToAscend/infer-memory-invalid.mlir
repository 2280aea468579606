// RUN: tile-opt-plain %s --ascend-infer-memory --split-input-file --verify-diagnostics

func.func @both(%a: memref<64x64xf16>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-error@+1 {{the buffer is needed in 'ub' and in 'l0c'; copy it between two buffers}}
    %c = tile.alloc : memref<1x64x64xf32, #tile.fragment>
    %r = tile.reshape %c : memref<1x64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    // expected-note@+1 {{'l0c' here}}
    tile.gemm %x, %x, %r {clear} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    // expected-note@+1 {{'ub' here}}
    tile.reduce sum %r, %s dim(1) : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    tile.copy %s, %o : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}
