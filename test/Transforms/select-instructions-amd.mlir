// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-select-instructions --tile-infer-layout | FileCheck %s --check-prefix=LAYOUT

!a = memref<128x64xf16, #tile.shared>
!b = memref<64x128xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

func.func @halves() {
  // 128 threads are two waves of 64.
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    // Each wave has 2 x 4 times v_mfma_f32_32x32x8_f16.
    // LAYOUT: [128: 2 warp, 2 reg*64, 4 reg*4, 2 lane*32, 4 reg][128: 4 reg*16, 32 lane]
    %c = tile.alloc : !c
    // CHECK: tile.gemm {{.*}} #tile.mma<mfma, m = 32, n = 32, k = 8, warps_m = 2, warps_n = 1>
    tile.gemm %a, %b, %c : !a, !b, !c
  }
  return
}
