// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

// CHECK-LABEL: func @wait
func.func @wait() {
  tile.kernel (%b) in (1) {
    %as = tile.alloc : !half
    %bs = tile.alloc : !half
    %c = tile.alloc : !sums
    %d = tile.alloc : !sums
    // CHECK: tile.gemm {{.*}} {async, clear, instruction = #tile.mma<wgmma
    tile.gemm %as, %bs, %c {async, clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : !half, !half, !sums
    // CHECK: tile.gemm_wait %[[C:.*]], %[[D:.*]] pending(0) : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.fragment>
    tile.gemm_wait %c, %d pending(0) : !sums, !sums
    // CHECK: tile.gemm_wait %[[C]] pending(1) {note = "kept"} : memref<64x64xf32, #tile.fragment>
    tile.gemm_wait %c pending(1) {note = "kept"} : !sums
    // CHECK: tile.gemm_wait pending(2){{$}}
    tile.gemm_wait pending(2)
  }
  return
}
