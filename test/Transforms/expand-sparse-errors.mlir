// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-expand-sparse

// An instruction that the program asks for is one of the target.

module attributes {tile.target = #tile.target<"sm_80">} {
func.func @wrong_type() {
  tile.kernel (%k) in (1) threads(32) {
    %a = tile.alloc : memref<16x32xf8E4M3FN, #tile.shared>
    %e = tile.alloc : memref<16x2xi32, #tile.shared>
    %b = tile.alloc : memref<64x8xf8E4M3FN, #tile.shared>
    %c = tile.alloc : memref<16x8xf32, #tile.fragment>
    // expected-error @below {{expected a sparse instruction that sm_80 has, got mma m16n8k64 for f8E4M3FN and f8E4M3FN}}
    tile.sparse_gemm %a by %e, %b, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 64, warps_m = 1, warps_n = 1>}
  }
  return
}
}

// -----

module attributes {tile.target = #tile.target<"sm_80">} {
func.func @warps() {
  tile.kernel (%k) in (1) threads(32) {
    %a = tile.alloc : memref<16x16xf16, #tile.shared>
    %e = tile.alloc : memref<16x2xi16, #tile.shared>
    %b = tile.alloc : memref<32x16xf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{expected}}
    tile.sparse_gemm %a by %e, %b, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 2>}
  }
  return
}
}

// -----

module attributes {tile.target = #tile.target<"910B">} {
func.func @other() {
  tile.kernel (%k) in (1) {
    %a = tile.alloc : memref<16x16xf16, #tile.shared>
    %e = tile.alloc : memref<16x2xi16, #tile.shared>
    %b = tile.alloc : memref<32x16xf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    // expected-error @below {{910B has no instructions of warps}}
    tile.sparse_gemm %a by %e, %b, %c {instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 1, warps_n = 1>}
  }
  return
}
}
