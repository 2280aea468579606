// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --verify-diagnostics

// The warps of one instruction stand along M.
func.func @warps() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected a multiple of 4 warps along M for 'wgmma', got 2}}
    tile.gemm %a, %a, %c {clear, instruction = #tile.mma<wgmma, m = 64, n = 32, k = 16, warps_m = 2, warps_n = 2>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}
