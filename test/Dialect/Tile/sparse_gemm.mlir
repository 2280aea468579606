// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @halves
func.func @halves(%a: memref<64x32xf16, #tile.shared>, %e: memref<64x4xi16, #tile.shared>, %b: memref<64x8xf16, #tile.shared>,
                  %c: memref<64x8xf32, #tile.fragment>) {
  // CHECK: tile.sparse_gemm %{{.*}} by %{{.*}}, %{{.*}}, %{{.*}} : memref<64x32xf16, #tile.shared>, memref<64x4xi16, #tile.shared>, memref<64x8xf16, #tile.shared>, memref<64x8xf32, #tile.fragment>
  tile.sparse_gemm %a by %e, %b, %c
  return
}

// CHECK-LABEL: func @transposed
func.func @transposed(%a: memref<32x64xbf16, #tile.shared>, %e: memref<2x64xi32, #tile.fragment>, %b: memref<8x64xbf16, #tile.shared>,
                      %c: memref<64x8xbf16, #tile.fragment>) {
  // CHECK: tile.sparse_gemm %{{.*}} by %{{.*}}, %{{.*}}, %{{.*}} policy(full_row) {clear, transpose_a, transpose_b, transpose_metadata} :
  tile.sparse_gemm %a by %e, %b, %c policy(full_row) {clear, transpose_a, transpose_b, transpose_metadata}
  return
}

// One of two.
// CHECK-LABEL: func @words
func.func @words(%a: memref<16x8xf32, #tile.shared>, %e: memref<16x4xi8, #tile.shared>, %b: memref<16x8xf32, #tile.shared>,
                 %c: memref<16x8xf32, #tile.fragment>) {
  // CHECK: tile.sparse_gemm %{{.*}} by %{{.*}}, %{{.*}}, %{{.*}} precision(tf32) :
  tile.sparse_gemm %a by %e, %b, %c precision(tf32)
  return
}

// CHECK-LABEL: func @bytes
func.func @bytes(%a: memref<16x32xi8, #tile.shared>, %e: memref<16x2xi32, #tile.shared>, %b: memref<64x8xi8, #tile.shared>,
                 %c: memref<16x8xi32, #tile.fragment>, %d: memref<16x32xf8E4M3FN, #tile.shared>, %f: memref<64x8xf8E5M2, #tile.shared>,
                 %g: memref<16x8xf16, #tile.fragment>) {
  // CHECK: tile.sparse_gemm %{{.*}} by %{{.*}}, %{{.*}}, %{{.*}} {a_unsigned, b_unsigned, instruction = #tile.mma<mma, m = 16, n = 8, k = 64, warps_m = 1, warps_n = 1>} :
  tile.sparse_gemm %a by %e, %b, %c {a_unsigned, b_unsigned, instruction = #tile.mma<mma, m = 16, n = 8, k = 64, warps_m = 1, warps_n = 1>}
  // CHECK: tile.sparse_gemm
  tile.sparse_gemm %d by %e, %f, %g
  return
}
