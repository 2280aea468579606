// RUN: tile-opt %s --tile-expand-sparse --cse --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-expand-sparse --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-expand-sparse --split-input-file --remarks-filter=tile-expand-sparse -o /dev/null \
// RUN:   2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=sm_89 --tile-expand-sparse --split-input-file | FileCheck %s --check-prefix=SM89
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-expand-sparse --split-input-file | FileCheck %s --check-prefix=SM90
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-expand-sparse --split-input-file | FileCheck %s --check-prefix=OTHER
// RUN: tile-opt %s --tile-set-target=chip=910B --tile-expand-sparse --split-input-file | FileCheck %s --check-prefix=OTHER

// OTHER: tile.gemm
// OTHER-NOT: tile.sparse_gemm

// What is not stored is 0; the tile is multiplied as any other. Tiles that not every thread can read are copied.

// CHECK-DAG: #[[$WORD:.*]] = affine_map<(d0) -> (d0 floordiv 16)>
// CHECK-DAG: #[[$SHIFT:.*]] = affine_map<(d0) -> (((d0 floordiv 4) mod 4) * 4)>
// CHECK-DAG: #[[$PLACE:.*]] = affine_map<(d0) -> (d0 mod 4)>
// CHECK-DAG: #[[$SECOND:.*]] = affine_map<(d0) -> ((d0 floordiv 4) * 2 + 1)>
// CHECK-DAG: #[[$FIRST:.*]] = affine_map<(d0) -> ((d0 floordiv 4) * 2)>
// CHECK-LABEL: func @halves
// CHECK: %[[A:.*]] = tile.alloc : memref<16x64xf16, #tile.shared>
// CHECK: %[[E:.*]] = tile.alloc : memref<64x2xi16, #tile.fragment>
// CHECK: %[[COPY:.*]] = tile.alloc : memref<64x2xi16, #tile.shared>
// CHECK: tile.copy %[[E]]{{.*}}, %[[COPY]]
// CHECK: %[[DENSE:.*]] = tile.alloc : memref<64x32xf16, #tile.shared>
// CHECK: tile.parallel (%[[M:.*]], %[[K:.*]]) in (64, 32)
// CHECK: %[[AT:.*]] = affine.apply #[[$WORD]](%[[K]])
// CHECK: memref.load %[[COPY]][%[[M]], %[[AT]]]
// CHECK: affine.apply #[[$SHIFT]](%[[K]])
// CHECK: affine.apply #[[$PLACE]](%[[K]])
// CHECK: %[[AT:.*]] = affine.apply #[[$SECOND]](%[[K]])
// CHECK: memref.load %[[A]][%[[AT]], %[[M]]]
// CHECK: %[[AT:.*]] = affine.apply #[[$FIRST]](%[[K]])
// CHECK: memref.load %[[A]][%[[AT]], %[[M]]]
// CHECK: memref.store %{{.*}}, %[[DENSE]][%[[M]], %[[K]]]
// CHECK: tile.gemm %[[DENSE]], %{{.*}}, %{{.*}} policy(full_row) {clear, transpose_b}

// REMARK: remark: [Passed] SparseInstruction{{.*}}sparse mma m16n8k32
// SM80-LABEL: func @halves
// SM80: tile.sparse_gemm {{.*}} {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 32, warps_m = 4, warps_n = 1>, transpose_a, transpose_b}
// SM90-LABEL: func @halves
// SM90: instruction = #tile.mma<wgmma, m = 64, n = 8, k = 32, warps_m = 4, warps_n = 1>
// SM89-LABEL: func @halves
// SM89: tile.sparse_gemm
func.func @halves() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<16x64xf16, #tile.shared>
    %e = tile.alloc : memref<64x2xi16, #tile.fragment>
    %b = tile.alloc : memref<8x32xf16, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c policy(full_row) {clear, transpose_a, transpose_b}
  }
  return
}

// -----

// Without rounding to tf32 there is no such instruction.

// CHECK-LABEL: func @exact
// CHECK: tile.gemm
// REMARK: remark: [Missed] SparseInstruction{{.*}}the sparse operand is expanded: sm_80 has no sparse instruction for f32, f32 -> f32
// SM80-LABEL: func @exact
// SM80-NOT: tile.sparse_gemm
func.func @exact() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<64x16xf32, #tile.shared>
    %e = tile.alloc : memref<64x4xi16, #tile.shared>
    %b = tile.alloc : memref<32x8xf32, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c
  }
  return
}

// -----

// CHECK-LABEL: func @rounded
// CHECK: tile.gemm {{.*}} precision(tf32)
// SM90-LABEL: func @rounded
// SM90: instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>
// SM80-LABEL: func @rounded
// SM80: tile.sparse_gemm {{.*}} precision(tf32) {instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>}
func.func @rounded() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<64x16xf32, #tile.shared>
    %e = tile.alloc : memref<64x4xi16, #tile.shared>
    %b = tile.alloc : memref<32x8xf32, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c precision(tf32)
  }
  return
}

// -----

// REMARK: remark: [Missed] SparseInstruction{{.*}}sm_80 has no sparse instruction for f8E4M3FN, f8E5M2 -> f32
// SM80-LABEL: func @bytes
// SM80-NOT: tile.sparse_gemm
// K of B is not contiguous.
// SM90-LABEL: func @bytes
// SM90: instruction = #tile.mma<mma, m = 16, n = 8, k = 64, warps_m = 4, warps_n = 1>
// SM89-LABEL: func @bytes
// SM89: tile.sparse_gemm {{.*}} {instruction = #tile.mma<mma, m = 16, n = 8, k = 64, warps_m = 4, warps_n = 1>}
func.func @bytes() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<64x32xf8E4M3FN, #tile.shared>
    %e = tile.alloc : memref<64x2xi32, #tile.shared>
    %b = tile.alloc : memref<64x8xf8E5M2, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c
  }
  return
}

// -----

// REMARK: remark: [Missed] SparseInstruction{{.*}}expected M, N and K to be multiples of 16, 8 and 32, got 24, 8 and 48
// SM80-LABEL: func @tail
// SM80-NOT: tile.sparse_gemm
func.func @tail() {
  tile.kernel (%k) in (1) threads(128) {
    %a = tile.alloc : memref<24x24xbf16, #tile.shared>
    %e = tile.alloc : memref<24x3xi16, #tile.shared>
    %b = tile.alloc : memref<48x8xbf16, #tile.shared>
    %c = tile.alloc : memref<24x8xf32, #tile.fragment>
    tile.sparse_gemm %a by %e, %b, %c
  }
  return
}
