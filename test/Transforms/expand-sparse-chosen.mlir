// RUN: tile-opt %s --tile-expand-sparse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-expand-sparse | FileCheck %s

// What has an instruction keeps it.

// CHECK-LABEL: func @chosen
// CHECK: tile.sparse_gemm {{.*}} warps_m = 1, warps_n = 1>}
func.func @chosen() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<16x16xbf16, #tile.shared>
    %e = tile.alloc : memref<16x2xi16, #tile.shared>
    %b = tile.alloc : memref<32x8xbf16, #tile.shared>
    %c = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 1>}
  }
  return
}
